"""The sums of the results of games."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from tictac.plugins.tournament.plan import ABSENT, Fault


class Score(NamedTuple):
    """Wins, draws, and losses of one player, alone or against another."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """Number of games."""
        return sum(self)

    @property
    def points(self) -> float:
        """Points of the games: 1 for a win, a half for a draw."""
        return self.wins + self.draws / 2


class FaultSum(NamedTuple):
    """How often a player had a kind of fault, and the reason of the last one."""

    games: int = 0
    why: str = ""


class Results:
    """The scores of each player, alone and against each opponent.

    In a game of more than two players, each player has a result against each other one, except that
    two losers have none.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.points: dict[str, float] = dict.fromkeys(names, 0.0)
        self.played: dict[str, Score] = dict.fromkeys(names, Score())
        self.against: dict[str, dict[str, Score]] = defaultdict(dict)
        """The scores between players in played games, by their names."""
        self.met: dict[str, dict[str, Score]] = defaultdict(dict)
        """The scores between players in all games, including walkovers."""
        self.faults: dict[str, dict[str, FaultSum]] = {name: {} for name in names}
        """The faults of each player, by the word of the fault."""

    def note(
        self,
        names: Sequence[str],
        scores: Sequence[float],
        how: str,
        faults: Iterable[tuple[str, Fault]] = (),
    ) -> None:
        """Count a finished game: its players with their scores, its ending, and their faults."""
        best = max(scores)
        seats = list(zip(names, scores, strict=True))
        for name, score in seats:
            self.points[name] += score
            won, lost = score == best == 1, score < best or best == 0
            self.played[name] = _plus(self.played[name], won, lost)
        for name, (word, why) in faults:
            before = self.faults[name].get(word, FaultSum())
            self.faults[name][word] = FaultSum(before.games + 1, why)
        tables = [self.met] if how == ABSENT else [self.met, self.against]
        for (one, his), (other, theirs) in combinations(seats, 2):
            both_lost = not (his or theirs)
            for table in tables:
                if both_lost and (len(seats) > 2 or table is self.against):
                    continue
                for who, whom, more in ((one, other, his - theirs), (other, one, theirs - his)):
                    lost = more < 0 or both_lost
                    table[who][whom] = _plus(table[who].get(whom, Score()), more > 0, lost)

    def between(self, one: str, other: str) -> Score:
        """Return the score of ``one`` against ``other``."""
        return self.against[one].get(other, Score()) if one in self.against else Score()


def _plus(score: Score, won: bool, lost: bool) -> Score:
    wins, draws, losses = score
    return Score(wins + won, draws + (not won and not lost), losses + lost)
