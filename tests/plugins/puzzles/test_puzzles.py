"""Puzzles by request and in the API: what is public, and the check of moves."""

from __future__ import annotations

import json

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.puzzles.examples import POSITION, TODAY, TOMORROW, example, kept
from tests.protocols.lobby.case import LobbyCase
from tests.protocols.lobby.helpers import Person
from tictac.errors import IllegalMove, Refusal
from tictac.plugins.puzzles.puzzles import NoSuchPuzzle, dump_puzzle, load_puzzle


class CheckTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.puzzles = kept()

    def test_the_list_has_no_solution(self) -> None:
        (listed,) = self.puzzles.list(TODAY)["puzzles"]
        assert listed == {
            "game": "connectfour", "title": "Connect Four", "options": example().options,
            "seats": 2, "seat": 1, "position": POSITION, "moves": 2, "wins": True, "match": None,
        }  # fmt: skip

    def test_a_right_move_is_answered(self) -> None:
        found = self.puzzles.check(TODAY, "connectfour", ["3"])
        assert (found["right"], found["solved"], found["replies"]) == (True, False, ["1"])
        assert found["position"] == example().steps[1].position

    def test_all_right_moves_solve_it(self) -> None:
        found = self.puzzles.check(TODAY, "connectfour", ["3", "5"])
        assert (found["right"], found["solved"], found["move"]) == (True, True, 2)

    def test_a_wrong_move_gets_its_refutation(self) -> None:
        found = self.puzzles.check(TODAY, "connectfour", ["3", "7"])
        assert (found["right"], found["solved"], found["move"]) == (False, False, 2)
        assert (found["replies"], found["position"]) == (
            [example().steps[1].others["7"][0]],
            example().steps[1].others["7"][1],
        )

    def test_the_first_wrong_move_counts(self) -> None:
        found = self.puzzles.check(TODAY, "connectfour", ["7", "5"])
        assert (found["right"], found["move"]) == (False, 1)

    def test_no_move_of_the_game(self) -> None:
        for moves in (["8"], [], ["3", "5", "1"]):
            with pytest.raises(IllegalMove):
                self.puzzles.check(TODAY, "connectfour", moves)

    def test_tomorrows_puzzle_is_secret(self) -> None:
        assert self.puzzles.list(TOMORROW)["puzzles"] == []
        with pytest.raises(NoSuchPuzzle):
            self.puzzles.check(TOMORROW, "connectfour", ["3"])

    def test_forgotten_days(self) -> None:
        self.puzzles.forget(TOMORROW)
        assert self.puzzles.list(TODAY)["puzzles"] == []
        assert self.puzzles.has(TOMORROW, "connectfour")

    def test_text(self) -> None:
        content = dump_puzzle(example())
        assert dump_puzzle(load_puzzle(content)) == content


class ApiTests(SynchronousTestCase):
    def get(self, *path: str, **given: str) -> object:
        document = self.successResultOf(kept().answer(path, given))
        return json.loads(document.content)

    def test_today(self) -> None:
        assert self.get() == self.get(TODAY) == kept().list(TODAY)
        assert self.get(TODAY, "connectfour") == kept().list(TODAY)

    def test_moves(self) -> None:
        found = self.get(TODAY, "connectfour", moves="3,5")
        assert found == kept().check(TODAY, "connectfour", ["3", "5"])

    def test_nothing_there(self) -> None:
        for path in ((TODAY, "reversi"), (TODAY, "connectfour", "more"), (TOMORROW, "connectfour")):
            with pytest.raises(Refusal) as refused:
                kept().answer(path, {})
            assert getattr(refused.value, "is_missing", False)


class RequestTests(LobbyCase):
    def setUp(self) -> None:
        super().setUp()
        self.server.lobby.extend(kept())

    def test_without_a_login(self) -> None:
        (answer,) = Person(self.server).ask("puzzle")
        assert answer["puzzles"] == kept().list(TODAY)["puzzles"]

    def test_a_move(self) -> None:
        (answer,) = self.alice.ask("puzzle", game="connectfour", moves=["3"])
        assert answer["right"] is True

    def test_moves_of_no_game(self) -> None:
        assert self.alice.error("puzzle", moves=["3"]) == "malformed"

    def test_another_day(self) -> None:
        asked = {"day": "2026-11-28", "game": "connectfour"}
        assert self.alice.error("puzzle", **asked) == "no-such-puzzle"
