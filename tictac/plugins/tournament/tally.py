"""The games and results of a tournament by the players' names, for reports."""

from __future__ import annotations

from math import comb

from tictac.plugins.tournament.crosstable import Results
from tictac.plugins.tournament.cup import Cup, CupGame, encounters
from tictac.plugins.tournament.deciding import rounds_of, verdict
from tictac.plugins.tournament.plan import Played
from tictac.plugins.tournament.standings import measures
from tictac.plugins.tournament.tie_breaks import Standing, rank


class Tally:
    """The results of a tournament that has begun."""

    def __init__(self, cup: Cup) -> None:
        self.cup, self.plan = cup, cup.plan
        self.names = [each.name for each in cup.players]
        self.played = [played(cup, cup.games[number]) for number in cup.order]
        """The finished games, in the order of their ends."""
        self.results = Results(self.names)
        for each in self.played:
            self.results.note(each.seats, each.scores, each.how, each.faults.items())
        self.total, self.verdict = total(cup), verdict(cup)
        self.byes = [(round_, cup.entries[number].name) for round_, number in cup.byes]
        """The byes, as pairs of a round and a player's name."""

    def standings(self) -> list[Standing]:
        """Return the standings, the best player first."""
        found = measures(self.cup)
        return rank(
            self.results, {self.cup.entries[int(key)].name: each for key, each in found.items()}
        )


def played(cup: Cup, game: CupGame) -> Played:
    """Return a finished game with the names of its players."""
    return Played(
        game.number, game.round, cup.names(game), cup.opening_of(game), cup.deal_of(game),
        game.scores or (), game.how, game.match, dict(game.faults),
    )  # fmt: skip


def total(cup: Cup) -> int | None:
    """Return the number of games; None if it isn't known yet."""
    plan, count = cup.plan, len(cup.seeds)
    if plan.is_arena:
        return None
    if cup.phase == "over" and plan.sprt is None:
        return len(cup.games)
    if plan.system == "round-robin":
        return comb(count, plan.seats) * plan.games
    if plan.system == "swiss":
        return (rounds_of(cup) or 0) * (count // 2) * plan.games
    return len(cup.games) + (count - 1 - len(encounters(cup))) * plan.games
