"""One room: who sits where, the position, the kept moves. Decides; sends nothing.

A room is a value: it knows no connection and no clock, it can be written out with
:meth:`Room.dump` and read back with :meth:`Room.load`, and two that were read from the
same bytes behave the same. Every request returns the events that it led to.

Source: rooms.md, "Requests" and "The match".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import NamedTuple, Self

from tictac.errors import BadRoomName, IllegalMove, NotAMove, RoomFull, TooManyRoomsOfOneUser
from tictac.games.tictactoe.rules import EMPTY, Board, Rules, X
from tictac.rooms.events import (
    Began,
    Ended,
    Ending,
    Joined,
    Mode,
    OccupantId,
    Placed,
    Refused,
    RoomEvent,
)

RULES = Rules()
EMPTY_BOARD = RULES.initial()
SEATS = 2
KEPT_MOVES = 9

_NAME = re.compile(r"[A-Za-z0-9_ -]{1,20}", re.ASCII)

Move = tuple[int, int]
"""Column and row, from 0; they may lie off the board."""


def check_waits_in_few(user: str | None, rooms: Iterable[Room], most: int, making: int = 0) -> None:
    """Make sure that ``user`` waits for a second player in less than ``most`` of these rooms and
    of the ``making`` that will be there in a moment.

    Raises TooManyRoomsOfOneUser.
    """
    waits = sum(not r.begun and any(member.user == user for member in r.players) for r in rooms)
    if waits + making >= most:
        raise TooManyRoomsOfOneUser(f"{user} waits in {most} rooms already")


def check_room_name(name: str) -> None:
    """Raise :class:`~tictac.errors.BadRoomName` unless ``name`` may name a room."""
    if not _NAME.fullmatch(name):
        raise BadRoomName(f"{name!r} can't name a room")


class Member(NamedTuple):
    """A player: the id of the occupant, and the user name it had on entering.

    ``away`` is None while the occupant is there. Otherwise its seat is held for its user,
    since that time (in seconds from an origin that is the registry's affair).
    """

    occupant: OccupantId
    user: str
    away: float | None = None


# The events of the moves that matches make again and again: with them kept, the rules cost a
# look-up on the path of a move. (The game has 16,167 moves; the number mostly follows.)
@lru_cache(maxsize=32_768)
def _placed(board: Board, move: Move, number: int) -> Placed | None:
    """The event of ``move`` if it can be made and the match goes on, otherwise None."""
    cell = RULES.cell(*move)
    if cell is None or board[cell] != EMPTY:
        return None
    after = RULES.play(board, cell)
    return Placed(number, None, after, cell) if RULES.outcome(after) is None else None


@dataclass(slots=True)
class Room:
    """A room of two players and any number of viewers.

    ``players[0]`` is the creator, moves first and plays X. ``kept`` are the moves that
    came before their player's turn, one list a seat. ``number`` is that of the last event.
    """

    name: str
    players: list[Member] = field(default_factory=list)
    viewers: dict[OccupantId, str] = field(default_factory=dict)
    board: Board = EMPTY_BOARD
    kept: list[list[Move]] = field(default_factory=lambda: [[], []])
    number: int = 0

    @property
    def begun(self) -> bool:
        """Whether the match has begun."""
        return len(self.players) == SEATS

    @property
    def turn(self) -> int:
        """The seat whose turn it is, by counting the marks."""
        return (len(self.board) - self.board.count(EMPTY)) % SEATS

    def occupants(self) -> Iterator[OccupantId]:
        """The ids of everybody in the room, players first."""
        for member in self.players:
            yield member.occupant
        yield from self.viewers

    def seat_of(self, occupant: OccupantId) -> int | None:
        """The seat that ``occupant`` plays from: 0, 1, or None."""
        players = self.players
        if players and players[0].occupant == occupant:
            return 0
        return 1 if len(players) == SEATS and players[1].occupant == occupant else None

    # Requests

    def join(
        self, occupant: OccupantId, user: str, mode: Mode, one_seat_each: bool = False
    ) -> list[RoomEvent]:
        """Seat ``user``, first of all in a seat that is held for that name.

        Raises :class:`~tictac.errors.RoomFull` when no seat is left; with ``one_seat_each``
        also when the same user has the other one.
        """
        if mode == "VIEWER":
            return [self._join_viewer(occupant, user)]
        for seat, member in enumerate(self.players):
            if member.away is not None and member.user == user:
                return [self._come_back(seat, occupant)]
        if self.begun or (one_seat_each and any(m.user == user for m in self.players)):
            raise RoomFull(f"room {self.name} has no seat for {user}")
        created = not self.players
        self.players.append(Member(occupant, user))
        events: list[RoomEvent] = [Joined(self._next(), occupant, self.name, mode, created)]
        if self.begun:
            first, second = self.players
            events.append(Began(self._next(), None, first.user, second.user))
            self._play_kept(events)
        return events

    def place(self, occupant: OccupantId, move: Move | None) -> list[RoomEvent]:
        """Play ``move`` (None: what was sent is no move), or keep it for its turn."""
        players, board = self.players, self.board
        # self.turn, but without the call: this is the path of a move.
        turn = (len(board) - board.count(EMPTY)) % SEATS
        if len(players) < SEATS or players[turn].occupant != occupant:
            self._keep(occupant, move)
            return []
        events = [self._play(occupant, move)]
        if self.kept[0] or self.kept[1]:
            self._play_kept(events)
        return events

    def forfeit(self, occupant: OccupantId) -> list[RoomEvent]:
        """Give the match up, whoever's turn it is; before it began, close the room."""
        seat = self.seat_of(occupant)
        return [] if seat is None else [self._give_up(seat, "forfeited")]

    def leave(self, occupant: OccupantId) -> list[RoomEvent]:
        """The occupant has gone: a viewer is nothing, a player forfeits."""
        seat = self.seat_of(occupant)
        if seat is not None:
            return [self._give_up(seat, "left")]
        self.viewers.pop(occupant, None)
        return []

    def hold(self, occupant: OccupantId, now: float) -> None:
        """The occupant is cut off: a viewer has gone, a player's seat is held from ``now`` on."""
        seat = self.seat_of(occupant)
        if seat is None:
            self.viewers.pop(occupant, None)
        elif self.players[seat].away is None:
            self.players[seat] = self.players[seat]._replace(away=now)

    def unhold(self, occupant: OccupantId) -> None:
        """The occupant was there all the time, and it was an error to hold its seat."""
        seat = self.seat_of(occupant)
        if seat is not None:
            self.players[seat] = self.players[seat]._replace(away=None)

    def held_since(self) -> float | None:
        """Since when the seat that has been held longest is; None: both players are there."""
        return min((m.away for m in self.players if m.away is not None), default=None)

    def give_up_held(self) -> list[RoomEvent]:
        """Nobody has come back to the seat that has been held longest: its player has left."""
        since = self.held_since()
        away = [seat for seat, member in enumerate(self.players) if member.away == since]
        if since is None:
            return []
        # Both were cut off in the same moment: it is the one to move who kept the other waiting.
        return [self._give_up(self.turn if self.turn in away else away[0], "left")]

    def time_is_up(self) -> list[RoomEvent]:
        """Whoever was waited for hasn't come: the side to move, or a second player."""
        return [self._give_up(self.turn, "timed out")]

    # How it is done

    def _next(self) -> int:
        self.number += 1
        return self.number

    def _join_viewer(self, occupant: OccupantId, user: str) -> Joined:
        self.viewers[occupant] = user
        return self._late(Joined(self._next(), occupant, self.name, "VIEWER", False))

    def _come_back(self, seat: int, occupant: OccupantId) -> Joined:
        self.players[seat] = Member(occupant, self.players[seat].user)
        joined = self._late(Joined(self._next(), occupant, self.name, "PLAYER", False))
        return joined._replace(board=self.board) if self.begun else joined

    def _late(self, joined: Joined) -> Joined:
        """With what somebody who comes into a running match has to know."""
        if not self.begun:
            return joined
        turn, waiting = self.players[self.turn].user, self.players[1 - self.turn].user
        return joined._replace(turn=turn, waiting=waiting)

    def _play(self, occupant: OccupantId, move: Move | None) -> RoomEvent:
        """Play for the side to move; a move that can't be made changes nothing."""
        if move is None:
            refusal = NotAMove("a move is a column and a row")
            return Refused(occupant, "place", refusal, self.board)
        placed = _placed(self.board, move, self.number + 1)
        if placed is not None:
            self.number, _, self.board, _ = placed
            return placed
        try:
            self.board = RULES.play(self.board, RULES.cell(*move))
        except IllegalMove as refusal:
            return Refused(occupant, "place", refusal, self.board)
        return self._end()

    def _end(self) -> Ended:
        """The last move has been made: won or drawn."""
        outcome = RULES.outcome(self.board)
        assert outcome is not None
        if outcome.winner is None:
            return Ended(self._next(), None, self.board, "drawn", None)
        winner = self.players[0 if outcome.winner == X else 1].user
        return Ended(self._next(), None, self.board, "won", winner)

    def _keep(self, occupant: OccupantId, move: Move | None) -> None:
        seat = self.seat_of(occupant)
        if seat is not None and move is not None and len(self.kept[seat]) < KEPT_MOVES:
            self.kept[seat].append(move)

    def _play_kept(self, events: list[RoomEvent]) -> None:
        """Play kept moves for as long as the side to move has one."""
        while type(events[-1]) is not Ended and self.kept[self.turn]:
            seat = self.turn
            events.append(self._play(self.players[seat].occupant, self.kept[seat].pop(0)))

    def _give_up(self, seat: int, ending: Ending) -> Ended:
        if not self.begun:
            return Ended(self._next(), None, self.board, "closed", None)
        return Ended(self._next(), None, self.board, ending, self.players[1 - seat].user)

    # Written out and read back

    def dump(self) -> bytes:
        """The room as JSON; :meth:`load` reads it."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def load(cls, data: bytes) -> Self:
        """The room that :meth:`dump` wrote."""
        room = cls(**json.loads(data))
        room.players = [Member(*member) for member in room.players]
        room.kept = [[(column, row) for column, row in moves] for moves in room.kept]
        return room
