"""The queue of Nim players, the tables, and who wins, stays and meets whom.

Source: nim.md, "The queue" and "Errors". It knows no connection; dice and the time are
passed in. Every request returns the events that it led to.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from random import Random
from typing import Protocol

from tictac.errors import AlreadyPlaying, NotYourTurn, Refusal
from tictac.fair import FairQueue
from tictac.games.nim.rules import Deal, Move, Position, Rules
from tictac.nim.wire import Lose, Turn, Win
from tictac.tables import Closed, Ended, Ending, Event, Host, PlayerId, Told


class NimHost(Host, Protocol):
    """Decides about matches of Nim, as its messages ask."""

    def play(self, number: PlayerId, line: Hashable) -> list[Event]:
        """`play` of somebody in this line: where it comes from."""

    def move(self, number: PlayerId, move: Move) -> list[Event]:
        """`move`."""

    def exit(self, number: PlayerId) -> list[Event]:
        """`exit`."""

    def takes_part(self, player: PlayerId) -> bool:
        """Whether the player has sent `play`."""

    def overdue(self, player: PlayerId) -> bool:
        """Whether the player is to lose since its match takes too long."""

    def finish(self) -> None:
        """Begin no more matches."""


class _Player:
    """Somebody who is connected.

    ``line`` is where it comes from, once it has sent `play`. ``spare_plays`` and
    ``spare_moves`` are the requests of it that are still to be ignored, since it may have
    sent them before it knew that it had won.
    """

    def __init__(self, number: PlayerId) -> None:
        self.id = number
        self.takes_part = False
        self.line: Hashable = None
        self.game: _Game | None = None
        self.spare_plays = 0
        self.spare_moves = 0


class _Game:
    """Two players, of whom the first one moves first, and how far they are since ``began``."""

    def __init__(self, players: tuple[_Player, _Player], rules: Rules, now: float) -> None:
        self.players = players
        self.rules = rules
        self.position: Position = rules.initial()
        self.began = self._turn_began = now
        self._spent = [0.0, 0.0]
        for player in players:
            player.game = self

    @property
    def mover(self) -> _Player:
        """Whose turn it is."""
        return self.players[self.position.mover]

    def play(self, move: Move, now: float) -> None:
        """Let the mover make ``move``. Raises IllegalMove."""
        mover = self.position.mover
        self.position = self.rules.play(self.position, move)
        self._spent[mover] += now - self._turn_began
        self._turn_began = now

    def slower(self, now: float) -> _Player:
        """Whoever has taken more time for its moves."""
        mover = self.position.mover
        spent = self._spent[mover] + now - self._turn_began
        return self.players[mover if spent >= self._spent[1 - mover] else 1 - mover]

    def opponent(self, player: _Player) -> _Player:
        """The other one."""
        return self.players[1 if player is self.players[0] else 0]


class NimTables:
    """Games on ``count`` tables side by side, which ``deal`` and ``dice`` set up (a NimHost).

    By the clock ``seconds`` a game may take ``match_timeout``, 0 for no limit.
    """

    def __init__(
        self,
        count: int,
        deal: Deal,
        dice: Random,
        seconds: Callable[[], float],
        match_timeout: float = 0,
    ) -> None:
        self._count = count
        self._deal = deal
        self._dice = dice
        self._seconds = seconds
        self.match_timeout = match_timeout
        self._players: dict[PlayerId, _Player] = {}
        self._queue: FairQueue[_Player, None] = FairQueue()
        self._winners: OrderedDict[_Player, None] = OrderedDict()  # each alone at its table
        self._running = 0
        self._finishing = False

    # Requests

    def enter(self, player: PlayerId) -> list[Event]:
        """Somebody has connected, who takes part once it has sent `play`."""
        self._players[player] = _Player(player)
        return []

    def play(self, number: PlayerId, line: Hashable = None) -> list[Event]:
        """`play`: into the queue, and to a table if there is somebody to play against."""
        player = self._players[number]
        if player.spare_plays:
            player.spare_plays -= 1
            return []
        if player.takes_part:
            return self._refuse(player, AlreadyPlaying("a second play"))
        player.takes_part = True
        player.line = line
        self._queue.add(line, player, None)
        return self._seat()

    def move(self, number: PlayerId, move: Move) -> list[Event]:
        """`move`: the other player's turn, or the end."""
        player = self._players[number]
        game = player.game
        try:
            if game is None or game.mover is not player:
                raise NotYourTurn("a move out of turn")
            game.play(move, self._seconds())
        except Refusal as refusal:
            if player.spare_moves:
                player.spare_moves -= 1
                return []
            return self._refuse(player, refusal)
        if game.rules.outcome(game.position) is None:
            return [Told(game.mover.id, Turn(game.position.numbers))]
        loser = game.mover
        events: list[Event] = [Told(loser.id, Lose()), Closed(loser.id)]
        return events + self._remove(loser, "won")

    def exit(self, number: PlayerId) -> list[Event]:
        """`exit`: the player leaves, wherever it is."""
        return [Closed(number), *self._remove(self._players[number], "forfeited")]

    def leave(self, player: PlayerId, ending: Ending) -> list[Event]:
        """The player has gone; in a game the other one has won."""
        known = self._players.get(player)
        return [] if known is None else self._remove(known, ending)

    def finish(self) -> None:
        """Begin no more games."""
        self._finishing = True

    # What is asked about it

    def awaits(self, player: PlayerId) -> bool:
        """Whether the player is to move."""
        known = self._players.get(player)
        return known is not None and known.game is not None and known.game.mover is known

    def overdue(self, player: PlayerId) -> bool:
        """Whether the player's game takes too long, and the player has taken more of the time."""
        known = self._players.get(player)
        if known is None or known.game is None:
            return False
        now = self._seconds()
        late = 0 < self.match_timeout <= now - known.game.began
        return late and known.game.slower(now) is known

    def takes_part(self, player: PlayerId) -> bool:
        """Whether the player has sent `play`."""
        return self._players[player].takes_part

    def running(self) -> int:
        """How many games have begun and aren't over."""
        return self._running

    # How it is done

    def _refuse(self, player: _Player, refusal: Refusal) -> list[Event]:
        return [Closed(player.id, refusal), *self._remove(player, "refused")]

    def _remove(self, player: _Player, ending: Ending) -> list[Event]:
        """Forget the player; whom it leaves alone has won and stays at the table."""
        del self._players[player.id]
        self._queue.remove(player.line, player)
        self._winners.pop(player, None)
        events: list[Event] = []
        game = player.game
        if game is not None:
            winner = game.opponent(player)
            self._running -= 1
            self._reward(winner, game)
            events += [Told(winner.id, Win()), Ended(ending)]
        return events + self._seat()

    def _reward(self, winner: _Player, game: _Game) -> None:
        winner.spare_plays += 1
        # Only who was asked for a move can have sent one that crosses with the win.
        winner.spare_moves += game.mover is winner
        winner.game = None
        self._winners[winner] = None

    def _seat(self) -> list[Event]:
        """Begin every game that can begin."""
        events: list[Event] = []
        while self._queue and not self._finishing:
            if self._winners:
                players = [self._next(), self._winners.popitem(last=False)[0]]
            elif len(self._queue) > 1 and self._running < self._count:
                players = [self._next(), self._next()]
                self._dice.shuffle(players)
            else:
                break
            first, second = players
            rules = self._deal.draw(self._dice)
            events.append(self._begin(_Game((first, second), rules, self._seconds())))
        return events

    def _next(self) -> _Player:
        return self._queue.next()[0]

    def _begin(self, game: _Game) -> Told:
        self._running += 1
        return Told(game.mover.id, Turn(game.position.numbers))
