"""The games there are, by name: a line each."""

from __future__ import annotations

from collections.abc import Mapping

from tictac.errors import NoSuchGame
from tictac.game import Kind
from tictac.games.connectfour.game import KIND as CONNECT_FOUR
from tictac.games.nim.game import KIND as NIM
from tictac.games.reversi.game import KIND as REVERSI
from tictac.games.tictactoe.game import KIND as TIC_TAC_TOE

GAMES: Mapping[str, Kind] = {
    each.name: each
    for each in (
        TIC_TAC_TOE,
        CONNECT_FOUR,
        REVERSI,
        NIM,
    )
}


def kind(name: str) -> Kind:
    """The game of that name. Raises NoSuchGame."""
    if name not in GAMES:
        raise NoSuchGame(f"there is no game {name!r:.40}; there are {', '.join(GAMES)}")
    return GAMES[name]
