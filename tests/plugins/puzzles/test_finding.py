"""The search for puzzles: one right move, from matches and from games of the computer."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.archive.helpers import match, moved
from tests.plugins.puzzles.examples import GAME, POSITION, counting, example
from tictac.archive.match import Event, dump_match
from tictac.plugins.puzzles.finding import Search, Solver, find

MOVES = ("6", "4", "4", "4", "4", "2", "6")
"""They lead to the example; the next move of the match isn't the right one."""


def record(*moves: str) -> str:
    """Return a match of Connect Four, which yellow gave up, as a line."""
    played = [moved(float(number), number % 2, move) for number, move in enumerate(moves)]
    game = GAME.game()
    found = match(
        game="connectfour", options=GAME.values({}), start=game.dump(game.start(2, Random(1))),
        ending="forfeited",
    )  # fmt: skip
    end = Event(len(moves) + 1.0, ("ended", "forfeited", 0, None))
    return dump_match(found._replace(events=(*played, end)))


def search(**fields: Any) -> Search:
    usual = {
        "game": "connectfour",
        "matches": [record(*MOVES, "7")],
        "used": [],
        "seconds": 4.0,
        "server": 0,
    }
    return Search(**{**usual, "seed": 1, "server": 0, **fields})


def test_one_move_wins_at_each_step() -> None:
    found = example()
    assert [step.best for step in found.steps] == ["3", "5"]
    assert found.wins and found.steps[0].position == POSITION
    assert list(found.steps[0].replies) == ["1"] and list(found.steps[1].replies) == []


def test_each_other_move_has_a_reply_and_a_position() -> None:
    step = example().steps[0]
    assert sorted(step.others) == ["1", "2", "4", "5", "6", "7"]
    game = GAME.game()
    for move, (reply, position, _) in step.others.items():
        after = game.play(game.load(step.position), move, None).position
        assert game.dump(game.play(after, reply, None).position) == position


def test_a_wrong_move_holds_or_loses() -> None:
    first = {why for *_, why in example().steps[0].others.values()}
    game = GAME.game()
    race = game.load("......./......./......./Y..R.../Y..R.../Y..R... Y")
    [step, *_], _ = Solver(GAME, game, counting()).solve(race)
    assert first == {"holds"} and {why for *_, why in step.others.values()} <= {"loses", "holds"}


def test_hints_say_what_the_right_move_does() -> None:
    assert [step.hint for step in example().steps] == ["twice", "wins"]


def test_two_winning_moves_are_no_puzzle() -> None:
    game = GAME.game()
    both_ends = game.load(
        "......./......./......./......./R...R../RYYY.R. Y".replace("RYYY", ".YYY")
    )
    assert Solver(GAME, game, counting()).solve(both_ends) == ([], False)


def test_a_position_of_a_match() -> None:
    found = find(search(), counting())
    assert found is not None and found.match == "m1"
    assert [step.best for step in found.steps] == ["3", "5"]


def test_an_earlier_puzzle_comes_no_more() -> None:
    found = find(search(used=[POSITION]), counting())
    assert found is None or found.steps[0].position != POSITION


def test_a_broken_match_is_left_out() -> None:
    broken = record(*MOVES, "7").replace('"7"', '"99"')
    found = find(search(matches=["{}", broken, record(*MOVES, "7")]), counting())
    assert found is not None and found.match == "m1"


def test_without_matches_the_computer_plays() -> None:
    found = find(search(game="nim", matches=[]), counting())
    assert found is not None and found.match == "" and len(found.steps) > 1


def test_no_time_no_puzzle() -> None:
    assert find(search(seconds=0.0), counting()) is None


def test_a_game_with_secrets_has_none() -> None:
    assert find(search(game="clue", matches=[]), counting()) is None
