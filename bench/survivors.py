"""Players who rejoin: pairs that play match after match, whatever fails below them.

They use the protocol and none of the server's code, and note the messages that they receive. The
checker of bench/record.py compares their :class:`Notes` with the record.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

PATIENCE = 15.0
"""Seconds to wait for an answer before a player closes the connection."""

AGAIN = 0.1
"""Seconds before a player retries an operation that isn't possible yet."""

EMPTY = "000000000"


class Lost(Exception):
    """The loss of a connection, or its silence."""


@dataclass
class Notes:
    """The messages to the players of one match. Boards are nine digits."""

    room: str
    users: tuple[str, str]
    seen: list[str] = field(default_factory=list)
    moves: int = 0
    ends: set[str] = field(default_factory=set)
    done: int = 0


@dataclass
class Presence:
    """The seat of a player, or the room that the player wants, and the time of the last event.

    ``silence`` is the longest time without an event since it was set to 0.
    """

    user: str
    room: str = ""
    seated: bool = False
    heard: float = 0.0
    silence: float = 0.0

    def hear(self, now: float) -> None:
        """Note an event."""
        self.silence = self.longest_silence(now)
        self.heard = now

    def longest_silence(self, now: float) -> float:
        """Return the longest time without an event, also if it lasts."""
        return max(self.silence, now - self.heard)


def absent(players: Iterable[Presence], since: float) -> list[str]:
    """Describe each player who has received no event of a match since that time."""
    return [
        f"{player.user} has a seat in {player.room}, and hears of no move and no end"
        if player.seated
        else f"{player.user} isn't back in the seat in {player.room}"
        for player in players
        if player.heard < since
    ]


@dataclass
class Counts:
    """Events of the whole run.

    ``silences`` are the longest ones of each player at each fault of a kind, in seconds. ``gaps``
    are moves that a connected player missed, ``absent`` players without seat or end.
    """

    silences: dict[str, list[float]] = field(default_factory=dict)
    lost: int = 0
    intruders: int = 0
    admitted: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)


class Line:
    """One connection to the server, logged in."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.opened = time.monotonic()

    @classmethod
    async def open(cls, ports: Sequence[int], user: str) -> Line:
        """Connect to any of the ports and log in, with retries until both succeed."""
        while True:
            try:
                line = cls(*await asyncio.open_connection("127.0.0.1", random.choice(ports)))
            except OSError:
                await asyncio.sleep(AGAIN)
                continue
            try:
                if await line.ask(f"LOGIN:{user}:pw") == "LOGIN:ACKSTATUS:0":
                    return line
            except Lost:
                await asyncio.sleep(AGAIN)
            line.close()

    def say(self, message: str) -> None:
        """Send a message."""
        self._writer.write(message.encode() + b"\n")

    async def hear(self) -> str:
        """Return the next message; raises Lost."""
        try:
            line = await asyncio.wait_for(self._reader.readuntil(b"\n"), PATIENCE)
        except (TimeoutError, OSError, asyncio.IncompleteReadError) as error:
            raise Lost(type(error).__name__) from error
        return line.decode().rstrip("\n")

    async def ask(self, message: str) -> str:
        """Send a message, and return the next one."""
        self.say(message)
        return await self.hear()

    def close(self) -> None:
        """Abort the connection."""
        self._writer.transport.abort()


class Player:
    """One of two players; plays a match to its end, over as many connections as needed."""

    def __init__(self, user: str, seat: int, ports: Sequence[int], counts: Counts) -> None:
        self.user = user
        self.presence = Presence(user)
        self._mark = "12"[seat]
        self._creates = seat == 0
        self._ports = ports
        self._counts = counts
        self._line: Line | None = None
        self._sent: str | None = None
        self._board = ""

    async def play(self, notes: Notes) -> None:
        """Play one match."""
        seated = False
        self._sent = None
        self.presence.room = notes.room
        while True:
            try:
                line = await self._connect()
                answer = await self._take_seat(line, notes.room, seated)
                if answer is None:
                    break
                seated = self.presence.seated = True
                self._heard()
                await self._follow(line, notes)
                break
            except Lost:
                self._counts.lost += 1
                self.cut()
        self.presence.seated = False
        notes.done += 1

    def _heard(self) -> None:
        self.presence.hear(time.monotonic())

    def cut(self) -> None:
        """Close the connection."""
        if self._line is not None:
            self._line.close()
        self._line = None
        self.presence.seated = False

    async def _connect(self) -> Line:
        if self._line is None:
            self._line = await Line.open(self._ports, self.user)
        return self._line

    async def _take_seat(self, line: Line, room: str, seated: bool) -> str | None:
        """Create, join or rejoin; return None if the match ended meanwhile."""
        tried = False
        while True:
            if self._creates and not seated and not tried:
                tried = True
                answer = await line.ask(f"CREATE:{room}")
                if answer == "CREATE:ACKSTATUS:0":
                    return answer
                if answer != "CREATE:ACKSTATUS:2":
                    self._counts.odd.append(f"{room}: {answer} to CREATE")
            answer = await line.ask(f"JOIN:{room}:PLAYER")
            if answer == "JOIN:ACKSTATUS:0":
                return answer
            if answer == "JOIN:ACKSTATUS:1":
                if seated:
                    return None
                tried = False
            elif answer != "JOIN:ACKSTATUS:2":
                self._counts.odd.append(f"{room}: {answer} to JOIN")
            await asyncio.sleep(AGAIN)

    async def _follow(self, line: Line, notes: Notes) -> None:
        """Receive events and move until the match is over. Raises Lost."""
        self._board = ""
        while True:
            verb, _, rest = (await line.hear()).partition(":")
            self._heard()
            if verb == "BEGIN":
                self._board = EMPTY
                self._move(line, EMPTY)
            elif verb == "BOARDSTATUS":
                self._note(notes, rest)
                self._move(line, rest)
            elif verb == "GAMEEND":
                self._note(notes, rest.split(":")[0], last=True)
                notes.ends.add(rest)
                return
            elif verb != "INPROGRESS":
                self._counts.odd.append(f"{notes.room}: {verb}:{rest}")

    def _note(self, notes: Notes, board: str, last: bool = False) -> None:
        notes.seen.append(board)
        marks = self._board.count("0") - board.count("0")
        # The last board may come without a move.
        if self._board and not (marks == 1 or (marks == 0 and last)):
            self._counts.gaps.append(f"{notes.room}: {board} after {self._board}")
        self._board = board
        if self._sent is not None and board[int(self._sent)] == self._mark:
            self._sent = None
            notes.moves += 1

    def _move(self, line: Line, board: str) -> None:
        marks = 9 - board.count("0")
        if "12"[marks % 2] != self._mark or marks == 9:
            return
        cell = random.choice([i for i, mark in enumerate(board) if mark == "0"])
        self._sent = str(cell)
        line.say(f"PLACE:{cell % 3}:{cell // 3}")


class Pair:
    """Two players who play in one room after the other."""

    def __init__(self, number: int, ports: Sequence[int], counts: Counts) -> None:
        self._number = number
        self.users = (f"a{number}", f"b{number}")
        self.players = [Player(user, seat, ports, counts) for seat, user in enumerate(self.users)]

    async def run(self, notes: list[Notes], enough: Callable[[], bool]) -> None:
        """Play matches until ``enough()``, the last one to its end."""
        match = 0
        while not enough():
            match += 1
            note = Notes(f"p{self._number}m{match}", self.users)
            notes.append(note)
            await asyncio.gather(*(player.play(note) for player in self.players))
        for player in self.players:
            player.cut()


async def intrude(
    ports: Sequence[int], counts: Counts, notes: Sequence[Notes], enough: Callable[[], bool]
) -> None:
    """Try to get taken seats as another user."""
    lines: dict[str, Line] = {}
    while not enough():
        await asyncio.sleep(AGAIN)
        running = [note for note in notes if note.seen and not note.done]
        if not running:
            continue
        note = random.choice(running)
        try:
            line = lines.get("eve") or await Line.open(ports, "eve")
            lines["eve"] = line
            answer = await line.ask(f"JOIN:{note.room}:PLAYER")
        except Lost:
            lines.clear()
            continue
        counts.intruders += 1
        if answer not in ("JOIN:ACKSTATUS:1", "JOIN:ACKSTATUS:2"):
            counts.admitted.append(f"{note.room}: {answer}")
            line.close()
            lines.clear()


async def cut_some(players: Sequence[Player], enough: Callable[[], bool], every: float) -> None:
    """Close single connections at random times."""
    while not enough():
        await asyncio.sleep(random.expovariate(1 / every))
        random.choice(players).cut()
