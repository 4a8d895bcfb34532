"""The scene of the rooms protocol's cases."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tictac.plugins.check.cases import Case, Finding, NotApplicable, Suite
from tictac.plugins.check.peer import Forms, Peer, Wanted
from tictac.plugins.check.rules import read_rules
from tictac.plugins.check.scene import PASSWORD, Harness, Scene, direction

PAUSE = 0.6
"""Seconds between two requests if the first one has no answer yet.

For some servers, each read is one request. Ours waits for half a second for the rest of a request.
"""

AGAIN = 0.2
"""Seconds between two requests for the list of rooms, until it is right."""

FORMS = Forms(
    heads=(
        b"LOGIN", b"REGISTER", b"ROOMLIST", b"CREATE", b"JOIN", b"BADAUTH", b"NOROOM", b"BEGIN:",
        b"INPROGRESS:", b"BOARDSTATUS:", b"GAMEEND:", b"PLACE", b"FORFEIT",
    ),
    whole=re.compile(
        rb"(LOGIN|REGISTER|CREATE|JOIN):ACKSTATUS:\d|ROOMLIST:ACKSTATUS:[1-9]|BADAUTH|NOROOM"
        rb"|BOARDSTATUS:[012]{9}|GAMEEND:[012]{9}:1|PLACE:\d:\d|FORFEIT|ROOMLIST:(PLAYER|VIEWER)"
        rb"|JOIN:[^:\n]*:(PLAYER|VIEWER)"
    ),
)  # fmt: skip
"""The messages of both sides; the source doesn't say how messages end."""

ACK = re.compile(rb"[A-Z]+:ACKSTATUS:[0-9]|BADAUTH|NOROOM")
"""An answer of a fixed length."""

JOINED = re.compile(rb"JOIN:ACKSTATUS:[0-9]|BADAUTH")
"""An answer to JOIN."""

EMPTY = b"BOARDSTATUS:000000000"

_ENDED = re.compile(rb"GAMEEND:[012]{9}:(1|[02]:[^:\r\n]+)")

LISTS = 10
"""Maximum requests for the list of rooms, until it is right."""

LEAVING = 2.0
"""Maximum seconds to leave a room; a slower connection isn't used again."""


def _is_answer(choice: Wanted) -> bool:
    return isinstance(choice, re.Pattern) or b"ACKSTATUS" in choice


@dataclass
class Found:
    """Facts about a server, which the first cases find out.

    - ``end``: the end of requests: a newline, or nothing.
    - ``outside``: the answer to JOIN for a missing room, if the client is in no room.
    - ``splits``: the server splits a segment that has two requests.
    - ``mute``: the server answers no JOIN.
    - ``fenced``: the server answers requests such as JOIN and CREATE during a match.
    """

    end: bytes = b"\n"
    outside: bytes = b"JOIN:ACKSTATUS:1"
    splits: bool = False
    fenced: bool = False
    mute: bool = False


class RoomsScene(Scene):
    """A case of a rooms server.

    A server can let either player begin. ``swapped`` is true if the second player of a script
    begins; then, the two exchange their names in the script. ``early`` has BEGIN or INPROGRESS
    messages that came before the answer to JOIN, and ``was_early`` is true if any came. ``listed``
    is the last list of rooms. ``in_room`` maps people to their rooms on the wire.
    """

    forms = FORMS
    cast = re.compile(r"\b(alice|bob|carol|dave|nobody|den|barn|burrow)\b", re.I)

    def __init__(self, harness: Harness, case: Case) -> None:
        if harness.found is None:
            harness.found = Found()
        self.found: Found = harness.found
        self.logged_in: set[str] = set()
        self.in_room: dict[str, bytes] = {}
        self.listed = b""
        self.swapped = self.was_early = False
        self.early: dict[Peer, bytes] = {}
        self._asked: dict[str, bytes] = {}
        self._creators: dict[bytes, str] = {}
        self._movers: dict[bytes, Peer] = {}
        self._present: dict[Peer, bytes] = {}
        self._watching: set[Peer] = set()
        self._outside: list[str] = []
        self._boards: dict[bytes, bytes] = {}
        self._matches: dict[bytes, tuple[bytes, bytes, int]] = {}
        super().__init__(harness, case)

    # Names

    def encode(self, text: str) -> bytes:
        return self.cast.sub(self._on_the_wire, text).encode("latin-1")

    def _on_the_wire(self, found: re.Match[str]) -> str:
        name = self.name(found[0].lower())
        return name.upper() if found[0].isupper() else name

    def wanted(self, text: str) -> bytes | re.Pattern[bytes]:
        message = self.encode(text)
        return (
            re.compile(re.escape(message).replace(rb"\*", rb"[^:\r\n]+"))
            if "*" in text
            else message
        )

    # Talking

    async def send_message(self, peer: Peer, message: bytes) -> None:
        if not self.found.splits and peer.is_unanswered:
            await self.pause_after(peer, PAUSE)
        self._asked[peer.name] = message
        if message.startswith(b"PLACE") and peer.name in self.in_room:
            self._movers[self.in_room[peer.name]] = peer
        peer.send(message + self.found.end)

    async def ask(self, name: str, request: str, *answers: str) -> bytes:
        """Send a request; return its answer, which must be one of ``answers``. Raises Finding."""
        peer = await self.peer(name)
        await self.send_message(peer, self.encode(request))
        return await self.expect_message(peer, *(self.wanted(answer) for answer in answers))

    async def expect_message(self, peer: Peer, *choices: Wanted) -> bytes:
        if peer in self.early and not any(_is_answer(choice) for choice in choices):
            message = self.early.pop(peer)
            if message not in {*choices, *self._exchanged_begins(peer, choices)}:
                raise peer.finding(peer.describe(choices), f"{self.show(message)} came")
        else:
            message = await self._next(peer, choices)
        if message.startswith(b"BEGIN:") and message not in choices:
            self._exchange_players(message)
        self.matched(peer, message)
        return message

    async def _next(self, peer: Peer, choices: Sequence[Wanted]) -> bytes:
        """Return the next message that isn't optional. Raises Finding.

        Skip messages that a server can send before the expected one.
        """
        turned = self._exchanged_begins(peer, choices)
        spare = [
            message for message in self._optional_messages(peer, choices) if message not in choices
        ]
        while True:
            try:
                message = await peer.expect(*choices, *turned, *spare)
            except Finding as finding:
                finding.expected = f"{peer.name} gets {peer.describe(choices)}"
                raise
            if message not in spare:
                return message
            if peer in self._watching and message.startswith(b"INPROGRESS:"):
                continue
            spare.remove(message)
            if message.startswith(b"BOARDSTATUS:"):
                self._present.pop(peer, None)
            else:
                self.early[peer], self.was_early = message, True

    def _optional_messages(self, peer: Peer, choices: Sequence[Wanted]) -> Iterator[bytes]:
        """Yield the optional messages that can come before the expected ones.

        - BEGIN or INPROGRESS, before the answer to JOIN.
        - The last board, before GAMEEND, to all occupants except the mover.
        - The current board, after INPROGRESS.
        - INPROGRESS, at any time, to a viewer for whom another case judges it.
        """
        if peer in self._present:
            yield self._present[peer]
        if peer in self._watching:
            first, second, _ = self._matches.get(self.in_room.get(peer.name, b""), (b"", b"", 0))
            yield b"INPROGRESS:%b:%b" % (first, second)
            yield b"INPROGRESS:%b:%b" % (second, first)
        for choice in choices:
            if choice == b"JOIN:ACKSTATUS:0":
                _, room, mode = self._asked[peer.name].split(b":")
                if mode == b"PLAYER" and room in self._creators:
                    pair = self._creators[room], peer.name
                    yield from (self.encode(f"BEGIN:{a}:{b}") for a, b in (pair, pair[::-1]))
                elif room in self._matches:
                    first, second, _ = self._matches[room]
                    yield b"INPROGRESS:%b:%b" % (first, second)
                    yield b"INPROGRESS:%b:%b" % (second, first)
            elif isinstance(choice, bytes) and choice.startswith(b"GAMEEND:"):
                board, code = choice.split(b":")[1:3]
                mover = self._movers.get(self.in_room.get(peer.name, b""))
                if code != b"2" and peer is not mover:
                    yield b"BOARDSTATUS:" + board

    def _exchanged_begins(self, peer: Peer, choices: Sequence[Wanted]) -> list[bytes]:
        """Return each expected BEGIN with its players exchanged, until the match has begun."""
        if self.in_room.get(peer.name) in self._matches:
            return []
        turned = []
        for choice in choices:
            if isinstance(choice, bytes) and choice.startswith(b"BEGIN:"):
                first, second = choice.split(b":")[1:]
                turned.append(b"BEGIN:%b:%b" % (second, first))
        return turned

    def _exchange_players(self, begin: bytes) -> None:
        """Exchange the script names of two players, because the second one begins."""
        self.swapped = True
        wire = {name.encode(): word for word, name in self.names.items()}
        second, first = (wire[name] for name in begin.split(b":")[1:])
        self.note("checker", "!", f"calls {second} {first} from here on, who begins".encode())
        parts: tuple[dict[str, Any], ...] = (self.names, self.peers, self._asked, self.in_room)
        for part in parts:
            kept = {name: part.pop(name) for name in (first, second) if name in part}
            for name, value in kept.items():
                part[second if name == first else first] = value
        for name in (first, second):
            self.peers[name].name = name

    async def fence(self, name: str) -> bytes:
        """Check that no message came: send a request, and return its answer, which must be next.

        Raises Finding.
        """
        peer = await self.peer(name)
        request, answer = b"JOIN:no such room:VIEWER", JOINED
        if self.found.mute:
            # The first case has shown that the server answers this one.
            request, answer = self.encode(f"LOGIN:nobody:{PASSWORD}"), ACK
        await self.send_message(peer, request)
        try:
            return await self._next(peer, [answer])
        except Finding as finding:
            verb = request.partition(b":")[0].decode()
            words = f"{'' if finding.silent else 'nothing but '}an answer to {verb}"
            finding.expected = f"{peer.name} gets {words}"
            raise

    @direction(r"((?:\w+, )*\w+) (?:is|are) told nothing")
    async def expect_silence(self, names: str) -> None:
        """Check that people got no message. Raises Finding.

        If the server doesn't answer occupants of a room, only wait until it has read its input.
        """
        for name in names.split(", "):
            if self.found.fenced or name not in self.in_room:
                await self.fence(name)
            else:
                await self.pause_after(self.peers[name], PAUSE)

    @direction(r"(\w+) (lists|finds) (PLAYER|VIEWER):(.*)")
    async def lists(self, name: str, how: str, mode: str, rooms: str) -> None:
        """Check the list of rooms, in order (``lists``) or in any order (``finds``).

        The check ignores the rooms of other cases, and repeats the request, because a server of
        several processes can take a moment. Raises Finding.
        """
        wanted = [room.strip() for room in rooms.split(",") if room.strip()]
        for _ in range(LISTS):
            listed, blanks = await self._listed(name, mode)
            if blanks and len(wanted) > 1:
                with self.citing("R3.1"):
                    raise self.peers[name].finding("names with a comma alone between two", blanks)
            if listed == wanted or (how == "finds" and sorted(listed) == sorted(wanted)):
                return
            await self.wait(AGAIN)
        names = [", ".join(map(self.name, words)) or "none" for words in (wanted, listed)]
        raise self.peers[name].finding(
            f"of this case's rooms: {names[0]}", f"listed are: {names[1]}"
        )

    async def _listed(self, name: str, mode: str) -> tuple[list[str], str]:
        """Request the list of rooms; return this case's rooms, by their names in scripts.

        The second result is a phrase for the report if there are blanks around names, or "".
        """
        peer = await self.peer(name)
        await self.send_message(peer, f"ROOMLIST:{mode}".encode())
        begun = await peer.expect_head(b"ROOMLIST:ACKSTATUS:0")
        if is_open := b"\n" not in begun:
            # Without a newline, the list ends where the next answer begins.
            peer.is_unanswered = False
            await self.send_message(peer, b"JOIN:no such room:VIEWER")
        answer = await peer.expect(
            re.compile(rb"ROOMLIST:ACKSTATUS:0(:[^:\r\n]*)?(?=\r?\n|JOIN:ACKSTATUS:\d)")
        )
        if is_open:
            await peer.expect(JOINED)
        own = {self.names[word]: word for word in ("den", "barn", "burrow") if word in self.names}
        self.listed = answer
        every = answer.removeprefix(b"ROOMLIST:ACKSTATUS:0").lstrip(b":").decode().split(",")
        blanks = f"{self.show(answer)} came" if any(room != room.strip() for room in every) else ""
        return [own[room.strip()] for room in every if room.strip() in own], blanks

    @direction(r"the empty list has its last colon")
    def _has_its_colon(self) -> None:
        if self.listed.count(b":") < 3:
            raise Finding("ROOMLIST:ACKSTATUS:0:", f"{self.show(self.listed)} came")
        if not self.listed.endswith(b":"):
            raise NotApplicable("there are other rooms")

    @direction(r"the creator is the first of the two")
    def _creator_is_first(self) -> None:
        if self.swapped:
            raise Finding("BEGIN to name the creator first", "it named the second player first")

    @direction(r"JOIN was answered first")
    def _join_was_answered_first(self) -> None:
        if self.was_early:
            raise Finding("the answer to JOIN before anything else", "it came later")

    # People

    @direction(r"((?:\w+, )*\w+)(?: and (\w+))? (?:is|are) logged in")
    async def log_in(self, names: str, last: str | None = None) -> None:
        """Register people and log them in; reuse connections of earlier cases if possible."""
        for name in [*names.split(", "), *([last] if last else [])]:
            self.logged_in.add(name)
            if name in self.peers or self.adopt(name):
                continue
            with self.preparing():
                await self.ask(name, f"REGISTER:{name}:{PASSWORD}", "REGISTER:ACKSTATUS:0")
                await self.ask(name, f"LOGIN:{name}:{PASSWORD}", "LOGIN:ACKSTATUS:0")

    @direction(r"(\w+) and (\w+) play in (\w+)")
    async def play_in(self, first: str, second: str, room: str) -> None:
        """Log two people in, and begin a match between them."""
        await self.log_in(first, second)
        await self.begin(first, second, room)

    async def begin(self, first: str, second: str, room: str) -> None:
        """Begin a match between two logged-in people, as preparation of the case."""
        with self.preparing():
            await self.meet(first, second, room)

    async def meet(self, first: str, second: str, room: str) -> None:
        """Begin a match between two logged-in people, as a part of the test. Raises Finding."""
        await self.ask(first, f"CREATE:{room}", "CREATE:ACKSTATUS:0")
        await self.ask(second, f"JOIN:{room}:PLAYER", "JOIN:ACKSTATUS:0")
        for peer in (self.peers[second], self.peers[first]):
            await self.expect_message(peer, self.encode(f"BEGIN:{first}:{second}"))

    @direction(r"(\w+) watches (\w+)")
    async def watch(self, name: str, room: str) -> None:
        """Let a viewer join a match. INPROGRESS and a board can come; other cases judge them."""
        await self.log_in(name)
        with self.preparing():
            await self.ask(name, f"JOIN:{room}:VIEWER", "JOIN:ACKSTATUS:0")
        peer = self.peers[name]
        self.has_seen_enough(name)
        self._present[peer] = self._boards.get(self.in_room[name], EMPTY)

    @direction(r"(\w+) has seen enough")
    def has_seen_enough(self, name: str) -> None:
        """Ignore INPROGRESS to a viewer from now on."""
        peer = self.peers[name]
        self._watching.add(peer)
        self.early.pop(peer, None)

    def matched(self, peer: Peer, message: bytes) -> None:
        asked = self._asked.get(peer.name, b"").split(b":")
        if message in (b"CREATE:ACKSTATUS:0", b"JOIN:ACKSTATUS:0"):
            self.in_room[peer.name] = asked[1]
            if asked[0] == b"CREATE":
                self._creators[asked[1]] = peer.name
                self._matches.pop(asked[1], None)
        elif message.startswith(b"INPROGRESS:"):
            self._present[peer] = self._boards.get(self.in_room.get(peer.name, b""), EMPTY)
        elif message.startswith(b"GAMEEND"):
            self.in_room.pop(peer.name, None)
        elif message.startswith(b"BEGIN:"):
            first, second = message.split(b":")[1:]
            self._matches[self.in_room.get(peer.name, b"")] = (first, second, 0)
        elif message.startswith(b"BOARDSTATUS:"):
            room = self.in_room.get(peer.name, b"")
            first, second, _ = self._matches.get(room, (b"", b"", 0))
            self._matches[room] = (first, second, 9 - message.count(b"0"))
            self._boards[room] = message
        elif message == b"LOGIN:ACKSTATUS:0":
            own = asked[1].decode() == self.names.get(peer.name)
            (self.logged_in.add if own else self.logged_in.discard)(peer.name)

    async def finish(self) -> None:
        """Check that no client got any other message. Raises Finding.

        First ask for something whose answer is known: other messages come before it.
        """
        for name in [] if self.case.leaves_unread else sorted(self.logged_in & self.peers.keys()):
            peer, is_inside = self.peers[name], name in self.in_room
            if not peer.is_open:
                continue
            if self.found.mute:
                continue
            if self.found.fenced or not is_inside:
                try:
                    answer = await self.fence(name)
                except Finding as finding:
                    # The case of JOIN judges that.
                    self.found.mute = finding.silent
                    if finding.silent:
                        continue
                    raise
                if answer == self.found.outside and not is_inside:
                    self._outside.append(name)
        for peer in self._watching | self._present.keys():
            for message in [*self._optional_messages(peer, ())]:
                peer.unread = peer.unread.replace(message, b"")
        await super().finish()

    async def tidy(self) -> None:
        """Keep logged-in connections for later cases, because logins are slow.

        In each match, the player with the turn sends FORFEIT, which every server must support.
        """
        for name in self._outside:
            self.leave_open(name)
        if self.case.leaves_unread:
            return
        for room in set(self.in_room.values()):
            first, second, moves = self._matches.get(room, (b"", b"", 0))
            people = [
                name
                for name, peer in self.peers.items()
                if self.in_room.get(name) == room and peer.closed is None
            ]
            mover = (first, second)[moves % 2].decode()
            if mover in (self.names.get(name) for name in people):
                people.sort(key=lambda name: self.names.get(name) != mover)
                await self._forfeit(people)

    async def _forfeit(self, people: list[str]) -> None:
        """Let the first person in a room forfeit, so that all leave the room."""
        await self.send_message(self.peers[people[0]], b"FORFEIT")
        for name in people:
            peer = self.peers[name]
            await peer.expect(_ENDED, limit=LEAVING)
            if name in self.logged_in and await self.fence(name) == self.found.outside:
                self.leave_open(name)


async def probe(harness: Harness, peer: Peer) -> None:
    """Check that the server answers on a new connection. Raises Finding."""
    if harness.found is not None:
        peer.forms = FORMS
        # Use a new name each time, because a server can delay guesses of one user's password.
        harness.names += 1
        peer.send(b"LOGIN:nobody%d:x%b" % (harness.names, harness.found.end))
        await peer.expect(ACK)


SUITE = Suite(
    "rooms", "docs/reference/rooms.md", read_rules(__package__), RoomsScene, probe,
    options={"holds-seats": bool},
)  # fmt: skip
