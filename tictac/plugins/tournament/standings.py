"""The standings of a tournament: places, tie-breaks, and results by round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tictac.plugins.tournament.crosstable import Results
from tictac.plugins.tournament.cup import Cup, CupGame
from tictac.plugins.tournament.deciding import advanced, swiss_rounds
from tictac.plugins.tournament.plan import ABSENT
from tictac.plugins.tournament.tie_breaks import (
    direct_encounter,
    of_swiss,
    places,
    sonneborn_berger,
)

Measures = Mapping[str, Mapping[str, float]]
"""The measures that rank each player, the most important first; players are numbers as texts."""

LATEST = 20
"""Maximum results of a player in a table."""


class Place(NamedTuple):
    """A player's place, with the measures that decide it and the latest results."""

    rank: int
    number: int
    measures: Mapping[str, float]
    results: tuple[str, ...]

    @property
    def points(self) -> float:
        """The points of the player."""
        return self.measures["points"]


def standings(cup: Cup) -> list[Place]:
    """Return the places of all players, the best first; equal players share a rank."""
    if not cup.seeds:
        return []
    found, shown = measures(cup), _results(cup)
    return [
        Place(rank, int(key), found[key], tuple(shown[int(key)][-LATEST:]))
        for rank, key in places([str(number) for number in cup.seeds], found)
    ]


def measures(cup: Cup) -> Measures:
    """Return the measures of the tournament's system."""
    results = Results([str(number) for number in cup.seeds])
    struck = _struck(cup)
    for number in cup.order:
        game = cup.games[number]
        if struck.isdisjoint(game.seats):
            results.note([*map(str, game.seats)], game.scores or (), game.how)
    match cup.plan.system:
        case "round-robin":
            return _of_round_robin(cup, results)
        case "swiss":
            return _of_swiss(cup, results)
        case "knock-out":
            return _of_knock_out(cup, results)
    return {
        key: {"points": points, "points a game": points / max(1, results.played[key].games)}
        for key, points in results.points.items()
    }


def _struck(cup: Cup) -> set[int]:
    """Return the players who left a round robin before half of their games."""
    if cup.plan.system != "round-robin" or cup.plan.seats != 2:
        return set()
    played = dict.fromkeys(cup.seeds, 0)
    for game in cup.games.values():
        if game.scores is not None and game.how != ABSENT:
            for number in game.seats:
                played[number] += 1
    half = cup.plan.games * (len(cup.seeds) - 1) / 2
    return {
        number
        for number, games in played.items()
        if cup.entries[number].state == "out" and games < half
    }


def _of_round_robin(cup: Cup, results: Results) -> Measures:
    level = direct_encounter(results, results.points)
    won = _wins(cup)
    return {
        key: {
            "points": results.points[key],
            "direct encounter": level[key],
            "games won": won[int(key)],
            "Sonneborn-Berger": sonneborn_berger(results, key, results.points),
        }
        for key in results.names
    }


def _wins(cup: Cup) -> dict[int, int]:
    """Return the number of games that each player won on the board, without walkovers."""
    won = dict.fromkeys(cup.seeds, 0)
    for game in cup.games.values():
        for number, score in zip(game.seats, game.scores or (), strict=False):
            won[number] += score == 1 and game.how != ABSENT
    return won


def _of_swiss(cup: Cup, results: Results) -> Measures:
    last = cup.round - bool(cup.open)
    rounds = {
        number: [
            each
            for nth, each in enumerate(theirs)
            if nth < last or each.kind not in ("open", "absent")
        ]
        for number, theirs in swiss_rounds(cup).items()
    }
    return {
        str(number): of_swiss(rounds, number) | {"game points": results.points[str(number)]}
        for number in cup.seeds
    }


def _of_knock_out(cup: Cup, results: Results) -> Measures:
    won = dict.fromkeys(results.names, 0)
    for round_, left in enumerate(advanced(cup)):
        for number in left:
            if number is not None:
                won[str(number)] = round_
    return {key: {"rounds won": won[key], "points": results.points[key]} for key in results.names}


def _results(cup: Cup) -> dict[int, list[str]]:
    """Return the results of each player in the order of games, the newest last.

    In a Swiss system, "" stands for a round without a game.
    """
    found: dict[int, list[tuple[int, int, str]]] = {number: [] for number in cup.seeds}
    for game in cup.games.values():
        for seat, number in enumerate(game.seats):
            found[number].append((game.round, game.number, sign_of(cup, game, seat)))
    for round_, number in cup.byes:
        found[number].append((round_, 0, "bye"))
    if cup.plan.system == "swiss":  # who comes late, or leaves, has no game in some rounds
        for theirs in found.values():
            missed = set(range(1, cup.round + 1)).difference(round_ for round_, _, _ in theirs)
            theirs += [(round_, 0, "") for round_ in missed]
    return {number: [shown for _, _, shown in sorted(theirs)] for number, theirs in found.items()}


def sign_of(cup: Cup, game: CupGame, seat: int) -> str:
    """Return the sign of a game's result for a seat, as in the standings."""
    if game.scores is None:
        return "*" if cup.phase == "over" else "…"
    score = game.scores[seat]
    if game.how == ABSENT and not game.set_by:
        return "+" if score else "-"
    return {1: "1", 0: "0", 0.5: "½"}.get(score, f"{score:.2f}")
