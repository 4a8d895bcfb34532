"""Matches that have ended, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.accounts.helpers import HASH
from tests.storage.memory import MemoryStore
from tictac.accounts.tables import Account
from tictac.archive.match import Event, Match, Player
from tictac.archive.packed import pack_room, unpack
from tictac.archive.tables import MatchTables
from tictac.lobby.room import Room

ALICE, BOB = Player("alice", "account"), Player("bob", "account")
GUEST = Player("guest-1", "guest")
COMPUTER = Player("computer", "computer", "best")

BEGAN = 1_700_000_000.125
"""When a match began."""


def moved(at: float, seat: int, move: str) -> Event:
    return Event(at, ("moved", seat, move))


EVENTS = (
    Event(-1.5, ("said", "alice", "h\u00e9\U0001f600\ud800\0")),
    moved(0.5, 0, "0:0"),
    moved(1.0, 1, "1:1"),
    Event(1.25, ("paused", "bob", True)),
    Event(1.375, ("joined", "alice", 0)),
    moved(1.5, 0, "1:0"),
    moved(2.0, 1, "2:2"),
)


def match(match_id: str = "m1", *players: Player, **fields: Any) -> Match:
    """Return a match of tic-tac-toe that the first of ``players`` won by its third move.

    The players are alice and bob by default.
    """
    usual: dict[str, Any] = {
        "game": "tictactoe",
        "options": {"rows": 3, "columns": 3, "strike": 3, "first": "X"},
        "start": "000000000",
        "door": None,
        "private": False,
        "rated": False,
        "clock": None,
        "began": BEGAN,
        "ending": "won",
        "winner": 0,
    }
    fields = {**usual, **fields}
    move = "2:0" if fields["ending"] == "won" else None
    end = Event(2.5, ("ended", fields["ending"], fields["winner"], move))
    return Match(match_id, players=players or (ALICE, BOB), events=(*EVENTS, end), **fields)


def match_of(room: Room, utc: float, match_id: str = "m1") -> Match | None:
    """Return the match that has just ended in a room (packed.pack_room)."""
    packed = pack_room(room, utc)
    return None if packed is None else unpack(match_id, *packed[1:6])


def archive_of(*matches: Match, users: Sequence[str] = ()) -> MemoryStore:
    """Return an open archive with these matches, and with accounts of these ``users``."""
    archive = MemoryStore([Account(name, HASH) for name in users])
    MatchTables(archive.database).add_all(matches)
    archive.start()
    return archive
