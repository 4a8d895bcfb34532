"""Nim against the server's own player, which plays perfectly: a table for each who comes.

For those who don't want to wait for somebody (docs/web.md). The player begins each match, so
that there is mostly a way to win it. It knows no connection and no clock; dice are passed in.
"""

from __future__ import annotations

from collections.abc import Hashable
from random import Random

from tictac.errors import AlreadyPlaying, NotYourTurn, Refusal
from tictac.games.nim import opponent
from tictac.games.nim.rules import Deal, Move, Position, Rules
from tictac.nim.wire import Lose, Turn, Win
from tictac.tables import Closed, Ended, Ending, Event, PlayerId, Told


class _Game:
    """A match of one player, who is side 0, against the house."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.position: Position = rules.initial()

    def play(self, move: Move) -> bool:
        """Make ``move``; whether it has won. Raises IllegalMove."""
        self.position = self.rules.play(self.position, move)
        return self.rules.outcome(self.position) is not None


class HouseTables:
    """Players, each at a table of its own, which ``deal`` and ``dice`` set up (a NimHost).

    Each `play` begins a match. Who has won may send another one; who has lost is out.
    """

    def __init__(self, deal: Deal, dice: Random) -> None:
        self._deal = deal
        self._dice = dice
        self._games: dict[PlayerId, _Game | None] = {}
        self._taking_part: set[PlayerId] = set()
        self._finishing = False

    # Requests

    def enter(self, player: PlayerId) -> list[Event]:
        """Somebody has connected."""
        self._games[player] = None
        return []

    def play(self, number: PlayerId, line: Hashable = None) -> list[Event]:
        """`play`: the next match begins with the player's turn."""
        if self._games[number] is not None:
            return self._refuse(number, AlreadyPlaying("a play in a match"))
        self._taking_part.add(number)
        if self._finishing:
            return []
        game = self._games[number] = _Game(self._deal.draw(self._dice))
        return [Told(number, Turn(game.position.numbers))]

    def move(self, number: PlayerId, move: Move) -> list[Event]:
        """`move`: it is answered with one of the house, or with the end."""
        game = self._games[number]
        try:
            if game is None:
                raise NotYourTurn("a move out of turn")
            if game.play(move):
                self._games[number] = None
                return [Told(number, Win()), Ended("won")]
        except Refusal as refusal:
            return self._refuse(number, refusal)
        if game.play(opponent.choose(game.position.numbers, self._dice)):
            return [Told(number, Lose()), Closed(number), *self.leave(number, "won")]
        return [Told(number, Turn(game.position.numbers))]

    def exit(self, number: PlayerId) -> list[Event]:
        """`exit`: the player leaves."""
        return [Closed(number), *self.leave(number, "forfeited")]

    def leave(self, player: PlayerId, ending: Ending) -> list[Event]:
        """The player has gone; its match, if there is one, is over."""
        self._taking_part.discard(player)
        game = self._games.pop(player, None)
        return [] if game is None else [Ended(ending)]

    def finish(self) -> None:
        """Begin no more matches."""
        self._finishing = True

    # What is asked about it

    def awaits(self, player: PlayerId) -> bool:
        """Whether the player is to move: in a match it always is."""
        return self._games.get(player) is not None

    def overdue(self, player: PlayerId) -> bool:
        """No match takes too long: nobody waits for the table."""
        return False

    def takes_part(self, player: PlayerId) -> bool:
        """Whether the player has sent `play`."""
        return player in self._taking_part

    def running(self) -> int:
        """How many matches have begun and aren't over."""
        return sum(game is not None for game in self._games.values())

    def _refuse(self, player: PlayerId, refusal: Refusal) -> list[Event]:
        return [Closed(player, refusal), *self.leave(player, "refused")]
