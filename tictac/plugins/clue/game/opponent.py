"""The computer: the players by name, and what one decides by what its seat was told."""

from __future__ import annotations

from random import Random

from tictac.game import ShouldStop
from tictac.plugins.clue.game.board import Board
from tictac.plugins.clue.game.detective import Detective
from tictac.plugins.clue.game.messages import Hello, Message, heard
from tictac.plugins.clue.game.players import Eliminator, Leech, Sensible, Strategy
from tictac.plugins.clue.game.position import Answer, Position, write_move
from tictac.plugins.clue.game.rules import Clue

PLAYERS: dict[str, type[Strategy]] = {
    "random": Strategy,
    "sensible": Sensible,
    "leech": Leech,
    "detective": Detective,
}


class Newcomer:
    """Plays the game that its ``hello`` announces: without cards it is an Eliminator."""

    def __init__(self, name: str, board: Board, dice: Random) -> None:
        self._player, self._mini = PLAYERS[name](board, dice), Eliminator(board, dice)

    def respond(self, message: Message) -> Answer | None:
        """Take a message; the answer if it asks for one, otherwise None."""
        if isinstance(message, Hello) and message.hand is None:
            self._player = self._mini
        return self._player.respond(message)


def choose(game: Clue, position: Position, level: str, stop: ShouldStop, dice: Random) -> str:
    """The computer's answer. It hears all that its seat was told, as if it had played since.

    With a seed its dice follow from that, so it decides again what it has decided.
    """
    seat = game.turn(position)
    assert seat is not None
    if position.seed:
        dice = Random(f"{position.seed} {seat}")
    kind = Eliminator if position.mini else PLAYERS[level]
    player = kind(position.board, dice)
    *told, (due, _) = heard(position, seat)
    for message, answer in told:
        player.note(message)
        if position.seed:
            player.decide(message)
        player.answered(message, answer)
    player.note(due)
    decided = player.decide(due)
    assert decided is not None
    return write_move(position.asked, decided)
