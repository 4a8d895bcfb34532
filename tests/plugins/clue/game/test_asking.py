"""What suggestions are worth, and what is noted about the other seats."""

from __future__ import annotations

from random import Random

import pytest

from tests.plugins.clue.helpers import DEAL, learn, triple
from tictac.plugins.clue.game.asking import Asking
from tictac.plugins.clue.game.cards import ROOM_CARDS
from tictac.plugins.clue.game.deduction import ENVELOPE, as_cards, deals, members
from tictac.plugins.clue.game.notes import Notes

TRUTH = tuple(map(as_cards, (*DEAL.hands, DEAL.envelope)))


def swapped() -> tuple[int, ...]:
    """Return the deal with Mustard in the envelope, and Plum in Mustard's place."""
    changed = list(TRUTH)
    for place in (1, ENVELOPE):
        changed[place] ^= 1 << 1 | 1 << 5
    return tuple(changed)


def test_a_question_that_splits_two_deals_is_worth_a_bit() -> None:
    asking = Asking(0, DEAL.hands[0], [TRUTH, swapped()])
    assert asking.value(triple("5 knife S")) == pytest.approx(1)
    assert asking.value(triple("0 rope U")) == pytest.approx(0)
    assert asking.best_in(ROOM_CARDS[0]).player in (1, 5)


def test_stakes_count_where_nobody_disproves() -> None:
    asking = Asking(0, DEAL.hands[0], [TRUTH], 3.0, -30.0)
    assert asking.value(triple("0 knife S")) == 3
    assert asking.value(DEAL.envelope) == -30
    assert asking.value(triple("1 knife S")) == 0


def test_the_best_of_each_room_names_that_room() -> None:
    known, _, _ = learn(3, 40)
    asking = Asking(0, members(known.hands[0][0]), list(deals(known.hands, 10**8))[:200])
    best = asking.best_by_room()
    assert {room: suggestion.room for room, (_, suggestion) in best.items()} == {
        room: room for room in ROOM_CARDS
    }
    assert all(value == asking.value(suggestion) for value, suggestion in best.values())


def test_a_seat_that_acts_after_a_temptation_is_no_leech() -> None:
    notes = Notes(0, DEAL.hands[0], Random(1))
    assert 0.5 < notes.some_leech() < 1
    notes.suggestion(0, triple("0 knife S"), None)
    for seat in range(1, 6):
        notes.turn_of(seat, acted=seat < 4)
    assert notes.some_leech() == 0
    assert notes.out == {4, 5}


def test_what_nobody_disproves_is_a_threat() -> None:
    notes = Notes(0, DEAL.hands[0], Random(1))
    notes.suggestion(2, triple("1 pipe U"), None)
    assert notes.threat == triple("1 pipe U")
    assert 0 < notes.chance(triple("1 pipe U")) < 1


def test_samples_fit_what_was_noted() -> None:
    notes = Notes(0, DEAL.hands[0], Random(1))
    notes.suggestion(1, triple("5 rope U"), 4)
    notes.has_one(2, [8])
    for deal in notes.sample().holdings:
        assert deal[4] & as_cards(triple("5 rope U"))
        assert not (deal[2] | deal[3]) & as_cards(triple("5 rope U"))
        assert deal[2] >> 8 & 1
