"""Messages to systemd, by the protocol of sd_notify(3): a datagram to ``$NOTIFY_SOCKET``.

The server is ready when its other parts have started, or when another process is active. With a
watchdog, a message follows at half of that interval. If the reactor hangs, no message
comes, and systemd restarts the server.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from socket import AF_UNIX, SOCK_DGRAM, socket

from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall

from tictac.net.plugin import ProtocolService, sweep_interval
from tictac.reactor import Reactor
from tictac.runtime import AddOn, Runtime

ADDRESS, INTERVAL, PROCESS = "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"
"""Environment variables that systemd sets."""


def watchdog_seconds(environment: Mapping[str, str], process: int) -> float:
    """Return the seconds between two messages for the watchdog; 0: it is off."""
    interval = environment.get(INTERVAL, "")
    is_ours = environment.get(PROCESS) in (None, "", str(process))
    return int(interval) / 2_000_000 if interval.isdecimal() and is_ours else 0


class SystemdService(ProtocolService):
    """Sends messages to the address; ``pause`` is the interval of the watchdog in seconds."""

    waits = False

    def __init__(self, reactor: Reactor, address: str, pause: float) -> None:
        self._address, self._pause = address, pause
        self._beat = LoopingCall(self._send, "WATCHDOG=1")
        self._beat.clock = reactor
        super().__init__(reactor, "systemd", [], lambda proxied: None, sweep_interval())

    def begin(self) -> None:
        self._send("READY=1")
        if self._pause:
            self._beat.start(self._pause, now=False)

    def stopService(self) -> Deferred[None]:
        self._send("STOPPING=1")
        return super().stopService()

    async def end(self) -> None:
        if self._beat.running:
            self._beat.stop()

    def _send(self, message: str) -> None:
        # "@" stands for the zero byte of an abstract address.
        address = self._address.encode().replace(b"@", b"\0", 1)
        if not address.startswith((b"/", b"\0")):
            return
        # systemd restarts a server whose messages are lost; an error here must not end it.
        with suppress(OSError), socket(AF_UNIX, SOCK_DGRAM) as sender:
            sender.setblocking(False)
            sender.sendto(message.encode(), address)


def _make(runtime: Runtime) -> ProtocolService | None:
    address = os.environ.get(ADDRESS)
    if not address:
        return None
    pause = watchdog_seconds(os.environ, os.getpid())
    return SystemdService(runtime.reactor, address, pause)


ADD_ON = AddOn(_make)
"""Only a process that systemd has started sends messages."""
