"""What the detective notes besides what is certain: what the others are like, and what is likely.

Of another seat it is guessed whether it is *sensible* (it never suggests a card that it holds:
then each suggestion tells what it hasn't) and whether it is a *leech* (it accuses with whatever
it saw nobody disprove). Guesses give weights to deals; they never make anything certain.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce
from math import prod
from operator import or_
from random import Random

from tictac.games.clue.cards import SEATS, Card, Triple
from tictac.games.clue.deduction import (
    ENVELOPE,
    Cards,
    ContradictionError,
    Deduction,
    Holdings,
    as_cards,
)
from tictac.games.clue.messages import Counter
from tictac.games.clue.sampling import Sample, sample

PRIOR_SENSIBLE = 1 / 3
PRIOR_LEECH = 1 / 3
TELLING = 2.0
"""How much likelier a sensible seat makes a suggestion that avoids its cards than one that
suggests at random: 36 pairs of player and weapon against some 20, and the room."""
WALKS = 5
"""Samples for a chance on which a game depends."""


class Notes(Deduction):
    """What a seat knows, and guesses. ``shown_to[s]`` are own cards that ``s`` has seen.

    ``leech[s]`` is how likely it is that ``s`` waits for a suggestion to accuse with;
    ``out`` are those that seem to have accused; ``threat`` is the last suggestion of another
    seat that nobody disproved, since the own turn.
    """

    def __init__(self, seat: int, hand: Collection[Card], dice: Random) -> None:
        super().__init__(seat, hand)
        self.shown_to: list[set[Card]] = [set() for _ in range(SEATS)]
        self.leech = [PRIOR_LEECH] * SEATS
        self.leech[seat] = 0.0
        self.out: set[int] = set()
        self.threat: Triple | None = None
        self._dice = dice
        self._suggested: list[list[Cards]] = [[] for _ in range(SEATS)]
        self._bluffs = {seat}
        self._tempted: set[int] = set()
        self._sample: Sample | None = None
        self._last: Holdings | None = None

    # What happened

    def suggestion(self, suggester: int, triple: Triple, disprover: int | None) -> None:
        super().suggestion(suggester, triple, disprover)
        if disprover is None:
            self._tempted = set(range(SEATS)) - {self.seat}
            if suggester != self.seat:
                self.threat = triple
        self._suggested[suggester].append(as_cards(triple))
        if self.shown_to[suggester] & {triple.player, triple.weapon}:
            self._bluffs.add(suggester)
        self._sample = None

    def countered(self, triple: Triple, counter: Counter) -> None:
        super().countered(triple, counter)
        self._sample = None

    def turn_of(self, seat: int, *, acted: bool) -> None:
        """Note that another seat's turn is over; ``acted`` says that it moved or suggested."""
        if seat in self._tempted:
            # A leech would have accused: whoever moves is none, whoever doesn't is out now.
            self._tempted.discard(seat)
            self.leech[seat] = 0.0
            if not acted:
                self.out.add(seat)
        elif acted:
            self.out.discard(seat)

    # What is likely

    def some_leech(self) -> float:
        """How likely it is that there is a leech at all that still has turns."""
        return 1 - prod(1 - chance for chance in self.leech)

    def sample(self) -> Sample:
        """Deals that fit all of this."""
        if self._sample is None:
            try:
                self._sample = sample(self._weights(), self._dice, self._last)
            except ContradictionError:
                self.forget()
                self._sample = sample(self._weights(), self._dice)
            self._last = self._sample.holdings[-1]
        return self._sample

    def chance(self, triple: Triple) -> float:
        """How likely this is the envelope, more exactly than by one sample.

        A walk through the deals seldom changes between those where somebody bluffed and those
        where this is the truth, so a few of them are averaged.
        """
        envelope, chances = as_cards(triple), []
        for _ in range(WALKS):
            found = self.sample()
            chances.append(found.envelopes().get(envelope, 0.0))
            if found.exact:
                return chances[-1]
            self._sample = None
        return sum(chances) / WALKS

    def _weights(self) -> list[dict[Cards, float]]:
        """How likely each set of each place is by what the seats have suggested."""
        weights = [dict.fromkeys(hands, 1.0) for hands in self.hands]
        odds = PRIOR_SENSIBLE / (1 - PRIOR_SENSIBLE)
        for seat, hands in enumerate(self.hands[:ENVELOPE]):
            suggested = self._suggested[seat]
            if seat not in self._bluffs and suggested:
                asked = reduce(or_, suggested)
                honest = 1.0 + odds * TELLING ** min(len(suggested), 20)
                weights[seat] = {hand: 1.0 if hand & asked else honest for hand in hands}
        return weights
