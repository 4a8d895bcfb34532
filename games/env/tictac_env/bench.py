"""Steps per second of a loop that plays legal moves: python3 -m tictac_env.bench [GAME ...].

For tic-tac-toe, it also measures PettingZoo's own environment in turn with ours, if pygame is
installed, which that one needs. Seconds are those of the processor.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from tictac_env import env

STEPS, ROUNDS = 20_000, 5


def steps_per_second(game: Any, steps: int = STEPS) -> float:
    """Play games of first moves for so many steps."""
    begin, done = time.process_time(), 0
    while done < steps:
        game.reset(seed=done)
        for _ in game.agent_iter():
            seen, _, over, cut, _ = game.last()
            game.step(None if over or cut else int(seen["action_mask"].argmax()))
            done += 1
    return done / (time.process_time() - begin)


def main(names: list[str]) -> None:
    """Print the best of ROUNDS for each game, and its ratio to PettingZoo's own."""
    for name in names or ["tictactoe"]:
        makers: dict[str, Callable[[], Any]] = {"tictac": partial(env, name)}
        if name == "tictactoe":
            with suppress(ImportError):
                from pettingzoo.classic import tictactoe_v3

                makers["PettingZoo"] = tictactoe_v3.env
        best = dict.fromkeys(makers, 0.0)
        for _ in range(ROUNDS):
            for whose, make in makers.items():
                best[whose] = max(best[whose], steps_per_second(make()))
        found = ", ".join(f"{whose} {steps:,.0f} steps/s" for whose, steps in best.items())
        ratio = f", ratio {best['tictac'] / best['PettingZoo']:.2f}" if len(best) > 1 else ""
        print(f"{name}: {found}{ratio}")


if __name__ == "__main__":
    main(sys.argv[1:])
