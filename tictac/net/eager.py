"""TCP for many small messages: all that came is read, then all answers leave at once.

Twisted's own transport queues what is written and sends it a turn of the reactor later,
after two changes of what epoll watches; and between the reactor and a transport lie eight
calls for each read. For a move that is answered to two players that is most of the CPU
time (docs/architecture.md, "Speed"). Here the connections of a port share a :class:`Hub`,
an epoll of their own that the reactor sees as one descriptor: when it is readable, every
connection with something to read is worked off, and then whatever was written meanwhile
is sent, in one piece for each connection. What the kernel doesn't take, errors included,
goes the normal way.

It needs private names of Twisted; its test fails when they go.
"""

from __future__ import annotations

import select
from collections.abc import Iterable
from functools import partial
from typing import Any

from twisted.internet import main, tcp
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IListeningPort, IReadDescriptor
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from tictac.logs import LIMITED
from tictac.net.chores import chores_of

_log = Logger(observer=LIMITED)

EVENTS_A_TURN = 512
"""Connections that are read in one turn; the others follow in the next."""

WORTH_A_TURN = 64
"""Connections that are read, if so many have something, before the reactor has its turn again.

A turn costs as much as a move, and is due to timers, new connections and other ports.
"""

READ_AT_A_TIME = 16384
"""Bytes that are read of one connection in one turn, unless said otherwise.

Twisted's buffer of 64 KiB costs more than a small message.
"""


@implementer(IReadDescriptor)
class Hub:
    """Reads for many transports, and sends for them when all have been read.

    It is among the reactor's readers for as long as one of them wants to read. While it
    is ``busy`` with reading, those that have something to send join ``written``.

    An end costs more than a message, and many may come at once, so it is a chore.
    """

    def __init__(self, reactor: Any) -> None:
        self.busy = False
        self.written: list[EagerServer] = []
        self._reactor = reactor
        self._epoll = select.epoll()
        self._transports: dict[int, EagerServer] = {}
        self._chores = chores_of(reactor)

    def add(self, transport: EagerServer) -> None:
        """Read for ``transport``."""
        number = transport.fileno()
        if number in self._transports:
            return
        if not self._transports:
            self._reactor.addReader(self)
        self._transports[number] = transport
        self._epoll.register(number, select.EPOLLIN)

    def remove(self, transport: EagerServer) -> None:
        """Read for it no longer."""
        number = transport.fileno()
        if self._transports.get(number) is not transport:
            return
        del self._transports[number]
        self._epoll.unregister(number)
        if not self._transports:
            self._reactor.removeReader(self)

    # IReadDescriptor, called by the reactor

    def fileno(self) -> int:
        """The descriptor of the epoll, readable when one of its own is."""
        return self._epoll.fileno()

    def logPrefix(self) -> str:
        """What log lines are marked with that come from here."""
        return "hub"

    def doRead(self) -> None:
        """Work off what is readable, and what has become so meanwhile if it wasn't much."""
        read = 0
        while read < WORTH_A_TURN and (ready := self._epoll.poll(0, EVENTS_A_TURN)):
            self._work_off(ready)
            read += len(ready)

    def _work_off(self, ready: list[tuple[int, int]]) -> None:
        """Read, then send what was written."""
        self.busy = True
        transports = self._transports
        for number, _ in ready:
            transport = transports.get(number)
            if transport is None:
                continue
            why: Exception
            try:
                try:
                    data = transport.socket.recv(transport.read_at_a_time)
                except BlockingIOError:
                    continue
                except OSError:
                    why = main.CONNECTION_LOST
                else:
                    if data:
                        transport.protocol.dataReceived(data)
                        continue
                    why = main.CONNECTION_DONE
            except Exception as error:
                _log.failure("{transport} failed to read", transport=transport)
                why = error
            self.remove(transport)
            self._chores.add(partial(self._lose, transport, Failure(why)))
        self.busy = False
        written, self.written = self.written, []
        for transport in written:
            try:
                transport.send_now()
            except Exception:
                failure = Failure()
                _log.failure("{transport} failed to send", failure, transport=transport)
                self._lose(transport, failure)

    def connectionLost(self, reason: Failure) -> None:
        """The reactor ends, and its connections with it."""
        for transport in list(self._transports.values()):
            self._lose(transport, reason)

    def _lose(self, transport: EagerServer, why: Failure) -> None:
        """As the reactor does it: a fault ends one connection, and is logged."""
        if not transport.connected:
            return  # it was ended otherwise meanwhile
        try:
            transport.stopReading()
            if why.check(ConnectionDone):
                transport.readConnectionLost(why)
            else:
                transport.connectionLost(why)
        except Exception:
            _log.failure("{transport} failed to close", transport=transport)


class EagerServer(tcp.Server):
    """A connection whose reads and writes go through a hub."""

    hub: Hub
    read_at_a_time: int

    def __init__(self, *arguments: Any, **named: Any) -> None:
        # What every read and write looks at is found quicker in the object than in its class.
        self.hub, self.read_at_a_time = self.hub, self.read_at_a_time
        self.dataBuffer = self._soon = b""
        super().__init__(*arguments, **named)

    def startReading(self) -> None:
        self.hub.add(self)

    def stopReading(self) -> None:
        self.hub.remove(self)

    def startTLS(self, *arguments: object) -> None:
        raise NotImplementedError("a connection that turns to TLS needs eager=False")

    def registerProducer(self, producer: Any, streaming: bool) -> None:
        if not streaming:
            # It is asked for more by the reactor, when what it wrote before has left.
            self.send_now()
            self.write = super().write  # type: ignore[method-assign]
        super().registerProducer(producer, streaming)

    def unregisterProducer(self) -> None:
        self.__dict__.pop("write", None)
        super().unregisterProducer()

    def write(self, data: bytes) -> None:
        if self._soon:
            self._soon += data
            if len(self._soon) > self.bufferSize:
                self.send_now()  # or it would never be said that too much waits
        elif self.dataBuffer or self._tempDataBuffer:
            super().write(data)
        else:
            self._soon = data
            hub = self.hub
            if hub.busy:
                hub.written.append(self)
            else:
                self.send_now()

    def writeSequence(self, iovec: Iterable[bytes]) -> None:
        self.write(b"".join(iovec))

    def abortConnection(self) -> None:
        self._soon = b""
        super().abortConnection()

    def send_now(self) -> None:
        """Send what was written, as far as the kernel takes it."""
        data, self._soon = self._soon, b""
        if not self.connected or not data:
            return
        try:
            sent = self.socket.send(data)
        except OSError:
            # Full, or broken: in the normal way the reactor finds out which.
            sent = 0
        if sent < len(data):
            super().write(data[sent:])


def send_eagerly(port: IListeningPort, reactor: Any, read_at_a_time: int = READ_AT_A_TIME) -> bool:
    """Let ``port`` build its connections so. False when it isn't plain TCP, on Linux.

    ``tcp.Port.transport`` is the documented hook for the class of its connections. TLS
    has buffers of its own above TCP, and keeps the normal way.
    """
    if type(port) is not tcp.Port or port._type != "TCP" or not hasattr(select, "epoll"):
        return False

    class PortServer(EagerServer):
        hub = Hub(reactor)

    PortServer.read_at_a_time = read_at_a_time
    port.transport = PortServer
    return True
