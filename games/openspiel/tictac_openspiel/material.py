"""The computer where random play-outs say little: chess and its relatives by material, and others.

An alpha-beta search of a few moves. It sees what is taken, and mate, but knows nothing of plans. In
Hive, it counts the pieces around the queens, and in Quoridor the steps of both pawns.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from tictac.game import ShouldStop
from tictac_openspiel import hive, quoridor
from tictac_openspiel.adapter import Position, Spiel

DEPTHS = {"beginner": 1, "club": 2, "best": 8}
WON = 10_000.0
WORTH: dict[str, dict[str, float]] = {
    "chess": {"p": 1, "n": 3, "b": 3.1, "r": 5, "q": 9, "k": 0},
    "antichess": {"p": -1, "n": -2, "b": -2, "r": -3, "q": -3, "k": -2},
    "crazyhouse": {"p": 1, "n": 2.5, "b": 2.5, "r": 3, "q": 5, "k": 0},
    "xiangqi": {"p": 1, "a": 2, "b": 2, "n": 4, "c": 4.5, "r": 9, "k": 0},
    "shogi": {"p": 1, "l": 3, "n": 3.5, "s": 5, "g": 6, "b": 8, "r": 10, "k": 0},
    "hive": {},
    "quoridor": {},
}
"""What a piece is worth, by the game."""


PRESSURES: dict[str, Callable[[Any], int]] = {"hive": hive.pressure, "quoridor": quoridor.pressure}
"""By how much the first player is ahead, in games where material says nothing."""


class Stopped(Exception):
    """Time is up."""


class Search:
    """A search from one position; ``stop`` is asked after every move that it tries."""

    def __init__(self, game: Spiel, stop: ShouldStop, rng: Random) -> None:
        self._board, self._stop, self._rng = game.entry.board, stop, rng
        worth = WORTH[game.entry.name]
        self._pressure = PRESSURES.get(game.entry.name)
        self._worth = {**worth, **{sign.upper(): -value for sign, value in worth.items()}}
        self.first = True

    def best(self, state: Any, depth: int) -> int:
        """Return the best action, looking so many moves ahead, as far as time permits."""
        actions = list(state.legal_actions())
        self._rng.shuffle(actions)
        actions.sort(key=lambda action: -self._gain(state, action))
        for deep in range(1, depth + 1):
            self.first = deep == 1
            try:
                actions = self._ranked(state, actions, deep)
            except Stopped:
                break
        return int(actions[0])

    def _ranked(self, state: Any, actions: list[int], depth: int) -> list[int]:
        best, alpha = actions[0], -2 * WON
        for action in actions:
            value = -self._value(state.child(action), depth - 1, -2 * WON, -alpha)
            if value > alpha:
                best, alpha = action, value
        return [best, *(action for action in actions if action != best)]

    def _value(self, state: Any, depth: int, alpha: float, beta: float) -> float:
        """Return the value for the player to move."""
        if state.is_terminal():
            return self._end(state, depth)
        if depth == 0:
            return self._material(state)
        actions = state.legal_actions()
        if depth > 1:
            actions = sorted(actions, key=lambda action: -self._gain(state, action))
        for action in actions:
            if not self.first and self._stop():
                raise Stopped
            after = state.child(action)
            alpha = max(alpha, -self._value(after, depth - 1, -beta, -alpha))
            if alpha >= beta:
                break
        return alpha

    def _end(self, state: Any, depth: int) -> float:
        # The player who would move next; the last one to move was the other.
        last = state.full_history()[-1].player
        return float(state.returns()[1 - last] * (WON + depth))

    def _material(self, state: Any) -> float:
        if self._pressure is not None:
            ahead = self._pressure(state)
            return float(-ahead if state.current_player() else ahead)
        worth = self._worth
        words = self._board.rows(state)
        held = words[2] if self._board.names == "shogi" else ""
        # Small letters count for the second player.
        total = sum(worth.get(sign, 0) for sign in words[0] + held)
        return float(total if self._second(state) else -total)

    def _second(self, state: Any) -> bool:
        return bool(self._board.rows(state)[1] != self._board.sides[0])

    def _gain(self, state: Any, action: int) -> float:
        after = state.child(action)
        return WON if after.is_terminal() else -self._material(after)


def choose(game: Spiel, position: Position, level: str, stop: ShouldStop, rng: Random) -> str:
    """Return a move of the game at a level."""
    best = Search(game, stop, rng).best(position.state, DEPTHS[level])
    board, state = game.entry.board, position.state
    said = board.text_of(state, best)
    return next(iter(board.more(state, {said: (best,)}))) if board.more else said
