"""The detective's notes on probabilities: the habits of the other seats, and the likely deals.

The notes estimate whether another seat is *sensible*: such a seat never suggests a card that it
holds, so each of its suggestions reveals cards that it lacks. They also estimate whether a seat is
a *leech*, which accuses with any undisproved suggestion. These estimates give weights to
deals; they never make anything certain.

The likelihood of a deal is the product of a weight for the cards of each place. If few deals are
left, the notes list them. Otherwise a walk through the deals gives a sample of a fixed size in a
fixed time. Each step swaps two cards between two places, and the weights decide whether the walk
accepts it (the Metropolis rule).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import reduce
from math import prod
from operator import or_
from random import Random
from typing import NamedTuple

from tictac.plugins.clue.game.cards import SEATS, Card, Triple
from tictac.plugins.clue.game.deduction import (
    ENVELOPE,
    Cards,
    ContradictionError,
    Deduction,
    Holdings,
    OutOfBudgetError,
    as_cards,
    deals,
    members,
)
from tictac.plugins.clue.game.messages import Counter

PRIOR_SENSIBLE = 1 / 3
PRIOR_LEECH = 1 / 3
"""The prior probability that a seat is a leech, until it ignores an undisproved suggestion."""
TELLING = 2.0
"""The likelihood ratio of a suggestion that avoids own cards, for a sensible seat.

A sensible seat has about 20 pairs of player and weapon, a random one 36; the room counts too.
"""
WALKS = 5
"""The number of samples for a probability on which a game depends."""

Weights = Sequence[dict[Cards, float]]
"""For each place, the sets that it can hold, each with a weight above 0."""

LISTED = 1500
"""The maximum number of deals to list."""
BUDGET = 12_000
"""The maximum number of sets in a search, which take some milliseconds."""
SAMPLE = 300
SWAPS = 20
"""The number of tried swaps between two deals of a sample."""


class Notes(Deduction):
    """The knowledge and estimates of a seat. ``shown_to[s]`` are own cards that ``s`` has seen.

    ``out`` are the seats that seem to have accused. ``threat`` is the last undisproved suggestion
    of another seat since the own turn.
    """

    def __init__(self, seat: int, hand: Collection[Card], dice: Random) -> None:
        super().__init__(seat, hand)
        self.shown_to: list[set[Card]] = [set() for _ in range(SEATS)]
        self._suspects = set(range(SEATS)) - {seat}
        self.out: set[int] = set()
        self.threat: Triple | None = None
        self._dice = dice
        self._suggested: list[list[Cards]] = [[] for _ in range(SEATS)]
        self._bluffs = {seat}
        self._tempted: set[int] = set()
        self._sample: Sample | None = None
        self._last: Holdings | None = None

    # Events

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
        """Note the end of another seat's turn; ``acted`` is whether it moved or suggested."""
        if seat in self._tempted:
            # A leech would have accused: a seat that moves isn't one, any other seat is now out.
            self._tempted.discard(seat)
            self._suspects.discard(seat)
            if not acted:
                self.out.add(seat)
        elif acted:
            self.out.discard(seat)

    # Probabilities

    def some_leech(self) -> float:
        """Return the probability that some seat with turns is a leech."""
        return 1 - prod([1 - PRIOR_LEECH] * len(self._suspects))

    def sample(self) -> Sample:
        """Return a sample of the deals that fit the notes."""
        if self._sample is None:
            try:
                self._sample = sample(self._weights(), self._dice, self._last)
            except ContradictionError:
                self.forget()
                self._sample = sample(self._weights(), self._dice)
            self._last = self._sample.holdings[-1]
        return self._sample

    def chance(self, triple: Triple) -> float:
        """Return the probability that this is the envelope, more exactly than from one sample.

        A walk rarely changes between the deals where a seat bluffed and those where the triple is
        right, so the result is the average of several walks.
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
        """Return a weight for each set of each place, by the suggestions of the seats."""
        weights = [dict.fromkeys(hands, 1.0) for hands in self.hands]
        odds = PRIOR_SENSIBLE / (1 - PRIOR_SENSIBLE)
        for seat, hands in enumerate(self.hands[:ENVELOPE]):
            suggested = self._suggested[seat]
            if seat not in self._bluffs and suggested:
                asked = reduce(or_, suggested)
                honest = 1.0 + odds * TELLING ** min(len(suggested), 20)
                weights[seat] = {hand: 1.0 if hand & asked else honest for hand in hands}
        return weights


# Samples


class Sample(NamedTuple):
    """Deals with their weights, which add up to 1. ``exact``: the sample has all possible deals."""

    holdings: list[Holdings]
    weights: list[float]
    exact: bool

    def envelopes(self) -> dict[Cards, float]:
        """Return the probability of each envelope."""
        chances: dict[Cards, float] = defaultdict(float)
        for holding, weight in zip(self.holdings, self.weights, strict=True):
            chances[holding[ENVELOPE]] += weight
        return dict(chances)

    def even(self, size: int, dice: Random) -> list[Holdings]:
        """Return up to ``size`` deals, each as often as its weight says."""
        if len(self.holdings) <= size and max(self.weights) < 1.001 * min(self.weights):
            return self.holdings
        return dice.choices(self.holdings, self.weights, k=size)


def sample(weights: Weights, dice: Random, last: Holdings | None = None) -> Sample:
    """Return a sample of fitting deals. ``last`` is an earlier deal where the walk can begin.

    Raises :class:`~tictac.plugins.clue.game.deduction.ContradictionError` if no deal fits.
    """
    hands = [list(each) for each in weights]
    found: list[Holdings] = []
    # The budget can't list more sets than this anyway.
    if prod(map(len, hands)) < 10**9:
        try:
            for holding in deals(hands, BUDGET):
                found.append(holding)
                if len(found) > LISTED:
                    break
            else:
                return _listed(found, weights)
        except OutOfBudgetError:
            pass
    begin = last if last is not None and fits(last, weights) else _any(hands, dice)
    holdings = _walk(begin, weights, dice)
    return Sample(holdings, [1.0 / len(holdings)] * len(holdings), exact=False)


def fits(holding: Holdings, weights: Weights) -> bool:
    """Return whether every place can hold its cards of this deal."""
    return all(cards in each for cards, each in zip(holding, weights, strict=True))


def _listed(found: list[Holdings], weights: Weights) -> Sample:
    likely = [
        prod(each[cards] for each, cards in zip(weights, holding, strict=True)) for holding in found
    ]
    if not found:
        raise ContradictionError("no deal fits")
    total = sum(likely)
    return Sample(found, [weight / total for weight in likely], exact=True)


def _any(hands: Sequence[Sequence[Cards]], dice: Random) -> Holdings:
    """Return some deal; several short searches in random orders are faster than a long one."""
    for attempt in range(1, 9):
        try:
            for holding in deals(hands, attempt * BUDGET, dice):
                return holding
        except OutOfBudgetError:
            continue
        break
    raise ContradictionError("no deal fits, or none was found in time")


def _walk(begin: Holdings, weights: Weights, dice: Random) -> list[Holdings]:
    """Return deals along a walk that begins at ``begin``."""
    now = list(begin)
    owner = {card: place for place, cards in enumerate(begin) for card in members(cards)}
    open_ = [card for card in sorted(owner) if len(weights[owner[card]]) > 1]
    likely = [each[cards] for each, cards in zip(weights, now, strict=True)]
    throw, count = dice.random, len(open_)
    found = []
    for _ in range(SAMPLE + 10):
        for _ in range(SWAPS):
            one, two = open_[int(throw() * count)], open_[int(throw() * count)]
            here, there = owner[one], owner[two]
            if here == there:
                continue
            both = 1 << one | 1 << two
            new_here = weights[here].get(now[here] ^ both)
            new_there = weights[there].get(now[there] ^ both)
            if new_here is None or new_there is None:
                continue
            before = likely[here] * likely[there]
            if new_here * new_there < before * throw():
                continue
            now[here] ^= both
            now[there] ^= both
            likely[here], likely[there] = new_here, new_there
            owner[one], owner[two] = there, here
        found.append(tuple(now))
    return found[10:]
