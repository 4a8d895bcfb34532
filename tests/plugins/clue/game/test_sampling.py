"""Samples of deals: all of them when they are few, otherwise as likely as they should be."""

from __future__ import annotations

from random import Random

import pytest

from tests.plugins.clue.helpers import DEAL, learn, triple
from tictac.plugins.clue.game.cards import DECK, SEATS
from tictac.plugins.clue.game.deduction import (
    ENVELOPE,
    ContradictionError,
    Deduction,
    as_cards,
    deals,
)
from tictac.plugins.clue.game.notes import SAMPLE, Sample, Weights, fits, sample


def alike(known: Deduction) -> list[dict[int, float]]:
    """Return equal weights for all sets of a place."""
    return [dict.fromkeys(hands, 1.0) for hands in known.hands]


def open_game() -> Deduction:
    return Deduction(0, DEAL.hands[0])


def test_few_deals_are_listed() -> None:
    known, _, _ = learn(3, 40)
    found = sample(alike(known), Random(1))
    assert found.exact
    assert sorted(found.holdings) == sorted(deals(known.hands, 10**8))
    assert sum(found.weights) == pytest.approx(1)
    assert len(set(found.weights)) == 1


def test_weights_are_chances() -> None:
    known, _, truth = learn(3, 40)
    weights = alike(known)
    place = max(range(1, SEATS), key=lambda place: len(known.hands[place]))
    weights[place][truth[place]] = 1000.0
    found = sample(weights, Random(1))
    likely = sum(
        weight
        for deal, weight in zip(found.holdings, found.weights, strict=True)
        if deal[place] == truth[place]
    )
    assert likely > 0.9


def test_many_deals_are_sampled_and_all_fit() -> None:
    weights = alike(open_game())
    found = sample(weights, Random(1))
    assert not found.exact and len(found.holdings) == SAMPLE
    for deal in found.holdings:
        assert fits(deal, weights)
        assert sum(deal) == (1 << len(DECK)) - 1


def chance_of(weights: Weights, card: int, place: int, samples: int = 30) -> float:
    """Return how often a card is in a place, over several samples."""
    dice, last, hits = Random(5), None, 0
    for _ in range(samples):
        found = sample(weights, dice, last)
        last = found.holdings[-1]
        hits += sum(deal[place] >> card & 1 for deal in found.holdings)
    return hits / (samples * SAMPLE)


def test_samples_are_fair() -> None:
    weights = alike(open_game())
    # Five players are open; the one that isn't in the envelope is in one of five hands.
    assert chance_of(weights, 5, ENVELOPE) == pytest.approx(1 / 5, abs=0.03)
    assert chance_of(weights, 14, ENVELOPE) == pytest.approx(1 / 8, abs=0.03)
    assert chance_of(weights, 14, 3) == pytest.approx(7 / 8 / 5, abs=0.03)


def test_samples_follow_the_weights() -> None:
    weights = alike(open_game())
    rope = 1 << 9
    weights[2] = {hand: 9.0 if hand & rope else 1.0 for hand in weights[2]}
    # Without weights 4/5 of 1/5; the odds are nine times as good.
    odds = 9 * (4 / 25) / (21 / 25)
    assert chance_of(weights, 9, 2) == pytest.approx(odds / (1 + odds), abs=0.04)


def test_a_walk_begins_at_an_earlier_deal_that_still_fits() -> None:
    known = open_game()
    last = sample(alike(known), Random(1)).holdings[-1]
    assert fits(last, alike(known))
    card = next(card for card in DECK if last[1] >> card & 1)
    known.has_one(2, [card])
    assert not fits(last, alike(known))
    again = sample(alike(known), Random(1), last)
    assert all(deal[2] >> card & 1 for deal in again.holdings)


def test_the_same_dice_sample_the_same() -> None:
    weights = alike(open_game())
    assert sample(weights, Random(4)).holdings == sample(weights, Random(4)).holdings


def test_no_deal_is_a_contradiction() -> None:
    weights = alike(open_game())
    weights[1] = weights[2] = {as_cards([5, 9, 14]): 1.0}
    with pytest.raises(ContradictionError):
        sample(weights, Random(1))


def test_envelopes_have_their_chances() -> None:
    one, two = as_cards(triple("5 rope U")), as_cards(triple("4 rope U"))
    found = Sample(
        [(0,) * 6 + (one,), (1,) * 6 + (one,), (0,) * 6 + (two,)], [0.25, 0.5, 0.25], exact=True
    )
    assert found.envelopes() == {one: 0.75, two: 0.25}
    drawn = found.even(400, Random(1))
    assert sum(deal[ENVELOPE] == one for deal in drawn) == pytest.approx(300, abs=40)
