"""The rooms protocol: what its cases have in common."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tictac.plugins.check.cases import Case, Finding, Suite
from tictac.plugins.check.peer import Peer
from tictac.plugins.check.scene import PASSWORD, Harness, Scene, direction

PAUSE = 0.6
"""Seconds between two requests without an answer to the first, for a server that takes a read for
a request, or waits a while, as ours does for half a second, for the rest of it."""

AGAIN = 0.2
"""Seconds between two lists of rooms that are asked for until they are right."""

ACK = re.compile(rb"[A-Z]+:ACKSTATUS:[0-9]|BADAUTH|NOROOM")
"""An answer of a fixed length."""

OUTSIDE = b"JOIN:ACKSTATUS:1"
"""What somebody who is in no room is told of a room that isn't there."""

LISTS = 10
"""How often a list is asked for until it is right."""

LEAVING = 2.0
"""Seconds in which somebody gets out of a room; otherwise the connection isn't used again."""


@dataclass
class Found:
    """What the first cases have found out about a server.

    ``ends`` are behind what it reads and what it says. ``splits`` says whether it takes two
    requests out of one segment, ``fenced`` whether everybody in a match is answered when they ask
    for something else.
    """

    send_end: bytes = b"\n"
    read_end: bytes = b"\n"
    splits: bool = False
    fenced: bool = False


class RoomsScene(Scene):
    """A case of the rooms protocol: its people, under the names of scripts, and its rooms."""

    cast = re.compile(r"\b(alice|bob|carol|dave|nobody|den|barn|burrow)\b", re.I)

    def __init__(self, harness: Harness, case: Case) -> None:
        if harness.found is None:
            harness.found = Found()
        self.found: Found = harness.found
        self.end = self.found.read_end
        self.logged_in: set[str] = set()
        self.in_room: dict[str, bytes] = {}
        self._asked: dict[str, bytes] = {}
        super().__init__(harness, case)

    # Names

    def encode(self, text: str) -> bytes:
        return self.cast.sub(self._on_the_wire, text).encode("latin-1")

    def _on_the_wire(self, found: re.Match[str]) -> str:
        name = self.name(found[0].lower())
        return name.upper() if found[0].isupper() else name

    def wanted(self, text: str) -> bytes | re.Pattern[bytes]:
        message = self.encode(text)
        return re.compile(re.escape(message).replace(rb"\*", rb".*")) if "*" in text else message

    # Talking

    async def say(self, peer: Peer, message: bytes) -> None:
        if not self.found.splits and peer.is_unanswered:
            await self.pause(PAUSE)
        self._asked[peer.name] = message
        peer.send(message + self.found.send_end)

    async def ask(self, name: str, request: str, *answers: str) -> bytes:
        """Send a request and take its answer, which must be one of ``answers``."""
        peer = await self.peer(name)
        await self.say(peer, self.encode(request))
        answer = await peer.expect(*(self.wanted(answer) for answer in answers))
        self.matched(peer, answer)
        return answer

    async def fence(self, name: str) -> bytes:
        """Ask for what is answered at once: until then nothing else may come. The answer."""
        peer = await self.peer(name)
        await self.say(peer, b"JOIN:no such room:VIEWER")
        try:
            return await peer.expect(ACK)
        except Finding as finding:
            raise peer.finding("nothing but an answer to JOIN", finding.came) from None

    @direction(r"((?:\w+, )*\w+) (?:is|are) told nothing")
    async def told_nothing(self, names: str) -> None:
        """See that nothing has come; from within a room only where somebody there is answered.

        Where not, what was sent before shall at least be read before what is sent next.
        """
        for name in names.split(", "):
            if self.found.fenced or name not in self.in_room:
                await self.fence(name)
            else:
                await self.pause(PAUSE)

    @direction(r"(\w+) (lists|finds) (PLAYER|VIEWER):(.*)")
    async def lists(self, name: str, how: str, mode: str, rooms: str) -> None:
        """Ask for the rooms; of those of this case these are listed, in this order or any.

        A server of several processes may take a moment, so others are no fault at first.
        """
        wanted = [room.strip() for room in rooms.split(",") if room.strip()]
        for _ in range(LISTS):
            listed, blanks = await self._listed(name, mode)
            if blanks and len(wanted) > 1:
                raise self.peers[name].finding("names with a comma alone between two", blanks)
            if listed == wanted or (how == "finds" and sorted(listed) == sorted(wanted)):
                return
            await self.wait(AGAIN)
        names = [", ".join(map(self.name, words)) or "none" for words in (wanted, listed)]
        raise self.peers[name].finding(
            f"of this case's rooms: {names[0]}", f"listed are: {names[1]}"
        )

    async def _listed(self, name: str, mode: str) -> tuple[list[str], str]:
        """The rooms of this case that are listed, as scripts call them, and what came if there
        were blanks around names."""
        peer = await self.peer(name)
        await self.say(peer, f"ROOMLIST:{mode}".encode())
        said = re.compile(rb"ROOMLIST:ACKSTATUS:0:[^:]*")
        if peer.end:
            answer = await peer.expect(said)
        else:
            # Without an end of message a list ends where the next answer begins.
            await peer.expect(b"ROOMLIST:ACKSTATUS:0:")
            await self.say(peer, b"JOIN:no such room:VIEWER")
            answer = await peer.expect(re.compile(rb"[^:]*(?=JOIN:ACKSTATUS:\d)"))
            await peer.expect(ACK)
        own = {self.names[word]: word for word in ("den", "barn", "burrow") if word in self.names}
        every = answer.decode().rpartition(":")[2].split(",")
        blanks = f"{self.show(answer)} came" if any(room != room.strip() for room in every) else ""
        return [own[room.strip()] for room in every if room.strip() in own], blanks

    # People

    @direction(r"((?:\w+, )*\w+)(?: and (\w+))? (?:is|are) logged in")
    async def log_in(self, names: str, last: str | None = None) -> None:
        """Log people in, on connections that other cases have left, where there are some."""
        for name in [*names.split(", "), *([last] if last else [])]:
            self.logged_in.add(name)
            if name in self.peers or self.adopt(name):
                continue
            await self.ask(name, f"REGISTER:{name}:{PASSWORD}", "REGISTER:ACKSTATUS:0")
            await self.ask(name, f"LOGIN:{name}:{PASSWORD}", "LOGIN:ACKSTATUS:0")

    @direction(r"(\w+) and (\w+) play in (\w+)")
    async def play_in(self, first: str, second: str, room: str) -> None:
        """Let two begin a match."""
        await self.log_in(first, second)
        await self.begin(first, second, room)

    async def begin(self, first: str, second: str, room: str) -> None:
        """Let two begin a match who are logged in."""
        await self.ask(first, f"CREATE:{room}", "CREATE:ACKSTATUS:0")
        await self.ask(second, f"JOIN:{room}:PLAYER", "JOIN:ACKSTATUS:0")
        for name in (second, first):
            await self.peers[name].expect(self.encode(f"BEGIN:{first}:{second}"))

    def matched(self, peer: Peer, message: bytes) -> None:
        asked = self._asked.get(peer.name, b"").split(b":")
        if message in (b"CREATE:ACKSTATUS:0", b"JOIN:ACKSTATUS:0"):
            self.in_room[peer.name] = asked[1]
        elif message.startswith(b"GAMEEND"):
            self.in_room.pop(peer.name, None)
        elif message == b"LOGIN:ACKSTATUS:0":
            own = asked[1].decode() == self.names.get(peer.name)
            (self.logged_in.add if own else self.logged_in.discard)(peer.name)

    async def finish(self) -> None:
        """Leave connections to other cases, since it takes long to check passwords."""
        await super().finish()
        for name in sorted(self.logged_in & self.peers.keys()):
            peer = self.peers[name]
            if peer.closed is not None:
                continue
            try:
                outside = await self._leave_room(peer)
            except Finding:
                if name not in self.in_room:
                    raise
                # What follows the end of a case was no part of it.
                return
            if outside:
                self.leave_open(name)

    async def _leave_room(self, peer: Peer) -> bool:
        """Whether somebody is outside of rooms, now that the first of the room has given up."""
        if peer.name not in self.in_room:
            return await self.fence(peer.name) == OUTSIDE
        if self.case.leaves_unread:
            return False
        room = self.in_room[peer.name]
        if peer.name == min(name for name in self.in_room if self.in_room[name] == room):
            await self.say(peer, b"FORFEIT")
        names = "|".join(self.names.values())
        ended = re.compile(rf"GAMEEND:[012]{{9}}:(1|[02]:({names}))".encode())
        await peer.expect(ended, limit=LEAVING)
        return await self.fence(peer.name) == OUTSIDE


async def probe(harness: Harness, peer: Peer) -> None:
    """See that the server answers on a new connection."""
    if harness.found is not None:
        peer.end = harness.found.read_end
        peer.send(b"LOGIN:nobody:x" + harness.found.send_end)
        await peer.expect(ACK)


SUITE = Suite("rooms", "docs/rooms.md", RoomsScene, probe)
