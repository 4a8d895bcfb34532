"""Starting and stopping the whole server, with parts that aren't there."""

from __future__ import annotations

import gc
import io
import math
import os
import resource
import signal
from collections.abc import Callable
from typing import Any, cast
from unittest.mock import Mock, patch

import pytest
from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.logger import ILogObserver, LogEvent, eventAsText, globalLogPublisher
from twisted.trial.unittest import SynchronousTestCase

from tests.helpers import needs_linux
from tictac.errors import SetupError
from tictac.net.limits import grant_files
from tictac.net.running_time import RunningTime
from tictac.net.service import (
    LOST,
    OPEN_MAX,
    MainService,
    fail,
    install_signal_handlers,
    raise_open_files,
)


class FakePart(Service):
    """A server with as many matches as the test says."""

    waits = True

    def __init__(self, matches: int = 0) -> None:
        self.matches = matches
        self.calls: list[str] = []
        self.listeners: list[Any] = []
        self.stopped: Deferred[None] | None = None

    def privilegedStartService(self) -> None:
        self.calls.append("privileged start")

    def startService(self) -> None:
        super().startService()
        self.calls.append("start")

    def stop_listening(self) -> None:
        self.calls.append("stop listening")

    def pause(self) -> None:
        self.calls.append("pause")

    def go_on(self) -> None:
        self.calls.append("go on")

    def matches_running(self) -> int:
        return self.matches

    def reload(self) -> None:
        self.calls.append("reload")

    def stopService(self) -> Deferred[None] | None:
        super().stopService()
        self.calls.append("stop")
        return self.stopped


class SlowPart(FakePart):
    """One that restores rooms for three seconds."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock

    def startService(self) -> None:
        super().startService()
        self.clock.advance(3)


class FakeBase:
    """What parts stand on, which notes among their calls what is asked of it."""

    def __init__(self, calls: list[str]) -> None:
        self.calls = calls

    def start(self) -> None:
        self.calls.append("base starts")

    def cut(self) -> None:
        self.calls.append("base hears of the cut")

    async def stop(self) -> None:
        self.calls.append("base stops")


class BrokenPart(FakePart):
    """One that can't start."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self.where = where

    def privilegedStartService(self) -> None:
        if self.where == "privileged":
            raise SetupError("the port is busy")

    def startService(self) -> None:
        raise SetupError("the disk is gone")


class MainServiceCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.addCleanup(grant_files, math.inf)

    def started(self, *parts: FakePart, drain: float = 10) -> MainService:
        service = MainService(self.clock, drain, parts)
        service.privilegedStartService()
        service.startService()
        for part in parts:
            part.calls.clear()
        return service

    def look(self) -> None:
        """Let it look once more whether the matches are over."""
        self.clock.advance(0.1)


class DrainingTests(MainServiceCase):
    def test_time_stands_still_during_the_start(self) -> None:
        time = RunningTime(self.clock.seconds)
        part = SlowPart(self.clock)
        service = MainService(self.clock, 10, [part])
        service.time = time
        service.startService()
        assert (self.clock.seconds(), time.seconds()) == (3, 0)
        self.clock.advance(0.5)
        assert time.seconds() == 0.5
        self.successResultOf(service.stopService())

    def test_the_parts_start_with_it(self) -> None:
        part = FakePart()
        service = MainService(self.clock, 10, [part])
        service.privilegedStartService()
        service.startService()
        assert part.calls == ["privileged start", "start"]

    def test_its_base_starts_first_hears_of_the_cut_and_stops_last(self) -> None:
        part = FakePart()
        service = MainService(self.clock, 10, [part], base=cast(Any, FakeBase(part.calls)))
        service.startService()
        part.matches = 1
        stopping = service.stopService()
        assert part.calls == ["base starts", "start", "stop listening"]
        part.matches = 0
        self.look()
        self.successResultOf(stopping)
        assert part.calls[3:] == ["base hears of the cut", "stop", "base stops"]

    def test_the_disk_is_looked_at_from_before_the_parts_to_after_them(self) -> None:
        part, disk = FakePart(), Mock()
        disk.start = lambda: part.calls.append("disk starts")
        disk.stop = lambda: part.calls.append("disk stops")
        service = MainService(self.clock, 0, [part], disks=[disk])
        service.startService()
        self.successResultOf(service.stopService())
        assert part.calls == ["disk starts", "start", "stop listening", "stop", "disk stops"]

    def test_without_matches_it_stops_at_once(self) -> None:
        parts = [FakePart(), FakePart()]
        stopping = self.started(*parts).stopService()
        self.successResultOf(stopping)
        for part in parts:
            assert part.calls == ["stop listening", "stop"]

    def test_it_waits_for_the_last_match(self) -> None:
        one, other = FakePart(2), FakePart(1)
        stopping = self.started(one, other).stopService()
        for _ in range(5):
            self.look()
            self.assertNoResult(stopping)
        assert one.calls == other.calls == ["stop listening"]
        one.matches = 0
        self.look()
        self.assertNoResult(stopping)
        other.matches = 0
        self.look()
        self.successResultOf(stopping)
        assert one.calls == other.calls == ["stop listening", "stop"]
        assert not self.clock.getDelayedCalls()

    def test_it_waits_only_so_long(self) -> None:
        part = FakePart(1)
        stopping = self.started(part, drain=3).stopService()
        self.clock.pump([0.1] * 29)
        self.assertNoResult(stopping)
        self.clock.pump([0.1] * 2)
        self.successResultOf(stopping)
        assert part.calls == ["stop listening", "stop"]
        assert not self.clock.getDelayedCalls()

    def test_0_is_no_waiting_at_all(self) -> None:
        stopping = self.started(FakePart(1), drain=0).stopService()
        self.successResultOf(stopping)
        assert not self.clock.getDelayedCalls()

    def test_hurrying(self) -> None:
        part = FakePart(1)
        service = self.started(part)
        stopping = service.stopService()
        service.hurry()
        self.successResultOf(stopping)
        service.hurry()
        assert part.calls == ["stop listening", "stop"]
        assert not self.clock.getDelayedCalls()

    def test_there_is_nothing_to_hurry_while_it_runs(self) -> None:
        part = FakePart(1)
        service = self.started(part)
        service.hurry()
        assert part.calls == []
        self.assertNoResult(service.stopService())

    def test_it_waits_for_its_parts_to_stop(self) -> None:
        part = FakePart()
        part.stopped = Deferred()
        stopping = self.started(part).stopService()
        self.assertNoResult(stopping)
        part.stopped.callback(None)
        self.successResultOf(stopping)


class FailingTests(MainServiceCase):
    def setUp(self) -> None:
        super().setUp()
        self.errors = io.StringIO()
        self.patch(__import__("sys"), "stderr", self.errors)

    def test_one_line_and_status_1(self) -> None:
        with pytest.raises(SystemExit) as caught:
            fail("it is raining")
        assert (caught.value.code, self.errors.getvalue()) == (1, "Error: it is raining\n")

    def test_a_part_that_cant_start_ends_the_program(self) -> None:
        service = MainService(self.clock, 10, [BrokenPart("privileged")])
        with pytest.raises(SystemExit) as caught:
            service.privilegedStartService()
        assert (caught.value.code, self.errors.getvalue()) == (1, "Error: the port is busy\n")

    def test_also_later(self) -> None:
        service = MainService(self.clock, 10, [BrokenPart("later")])
        with pytest.raises(SystemExit) as caught:
            service.startService()
        assert (caught.value.code, self.errors.getvalue()) == (1, "Error: the disk is gone\n")


class FakeReactor:
    """Counts how often it is told to stop."""

    def __init__(self) -> None:
        self.stops = 0
        self.calls: list[Callable[[], object]] = []

    def callFromThread(self, function: Callable[[], object]) -> None:
        self.calls.append(function)

    def turn(self) -> None:
        while self.calls:
            self.calls.pop(0)()

    def stop(self) -> None:
        self.stops += 1


class SignalTests(MainServiceCase):
    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(gc.unfreeze)
        numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
        for number in numbers:
            self.addCleanup(signal.signal, number, signal.getsignal(number))

    def test_the_first_stops_and_the_second_hurries(self) -> None:
        for first, second in [
            (signal.SIGTERM, signal.SIGTERM),
            (signal.SIGINT, signal.SIGTERM),
            (signal.SIGTERM, signal.SIGINT),
        ]:
            reactor: Any = FakeReactor()
            service = self.started(FakePart(1))
            install_signal_handlers(reactor, service)
            signal.raise_signal(first)
            assert reactor.stops == 0  # nothing happens within the handler
            reactor.turn()
            assert reactor.stops == 1
            stopping = service.stopService()
            self.assertNoResult(stopping)
            signal.raise_signal(second)
            reactor.turn()
            assert reactor.stops == 1
            self.successResultOf(stopping)

    def test_a_hang_up_reloads_and_user_signals_do_nothing(self) -> None:
        reactor: Any = FakeReactor()
        part = FakePart()
        install_signal_handlers(reactor, self.started(part))
        for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
            signal.raise_signal(number)
        assert part.calls == []  # nothing happens within the handler
        reactor.turn()
        assert (part.calls, reactor.stops) == (["reload"], 0)

    def test_what_twistd_does_at_a_signal_it_does_on(self) -> None:
        rotated: list[int] = []
        signal.signal(signal.SIGUSR1, lambda number, frame: rotated.append(number))
        reactor: Any = FakeReactor()
        install_signal_handlers(reactor, self.started())
        signal.raise_signal(signal.SIGUSR1)
        assert rotated == [signal.SIGUSR1]


class OpenFilesTests(SynchronousTestCase):
    @needs_linux
    def test_more_connections_than_files_is_said(self) -> None:
        self.addCleanup(grant_files, math.inf)
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, before)
        heard: list[LogEvent] = []
        observer = cast(ILogObserver, heard.append)
        globalLogPublisher.addObserver(observer)
        self.addCleanup(globalLogPublisher.removeObserver, observer)
        for connections in (before[1] - 1, before[1]):
            service = MainService(Clock(), 10, [], connections=connections)
            service.startService()
        [text] = [eventAsText(event, includeTimestamp=False) for event in heard]
        assert f"--max-connections {before[1]} can't be reached" in text

    @needs_linux
    def test_as_many_as_the_system_grants(self) -> None:
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, before)
        hard = before[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(before[0], 256), hard))
        raise_open_files()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)

    def test_a_system_that_grants_less_than_it_says(self) -> None:
        """As macOS does, where the server could not start."""
        endless = resource.RLIM_INFINITY
        with (
            patch("resource.getrlimit", return_value=(256, endless)),
            patch("resource.setrlimit", side_effect=[ValueError, None]) as limit,
        ):
            assert raise_open_files() == OPEN_MAX
        limit.assert_called_with(resource.RLIMIT_NOFILE, (OPEN_MAX, endless))


class FakeTurn:
    """A turn that comes when the test says so."""

    def __init__(self) -> None:
        self.server: Any = None
        self.is_stopped = False

    def wait(self, server: Any) -> None:
        self.server = server

    def why_not(self) -> str:
        return "it waits"

    async def stop(self) -> None:
        self.is_stopped = True


class EarlyPart(FakePart):
    """One that starts before the turn."""

    waits = False


class TurnTests(MainServiceCase):
    def setUp(self) -> None:
        super().setUp()
        self.part, self.early, self.turn = FakePart(), EarlyPart(), FakeTurn()
        self.ends: list[None] = []
        self.service = MainService(
            self.clock, 10, [self.part, self.early],
            base=cast(Any, FakeBase(self.part.calls)), turn=self.turn,
        )  # fmt: skip
        self.service.end = lambda: self.ends.append(None)
        self.time = self.service.time = RunningTime(self.clock.seconds)
        self.addCleanup(self.time.stop)
        self.service.privilegedStartService()
        self.service.startService()

    def test_parts_wait_for_the_turn(self) -> None:
        assert self.part.calls == [] and self.early.calls == ["privileged start", "start"]
        self.turn.server.begin()
        assert self.part.calls == ["base starts", "privileged start", "start"]

    def test_a_pause(self) -> None:
        self.turn.server.begin()
        self.part.calls.clear()
        self.turn.server.pause()
        self.turn.server.go_on()
        assert self.part.calls == ["pause", "go on"]

    def test_time_runs_while_ports_are_open(self) -> None:
        server = self.turn.server
        for do, seconds in ((bool, 0), (server.begin, 9), (server.pause, 0), (server.go_on, 9)):
            do()
            before = self.time.seconds()
            self.clock.pump([0.5] * 18)
            assert self.time.seconds() == before + seconds

    def test_it_stops_before_the_turn(self) -> None:
        self.successResultOf(self.service.stopService())
        assert self.turn.is_stopped and "start" not in self.part.calls
        assert "base stops" not in self.part.calls and self.early.calls[-1] == "stop"

    def test_the_turn_is_lost(self) -> None:
        self.turn.server.begin()
        with patch("atexit.register") as register:
            self.turn.server.lost("another process has taken over")
        register.assert_called_once_with(os._exit, LOST)
        assert self.ends == [None]

    def test_a_port_that_it_can_never_open_ends_it_at_the_start(self) -> None:
        """This address is for documents: no machine has it."""
        part, turn = FakePart(), FakeTurn()
        part.listeners = [Mock(description="tcp:5000:interface=192.0.2.1")]
        service = MainService(self.clock, 10, [part], turn=turn)
        with patch("sys.stderr") as errors, self.assertRaises(SystemExit):
            service.startService()
        [told] = errors.write.call_args.args
        assert told.startswith("Error: cannot listen on tcp:5000:interface=192.0.2.1: ")
        assert turn.server is None

    def test_a_part_that_cant_start_at_the_turn(self) -> None:
        for where in ("privileged", "later"):
            turn = FakeTurn()
            service = MainService(self.clock, 10, [BrokenPart(where)], turn=turn)
            service.startService()
            with patch("atexit.register") as register:
                turn.server.begin()
            assert register.called
