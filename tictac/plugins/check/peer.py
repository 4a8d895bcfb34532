"""A connection of the checker, which records all data in both directions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import TypeVar

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.interfaces import (
    IAddress,
    IHalfCloseableProtocol,
    IReactorTime,
    ITCPTransport,
)
from twisted.internet.protocol import Protocol
from twisted.python.failure import Failure
from zope.interface import implementer

from tictac.plugins.check.cases import Finding
from tictac.plugins.check.sockets import has_read_all, other_end
from tictac.plugins.programs.program import Program

T = TypeVar("T")

IDLE = 3.0
"""Seconds after which an idle program that has read all its input gives no answer any more."""

IDLE_AGAIN = 1.0
"""The same in the second run of a case in which nothing came."""

LOOK = 0.5
"""Seconds between two looks whether a program is idle."""

Note = Callable[[str, str, bytes], None]
"""Adds a line to the transcript: ``who``, ``how``, and ``data`` of :class:`cases.Line`."""

Wanted = bytes | re.Pattern[bytes]
"""An expected message: its exact bytes, or a pattern."""

MAX_SHOWN = 200
"""Maximum bytes of a message in a finding."""

MAX_UNREAD = 1 << 20
"""Maximum unread bytes; beyond them, the checker closes the connection."""


def shown(data: bytes) -> str:
    """Return bytes as quoted text, with escapes for bytes that aren't printable ASCII."""
    text = "".join(_shown_byte(byte) for byte in data[:MAX_SHOWN])
    return f'"{text}"{more(data)}'


def _shown_byte(byte: int) -> str:
    named = {10: "\\n", 13: "\\r", 9: "\\t", 92: "\\\\"}
    return named.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}")


def shown_hex(data: bytes) -> str:
    """Return bytes of a binary protocol as hexadecimal text."""
    return data[:MAX_SHOWN].hex(" ") + more(data)


def more(data: bytes) -> str:
    """Return how many bytes exceed ``MAX_SHOWN``, as a phrase; empty if none do."""
    return f" and {len(data) - MAX_SHOWN} bytes more" if len(data) > MAX_SHOWN else ""


_ANYTHING = re.compile(
    r"(?<!\\)\((?:[^()\\]|\\.|\([^()]*\))*\)[*+?]?"  # a group
    r"|(?:(?<!\\)\[(?:\\.|[^\]])*\]|\\[dswDSW]|(?<!\\)\.)(?:[*+?]|\{[0-9,]+\})?"
    r"|-\?"
)
"""Matches the parts of a regular expression that several texts can match."""


def describe_pattern(pattern: bytes) -> str:
    """Return a pattern as readable text, with an ellipsis for each variable part."""
    text = pattern.decode().replace(r"(\r?\n)?", "").replace(r"\r?\n", "a line's end")
    text = re.sub(r"\(\?[a-z]+(?::([^()]*))?\)", r"\1", text)  # flags
    text = re.sub(r"\(\?:([A-Z]+)\|([A-Z]+)\)", r"\1 or \2", text)
    text = re.sub("…+", "…", _ANYTHING.sub("…", text))
    found = [re.sub(r"\\(.)", r"\1", each) for each in re.split(r"(?<!\\)\|", text)]
    named = {"…": "any message", "a line's end": "a line's end"}
    return " or ".join(named.get(each, f'"{each}"') for each in found)


def _length(choice: Wanted, came: bytes, forms: Forms) -> int | None:
    """Return the length of the wanted message at the start of ``came``; None without one.

    The bytes after the message must be the possible beginning of another one.
    """
    if isinstance(choice, bytes):
        fits = came.startswith(choice) and forms.may_follow(came[len(choice) :])
        return len(choice) if fits else None
    heads = b"|".join(map(re.escape, forms.heads))
    found = re.match(rb"(?:%b)(?=\Z|[\r\n]|%b)" % (choice.pattern, heads), came, choice.flags)
    return found.end() if found else None


class Patience:
    """The time limit for an answer, which grows with slow programs and slow machines.

    The limit is four times the longest wait so far, with ``limit`` seconds as its minimum and two
    minutes as its maximum. The minimum is ``IDLE`` seconds if the checker sees that the program,
    which ``watched()`` returns, computes nothing. While ``is_second`` is true, such a program gets
    ``IDLE_AGAIN`` seconds, or twice the longest wait, because the first run waited longer.
    """

    is_second = False

    def __init__(self, limit: float, watched: Callable[[], Program | None] = lambda: None) -> None:
        self._limit, self._longest, self._watched = limit, 0.0, watched

    @property
    def limit(self) -> float:
        """The current limit, in seconds."""
        return max(self._limit, min(4 * self._longest, 120.0))

    def next_look(self, waited: float) -> float:
        """Return the seconds until a look whether the program is idle; infinite without one."""
        factor = 2 if self.is_second else 4
        soonest = max(self._idle, min(factor * self._longest, self._limit))
        return inf if self._watched() is None else max(LOOK, soonest - waited)

    def is_over(self, waited: float) -> bool:
        """Return whether nothing will come after so many seconds, if the program is idle."""
        program = self._watched()
        return waited >= self._idle and program is not None and program.is_busy() is False

    @property
    def _idle(self) -> float:
        return IDLE_AGAIN if self.is_second else IDLE

    def record(self, seconds: float) -> None:
        """Record how many seconds an answer took."""
        self._longest = max(self._longest, seconds)


@dataclass(frozen=True)
class Forms:
    """The forms of messages in a protocol that defines no end of messages.

    Each message begins with one of ``heads``. ``whole`` matches the messages of a known length.
    """

    heads: tuple[bytes, ...]
    whole: re.Pattern[bytes]

    def may_follow(self, data: bytes) -> bool:
        """Return whether ``data`` can follow a message.

        ``data`` must be empty, or begin with a newline or with another message.
        """
        begins = (data.startswith(head) or head.startswith(data) for head in self.heads)
        return data[:1] in (b"", b"\r", b"\n") or any(begins)


@implementer(IHalfCloseableProtocol)
class Peer(Protocol):
    """The checker's end of a connection to a server or from a client.

    ``end`` follows each message. If it is a newline, a carriage return before it is dropped. If it
    is empty, the expected messages define where a message ends. With ``forms``, newlines after
    messages are optional; ``ends`` then has the observed ones, each with the first message that
    ended so. ``note`` adds a line to the transcript.
    """

    transport: ITCPTransport

    def __init__(
        self,
        name: str,
        clock: IReactorTime,
        patience: Patience,
        note: Note,
        end: bytes = b"",
        show: Callable[[bytes], str] = shown,
        forms: Forms | None = None,
    ) -> None:
        self.name, self.end, self.show, self.forms = name, end, show, forms
        self.unread = b""
        self.ends: dict[bytes, bytes] = {}
        self.closed: str | None = None
        self.was_left = False
        self.input_ended = False
        self.is_unanswered = self.has_ended_output = self._has_hung_up = False
        self._last = b""
        self._ends: tuple[IAddress, IAddress] | None = None
        self.note = note
        self._clock, self._patience = clock, patience
        self._waiting: Deferred[None] | None = None
        self._closing: list[Deferred[None]] = []

    # Calls from cases

    def send(self, data: bytes) -> None:
        """Send bytes unchanged, in one write."""
        self.note(self.name, ">", data)
        self.is_unanswered = True
        assert self.transport is not None
        self.transport.write(data)

    async def expect(self, *choices: Wanted, limit: float | None = None) -> bytes:
        """Return the next message, which must be one of ``choices``. Raises Finding.

        ``limit`` is the time limit in seconds; without it, the limit of ``patience`` applies.
        """
        taken = await self.until(lambda: self._take_message(choices), self.describe(choices), limit)
        self.is_unanswered = False
        return taken

    async def answered(self, request: bytes) -> None:
        """Send a request, and wait for any message; take all that came. Raises Finding."""
        self.send(request)
        await self.until(lambda: self._after_newlines() or None, "an answer")
        self.unread, self.is_unanswered = b"", False

    async def expect_head(self, head: bytes) -> bytes:
        """Wait for the beginning of a message, and return the unread bytes. Raises Finding.

        The bytes stay unread.
        """

        def look() -> bytes | None:
            came = self._after_newlines()
            if came.startswith(head):
                return came
            if not head.startswith(came):
                raise self._mismatch([head], self._first_message(came) or came)
            return None

        return await self.until(look, self.show(head))

    async def read(self, size: int, what: str = "") -> bytes:
        """Return the next ``size`` bytes, which a report calls ``what``. Raises Finding."""
        return await self.until(lambda: self._cut(size), what or f"{size} bytes")

    @property
    def is_open(self) -> bool:
        """Whether both sides can still send."""
        return self.closed is None and not (self.input_ended or self.has_ended_output)

    @property
    def is_readable(self) -> bool:
        """Whether there are unread bytes, or the connection has ended."""
        return bool(self.unread or self.closed or self.input_ended)

    async def wait_readable(self, other: Peer) -> bool:
        """Wait until data arrives on either connection; return False after the time limit."""
        stirred: Deferred[None] = Deferred()
        self._waiting = other._waiting = stirred
        try:
            await stirred.addTimeout(self._patience.limit, self._clock)
        except TimeoutError:
            return False
        finally:
            self._waiting = other._waiting = None
        return True

    async def expect_close(self, limit: float | None = None) -> None:
        """Wait until the program closes the connection. Raises Finding if data comes instead."""
        what = "the end of the connection"

        def closed() -> bool | None:
            self.expect_nothing_unread(what)
            return self.closed is not None or self.input_ended or None

        await self.until(closed, what, limit)

    def expect_nothing_unread(self, what: str = "nothing more") -> None:
        """Raise Finding if there are unread bytes; ``what`` names the expected behavior."""
        if self._after_newlines():
            raise self.finding(what, f"{self.show(self.unread)} came")

    def end_input(self) -> None:
        """Close the connection for writing, and keep reading (a half-close)."""
        self.note(self.name, "!", b"ends its input")
        self.has_ended_output = True
        self.transport.loseWriteConnection()

    def hang_up(self) -> None:
        """Close the connection."""
        if self.closed is None and self.transport is not None:
            self.note(self.name, "!", b"hangs up")
            self._has_hung_up = True
            ends = self.transport.getHost(), self.transport.getPeer()
            self._ends = ends if other_end(*ends) else None
            self.transport.loseConnection()

    def reset(self) -> None:
        """Abort the connection with a TCP reset."""
        self.note(self.name, "!", b"resets the connection")
        self.transport.abortConnection()

    def has_been_read(self) -> bool | None:
        """Return whether the program has read all its input; None if unknown."""
        unknown = self.closed is not None or self.transport is None
        return None if unknown else has_read_all(self.transport)

    def has_been_left(self) -> bool:
        """Return whether the program has closed the connection, also after the checker did."""
        if self.was_left or self._ends is None:
            return self.was_left
        end = other_end(*self._ends)
        return end is None or not end.inode

    async def wait_closed(self) -> None:
        """Wait until the connection is closed, after ``hang_up`` or ``reset``."""
        if self.closed is None:
            self._closing.append(Deferred())
            await self._closing[-1]

    def finding(self, expected: str, came: str) -> Finding:
        """Return the Finding for a message: the expected one, and the one that came."""
        return Finding(f"{self.name} gets {expected}", came)

    # Helpers

    def describe(self, choices: Sequence[Wanted]) -> str:
        """Return expected messages as text for a report."""
        return " or ".join(
            describe_pattern(choice.pattern)
            if isinstance(choice, re.Pattern)
            else self.show(choice)
            for choice in choices
        )

    def _take_message(self, choices: Sequence[Wanted]) -> bytes | None:
        if self.forms is not None:
            return self._take_by_form(choices, self.forms)
        if self.end:
            return self._take_line(choices)
        for choice in choices:
            if isinstance(choice, re.Pattern):
                found = choice.match(self.unread)
                if found:
                    return self._cut(found.end())
            elif self.unread.startswith(choice):
                return self._cut(len(choice))
        possible = any(isinstance(c, re.Pattern) or c.startswith(self.unread) for c in choices)
        if not possible:
            raise self._mismatch(choices, self.unread)
        return None

    def _take_line(self, choices: Sequence[Wanted]) -> bytes | None:
        if self.end not in self.unread:
            return None
        line, _, rest = self.unread.partition(self.end)
        if self.end == b"\n":
            line = line.rstrip(b"\r")  # Cases of their own judge the ends of lines.
        for choice in choices:
            if line == choice or (isinstance(choice, re.Pattern) and choice.fullmatch(line)):
                self.unread = rest
                return line
        raise self._mismatch(choices, line)

    def _take_by_form(self, choices: Sequence[Wanted], forms: Forms) -> bytes | None:
        came = self._after_newlines()
        if not came:
            return None
        for choice in choices:
            size = _length(choice, came, forms)
            if size is not None:
                if self._last:
                    self.ends.setdefault(self.unread[: -len(came)], self._last)
                self._last, self.unread = came[:size], came[size:]
                return self._last
        self._check_end(choices, came)
        first = self._first_message(came)
        possible = any(isinstance(c, re.Pattern) or c.startswith(came) for c in choices)
        if first is not None or not possible:
            raise self._mismatch(choices, came if first is None else first)
        return None

    def _check_end(self, choices: Sequence[Wanted], came: bytes) -> None:
        """Raise Finding if a wanted message came with blanks or NUL bytes behind it."""
        whole = came.rstrip(b"\r\n \t\0")
        behind = came[len(whole) :].rstrip(b"\r\n")
        wanted = whole in choices or any(
            isinstance(choice, re.Pattern) and choice.fullmatch(whole) for choice in choices
        )
        if wanted and behind:
            expected = f"{self.show(whole)} followed by nothing or a newline"
            raise self.finding(expected, f"{self.show(behind)} came after it")

    def _after_newlines(self) -> bytes:
        """Return the unread bytes; with ``forms``, without newlines of the message before."""
        return self.unread if self.forms is None else self.unread.lstrip(b"\r\n")

    def _first_message(self, came: bytes) -> bytes | None:
        """Return the first message, or None if its end isn't known yet."""
        found = self.forms.whole.match(came) if self.forms is not None else None
        if found and self.forms is not None and self.forms.may_follow(came[found.end() :]):
            return found[0]
        line, newline, _ = came.partition(b"\n")
        return line.removesuffix(b"\r") if newline else None

    def _mismatch(self, choices: Sequence[Wanted], came: bytes) -> Finding:
        again = " a second time" if came and came == self._last else ""
        return self.finding(self.describe(choices), f"{self.show(came)} came{again}")

    def _cut(self, size: int) -> bytes | None:
        if len(self.unread) < size:
            return None
        taken, self.unread = self.unread[:size], self.unread[size:]
        return taken

    async def until(
        self, look: Callable[[], T | None], expected: str, limit: float | None = None
    ) -> T:
        """Call ``look`` after each event, and return its first result that isn't None.

        Raises Finding after ``limit`` seconds, or when the connection ends; ``expected`` is for
        the report.
        """
        may_be_over = limit is None
        limit, next_look = self._patience.limit if limit is None else limit, inf
        began = self._clock.seconds()
        while (found := look()) is None:
            if self.closed is not None or self.input_ended:
                how = self.closed or "the program closed the connection"
                raise self.finding(expected, self._with_unread(how))
            waited = self._clock.seconds() - began
            if may_be_over:
                next_look = self._patience.next_look(waited)
            try:
                self._waiting = Deferred()
                self._waiting.addTimeout(max(0.0, min(limit - waited, next_look)), self._clock)
                await self._waiting
            except TimeoutError:
                if next_look < limit - waited:
                    waited = self._clock.seconds() - began
                    if not (self.has_been_read() and self._patience.is_over(waited)):
                        continue
                    limit = waited
                late = self.finding(expected, self._with_unread(f"nothing came in {limit:.3g} s"))
                late.silent = not self._after_newlines()
                raise late from None
            finally:
                self._waiting = None
        self._patience.record(self._clock.seconds() - began)
        return found

    def _with_unread(self, what: str) -> str:
        if not self._after_newlines():
            return what
        ends = self.end and self.forms is None
        missing = f" without {self.show(self.end)} after it" if ends else ""
        what = what.replace("nothing", "nothing more")
        return f"{self.show(self.unread)} came{missing}, then {what}"

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.callback(None)

    # What Twisted calls

    def connectionMade(self) -> None:
        self.transport.setTcpNoDelay(True)

    def dataReceived(self, data: bytes) -> None:
        self.note(self.name, "<", data)
        self.unread += data
        if len(self.unread) > MAX_UNREAD:
            self.reset()
        self._wake()

    def readConnectionLost(self) -> None:
        self.note(self.name, "!", b"is told that the program has ended its output")
        self.input_ended = True
        self._wake()

    def writeConnectionLost(self) -> None:
        """Do nothing, because the checker itself ended its output."""

    def connectionLost(self, reason: Failure | None = None) -> None:
        self.was_left = self.was_left or not self._has_hung_up
        clean = reason is None or "clean" in reason.getErrorMessage()
        self.closed = "the program closed the connection" + ("" if clean else " without a goodbye")
        if not self.input_ended:
            self.note(self.name, "!", b"is disconnected")
        self._wake()
        for waiting in self._closing:
            waiting.callback(None)
