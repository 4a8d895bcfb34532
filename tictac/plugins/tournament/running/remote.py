"""A tournament on another server: players take their seats themselves, and a guest watches.

The tournament can't seat players there. Therefore each game has a room by name: the player of the
first seat opens the room, the others join it in the order of their seats.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.error import ConnectError, ConnectionClosed, DNSLookupError

from tictac.client.address import ServerAddress, way_to, why_not
from tictac.client.connection import LobbyClient, Message, Refused
from tictac.errors import SetupError
from tictac.lobby.events import Ended, Ending, Position
from tictac.lobby.interfaces import Occupant
from tictac.lobby.terms import Terms
from tictac.net.client import WrongMessage
from tictac.plugins.tournament.plan import ABSENT, Fault
from tictac.plugins.tournament.running.contestants import Allowed, Command, Contestant, Missing
from tictac.plugins.tournament.running.rooms import TournamentRooms, WaitingPlayer

SECOND = len("2026-11-22T16:00:00")

LOOKS = 6
"""Requests to the archive, half a second apart, for a match that ended unwatched."""


class AwaitedRoom:
    """A room that is expected, or watched; ``names`` are its players in the order of seats."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.ended: Deferred[Ended] = Deferred()
        self.how: Ending | None = None
        self.players: list[str | None] = []
        self.is_watched = self.is_wrong = self.is_given_up = False
        self.turned: list[Callable[[int | None], object]] = []
        """Functions that are called with the seat to move."""
        self._waiting: list[tuple[int, Deferred[None]]] = []

    def seated(self, seat: int) -> Deferred[None]:
        """Return a Deferred that fires when a player has that seat, or after give_up."""
        coming: Deferred[None] = Deferred()
        self._waiting.append((seat, coming))
        self._tell()
        return coming

    def show(self, players: Sequence[str | None]) -> None:
        """Note the players of the room, in the order of seats."""
        self.players = list(players)
        self._tell()

    def give_up(self) -> None:
        """Stop waiting for players, because one of them did not come."""
        self.is_given_up = True
        self._tell()

    def misplaced(self, seat: int, name: str) -> Fault | None:
        """Return the fault of the player who should have that seat; None if there is none."""
        if seat == 0 and self.is_wrong:
            return Fault("cheated", "the room is for another game, or has other options")
        if self.players[seat] != name:
            return Fault("cheated", f"{self.players[seat]} has that seat in the room")
        return None

    def _tell(self) -> None:
        waiting, self._waiting = self._waiting, []
        for seat, coming in waiting:
            there = seat < len(self.players) and self.players[seat] is not None
            if coming.called:
                continue
            if there or self.is_given_up:
                coming.callback(None)
            else:
                self._waiting.append((seat, coming))


class RemoteSeating(TournamentRooms):
    """The rooms of a tournament on another server, watched through ``client``.

    The name of a room is ``prefix`` and the number of the game.
    """

    def __init__(
        self, client: LobbyClient, terms: Terms, prefix: str, later: Callable[..., object]
    ) -> None:
        # Without the base class, because this class makes no rooms.
        self.terms = terms
        self.failed: Callable[[SetupError], object] = lambda error: None
        """Called when the connection closes."""
        self.rooms: dict[str, AwaitedRoom] = {}
        self._client, self._prefix, self._later = client, prefix, later
        self._asked: dict[object, tuple[AwaitedRoom, int]] = {}
        self._known: set[str] = set()
        self._since = ""

    def name_of(self, number: int) -> str:
        return f"{self._prefix} {number}"

    def seat(
        self, name: str, guests: Sequence[WaitingPlayer], start: Position, clock: bool = True
    ) -> Deferred[Ended]:
        return self.rooms[name].ended

    async def begin(self) -> None:
        """Follow the rooms, as a guest. Raise SetupError if guests or the names are refused."""
        try:
            await self._client.request("guest")
            answer, _ = await self._client.request("lobby")
        except (Refused, ConnectionClosed, WrongMessage) as error:
            raise SetupError(f"the server doesn't let guests look on: {error}") from None
        self._since = answer["now"][:SECOND]
        for room in answer["rooms"]:
            if self._is_ours(room["room"]):
                raise SetupError(
                    f"there is a room {room['room']!r} on the server: wait until it is gone, or "
                    "name other --rooms"
                )

    async def listen(self) -> None:
        """Take the server's messages until the connection closes."""
        try:
            while True:
                message = await self._client.next_message()
                if "event" in message and message.get("room") in self.rooms:
                    self._hear(self.rooms[message["room"]], message)
                elif message.get("answer") in self._asked:
                    self._found(*self._asked.pop(message["answer"]), message.get("matches", []))
        except (ConnectionClosed, WrongMessage):
            self.failed(SetupError(self._client.ending))

    def _is_ours(self, name: str) -> bool:
        return re.fullmatch(rf"{re.escape(self._prefix)} [0-9]+", name) is not None

    def _hear(self, room: AwaitedRoom, message: Message) -> None:
        event = message["event"]
        if event == "lobby" and message.get("gone"):
            self._look_up(room, LOOKS)
        elif event == "lobby" and not room.is_watched:
            room.is_watched = True
            self._client.send("watch", room=message["room"])
        if event == "room":
            about = message["game"], message["options"], len(message["players"])
            terms = self.terms
            room.is_wrong = about != (terms.game_type.name, dict(terms.values), terms.seats)
        if event in ("room", "joined", "began"):
            seated = message["players"]
            room.show([each["user"] if isinstance(each, dict) else each for each in seated])
        if "turn" in message or event == "ended":
            for told in room.turned:
                told(message.get("turn"))
        if event == "ended":
            self._end(room, message["how"], message["winner"], message.get("match", ""))

    def _end(self, room: AwaitedRoom, how: Ending, winner: int | None, match: str) -> None:
        self._known.add(match)
        if how != "closed" and not room.ended.called:
            room.how = how
            room.ended.callback(Ended(0, None, None, how, None, winner, match=match))

    def _look_up(self, room: AwaitedRoom, times: int) -> None:
        """Ask the archive for the match of a closed room whose ending is unknown."""
        if not room.ended.called:
            game = self.terms.game_type.name
            number = self._client.send("matches", game=game, player=room.names[0])
            self._asked[number] = room, times

    def _found(self, room: AwaitedRoom, times: int, matches: Sequence[Message]) -> None:
        for match in matches:
            names = [player["name"] for player in match["players"]]
            is_new = match["id"] not in self._known and match["began"][:SECOND] >= self._since
            if is_new and names == room.names:
                room.show(names)
                self._end(room, match["ending"], match["winner"], match["id"])
                return
        if times > 1:
            self._later(0.5, self._look_up, room, times - 1)
        else:
            room.is_watched = False  # no match was played; another room may open
            room.show([])


class RemoteContestant(Contestant):
    """A player who takes a ``seat`` of ``room`` within ``patience`` seconds; 0 is no limit."""

    def __init__(
        self, name: str, seat: int, room: AwaitedRoom, reactor: Any, patience: float
    ) -> None:
        super().__init__(name)
        self._seat, self._room = seat, room
        self._reactor, self._patience = reactor, patience

    def arrive(self) -> Deferred[WaitingPlayer]:
        return Deferred.fromCoroutine(self._arrive())

    async def _arrive(self) -> WaitingPlayer:
        coming = self._room.seated(self._seat)
        if self._patience:
            coming.addTimeout(self._patience, self._reactor)
        try:
            await coming
        except TimeoutError:
            self._room.give_up()
            raise Missing(Fault(ABSENT, "hasn't come")) from None
        return _seated(self, self._room, self._seat)

    def take_seat(self, room: str) -> Occupant:
        raise NotImplementedError("it sits there")


class RemoteBot(Command):
    """A command that takes a ``seat`` of ``room`` itself, after the players of earlier seats.

    A move of the command may take up to ``seconds``.
    """

    def __init__(
        self, name: str, seat: int, command: str, place: ServerAddress, called: str, room:
        AwaitedRoom, seconds: float, reactor: Any, allowed: Allowed, errors: Path, title: str,
    ) -> None:  # fmt: skip
        super().__init__(name, command, reactor, allowed, errors, title)
        self._seat, self._place, self._called, self._room = seat, place, called, room
        self._seconds = seconds
        self._slow: Fault | None = None
        self._move: Any = None

    def arrive(self) -> Deferred[WaitingPlayer]:
        return Deferred.fromCoroutine(self._arrive())

    async def fault(self) -> Fault | None:
        if self._slow is None and self._room.how == "left":
            return await self.why_lost()
        return self._slow

    def _turn(self, turn: int | None) -> None:
        if self._move is not None and self._move.active():
            self._move.cancel()
        if turn == self._seat:
            self._move = self._reactor.callLater(self._seconds, self._too_slow)

    def _too_slow(self) -> None:
        self._slow = Fault("timed out", f"it hasn't moved for {self._seconds:g} s")
        self.kill()

    def end(self) -> None:
        super().end()
        self._turn(None)

    async def _arrive(self) -> WaitingPlayer:
        room, place = self._room, self._place
        if self._seat:
            await room.seated(self._seat - 1)
        if not room.is_given_up:
            room.turned.append(self._turn)
            do = "join" if self._seat else "open"
            starting = self.start(host=place.host, port=place.port, room=self._called, do=do)
            room.seated(self._seat).addCallback(self._is_there)
            try:
                await starting
            except Missing:
                room.give_up()
                raise
        return _seated(self, room, self._seat)

    def _is_there(self, _: None) -> None:
        if not (self._room.is_given_up or self._coming.called):
            self.wait(self)


def _seated(
    contestant: RemoteContestant | RemoteBot, room: AwaitedRoom, seat: int
) -> WaitingPlayer:
    """Return the player who has come, or whom the room gave up. Raise Missing for a fault."""
    if not room.is_given_up and (fault := room.misplaced(seat, contestant.name)) is not None:
        room.give_up()
        raise Missing(fault)
    return contestant


async def connect(reactor: Any, place: ServerAddress) -> LobbyClient:
    """Return a connection to the server. Raise SetupError."""
    try:
        return await way_to(reactor, place)()
    except ValueError as error:
        raise SetupError(str(error)) from None
    except (ConnectError, DNSLookupError, ConnectionClosed, WrongMessage, OSError) as error:
        raise SetupError(why_not(place, error)) from None
