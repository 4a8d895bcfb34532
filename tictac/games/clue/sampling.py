"""Deals that fit what is known, and how likely they are: all of them, or a fair sample.

The likelihood of a deal is the product of a weight for what each place holds. When few deals are
left they are listed; otherwise a walk through the deals (swapping two cards between two places,
accepted by the weights: the Metropolis rule) gives a sample of a fixed size, in a fixed time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import prod
from random import Random
from typing import NamedTuple

from tictac.games.clue.deduction import (
    ENVELOPE,
    Cards,
    ContradictionError,
    Holdings,
    OutOfBudgetError,
    deals,
    members,
)

Weights = Sequence[dict[Cards, float]]
"""For each place the sets that it can hold, each with a weight above 0."""

LISTED = 1500
"""Deals up to which all are listed."""
BUDGET = 12_000
"""Sets that a search may look at: some milliseconds."""
SAMPLE = 300
SWAPS = 20
"""Swaps tried between two deals of a sample."""


class Sample(NamedTuple):
    """Deals with their weights, which add up to 1. ``exact``: these are all that there are."""

    holdings: list[Holdings]
    weights: list[float]
    exact: bool

    def envelopes(self) -> dict[Cards, float]:
        """How likely each envelope is."""
        chances: dict[Cards, float] = defaultdict(float)
        for holding, weight in zip(self.holdings, self.weights, strict=True):
            chances[holding[ENVELOPE]] += weight
        return dict(chances)

    def even(self, size: int, dice: Random) -> list[Holdings]:
        """At most ``size`` deals, each as often as its weight says."""
        if len(self.holdings) <= size and max(self.weights) < 1.001 * min(self.weights):
            return self.holdings
        return dice.choices(self.holdings, self.weights, k=size)


def sample(weights: Weights, dice: Random, last: Holdings | None = None) -> Sample:
    """Find deals that fit. ``last`` is one of an earlier sample, to begin the walk with.

    Raises :class:`~tictac.games.clue.deduction.ContradictionError` when none fits.
    """
    hands = [list(each) for each in weights]
    found: list[Holdings] = []
    # Fewer sets than this can't be listed in the budget anyway.
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
    """Whether every place can hold what it has in this deal."""
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
    """Some deal: several short searches in different orders find one sooner than a long one."""
    for attempt in range(1, 9):
        try:
            for holding in deals(hands, attempt * BUDGET, dice):
                return holding
        except OutOfBudgetError:
            continue
        break
    raise ContradictionError("no deal fits, or none was found in time")


def _walk(begin: Holdings, weights: Weights, dice: Random) -> list[Holdings]:
    """Deals along a walk that begins at one of them."""
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
