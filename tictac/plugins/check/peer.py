"""A connection of the checker: what it sends and is sent, recorded."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.interfaces import IHalfCloseableProtocol, IReactorTime
from twisted.internet.protocol import Protocol
from twisted.python.failure import Failure
from zope.interface import implementer

from tictac.plugins.check.cases import Finding
from tictac.plugins.check.sockets import has_read_all

T = TypeVar("T")

Note = Callable[[str, str, bytes], None]
"""Records what happens: to whom, how (see cases.Line), and the bytes."""

Wanted = bytes | re.Pattern[bytes]
"""A message: these bytes, or those that match."""

MAX_SHOWN = 200
"""Bytes of a message that a finding shows."""

MAX_UNREAD = 1 << 20
"""Bytes that no case has asked for yet, after which a connection is closed."""


def shown(data: bytes) -> str:
    """Bytes for people: text in quotes, with what can't be printed as escapes."""
    text = "".join(_shown_byte(byte) for byte in data[:MAX_SHOWN])
    return f'"{text}"{more(data)}'


def _shown_byte(byte: int) -> str:
    named = {10: "\\n", 13: "\\r", 9: "\\t", 92: "\\\\"}
    return named.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}")


def shown_hex(data: bytes) -> str:
    """Bytes of a binary protocol for people."""
    return data[:MAX_SHOWN].hex(" ") + more(data)


def more(data: bytes) -> str:
    """How many bytes aren't shown, if any."""
    return f" and {len(data) - MAX_SHOWN} bytes more" if len(data) > MAX_SHOWN else ""


_ANYTHING = re.compile(
    r"(?<!\\)\((?:[^()\\]|\\.|\([^()]*\))*\)[*+?]?"  # a group
    r"|(?:(?<!\\)\[(?:\\.|[^\]])*\]|\\[dswDSW]|(?<!\\)\.)(?:[*+?]|\{[0-9,]+\})?"
    r"|-\?"
)
"""Parts of patterns for which several texts can stand."""


def words_of(pattern: bytes) -> str:
    """Return what a pattern wants, for people: an ellipsis stands for what may be otherwise."""
    text = pattern.decode().replace(r"(\r?\n)?", "").replace(r"\r?\n", "a line's end")
    text = re.sub(r"\(\?[a-z]+(?::([^()]*))?\)", r"\1", text)  # flags
    text = re.sub("…+", "…", _ANYTHING.sub("…", text))
    found = [re.sub(r"\\(.)", r"\1", each) for each in re.split(r"(?<!\\)\|", text)]
    named = {"…": "any message", "a line's end": "a line's end"}
    return " or ".join(named.get(each, f'"{each}"') for each in found)


def _length(choice: Wanted, came: bytes, forms: Forms) -> int | None:
    """Return the length of a message that is as wanted, and that something may follow that came."""
    if isinstance(choice, bytes):
        fits = came.startswith(choice) and forms.may_follow(came[len(choice) :])
        return len(choice) if fits else None
    heads = b"|".join(map(re.escape, forms.heads))
    found = re.match(rb"(?:%b)(?=\Z|[\r\n]|%b)" % (choice.pattern, heads), came, choice.flags)
    return found.end() if found else None


class Patience:
    """How long a program may take for an answer.

    That is ``limit`` seconds, or more if it is slow, or on a slow machine: four times as long as
    the longest answer so far has taken, but two minutes at most.
    """

    def __init__(self, limit: float) -> None:
        self._limit, self._longest = limit, 0.0

    @property
    def limit(self) -> float:
        """The seconds."""
        return max(self._limit, min(4 * self._longest, 120.0))

    def waited(self, seconds: float) -> None:
        """Take note of how long an answer has taken."""
        self._longest = max(self._longest, seconds)


@dataclass(frozen=True)
class Forms:
    """How to tell the messages of a protocol apart that says nothing of what is behind them.

    Each begins with one of ``heads``. Those that ``whole`` matches are as long as that.
    """

    heads: tuple[bytes, ...]
    whole: re.Pattern[bytes]

    def may_follow(self, data: bytes) -> bool:
        """Whether this can stand behind a message: nothing, a newline, or another message."""
        begins = (data.startswith(head) or head.startswith(data) for head in self.heads)
        return data[:1] in (b"", b"\r", b"\n") or any(begins)


@implementer(IHalfCloseableProtocol)
class Peer(Protocol):
    """The checker's end of a connection, whether it connected or was connected to.

    Messages come with ``end`` behind them (a carriage return before a newline is dropped), or,
    with an empty one, without. With ``forms`` newlines may stand behind any message, or not;
    ``ends`` are those that did, each with the first message that ended so. ``note`` records what
    happens.
    """

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
        self.input_ended = False
        self.is_unanswered = False
        self._last = b""
        self.note = note
        self._clock, self._patience = clock, patience
        self._waiting: Deferred[None] | None = None
        self._gone: list[Deferred[None]] = []

    # What a case does

    def send(self, data: bytes) -> None:
        """Send bytes as they are, in one write."""
        self.note(self.name, ">", data)
        self.is_unanswered = True
        assert self.transport is not None
        self.transport.write(data)

    async def expect(self, *choices: Wanted, limit: float | None = None) -> bytes:
        """Read the next message, which must be one of ``choices``. Raises Finding."""
        taken = await self.until(lambda: self._taken(choices), self.told(choices), limit)
        self.is_unanswered = False
        return taken

    async def expect_head(self, head: bytes) -> bytes:
        """Wait for the beginning of a message, and take nothing; what has come. Raises Finding."""

        def look() -> bytes | None:
            came = self._after_newlines()
            if came.startswith(head):
                return came
            if not head.startswith(came):
                raise self._wrong([head], self._first(came) or came)
            return None

        return await self.until(look, self.show(head))

    async def read(self, size: int) -> bytes:
        """So many bytes, whatever they are. Raises Finding."""
        return await self.until(lambda: self._cut(size), f"{size} bytes")

    @property
    def has_stirred(self) -> bool:
        """Whether something came that no case has asked for yet, or the end."""
        return bool(self.unread or self.closed or self.input_ended)

    async def stirs(self, other: Peer) -> bool:
        """Wait until something comes here or there; False if nothing does."""
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
        """Wait until the program has closed the connection. Raises Finding if it says anything."""
        what = "the end of the connection"

        def closed() -> bool | None:
            self.expect_nothing_unread(what)
            return self.closed is not None or self.input_ended or None

        await self.until(closed, what, limit)

    def expect_nothing_unread(self, what: str = "nothing more") -> None:
        """Raise Finding if something came that no case has asked for."""
        if self._after_newlines():
            raise self.finding(what, f"{self.show(self.unread)} came")

    def end_input(self) -> None:
        """End what the program reads, and go on reading (a half-close)."""
        self.note(self.name, "!", b"ends its input")
        transport: Any = self.transport
        transport.loseWriteConnection()

    def hang_up(self) -> None:
        """Close the connection."""
        if self.closed is None and self.transport is not None:
            self.note(self.name, "!", b"hangs up")
            self.transport.loseConnection()

    def reset(self) -> None:
        """Close the connection the hard way, with a reset."""
        self.note(self.name, "!", b"resets the connection")
        transport: Any = self.transport
        transport.abortConnection()

    def has_been_read(self) -> bool | None:
        """Return whether the program has read all that it was sent; None if that can't be seen."""
        return None if self.closed is not None else has_read_all(self.transport)

    async def wait_closed(self) -> None:
        """Wait until the connection is no more, which comes soon after the two above."""
        if self.closed is None:
            self._gone.append(Deferred())
            await self._gone[-1]

    def finding(self, expected: str, came: str) -> Finding:
        """Return what to raise when ``came`` was seen instead of ``expected``."""
        return Finding(f"{self.name} gets {expected}", came)

    # How it is done

    def told(self, choices: Sequence[Wanted]) -> str:
        """Messages for people."""
        return " or ".join(
            words_of(choice.pattern) if isinstance(choice, re.Pattern) else self.show(choice)
            for choice in choices
        )

    def _taken(self, choices: Sequence[Wanted]) -> bytes | None:
        if self.forms is not None:
            return self._taken_as_it_comes(choices, self.forms)
        if self.end:
            return self._taken_line(choices)
        for choice in choices:
            if isinstance(choice, re.Pattern):
                found = choice.match(self.unread)
                if found:
                    return self._cut(found.end())
            elif self.unread.startswith(choice):
                return self._cut(len(choice))
        possible = any(isinstance(c, re.Pattern) or c.startswith(self.unread) for c in choices)
        if not possible:
            raise self._wrong(choices, self.unread)
        return None

    def _taken_line(self, choices: Sequence[Wanted]) -> bytes | None:
        if self.end not in self.unread:
            return None
        line, _, rest = self.unread.partition(self.end)
        if self.end == b"\n":
            line = line.removesuffix(b"\r")
        for choice in choices:
            if line == choice or (isinstance(choice, re.Pattern) and choice.fullmatch(line)):
                self.unread = rest
                return line
        raise self._wrong(choices, line)

    def _taken_as_it_comes(self, choices: Sequence[Wanted], forms: Forms) -> bytes | None:
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
        first = self._first(came)
        possible = any(isinstance(c, re.Pattern) or c.startswith(came) for c in choices)
        if first is not None or not possible:
            raise self._wrong(choices, came if first is None else first)
        return None

    def _after_newlines(self) -> bytes:
        """Return what is unread, without the end of the message before it, where none need come."""
        return self.unread if self.forms is None else self.unread.lstrip(b"\r\n")

    def _first(self, came: bytes) -> bytes | None:
        """Return the first message, if it is known where it ends."""
        found = self.forms.whole.match(came) if self.forms is not None else None
        if found and self.forms is not None and self.forms.may_follow(came[found.end() :]):
            return found[0]
        line, newline, _ = came.partition(b"\n")
        return line.removesuffix(b"\r") if newline else None

    def _wrong(self, choices: Sequence[Wanted], came: bytes) -> Finding:
        return self.finding(self.told(choices), f"{self.show(came)} came")

    def _cut(self, size: int) -> bytes | None:
        if len(self.unread) < size:
            return None
        taken, self.unread = self.unread[:size], self.unread[size:]
        return taken

    async def until(
        self, look: Callable[[], T | None], expected: str, limit: float | None = None
    ) -> T:
        """Return what ``look`` finds, as soon as it does. Raises Finding after ``limit``."""
        limit = self._patience.limit if limit is None else limit
        began = self._clock.seconds()
        while (found := look()) is None:
            if self.closed is not None or self.input_ended:
                how = self.closed or "the program closed the connection"
                raise self.finding(expected, self._but(how))
            left = began + limit - self._clock.seconds()
            try:
                self._waiting = Deferred()
                self._waiting.addTimeout(max(0.0, left), self._clock)
                await self._waiting
            except TimeoutError:
                raise self.finding(expected, self._but(f"nothing came in {limit:.3g} s")) from None
            finally:
                self._waiting = None
        self._patience.waited(self._clock.seconds() - began)
        return found

    def _but(self, what: str) -> str:
        if not self._after_newlines():
            return what
        ends = self.end and self.forms is None
        missing = f" without {self.show(self.end)} behind it" if ends else ""
        what = what.replace("nothing", "nothing more")
        return f"{self.show(self.unread)} came{missing}, then {what}"

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.callback(None)

    # What Twisted calls

    def connectionMade(self) -> None:
        transport: Any = self.transport
        transport.setTcpNoDelay(True)

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
        """Note that the output was ended by ourselves."""

    def connectionLost(self, reason: Failure | None = None) -> None:
        clean = reason is None or "clean" in reason.getErrorMessage()
        self.closed = "the program closed the connection" + ("" if clean else " without a goodbye")
        if not self.input_ended:
            self.note(self.name, "!", b"is disconnected")
        self._wake()
        for waiting in self._gone:
            waiting.callback(None)
