"""Pairs of players, each with a match of its own: who is told what, and who is out.

Source: session.md. It knows no connection and no clock. Every request returns the events
that it led to; their messages are sequences of the integers of wire.py.
"""

from __future__ import annotations

from collections import deque

from tictac.errors import IllegalMove, NotAMove, Refusal
from tictac.games.tictactoe.rules import Outcome, Rules, X
from tictac.session.wire import CONTINUE, DRAW, PLAYER1, PLAYER1_WON, PLAYER2, PLAYER2_WON
from tictac.tables import Closed, Ended, Ending, Event, PlayerId, Told

RULES = Rules()

MOST_MOVES = 5
"""Nobody makes more moves in a match: whoever sends more isn't playing."""

Move = tuple[int, int]
"""Row and column, from 0."""


class _Player:
    """Somebody who is connected. ``kept`` are the moves of it that wait for their turn."""

    def __init__(self, number: PlayerId) -> None:
        self.id = number
        self.match: _Match | None = None
        self.row: int | None = None  # of a move whose column isn't there yet
        self.moves = 0
        self.kept: deque[Move] = deque()


class _Match:
    """Two players, player 1 first, and the board."""

    def __init__(self, players: tuple[_Player, _Player]) -> None:
        self.players = players
        self.board = RULES.initial()
        for player in players:
            player.match = self

    @property
    def mover(self) -> _Player:
        """Whose turn it is."""
        return self.players[0 if RULES.to_move(self.board) == X else 1]

    def opponent(self, player: _Player) -> _Player:
        """The other one."""
        return self.players[1 if player is self.players[0] else 0]


class SessionTables:
    """Pairs up whoever comes (a Host)."""

    def __init__(self) -> None:
        self._players: dict[PlayerId, _Player] = {}
        self._waiting: _Player | None = None
        self._running = 0

    # Requests

    def enter(self, number: PlayerId) -> list[Event]:
        """Somebody has connected: player 1 of the next match, or player 2 of this one."""
        player = self._players[number] = _Player(number)
        first, self._waiting = self._waiting, None
        if first is None:
            self._waiting = player
            return [Told(number, (PLAYER1,))]
        match = _Match((first, player))
        self._running += 1
        begun: list[Event] = [Told(first.id, (PLAYER1,)), Told(number, (PLAYER2,))]
        return begun + self._play_kept(match)

    def take(self, number: PlayerId, integer: int) -> list[Event]:
        """The next integer that a player sends: a row or a column."""
        player = self._players[number]
        if RULES.cell(0, integer) is None or player.moves == MOST_MOVES:
            return self._refuse(player, NotAMove(f"{integer} can't be of a move"))
        if player.row is None:
            player.row = integer
            return []
        player.kept.append((player.row, integer))
        player.row = None
        player.moves += 1
        return [] if player.match is None else self._play_kept(player.match)

    def leave(self, number: PlayerId, ending: Ending) -> list[Event]:
        """The player has gone, and so must its opponent."""
        player = self._players.get(number)
        if player is None:
            return []
        if player.match is not None:
            return self._end(player.match, player, ending)[1:]
        del self._players[number]
        self._waiting = None
        return []

    # What is asked about it

    def awaits(self, number: PlayerId) -> bool:
        """Whether the player is to move."""
        player = self._players.get(number)
        return player is not None and player.match is not None and player.match.mover is player

    @property
    def waiting(self) -> PlayerId:
        """Who waits for an opponent; 0 is nobody."""
        return self._waiting.id if self._waiting is not None else 0

    def running(self) -> int:
        """How many matches have begun and aren't over."""
        return self._running

    # How it is done

    def _refuse(self, player: _Player, refusal: Refusal) -> list[Event]:
        return [Closed(player.id, refusal), *self.leave(player.id, "refused")]

    def _play_kept(self, match: _Match) -> list[Event]:
        """Play moves for as long as the side to move has one."""
        events: list[Event] = []
        while match.mover.kept and match.mover.id in self._players:
            events += self._play(match, match.mover, match.mover.kept.popleft())
        return events

    def _play(self, match: _Match, player: _Player, move: Move) -> list[Event]:
        row, column = move
        try:
            match.board = RULES.play(match.board, RULES.cell(column, row))
        except IllegalMove as refusal:
            return self._refuse(player, refusal)
        opponent = match.opponent(player)
        outcome = RULES.outcome(match.board)
        if outcome is None:
            return [Told(opponent.id, (CONTINUE, row, column))]
        status = _status(outcome)
        told: list[Event] = [Told(player.id, (status,)), Told(opponent.id, (status, row, column))]
        return told + self._end(match, player, "drawn" if status == DRAW else "won")

    def _end(self, match: _Match, first: _Player, ending: Ending) -> list[Event]:
        """Close both connections, that of ``first`` first."""
        self._running -= 1
        for player in match.players:
            del self._players[player.id]
        return [Closed(first.id), Closed(match.opponent(first).id), Ended(ending)]


def _status(outcome: Outcome) -> int:
    if outcome.winner is None:
        return DRAW
    return PLAYER1_WON if outcome.winner == X else PLAYER2_WON
