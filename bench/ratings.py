"""What the computer is worth at each level: a round robin in every game, and ratings out of it.

The ratings make the results likeliest, by the curve of Glicko-2, and are around 1500 in each game:
the ``ratings`` of a tictac.game.GameType. ``--write`` keeps them in a file with those of other
games, such as the ``ratings.json`` of games/openspiel.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import log10
from pathlib import Path
from random import Random

from bench.report import parser, read, run, table
from tictac.game import GameType, time_is_up
from tictac.games.all import GAMES

Scores = dict[tuple[str, str], float]
"""Score of a pair's first level against the second; a draw counts half a point."""

MOST_MOVES = 200
"""Maximum moves, after which a game is a draw: computers may repeat positions forever."""


def play(game_type: GameType, seated: Sequence[str], think: float, rng: Random) -> int | None:
    """Return the winning seat of a game of these levels."""
    game, choose = game_type.game(), game_type.choose
    assert choose is not None
    position = game.start(len(seated), rng)
    for _ in range(MOST_MOVES * len(seated)):
        seat = game.turn(position)
        if seat is None:
            break
        stop = time_is_up(time.process_time, think)
        move = choose(game, position, seated[seat], stop, rng)
        position = game.play(position, move, rng).position
    result = game.result(position)
    return result.winner if result else None


def meet(game_type: GameType, games: int, think: float) -> Scores:
    """Play every level against every other, each equally often in every seat."""
    seats, scores, rng = game_type.seats[0], Scores(), Random(1)
    for pair in combinations(game_type.levels, 2):
        for number in range(games):
            seated = [pair[(seat + number) % 2] for seat in range(seats)]
            winner = play(game_type, seated, think, rng)
            won = None if winner is None else seated[winner]
            for one, other in (pair, pair[::-1]):
                score = 0.5 if won is None else float(won == one)
                scores[one, other] = scores.get((one, other), 0) + score
    return scores


def rated(levels: Sequence[str], scores: Mapping[tuple[str, str], float]) -> dict[str, int]:
    """Return the likeliest ratings; an extra draw of each pair keeps them finite."""
    strength = dict.fromkeys(levels, 1.0)
    for _ in range(10_000):
        for one in levels:
            others = [other for other in levels if other != one]
            points = sum(scores[one, other] + 0.5 for other in others)
            games = [scores[one, other] + scores[other, one] + 1 for other in others]
            met = zip(games, (strength[other] for other in others), strict=True)
            strength[one] = points / sum(n / (strength[one] + theirs) for n, theirs in met)
    middle = sum(map(log10, strength.values())) / len(levels)
    return {level: round(1500 + 400 * (log10(strength[level]) - middle)) for level in levels}


def write(path: Path, name: str, ratings: Mapping[str, int]) -> None:
    """Keep the ratings of a game in a JSON file, a line for each game."""
    kept = json.loads(path.read_text("utf-8")) if path.exists() else {}
    kept[name] = ratings
    lines = [f"  {json.dumps(each)}: {json.dumps(kept[each])}" for each in sorted(kept)]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every game that has levels."""
    made = parser(__doc__, games=(100, 4), think=(0.1, 0.005))
    made.add_argument("--only", choices=GAMES, help="this game alone")
    made.add_argument("--write", type=Path, metavar="FILE", help="keep the ratings in this file")
    options = read(made, arguments)
    rows = []
    kinds = {name: game_type for name, game_type in GAMES.items() if options.only in (None, name)}
    most = max(len(game_type.levels) for game_type in kinds.values())
    for name, game_type in kinds.items():
        scores = meet(game_type, options.games, options.think)
        found = rated(game_type.levels, scores)
        if options.write is not None:
            write(options.write, name, found)
        for level in game_type.levels:
            shares = [
                f"{scores[level, other] / (scores[level, other] + scores[other, level]):.2f}"
                if other != level
                else "-"
                for other in game_type.levels
            ]
            shares += ["-"] * (most - len(shares))
            kept = game_type.ratings.get(level, 0)
            rows.append([f"{name}, {level}", *shares, f"{found[level]}", f"{kept}"])
    scored = [f"score/level {number}" for number in range(1, most + 1)]  # The weakest level is 1.
    table(["level", *scored, "rating", "as kept"], rows)


if __name__ == "__main__":
    run(main)
