"""One room, for any game: occupants, position, and record. It decides, and sends nothing.

A room is a value without a connection or a clock of its own: the caller passes times and random
numbers. Every request returns its events.

Source: rooms.md, "Requests" and "The match".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    GAVE_UP,
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

_MOVING = Began, Placed, Undone  # made once: each use of a union makes a new object


class Member(NamedTuple):
    """A player: the id of the occupant, and its user name on joining.

    ``away`` is None while the occupant is connected. Otherwise, the seat has been held for the user
    since that time of the registry's clock. If a player is ``gone``, the others continue without
    them, and ``occupant`` is empty. ``token_hash`` is that of a guest's token, or empty.
    """

    occupant: OccupantId
    user: str
    away: float | None = None
    gone: bool = False
    token_hash: str = ""


class Offer(NamedTuple):
    """An offer of ``seat``, made at the time ``since``; ``days`` for each move, if that is it."""

    seat: int
    what: Agreement
    since: float
    days: int = 0


Decided = Mapping[str, object] | None
"""The fields of an end that none of the players decided (lobby.md, "The end")."""

Entry = tuple[float, RoomEvent]
"""A line of the record: the time, and the event."""


class Room:
    """A room with up to ``terms.seats`` players, and any number of viewers.

    ``players`` are in the order of their seats; the creator has the first. ``turn`` is the seat to
    move, before and during the match. ``running`` means that the match has begun and isn't paused.
    ``kept`` are the moves that came before their player's turn, one list for each seat; None: none.
    ``number`` is the number of the last event, ``moves`` the number of moves, ``offer`` the open
    offer. An ``awaited`` room hasn't seen all players yet for whom its seats wait. The registry
    writes the ``record``, whose moves lead from ``start`` to the position.

    ``rng`` makes the random numbers of the game. A match that continues an earlier one starts at
    ``start``. The :class:`LiveRoom` sets the ``clock``.
    """

    __slots__ = (
        "_step", "awaited", "clock", "decided", "game", "kept", "moves", "name", "number", "offer",
        "players", "position", "record", "rng", "running", "start", "terms", "turn", "viewers",
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
        self.decided: Decided = None
        self.awaited = self.terms.play is not None
        self._step = step_in(game, rng)
        if start is None and game is USUAL_TERMS.game:
            self.start = self.position = USUAL_START
            self.turn = USUAL_TURN
        else:
            self.start = game.start(self.terms.seats, rng) if start is None else start
            self.set_position(self.start)

    def set_position(self, position: Position) -> None:
        """Continue from ``position``, in which the game isn't over."""
        self.position = position
        self.turn = self.game.turn(position) or 0

    @property
    def moved(self) -> int:
        """The number of the last event that changed the position; 0 before the match."""
        for _, event in reversed(self.record):
            if isinstance(event, _MOVING):
                return event.number
        return 0

    @property
    def began(self) -> float | None:
        """When the match began; None: it hasn't."""
        return next((at for at, event in self.record if type(event) is Began), None)

    @property
    def begun(self) -> bool:
        """Whether the match has begun."""
        return len(self.players) == self.terms.seats and not self.awaited

    @property
    def is_listed(self) -> bool:
        """Whether lists show it: it is public, and no match over days that has begun."""
        return self.terms.key is None and not (self.begun and self.terms.lasting)

    @property
    def paused(self) -> bool:
        """Whether the match is paused."""
        return self.begun and not self.running

    def is_alone(self, user: str | None) -> bool:
        """Return whether ``user`` waits here, or plays only computers or themselves.

        False in a room of a tournament.
        """
        users = [member.user for member in self.players]
        with_computers = self.terms.computers == self.terms.seats - 1
        with_nobody = not self.begun or with_computers or len(set(users)) == 1
        return user in users and with_nobody and self.terms.play is None

    def is_aborted(self, ended: Ended) -> bool:
        """Return whether this rated match of two ended before the winner moved (archive.match).

        A tournament counts it, so it isn't called aborted there.
        """
        if not self.terms.rated or self.terms.play is not None or len(self.players) != 2:
            return False
        if ended.ending not in GAVE_UP or ended.seat is None:
            return False
        return all(event.seat != ended.seat for _, event in self.record if type(event) is Placed)

    def seat_of(self, occupant: OccupantId) -> int | None:
        """Return the seat of ``occupant``; None for others than players."""
        for seat, member in enumerate(self.players):
            if member.occupant == occupant:
                return seat
        return None

    # Requests

    def has_seat(self, user: str | None) -> bool:
        """Return whether ``user`` plays here, connected or not."""
        return any(member.user == user and not member.gone for member in self.players)

    def join(
        self,
        occupant: OccupantId,
        user: str,
        mode: Mode,
        one_seat_each: bool = False,
        token_hash: str = "",
    ) -> list[RoomEvent]:
        """Seat ``user``, if possible in a seat that is held for that name.

        Raises :class:`~tictac.errors.RoomFull` if no seat is left or, with ``one_seat_each``, if
        the user has another seat.
        """
        if mode == "VIEWER":
            self.viewers[occupant] = user
            return [self._come_in(occupant, user, None)]
        players = self.players
        for seat, member in enumerate(players):
            if member.away is not None and member.user == user:
                players[seat] = Member(occupant, user, token_hash=token_hash)
                came: list[RoomEvent] = [self._come_in(occupant, user, seat, token_hash)]
                if self.awaited and all(each.away is None for each in players):
                    self._begin(came)
                return came
        seat = len(players)
        if seat == self.terms.seats or (one_seat_each and any(m.user == user for m in players)):
            raise RoomFull(f"room {self.name} has no seat for {user}")
        events: list[RoomEvent] = [self._come_in(occupant, user, seat, token_hash)]
        players.append(Member(occupant, user, token_hash=token_hash))
        if self.begun:
            self._begin(events)
        return events

    def convene(self, now: float) -> list[RoomEvent]:
        """Let each seat wait for its player; the match begins when the last one joins."""
        assert self.terms.play is not None
        events: list[RoomEvent] = []
        for seat, name in enumerate(self.terms.play.names):
            events.append(self._come_in("", name, seat))
            self.players.append(Member("", name, away=now))
        return events

    def begin(self) -> list[RoomEvent]:
        """Begin a match over days, for which the players needn't come at the same time."""
        events: list[RoomEvent] = []
        self._begin(events)
        return events

    def is_absent(self, now: float, since: float) -> bool:
        """Return whether a player is missing after the grace period, which began at ``since``."""
        play = self.terms.play
        return self.awaited and play is not None and now - since >= play.grace

    def absent(self, leaver: int | None = None) -> RoomEvent:
        """End the match before it begins: missing players, or the ``leaver`` alone, lose."""
        for seat, member in enumerate(self.players):
            if seat == leaver if leaver is not None else member.away is not None:
                self.players[seat] = Member("", member.user, gone=True)
        there = [seat for seat, member in enumerate(self.players) if not member.gone]
        winner = there[0] if len(there) == 1 else None
        user = None if winner is None else self.players[winner].user
        return Ended(self.next_number(), None, self.position, "absent", user, winner)

    def place(self, occupant: OccupantId, move: str | None, keep: bool = True) -> list[RoomEvent]:
        """Play ``move`` (None: the message wasn't a move), or keep it for the player's turn.

        Without ``keep``, a move out of turn or during a pause is refused.
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
        """Resign, also out of turn; before the match, close the room."""
        seat = self.seat_of(occupant)
        return [] if seat is None else [self._give_up(seat, "forfeited")]

    def pause(self, occupant: OccupantId, paused: bool) -> list[RoomEvent]:
        """Pause or continue the match. Raises NotInRoom if there is no match to pause."""
        seat = self.seat_of(occupant)
        if seat is None or not self.begun:
            raise NotInRoom("only players of a match that has begun pause it")
        if paused and self.terms.lasting:  # the other player isn't there to continue it
            raise NotInRoom("a match over days isn't paused")
        if paused is not self.running:
            return []
        self.running = not paused
        events: list[RoomEvent] = [
            Paused(self.next_number(), None, self.players[seat].user, paused)
        ]
        if self.running:
            self._play_kept(events)
        return events

    def call_off(self, ending: Ending = "drawn", decided: Decided = None) -> list[RoomEvent]:
        """End the match without a winner; ``closed``: as others ``decided``, or elsewhere."""
        self.decided = decided
        return [Ended(self.next_number(), None, self.position, ending, None)]

    def say(self, occupant: OccupantId, text: str) -> list[RoomEvent]:
        """Send a chat message to all occupants."""
        return [Said(self.next_number(), None, self._name_of(occupant), text)]

    def leave(self, occupant: OccupantId, cut: bool = False) -> list[RoomEvent]:
        """Take the occupant, who left or was ``cut`` off, out of the room; a player forfeits."""
        seat = self.seat_of(occupant)
        events = [] if seat is None else [self._give_up(seat, "left", cut)]
        self.viewers.pop(occupant, None)
        return events

    def hold(self, occupant: OccupantId, now: float) -> None:
        """Hold the seat of a disconnected player from ``now`` on, or remove a viewer."""
        seat = self.seat_of(occupant)
        if seat is None:
            self.viewers.pop(occupant, None)
        elif self.players[seat].away is None:
            self.players[seat] = self.players[seat]._replace(away=now)

    def missed(self, user: str, seat: int | None) -> Left:
        """Return the event of an occupant who left while the room stays."""
        return Left(self.next_number(), None, user, seat)

    def set_away(self, away: Sequence[float | None]) -> None:
        """Note the times since which players are disconnected; no times change nothing."""
        for seat, since in enumerate(away):
            self.players[seat] = self.players[seat]._replace(away=since)

    def held_since(self) -> float | None:
        """Return since when the longest held seat is held; None if all players are connected."""
        return min((m.away for m in self.players if m.away is not None), default=None)

    def give_up_held(self) -> list[RoomEvent]:
        """Release the seat that has been held longest: its player forfeits."""
        since = self.held_since()
        away = [seat for seat, member in enumerate(self.players) if member.away == since]
        if since is None:
            return []
        # Both disconnected at the same time: the side to move kept the other one waiting.
        return [self._give_up(self.turn if self.turn in away else away[0], "left", True)]

    def time_is_up(self) -> list[RoomEvent]:
        """End the wait for an overdue move or player: the side to move forfeits."""
        return [self._give_up(self.turn, "timed out")]

    def late(self, joined: Joined) -> Joined:
        """Add to the event what an occupant of a running match must know."""
        if not self.begun:
            return joined
        turn, waiting = self.players[self.turn].user, self.players[self.turn - 1].user
        position = None if joined.seat is None else self.position
        return joined._replace(turn=turn, waiting=waiting, position=position)

    # Helpers

    def next_number(self) -> int:
        self.number += 1
        return self.number

    def _begin(self, events: list[RoomEvent]) -> None:
        self.running, self.awaited = True, False
        events.append(Began(self.next_number(), None, tuple([m.user for m in self.players])))
        self._play_kept(events)

    def _name_of(self, occupant: OccupantId) -> str:
        seat = self.seat_of(occupant)
        return self.viewers.get(occupant, "") if seat is None else self.players[seat].user

    def _come_in(
        self, occupant: OccupantId, user: str, seat: int | None, token_hash: str = ""
    ) -> Joined:
        """Return the event of an occupant who joins."""
        mode: Mode = "VIEWER" if seat is None else "PLAYER"
        number, created = self.next_number(), not self.players
        joined = Joined(
            number, occupant, self.name, mode, created, user=user, seat=seat, token_hash=token_hash
        )
        return self.late(joined)

    def _play(self, occupant: OccupantId, move: str | None) -> RoomEvent:
        """Play for the side to move; a refused move changes nothing."""
        try:
            if move is None:
                raise NotAMove("that isn't a move of this game")
            return self._moved(self._step(self.position, move, self.number + 1))
        except (NotAMove, IllegalMove) as refusal:
            return Refused(occupant, "place", refusal, self.position)

    def _moved(self, placed: Placed) -> RoomEvent:
        """Apply a move, which might be the last."""
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
        """Continue without a player, who can watch, or end the match if the game can't continue."""
        if self.awaited:
            return self.absent(seat)
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
