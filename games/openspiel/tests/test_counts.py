"""Numbers of sequences of moves that others have published (perft), by the game.

Sources: chess, antichess, and crazyhouse: the Chess Programming Wiki and the tables of
Fairy-Stockfish, as for xiangqi and shogi; checkers: A. Bik, "perft for checkers"; Hive: the wiki of
Mzinga; Amazons: the 2,176 first moves are in every paper on the game. Other numbers are products of
free cells.
"""

from __future__ import annotations

from random import Random
from typing import Any

from tictac_openspiel.adapter import Position, Spiel
from tictac_openspiel.games import GAME_TYPES
from twisted.trial.unittest import SynchronousTestCase

COUNTS: dict[str, tuple[int, ...]] = {
    "chess": (20, 400, 8_902, 197_281),
    "antichess": (20, 400, 8_067),
    "crazyhouse": (20, 400, 8_902),
    "xiangqi": (44, 1_920, 79_666),
    "shogi": (30, 900, 25_470),
    "checkers": (7, 49, 302, 1_469, 7_361, 36_768),
    "hive": (4, 96, 1_440),
    "breakthrough": (22, 22 * 22),
    "linesofaction": (36,),
    "amazons": (4, 80, 2_176),
    "go": (82, 82 * 81 + 1),
    "gomoku": (225, 225 * 224),
    "hex": (121, 121 * 120),
    "havannah": (91, 91 * 90),
    "y": (66, 66 * 65),
    "ultimate": (81, 720),
    "pentago": (288,),
    "ninemensmorris": (24, 24 * 23, 24 * 23 * 22),
    "dotsandboxes": (40, 40 * 39),
    "oware": (6, 36),
    "quoridor": (3 + 2 * 64,),
    "battleship": (180,),
}  # fmt: skip


def count(game: Spiel, position: Position, depth: int) -> int:
    """Return the number of sequences of so many of our moves."""
    if depth == 1:
        return len(position.moves)
    return sum(
        count(game, game.play(position, move, None).position, depth - 1) for move in position.moves
    )


def count_turns(state: Any, depth: int) -> int:
    """Return the number of sequences of turns of OpenSpiel; a turn can have several actions."""
    if depth == 1 and state.get_game().get_type().short_name != "checkers":
        return len(state.legal_actions())
    total, mover = 0, state.current_player()
    for action in state.legal_actions():
        after = state.child(action)
        left = depth if after.current_player() == mover else depth - 1
        total += count_turns(after, left) if left else 1
    return total


class CountTests(SynchronousTestCase):
    def check(self, name: str) -> None:
        game: Any = GAME_TYPES[name].game()
        start = game.start(2, Random(1))
        numbers = COUNTS[name]
        ours = [count(game, start, depth) for depth, _ in enumerate(numbers[:3], 1)]
        # The joined moves of these have more than one action.
        if name not in ("ultimate", "amazons", "hive"):
            found = [count_turns(start.state, depth) for depth, _ in enumerate(numbers, 1)]
            assert tuple(found) == numbers, f"{name}: {found}"
        assert tuple(ours) == numbers[:3], f"{name}: {ours}"


def _test(name: str) -> Any:
    return lambda self: self.check(name)


for _name in COUNTS:
    setattr(CountTests, f"test_{_name}", _test(_name))
