"""A tournament as JSON values for the lobby protocol and HTTP. Source: docs/reference/people.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from tictac.characters import describe
from tictac.games.all import game_type_of
from tictac.plugins.tournament.cup import Cup, CupGame, Entry
from tictac.plugins.tournament.cup_plan import utc_text
from tictac.plugins.tournament.deciding import rounds_of, survivors
from tictac.plugins.tournament.standings import Place

Json = dict[str, Any]

Decision = Literal["set", "withdrew", "called-off", "over"]
"""What decided a match: the organizer set the result, a player left the tournament, the organizer
ended the tournament, or it ended by its plan."""

SHOWN = 50
"""Maximum places in a message."""


class Board(NamedTuple):
    """The room of an open game: its name, whether the match began, and until when it waits."""

    room: str
    begun: bool
    until: float | None = None


def room_of(tournament: str, game: CupGame) -> str:
    """Return the name of a game's room."""
    return f"{tournament}.{game.number}"


def head_of(tournament: str, cup: Cup, ended: float | None = None) -> Json:
    """Return a tournament's entry in lists; ``ended`` is the time of its end."""
    plan = cup.plan
    return {
        "id": tournament,
        "name": plan.name,
        "system": plan.system,
        "game": plan.game,
        "title": game_type_of(plan.game).title,
        "clock": plan.clock and plan.clock.fields(),
        "rated": plan.rated,
        "group": plan.group or None,
        "guests": plan.guests,
        "state": cup.phase,
        "begins": time_json(plan.begins),
        "ends": time_json(plan.ends),
        **({} if plan.length is None else {"length": plan.length}),
        "round": cup.round,
        # Before the beginning, the number of players changes, and the rounds with it.
        "rounds": plan.rounds or None if cup.phase == "open" else rounds_of(cup),
        "players": len(cup.players),
        "ended": time_json(ended),
    }


def computers_json(cup: Cup) -> Json:
    """Return what people call the computers of a tournament, if there are any."""
    players = [(each.name, each.level) for each in cup.entries.values() if each.level]
    return {"computers": describe(cup.plan.game, players, seated=False)} if players else {}


def time_json(at: float | None) -> str | None:
    """Return a time in seconds since 1970 as text, if it is known."""
    return None if at is None else utc_text(at)


def table_json(cup: Cup, table: Sequence[Place], first: int = 1, most: int = SHOWN) -> list[Json]:
    """Return some places of the standings, from the ``first`` on; without any, all players."""
    placed: list[tuple[Entry, Place | None]] = [(cup.entries[each.number], each) for each in table]
    rows = placed or [(each, None) for each in cup.players]
    return [_row_json(*each) for each in rows[first - 1 : first - 1 + most]]


def names_json(cup: Cup, names: Iterable[str]) -> Json:
    """Return the field with the names of guests in this tournament; empty if none has one."""
    found = cup.called(names)
    return {"names": found} if found else {}


def _row_json(entry: Entry, place: Place | None) -> Json:
    measures = place.measures if place else {}
    return {
        "rank": place and place.rank,
        "name": entry.name,
        "rating": entry.rating and round(entry.rating),
        "level": entry.level,
        "points": place.points if place else 0,
        "measures": {name: round(value, 2) for name, value in measures.items()},
        "results": list(place.results) if place else [],
        "state": entry.state,
    }


def game_json(tournament: str, cup: Cup, game: CupGame) -> Json:
    """Return a game: with its room while it is open, or its result."""
    values: Json = {"number": game.number, "round": game.round}
    values["players"] = list(cup.names(game))
    if game.number in cup.open:
        return values | {"room": room_of(tournament, game)}
    values |= {"scores": game.scores and list(game.scores), "how": game.how, "match": game.match}
    return values | ({"set_by": game.set_by} if game.set_by else {})


def decided_json(why: Decision, scores: Sequence[float] | None = None) -> Json:
    """Return the fields of the end of a match that none of its players decided."""
    most = max(scores or [0])
    winner = scores.index(most) if scores and scores.count(most) == 1 else None
    return {"decided": why, "winner": winner, "result": scores and list(scores)}


def card(
    cup: Cup,
    entry: Entry,
    table: Callable[[], Sequence[Place]],
    board: Callable[[CupGame], Board],
    next_at: float | None,
    busy: Callable[[CupGame | None], Json | None],
    is_closed: bool = False,
) -> Json:
    """Return the card of a player: the player's state in the tournament, with its details.

    ``table`` returns the standings, and ``board`` the room of a game. ``next_at`` is the time of
    the next pairing, if it is known. ``busy`` returns the game in another tournament for which the
    player's game, or the next pairing, waits; None if there is none. ``is_closed`` says whether an
    arena pairs no players any more.
    """
    plan = cup.plan
    if cup.phase == "over":
        return {"state": "over", **_over(cup, entry, table())}
    if entry.state == "out" or _has_lost(cup, entry):
        return {"state": "out", **_rank(cup, entry, table()), "players": len(cup.players)}
    if cup.phase == "open":
        return {"state": "entered", "begins": time_json(plan.begins), "players": len(cup.players)}
    pausing: Json = {"paused": True} if entry.state == "paused" else {}
    game = cup.due_game_of(entry.number)
    elsewhere = busy(game)
    if game is not None and elsewhere is None:
        room, begun, until = board(game)
        seat = game.seats.index(entry.number)
        against = [name for each, name in enumerate(cup.names(game)) if each != seat]
        values = {"state": "playing"} | ({} if plan.is_arena else {"round": game.round})
        return values | pausing | {
            "game": game.number, "room": room, "seat": seat, "against": against,
            "until": None if begun else time_json(until), **names_json(cup, cup.names(game)),
            **computers_json(cup),
        }  # fmt: skip
    of_round = [each for each in cup.games.values() if each.round == cup.round]
    left = sum(each.number in cup.open for each in of_round)
    if left and (cup.round, entry.number) in cup.byes:
        points = 1 if plan.system == "swiss" else 0
        return {"state": "bye", "round": cup.round, "points": points, "next": time_json(next_at)}
    waiting: Json = {"state": "waiting"} | ({} if elsewhere is None else {"busy": elsewhere})
    waiting |= {"closed": True} if is_closed else {}
    if not plan.is_arena:
        next_round = None if is_last_round(cup) else cup.round + 1
        waiting |= {"round": next_round, "left": left, "of": len(of_round)}
        waiting |= {"next": time_json(next_at)}
    return waiting | pausing | _rank(cup, entry, table()) | {"players": len(cup.players)}


def is_last_round(cup: Cup) -> bool:
    """Return whether the current round is known to be the last one."""
    rounds = rounds_of(cup)
    return rounds is not None and cup.round >= rounds


def _has_lost(cup: Cup, entry: Entry) -> bool:
    """Return whether a player of a knock-out has lost a round."""
    if cup.plan.system != "knock-out" or not cup.round or entry.number in cup.busy():
        return False
    return entry.number not in survivors(cup) or (
        bool(cup.open) and _score_difference(cup, entry) < 0
    )


def _score_difference(cup: Cup, entry: Entry) -> float:
    """Return the score difference of a player in the games of the current round."""
    own = other = 0.0
    for game in cup.games.values():
        if game.round == cup.round and entry.number in game.seats and game.scores:
            score = game.scores[game.seats.index(entry.number)]
            own, other = own + score, other + sum(game.scores) - score
    return own - other


def _rank(cup: Cup, entry: Entry, table: Sequence[Place]) -> Json:
    place = next((each for each in table if each.number == entry.number), None)
    return {} if place is None else {"rank": place.rank, "points": place.points}


def _over(cup: Cup, entry: Entry, table: Sequence[Place]) -> Json:
    first = [cup.entries[place.number].name for place in table[:3]]
    more = sum(place.rank == table[2].rank for place in table[3:])
    over: Json = {"name": cup.plan.name, "rank": None, **_rank(cup, entry, table)}
    over |= {"first": first, "ranks": [place.rank for place in table[:3]], "why": cup.why}
    over |= {"more": more} if more else {}
    shared = sum(place.rank == over["rank"] for place in table) - 1
    over |= {"shared": shared} if shared > 0 else {}
    over |= {"players": len(cup.players)} | names_json(cup, [*first, entry.name])
    return over | computers_json(cup)


PUSHED: Mapping[str, tuple[str, ...]] = {
    "entered": ("state", "begins", "names"),
    "waiting": ("state", "round", "paused", "rank", "points", "busy", "closed", "names"),
    "playing": ("state", "game", "paused", "names"),
    "bye": ("state", "round", "names"),
    "out": ("state",),
    "over": ("state", "rank", "points", "shared", "first", "ranks"),
}
"""The fields of a card whose change causes an event, by state. Other fields change often."""


def pushed_values(card: Json) -> tuple[object, ...]:
    """Return the values of a card's fields whose change causes an event."""
    return tuple(repr(card.get(name)) for name in PUSHED[card["state"]])
