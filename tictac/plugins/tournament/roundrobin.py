"""Round robin: all players meet, by the Berger tables, or in groups for more than two seats."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from math import comb

from tictac.errors import SetupError
from tictac.plugins.tournament.plan import MOST_GAMES, Pairing, Plan, Played
from tictac.plugins.tournament.results import Results
from tictac.plugins.tournament.standings import direct_encounter, sonneborn_berger


def berger(count: int) -> Iterator[list[tuple[int, int]]]:
    """Yield the rounds of FIDE's tables (Handbook C.05, annex 1): pairs of 1 to ``count``.

    Each player has the first seat as often as the second, or once more. If ``count`` is odd, one
    player of each round is free.
    """
    even = count + count % 2
    for number in range(even - 1):
        moved = number * (even // 2)
        pairs = []
        for low in range(1, even // 2 + 1):
            one = (low - 1 + moved) % (even - 1) + 1
            if low == 1:
                pairs.append((one, even) if number % 2 == 0 else (even, one))
            else:
                pairs.append((one, (even - low + moved) % (even - 1) + 1))
        yield [pair for pair in pairs if max(pair) <= count]


def groups(count: int, seats: int) -> Iterator[list[tuple[int, ...]]]:
    """Yield each group of ``seats`` of 1 to ``count``, one per round, moved on by one seat each."""
    for number, group in enumerate(combinations(range(1, count + 1), seats)):
        turn = number % seats
        yield [group[turn:] + group[:turn]]


class RoundRobin:
    """The pairings of a round robin. Games are numbered in the order in which they are due.

    All players meet once, and take every seat, before any of them meet again.
    """

    def __init__(self, plan: Plan, results: Results) -> None:
        """Raise SetupError for more than MOST_GAMES games."""
        count = len(plan.entries)
        self.total = comb(count, plan.seats) * plan.games
        if self.total > MOST_GAMES:
            raise SetupError(f"{self.total} games are too many: at most {MOST_GAMES}")
        self._plan = plan
        rounds: list[Sequence[tuple[int, ...]]] = [
            *(berger(count) if plan.seats == 2 else groups(count, plan.seats))
        ]
        self._rounds = len(rounds)
        self._encounters = [
            (number, tuple(plan.entries[each - 1] for each in names))
            for number, pairs in enumerate(rounds, 1)
            for names in pairs
        ]
        self._played: set[int] = set()
        self._next = 1

    def pairing(self, number: int) -> Pairing | None:
        """Return the game with that number, if there is one."""
        if not 0 < number <= self.total:
            return None
        seats, encounters = self._plan.seats, len(self._encounters)
        whole = self._plan.games // seats * encounters * seats
        if number <= whole:
            deal, turn = divmod(number - 1, seats)
        else:
            deal, turn = divmod(number - 1 - whole, self._plan.games % seats)
            deal += whole // seats
        cycle, encounter = divmod(deal, encounters)
        round_, names = self._encounters[encounter]
        return self._plan.pairing(number, cycle * self._rounds + round_, names, turn, deal)

    def knows(self, pairing: Pairing) -> bool:
        """Return whether ``pairing`` is a game of the table."""
        return self.pairing(pairing.number) == pairing

    def note(self, played: Played) -> None:
        """Count a finished game."""
        self._played.add(played.pairing.number)
        while self._next in self._played:
            self._played.remove(self._next)
            self._next += 1

    def due(
        self, running: Mapping[int, Pairing], most: int, away: Collection[str]
    ) -> list[Pairing]:
        """Return up to ``most`` of the next games."""
        found: list[Pairing] = []
        number = self._next
        while number <= self.total and len(found) < most:
            if number not in self._played and number not in running:
                pairing = self.pairing(number)
                assert pairing is not None
                found.append(pairing)
            number += 1
        return found

    def byes(self) -> Collection[tuple[int, str]]:
        """Return no byes: a free player of a round robin wins nothing."""
        return ()

    def measures(self, results: Results) -> Mapping[str, Mapping[str, float]]:
        """Return points, and the usual tie-breaks of round robins."""
        level = direct_encounter(results, results.points)
        return {
            name: {
                "points": results.points[name],
                "direct encounter": level[name],
                "wins": results.played[name].wins,
                "Sonneborn-Berger": sonneborn_berger(results, name, results.points),
            }
            for name in results.names
        }
