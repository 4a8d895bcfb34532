"""The full game of six seats: who is asked, who is told what, and who is out.

Source: clue.md, "The full game".
"""

from __future__ import annotations

from random import Random

from tictac.clue.board import Board
from tictac.clue.cards import SEATS, Card, Deal, Triple
from tictac.clue.events import (
    Answer,
    Asked,
    Counter,
    Due,
    Hello,
    Message,
    Moved,
    Told,
    Wrong,
)
from tictac.clue.rules import after, disprover
from tictac.clue.table import MAX_ROUNDS, Table, wrong_card


class Game(Table):
    """A game of six seats; seat and token have the same number.

    A seat is ``out`` that has no more turns, and ``gone`` (and out) when nobody sits there any
    more: then the game shows its cards itself, and tells it nothing.
    """

    def __init__(
        self, board: Board, deal: Deal, dice: Random, max_rounds: int = MAX_ROUNDS
    ) -> None:
        super().__init__(board, deal.envelope, dice, max_rounds)
        self.hands = deal.hands
        self.out: set[int] = set()
        self.gone: set[int] = set()
        self._mover = -1
        self._suggestion: Triple | None = None

    def _begin(self) -> None:
        for seat, hand in enumerate(self.hands):
            self._tell(seat, Hello(seat, tuple(sorted(hand))))
        self._next_turn()

    def _take(self, asked: Asked, answer: Answer) -> None:
        seat = self._mover
        if asked == "turn":
            self._take_choice(seat, answer)
        elif asked == "move":
            if self._take_move(seat, answer) is None:
                self._end_turn()
        elif asked == "suggest":
            self._suggest(self._take_suggestion(seat, answer))
        elif asked == "accuse":
            self._accuse(self._take_accusation(answer))
        else:
            self._show(answer)

    def _drop(self, seat: int) -> None:
        self.gone.add(seat)
        self.out.add(seat)
        if len(self.out) == SEATS:
            self._end("out")
        elif self.due is not None and self.due.seat == seat:
            if self.due.asked == "show":
                self._show_for(seat)
            else:
                self._end_turn()

    def _tell(self, seat: int, message: Message) -> None:
        if seat not in self.gone:
            self._events.append(Told(seat, message))

    def _suggest(self, suggestion: Triple) -> None:
        self._suggestion = suggestion
        shower = disprover(self.hands, self._mover, suggestion)
        self._tell_others(suggestion, shower)
        if shower is None:
            self._counter(None, None)
        elif shower in self.gone:
            self._show_for(shower)
        else:
            self.due = Due(shower, "show")

    def _show(self, card: Answer) -> None:
        assert self.due is not None and self._suggestion is not None
        shower = self.due.seat
        if not isinstance(card, int) or card not in self.hands[shower] & set(self._suggestion):
            raise wrong_card(card)
        self._counter(card, shower)

    def _show_for(self, shower: int) -> None:
        assert self._suggestion is not None
        self._counter(next(c for c in self._suggestion if c in self.hands[shower]), shower)

    def _counter(self, card: Card | None, shower: int | None) -> None:
        self._tell(self._mover, Counter(card, shower))
        self._next_turn()

    def _accuse(self, right: bool) -> None:
        if right:
            self._end("won", self._mover)
            return
        self._tell(self._mover, Wrong())
        self.out.add(self._mover)
        self._end_turn()

    def _end_turn(self) -> None:
        """End a turn without a suggestion."""
        self._tell_others(None, None)
        if len(self.out) == SEATS:
            self._end("out")
        else:
            self._next_turn()

    def _tell_others(self, suggestion: Triple | None, shower: int | None) -> None:
        for seat in after(self._mover):
            self._tell(seat, Moved(self.state, self._mover, suggestion, shower))

    def _next_turn(self) -> None:
        """Go on to the next seat that has turns; those that are out are told of in passing."""
        while True:
            self._mover = (self._mover + 1) % SEATS
            if self._mover == 0 and self.rounds == self._max_rounds:
                self._end("rounds")
                return
            self.rounds += self._mover == 0
            if self._mover not in self.out:
                self._ask_choice(self._mover)
                return
            self._tell_others(None, None)
