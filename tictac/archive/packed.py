"""Matches as rows of the database: short, because there can be millions, and fast to make.

The end of a room makes such a row directly, without a :class:`Match`, because that is on the path
of the last move.
"""

from __future__ import annotations

import json
from binascii import b2a_base64
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

import msgspec

from tictac.archive.match import Event, Match, Player, to_json
from tictac.lobby.clock import TimeControl
from tictac.lobby.events import Began, Ended, Joined, Left, Placed, Refused, Said
from tictac.lobby.journal import Packed, PackedSeat
from tictac.lobby.record import fields_of
from tictac.lobby.room import Entry, Room
from tictac.names import COMPUTER, DELETED, GUEST, is_computer

_DIGITS = bytes.maketrans(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    b"-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz",
)
"""Digits in the order of their characters."""

MOST_SAID = 20_000
"""Maximum characters of chat saved for a match; later chat is dropped."""

_PEOPLE, _NEVER = (Joined, Left), (Began, Refused)

_random = Random()

_encode = msgspec.json.Encoder().encode

SavedPlayer = str | Player
"""The name of an account, or another player."""


def _seats(
    match_id: str, players: Sequence[SavedPlayer], winner: int | None
) -> tuple[PackedSeat, ...]:
    """Return the row of each name, once.

    For a player on both sides, the winning seat counts. Removed accounts are left out.
    """
    found: dict[str, PackedSeat] = {}
    for seat, player in enumerate(players):
        account = isinstance(player, str)
        name = player if isinstance(player, str) else player.name
        if not (account and name == DELETED) and (name not in found or seat == winner):
            found[name] = PackedSeat(name, match_id, seat, int(account))
    return tuple(found.values())


def new_id(utc: float) -> str:
    """Return an id that is unique among all processes: a 16th of a second, and 60 random bits.

    Ids of later matches are greater, so that an index of them grows at one end.
    """
    bits = int(utc * 16) << 60 | _random.getrandbits(60)
    return b2a_base64(bits.to_bytes(12), newline=False).translate(_DIGITS).decode()


def pack_room(room: Room, utc: float) -> Packed | None:
    """Return the match in a room whose record has just got its end; None without a match.

    Times of the record plus ``utc`` are seconds since 1970.
    """
    record, terms = room.record, room.terms
    at, ended = record[-1]
    for when, event in record:
        if type(event) is Began:
            began = when
            break
    else:
        return None
    if type(ended) is not Ended or ended.ending == "closed":
        return None
    match_id, last = new_id(at + utc), round((at - began) * 1000)
    levels = terms.levels_of([member.user for member in room.players])
    content = [
        terms.values,
        room.game.dump(room.start),
        players := [_player(*each) for each in levels],
        terms.play.tournament if terms.play else terms.protocol,
        int(terms.rated),
        terms.time and terms.time.dump(),
        ended.ending,
        [*_kept(record[:-1], began), (last, ended.move)],
    ]
    return Packed(
        match_id,
        round((began + utc) * 1000) + last,
        terms.game_type.name,
        int(terms.key is not None),
        ended.seat,
        _encode(content).decode(),
        _seats(match_id, players, ended.seat),
        terms.rated,
    )


def _kept(record: Iterable[Entry], began: float) -> list[tuple[object, ...]]:
    """Return the events of a record as they are saved.

    Left out are viewers, refusals, what led to the beginning, and chat above a limit, so that lists
    are read fast.
    """
    kept, left = list[tuple[object, ...]](), MOST_SAID
    for when, event in record:
        ms = round((when - began) * 1000)
        if type(event) is Placed:  # the most frequent event
            kept.append((ms, event.seat, event.move))
            continue
        if isinstance(event, _PEOPLE) and (event.seat is None or when <= began):
            continue
        if isinstance(event, _NEVER):
            continue
        if isinstance(event, Said):
            left -= len(event.text)
            if left < 0:
                continue
        kept.append((ms, *fields_of(event)))
    return kept


def _player(name: str, level: str | None) -> SavedPlayer:
    if not name.startswith((COMPUTER, GUEST)):  # the most frequent type
        return name
    if is_computer(name):
        return Player(name, "computer", level)
    return Player(name, "guest") if name.startswith(GUEST) else name


def pack(match: Match) -> Packed:
    """Return a match as a row."""
    *events, (end, fields) = match.events
    last = round(end * 1000)
    players = [player.name if player.kind == "account" else player for player in match.players]
    clock = match.clock and match.clock.dump()
    content = [
        match.options, match.start, players, match.door, int(match.rated), clock, match.ending,
        [*map(_packed_event, events), (last, fields[3])],
    ]  # fmt: skip
    return Packed(
        match.id,
        round(match.began * 1000) + last,
        match.game,
        int(match.private),
        match.winner,
        to_json(content),
        _seats(match.id, players, match.winner),
        match.rated,
    )


def _packed_event(event: Event) -> list[object]:
    fields = event.fields
    return [round(event.at * 1000), *(fields[1:] if fields[0] == "moved" else fields)]


def unpack(
    match_id: str, ended: int, game: str, private: int, winner: int | None, content: str
) -> Match:
    """Return the match of a row."""
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
        clock and TimeControl.load(clock),
        (ended - last) / 1000,
        tuple(happened),
        ending,
        winner,
    )


def _event(ms: int, *fields: Any) -> Event:
    return Event(ms / 1000, fields if isinstance(fields[0], str) else ("moved", *fields))
