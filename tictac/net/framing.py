"""Messages out of a stream of bytes, from peers that end them with a newline and from
peers that don't.

docs/rooms.md, "Messages", says why: most public clients send a request as one bare write. The
server and the client both build on :class:`MessageReceiver`; so can any protocol of
lines, with ``Framing(mode="line")``.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from enum import Enum
from typing import Any

from twisted.internet.interfaces import IDelayedCall, IHalfCloseableProtocol, IReactorTime
from twisted.logger import Logger
from twisted.protocols.basic import LineReceiver
from zope.interface import implementer

from tictac.logs import LIMITED

_log = Logger(observer=LIMITED)

MODES = ("auto", "line", "bare")


@dataclass(frozen=True, slots=True)
class Framing:
    """How a connection's bytes become messages; times in seconds, sizes in bytes.

    ``mode``: ``line`` ends a message at each newline, ``bare`` takes every read as one
    message, ``auto`` finds out. ``complete_after`` of silence takes what looks like a
    complete message, ``incomplete_after`` anything (0: never). A bare peer gets at most
    one message each ``gap``. ``turn_budget`` messages of one connection are worked off
    in a turn of the reactor, so that one that floods doesn't keep the others waiting.
    ``settle`` says whether a newline settles for good that the peer sends lines.
    """

    mode: str = "auto"
    max_message: int = 8192
    complete_after: float = 0.03
    incomplete_after: float = 0.5
    gap: float = 0.02
    turn_budget: int = 16
    settle: bool = True


class Peer(Enum):
    """How the other side ends its messages, as far as is known."""

    UNKNOWN = "unknown"
    LINE = "line"
    BARE = "bare"


_LINE = Peer.LINE  # looking a member up in its enumeration costs as much as a call

# RFC 854: IAC SB ... IAC SE, IAC and a verb with its option, IAC and a command. RFC 3629, 6: the
# byte order mark.
_NOISE = re.compile(
    rb"(?:\xff\xfa.*?\xff\xf0|\xff[\xfb-\xfe].|\xff[\xf0-\xf9]|\xef\xbb\xbf)+", re.DOTALL
)


def without_noise(message: bytes) -> bytes:
    """Cut off what telnet clients and editors put in front of a text: negotiation and a BOM."""
    found = _NOISE.match(message)
    return message[found.end() :] if found else message


class Open:
    """The purse of a connection without a budget: see :mod:`tictac.net.budget`."""

    shut = False


_OPEN = Open()


@implementer(IHalfCloseableProtocol)
class MessageReceiver(LineReceiver):
    """A LineReceiver whose ``lineReceived`` gets each message, however it was framed.

    ``clock`` and ``framing`` are set by the factory. A handler that must wait calls
    :meth:`hold`, and :meth:`release` when it is done: meanwhile nothing more is read and
    no message is handed out, so that messages are answered in order.

    ``finished``: the peer has ended its input, and may still read. What it has sent is
    answered, and then the connection is closed.
    """

    delimiter = b"\n"
    transport: Any  # what of ITransport, IPushProducer and ITCPTransport it provides
    clock: IReactorTime
    framing = Framing()
    peer = Peer.UNKNOWN
    closing = False
    finished = False
    purse: Any = _OPEN

    _messages: deque[bytes] | None = None
    _tail = b""
    _silence: IDelayedCall | None = None
    _heard = False
    _holds = 0
    _paused = False
    _working = False
    # True of a peer that sends lines, of which none waits, and that isn't held.
    _idle = False
    # Whether it must ask for its own budget before its next message (budget.Paying).
    _dry = False

    # Hooks for a protocol

    def is_complete(self, tail: bytes) -> bool:
        """Whether ``tail``, which has no newline yet, looks like a complete message."""
        return False

    def split(self, data: bytes) -> list[bytes]:
        """Cut ``data``, which holds no newline, into messages and, last, what is left."""
        return [data]

    def first_heard(self) -> None:
        """The first bytes of the peer are here; its address is final, behind a proxy too."""

    def lines_settled(self) -> None:
        """It is known from now on that the peer sends lines, and wants lines."""

    def is_answering(self) -> bool:
        """Whether an answer is being worked out although further messages are handed out."""
        return False

    def must_wait(self) -> bool:
        """Whether no message may be handed out now; then it is held until one may be."""
        return False

    # Reading

    def connectionMade(self) -> None:
        self.MAX_LENGTH = self.framing.max_message
        if self.framing.mode != "auto":
            self.peer = Peer(self.framing.mode)

    def dataReceived(self, data: bytes) -> None:
        end = len(data) - 1
        if (
            self._idle
            and not self.purse.shut
            and data.find(b"\n") == end
            and 0 <= end <= self.MAX_LENGTH
            and data[0] < 0x80
        ):
            # One whole line and nothing else, which is what a polite client sends.
            self.lineReceived(data[: end - 1] if data[end - 1 : end] == b"\r" else data[:end])
            return
        if self.closing:
            return  # TLS passes on what it has received until the peer has closed, too
        if not self._heard:
            self._heard = True
            self.first_heard()
            if self.closing:
                return
        waits = self._holds
        self.take(data)
        if waits and self._holds and not self.closing:
            self._pause()

    def take(self, data: bytes) -> None:
        """Bytes of the peer; a protocol whose messages aren't lines has its own."""
        self._collect(data)
        self._work_off()

    def _collect(self, data: bytes) -> None:
        """Move what is complete in ``data`` to the waiting messages, the rest to the tail."""
        self._cancel_silence()
        self._idle = False
        if self.framing.mode == "bare":
            message = without_noise(data)
            if message:
                self._keep(message.removesuffix(b"\n").removesuffix(b"\r"))
            return
        *lines, self._tail = (self._tail + data).split(b"\n")
        if lines and self.framing.settle and self.peer is not _LINE:
            self.peer = Peer.LINE
            self.lines_settled()
        for line in lines:
            self._keep(*self.split(without_noise(line).removesuffix(b"\r")))
        self._tail = without_noise(self._tail)
        if not self._only_lines():
            *whole, self._tail = self.split(self._tail)
            self._keep(*whole)
            self._watch_silence()

    def _keep(self, *messages: bytes) -> None:
        if self._messages is None:
            self._messages = deque()  # which takes memory of its own, so most have none
        self._messages += messages

    def _only_lines(self) -> bool:
        return self.peer is Peer.LINE and self.framing.settle

    def _work_off(self) -> None:
        """Hand out the waiting messages, at most a turn's budget of them."""
        if self._working:
            return
        self._working = True
        try:
            self._hand_out()
        finally:
            self._working = False
        if self._messages:
            # Read nothing more meanwhile: each wait would else let in more than it works off.
            self._pause()
        else:
            self._messages = None
            # What may be the first half of CR LF doesn't count yet.
            size = len(self._tail) - self._tail.endswith(b"\r")
            if size > self.MAX_LENGTH and not self.closing:
                self.lineLengthExceeded(self._tail)
        self._idle = self.peer is _LINE and not (
            self._tail or self._messages or self._holds or self.closing or self._dry
        )
        if self.finished:
            self.close_if_answered()

    def _hand_out(self) -> None:
        messages = self._messages
        budget = self.framing.turn_budget
        while messages and not self._holds and not self.closing:
            if budget == 0:
                self.hold()
                self.clock.callLater(0, self.release)
                return
            if self.must_wait():
                return
            budget -= 1
            message = messages.popleft()
            if len(message) > self.MAX_LENGTH:
                self.lineLengthExceeded(message)
            else:
                self.lineReceived(message)

    def hold(self) -> None:
        """Read and hand out nothing until a :meth:`release` for each hold."""
        self.wait()
        self._pause()

    def wait(self) -> None:
        """The same, but read until something comes: most peers wait for their answer."""
        self._holds += 1
        self._idle = False

    def _pause(self) -> None:
        if not self._paused:
            self._paused = True
            self.transport.pauseProducing()

    def release(self) -> None:
        """Undo one :meth:`hold` or :meth:`wait`."""
        self._holds -= 1
        if self._holds == 0 and not self.closing:
            if self._paused and not self.finished:
                self._paused = False
                self.transport.resumeProducing()
            elif not (self._messages or self._tail or self._working or self.finished):
                self._idle = self.peer is _LINE and not self._dry
                return
            try:
                self._work_off()
            except Exception:
                # Nobody above could close the connection, as the reactor does for a read.
                _log.failure("{protocol} failed on a message", protocol=self)
                self.drop()

    # Messages without a newline

    def _watch_silence(self) -> None:
        if not self._tail:
            return
        # After a CR a newline may follow, which belongs to it.
        half = self._tail.endswith(b"\r")
        if self.is_complete(self._tail[:-1] if half else self._tail):
            if self.peer is Peer.BARE and self.framing.settle and not half:
                self._take_tail()
                return
            delay = self.framing.complete_after
        else:
            delay = self.framing.incomplete_after
        if delay:
            self._silence = self.clock.callLater(delay, self._silence_over)

    def _silence_over(self) -> None:
        self._silence = None
        self._take_tail()
        self._work_off()

    def _take_tail(self) -> None:
        if self.peer is not Peer.LINE:
            self.peer = Peer.BARE
        self._keep(self._tail.removesuffix(b"\r"))
        self._tail = b""

    def _cancel_silence(self) -> None:
        if self._silence is not None:
            self._silence.cancel()
            self._silence = None

    # The end

    def readConnectionLost(self) -> None:
        """The peer has ended its input, which ends a message, too, unless only a newline does."""
        if self.closing:
            return
        self.finished = True
        self._cancel_silence()
        if self._tail and self.framing.mode != "line":
            self._take_tail()
        self._work_off()

    def writeConnectionLost(self) -> None:
        """Nothing here ends its output alone (IHalfCloseableProtocol)."""

    def close_if_answered(self) -> None:
        """Close if the peer has ended its input and got all of its answers."""
        if self.finished and not (
            self.closing or self._messages or self._holds or self.is_answering()
        ):
            self.close()

    def lineLengthExceeded(self, line: bytes) -> None:
        self.drop()

    def close(self) -> None:
        """Hand out nothing more, send what is written, and close."""
        self._stop()
        self.transport.loseConnection()

    def drop(self) -> None:
        """Close at once; what is not sent yet is lost."""
        self._stop()
        self.transport.abortConnection()

    def _stop(self) -> None:
        self.closing = True
        self._idle = False
        self._messages = None
        self._tail = b""
        self._cancel_silence()

    def connectionLost(self, reason: object = None) -> None:
        self._stop()
