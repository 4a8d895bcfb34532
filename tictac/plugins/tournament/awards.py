"""The awards of a finished tournament: the longest run, the fastest win, the greatest surprise."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tictac.plugins.tournament.cup import Cup, CupGame
from tictac.plugins.tournament.plan import ABSENT, SET
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

    The earlier game has an award that two games deserve; ``more`` counts the other players who
    deserve it, if there are any. Games without play count for nothing, and a player who has
    left or was removed gets no award. A result that the organizer set is no win for an award, but
    it ends the run of the player who didn't win.
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
            # A result that the organizer set can give a point to both.
            won = game.scores.count(1.0) == 1
            winner = game.seats[game.scores.index(1.0)] if won else None
            is_in = winner is not None and cup.entries[winner].state != "out"
            yield game, winner if is_in else None


def _run(cup: Cup, won: Sequence[tuple[CupGame, int | None]]) -> Json | None:
    runs: dict[int, int] = {}
    longest_runs: dict[int, int] = {}
    best, longest = 0, LEAST_RUN - 1
    for game, winner in won:
        for number in game.seats:
            if game.how == SET and number == winner:
                continue
            runs[number] = runs.get(number, 0) + 1 if number == winner else 0
            longest_runs[number] = max(longest_runs.get(number, 0), runs[number])
            if runs[number] > longest:
                best, longest = number, runs[number]
    if not best:
        return None
    equal = {number for number, count in longest_runs.items() if count == longest}
    return {"kind": "run", "name": cup.entries[best].name, "count": longest, **_more(equal)}


def _fastest(cup: Cup, won: Sequence[tuple[CupGame, int | None]]) -> Json | None:
    known = [(game, winner) for game, winner in won if winner and game.moves and game.how == "won"]
    if not known:
        return None
    game, winner = min(known, key=lambda each: each[0].moves)
    equal = {other for each, other in known if each.moves == game.moves}
    values = {"kind": "fastest", "name": cup.entries[winner].name, "count": game.moves}
    return {**values, "match": game.match, **_more(equal)}


def _surprise(
    cup: Cup, won: Sequence[tuple[CupGame, int | None]], table: Sequence[Place]
) -> Json | None:
    ranks = {place.number: place.rank for place in table}
    best, most = None, 0
    equal: set[int] = set()
    for game, winner in won:
        if winner is None or game.how == SET:
            continue
        loser = next(number for number in game.seats if number != winner)
        places = ranks.get(winner, 0) - ranks.get(loser, 0)
        if places > most:
            best, most, equal = (game, winner, loser), places, {winner}
        elif best and places == most:
            equal.add(winner)
    if best is None:
        return None
    game, winner, loser = best
    name, against = cup.entries[winner].name, cup.entries[loser].name
    values = {"kind": "surprise", "name": name, "against": against}
    return {**values, "count": most, "match": game.match, **_more(equal)}


def _more(equal: Collection[int]) -> Json:
    """Return the field with how many others deserve an award, if there are any."""
    return {"more": len(equal) - 1} if len(equal) > 1 else {}
