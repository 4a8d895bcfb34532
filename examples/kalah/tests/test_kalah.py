"""Tests of Kalah: the promises of every game, and its own rules."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from random import Random

from tictac_kalah.game import GAME_TYPE
from tictac_kalah.rules import Kalah, Position
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tictac.game import DRAWN, Result
from tictac.lobby.registry import Registry
from tictac.lobby.terms import terms_for
from tictac.testing.conformance import Case, GameConformance
from tictac.testing.playthrough import moves_in, playthrough
from tictac.testing.server import Guest, play_out, raise_fault
from tictac.text_view import unpainted

GAME = Kalah(6, 4)
PAGE = files("tictac_kalah").joinpath("page")
RECORD = Path(__file__).resolve().with_name("kalah.txt")  # trial changes the folder


def after(position: str, move: str) -> str:
    return GAME.dump(GAME.play(GAME.load(position), move, Random(1)).position)


def shape(view: str) -> list[int]:
    """Return the number of pits on each side, which never changes."""
    return [len(side.split(",")) for side in view.split(" ")[:2]]


class ConformanceTests(GameConformance, SynchronousTestCase):
    # Six pits each; after one of the six the first player moves again: 6 * 5 + 5.
    case = Case(GAME_TYPE, longest=300, lengths=(1, 6, 35), shape=shape)


def play_again(kept: str) -> str:
    return playthrough(Case(GAME_TYPE, {"pits": 4, "seeds": 2}), moves_in(kept))


class PlaythroughTests(SynchronousTestCase):
    def test_a_recorded_game_shows_what_it_showed(self) -> None:
        kept = RECORD.read_text("utf-8")
        assert play_again(kept) == kept, "if it is right: python test_kalah.py"


class RulesTests(SynchronousTestCase):
    def test_a_player_whose_last_seed_lands_in_the_store_moves_again(self) -> None:
        assert after("4,4,4,4,4,4/0 4,4,4,4,4,4/0 A", "3") == "4,4,0,5,5,5/1 4,4,4,4,4,4/0 A"

    def test_the_opponents_store_gets_nothing(self) -> None:
        assert after("0,0,0,0,1,8/0 0,0,0,0,0,1/0 A", "6") == "0,0,0,0,1,0/4 1,1,1,1,1,0/0 B"

    def test_a_last_seed_in_an_empty_pit_of_ones_own_captures(self) -> None:
        assert after("1,0,0,0,0,1/0 1,0,0,0,3,0/0 A", "1") == "0,0,0,0,0,1/4 1,0,0,0,0,0/0 B"

    def test_an_empty_pit_opposite_is_no_capture(self) -> None:
        assert after("1,0,0,0,0,1/0 1,0,0,0,0,0/0 A", "1") == "0,1,0,0,0,1/0 1,0,0,0,0,0/0 B"

    def test_a_full_round_captures(self) -> None:
        assert after("13,0,0,0,0,0/0 1,1,1,1,1,1/0 A", "1") == "0,1,1,1,1,1/4 2,2,2,2,2,0/0 B"

    def test_an_empty_side_ends_the_game(self) -> None:
        end = after("0,0,0,0,0,1/20 1,2,3,0,0,0/20 A", "6")
        assert end == "0,0,0,0,0,0/21 0,0,0,0,0,0/26 -"
        assert GAME.result(GAME.load(end)) == Result(1)

    def test_equal_stores_are_a_draw(self) -> None:
        assert GAME.result(Position(((0,) * 6 + (24,)) * 2, None)) == DRAWN


class TextsTests(SynchronousTestCase):
    def test_what_the_server_says_is_there_in_german(self) -> None:
        texts = json.loads(PAGE.joinpath("texts", "de.json").read_text("utf-8"))
        options = [text for each in GAME_TYPE.options for text in (each.name, each.help)]
        said = {GAME_TYPE.title, GAME_TYPE.goal, GAME_TYPE.group, *options}
        assert texts["server"].keys() == said


class TableTests(SynchronousTestCase):
    def test_a_match_is_played_to_its_end(self) -> None:
        registry = Registry(0, Clock().seconds, raise_fault)
        alice, bob, vera = (Guest(registry, name) for name in ("alice", "bob", "vera"))
        registry.create(alice, "den", terms_for(GAME_TYPE, {"pits": 3}))
        registry.join(vera, "den", "VIEWER")
        registry.join(bob, "den", "PLAYER")
        ended = play_out("den", alice, bob)
        assert ended.ending in ("won", "drawn")
        assert vera.events[-1] == ended


class PictureTests(SynchronousTestCase):
    def test_the_board(self) -> None:
        lines = GAME_TYPE.text_view({}).lines("4,4,0,5,5,5/1 4,4,4,4,4,10/0 A", unpainted)
        assert lines == [
            "       6  5  4  3  2  1",
            "      10  4  4  4  4  4",
            "  B  0                    1 A",
            "       4  4  0  5  5  5",
            "       1  2  3  4  5  6",
        ]


if __name__ == "__main__":
    RECORD.write_text(play_again(RECORD.read_text("utf-8")), "utf-8")
