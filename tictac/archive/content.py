"""A match as rows of the database: short, for there may be millions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

from tictac.accounts.names import DELETED
from tictac.archive.match import Event, Match, Player

MatchRow: TypeAlias = tuple[str, int, str, int, int | None, str]
"""The id, the end in milliseconds since 1970, the game, whether it was private, the winner, and
the rest as text."""


class PlayerRow(NamedTuple):
    """The name, the match's id, a seat, and whether that is an account."""

    player: str
    match_id: str
    seat: int
    account: int


def match_row(match: Match) -> MatchRow:
    """A match as a row of ``matches``."""
    events: list[Any] = []
    for at, fields in match.events:
        ms = round(at * 1000)
        # Most are moves, which need no word; the end says only what the row doesn't say.
        events.append([ms, *(fields[1:] if fields[0] == "moved" else fields)])
    events[-1] = [ms, fields[3]]
    players = [p.name if p.kind == "account" else p for p in match.players]
    content = _json(
        [match.options, match.start, players, match.door, int(match.rated), match.clock,
         match.ending, events]
    )  # fmt: skip
    ended = round(match.began * 1000) + ms
    return match.id, ended, match.game, int(match.private), match.winner, content


def player_rows(match: Match) -> Iterable[PlayerRow]:
    """Who played, as rows of ``match_players``."""
    rows: dict[str, PlayerRow] = {}
    for seat, (name, kind, _) in enumerate(match.players):
        gone = (name, kind) == (DELETED, "account")
        if not gone and (name not in rows or seat == match.winner):
            rows[name] = PlayerRow(name, match.id, seat, int(kind == "account"))
    return rows.values()


def match_from(row: MatchRow) -> Match:
    """The match that :func:`match_row` made a row of."""
    match_id, ended, game, private, winner, content = row
    options, start, players, door, rated, clock, ending, events = json.loads(content)
    last, move = events.pop()
    happened = [_event(*event) for event in events]
    happened.append(Event(last / 1000, ("ended", ending, winner, move)))
    return Match(
        match_id,
        game,
        options,
        start,
        tuple([Player(p, "account") if isinstance(p, str) else Player(*p) for p in players]),
        door,
        bool(private),
        bool(rated),
        None if clock is None else (clock[0], clock[1]),
        (ended - last) / 1000,
        tuple(happened),
        ending,
        winner,
    )


def _event(ms: int, *fields: Any) -> Event:
    return Event(ms / 1000, fields if isinstance(fields[0], str) else ("moved", *fields))


# Plain ASCII: every database takes it, whatever was said.
_json = json.JSONEncoder(separators=(",", ":")).encode
