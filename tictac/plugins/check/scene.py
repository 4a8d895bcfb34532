"""The scene of a case: named connections, a transcript, and scripts that use them."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar, TypeVar

from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from tictac.plugins.check.cases import Case, Finding, Line, NotApplicable
from tictac.plugins.check.peer import Forms, Patience, Peer, Wanted, shown
from tictac.plugins.check.target import Target, Unreachable

PASSWORD = "secret"
"""The password of all accounts that cases register."""

STREAMS = ("input", "output", "errors")
"""The names of a client's standard streams in transcripts."""

IDLE_CHECKS = 5
"""Number of successive checks without CPU use after which a server counts as idle."""

POLL_INTERVAL = 0.01
"""Seconds between two checks whether a program has read its input."""

MAX_LINES, MAX_NOTED = 2000, 1 << 22
"""Maximum lines of a transcript, and maximum bytes in them."""


CITED = re.compile(r"(.*?)(?: \[([A-Z]+\d+\.\d+)\])?")
"""Matches a line of a script, and the number of the rule that it names."""

F = TypeVar("F", bound=Callable[..., object])


@dataclass
class Harness:
    """The shared state of all cases in a run.

    - ``limit``: the time limit for an answer, in seconds, before ``patience`` adapts it.
    - ``framing``: the value of ``--framing``. ``options``: the options that only some suites take.
    - ``found``: facts about the program, which the first gates of a suite store.
    - ``starts``: how often the checker started the program. ``is_fresh``: no case has used the
      program since its last start.
    - ``serves_one``: the number of the failed case that tests two connections at a time, if any.
    - ``tag``: a word that no other run has, for unique names. ``names``: how many names there are.
    - ``idle``: open connections for later cases, each with its account, by the name in scripts and
      the value of ``starts``.
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
        self.patience = Patience(self.limit, lambda: self.target.program)
        dice = Random(self.seed)
        self.tag = "".join(dice.choice("bcdfghjkmnpqrstvwxz23456789") for _ in range(5))

    def start(self) -> None:
        """Start the program."""
        self.starts += 1
        self.is_fresh = True
        self.target.start()

    async def start_anew(self) -> None:
        """Stop the program, delete its files, and start it again."""
        await self.target.stop()
        self.start()


def direction(pattern: str) -> Callable[[F], F]:
    """Return a decorator that makes a method a direction of scripts.

    A script line in parentheses that matches ``pattern`` calls the method, with the groups as
    arguments.
    """

    def mark(method: F) -> F:
        method.__dict__["direction"] = re.compile(rf"\({pattern}\)")
        return method

    return mark


class Scene:
    """The connections and the transcript of one case. Each suite has a subclass with directions."""

    end = b""
    forms: Forms | None = None
    """The end of each message, or the forms that separate messages; see :class:`Peer`."""

    show: Callable[[bytes], str] = staticmethod(shown)
    """Returns bytes of the protocol as text for a report."""

    cast: ClassVar[re.Pattern[str]] = re.compile("(?!)")
    """Matches the people and rooms of scripts. On the wire, each case has other names for them."""

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
        self.hurried = self.one_by_one = self.is_second = False
        harness.is_fresh = False
        self._noted = 0
        self._all: list[Peer] = []
        self._began = harness.clock.seconds()

    # Calls from cases

    def new_peer(self, name: str) -> Peer:
        """Return a Peer that isn't connected yet."""
        harness = self.harness
        peer = Peer(
            name, harness.clock, harness.patience, self.note, self.end, self.show, self.forms
        )
        self._all.append(peer)
        return peer

    async def connect(self, name: str) -> Peer:
        """Open a new connection to the server, and name it. Raises Finding."""
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
        """Return the connection of that name; connect first if there is none."""
        return self.peers.get(name) or await self.connect(name)

    def adopt(self, name: str) -> bool:
        """Take an open connection of an earlier case; return whether there was one."""
        while idle := self.harness.idle.get((name, self.harness.starts)):
            account, peer = idle.pop()
            if peer.closed is None:
                self.names[name], self.peers[name] = account, peer
                peer.note = self.note
                self._all.append(peer)
                return True
        return False

    def leave_open(self, name: str) -> None:
        """Leave a logged-in connection open for later cases, because logins are slow."""
        if self.harness.serves_one:
            return
        peer = self.peers[name]
        peer.note = lambda who, how, data: None
        self._all.remove(peer)
        left = self.harness.idle.setdefault((name, self.harness.starts), [])
        left.append((self.names[name], peer))

    async def pause(self, seconds: float) -> None:
        """Wait for seconds, if no message can show when to continue.

        If the case fails after a pause, the runner repeats it with longer pauses.
        """
        self.hurried = True
        await deferLater(self.harness.clock, seconds * self.patience)

    async def pause_after(self, peer: Peer, seconds: float) -> None:
        """Wait until the program has read its input, and then for seconds, as ``pause`` does.

        If the checker can't see what the program has read, only the pause remains.
        """
        await self.wait_until_read(peer)
        await self.pause(seconds)

    async def wait_until_read(self, peer: Peer) -> None:
        """Wait until the program has read its input, if the checker can see that."""
        late = self.harness.clock.seconds() + self.harness.patience.limit
        while peer.has_been_read() is False and self.harness.clock.seconds() < late:
            await self.wait(POLL_INTERVAL)

    async def wait(self, seconds: float) -> None:
        """Wait for seconds in which a faulty program can send a wrong message.

        A correct program passes however short the wait is.
        """
        await deferLater(self.harness.clock, seconds)

    @direction("a moment passes")
    async def _moment(self) -> None:
        await self.wait(0.1)

    @direction("the server rests")
    async def _rests(self) -> None:
        """Check that the server uses no CPU time while it is idle. Raises Finding."""
        program, rests = self.harness.target.program, 0
        late = self.harness.clock.seconds() + self.harness.patience.limit / 2
        while rests < IDLE_CHECKS:
            busy = None if program is None else program.is_busy()
            if busy is None:
                raise NotApplicable("the checker can't see whether the server computes")
            rests = 0 if busy else rests + 1
            if self.harness.clock.seconds() > late:
                expected = "the server to rest while no client asks for anything"
                raise Finding(expected, "it computed all the time, as in a loop without an end")
            await self.wait(0.02)

    async def send_pieces(self, peer: Peer, *pieces: bytes, seconds: float = 0.05) -> None:
        """Send a message in several writes, with a wait of ``seconds`` after each."""
        for piece in pieces:
            peer.send(piece)
            await self.wait(seconds)

    def note(self, who: str, how: str, data: bytes) -> None:
        """Add a line to the transcript; see :class:`Line` for the arguments."""
        self._noted += len(data)
        last = self.lines[-1] if self.lines else None
        if last and last.printed and last[1:3] == (who, how) and not last.data.endswith(b"\n"):
            # Python prints the lines of a traceback in pieces: join the pieces of a line.
            if self._noted < MAX_NOTED:
                self.lines[-1] = last._replace(data=last.data + data)
            return
        if len(self.lines) < MAX_LINES and self._noted < MAX_NOTED:
            at = self.harness.clock.seconds() - self._began
            self.lines.append(Line(at, who, how, data, who in STREAMS))

    async def finish(self) -> None:
        """Check that no message is unread at the end of a case. Raises Finding."""
        for peer in self._all:
            if not self.case.leaves_unread:
                peer.expect_nothing_unread()

    async def tidy(self) -> None:
        """Prepare connections for later cases, after this case passed; subclasses override this.

        The runner ignores failures in it.
        """

    async def close(self) -> None:
        """Close all connections, after a failure as well.

        With ``one_by_one``, stop when the program ends. The last line of the transcript then shows
        the connection that ended the program. In a second run, wait at least at the end.
        """
        for peer in self._all:
            if self.one_by_one:
                await self.harness.target.wait_until_idle()
                if self.harness.target.has_ended:
                    return
            peer.hang_up()
        if self.is_second:
            await self.harness.target.wait_until_idle()

    @contextmanager
    def citing(self, number: str) -> Iterator[None]:
        """Let a Finding in the block break this rule, unless it names another one."""
        try:
            yield
        except Finding as finding:
            finding.breaks = finding.breaks or number
            raise

    @contextmanager
    def preparing(self) -> Iterator[None]:
        """Mark a Finding in the block as a failure of the preparation, not of the tested rule."""
        try:
            yield
        except Finding as finding:
            finding.setup = True
            raise

    # Scripts

    def name(self, word: str) -> str:
        """Return the name that a person or room of a script has on the wire."""
        if word not in self.names:
            self.harness.names += 1
            self.names[word] = f"{word}{self.harness.tag}{self.harness.names}"
        return self.names[word]

    def encode(self, text: str) -> bytes:
        """Return the bytes of a message in a script, without its end."""
        return self.cast.sub(lambda found: self.name(found[0]), text).encode()

    def wanted(self, text: str) -> bytes | re.Pattern[bytes]:
        """Return the expected message of a script line: its bytes, or a pattern."""
        return self.encode(text)

    async def play(self, script: str) -> None:
        """Run a script, line by line. Raises Finding.

        - ``alice> TEXT`` sends a message. ``alice> TEXT -> TEXT`` also expects an answer.
        - ``alice, bob< TEXT`` expects the same message on each connection.
        - ``alice< TEXT | TEXT`` expects one of several messages.
        - ``(TEXT)`` calls the direction that matches the text.
        - A line of each kind can name the rule that it tests: ``carol< BADAUTH [R2.1]``. Other
          lines test the first rule of the case.
        """
        for line in filter(None, map(str.strip, script.splitlines())):
            text, rule = CITED.fullmatch(line).groups("")  # type: ignore[union-attr]
            with self.citing(rule):
                await self._play_line(text)

    async def _play_line(self, line: str) -> None:
        said = re.fullmatch(r"((?:\w+, )*\w+)([<>]) (.+?)(?: -> (.+))?", line)
        if said is None:
            await self._direct(line)
            return
        names, arrow, text, answer = said.groups()
        if arrow == ">":
            await self.send_message(await self.peer(names), self.encode(text))
        receivers = names.split(", ") if arrow == "<" or answer else ()
        for peer in [await self.peer(name) for name in receivers]:
            choices = [self.wanted(choice) for choice in (answer or text).split(" | ")]
            await self.expect_message(peer, *choices)

    async def expect_message(self, peer: Peer, *choices: Wanted) -> bytes:
        """Return the next message on a connection, which must be one of ``choices``.

        Raises Finding.
        """
        message = await peer.expect(*choices)
        self.matched(peer, message)
        return message

    def matched(self, peer: Peer, message: bytes) -> None:
        """Handle an expected message after its arrival; subclasses override this."""

    async def send_message(self, peer: Peer, message: bytes) -> None:
        """Send a message, followed by its end."""
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
