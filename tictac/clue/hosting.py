"""A game of Clue with those who play it: what it tells is told, what they answer is answered.

Source: clue.md, "Messages". What decides is a :class:`~tictac.clue.table.Table`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from twisted.logger import Logger

from tictac.clue import wire
from tictac.clue.events import Dropped, Event, Message, Over, Told
from tictac.clue.table import Table
from tictac.errors import NotAMove
from tictac.logs import LIMITED

_log = Logger(observer=LIMITED)


class Seat(Protocol):
    """Whoever plays: a connection, or a player of the server. ``name`` is for the log."""

    name: str

    def sit(self, match: Match, seat: int) -> None:
        """Take the seat with that number."""

    def tell(self, messages: Sequence[Message]) -> None:
        """Hear messages, in one piece."""

    def await_answer(self) -> None:
        """An answer is due from now on; ``match.go_on()`` says that there is one."""

    def next_line(self) -> bytes | None:
        """The answer that is due, if it is there."""

    def expel(self) -> None:
        """The answer was illegal: the seat has left the game already."""

    def finish(self) -> None:
        """The game is over."""


class Match:
    """A game and its seats.

    ``people`` are the seats without whom it isn't gone on with. ``number`` is for the log.
    ``ended`` is told once how it has ended, by a word: ``won``, ``out`` (all seats are),
    ``rounds`` (too many), ``abandoned`` (none of the people is left), ``closed`` (by the
    server's stop).

    Events are carried out in their order, and what comes of that after them.
    """

    def __init__(
        self,
        number: int,
        game: Table,
        seats: Mapping[int, Seat],
        people: Collection[int],
        ended: Callable[[Match, str], None],
    ) -> None:
        self._number = number
        self._game = game
        self._seats = dict(seats)
        self._names = {seat: player.name for seat, player in seats.items()}
        self._people = set(people)
        self._ended: Callable[[Match, str], None] | None = ended
        self._waiting: deque[Sequence[Event]] = deque()
        self._working = False

    def start(self) -> None:
        """Seat everybody and begin."""
        for seat, player in self._seats.items():
            player.sit(self, seat)
        self._apply(self._game.start())

    def go_on(self) -> None:
        """The answer that is due may have come."""
        self._apply([])

    def leave(self, seat: int, why: str) -> None:
        """Somebody has gone; ``why`` is for the log."""
        if self._seats.pop(seat, None) is None or self._ended is None:
            return
        self._note_loss(seat, why)
        self._apply(self._game.drop(seat))

    def close(self) -> None:
        """The server stops."""
        self._end("closed")

    # Carrying out

    def _apply(self, events: Sequence[Event]) -> None:
        if events:
            self._waiting.append(events)
        if self._working:
            return
        self._working = True
        try:
            while self._ended is not None and (self._waiting or self._take_answer()):
                if self._waiting:
                    self._carry_out(self._waiting.popleft())
        finally:
            self._working = False

    def _carry_out(self, events: Sequence[Event]) -> None:
        told: dict[int, list[Message]] = {}
        for event in events:
            if isinstance(event, Told):
                told.setdefault(event.seat, []).append(event.message)
        for seat, messages in told.items():
            self._tell(seat, messages)
        for event in events:
            if isinstance(event, Dropped):
                self._expel(event)
            elif isinstance(event, Over):
                self._end(event.how)

    def _tell(self, seat: int, messages: Sequence[Message]) -> None:
        player = self._seats.get(seat)
        if player is None:
            return
        player.tell(messages)
        due = self._game.due
        if due is not None and due.seat == seat:
            player.await_answer()

    def _expel(self, dropped: Dropped) -> None:
        player = self._seats.pop(dropped.seat)
        self._note_loss(dropped.seat, dropped.why)
        player.expel()

    def _note_loss(self, seat: int, why: str) -> None:
        _log.info(
            "clue: game {game}: {name!r} at seat {seat} is out: {why}",
            game=self._number,
            name=self._names[seat],
            seat=seat,
            why=why,
        )
        self._people.discard(seat)
        if not self._people:
            self._end("abandoned")

    def _take_answer(self) -> bool:
        """Let the game have the answer that is due, if it is there."""
        due = self._game.due
        player = self._seats.get(due.seat) if due is not None else None
        line = player.next_line() if player is not None else None
        if due is None or line is None:
            return False
        try:
            events = self._game.answer(due.seat, wire.read_answer(due.asked, line))
        except NotAMove as refusal:
            events = [Dropped(due.seat, str(refusal)), *self._game.drop(due.seat)]
        self._waiting.append(events)
        return True

    def _end(self, how: str) -> None:
        ended, self._ended = self._ended, None
        if ended is None:
            return
        over = self._game.over
        _log.info(
            "clue: game {game} has ended: {how}; winner: {winner!r}; rounds: {rounds}",
            game=self._number,
            how=how,
            winner=self._names[over.winner] if over and over.winner is not None else None,
            rounds=self._game.rounds,
        )
        seats, self._seats = self._seats, {}
        for player in seats.values():
            player.finish()
        ended(self, how)
