"""Readiness and the watchdog of systemd, with a socket in its place."""

from __future__ import annotations

import os
from socket import AF_UNIX, SOCK_DGRAM, socket
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.server.helpers import TapCase
from tictac.plugins.systemd.service import SystemdService, watchdog_seconds
from tictac.server.make import makeService


class ServiceTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.address = str(temporary_directory(self) / "notify")
        self.systemd = self.enterContext(socket(AF_UNIX, SOCK_DGRAM))
        self.systemd.bind(self.address)
        self.systemd.setblocking(False)
        self.reactor: Any = MemoryReactorClock()

    def read(self) -> list[str]:
        """Return the messages that have come."""
        found = []
        while True:
            try:
                found.append(self.systemd.recv(4096).decode())
            except BlockingIOError:
                return found

    def start(self, pause: float = 0, address: str | None = None) -> SystemdService:
        service = SystemdService(self.reactor, address or self.address, pause)
        service.startService()
        return service

    def stop(self, service: SystemdService) -> None:
        self.successResultOf(service.stopService())
        self.successResultOf(Deferred.fromCoroutine(service.end()))

    def test_it_is_ready_then_stopping(self) -> None:
        service = self.start()
        assert self.read() == ["READY=1"]
        self.reactor.advance(3600)
        self.stop(service)
        assert self.read() == ["STOPPING=1"]

    def test_the_watchdog_gets_a_message_at_each_interval(self) -> None:
        service = self.start(15)
        self.read()
        for _ in range(2):
            self.reactor.advance(15)
            assert self.read() == ["WATCHDOG=1"]
        self.stop(service)

    def test_a_reactor_that_hung_makes_up_for_no_message(self) -> None:
        service = self.start(15)
        self.read()
        self.reactor.advance(100)  # a turn of so many seconds, in which the watchdog barks
        assert self.read() == ["WATCHDOG=1"]
        self.stop(service)

    def test_nothing_fails_if_systemd_doesnt_listen(self) -> None:
        for address in ("/nowhere/notify", "@abstract-without-a-listener", "odd"):
            self.stop(self.start(15, address))
        assert self.read() == [] and self.flushLoggedErrors() == []


class OptionTests(TapCase):
    def test_only_under_systemd(self) -> None:
        for address, count in (("", 0), ("/run/systemd/notify", 1)):
            self.patch(os, "environ", {**os.environ, "NOTIFY_SOCKET": address})
            database = str(self.directory / f"users{count}.db")
            options = self.options("--database", database, "--port", "0", "--journal", "none")
            reactor: Any = MemoryReactorClock()
            parts: Any = makeService(options, reactor).services
            assert sum(isinstance(part, SystemdService) for part in parts) == count


def test_the_interval_is_half_of_systemds() -> None:
    assert watchdog_seconds({"WATCHDOG_USEC": "30000000"}, 7) == 15
    assert watchdog_seconds({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"}, 7) == 15
    for other in ({}, {"WATCHDOG_USEC": "x"}, {"WATCHDOG_USEC": "1", "WATCHDOG_PID": "8"}):
        assert watchdog_seconds(other, 7) == 0
