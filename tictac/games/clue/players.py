"""The players by name, for the server, the network client and the bench."""

from __future__ import annotations

from random import Random

from tictac.games.clue.board import Board
from tictac.games.clue.detective import Detective
from tictac.games.clue.eliminator import Eliminator
from tictac.games.clue.messages import Answer, Hello, Message
from tictac.games.clue.player import Hears, Player
from tictac.games.clue.simple import Leech, RandomPlayer, Sensible

PLAYERS: dict[str, type[Player]] = {
    "random": RandomPlayer,
    "sensible": Sensible,
    "leech": Leech,
    "detective": Detective,
}


def make_player(name: str, board: Board, dice: Random) -> Hears:
    """A player of that kind for whatever game its ``hello`` announces.

    Raises ValueError for a name that isn't in :data:`PLAYERS`.
    """
    if name not in PLAYERS:
        raise ValueError(f"{name!r:.40} is none of {', '.join(PLAYERS)}")
    return _Newcomer(PLAYERS[name](board, dice), Eliminator(board, dice))


class _Newcomer:
    """Plays the mini-game, where there are no cards to hold, as an :class:`Eliminator`."""

    def __init__(self, full: Hears, mini: Hears) -> None:
        self._player, self._mini = full, mini

    def hear(self, message: Message) -> Answer | None:
        if isinstance(message, Hello) and message.hand is None:
            self._player = self._mini
        return self._player.hear(message)
