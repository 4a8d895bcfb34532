"""What a judgement says of matches: the words, the accuracy, and the moves that it names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import cast

import pytest

from tictac.analysis import Analysis, EvaluatedMove, accuracy, dump, judge, judgement, load
from tictac.game import Evaluation, Value
from tictac.games.all import GAMES, game_type_of
from tictac.plugins.games.connectfour.evaluation import solver

FIVE: dict[str, Value] = {"rows": 15, "columns": 15, "strike": 5}
ELSE_PERFECT: tuple[tuple[str, dict[str, Value], str, int, str], ...] = (
    ("tictactoe", {}, "1:1 1:0 0:0 2:2 0:2 0:1 2:0", 1, "0:0"),
    # An open three isn't stopped.
    ("tictactoe", FIVE, "7:7 6:7 7:8 6:6 7:9 0:0 7:6 1:0", 5, "7:6"),
    ("connectfour", {}, "4 4 3 1 5 1 2", 3, "5"),
    ("connectfour", {"pops": False}, "4 4 3 1 5 1 2", 3, "5"),
    ("reversi", {"size": "4"}, "b1 a1 a2 c1 d4 a4 a3 b4 c4 d2 d3 d1", 5, "a3"),
    ("nim", {"numbers": 4}, "3:9 0:1 0:1 2:2 0:1 0:1 0:1 1:1 0:1 1:1 0:1 1:1", 2, "1:1"),
)


@pytest.fixture(autouse=True)
def perfect(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[object], None]]:
    """Have no perfect player of Connect Four, or this one."""

    def install(module: object) -> None:
        monkeypatch.setitem(cast(dict[str, object], sys.modules), "bitbully", module)
        solver.cache_clear()

    install(None)
    yield install
    solver.cache_clear()


def judged(name: str, options: dict[str, Value], moves: str) -> Analysis:
    """Return the analysis of a match of two; Nim begins with 3, 5, 6, and 9."""
    asked = game_type_of(name)
    game = asked.game(options)
    start = game.load("0:3,5,6,9") if name == "nim" else game.start(2, Random(1))
    return judgement(2, judge(asked, game, start, moves.split()))


@pytest.mark.parametrize(("name", "options", "moves", "at", "best"), ELSE_PERFECT)
def test_the_one_blunder_of_a_match_is_named(
    name: str, options: dict[str, Value], moves: str, at: int, best: str
) -> None:
    found = judged(name, options, moves)
    assert [(m.number, m.best) for m in found.moves if m.verdict == "blunder"] == [(at, best)]
    guilty, other = found.accuracy[at % 2], found.accuracy[1 - at % 2]
    assert guilty is not None and other is not None and guilty < other


def test_a_perfect_player_of_connect_four_judges_what_it_knows(
    perfect: Callable[[object], None],
) -> None:
    boards = []

    class BitBully:
        def score_all_moves(self, board: list[list[int]]) -> dict[int, int]:
            boards.append(board)
            return {0: -3, 3: 5, 4: 2, 6: 0}

    perfect(SimpleNamespace(Board=list, BitBully=BitBully))
    found = judged("connectfour", {"pops": False}, "4 5 7 1").moves
    assert [(m.best, m.before, m.after) for m in found] == [
        ("4", 1, 1), ("4", 1, 1), ("4", 1, 0.5), ("4", 1, 0)
    ]  # fmt: skip
    assert [m.verdict for m in found] == ["best", "good", "blunder", "blunder"]
    assert boards[2] == [[0] * 7] * 5 + [[0, 0, 0, 1, 2, 0, 0]]
    judged("connectfour", {"pops": False, "rows": 7}, "4")
    judged("connectfour", {"pops": True}, "4")
    assert len(boards) == 4


@pytest.mark.parametrize(
    ("options", "level", "asked"),
    [
        ({"pops": False}, "best", 1),
        ({"pops": False}, "club", 0),
        ({"pops": True}, "best", 0),
        ({"pops": False, "rows": 7}, "best", 0),
    ],
)
def test_the_best_level_of_connect_four_plays_perfectly_where_it_can(
    options: dict[str, Value], level: str, asked: int, perfect: Callable[[object], None]
) -> None:
    boards = []

    class BitBully:
        def score_all_moves(self, board: list[list[int]]) -> dict[int, int]:
            boards.append(board)
            return {0: 5, 3: 2, 6: 5}

    perfect(SimpleNamespace(Board=list, BitBully=BitBully))
    kind = game_type_of("connectfour")
    game = kind.game(options)
    assert kind.choose is not None
    moves = {
        kind.choose(game, game.start(2, Random(1)), level, lambda: True, Random(seed))
        for seed in range(20)
    }
    assert len(boards) == asked * 20
    assert (moves == {"1", "7"}) is bool(asked)


def test_in_clue_who_accuses_too_early_blunders() -> None:
    asked = game_type_of("clue")
    game = asked.game()
    start = game.start(6, Random(1))
    moves = ["accuse", "accuse 1 knife S", "roll 7"]
    first, second, third = judge(asked, game, start, moves)
    assert (first.verdict, first.best, first.note) == ("blunder", "roll", "192 solutions left")
    assert second.verdict == "best" and third.seat == 1


def test_in_clue_it_is_said_when_the_solution_can_be_named_first() -> None:
    asked = game_type_of("clue")
    game = asked.game()
    dice, moves = Random(2), []
    start = position = game.start(6, dice)
    while game.turn(position) is not None:
        move = asked.choose(game, position, "sensible", lambda: True, dice)  # type: ignore[misc]
        position, move = game.play(position, move, dice)
        moves.append(move)
    judged = list(judge(asked, game, start, moves))
    (first,) = [m for m in judged if "for the first time" in m.note]
    known = [m.number for m in judged if m.note.startswith("it was")]
    assert first.number <= known[0] and judged[-1].before == judged[-1].after == 1
    missed = [m for m in judged if m.note.startswith("it was") and m.best != m.move]
    assert all((m.best, m.verdict) == ("accuse", "inaccuracy") for m in missed)


def test_every_game_with_a_computer_can_be_judged() -> None:
    assert {name for name, each in GAMES.items() if each.levels} == {
        name for name, each in GAMES.items() if each.judge is not None
    }


def test_a_move_that_keeps_the_win_but_takes_longer_is_good() -> None:
    # X could win at once by 0:2, but makes two more threats.
    found = judged("tictactoe", {}, "0:0 1:0 0:1 2:0 1:1")
    assert found.moves[-1].verdict == "good" and found.moves[-1].best == "0:2"
    assert found.accuracy[0] == 100


def test_accuracy_is_that_of_lichess() -> None:
    # By its formula for win percentages of 50 before, and 50, 45 and 25 after.
    assert [round(accuracy(lost), 1) for lost in (0.0, 0.05, 0.25, 1.0)] == [100.0, 79.8, 31.6, 0.0]


def test_no_time_is_enough_for_a_judgement() -> None:
    for name, options, moves, _, _ in ELSE_PERFECT:
        asked = game_type_of(name)
        game = asked.game(options)
        start = game.load("0:3,5,6,9") if name == "nim" else game.start(2, Random(1))
        hurried = judge(asked, game, start, moves.split(), lambda: lambda: True)
        assert len(list(hurried)) == len(moves.split())


def test_a_judgement_as_text() -> None:
    found = judged("tictactoe", {}, "1:1 0:0")
    assert isinstance(found.moves[0], EvaluatedMove)
    assert load(dump(found)) == found
    assert load(dump(found).replace('"version": 2', '"version": 0')) is None


@pytest.mark.parametrize("guessed", [False, True])
def test_no_loss_is_held_against_a_move_that_was_not_seen(guessed: bool) -> None:
    kind = replace(
        game_type_of("reversi"),
        judge=lambda game: lambda position, move, stop: Evaluation("d3", 0.9, 0.1, "", guessed),
    )
    game = kind.game({})
    (found,) = judge(kind, game, game.start(2, Random(1)), ["c4"])
    wanted = ("good", 0.9) if guessed else ("blunder", 0.1)
    assert (found.verdict, found.after) == wanted


ESTIMATED: tuple[tuple[str, dict[str, Value], str], ...] = (
    ("tictactoe", FIVE, "7:7 0:0 14:14 0:14"),
    ("connectfour", {}, "4 1 1 7 7 1"),
    ("reversi", {}, "d3 c3 b3 b2"),
)


@pytest.mark.parametrize(("name", "options", "moves"), ESTIMATED)
def test_no_early_move_is_wrong_by_an_estimate(
    name: str, options: dict[str, Value], moves: str
) -> None:
    assert {move.verdict for move in judged(name, options, moves).moves} <= {"best", "good"}
