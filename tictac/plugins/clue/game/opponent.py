"""The computer players by name, and their choice of a move from the messages to their seat."""

from __future__ import annotations

from random import Random

from tictac.game import ShouldStop
from tictac.plugins.clue.game.board import Board
from tictac.plugins.clue.game.detective import Detective
from tictac.plugins.clue.game.messages import Hello, Message, heard
from tictac.plugins.clue.game.players import Eliminator, Leech, Sensible, Strategy
from tictac.plugins.clue.game.position import Answer, Position, format_move
from tictac.plugins.clue.game.rules import Clue

PLAYERS: dict[str, type[Strategy]] = {
    "random": Strategy,
    "sensible": Sensible,
    "leech": Leech,
    "detective": Detective,
}


class Newcomer:
    """A player of the game that its ``hello`` announces; without cards, an Eliminator."""

    def __init__(self, name: str, board: Board, dice: Random) -> None:
        self._player, self._mini = PLAYERS[name](board, dice), Eliminator(board, dice)

    def respond(self, message: Message) -> Answer | None:
        """Take a message; return the answer, or None if the message needs none."""
        if isinstance(message, Hello) and message.hand is None:
            self._player = self._mini
        return self._player.respond(message)


def choose(game: Clue, position: Position, level: str, stop: ShouldStop, dice: Random) -> str:
    """Return the computer's answer, after all messages to its seat.

    With a seed, the player's Random follows from that seed, so it repeats its earlier decisions.
    """
    seat = game.turn(position)
    assert seat is not None
    if position.seed:
        dice = Random(f"{position.seed} {seat}")
    kind = Eliminator if position.mini else PLAYERS[level]
    player = kind(position.board, dice)
    *earlier, (due, _) = heard(position, seat)
    for message, answer in earlier:
        player.note(message)
        if position.seed:
            player.decide(message)
        player.answered(message, answer)
    player.note(due)
    decided = player.decide(due)
    assert decided is not None
    return format_move(position.asked, decided)
