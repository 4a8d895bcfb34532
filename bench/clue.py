"""How often the players of Clue win: the detective against others, and a leech in its seat.

Both play without sockets on the same deals and dice, and the watched seat moves around the table.
The chances have intervals of 95 percent. The last lines are those of the mini-game.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import sqrt
from multiprocessing import Pool
from multiprocessing.pool import Pool as PoolType
from random import Random
from statistics import mean, stdev

from bench.arena import Match, Result, play, play_mini
from bench.report import Reach, parser, read, run, table

MIXES: dict[str, tuple[tuple[str, ...], float]] = {
    "5 sensible": (("sensible",) * 5, 85),
    "5 leeches": (("leech",) * 5, 75),
    "5 random": (("random",) * 5, 97),
    "3 sensible, 2 leeches": (("sensible",) * 3 + ("leech",) * 2, 75),
}
"""The five other players, and the detective's target of wins in 100 games."""

HEADER = ("against", "player", "wins/100", "interval", "rounds", "ms/answer", "slowest")
Z = 1.96


def matches(player: str, others: tuple[str, ...], games: int, seed: int) -> list[Match]:
    """Return the games of a player: the others change seats in the same way for every player."""
    made = []
    for number in range(seed, seed + games):
        order = list(others)
        Random(number).shuffle(order)
        made.append(Match(player, tuple(order), number))
    return made


def interval(wins: int, games: int) -> tuple[float, float]:
    """Return Wilson's interval of a chance, in percent."""
    share = wins / games
    middle = share + Z * Z / (2 * games)
    around = Z * sqrt(share * (1 - share) / games + Z * Z / (4 * games * games))
    scale = 100 / (1 + Z * Z / games)
    return max(0.0, middle - around) * scale, min(1 + Z * Z / games, middle + around) * scale


def row(against: str, player: str, results: Sequence[Result]) -> list[str]:
    """Return the row of the table for one player."""
    wins, games = sum(result.won for result in results), len(results)
    low, high = interval(wins, games)
    answers = sum(result.answers for result in results)
    return [
        against,
        player,
        f"{100 * wins / games:.1f}",
        f"{low:.1f} to {high:.1f}",
        f"{mean(result.rounds for result in results):.1f}",
        f"{1000 * sum(result.seconds for result in results) / answers:.1f}",
        f"{1000 * max(result.slowest for result in results):.0f}",
    ]


def lead(ours: Sequence[Result], theirs: Sequence[Result]) -> str:
    """Return the first player's lead over the second in 100 games on the same deals."""
    gaps = [100.0 * (one.won - two.won) for one, two in zip(ours, theirs, strict=True)]
    around = Z * stdev(gaps) / sqrt(len(gaps)) if len(gaps) > 1 else 100.0
    return f"{mean(gaps):+.1f}, {mean(gaps) - around:+.1f} to {mean(gaps) + around:+.1f}"


def full_game(pool: PoolType, games: int, seed: int) -> None:
    """Play the detective and the leech against each mix."""
    rows, leads, reached = [], [], []
    for against, (others, aim) in MIXES.items():
        results = {
            player: pool.map(play, matches(player, others, games, seed), chunksize=4)
            for player in ("detective", "leech")
        }
        rows += [row(against, player, found) for player, found in results.items()]
        leads.append(f"lead over the leech, {against}: {lead(*results.values())} of 100")
        wins = 100 * mean(result.won for result in results["detective"])
        slowest = max(result.slowest for result in results["detective"])
        reached.append((Reach(f"wins of 100 against {against},", aim, least=True), wins))
        reached.append((Reach("seconds of the slowest answer,", 0.5), slowest))
    table(HEADER, rows)
    print(*leads, sep="\n")
    for reach, figure in reached:
        reach.tell(figure)


def mini_game(pool: PoolType, games: int, seed: int) -> None:
    """Play the mini-game; print whether it is always won, and the number of suggestions."""
    results = pool.map(play_mini, range(seed, seed + games), chunksize=16)
    won, suggestions, turns = zip(*results, strict=True)
    print(f"mini-game: {sum(won)} of {games} won, in {mean(turns):.1f} turns on average")
    Reach("mini-games won of 100,", 100, least=True).tell(100 * mean(won))
    Reach("suggestions in any mini-game", 19).tell(max(suggestions))
    Reach("suggestions in a mini-game on average", 10.5).tell(mean(suggestions))


def main(arguments: Sequence[str] | None = None) -> None:
    """Play all games, on every core."""
    made = parser(__doc__, games=(1000, 20), mini_games=(2000, 100), processes=(0, 0))
    made.add_argument("--seed", type=int, default=0, metavar="S", help="of the first game; 0")
    options = read(made, arguments)
    with Pool(options.processes or os.cpu_count()) as pool:
        full_game(pool, options.games, options.seed)
        mini_game(pool, options.mini_games, options.seed)


if __name__ == "__main__":
    run(main)
