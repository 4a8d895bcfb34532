"""Deduction: nothing true is ever struck out, and what follows is found."""

from __future__ import annotations

from itertools import islice
from math import comb
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.plugins.clue.helpers import DEAL, cards, learn, triple
from tictac.plugins.clue.game.cards import DECK, SEATS
from tictac.plugins.clue.game.deduction import (
    ENVELOPE,
    Deduction,
    OutOfBudgetError,
    as_cards,
    deals,
)


def holder(known: Deduction, card: int) -> int | None:
    """Return the holder of a card, or None while several are possible."""
    found = [n for n, hands in enumerate(known.hands) if any(h >> card & 1 for h in hands)]
    return None if len(found) > 1 else ENVELOPE if found == [SEATS] else found[0]


def begin() -> Deduction:
    return Deduction(0, DEAL.hands[0])


def test_at_first_everything_but_the_own_hand_is_open() -> None:
    known = begin()
    assert [len(hands) for hands in known.hands] == [1, *[comb(18, 3)] * 5, 5 * 5 * 8]
    assert {holder(known, card) for card in DEAL.hands[0]} == {0}
    assert holder(known, 5) is None and known.solution() is None


def test_a_card_that_was_shown_is_nowhere_else() -> None:
    known = begin()
    known.has_one(2, [9])
    assert holder(known, 9) == 2
    assert all(hand >> 9 & 1 for hand in known.hands[2])
    assert not any(envelope >> 9 & 1 for envelope in known.hands[ENVELOPE])


def test_who_disproved_has_the_last_one_left() -> None:
    known = begin()
    known.has_one(2, triple("5 rope U"))
    known.has_one(1, [5])
    assert holder(known, 9) is None
    known.has_one(3, [14])
    assert holder(known, 9) == 2


def test_of_a_kind_all_but_one_are_elsewhere() -> None:
    known = begin()
    for seat in range(1, 5):
        known.has_one(seat, [seat])
    assert holder(known, 5) == ENVELOPE


def test_a_suggestion_nobody_disproved_is_the_envelope_without_own_cards() -> None:
    known = begin()
    for seat in range(1, SEATS):
        known.has_none(seat, DEAL.envelope)
    assert known.solution() == DEAL.envelope


def test_a_wrong_accusation_strikes_out_that_triple_only() -> None:
    known = begin()
    known.is_not(triple("1 pipe U"))
    assert len(known.hands[ENVELOPE]) == 199
    assert as_cards(triple("1 pipe D")) in known.hands[ENVELOPE]


def test_facts_that_dont_fit_make_all_void() -> None:
    known = begin()
    known.has_one(1, [5])
    known.has_one(2, [5])
    assert known.hands == begin().hands


def test_three_cards_known_are_a_whole_hand() -> None:
    known = begin()
    for card in cards("1 candlestick H"):
        known.has_one(1, [card])
    assert known.hands[1] == [as_cards(DEAL.hands[1])]
    assert holder(known, 2) is None


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(0, 60), st.integers(0, 5))
def test_the_truth_is_never_struck_out(seed: int, turns: int, seat: int) -> None:
    known, envelope, truth = learn(seed, turns, seat)
    for place, holding in enumerate(truth):
        assert holding in known.hands[place]
    for card in DECK:
        assert holder(known, card) in (
            None,
            *(
                p
                for p, held in zip((*range(SEATS), ENVELOPE), truth, strict=True)
                if held >> card & 1
            ),
        )
    assert known.solution() in (None, envelope)
    assert known.can_be(as_cards(envelope))


def test_enough_suggestions_solve_every_game() -> None:
    for seed in range(15):
        known, envelope, _ = learn(seed, 120)
        assert known.solution() == envelope


@pytest.mark.parametrize("seed", range(12))
def test_exactly_the_envelopes_of_some_deal_can_be(seed: int) -> None:
    """Against a count of all deals, place after place, without any of the short cuts."""
    known, _, _ = learn(seed, 30)

    def ways(place: int, used: int) -> int:
        if place == SEATS:
            return 1
        return sum(ways(place + 1, used | h) for h in known.hands[place] if not h & used)

    found = 0
    for envelope in known.hands[ENVELOPE]:
        count = ways(0, envelope)
        found += count
        assert known.can_be(envelope, 10**7) is (count > 0)
    assert found == sum(1 for _ in deals(known.hands, 10**8))


def test_every_deal_is_found_once_and_fits() -> None:
    known, _, truth = learn(3, 40)
    found = list(deals(known.hands, 10**8))
    assert len(found) == len(set(found))
    assert tuple(truth) in found
    for deal in found:
        assert all(held in known.hands[place] for place, held in enumerate(deal))
        assert sum(deal) == (1 << len(DECK)) - 1


def test_dice_change_the_order_only() -> None:
    known, _, _ = learn(3, 40)
    shuffled = list(deals(known.hands, 10**8, Random(1)))
    assert sorted(shuffled) == sorted(deals(known.hands, 10**8))


def test_a_search_stops_when_its_budget_is_spent() -> None:
    with pytest.raises(OutOfBudgetError):
        list(deals(begin().hands, 1000))
    assert begin().can_be(as_cards(triple("1 pipe U")), budget=1)
    assert len(list(islice(deals(begin().hands, 20_000), 3))) == 3
