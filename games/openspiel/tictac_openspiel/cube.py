"""Backgammon to some points, with the doubling cube: a state that OpenSpiel hasn't.

It holds OpenSpiel's state of the game that is played, and has of a ``pyspiel.State`` what the
adapter, the boards, and the computers use, so that they need to know nothing of it. Actions of its
own have numbers above those of OpenSpiel. Sources: the rules of match play of the US Backgammon
Federation, with Crawford's rule, without beavers and Jacoby's rule.

OpenSpiel rolls the dice at once, as it has nothing to decide before. A player who may double
decides before the roll: there, its state stays at the node of chance, which isn't shown yet.
"""

from __future__ import annotations

from copy import copy
from typing import Any

ROLL, DOUBLE, TAKE, DROP = WORDS = (1_000_000, 1_000_001, 1_000_002, 1_000_003)
SAID = dict(zip(WORDS, ("roll", "double", "take", "drop"), strict=True))
HIGHEST = 64
"""What the cube shows at most."""


class Cubed:
    """A ``pyspiel.Game`` of matches to ``length`` points; ``game`` counts gammons."""

    def __init__(self, game: Any, length: int) -> None:
        self.game, self.length = game, length

    def new_initial_state(self) -> Match:
        """Return the state before the first roll."""
        return Match(self)


class Match:
    """A state: ``points`` and who has the cube by player, None while both may use it."""

    def __init__(self, of: Cubed) -> None:
        self._of, self.length = of, of.length
        self.points = (0, 0)
        self.crawford = "before"
        self._begin()

    def _begin(self) -> None:
        self.inner = self._of.game.new_initial_state()
        self.cube = 1
        self.owner: int | None = None
        # Whose turn it is before the roll, and who is to answer a double.
        self.rolls: int | None = None
        self.answers: int | None = None

    def clone(self) -> Match:
        """Return a copy."""
        made = copy(self)
        made.inner = self.inner.clone()
        return made

    def is_terminal(self) -> bool:
        """Return whether the match is over."""
        return max(self.points) >= self.length

    def current_player(self) -> int:
        """Return whose turn it is; below 0 for chance, and at the end."""
        if self.is_terminal():
            return -4  # pyspiel.PlayerId.TERMINAL
        waits = self.rolls if self.answers is None else self.answers
        return int(self.inner.current_player()) if waits is None else waits

    def is_chance_node(self) -> bool:
        """Return whether dice are to be rolled now."""
        return self.current_player() == -1

    def chance_outcomes(self) -> Any:
        """Return the rolls with their chances."""
        return self.inner.chance_outcomes()

    @property
    def is_rolled(self) -> bool:
        """Return whether checkers are to be moved now."""
        return self.rolls is None and self.answers is None

    def legal_actions(self) -> list[int]:
        """Return what may be done."""
        if self.is_terminal():
            return []
        if self.answers is not None:
            return [TAKE, DROP]
        if self.rolls is not None:
            return [ROLL, DOUBLE]
        return list(self.inner.legal_actions())

    def action_to_string(self, player: int, action: int) -> str:
        """Return OpenSpiel's words for an action, or ours."""
        return SAID.get(action) or str(self.inner.action_to_string(player, action))

    def apply_action(self, action: int) -> None:
        """Do what may be done."""
        player = self.current_player()
        if action == ROLL:
            self.rolls = None
        elif action == DOUBLE:
            self.rolls, self.answers = None, 1 - player
        elif action == TAKE:
            self.cube, self.owner, self.answers = 2 * self.cube, player, None
        elif action == DROP:
            self.score(1 - player, 1)
        else:
            self.inner.apply_action(action)
            if self.inner.is_terminal():
                # OpenSpiel ends a game without a winner after very many turns: another one begins.
                worth = self.inner.returns()
                self.score(int(worth[1] > worth[0]), int(max(worth)))
            elif player >= 0 and self.inner.is_chance_node() and self._may_double(1 - player):
                self.rolls = 1 - player

    def _may_double(self, player: int) -> bool:
        """Return whether it is allowed, and can be of use to a player."""
        return (
            self.crawford != "now"
            and self.owner in (None, player)
            and self.cube < HIGHEST
            and self.points[player] + self.cube < self.length
        )

    def score(self, winner: int, times: int) -> None:
        """Count a game so many ``times``, 0 without a winner, and begin the next one."""
        if times:
            won = min(self.length, self.points[winner] + times * self.cube)
            self.points = (won, self.points[1]) if winner == 0 else (self.points[0], won)
            # Nobody doubles in the first game after a player is one point from the end.
            if self.crawford != "before":
                self.crawford = "over"
            elif self.length - 1 in self.points:
                self.crawford = "now"
        if self.is_terminal():
            self.rolls = self.answers = None
        else:
            self._begin()

    def returns(self) -> list[float]:
        """Return 1 for who has won the match, and -1 for the other."""
        one = float(self.points[0] > self.points[1]) * 2 - 1
        return [one, -one] if self.is_terminal() else [0.0, 0.0]

    def board(self, player: int, place: int) -> int:
        """Return how many checkers a player has there, as OpenSpiel counts places."""
        return int(self.inner.board(player, place))

    def notes(self) -> list[str]:
        """Say the points, those to be won, and the cube: its number, and whose it is."""
        whose = "" if self.owner is None else "xo"[self.owner]
        offered = [f"offered={2 * self.cube}"] if self.answers is not None else []
        return [
            f"points={self.points[0]}-{self.points[1]}",
            f"length={self.length}",
            f"cube={self.cube}{whose}",
            *offered,
        ]

    def __str__(self) -> str:
        return str(self.inner)


def choose(match: Match, level: str) -> str:
    """Return what a computer says to the cube, by the way that all checkers have before them.

    Who leads a race by a tenth doubles, and who trails by less than an eighth takes. A beginner
    never doubles, and always takes.
    """
    player = match.current_player()
    if level == "beginner":
        return "roll" if match.answers is None else "take"
    mine, theirs = (pips(match, each) for each in (player, 1 - player))
    if match.answers is None:
        return "double" if theirs > 1.1 * mine else "roll"
    return "drop" if mine > 1.125 * theirs else "take"


def pips(match: Match, player: int) -> int:
    """Return how many points all checkers of a player have before them."""
    # OpenSpiel counts places from 0, and the first player's way from 0 up, the second one's down.
    ways = ((24 - place if player == 0 else place + 1, place) for place in range(24))
    return sum(way * match.board(player, place) for way, place in ways) + 25 * match.board(
        player, 100
    )


def inner(state: Any) -> Any:
    """Return OpenSpiel's own state, of which a search can be made."""
    return state.inner if isinstance(state, Match) else state
