"""The log: how much a stranger can write into it, and how much of it is kept."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from twisted.application.service import Application
from twisted.internet.interfaces import IReactorFromThreads
from twisted.internet.task import Clock
from twisted.internet.testing import MemoryReactorClock
from twisted.logger import ILogObserver, LogEvent, Logger, LogLevel, formatEvent
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer

from tests.accounts.helpers import temporary_directory
from tests.documents import ROOT, page
from tests.logs import log, texts
from tests.plugins.clue.server import Server
from tictac.engines.pool import Worker
from tictac.errors import SetupError
from tictac.logs import LIMITED, LineLimit, Log, open_log_file
from tictac.net.service import MainService

REST = "more than 2 lines per minute like '{who} came': omitting the rest"


def came(who: str, when: float, text: str = "{who} came") -> LogEvent:
    """Return a log line about a user."""
    return {"log_format": text, "log_time": when, "log_level": LogLevel.info, "who": who}


class LineLimitTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.passed: list[str | None] = []
        self.limit = LineLimit(lambda event: self.passed.append(formatEvent(event)))
        self.limit.begin(2)

    def test_no_more_than_so_many_a_minute(self) -> None:
        with log() as events:
            for second in range(60):
                self.limit(came("eve", second))
        assert self.passed == ["eve came"] * 2
        assert texts(events) == [REST]

    def test_the_next_minute_has_its_own(self) -> None:
        with log() as events:
            for second in (0, 1, 2, 60, 61, 62):
                self.limit(came("eve", second))
        assert self.passed == ["eve came"] * 4
        assert texts(events) == [REST] * 2

    def test_each_text_is_counted_for_itself(self) -> None:
        for who in "ab":
            for text in ("{who} came", "{who} went"):
                self.limit(came(who, 0, text))
        assert self.passed == ["a came", "a went", "b came", "b went"]

    def test_a_clock_that_is_set_back_begins_a_new_minute(self) -> None:
        for when in (7200, 7200, 3600):
            self.limit(came("eve", when))
        assert len(self.passed) == 3

    def test_0_is_no_limit(self) -> None:
        self.limit.begin(0)
        for _ in range(100):
            self.limit(came("eve", 0))
        assert len(self.passed) == 100


class StrangersTests(SynchronousTestCase):
    def setUp(self) -> None:
        LIMITED.begin(60)
        self.addCleanup(LIMITED.begin, 0)

    def test_who_comes_and_goes_at_clue_doesnt_fill_the_log(self) -> None:
        server = Server(humans=1)
        with log() as events:
            for _ in range(500):
                server.connect("eve").transport.lose()
        assert len(events) == 122  # two texts, and for each that the rest is left out

    def test_a_name_of_clue_cant_imitate_the_rest_of_its_line(self) -> None:
        name = "eve at seat 5 is out: left"
        with log() as events:
            Server().connect(name).transport.lose()
        assert f"clue: game 1: {name!r} at seat 0 is out: left" in texts(events)

    def test_nor_can_what_a_thinking_process_says(self) -> None:
        worker = Worker(Clock(), cast(Any, None))
        with log() as events:
            worker.errReceived(b"one\n\x1b[2Jtwo\n")
        assert texts(events) == [
            "engine process printed: 'one'", r"engine process printed: '\x1b[2Jtwo'"
        ]  # fmt: skip


STRANGERS = {"peer", "user", "name", "room", "sender", "text", "line", "winner"}
"""Fields of log lines that strangers have a say in."""

PLAIN = {"peer", "line", "the saved room {name} can't be read", "{room} couldn't be saved",
         "xmpp: the saved copy of {room} can't be deleted"}  # fmt: skip
"""Fields and texts without quotes: addresses, bytes, and names that can't hold a blank."""


def log_lines() -> Iterator[tuple[Path, str]]:
    """Yield every log line of the server: its file and its text."""
    for file in (ROOT / "tictac").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="_log")),
                    args=[ast.Constant(value=str(text)), *_],
                ) if file.name != "logs.py":
                    yield file, text


def test_what_strangers_have_a_say_in_is_quoted_and_limited() -> None:
    seen = set()
    for file, text in log_lines():
        for field, conversion in re.findall(r"\{(\w+)(!r)?[^}]*\}", text):
            if field in STRANGERS:
                seen.add(field)
                assert conversion or field in PLAIN or text in PLAIN, text
                assert "Logger(observer=LIMITED)" in file.read_text("utf-8"), file
    assert seen == STRANGERS


def twistd(**options: Any) -> dict[str, Any]:
    """Return the options of twistd that concern the log."""
    return {"logger": None, "syslog": 0, "nodaemon": 0, "logfile": None} | options


@implementer(IReactorFromThreads)
class Threads:
    """A reactor, as far as signals go."""

    def __init__(self) -> None:
        self.calls: list[Callable[..., object]] = []

    def callFromThread(self, callable: Callable[..., Any], *args: object, **kwargs: object) -> None:
        self.calls.append(callable)


class JsonTests(SynchronousTestCase):
    def lines(self, emit: Callable[[Logger], None]) -> list[dict[str, str]]:
        """Return the lines of what a function logs, as the observer of a server writes them."""
        written = io.StringIO()
        self.patch(sys, "stdout", written)
        observer = Log(Threads(), 0, None, as_json=True).observer
        assert observer is not None
        emit(Logger("tictac.den", observer=observer))
        return [json.loads(line) for line in written.getvalue().splitlines()]

    def test_a_line_is_an_object(self) -> None:
        [line] = self.lines(lambda log: log.warn("room {room!r}: two\nlines", room="d\u00e9n"))
        assert line.pop("time").endswith("+00:00")
        assert line == {
            "level": "warn", "part": "tictac.den", "text": "room 'd\u00e9n': two\nlines",
        }  # fmt: skip

    def test_a_traceback_is_a_field(self) -> None:
        def fail(log: Logger) -> None:
            try:
                raise ValueError("odd")
            except ValueError:
                log.failure("cannot count")

        [line] = self.lines(fail)
        assert (line["level"], line["text"]) == ("critical", "cannot count")
        assert "ValueError: odd" in line["traceback"]
        about = page("monitor").read_text("utf-8").split("`--log-json`")[1].split("\n\n")[1]
        assert re.findall(r"^- `(\w+)`", about, re.M) == [*line]


class LogFileTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.directory = temporary_directory(self)
        self.path = self.directory / "log"

    def test_others_cannot_read_it(self) -> None:
        for umask, mode in ((0o022, 0o640), (0o077, 0o600)):
            self.addCleanup(os.umask, os.umask(umask))
            file = open_log_file(twistd(logfile=str(self.path)), 10)
            assert file is not None
            file.rotate()
            file.close()
            assert {p.stat().st_mode & 0o777 for p in self.path.parent.iterdir()} == {mode}
            for path in self.path.parent.iterdir():
                path.unlink()

    def kept_of_five(self, kept: int) -> list[str]:
        """Return the files left after five rotations."""
        file = open_log_file(twistd(logfile=str(self.path)), kept)
        assert file is not None
        self.addCleanup(file.close)
        for _ in range(5):
            file.rotate()
        return sorted(each.name for each in self.directory.iterdir())

    def test_so_many_old_ones_are_kept(self) -> None:
        assert self.kept_of_five(2) == ["log", "log.1", "log.2"]

    def test_0_keeps_all(self) -> None:
        assert len(self.kept_of_five(0)) == 6

    def test_where_twistd_would_log_itself(self) -> None:
        for options in (
            twistd(nodaemon=1), twistd(nodaemon=1, logfile="-"), twistd(logfile="-"),
            twistd(syslog=1), twistd(logger=print, logfile=str(self.path)), None,
        ):  # fmt: skip
            assert open_log_file(options, 10) is None
        assert not self.path.exists()

    def test_the_foreground_has_one_too_when_asked(self) -> None:
        file = open_log_file(twistd(nodaemon=1, logfile=str(self.path)), 10)
        assert file is not None
        self.addCleanup(file.close)
        assert (file.path, file.maxRotatedFiles) == (str(self.path), 10)

    def test_one_that_cant_be_written_is_said(self) -> None:
        path = self.directory / "nowhere" / "log"
        with pytest.raises(SetupError, match="nowhere/log can't be written: No such file"):
            open_log_file(twistd(logfile=str(path)), 10)

    def test_twistd_takes_it_from_its_application(self) -> None:
        file = open_log_file(twistd(logfile=str(self.path)), 10)
        assert file is not None
        self.addCleanup(file.close)
        service = MainService(MemoryReactorClock(), 0, [], Log(Threads(), 0, file))
        application: Any = Application("tictac")
        service.setServiceParent(application)
        observer = application.getComponent(ILogObserver)
        observer(came("alice", 0) | {"log_namespace": "test"})
        assert self.path.read_text().endswith("[test#info] alice came\n")

    def test_the_limit_and_the_signal_hold_while_it_runs(self) -> None:
        self.addCleanup(signal.signal, signal.SIGUSR1, signal.getsignal(signal.SIGUSR1))
        reactor = Threads()
        file = open_log_file(twistd(logfile=str(self.path)), 10)
        assert file is not None
        self.addCleanup(file.close)
        service = MainService(MemoryReactorClock(), 0, [], Log(reactor, 60, file))
        service.startService()
        assert LIMITED.a_minute == 60
        signal.raise_signal(signal.SIGUSR1)
        [put_aside] = reactor.calls
        put_aside()
        assert (self.directory / "log.1").exists()
        self.path.rename(self.directory / "moved")
        service.reload()
        assert self.path.exists()
        self.successResultOf(service.stopService())
        assert LIMITED.a_minute == 0
