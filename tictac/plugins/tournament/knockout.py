"""Knock-out: the loser of a pair is out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from math import ceil

from tictac.plugins.tournament.plan import Pairing, Plan, Played
from tictac.plugins.tournament.results import Results


def bracket(size: int) -> list[int]:
    """Return the seeds of the first round in order; the best two can only meet in the final."""
    seeds = [1]
    while len(seeds) < size:
        seeds = [each for seed in seeds for each in (seed, 2 * len(seeds) + 1 - seed)]
    return seeds


@dataclass
class Duel:
    """Two players who play until one of them is ahead.

    ``games`` is the number of their games so far; ``done`` has the turns of the finished ones.
    """

    names: tuple[str, str]
    games: int
    done: set[int] = field(default_factory=set)
    points: dict[str, float] = field(default_factory=dict)


class KnockOut:
    """The pairings of a knock-out.

    The best players have a bye where there are fewer players than places. A pair that is level
    after its games plays two more, one from each side. If it is level at the end, the better seed
    wins.

    Duels are numbered from the final, which is 1. The winners of duels ``2n`` and ``2n + 1`` meet
    in duel ``n``. Each duel reserves the numbers of all games that it can need; the first round has
    the lowest numbers.
    """

    def __init__(self, plan: Plan, results: Results) -> None:
        count = len(plan.entries)
        self._plan = plan
        self._depth = (count - 1).bit_length()
        self._size = 1 << self._depth
        self._longest = plan.games + 2 * plan.more
        self._played_on = 0
        self._duels: dict[int, Duel] = {}
        self._open: set[int] = set()
        self._at: dict[int, str | None] = {
            self._size + place: plan.entries[seed - 1] if seed <= count else None
            for place, seed in enumerate(bracket(self._size))
        }
        for duel in range(self._size - 1, 0, -1):
            self._begin(duel)

    def _begin(self, number: int) -> None:
        """Begin a duel whose players are known; a player with a bye advances at once."""
        if 2 * number not in self._at or 2 * number + 1 not in self._at:
            return
        coming = (self._at[2 * number], self._at[2 * number + 1])
        one, *other = (name for name in self._plan.entries if name in coming)
        if other:
            self._duels[number] = Duel((one, other[0]), self._plan.games)
            self._open.add(number)
        else:
            self._at[number] = one

    @property
    def total(self) -> int:
        """Number of games if no other pair plays on."""
        return (len(self._plan.entries) - 1) * self._plan.games + self._played_on

    def _number(self, duel: int, turn: int) -> int:
        return (self._size - 1 - duel) * self._longest + turn + 1

    def _duel(self, number: int) -> tuple[int, int]:
        """Return the duel of a game, and the turn of the game in the duel, from 0."""
        place, turn = divmod(number - 1, self._longest)
        return self._size - 1 - place, turn

    def pairing(self, number: int) -> Pairing | None:
        """Return the game with that number; None while its players are unknown."""
        duel, turn = self._duel(number)
        if duel not in self._duels:
            return None
        games = self._plan.games
        before, since = (0, turn) if turn < games else (ceil(games / 2), turn - games)
        deals = ceil(games / 2) + self._plan.more
        deal = (self._size - 1 - duel) * deals + before + since // 2
        round_ = self._depth - duel.bit_length() + 1
        return self._plan.pairing(number, round_, self._duels[duel].names, since, deal)

    def knows(self, pairing: Pairing) -> bool:
        """Return whether ``pairing`` is a game of a duel that has begun."""
        return self.pairing(pairing.number) == pairing

    def note(self, played: Played) -> None:
        """Count a finished game; the duel may end, or get two more games."""
        number, turn = self._duel(played.pairing.number)
        duel = self._duels[number]
        duel.done.add(turn)
        for name, score in zip(played.pairing.seats, played.scores, strict=True):
            duel.points[name] = duel.points.get(name, 0.0) + score
        if len(duel.done) < duel.games:
            return
        better, other = duel.names
        if duel.points[better] == duel.points[other] and duel.games < self._longest:
            duel.games += 2
            self._played_on += 2
            return
        self._open.remove(number)
        self._at[number] = better if duel.points[better] >= duel.points[other] else other
        if number > 1:
            self._begin(number // 2)

    def due(
        self, running: Mapping[int, Pairing], most: int, away: Collection[str]
    ) -> list[Pairing]:
        """Return up to ``most`` games of the duels that have begun."""
        numbers = (
            self._number(each, turn)
            for each in sorted(self._open, reverse=True)
            for turn in range(self._duels[each].games)
            if turn not in self._duels[each].done
        )
        pairings = (self.pairing(number) for number in numbers if number not in running)
        return [pairing for pairing, _ in zip(pairings, range(most), strict=False) if pairing]

    def byes(self) -> Collection[tuple[int, str]]:
        """Return the byes of the first round."""
        first = range(self._size // 2, self._size)
        return [(1, self._at[duel] or "") for duel in first if duel not in self._duels]

    def measures(self, results: Results) -> Mapping[str, Mapping[str, float]]:
        """Return the rounds that each player won, then points; a bye counts as a round."""
        won = dict.fromkeys(results.names, 0)
        for duel, name in self._at.items():
            if name:
                won[name] = max(won[name], self._depth - duel.bit_length() + 1)
        return {
            name: {"rounds won": won[name], "points": results.points[name]}
            for name in results.names
        }
