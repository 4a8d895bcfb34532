"""Conformance tests of the games with secrets."""

from __future__ import annotations

from random import Random

from secrets_of import alike
from tictac_openspiel.catalogue_of_tables import ENTRIES
from tictac_openspiel.games import GAME_TYPES
from twisted.trial.unittest import SynchronousTestCase

from tictac.testing.conformance import Case, GameConformance

SMALL: dict[str, dict[str, object]] = {"holdem": {"hands": 2}}
FEW = {"crazyeights": 2, "cribbage": 1, "ginrummy": 1, "battleship": 1}
"""Play-outs; 2 of the others."""

for _entry in ENTRIES:
    if _entry.hidden:
        _case = Case(
            GAME_TYPES[_entry.name],
            SMALL.get(_entry.name, {}),
            longest=_entry.longest,
            playouts=FEW.get(_entry.name, 2),
            alike=alike,
        )
        _name = f"{_entry.name.capitalize()}Tests"
        globals()[_name] = type(_name, (GameConformance, SynchronousTestCase), {"case": _case})


class DealingTests(SynchronousTestCase):
    def test_a_move_tells_nothing_of_the_cards_that_follow(self) -> None:
        game, rng = GAME_TYPES["cribbage"].game(), Random(3)
        position = game.start(2, rng)
        deals = 0
        while position.mover is not None:
            played = game.play(position, rng.choice(list(position.moves)), rng)
            deals += "crib A" in played.position.text or "crib B" in played.position.text
            assert "|" not in played.move
            position = played.position
        assert deals > 4

    def test_the_hands_of_oh_hell_are_empty_at_the_end(self) -> None:
        game, rng = GAME_TYPES["ohhell"].game(), Random(3)
        position = game.start(3, rng)
        while position.mover is not None:
            position = game.play(position, rng.choice(list(position.moves)), rng).position
        assert " hand=-,-,- " in game.view(position, 0)

    def test_another_seed_deals_other_cards(self) -> None:
        game = GAME_TYPES["hearts"].game()
        one, two = (game.start(4, Random(seed)) for seed in (1, 2))
        assert game.view(one, 0) != game.view(two, 0)
        assert game.start(4, Random(1)) == one

    def test_a_placed_ship_is_a_secret(self) -> None:
        game, rng = GAME_TYPES["battleship"].game(), Random(1)
        played = game.play(game.start(2, rng), "c7h", rng)
        seen = [game.seen(played.position, played.move, seat) for seat in (None, 0, 1)]
        assert seen == ["place", "c7h", "place"]
