"""Names and results of players, for the tests of ratings and tables."""

from __future__ import annotations

from tictac.plugins.tournament.crosstable import Results


def names(count: int) -> tuple[str, ...]:
    """Return this many names of players: p1, p2, and so on."""
    return tuple(f"p{number}" for number in range(1, count + 1))


def results_of(players: tuple[str, ...], *games: tuple[str, str, float]) -> Results:
    """Return the results of games of two, each with the score of the first."""
    results = Results(players)
    for one, other, score in games:
        results.note((one, other), (score, 1 - score), "won")
    return results
