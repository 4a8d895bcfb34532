"""TCP for many small messages: all that came is read, then all answers leave at once.

Twisted's own transport sends a turn of the reactor after `write`, and changes twice what epoll
watches. For a move that two players receive, that is most of the CPU time. Here, the connections of
a port share a :class:`Hub`, an epoll of their own, which the reactor sees as one descriptor. This
saves about half of the CPU time of a request (docs/design/benchmarks.md).

Invariants: the bytes of a connection leave in the order of `write`; bytes written during a round
of reads leaves at the end of the round, as one piece for each connection (unless it is larger than
Twisted's buffer).

1. `_work_off` reads every ready connection once, up to ``read_at_a_time`` bytes. While the hub is
   ``busy``, the first `write` of a connection puts it into ``written``, and later ones only add to
   its bytes. Sent at once, each message would be a system call of its own.
2. `busy` ends before the first `send_now`: a `write` that comes of the sending is sent at once. In
   the list, it would wait for the next message of any client.
3. What the kernel doesn't take, errors included, goes into Twisted's buffer. While that buffer has
   bytes, `write` adds to it: sent directly, new bytes would overtake the old ones.
4. A connection that has ended leaves the epoll at once, because its descriptor stays readable and
   `doRead` would read it again and again. The rest of its end is a chore (net/chores.py): an end
   costs more than a message, and many can come at once.
5. `doRead` polls again for what became readable meanwhile, because a turn of the reactor costs as
   much as a move. After ``WORTH_A_TURN`` connections it returns: timers, new connections, and other
   ports would starve.

    poll           A and B are readable
    read A         a move: write(A), write(B); both are in `written`
    read B         a chat message: write(A) adds to the bytes of A
    busy = False   send A (both messages in one call), send B
    poll           nothing, or the next round

This needs private names of Twisted: its test fails when they go, and `--no-eager-send` turns it
off.
"""

from __future__ import annotations

import select
from collections.abc import Iterable
from functools import partial
from typing import Any

from twisted.internet import main, tcp
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IListeningPort, IProducer, IReadDescriptor
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from tictac.logs import LIMITED
from tictac.net.chores import chores_of
from tictac.reactor import Reactor

_log = Logger(observer=LIMITED)

EVENTS_A_TURN = 512
"""Maximum number of connections in one round of reads."""

WORTH_A_TURN = 64
"""Number of connections after which the reactor gets its turn again."""

READ_AT_A_TIME = 16384
"""Default for the bytes that are read from one connection in one round.

Twisted's buffer of 64 KiB costs more than a small message.
"""


@implementer(IReadDescriptor)
class Hub:
    """Reads for many transports, and sends for them when all have been read.

    The hub is among the reactor's readers while one of them wants to read. While the hub is
    ``busy`` with reading, transports that have something to send join ``written``.
    """

    def __init__(self, reactor: Reactor) -> None:
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
        """Stop reading for ``transport``."""
        number = transport.fileno()
        if self._transports.get(number) is not transport:
            return
        del self._transports[number]
        self._epoll.unregister(number)
        if not self._transports:
            self._reactor.removeReader(self)

    # IReadDescriptor, called by the reactor

    def fileno(self) -> int:
        """Return the descriptor of the epoll, which is readable when one of its own is."""
        return self._epoll.fileno()

    def logPrefix(self) -> str:
        """Return the prefix of log lines."""
        return "hub"

    def doRead(self) -> None:
        """Handle connections that are or become readable, up to a limit."""
        read = 0
        while read < WORTH_A_TURN and (ready := self._epoll.poll(0, EVENTS_A_TURN)):
            self._work_off(ready)
            read += len(ready)

    def _work_off(self, ready: list[tuple[int, int]]) -> None:
        """Read, then send the written bytes."""
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
        """End all connections at the end of the reactor."""
        for transport in list(self._transports.values()):
            self._lose(transport, reason)

    def _lose(self, transport: EagerServer, why: Failure) -> None:
        """End one connection, and log exceptions of it, as the reactor does."""
        if not transport.connected:
            return  # it has ended another way meanwhile
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
        # An attribute is found faster in the object than in its class.
        self.hub, self.read_at_a_time = self.hub, self.read_at_a_time
        self.dataBuffer = self._soon = b""
        super().__init__(*arguments, **named)

    def startReading(self) -> None:
        self.hub.add(self)

    def stopReading(self) -> None:
        self.hub.remove(self)

    def startTLS(self, *arguments: object) -> None:
        raise NotImplementedError("a connection that turns to TLS needs eager=False")

    def registerProducer(self, producer: IProducer, streaming: bool) -> None:
        if not streaming:
            # The reactor asks it for more when its earlier bytes have left.
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
                self.send_now()  # otherwise, nothing would report that too much waits
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
        """Send as many of the written bytes as the kernel takes."""
        data, self._soon = self._soon, b""
        if not self.connected or not data:
            return
        try:
            sent = self.socket.send(data)
        except OSError:
            # Full or broken: Twisted's way finds out which.
            sent = 0
        if sent < len(data):
            super().write(data[sent:])


def send_eagerly(
    port: IListeningPort, reactor: Reactor, read_at_a_time: int = READ_AT_A_TIME
) -> bool:
    """Let ``port`` send eagerly. Return False if it isn't plain TCP on Linux.

    ``tcp.Port.transport`` is the documented hook for the class of its connections. TLS has buffers
    of its own above TCP, and keeps the normal way.
    """
    if type(port) is not tcp.Port or port._type != "TCP" or not hasattr(select, "epoll"):
        return False

    class PortServer(EagerServer):
        hub = Hub(reactor)

    PortServer.read_at_a_time = read_at_a_time
    port.transport = PortServer
    return True
