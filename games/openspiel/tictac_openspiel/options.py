"""The options of this package on a server."""

from __future__ import annotations

import os
from dataclasses import dataclass

from tictac.options import repeatable
from tictac.runtime import AddOn, Runtime
from tictac_openspiel.engines import CHOSEN, read_choice


@dataclass(frozen=True)
class GameOptions:
    """Programs of others as the computer."""

    game_engine: tuple[str, ...] = repeatable(
        "GAME=PATH of a program for chess, go, or another game; or GAME=none. Repeatable.", read_choice
    )


def _make(runtime: Runtime) -> None:
    """Leave the choice to the engine processes, which inherit it."""
    if chosen := runtime.settings[GameOptions].game_engine:
        os.environ[CHOSEN] = " ".join(chosen)


ADD_ON = AddOn(_make, GameOptions)
