"""The log: limits on lines of each text and on old files."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, cast

from twisted.internet.interfaces import IReactorFromThreads
from twisted.logger import (
    FileLogObserver,
    ILogObserver,
    LogEvent,
    Logger,
    eventAsText,
    globalLogPublisher,
    textFileLogObserver,
)
from twisted.python.logfile import LogFile
from zope.interface import implementer

from tictac.errors import SetupError

_log = Logger()

MINUTE = 60.0


@implementer(ILogObserver)
class LineLimit:
    """Passes on so many lines of each text a minute; one more reports that the rest are left out.

    ``a_minute`` is the limit; 0: none.
    """

    def __init__(self, pass_on: Callable[[LogEvent], None]) -> None:
        self.a_minute = 0
        self._pass_on = pass_on
        self._minutes: dict[str, tuple[float, int]] = {}

    def begin(self, a_minute: int) -> None:
        """Start a new count, up to ``a_minute``."""
        self.a_minute = a_minute
        self._minutes.clear()

    def __call__(self, event: LogEvent) -> None:
        text, now = event["log_format"], event["log_time"]
        begun, count = self._minutes.get(text, (now, 0))
        if not 0 <= now - begun < MINUTE:
            begun, count = now, 0
        self._minutes[text] = begun, count + 1
        if not self.a_minute or count < self.a_minute:
            self._pass_on(event)
        elif count == self.a_minute:
            _log.warn(
                "more than {count} lines per minute like {text!r}: omitting the rest",
                count=count,
                text=text,
            )


LIMITED = LineLimit(globalLogPublisher)
"""For lines that a stranger can cause: ``Logger(observer=LIMITED)``."""


def open_log_file(twistd: Mapping[str, Any] | None, kept: int) -> LogFile | None:
    """Return the file of these options of ``twistd``; None if it logs elsewhere.

    It is as twistd's own, but only ``kept`` old files stay (0: all). Raises SetupError.
    """
    if twistd is None or twistd["logger"] or twistd["syslog"]:
        return None
    path = twistd["logfile"] or ("-" if twistd["nodaemon"] else "twistd.log")
    if path == "-":
        return None
    try:
        if not Path(path).exists():
            # It has addresses and names. LogFile gives the mode of a file to its successors.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o640))
        file: LogFile = LogFile.fromFullPath(path, maxRotatedFiles=kept or None)
    except OSError as error:
        raise SetupError(f"{path} can't be written: {error.strerror}") from None
    return file


def json_line(event: LogEvent) -> str:
    """Return an event as a line of JSON, with its time in UTC, and its traceback, if any."""
    text = eventAsText(event, includeTraceback=False, includeTimestamp=False, includeSystem=False)
    level = event.get("log_level")
    line = {
        "time": datetime.fromtimestamp(event["log_time"], UTC).isoformat(timespec="milliseconds"),
        "level": "info" if level is None else level.name,
        "part": event.get("log_namespace", ""),
        "text": text,
    }
    if (failure := event.get("log_failure")) is not None:
        line["traceback"] = failure.getTraceback()
    return json.dumps(line) + "\n"


class Log:
    """The log of the server: it limits the lines, and rotates the file at SIGUSR1.

    ``observer`` writes to ``file``; both are None when twistd logs elsewhere. With ``as_json``, the
    lines are JSON, also those to standard output.
    """

    def __init__(
        self,
        reactor: IReactorFromThreads,
        a_minute: int,
        file: LogFile | None,
        as_json: bool = False,
    ) -> None:
        self.file = file
        self.observer: ILogObserver | None = None
        if as_json:
            to = cast(IO[str], file or sys.stdout)
            self.observer = cast(ILogObserver, FileLogObserver(to, json_line))
        elif file is not None:
            self.observer = textFileLogObserver(cast(IO[str], file))
        self._reactor = reactor
        self._a_minute = a_minute

    def start(self) -> None:
        """Limit lines, and rotate the file at SIGUSR1."""
        LIMITED.begin(self._a_minute)
        if self.file is not None:
            signal.signal(signal.SIGUSR1, self._put_aside)

    def stop(self) -> None:
        """Stop limiting lines."""
        LIMITED.begin(0)

    def reopen(self) -> None:
        """Reopen the file by its name: another program might have rotated it."""
        if self.file is not None:
            self.file.reopen()

    def _put_aside(self, *_: object) -> None:
        assert self.file is not None
        self._reactor.callFromThread(self.file.rotate)
