"""One connection to Redis: commands out, replies in, and between them what is published.

hiredis, the parser of Redis's own clients, reads them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hiredis import ProtocolError, PushNotification, Reader
from twisted.internet.interfaces import (
    IDelayedCall,
    IPullProducer,
    IReactorTime,
    ITCPTransport,
)
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure
from zope.interface import implementer

from tictac.net.eager import READ_AT_A_TIME


@implementer(IPullProducer)
class Outgoing:
    """Sends the commands of a turn of the reactor in one piece.

    Where it can it does so at once; Twisted would wait for the next turn, and for epoll.
    One that finds nothing else under way doesn't wait for others, either.
    """

    def __init__(self, clock: IReactorTime, transport: Any) -> None:
        self._clock = clock
        self._transport = transport
        self._commands: list[bytes] = []
        self._flushing: IDelayedCall | None = None
        self._socket: Any = None
        self._all_sent = False
        if self._is_tcp(transport):
            transport.setTcpNoDelay(True)
            # Twisted's buffer of 64 KiB costs more than a small answer.
            transport.bufferSize = READ_AT_A_TIME
            self._socket = transport.getHandle()
            # To be asked for more whenever nothing is left to send.
            transport.registerProducer(self, False)

    def _is_tcp(self, transport: object) -> bool:
        return ITCPTransport.providedBy(transport)

    def send(self, command: bytes, alone: bool = False) -> None:
        """Send a command soon; at once if nothing else is under way (``alone``)."""
        self._commands.append(command)
        if self._flushing is None:
            if alone and self._all_sent:
                self._flush()
            else:
                self._flushing = self._clock.callLater(0, self._flush)

    def stop(self) -> None:
        """Send nothing more."""
        if self._flushing is not None:
            self._flushing.cancel()
            self._flushing = None

    def _flush(self) -> None:
        self._flushing = None
        data = b"".join(self._commands)
        self._commands = []
        if self._all_sent:
            try:
                sent = self._socket.send(data)
            except OSError:
                sent = 0  # full, or broken: in the normal way the reactor finds out which
            if sent == len(data):
                return
            self._all_sent = False
            data = data[sent:]
        self._transport.write(data)

    # IPullProducer, called by the transport

    def resumeProducing(self) -> None:
        """Everything has left."""
        self._all_sent = True

    def stopProducing(self) -> None:
        """The connection is gone."""
        self._all_sent = False


class Connection(Protocol):
    """One connection. ``replied`` gets each reply, ``pushed`` what comes unasked, ``lost`` why
    there comes nothing more."""

    outgoing: Outgoing
    transport: ITCPTransport

    def __init__(self, clock: IReactorTime) -> None:
        self._parser = Reader()
        self._clock = clock
        self._is_lost = False
        self.replied: Callable[[Any], None] = lambda reply: None
        self.pushed: Callable[[list[Any]], None] = lambda message: None
        self.lost: Callable[[str], None] = lambda why: None

    def connectionMade(self) -> None:
        self.outgoing = Outgoing(self._clock, self.transport)

    def dataReceived(self, data: bytes) -> None:
        gets = self._parser.gets
        try:
            self._parser.feed(data)
            while (reply := gets()) is not False and not self._is_lost:
                if type(reply) is PushNotification:
                    self.pushed(reply)
                else:
                    self.replied(reply)
        except ProtocolError as error:
            self._lose(str(error))

    def drop(self) -> None:
        """Have nothing to do with it any more."""
        self._is_lost = True
        self.outgoing.stop()
        self.transport.abortConnection()

    def connectionLost(self, why: Failure = connectionDone) -> None:
        self.outgoing.stop()
        self._lose(why.getErrorMessage())

    def _lose(self, why: str) -> None:
        if not self._is_lost:
            self._is_lost = True
            self.lost(why)
