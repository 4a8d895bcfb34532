"""The evaluation of chess by mates in up to three moves, as the rules of OpenSpiel prove them.

Iterative deepening finds the shortest mate. Checks go first, and so does the reply that stopped the
attack before. No move is left out, so that both are proved: that a move mates in so many moves, and
that it doesn't. What a search within its bounds doesn't prove has no evaluation.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NamedTuple

from tictac.game import Evaluation, Evaluator, ShouldStop
from tictac_openspiel.adapter import Position, Spiel

LONGEST = 3
"""Maximum moves of the attacker until mate."""

NODES = 40_000
"""Maximum positions whose moves a search lists: about ten seconds."""

LOST, EVEN, WON = 0.0, 0.5, 1.0
"""Expected scores. A position without a proof counts as even."""


class Unproved(Exception):
    """The search is at its bounds."""


class Found(NamedTuple):
    """A mate in so many moves, and an action that forces it."""

    moves: int
    action: int


class Mates:
    """A search for mates. Raises Unproved once ``stop`` is true, or ``NODES`` are used."""

    def __init__(self, stop: ShouldStop) -> None:
        self._stop, self._left = stop, NODES
        self._stoppers: dict[int, int] = {}

    def find(self, state: Any, lengths: Iterable[int]) -> Found | None:
        """Return the mate of the player to move in the first possible number of moves."""
        for moves in lengths:
            action = self.attack(state, moves)
            if action is not None:
                return Found(moves, action)
        return None

    def attack(self, state: Any, moves: int) -> int | None:
        """Return an action that forces mate in up to so many moves; None: there is none."""
        if state.is_terminal():
            return None
        self._left -= 1
        if self._left < 0 or self._stop():
            raise Unproved
        actions = state.legal_actions()
        if moves > 1:
            said = {action: state.action_to_string(action) for action in actions}
            actions.sort(key=lambda action: "+#".find(said[action][-1]), reverse=True)
        wins = (each for each in actions if self.is_mated(state.child(each), moves - 1))
        return next(wins, None)

    def is_mated(self, state: Any, moves: int) -> bool:
        """Return whether the player to move is mated by up to ``moves`` more of the attacker."""
        if moves == 0 or state.is_terminal():
            return not state.board().has_legal_moves() and any(state.returns())
        replies = state.legal_actions()
        stopper = self._stoppers.get(moves)
        replies.sort(key=lambda reply: reply != stopper)
        for reply in replies:
            if self.attack(state.child(reply), moves) is None:
                self._stoppers[moves] = reply
                return False
        return True


def judge(game: Spiel) -> Evaluator:
    """Return the evaluator of a game of chess, which knows mates alone.

    Where the player to move has a mate, a move without one counts as guessed, unless it loses.
    """
    known: dict[Position, Found | None] = {}

    def weigh(position: Position, move: str, stop: ShouldStop) -> Evaluation | None:
        if len(position.moves) < 2 or move not in position.moves:
            return None
        search, threat = Mates(stop), None
        with suppress(Unproved):
            is_new = position not in known
            if is_new:
                known.clear()
                known[position] = search.find(position.state, range(1, LONGEST))
            if known[position] is None:
                threat = _defend(search, position, move)
                if is_new:  # it takes the most time
                    known[position] = search.find(position.state, [LONGEST])
            if found := known[position]:
                return _attack(search, position, move, found)
        return threat

    return weigh


def _attack(search: Mates, position: Position, move: str, found: Found) -> Evaluation:
    """Evaluate a move where there is a mate. Raises Unproved."""
    after = _after(position, move)
    if search.is_mated(after, found.moves - 1):
        return Evaluation(move, WON, WON)
    best = next(text for text, way in position.moves.items() if way == (found.action,))
    if search.find(after, range(1, LONGEST)):
        return Evaluation(best, WON, LOST)
    return Evaluation(best, WON, EVEN, guessed=not after.is_terminal())


def _defend(search: Mates, position: Position, move: str) -> Evaluation | None:
    """Evaluate a move that lets a mate in; None: it doesn't. Raises Unproved.

    If all moves do, the best one is mated as late as possible.
    """

    def end(text: str) -> int:
        found = search.find(_after(position, text), range(1, LONGEST))
        return found.moves if found else LONGEST

    if end(move) == LONGEST:
        return None
    best = max(position.moves, key=end)
    before = EVEN if end(best) == LONGEST else LOST
    return Evaluation(best, before, LOST)


def _after(position: Position, move: str) -> Any:
    return position.state.child(position.moves[move][0])
