"""Tests of every board game: the promises of games, and counts that others have published."""

from __future__ import annotations

import re
from random import Random
from secrets import alike
from typing import Any

from tictac_openspiel.catalogue import ENTRIES
from tictac_openspiel.games import GAME_TYPES
from twisted.trial.unittest import SynchronousTestCase

from tictac.testing.conformance import Case, GameConformance

SMALL: dict[str, dict[str, Any]] = {
    "breakthrough": {"size": "6"}, "gomoku": {"size": "9"}, "hex": {"size": "7"},
    "havannah": {"size": "4"}, "y": {"size": "7"}, "dotsandboxes": {"size": "3"},
}  # fmt: skip
COUNTS = {
    "chess": (1, 20, 400, 8902),
    "antichess": (1, 20, 400, 8067),
    "crazyhouse": (1, 20, 400, 8902),
    "xiangqi": (1, 44, 1920),
    "shogi": (1, 30, 900),
    "checkers": (1, 7, 49, 302, 1469),
    "breakthrough": (1, 16),
    "go": (1, 82, 82 * 81 + 1),
    "gomoku": (1, 81, 81 * 80),
    "hex": (1, 49, 49 * 48),
    "havannah": (1, 37, 37 * 36),
    "y": (1, 28, 28 * 27),
    "linesofaction": (1, 36),
    "ultimate": (1, 81, 720),
    "pentago": (1, 288),
    "ninemensmorris": (1, 24, 24 * 23),
    "dotsandboxes": (1, 24, 24 * 23),
}
FEW = {
    "chess": 2,
    "antichess": 2,
    "crazyhouse": 2,
    "shogi": 2,
    "xiangqi": 2,
    "chinesecheckers": 1,
    "go": 3,
}
"""Play-outs of games that last long."""

WAITING = {f"{piece}{sign}" for piece in "PNBRQLSG" for sign in "@*"}
"""Pieces in hand."""


def make(name: str, longest: int) -> type:
    options = SMALL.get(name, {})
    if name == "breakthrough":
        options = {"size": "6"}
    case = Case(
        GAME_TYPES[name],
        options,
        longest=longest,
        lengths=COUNTS.get(name, ()),
        playouts=FEW.get(name, 4),
    )
    return type(f"{name.capitalize()}Tests", (GameConformance, SynchronousTestCase), {"case": case})


OPEN = [entry for entry in ENTRIES if not entry.hidden]

for entry in OPEN:
    globals()[f"{entry.name.capitalize()}Tests"] = make(entry.name, entry.longest)


class GinrummyTests(GameConformance, SynchronousTestCase):
    case = Case(GAME_TYPES["ginrummy"], longest=400, alike=alike, playouts=2)


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
            shape = [len(row) for row in entry.board.grid(position.text)]
            for _ in range(60):
                if not (moves := game.moves(position)):
                    break
                assert [len(row) for row in entry.board.grid(position.text)] == shape, position
                known = {*position.cells, *entry.board.words, "bar", "off", *WAITING}
                steps = {s for m in moves for s in re.fullmatch(entry.board.steps, m).groups() if s}
                assert steps <= known, f"{entry.name}: {steps - known} are no cells of {position}"
                position = game.play(position, rng.choice(list(moves)), rng).position
