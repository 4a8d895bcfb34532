"""How long judging whole matches takes, and how often they could be replayed meanwhile."""

from __future__ import annotations

import time
from collections.abc import Sequence
from random import Random

from bench.report import Reach, parser, read, run, table
from tictac.analysis import judge
from tictac.game import GameType, Value
from tictac.games.all import GAMES, game_type_of

IN_ALL: tuple[tuple[str, dict[str, Value], int], ...] = (
    ("tictactoe", {}, 9),
    ("tictactoe", {"rows": 15, "columns": 15, "strike": 5}, 60),
    ("connectfour", {}, 30),
    ("connectfour", {"pops": False}, 30),
    ("reversi", {}, 60),
    ("nim", {}, 60),
    ("clue", {}, 400),
)
"""Games with their options, and the maximum number of moves in a match."""

REACHES = {
    0: Reach("seconds for a match of tic-tac-toe 3x3", 0.01),
    2: Reach("seconds for 30 moves of Connect Four", 3),
    3: Reach("seconds for 30 moves of Connect Four without pops", 3),
}

seconds = time.process_time


def played(
    asked: GameType, options: dict[str, Value], most: int, rng: Random
) -> tuple[str, list[str]]:
    """Return the first position and the moves of a match at the second level."""
    game, choose = asked.game(options), asked.choose
    assert choose is not None
    position = game.start(asked.seats[0], rng)
    start, moves = game.dump(position), list[str]()
    while game.turn(position) is not None and len(moves) < most:
        # With the best moves alone, a match would end before there is much to evaluate.
        legal = game.moves(position)
        good = choose(game, position, asked.levels[1], lambda: True, rng)
        move = rng.choice(legal) if legal and rng.random() < 0.3 else good
        position, text = game.play(position, move, rng)
        moves.append(text)
    return start, moves


def main(arguments: Sequence[str] | None = None) -> None:
    """Evaluate some matches of each game."""
    reader = parser(__doc__, matches=(5, 1))
    reader.add_argument("--only", choices=GAMES, help="this game alone")
    options = read(reader, arguments)
    rows, rng = [], Random(1)
    for number, (name, values, most) in enumerate(IN_ALL):
        if options.only not in (None, name):
            continue
        asked = game_type_of(name)
        game, took, again, moves = asked.game(values), list[float](), 0.0, 0
        list(judge(asked, game, *_warm(asked, values)))
        for _ in range(options.matches):
            start, made = played(asked, values, most, rng)
            began = seconds()
            list(judge(asked, game, game.load(start), made))
            took.append(seconds() - began)
            moves += len(made)
            position = game.load(start)
            for move in made:
                position = game.play(position, move, None).position
            again += seconds() - began - took[-1]
        mean = sum(took) / len(took)
        spelled = ", ".join(f"{key} {value}" for key, value in values.items())
        rows.append(
            [
                f"{name} {spelled}",
                f"{sum(took) / max(again, 1e-9):.0f}",
                f"{moves / options.matches:.0f}",
                f"{mean:.4f}",
            ]
        )
        if number in REACHES:
            REACHES[number].tell(mean)
    table(["match", "judged/replayed", "moves", "seconds"], rows)


def _warm(asked: GameType, values: dict[str, Value]) -> tuple[object, list[str]]:
    """Return a match of one move, with which a process fills its caches."""
    game = asked.game(values)
    start = game.start(asked.seats[0], Random(1))
    return start, [game.play(start, (game.moves(start) or ["0:1"])[0], Random(1)).move]


if __name__ == "__main__":
    run(main)
