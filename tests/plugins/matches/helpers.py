"""Matches that were played at random."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from random import Random
from typing import Any

from tests.archive.helpers import match_of
from tictac.archive.match import Match
from tictac.games.all import game_type_of
from tictac.lobby.events import Ended, Refused, RoomEvent
from tictac.lobby.room import Room
from tictac.lobby.terms import terms_for

EPOCH = 1_790_000_000.0
"""When matches of the tests begin, in seconds since 1970."""

_numbers = count()


def played(
    game: str = "tictactoe",
    options: dict[str, Any] | None = None,
    users: Sequence[str] = ("alice", "bob"),
    moves: int = 10_000,
    seed: int = 1,
    began: float = EPOCH,
    match_id: str | None = None,
    **terms: Any,
) -> Match:
    """Play a match of these users, a second a move; the first resigns after these ``moves``."""
    agreed = terms_for(game_type_of(game), options or {}, len(users), **terms)
    room = Room("room", agreed, Random(seed))
    rng = Random(seed)
    now = 0.0

    def note(events: list[RoomEvent]) -> RoomEvent:
        assert not any(isinstance(event, Refused) for event in events), events
        room.record.extend((now, event) for event in events)
        return events[-1]

    for user in users:
        last = note(room.join(user, user, "PLAYER"))
    note(room.say(users[0], "good luck, \u2603"))
    while not isinstance(last, Ended):
        now += 1
        if room.moves == moves:
            last = note(room.forfeit(users[0]))
        else:
            can = room.game.moves(room.position)
            last = note(room.place(users[room.turn], rng.choice(can)))
    match = match_of(room, began, match_id or f"m{next(_numbers)}")
    assert match is not None
    return match


EVERY_GAME: list[tuple[str, dict[str, Any], int]] = [
    ("tictactoe", {}, 2),
    ("tictactoe", {"columns": 19, "rows": 19, "strike": 5}, 2),
    ("connectfour", {"pops": True}, 2),
    ("reversi", {"size": "6"}, 2),
    ("nim", {}, 2),
    ("clue", {}, 6),
    ("clue", {}, 1),
]
"""Games with options that change much, and a number of players."""
