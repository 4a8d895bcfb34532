"""The cards: their names, and that every deal has each of them once."""

from __future__ import annotations

from random import Random

from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.clue.helpers import Deal, triple
from tictac.plugins.clue.game.cards import (
    DECK,
    KINDS,
    NAMES,
    PASSAGES,
    ROOMS,
    TITLES,
    as_triple,
    deal,
    draw_envelope,
    read_card,
)


class CardTests(SynchronousTestCase):
    def test_there_are_six_players_six_weapons_and_nine_rooms(self) -> None:
        assert [len(kind) for kind in KINDS] == [6, 6, 9]
        assert [card for kind in KINDS for card in kind] == list(DECK) == list(range(21))

    def test_every_name_is_read_back(self) -> None:
        assert [read_card(name) for name in NAMES] == list(DECK)

    def test_the_pipe_has_more_names(self) -> None:
        assert read_card("lead-pipe") == read_card("leadpipe") == read_card("pipe")

    def test_nothing_else_is_a_card(self) -> None:
        for word in ("6", "-1", "u", "Rope", "spanner", "", "00"):
            with self.assertRaises(ValueError):
                read_card(word)

    def test_a_person_sees_whole_names(self) -> None:
        assert [TITLES[read_card(word)] for word in ("0", "pipe", "I")] == [
            "Scarlet",
            "pipe",
            "billiard room",
        ]

    def test_a_room_has_its_card(self) -> None:
        assert [NAMES[NAMES.index(room)] for room in ROOMS] == list(ROOMS)

    def test_passages_lead_back(self) -> None:
        assert {"".join(sorted(pair)) for pair in PASSAGES.items()} == {"KS", "CU"}
        assert all(PASSAGES[PASSAGES[room]] == room for room in PASSAGES)

    def test_a_triple_is_a_player_a_weapon_and_a_room(self) -> None:
        assert as_triple([5, 9, 14]) == triple("5 rope U")
        for wrong in ([9, 5, 14], [5, 9], [5, 9, 14, 15], [5, 5, 14]):
            with self.assertRaises(ValueError):
                as_triple(wrong)


class DealTests(SynchronousTestCase):
    def test_each_card_is_in_one_place(self) -> None:
        for seed in range(50):
            dealt = Deal(*deal(Random(seed)))
            assert as_triple(dealt.envelope) == dealt.envelope
            assert [len(hand) for hand in dealt.hands] == [3] * 6
            everywhere = [*dealt.envelope, *(card for hand in dealt.hands for card in hand)]
            assert sorted(everywhere) == list(DECK)

    def test_every_card_can_be_in_the_envelope_and_in_any_hand(self) -> None:
        deals = [Deal(*deal(Random(seed))) for seed in range(1000)]
        assert {card for dealt in deals for card in dealt.envelope} == set(DECK)
        for seat in range(6):
            assert set().union(*(dealt.hands[seat] for dealt in deals)) == set(DECK)

    def test_the_same_dice_deal_the_same(self) -> None:
        assert deal(Random(7)) == deal(Random(7)) != deal(Random(8))
        assert draw_envelope(Random(7)) == draw_envelope(Random(7))
