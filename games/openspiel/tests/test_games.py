"""Conformance tests of the games in which all seats see the same."""

from __future__ import annotations

import re
from random import Random
from typing import Any

from tictac_openspiel.catalogue_of_tables import ENTRIES
from tictac_openspiel.games import GAME_TYPES
from twisted.trial.unittest import SynchronousTestCase

from tictac.testing.conformance import Case, GameConformance

SMALL: dict[str, dict[str, Any]] = {
    "breakthrough": {"size": "6"}, "gomoku": {"size": "9"}, "hex": {"size": "7"},
    "havannah": {"size": "4"}, "y": {"size": "7"}, "dotsandboxes": {"size": "3"},
}  # fmt: skip
FEW = {
    "chess": 2,
    "antichess": 2,
    "crazyhouse": 2,
    "shogi": 2,
    "xiangqi": 2,
    "chinesecheckers": 1,
    "hive": 1,
    "backgammon": 2,
    "yacht": 2,
    "go": 3,
}
"""Play-outs of games that last long."""

WAITING = {f"{piece}{sign}" for piece in "PNBRQLSG" for sign in "@*"}
"""Pieces in hand."""


def make(name: str, longest: int) -> type:
    options = SMALL.get(name, {})
    case = Case(GAME_TYPES[name], options, longest=longest, playouts=FEW.get(name, 4))
    return type(f"{name.capitalize()}Tests", (GameConformance, SynchronousTestCase), {"case": case})


OPEN = [entry for entry in ENTRIES if not entry.hidden]

for entry in OPEN:
    globals()[f"{entry.name.capitalize()}Tests"] = make(entry.name, entry.longest)


class BoardTests(SynchronousTestCase):
    def test_what_is_no_history_is_refused(self) -> None:
        for entry in ENTRIES:
            game = GAME_TYPES[entry.name].game()
            for text in ("", "x", "2 99999999", "2 -1", "2 -5", "2 1 1 1 1 1 1 1 1 1 1", "99 0"):
                self.assertRaises(ValueError, game.load, text)

    def test_each_step_of_a_move_is_a_cell_or_a_word(self) -> None:
        for entry in OPEN:
            game = GAME_TYPES[entry.name].game()
            position, rng = game.start(entry.seats[0], Random(4)), Random(4)
            if entry.board.shape == "table":
                continue
            shape = [len(row) for row in entry.board.grid(position.text)]
            for _ in range(60):
                if not (moves := game.moves(position)):
                    break
                assert [len(row) for row in entry.board.grid(position.text)] == shape, position
                known = {*position.cells, *entry.board.words, "bar", "off", *WAITING}
                steps = {s for m in moves for s in re.fullmatch(entry.board.steps, m).groups() if s}
                assert steps <= known, f"{entry.name}: {steps - known} are no cells of {position}"
                position = game.play(position, rng.choice(list(moves)), rng).position
