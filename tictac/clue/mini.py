"""The mini-game: one seat, no cards; each counter names an element that is wrong.

Source: clue.md, "The mini-game".
"""

from __future__ import annotations

from random import Random

from tictac.clue.board import Board
from tictac.clue.cards import SEATS, Triple, draw_envelope
from tictac.clue.events import Answer, Asked, Counter, Hello, Message, Told, Wrong
from tictac.clue.table import MAX_ROUNDS, Table


class MiniGame(Table):
    """A game of one seat, whose number is that of its token; a round is one turn."""

    def __init__(self, board: Board, dice: Random, max_rounds: int = MAX_ROUNDS) -> None:
        super().__init__(board, draw_envelope(dice), dice, max_rounds)
        self.token = dice.randrange(SEATS)

    def _begin(self) -> None:
        self._tell(self.token, Hello(self.token, None))
        self._next_turn()

    def _take(self, asked: Asked, answer: Answer) -> None:
        if asked == "turn":
            self._take_choice(self.token, answer)
        elif asked == "move":
            if self._take_move(self.token, answer) is None:
                self._next_turn()
        elif asked == "suggest":
            self._counter(self._take_suggestion(self.token, answer))
        elif self._take_accusation(answer):
            self._end("won", self.token)
        else:
            self._tell(self.token, Wrong())
            self._end("out")

    def _drop(self, seat: int) -> None:
        self._end("out")

    def _tell(self, seat: int, message: Message) -> None:
        self._events.append(Told(seat, message))

    def _counter(self, suggestion: Triple) -> None:
        wrong = [card for card in suggestion if card not in self.envelope]
        self._tell(self.token, Counter(self._dice.choice(wrong) if wrong else None, None))
        self._next_turn()

    def _next_turn(self) -> None:
        if self.rounds == self._max_rounds:
            self._end("rounds")
        else:
            self.rounds += 1
            self._ask_choice(self.token)
