"""The evaluation of Clue's turns: the knowledge of a perfect note-taker, and whether it was used.

The expected score is the chance that the seat's own accusation is right. Waiting for certainty
costs the chance that another seat wins meanwhile, also for a seat that knows the solution.
"""

from __future__ import annotations

from tictac.game import Evaluation, ShouldStop
from tictac.plugins.clue.game.cards import Triple, as_triple, read_card, show_triple
from tictac.plugins.clue.game.deduction import ENVELOPE, Deduction, as_cards, members
from tictac.plugins.clue.game.detective import RISK
from tictac.plugins.clue.game.messages import heard
from tictac.plugins.clue.game.position import Position, format_move
from tictac.plugins.clue.game.rules import Clue


class NoteTakers:
    """A note-taker for each seat, which evaluates its choices (tictac.game.Evaluator).

    A roll isn't a choice.
    """

    def __init__(self, game: Clue) -> None:
        self._game = game
        self._seats: list[Deduction] = []
        self._turns = 0
        self._named = False

    def __call__(self, position: Position, move: str, stop: ShouldStop) -> Evaluation | None:
        """Return the value of accusing or not, and of the accusation."""
        seat, verb = self._game.turn(position), move.partition(" ")[0]
        if seat is None or position.asked not in ("turn", "accuse") or verb == "drop":
            return None
        if position.asked == "turn":
            self._receive(position)
        notes = self._seats[seat]
        solution = notes.solution()
        left = 1 if solution else max(2, len(notes.hands[ENVELOPE]))
        if position.asked == "accuse":
            return _accused(
                notes, move, solution or Triple(*members(notes.hands[ENVELOPE][0])), left
            )
        waiting = 1 - RISK * (len(position.tokens) - 1 - len(position.out))
        before = 1.0 if solution else waiting
        after = 1 / left if verb == "accuse" else waiting
        best = "accuse" if solution and after < before else "roll" if verb == "accuse" else move
        return Evaluation(
            move if after == before else best, before, after, self._note(solution, left)
        )

    def _receive(self, position: Position) -> None:
        """Take the messages of the turns that ended since the last call."""
        if not self._seats:
            hands = position.hands or (None,)
            self._seats = [Deduction(seat, hand) for seat, hand in enumerate(hands)]
        for notes in self._seats:
            for message, answer in heard(position, notes.seat, self._turns):
                notes.observe(message, answer)
        self._turns = len(position.past)

    def _note(self, solution: Triple | None, left: int) -> str:
        """Describe the current knowledge, and once which seats first knew the solution."""
        text = f"{left} solutions left" if solution is None else f"it was {show_triple(solution)}"
        if self._named:
            return text
        first = [notes.seat for notes in self._seats if notes.solution() is not None]
        self._named = bool(first)
        seats = ", ".join(str(other + 1) for other in first)
        return f"{text}; it can be named for the first time, by seat {seats}" if first else text


def _accused(notes: Deduction, move: str, likeliest: Triple, left: int) -> Evaluation:
    triple = as_triple(map(read_card, move.split(" ")[1:]))
    possible = as_cards(triple) in notes.hands[ENVELOPE] and (left > 1 or triple == likeliest)
    best = move if possible else format_move("accuse", likeliest)
    return Evaluation(best, 1 / left, 1 / left if possible else 0.0)
