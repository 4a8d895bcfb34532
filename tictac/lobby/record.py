"""A room's record as text, and the room restored from it, for journals.

The first position and the events give the players, the position, and the clocks. Viewers and moves
sent out of turn are lost. A text is a JSON list that begins with the name of the event; the
number and the time of the event are stored beside it.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from json.encoder import encode_basestring as _quoted
from random import Random
from sys import intern
from typing import Any, NamedTuple, get_args

from tictac.errors import Refusal
from tictac.game import Game
from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.events import (
    Agreement,
    Began,
    Ended,
    Happened,
    Joined,
    Left,
    Mode,
    Offered,
    OfferState,
    Paused,
    Placed,
    Position,
    Refused,
    Retimed,
    RoomEvent,
    Said,
    Undone,
)
from tictac.lobby.offers import retime, undo
from tictac.lobby.room import Member, Offer, Room
from tictac.lobby.steps import step_in
from tictac.lobby.terms import USUAL_TERMS, Play, Terms, terms_for

_AGREEMENTS, _STATES = get_args(Agreement), get_args(OfferState)


class RecordLine(NamedTuple):
    """An event of a room: its number, its time in seconds, and the rest as text."""

    number: int
    at: float
    text: str


_TURNS = '["moved",', '["began"', '["undone",', '["retimed",'
"""The beginnings of the texts of events with which a turn begins."""

_JOINED = re.compile(r'\["joined",("(?:[^"\\]|\\.)*"),([0-9]+)')
"""The text of a player who takes a seat. No text of JSON contains its beginning."""

_USUAL_TEXTS = " ".join(map(str, range(1, 100))).encode() + (
    b'["said","\n["joined","",0]\n["joined","",1]\n["began"]\n["moved",0,"\n["moved",1,"'
)
"""Texts that records have in common."""


class Facts(NamedTuple):
    """When a match began, the event with which its turn began, and its open offer."""

    began: float
    number: int
    offer: tuple[int, Agreement] | None


class PackedRecord:
    """The record of a match over days in a third of its bytes; it iterates over the lines.

    ``since`` is when the turn of the seat ``turn`` began; None: the match hasn't begun, or was
    paused. ``moves`` is the number of moves, and ``users`` are the players, by their seats.
    """

    __slots__ = ("_packed", "moves", "since", "turn", "users")

    def __init__(self, numbers: str, times: str, texts: str) -> None:
        """Pack lines, of which a journal gives the three columns, because there can be millions.

        The times are whole milliseconds.
        """
        self.moves = texts.count('["moved",')
        seats = {seat: user for user, seat in reversed(_JOINED.findall(texts))}
        self.users = tuple([intern(_unquoted(user)) for _, user in sorted(seats.items())])
        begins = max(map(texts.rfind, _TURNS))
        later = texts.count("\n", begins)
        since = times.rsplit(" ", later + 1)[-1 - later] if begins >= 0 else ""
        is_paused = texts.rfind('["paused",') > texts.rfind('["retimed",')
        self.since = None if is_paused or not since else int(since) / 1000
        turn = texts[begins:].partition("\n")[0].rpartition(",")[2][:-1]
        is_seat = turn.isdecimal() and int(turn) < len(self.users)
        self.turn = int(turn) if is_seat else None
        packer = zlib.compressobj(4, zlib.DEFLATED, -11, 4, zdict=_USUAL_TEXTS)
        self._packed = packer.compress("\n".join((numbers, times, texts)).encode())
        self._packed += packer.flush()

    @classmethod
    def of(cls, record: Iterable[tuple[int, float, str]]) -> PackedRecord:
        """Pack lines."""
        numbers, times, texts = zip(*record, strict=True)
        in_ms = [str(round(at * 1000)) for at in times]
        return cls(" ".join(map(str, numbers)), " ".join(in_ms), "\n".join(texts))

    def __iter__(self) -> Iterator[RecordLine]:
        unpacker = zlib.decompressobj(-11, _USUAL_TEXTS)
        numbers, times, texts = unpacker.decompress(self._packed).decode().split("\n", 2)
        for number, at, text in zip(numbers.split(), times.split(), texts.split("\n"), strict=True):
            yield RecordLine(int(number), int(at) / 1000, text)

    def facts(self) -> Facts:
        """Return what lists and notices need of a match that has begun."""
        began, moved, offer = 0.0, 0, None
        for number, at, text in self:
            kind = text[2:].partition('"')[0]
            if kind in ("began", "moved", "undone"):
                began, moved = at if kind == "began" else began, number
            if kind in _STATES:
                _, seat, what, *_ = json.loads(text)
                offer = (seat, what) if kind == "offered" else None
            elif kind in ("moved", "undone", "retimed"):
                offer = None
        return Facts(began, moved, offer)


def _unquoted(text: str) -> str:
    """Return the text of a JSON string. Most have no escapes, which takes a tenth of the time."""
    return str(json.loads(text)) if "\\" in text else text[1:-1]


class BadRecord(ValueError):
    """A text that isn't part of a record, or doesn't match the rules of the game."""


def dump_terms(terms: Terms) -> str:
    """Return the terms as text."""
    if terms is USUAL_TERMS and _USUAL_TEXT:
        return _USUAL_TEXT
    fields = {
        "game": terms.game_type.name,
        "options": dict(terms.values),
        "seats": terms.seats,
        "key": terms.key,
        "clock": terms.time and terms.time.dump(),
        "computer": terms.computer,
        "computers": terms.computers,
        "move_timeout": terms.move_timeout,
    }
    if terms.protocol is not None:
        fields["door"] = terms.protocol
    if terms.rated:
        fields["rated"] = True
    if terms.score is not None:
        fields["score"] = terms.score
    if terms.play is not None:
        fields["play"] = terms.play
    return _json(fields)


@lru_cache(1000)
def load_terms(text: str) -> Terms:
    """Return the terms that :func:`dump_terms` wrote. Raises BadRecord."""
    try:
        fields = json.loads(text)
        game, options = game_type_of(fields.pop("game")), fields.pop("options")
        clock = fields.pop("clock")
        fields["time"] = None if clock is None else TimeControl.load(clock)
        if "score" in fields:
            fields["score"] = tuple(map(float, fields["score"]))
        if "play" in fields:
            tournament, number, round_, *lists = fields["play"]
            names, levels, grace, called = [*lists, ()][:4]
            values = tuple(names), tuple(levels), grace, tuple(called)
            fields["play"] = Play(tournament, number, round_, *values)
        if fields["computer"] is None:
            del fields["computers"]
        return terms_for(game, options, **fields)
    except (ValueError, KeyError, TypeError, AttributeError, Refusal) as error:
        raise BadRecord(f"no terms of a room: {error}") from None


def dump_event(event: Happened) -> str:
    """Return an event without its number as text."""
    # The events of every match take a short cut.
    if type(event) is Placed:
        return f'["moved",{event.seat},{_quoted(event.move)}]'
    if type(event) is Joined and event.seat is not None:
        token = f",{_quoted(event.token_hash)}" if event.token_hash else ""  # for a journal alone
        return f'["joined",{_quoted(event.user)},{event.seat}{token}]'
    if type(event) is Began:
        return '["began"]'
    return _json(fields_of(event))


def dump_lasting(event: Happened, turn: int) -> str:
    """Return an event of a match over days as text; one with which a turn begins ends with it."""
    text = dump_event(event)
    return f"{text[:-1]},{turn}]" if isinstance(event, Placed | Began | Undone | Retimed) else text


def lines(room: Room) -> list[RecordLine]:
    """Return the record of a room as lines, without refusals."""
    events = [(at, event) for at, event in room.record if not isinstance(event, Refused)]
    if not room.terms.lasting:
        return [RecordLine(event.number, at, dump_event(event)) for at, event in events]
    found, turn = [], room.game.turn(room.start) or 0
    for at, event in events:
        turn = (event.turn or 0) if isinstance(event, Placed | Undone) else turn
        found.append(RecordLine(event.number, at, dump_lasting(event, turn)))
    return found


def fields_of(event: Happened) -> list[object]:
    """Return an event without its number as values for JSON."""
    match event:
        case Placed(seat=seat, move=move):
            return ["moved", seat, move]
        case Joined(user=user, seat=seat):
            return ["joined", user, seat]
        case Left(user=user, seat=seat):
            return ["left", user, seat]
        case Began():
            return ["began"]
        case Offered(seat=seat, what=what, state=state, days=days):
            return [state, seat, what, *([days] if days else [])]
        case Retimed(seat=seat, days=days):
            return ["retimed", seat, days]
        case Undone(seat=seat, moves=count):
            return ["undone", seat, count]
        case Paused(user=user, paused=paused):
            return ["paused", user, paused]
        case Said(user=user, text=text):
            return ["said", user, text]
        case Ended(ending=ending, seat=seat, move=move):
            return ["ended", ending, seat, move]


def passes(room: Room, event: RoomEvent) -> bool:
    """Return whether a record doesn't keep an event: over days, players come and go for weeks.

    Such an event has a number, but only for the occupants who are in the room.
    """
    if not room.terms.lasting or not (type(event) is Joined or type(event) is Left):
        return False
    return any(type(e) is Began and e.number < event.number for _, e in room.record)


SOONEST = 5.0
"""Least seconds after a restart until a player who isn't in a room is absent."""


def restore(
    name: str, terms: Terms, start: Position, kept: Iterable[RecordLine], rng: Random, now: float
) -> Room:
    """Return the room of an unfinished record, with all players disconnected. Raises BadRecord.

    A room that waits for its players waits for the rest of its time, and at least for
    ``SOONEST``.
    """
    room = Room(name, terms, rng, start)
    line = RecordLine(0, now, "")
    try:
        for line in kept:
            number, at, text = line
            room.record.append((at, redo(room, number, at, json.loads(text))))
    except (ValueError, KeyError, TypeError, IndexError, Refusal) as error:
        raise BadRecord(f"event {line.number} of room {name}: {error}") from None
    away = now
    if room.awaited and room.record and terms.play is not None:
        away = min(now, max(room.record[0][0], now + SOONEST - terms.play.grace))
    room.players = [m if m.gone else m._replace(away=away) for m in room.players]
    if terms.lasting:
        room.set_away([None if m.gone else _last_of(room, m.user) for m in room.players])
    return room


def _last_of(room: Room, user: str) -> float:
    """Return when a player last did something."""
    for at, event in reversed(room.record):
        if isinstance(event, Placed | Offered):
            if room.players[event.seat].user == user:
                return at
        elif isinstance(event, Joined | Said) and event.user == user:
            return at
    return 0.0


def redo(room: Room, number: int, at: float, fields: Any) -> Happened:
    """Apply an event other than the end to a room, and return it. Can raise ValueError."""
    clock = room.clock
    room.number = number
    if fields[0] == "moved":  # most events
        _, seat, move, *_ = fields
        if room.terms.seats > 2 and gave_up(room.game, room.position, seat, move):
            room.players[seat] = Member("", room.players[seat].user, gone=True)
        placed = step_in(room.game, None)(room.position, move, number)
        if placed.seat != seat:
            placed = placed._replace(seat=int(seat))
        room.position, room.turn = placed.position, placed.turn or 0
        room.moves += 1
        room.offer = None
        if clock is not None:
            clock.moved(room.turn, at)
        return placed
    match fields:
        case ["joined", str(user), int() | None as seat, *rest]:
            if seat == len(room.players):
                room.players.append(Member("", user))
            if seat is not None and rest:
                room.players[seat] = room.players[seat]._replace(token_hash="".join(rest))
            mode: Mode = "VIEWER" if seat is None else "PLAYER"
            return Joined(number, "", room.name, mode, number == 1, user=user, seat=seat)
        case ["left", str(user), int() | None as seat]:
            return Left(number, None, user, seat)
        case ["began", *_]:
            room.running, room.awaited = True, False
            if clock is not None:
                clock.turn_to(room.turn, at)
            return Began(number, None, tuple([member.user for member in room.players]))
        case [state, int(seat), what, *rest] if state in _STATES and what in _AGREEMENTS:
            days = sum(rest)
            room.offer = Offer(seat, what, at, days) if state == "offered" else None
            return Offered(number, None, seat, what, state, days)
        case ["retimed", int(seat), int(days), *_]:
            retimed = retime(room, seat, days)
            if room.clock is not None:
                room.clock.turn_to(room.turn, at)
            return retimed
        case ["undone", int(seat), int(count), *_]:
            undone = undo(room, seat, count)
            if clock is not None:
                clock.turn_to(room.turn, at)
            return undone
        case ["paused", str(user), bool(paused)]:
            room.running = not paused
            if clock is not None:
                clock.pause(paused, at)
            return Paused(number, None, user, paused)
        case ["said", str(user), str(said)]:
            return Said(number, None, user, said)
    raise ValueError(f"{fields!r:.80} isn't an event of a room that goes on")


def gave_up(game: Game[Position], position: Position, seat: int | None, move: str | None) -> bool:
    """Return whether the move stands for the match going on without this seat."""
    dropped = None if seat is None else game.drop(position, seat)
    return dropped is not None and dropped.move == move


# One encoder for all texts: json.dumps makes one at each call.
_json = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode

_USUAL_TEXT = ""
_USUAL_TEXT = dump_terms(USUAL_TERMS)
