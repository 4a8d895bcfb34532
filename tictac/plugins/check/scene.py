"""What a case works with: connections to the server, or from the client, that is checked."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar

from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from tictac.plugins.check.cases import Case, Finding, Line, NotApplicable
from tictac.plugins.check.peer import Forms, Patience, Peer, Wanted, shown
from tictac.plugins.check.target import Target, Unreachable

PASSWORD = "secret"
"""Of all accounts that cases make."""

STREAMS = ("input", "output", "errors")
"""How transcripts call what a client reads and prints."""

RESTS = 5
"""Looks, one after the other, at which a server that rests computes nothing."""

LOOK_AGAIN = 0.01
"""Seconds between two looks whether a program has read something."""

MAX_LINES, MAX_NOTED = 2000, 1 << 22
"""Lines of a transcript that are kept, and bytes in them."""


@dataclass
class Harness:
    """What all cases of a run have in common: the program, the limits, and the dice.

    ``tag`` is a word that no other run has, for names, and ``names`` how many there are.
    ``found`` is what a suite has found out, and ``options`` what its options say of the program.
    ``starts`` counts how often the program was started; it ``is_fresh`` if no case has used it
    since. ``serves_one`` is the case by which it serves one connection at a time, if it
    does. ``idle`` are connections that wait for the next case to use them, by the name in scripts
    and which start of the program they are to, with their accounts.
    """

    clock: IReactorTime
    target: Target
    seed: int
    limit: float = 10.0
    framing: str = "auto"
    options: Mapping[str, Any] = field(default_factory=dict)
    found: Any = None
    starts: int = 0
    is_fresh: bool = False
    serves_one: str = ""
    names: int = 0
    idle: dict[tuple[str, int], list[tuple[str, Peer]]] = field(default_factory=dict)
    tag: str = field(init=False)
    patience: Patience = field(init=False)

    def __post_init__(self) -> None:
        self.patience = Patience(self.limit)
        dice = Random(self.seed)
        self.tag = "".join(dice.choice("bcdfghjkmnpqrstvwxz23456789") for _ in range(5))

    def start(self) -> None:
        """Start the program."""
        self.starts += 1
        self.is_fresh = True
        self.target.start()

    async def start_anew(self) -> None:
        """End the program with all that it keeps, and start it again."""
        await self.target.stop()
        self.start()


def direction(pattern: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate what is done where a script says so in brackets; groups are the arguments."""

    def mark(method: Callable[..., Any]) -> Callable[..., Any]:
        method.__dict__["direction"] = re.compile(rf"\({pattern}\)")
        return method

    return mark


class Scene:
    """One case on a bench; a suite has a class of its own, with directions of its own."""

    end = b""
    forms: Forms | None = None
    """What stands behind each message, or how to tell messages apart; see :class:`Peer`."""

    show: Callable[[bytes], str] = staticmethod(shown)
    """How bytes are shown to people."""

    cast: ClassVar[re.Pattern[str]] = re.compile("(?!)")
    """People and rooms of scripts; on the wire they have names that no other case uses."""

    directions: ClassVar[list[tuple[re.Pattern[str], str]]] = []

    def __init_subclass__(cls) -> None:
        cls.directions = [
            (getattr(cls, name).direction, name)
            for name in dir(cls)
            if hasattr(getattr(cls, name), "direction")
        ]

    def __init__(self, harness: Harness, case: Case) -> None:
        self.harness, self.case = harness, case
        self.peers: dict[str, Peer] = {}
        self.names: dict[str, str] = {}
        self.lines: list[Line] = []
        self.dice = Random(f"{harness.seed} {case.number}")
        self.patience = 1.0
        self.hurried = self.one_by_one = False
        harness.is_fresh = False
        self._noted = 0
        self._all: list[Peer] = []
        self._began = harness.clock.seconds()

    # What a case does

    def new_peer(self, name: str) -> Peer:
        """Return a connection that isn't made yet."""
        harness = self.harness
        peer = Peer(
            name, harness.clock, harness.patience, self.note, self.end, self.show, self.forms
        )
        self._all.append(peer)
        return peer

    async def connect(self, name: str) -> Peer:
        """Open a new connection to the server under the name. Raises Finding."""
        serves_one = self.harness.serves_one
        if serves_one and any(peer.closed is None for peer in self._all):
            finding = NotApplicable("it needs two connections at a time")
            finding.missing = serves_one
            raise finding
        peer = self.new_peer(name)
        self.note(name, "!", b"connects")
        try:
            await self.harness.target.connect(peer)
        except Unreachable as error:
            program = self.harness.target.program
            why = program.how_it_ended() if program and program.status is not None else str(error)
            raise Finding("a connection to the server", f"there was none: {why}") from None
        self.peers[name] = peer
        return peer

    async def peer(self, name: str) -> Peer:
        """Return the connection of that name, made if it isn't there."""
        return self.peers.get(name) or await self.connect(name)

    def adopt(self, name: str) -> bool:
        """Go on with a connection that another case has left, if there is one."""
        while idle := self.harness.idle.get((name, self.harness.starts)):
            account, peer = idle.pop()
            if peer.closed is None:
                self.names[name], self.peers[name] = account, peer
                peer.note = self.note
                self._all.append(peer)
                return True
        return False

    def leave_open(self, name: str) -> None:
        """Leave a connection to other cases, since it takes long to check passwords."""
        if self.harness.serves_one:
            return
        peer = self.peers[name]
        peer.note = lambda who, how, data: None
        self._all.remove(peer)
        left = self.harness.idle.setdefault((name, self.harness.starts), [])
        left.append((self.names[name], peer))

    async def pause(self, seconds: float) -> None:
        """Let time pass where nothing else tells when to go on.

        A case that fails after a pause runs again, with more ``patience``.
        """
        self.hurried = True
        await deferLater(self.harness.clock, seconds * self.patience)

    async def pause_after(self, peer: Peer, seconds: float) -> None:
        """Let time pass, as above, once the program has read what it was sent.

        Where that can't be seen the time is all there is.
        """
        late = self.harness.clock.seconds() + self.harness.patience.limit
        while peer.has_been_read() is False and self.harness.clock.seconds() < late:
            await self.wait(LOOK_AGAIN)
        await self.pause(seconds)

    async def wait(self, seconds: float) -> None:
        """Let time pass in which something wrong may come, or a program act on what came.

        A right one passes however short it is.
        """
        await deferLater(self.harness.clock, seconds)

    @direction("a moment passes")
    async def _moment(self) -> None:
        await self.wait(0.1)

    @direction("the server rests")
    async def _rests(self) -> None:
        """See it do nothing for a moment. Raises Finding."""
        program, rests = self.harness.target.program, 0
        late = self.harness.clock.seconds() + self.harness.patience.limit / 2
        while rests < RESTS:
            busy = None if program is None else program.is_busy()
            if busy is None:
                raise NotApplicable("the checker can't see whether the server computes")
            rests = 0 if busy else rests + 1
            if self.harness.clock.seconds() > late:
                expected = "the server to rest while no client asks for anything"
                raise Finding(expected, "it computed all the time, as in a loop without an end")
            await self.wait(0.02)

    async def send_pieces(self, peer: Peer, *pieces: bytes, seconds: float = 0.05) -> None:
        """Send a message in several writes, with so much time after each."""
        for piece in pieces:
            peer.send(piece)
            await self.wait(seconds)

    def note(self, who: str, how: str, data: bytes) -> None:
        """Write a line of the transcript."""
        self._noted += len(data)
        last = self.lines[-1] if self.lines else None
        if last and last.printed and last[1:3] == (who, how) and not last.data.endswith(b"\n"):
            # A line that is printed piece by piece, as Python does with tracebacks, is one.
            if self._noted < MAX_NOTED:
                self.lines[-1] = last._replace(data=last.data + data)
            return
        if len(self.lines) < MAX_LINES and self._noted < MAX_NOTED:
            at = self.harness.clock.seconds() - self._began
            self.lines.append(Line(at, who, how, data, who in STREAMS))

    async def finish(self) -> None:
        """See that nothing is left unread; the case has passed so far. Raises Finding."""
        for peer in self._all:
            if not self.case.leaves_unread:
                peer.expect_nothing_unread()

    async def tidy(self) -> None:
        """Do what makes it easier for other cases, after one that has passed; for a suite to say.

        What comes then is judged by no case.
        """

    async def close(self) -> None:
        """End all connections, whatever has happened.

        ``one_by_one`` the transcript's last line shows at which the program ended.
        """
        for peer in self._all:
            if self.one_by_one:
                await self.harness.target.rests()
                if self.harness.target.has_ended:
                    return
            peer.hang_up()
        if self.one_by_one:
            await self.harness.target.rests()

    @contextmanager
    def preparing(self) -> Iterator[None]:
        """Mark what is seen as something that the case isn't about."""
        try:
            yield
        except Finding as finding:
            finding.setup = True
            raise

    # Scripts

    def name(self, word: str) -> str:
        """Return the name on the wire of a person or room of a script."""
        if word not in self.names:
            self.harness.names += 1
            self.names[word] = f"{word}{self.harness.tag}{self.harness.names}"
        return self.names[word]

    def encode(self, text: str) -> bytes:
        """Return the bytes of a message as a script writes it, its end not included."""
        return self.cast.sub(lambda found: self.name(found[0]), text).encode()

    def wanted(self, text: str) -> bytes | re.Pattern[bytes]:
        """Return what a script expects: a message."""
        return self.encode(text)

    async def play(self, script: str) -> None:
        """Do what each line says.

        ``alice> TEXT`` sends a message, and ``alice> TEXT -> TEXT`` one that is answered so.
        ``alice, bob< TEXT`` expects one at each of them, ``alice< TEXT | TEXT`` one of several,
        and ``(TEXT)`` is one of the directions. Raises Finding.
        """
        for line in filter(None, map(str.strip, script.splitlines())):
            said = re.fullmatch(r"((?:\w+, )*\w+)([<>]) (.+?)(?: -> (.+))?", line)
            if said is None:
                await self._direct(line)
                continue
            names, arrow, text, answer = said.groups()
            if arrow == ">":
                await self.say(await self.peer(names), self.encode(text))
            told = names.split(", ") if arrow == "<" or answer else ()
            for peer in [await self.peer(name) for name in told]:
                choices = [self.wanted(choice) for choice in (answer or text).split(" | ")]
                await self.hear(peer, *choices)

    async def hear(self, peer: Peer, *choices: Wanted) -> bytes:
        """Read the next message to a person, which must be one of ``choices``. Raises Finding."""
        message = await peer.expect(*choices)
        self.matched(peer, message)
        return message

    def matched(self, peer: Peer, message: bytes) -> None:
        """Take note of a message that a script has expected; for a suite to say."""

    async def say(self, peer: Peer, message: bytes) -> None:
        """Send a message with its end."""
        peer.send(message + peer.end)

    async def _direct(self, line: str) -> None:
        for pattern, name in self.directions:
            found = pattern.fullmatch(line)
            if found:
                done: Awaitable[None] | None = getattr(self, name)(*found.groups())
                if done is not None:
                    await done
                return
        raise AssertionError(f"{self.case.number}: what does {line} mean?")

    @direction(r"(\w+) connects")
    async def _connects(self, name: str) -> None:
        await self.connect(name)

    @direction(r"(\w+) hangs up")
    async def _hangs_up(self, name: str) -> None:
        self.peers[name].hang_up()
        await self.peers.pop(name).wait_closed()

    @direction(r"(\w+) resets")
    async def _resets(self, name: str) -> None:
        self.peers[name].reset()
        await self.peers.pop(name).wait_closed()

    @direction(r"(\w+) ends (?:his|her|its) input")
    def _ends_input(self, name: str) -> None:
        self.peers[name].end_input()

    @direction(r"(\w+) is disconnected")
    async def _is_disconnected(self, name: str) -> None:
        await self.peers[name].expect_close()
