r"""Messages from a stream of bytes, for peers that end them with a newline and peers that don't.

Most public clients send a request as one bare write (rooms.md, "Messages"). The server and the
client both build on :class:`MessageReceiver`. Any protocol of lines can use it, too, with
``Framing(mode="line")``.

Invariants: `lineReceived` gets the messages of a connection one at a time, in the order of their
bytes. While messages wait, the connection reads nothing, so its peer can't fill the memory.

1. `dataReceived` hands out a read that is one line at once if the connection is ``idle``. Each step
   below that delays a message ends ``idle``; otherwise, a later line would overtake the message.
2. `_collect` cuts all other reads. Whole messages wait in ``_messages``; ``_tail`` has the bytes
   after the last newline. With ``settle``, one newline proves that the peer sends ``LINE``.
3. Until that proof, silence ends a message, too: a short one if the tail looks complete, otherwise
   a long one. Silence makes the peer ``BARE``, and a complete tail of such a peer doesn't wait. A
   CR at the end of the tail always waits, because an LF might follow.
4. `_hand_out` stops when a handler holds the connection, when the budget is empty (`must_wait`),
   and after ``turn_budget`` messages, so that a flood leaves turns of the reactor to the others.
5. `hold` pauses the transport at once. `wait` leaves that to the next read, because most peers
   send nothing before they have their answer, and each pause costs two system calls.
6. `release` continues with what waits. If the handler released its own hold, `_work_off` is on the
   stack (``_working``), and its loop continues: a second loop would hand out the next message
   before the handler of this one returns.
7. At the end of the input, the tail is the last message, unless ``mode`` is ``line``. The
   connection closes when all messages are answered.

An example::

    read "LOGIN:a:pw"         no newline, but complete: ``complete_after`` begins
    read "\nROOMLI"           message LOGIN, peer LINE; its handler holds: the transport pauses
    release                   the transport reads again; a tail waits for its newline: not idle
    read "ST:PLAYER\nCREA"    message ROOMLIST; the tail is "CREA"
    read "TE:den\n"           message CREATE; nothing waits: idle
    read "PLACE:1:1\n"        one line: handed out at once
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from enum import Enum
from types import SimpleNamespace
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

    ``mode``: ``line`` ends a message at each newline, ``bare`` takes every read as one message,
    ``auto`` finds out. After ``complete_after`` seconds of silence, a text that looks complete is a
    message; after ``incomplete_after`` seconds, any text is (0: never). A bare peer gets up to one
    message per ``gap``, and per ``entry_gap`` while a match begins. In one turn of the reactor, a
    connection handles up to ``turn_budget`` messages, so a flood doesn't make the other connections
    wait. ``settle`` is whether one newline proves for good that the peer sends lines.
    """

    mode: str = "auto"
    max_message: int = 8192
    complete_after: float = 0.03
    incomplete_after: float = 0.5
    gap: float = 0.02
    turn_budget: int = 16
    settle: bool = True
    entry_gap: float = 0.2


class Peer(Enum):
    """How the peer ends its messages, if that is known."""

    UNKNOWN = "unknown"
    LINE = "line"
    BARE = "bare"


INPUT = 256
"""Bytes of a message that cost a unit more, before they are parsed (:mod:`tictac.net.budget`)."""

_LINE = Peer.LINE  # looking up a member of an enumeration costs as much as a call

# RFC 854: IAC SB ... IAC SE, IAC and a verb with its option, IAC and a command. RFC 3629, 6: the
# byte order mark.
_NOISE = re.compile(
    rb"(?:\xff\xfa.*?\xff\xf0|\xff[\xfb-\xfe].|\xff[\xf0-\xf9]|\xef\xbb\xbf)+", re.DOTALL
)


def without_noise(message: bytes) -> bytes:
    """Remove a negotiation and a byte order mark, which telnet clients and editors put first."""
    found = _NOISE.match(message)
    return message[found.end() :] if found else message


@implementer(IHalfCloseableProtocol)
class MessageReceiver(LineReceiver):
    """A LineReceiver whose ``lineReceived`` gets each message, in any framing.

    The factory sets ``clock`` and ``framing``. A handler that must wait calls :meth:`hold`, and
    :meth:`release` when it is done. Meanwhile, the connection reads nothing and hands out no
    message, so that messages are answered in order.

    ``finished``: the peer has ended its input, and might still read. Its messages are answered, and
    then the connection is closed. ``idle``: the peer sends lines, no message waits, and the
    connection isn't held, so that a read of one line can be handed out at once.
    """

    delimiter = b"\n"
    transport: Any  # its methods of ITransport, IPushProducer, and ITCPTransport
    clock: IReactorTime
    framing = Framing()
    peer = Peer.UNKNOWN
    closing = False
    finished = False
    idle = False
    purse: Any = SimpleNamespace(shut=False)  # of a connection without a budget (net/budget.py)

    _messages: deque[bytes] | None = None
    _tail = b""
    _silence: IDelayedCall | None = None
    _heard = False
    _holds = 0
    _paused = False
    _working = False
    _dry = False  # whether the next message needs the connection's own budget (budget.Paying)

    # Hooks for a protocol

    def is_complete(self, tail: bytes) -> bool:
        """Return whether ``tail``, which has no newline yet, looks like a complete message."""
        return False

    def split(self, data: bytes) -> list[bytes]:
        """Cut ``data``, which has no newline, into messages and, last, the remainder."""
        return [data]

    def first_heard(self, data: bytes) -> None:
        """Note the first bytes of the peer, whose address is now final, also behind a proxy."""

    def lines_settled(self) -> None:
        """Note that the peer sends lines for certain, and wants lines."""

    def is_answering(self) -> bool:
        """Return whether an answer is being prepared while more messages are handed out."""
        return False

    def pay_for_input(self, units: int) -> None:
        """Pay for bytes before they are parsed, if this is a server."""

    def must_wait(self) -> bool:
        """Hold the connection if no message can be handed out now; return whether it is held."""
        return False

    # Reading

    def connectionMade(self) -> None:
        self.MAX_LENGTH = self.framing.max_message
        self._short = min(self.MAX_LENGTH, INPUT - 1)
        if self.framing.mode != "auto":
            self.peer = Peer(self.framing.mode)

    def dataReceived(self, data: bytes) -> None:
        end = len(data) - 1
        if (
            self.idle
            and not self.purse.shut
            and data.find(b"\n") == end
            and 0 <= end <= self._short
            and data[0] < 0x80
        ):
            # One whole line and nothing else, as a polite client sends it.
            self.lineReceived(data[: end - 1] if data[end - 1 : end] == b"\r" else data[:end])
            return
        if self.closing:
            return  # TLS passes on bytes until the peer has closed, too
        if not self._heard:
            self._heard = True
            self.first_heard(data)
            if self.closing:
                return
        waits = self._holds
        self.take(data)
        if waits and self._holds and not self.closing:
            self._pause()

    def take(self, data: bytes) -> None:
        """Take bytes of the peer; protocols whose messages aren't lines override this."""
        self._collect(data)
        self._work_off()

    def _collect(self, data: bytes) -> None:
        """Move complete messages of ``data`` to the waiting ones, and the rest to the tail."""
        self._cancel_silence()
        self.idle = False
        if self.framing.mode == "bare":
            message = without_noise(data)
            if message:
                self._keep(message.removesuffix(b"\n").removesuffix(b"\r"))
            return
        data = self._tail + data
        is_plain = not (b"\xff" in data or b"\xef" in data)
        if is_plain:
            data = data.replace(b"\r\n", b"\n")
        *lines, self._tail = data.split(b"\n")
        if lines and self.framing.settle and self.peer is not _LINE:
            self.peer = Peer.LINE
            self.lines_settled()
        if is_plain and type(self).split is MessageReceiver.split:
            # All at once: a read can have thousands, long before they are paid.
            self._keep(*lines)
        else:
            for line in lines:
                self._keep(*self.split(without_noise(line).removesuffix(b"\r")))
            self._tail = without_noise(self._tail)
        if not self._only_lines():
            *whole, self._tail = self.split(self._tail)
            self._keep(*whole)
            self._watch_silence()
        if self._tail:
            # A read that ended no message. If a newline needn't end it, each read parses all of it.
            self.pay_for_input(1 + (0 if self._only_lines() else len(self._tail) // INPUT))

    def _keep(self, *messages: bytes) -> None:
        if self._messages is None:
            self._messages = deque()  # it takes memory of its own, so most connections have none
        self._messages += messages

    def _only_lines(self) -> bool:
        return self.peer is Peer.LINE and self.framing.settle

    def _work_off(self) -> None:
        """Hand out the waiting messages, up to the budget of a turn."""
        if self._working:
            return
        self._working = True
        try:
            self._hand_out()
        finally:
            self._working = False
        if self._messages:
            # Read nothing meanwhile. Otherwise, each wait would let in more than it hands out.
            self._pause()
        else:
            self._messages = None
            # A CR at the end doesn't count yet: it might be the first half of CR LF.
            size = len(self._tail) - self._tail.endswith(b"\r")
            if size > self.MAX_LENGTH and not self.closing:
                self.lineLengthExceeded(self._tail)
        self.idle = self.peer is _LINE and not (
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
                if len(message) >= INPUT:
                    self.pay_for_input(len(message) // INPUT)
                self.lineReceived(message)

    def hold(self) -> None:
        """Read and hand out nothing until there was a :meth:`release` for each hold."""
        self.wait()
        self._pause()

    def wait(self) -> None:
        """Hand out nothing, but read until bytes arrive: most peers wait for their answers."""
        self._holds += 1
        self.idle = False

    def _pause(self) -> None:
        if not self._paused:
            self._paused = True
            self.transport.pauseProducing()

    def is_held(self) -> bool:
        """Return whether no message is handed out now."""
        return self._holds > 0

    def release(self) -> None:
        """Undo one :meth:`hold` or :meth:`wait`."""
        self._holds -= 1
        if self._holds == 0 and not self.closing:
            if self._paused and not self.finished:
                self._paused = False
                self.transport.resumeProducing()
            elif not (self._messages or self._tail or self._working or self.finished):
                self.idle = self.peer is _LINE and not self._dry
                return
            try:
                self._work_off()
            except Exception:
                # No caller could close the connection, as the reactor does after a read.
                _log.failure("{protocol} failed on a message", protocol=self)
                self.drop()

    # Messages without a newline

    def _watch_silence(self) -> None:
        if not self._tail:
            return
        # A newline might follow the CR and belong to it.
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
        """Note the end of the peer's input; it ends a message unless only a newline does."""
        if self.closing:
            return
        self.finished = True
        self._cancel_silence()
        if self._tail and self.framing.mode != "line":
            self._take_tail()
        self._work_off()

    def writeConnectionLost(self) -> None:
        """Do nothing: no protocol here ends its output alone (IHalfCloseableProtocol)."""

    def close_if_answered(self) -> None:
        """Close if the peer has ended its input and has all of its answers."""
        if self.finished and not (
            self.closing or self._messages or self._holds or self.is_answering()
        ):
            self.close()

    def lineLengthExceeded(self, line: bytes) -> None:
        self.drop()

    def close(self) -> None:
        """Hand out no further message, send the written bytes, and close."""
        self._stop()
        self.transport.loseConnection()

    def drop(self) -> None:
        """Close at once; unsent bytes are lost."""
        self._stop()
        self.transport.abortConnection()

    def _stop(self) -> None:
        self.closing = True
        self.idle = False
        self._messages = None
        self._tail = b""
        self._cancel_silence()

    def connectionLost(self, reason: object = None) -> None:
        self._stop()
