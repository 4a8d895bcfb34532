"""One room, for any game: who sits where, the position, the record. Decides; sends nothing.

A room is a value: it knows no connection and tells no time; times and dice are passed in. Every
request returns the events that it led to.

Source: rooms.md, "Requests" and "The match".
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from tictac.errors import (
    IllegalMove,
    MatchPaused,
    NotAMove,
    NotInRoom,
    NotYourTurn,
    Refusal,
    RoomFull,
)
from tictac.lobby.clock import Clock
from tictac.lobby.events import (
    Agreement,
    Began,
    Ended,
    Ending,
    Joined,
    Left,
    Mode,
    OccupantId,
    Paused,
    Placed,
    Position,
    Refused,
    RoomEvent,
    Said,
    Undone,
)
from tictac.lobby.steps import NO_RNG, USUAL_START, USUAL_TURN, step_in
from tictac.lobby.terms import USUAL_TERMS, Terms

KEPT_MOVES = 9


class Member(NamedTuple):
    """A player: the id of the occupant, and the user name it had on entering.

    ``away`` is None while the occupant is there. Otherwise its seat is held for its user,
    since that time (in seconds from an origin that is the registry's affair). The others go on
    without one who is ``gone``; its ``occupant`` is empty.
    """

    occupant: OccupantId
    user: str
    away: float | None = None
    gone: bool = False


class Offer(NamedTuple):
    """What ``seat`` has proposed, at the time ``since``."""

    seat: int
    what: Agreement
    since: float


Entry = tuple[float, RoomEvent]
"""A line of the record: when it happened, and what."""


class Room:
    """A room of as many players as there are seats, and any number of viewers.

    ``players`` are in the order of their seats; the creator has the first. ``turn`` is the seat
    to move, before and during the match. ``running`` says that the match has begun, and isn't
    paused. ``kept`` are the moves that came before their player's turn, one list a seat; None:
    there are none. ``number`` is that of the last event, ``moves`` counts the moves, ``offer``
    is what is proposed. The registry keeps the ``record``, whose moves lead from
    ``start`` to the position.

    ``terms`` are what was agreed on when it was made; ``rng`` are what chance comes from. A match
    that goes on from an earlier one starts at ``start``. Its table sets the ``clock``.
    """

    __slots__ = (
        "_step", "clock", "game", "kept", "moves", "name", "number", "offer", "players",
        "position", "record", "rng", "running", "start", "terms", "turn", "viewers",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        terms: Terms | None = None,
        rng: Random = NO_RNG,
        start: Position | None = None,
    ) -> None:
        self.name = name
        self.terms = terms or USUAL_TERMS
        self.rng = rng
        self.game = game = self.terms.game
        self.players: list[Member] = []
        self.viewers: dict[OccupantId, str] = {}
        self.running = False
        self.kept: tuple[list[str], ...] | None = None
        self.record: list[Entry] = []
        time, seats = self.terms.time, self.terms.seats
        self.clock = None if time is None else Clock(time, [time.total] * seats)
        self.number = self.moves = 0
        self.offer: Offer | None = None
        self._step = step_in(game, rng)
        if start is None and game is USUAL_TERMS.game:
            self.start = self.position = USUAL_START
            self.turn = USUAL_TURN
        else:
            self.start = game.start(self.terms.seats, rng) if start is None else start
            self.set_position(self.start)

    def set_position(self, position: Position) -> None:
        """Go on from ``position``, in which the game isn't over."""
        self.position = position
        self.turn = self.game.turn(position) or 0

    @property
    def moved(self) -> int:
        """The number of the last event that changed the position; 0 before the match."""
        for _, event in reversed(self.record):
            if isinstance(event, Began | Placed | Undone):
                return event.number
        return 0

    @property
    def begun(self) -> bool:
        """Whether the match has begun."""
        return len(self.players) == self.terms.seats

    @property
    def paused(self) -> bool:
        """Whether the match is interrupted."""
        return self.begun and not self.running

    def is_alone(self, user: str | None) -> bool:
        """Whether ``user`` waits here, or plays computers or themselves."""
        users = [member.user for member in self.players]
        with_computers = self.terms.computers == self.terms.seats - 1
        with_nobody = not self.begun or with_computers or len(set(users)) == 1
        return user in users and with_nobody

    def seat_of(self, occupant: OccupantId) -> int | None:
        """The seat that ``occupant`` plays from, or None."""
        for seat, member in enumerate(self.players):
            if member.occupant == occupant:
                return seat
        return None

    # Requests

    def join(
        self, occupant: OccupantId, user: str, mode: Mode, one_seat_each: bool = False
    ) -> list[RoomEvent]:
        """Seat ``user``, first of all in a seat that is held for that name.

        Raises :class:`~tictac.errors.RoomFull` when no seat is left; with ``one_seat_each``
        also when the same user has another one.
        """
        if mode == "VIEWER":
            self.viewers[occupant] = user
            return [self._come_in(occupant, user, None)]
        players = self.players
        for seat, member in enumerate(players):
            if member.away is not None and member.user == user:
                players[seat] = Member(occupant, user)
                return [self._come_in(occupant, user, seat)]
        seat = len(players)
        if seat == self.terms.seats or (one_seat_each and any(m.user == user for m in players)):
            raise RoomFull(f"room {self.name} has no seat for {user}")
        events: list[RoomEvent] = [self._come_in(occupant, user, seat)]
        players.append(Member(occupant, user))
        if self.begun:
            self.running = True
            events.append(Began(self.next_number(), None, tuple([m.user for m in players])))
            self._play_kept(events)
        return events

    def place(self, occupant: OccupantId, move: str | None, keep: bool = True) -> list[RoomEvent]:
        """Play ``move`` (None: what was sent is no move), or keep it for its turn.

        Without ``keep`` a move out of turn, or during a pause, is refused.
        """
        if not self.running or self.players[self.turn].occupant != occupant:
            if keep:
                self._keep(occupant, move)
                return []
            refusal: Refusal = NotYourTurn(f"it isn't the turn of {self._name_of(occupant)}")
            if self.paused:
                refusal = MatchPaused("the match is paused")
            return [Refused(occupant, "place", refusal, self.position)]
        events = [self._play(occupant, move)]
        if self.kept is not None:
            self._play_kept(events)
        return events

    def forfeit(self, occupant: OccupantId) -> list[RoomEvent]:
        """Give the match up, whoever's turn it is; before it began, close the room."""
        seat = self.seat_of(occupant)
        return [] if seat is None else [self._give_up(seat, "forfeited")]

    def pause(self, occupant: OccupantId, paused: bool) -> list[RoomEvent]:
        """Interrupt the match, or let it go on. Raises NotInRoom when there is none to pause."""
        seat = self.seat_of(occupant)
        if seat is None or not self.begun:
            raise NotInRoom("only players of a match that has begun pause it")
        if paused is not self.running:
            return []
        self.running = not paused
        events: list[RoomEvent] = [
            Paused(self.next_number(), None, self.players[seat].user, paused)
        ]
        if self.running:
            self._play_kept(events)
        return events

    def call_off(self, ending: Ending = "drawn") -> list[RoomEvent]:
        """Nobody has won: it has taken too long, or (closed) goes on elsewhere, if at all."""
        return [Ended(self.next_number(), None, self.position, ending, None)]

    def say(self, occupant: OccupantId, text: str) -> list[RoomEvent]:
        """Say something to everybody in the room."""
        return [Said(self.next_number(), None, self._name_of(occupant), text)]

    def leave(self, occupant: OccupantId, cut: bool = False) -> list[RoomEvent]:
        """The occupant has gone, or was ``cut`` off: a viewer is nothing, a player forfeits."""
        seat = self.seat_of(occupant)
        events = [] if seat is None else [self._give_up(seat, "left", cut)]
        self.viewers.pop(occupant, None)
        return events

    def hold(self, occupant: OccupantId, now: float) -> None:
        """The occupant is cut off: a viewer has gone, a player's seat is held from ``now`` on."""
        seat = self.seat_of(occupant)
        if seat is None:
            self.viewers.pop(occupant, None)
        elif self.players[seat].away is None:
            self.players[seat] = self.players[seat]._replace(away=now)

    def missed(self, user: str, seat: int | None) -> Left:
        """Somebody has gone, and the room goes on."""
        return Left(self.next_number(), None, user, seat)

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
        return [self._give_up(self.turn if self.turn in away else away[0], "left", True)]

    def time_is_up(self) -> list[RoomEvent]:
        """Whoever was waited for hasn't come: the side to move, or a second player."""
        return [self._give_up(self.turn, "timed out")]

    def late(self, joined: Joined) -> Joined:
        """With what somebody who comes into a running match, or back to it, has to know."""
        if not self.begun:
            return joined
        turn, waiting = self.players[self.turn].user, self.players[self.turn - 1].user
        position = None if joined.seat is None else self.position
        return joined._replace(turn=turn, waiting=waiting, position=position)

    # How it is done

    def next_number(self) -> int:
        self.number += 1
        return self.number

    def _name_of(self, occupant: OccupantId) -> str:
        seat = self.seat_of(occupant)
        return self.viewers.get(occupant, "") if seat is None else self.players[seat].user

    def _come_in(self, occupant: OccupantId, user: str, seat: int | None) -> Joined:
        """What happens when somebody does."""
        mode: Mode = "VIEWER" if seat is None else "PLAYER"
        number, created = self.next_number(), not self.players
        joined = Joined(number, occupant, self.name, mode, created, user=user, seat=seat)
        return self.late(joined)

    def _play(self, occupant: OccupantId, move: str | None) -> RoomEvent:
        """Play for the side to move; a move that can't be made changes nothing."""
        try:
            if move is None:
                raise NotAMove("that isn't a move of this game")
            return self._moved(self._step(self.position, move, self.number + 1))
        except (NotAMove, IllegalMove) as refusal:
            return Refused(occupant, "place", refusal, self.position)

    def _moved(self, placed: Placed) -> RoomEvent:
        """A move has been made; it may have been the last."""
        number, _, self.position, _, move, turn = placed
        self.number = number
        self.moves += 1
        self.offer = None
        if turn is not None:
            self.turn = turn
            return placed
        result = self.game.result(self.position)
        assert result is not None
        seat = result.winner
        if seat is None:
            return Ended(number, None, self.position, "drawn", None, None, move)
        return Ended(number, None, self.position, "won", self.players[seat].user, seat, move)

    def _keep(self, occupant: OccupantId, move: str | None) -> None:
        seat = self.seat_of(occupant)
        if seat is None or move is None:
            return
        if self.kept is None:
            self.kept = tuple([[] for _ in range(self.terms.seats)])
        if len(self.kept[seat]) < KEPT_MOVES:
            self.kept[seat].append(move)

    def _play_kept(self, events: list[RoomEvent]) -> None:
        """Play kept moves for as long as the side to move has one."""
        kept = self.kept
        if kept is None:
            return
        while type(events[-1]) is not Ended and kept[self.turn]:
            seat = self.turn
            events.append(self._play(self.players[seat].occupant, kept[seat].pop(0)))
        if not any(kept):
            self.kept = None

    def _give_up(self, seat: int, ending: Ending, cut: bool = False) -> RoomEvent:
        """Go on without a player, who may watch; where the others can't, the match is over."""
        if not self.begun:
            return Ended(self.next_number(), None, self.position, "closed", None)
        dropped = self.game.drop(self.position, seat)
        if dropped is None:
            others = [other for other in range(len(self.players)) if other != seat]
            winner = others[0] if len(others) == 1 else None
            user = None if winner is None else self.players[winner].user
            return Ended(self.next_number(), None, self.position, ending, user, winner, None, cut)
        gone = self.players[seat]
        if gone.away is None:
            self.viewers[gone.occupant] = gone.user
        self.players[seat] = Member("", gone.user, gone=True)
        after, move = dropped
        return self._moved(Placed(self.number + 1, None, after, seat, move, self.game.turn(after)))
