"""The awards of a finished tournament: the longest run, the fastest win, the greatest surprise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tictac.plugins.tournament.cup import Cup, CupGame
from tictac.plugins.tournament.plan import ABSENT
from tictac.plugins.tournament.standings import Place
from tictac.plugins.tournament.view import Json

LEAST_RUN = 2
"""Minimum successive wins for an award."""


def awards(cup: Cup, table: Sequence[Place]) -> list[Json]:
    """Return the awards of a tournament of two players a game, as JSON values.

    - ``run``: ``count`` successive wins of ``name``.
    - ``fastest``: ``name`` won in ``count`` moves of both players, ``match``. A game whose moves
      aren't known has no award.
    - ``surprise``: ``name`` beat ``against``, who has a place that is better by ``count`` places.

    The earlier game has an award that two games deserve. Games without play count for nothing.
    """
    if cup.plan.seats != 2:
        return []
    won = list(_won(cup))
    found = [_run(cup, won), _fastest(cup, won), _surprise(cup, won, table)]
    return [award for award in found if award is not None]


def _won(cup: Cup) -> Iterator[tuple[CupGame, int | None]]:
    """Yield the played games in the order of their ends, each with the winner's number."""
    for number in cup.order:
        game = cup.games[number]
        if game.scores is not None and game.how != ABSENT:
            yield game, game.seats[game.scores.index(1.0)] if 1.0 in game.scores else None


def _run(cup: Cup, won: Sequence[tuple[CupGame, int | None]]) -> Json | None:
    runs: dict[int, int] = {}
    best, longest = 0, LEAST_RUN - 1
    for game, winner in won:
        for number in game.seats:
            runs[number] = runs.get(number, 0) + 1 if number == winner else 0
            if runs[number] > longest:
                best, longest = number, runs[number]
    return {"kind": "run", "name": cup.entries[best].name, "count": longest} if best else None


def _fastest(cup: Cup, won: Sequence[tuple[CupGame, int | None]]) -> Json | None:
    known = [(game, winner) for game, winner in won if winner and game.moves and game.how == "won"]
    if not known:
        return None
    game, winner = min(known, key=lambda each: each[0].moves)
    name = cup.entries[winner].name
    return {"kind": "fastest", "name": name, "count": game.moves, "match": game.match}


def _surprise(
    cup: Cup, won: Sequence[tuple[CupGame, int | None]], table: Sequence[Place]
) -> Json | None:
    ranks = {place.number: place.rank for place in table}
    best, most = None, 0
    for game, winner in won:
        if winner is None:
            continue
        loser = next(number for number in game.seats if number != winner)
        places = ranks.get(winner, 0) - ranks.get(loser, 0)
        if places > most:
            best, most = (game, winner, loser), places
    if best is None:
        return None
    game, winner, loser = best
    name, against = cup.entries[winner].name, cup.entries[loser].name
    values = {"kind": "surprise", "name": name, "against": against}
    return {**values, "count": most, "match": game.match}
