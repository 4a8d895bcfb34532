"""A series as JSON values for the lobby protocol and HTTP. Source: docs/reference/people.md."""

from __future__ import annotations

from math import inf

from tictac.characters import characters
from tictac.games.all import game_type_of
from tictac.plugins.tournament.cup_plan import utc_text
from tictac.plugins.tournament.ladder.keeper import MARK, Known
from tictac.plugins.tournament.ladder.ranking import Sums
from tictac.plugins.tournament.ladder.tables import Curve, day_text
from tictac.plugins.tournament.view import Json

PAGE = 100
"""Maximum players in an answer."""

FORM = 10
"""The last results in standings."""


def head_of(known: Known, now: float) -> Json:
    """Return the entry of a series in lists; ``now`` is in seconds since 1970.

    ``kind`` is that of the current tournament. ``until`` is the time at which the arena closes.
    """
    plan, current = known.plan, known.current
    kind = known.tournaments[current][0] if current in known.tournaments else None
    slot = plan.slot(known.id, now) if known.state == "open" else None
    is_day = slot is not None and slot.kind == "day"
    return {
        "id": known.id, "name": plan.name, "game": plan.game,
        "title": game_type_of(plan.game).title, "state": known.state,
        "players": len(known.players), "tournament": current, "kind": kind,
        "opens": utc_text(plan.opens_next(now)) if known.state == "open" else None,
        "until": utc_text(slot.ends) if slot is not None and is_day else None,
    }  # fmt: skip


def whole(known: Known, now: float, first: int | None, places: list[Json]) -> Json:
    """Return a series with its ``places`` from the ``first`` on, which counts from 1."""
    begin = max(0, (first or 1) - 1)
    return {
        **head_of(known, now),
        "plan": known.plan.dump(),
        **_computers_json(known),
        "standings": places[begin : begin + PAGE],
    }


def standings(known: Known) -> list[Json]:
    """Return the players and levels of a series, the best first; those without a game are last."""
    places, rank = [], 0
    names = [*known.players, *(MARK + level for level in known.plan.levels)]
    found = known.estimates
    names.sort()
    names.sort(key=lambda name: -found[name].rating if name in found else inf)
    for name in names:
        estimate, player = found.get(name), known.players.get(name)
        rank += player is not None
        sums = known.record.get(name, Sums())
        last = list(known.last.get(name, ()))[-FORM:]
        before = None if estimate is None else known.week_ago.get(name)
        places.append({
            "rank": None if player is None or estimate is None else rank,
            **_name_json(name),
            "rating": None if estimate is None else round(estimate.rating),
            "error": None if estimate is None else round(estimate.error),
            "games": sums.games, "won": sums.won, "drawn": sums.drawn, "lost": sums.lost,
            "form": "".join("w" if each.score > 0.5 else "l" if each.score < 0.5 else "d"
                            for each in last),
            "week": None if estimate is None or before is None
                    else round(estimate.rating) - before[0],
            "climbed": None if before is None else before[1] - rank,
            "version": "" if player is None else player.version,
        })  # fmt: skip
    return places


def player_json(known: Known, name: str, curve: Curve) -> Json | None:
    """Return the games of a player, or of a level whose name begins with MARK, if there is one.

    ``against`` has the sums against each opponent, with the most games first, ``matches`` the last
    games, the latest first, and ``history`` the ratings of ``curve``, by days since 1970.
    """
    if name not in known.players and name not in [MARK + each for each in known.plan.levels]:
        return None
    met = sorted(known.against.get(name, {}).items(), key=lambda each: (-each[1].games, each[0]))
    return {
        **_name_json(name),
        **_computers_json(known),
        "against": [
            {**_name_json(other), "won": sums.won, "drawn": sums.drawn, "lost": sums.lost}
            for other, sums in met[:PAGE]
        ],
        "matches": [
            {**_name_json(each.other), "seat": each.seat, "score": each.score, "how": each.how,
             "match": each.match}
            for each in reversed(known.last.get(name, ()))
        ],
        "history": [{"day": day_text(day), "rating": rating} for day, rating in curve],
    }  # fmt: skip


def _computers_json(known: Known) -> Json:
    """Return what people call the levels that take part, if there are any."""
    levels = game_type_of(known.plan.game).levels
    found = {
        level: {"name": name, "level": level}
        for level, name in zip(levels, characters(levels), strict=True)
        if level in known.plan.levels
    }
    return {"computers": found} if found else {}


def _name_json(name: str) -> Json:
    is_level = name.startswith(MARK)
    return {"user": None if is_level else name, "level": name[1:] if is_level else None}
