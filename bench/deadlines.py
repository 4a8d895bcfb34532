"""How long computers think, of the time that they are given: at each slow level of each game.

Positions are from random games. The search asks for its time by the clock, as in an engine process;
so the machine is to be quiet. A move that needs less than its time counts as its time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any

from bench.report import Reach, parser, percentile, read, run, table
from tictac.game import GameType, time_is_up
from tictac.games.all import GAMES


def positions(game_type: GameType, rng: Random) -> Iterator[Any]:
    """Yield every third position of random games in which there is something to decide."""
    game = game_type.game()
    while True:
        position, made = game.start(game_type.seats[0], rng), rng.randrange(3)
        while game.turn(position) is not None and made < 300:
            moves = game.moves(position)
            if made % 3 == 0 and len(moves) > 1:
                yield position
            position, made = game.play(position, rng.choice(moves), rng).position, made + 1


def shares(game_type: GameType, level: str, think: float, number: int) -> list[float]:
    """Return how long the moves took, of the time that there was."""
    rng = Random(1)
    game, choose = game_type.game(), game_type.choose
    assert choose is not None
    found = []
    for position in islice(positions(game_type, rng), number + 1):
        began = time.monotonic()
        choose(game, position, level, time_is_up(time.monotonic, think), rng)
        found.append(max(1.0, (time.monotonic() - began) / think))
    return found[1:]  # the first one imports, or starts a program


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every game with slow levels."""
    made = parser(__doc__, positions=(20, 2), think=(1.0, 0.05))
    made.add_argument("--only", choices=GAMES, help="this game alone")
    options = read(made, arguments)
    rows, every = [], []
    for name, game_type in GAMES.items():
        if options.only in (None, name):
            for level in sorted(game_type.slow, key=game_type.levels.index):
                found = shares(game_type, level, options.think, options.positions)
                every += found
                rows.append(
                    [f"{name}, {level}", f"{percentile(found, 0.5):.2f}", f"{max(found):.2f}"]
                )
    table(["level", "p50/time", "most/time"], rows)
    if every:
        Reach("p99 of all moves, of their time,", 1.3).tell(percentile(every, 0.99))


if __name__ == "__main__":
    run(main)
