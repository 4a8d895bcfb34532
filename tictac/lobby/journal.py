"""The journal of running rooms: what it saves, and what :class:`Journaled` asks of it.

:mod:`tictac.lobby.outbox` describes the order of decisions, commits, and deliveries. It relies on
these rules of a journal:

- A batch is saved as a whole or not at all, so no room is closed without its match.
- ``commit`` gets one batch at a time, and retries until the batch is saved. It calls ``done`` once,
  perhaps before it returns.
- An id belongs to one room for as long as the journal has the room, also after a restart.

Times go on where the last process ended: the time of a journal is the sum of the times in which a
process served its rooms. So the absence of the server isn't in it, however often and however it
ends, and no clock, timeout, or record of a room needs to know when that was.

1. `start` gives the registry's clock an offset (`_epoch`), with which the time goes on from the
   last sign of life of the process before: the latest time that it saved.
2. That is the time of a line, or one that the journal saves in between, and at the end. After
   kill -9, the time since the last sign was never in the journal: players get it back.
3. No time of day is in it, so a clock of a machine can be set forward and back.

    A: move at 60, sign at 62, move at 63.5, killed at 64
    an hour later, B: the time is 63.5; sign at 65.5, ended in order at 66.1
    C: the time is 66.1: the player to move has used 2.6 s of the clock since the last move
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from math import ceil
from random import Random
from typing import NamedTuple, Protocol

from tictac.lobby.events import Ended
from tictac.lobby.record import RecordLine, load_terms, restore
from tictac.lobby.room import Room

FORMAT, LASTING_FORMAT = FORMATS = 1, 2
"""The versions of the texts in a journal: of usual rooms, and of matches over days.

A version that knows no matches over days leaves their rooms alone. Otherwise, it would give up the
seats of disconnected players.
"""


class Opened(NamedTuple):
    """The creation of a room: its name, and its terms and first position as texts of a format."""

    name: str
    terms: str
    start: str
    format: int = FORMAT


class Outcome(NamedTuple):
    """The result of a game of a tournament: ``scores`` of its seats as JSON, the ending, the match.

    It is kept until the tournament has counted it.
    """

    tournament: str
    game: int
    scores: str
    how: str
    match: str | None


class PackedSeat(NamedTuple):
    """A row of a player in the archive: the name, the match, a seat, and 1 for an account."""

    player: str
    match: str
    seat: int
    account: int


class Packed(NamedTuple):
    """A finished match: a row of ``matches``, the rows of its players, and whether it is rated.

    ``ended`` is in milliseconds since 1970, ``winner`` a seat. ``content`` is JSON: the
    options, the first position, the players (only the name of an account), the `door`, whether
    the match was rated, the clock, the ending, and the events. An event begins with a time in
    milliseconds. A move has no word for its type, and the last event is the end, with only its
    move.
    """

    id: str
    ended: int
    game: str
    private: int
    winner: int | None
    content: str
    seats: tuple[PackedSeat, ...]
    rated: bool


def outcome_of(room: Room, match: str | None) -> Outcome | None:
    """Return the outcome of a room that ended; None: not of a tournament, or not played."""
    play, ended = room.terms.play, room.record[-1][1]
    if play is None or type(ended) is not Ended or ended.ending == "closed":
        return None
    seats = room.terms.seats
    scores = [float(seat == ended.seat) for seat in range(seats)]
    if ended.ending == "absent":
        scores = [float(not member.gone) for member in room.players]
    elif ended.seat is None:
        scores = [1 / seats] * seats
    return Outcome(play.tournament, play.game, json.dumps(scores), ended.ending, match)


@dataclass(slots=True)
class Batch:
    """The events of a turn, by the journal's ids of the rooms.

    ``lines`` are in their order: the room, and the fields of a
    :class:`~tictac.lobby.record.RecordLine`. A ``closed`` room is deleted. If its match has
    ``ended``, the same transaction saves what the archivist packed, and the ``outcome`` of
    a game of a tournament.
    """

    opened: dict[int, Opened] = field(default_factory=dict)
    lines: list[tuple[int, int, float, str]] = field(default_factory=list)
    closed: list[int] = field(default_factory=list)
    ended: dict[int, Packed] = field(default_factory=dict)
    outcomes: dict[int, Outcome] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KeptRoom:
    """A room as the journal has it; ``lines`` can be a record.PackedRecord."""

    room_id: int
    opened: Opened
    lines: Iterable[RecordLine]
    away: tuple[float | None, ...] = ()
    """The time since which each player is disconnected, if this process knows it."""


def restored(kept: KeptRoom, rng: Random, now: float) -> Room:
    """Return the room of an unfinished record (record.restore). Raises ValueError."""
    name, terms_text, start, _ = kept.opened
    try:
        terms = load_terms(terms_text)
        room = restore(name, terms, terms.game.load(start), kept.lines, rng, now)
    except Exception as error:  # any exception of a game
        raise ValueError(f"room {name} can't be read: {error}") from error
    room.set_away(kept.away)
    return room


def epoch_of(seconds: float) -> float:
    """Return an epoch in whole milliseconds, so that times of records are the same with each."""
    return ceil(seconds * 1000) / 1000


class Journal(Protocol):
    """Saves running rooms, one batch at a time, and their time.

    Times in lines are times of the registry's clock; times of former processes come before its
    current one. ``epoch`` is the time of the journal at the origin of that clock.
    """

    epoch: float

    def start(self) -> Iterable[KeptRoom]:
        """Open the journal and return its rooms, the oldest first. Raises SetupError.

        They can come one by one, and all are read before the first commit.
        """

    def new_id(self) -> int:
        """Return an id for a new room, which no other room has."""

    def commit(self, batch: Batch, done: Callable[[Collection[int]], None]) -> None:
        """Save a batch, however long it takes, then call ``done``.

        ``done`` gets the ids of new rooms that the journal refused because others have rooms of
        their names. The caller commits nothing else before.
        """

    def ready(self) -> bool:
        """Return whether batches are saved at once."""

    def stop(self) -> None:
        """Close the journal."""
