"""The notes that a person has in a full game: who holds which card, as far as that follows."""

from __future__ import annotations

from collections.abc import Collection
from random import Random

from tictac.clue.cards import DECK, SEATS, Card, Triple
from tictac.clue.deduction import ENVELOPE
from tictac.clue.events import Counter, Moved
from tictac.clue.notes import Notes

HAS, HAS_NOT, MAY_HAVE, UNKNOWN = "x", "-", "?", " "


class Notebook:
    """What seat ``seat`` with that ``hand`` can know, kept up by what it is told."""

    def __init__(self, seat: int, hand: Collection[Card], dice: Random) -> None:
        self._notes = Notes(seat, hand, dice)
        self._disproved: list[tuple[int, Triple]] = []

    def moved(self, moved: Moved) -> None:
        """Another seat's turn is over."""
        if moved.suggestion is not None:
            self._notes.suggestion(moved.mover, moved.suggestion, moved.disprover)
            if moved.disprover is not None:
                self._disproved.append((moved.disprover, moved.suggestion))

    def countered(self, suggested: Triple, counter: Counter) -> None:
        """What became of an own suggestion."""
        self._notes.countered(suggested, counter)

    def accused_wrongly(self, triple: Triple) -> None:
        """That isn't the envelope."""
        self._notes.wrong(triple)

    def marks(self) -> dict[Card, list[str]]:
        """Of each card a mark for each seat: has it, hasn't, or showed it or another one."""
        return {card: [self._mark(seat, card) for seat in range(SEATS)] for card in DECK}

    def solved(self) -> list[Card]:
        """The cards that are known to be in the envelope."""
        return [card for card in DECK if self._notes.deduction.holder(card) == ENVELOPE]

    def _mark(self, seat: int, card: Card) -> str:
        has = [hand >> card & 1 for hand in self._notes.deduction.hands[seat]]
        if not any(has):
            return HAS_NOT
        if all(has):
            return HAS
        shown = any(card in triple for disprover, triple in self._disproved if disprover == seat)
        return MAY_HAVE if shown and not self._explained(seat, card) else UNKNOWN

    def _explained(self, seat: int, card: Card) -> bool:
        """Whether each suggestion with this card that the seat disproved has one it surely has."""
        hands = self._notes.deduction.hands[seat]
        return all(
            any(all(hand >> other & 1 for hand in hands) for other in triple)
            for disprover, triple in self._disproved
            if disprover == seat and card in triple
        )
