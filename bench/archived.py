"""The archive, read without the server's code, and compared with the record and players' notes."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import psycopg

from bench.record import History, Row, histories, marked, read_history
from bench.survivors import Notes

_MATCHES = """SELECT id, winner, content, seats FROM matches m LEFT JOIN (SELECT match, ended,
 json_agg(json_build_array(player, seat, account) ORDER BY seat) AS seats
 FROM match_players GROUP BY match, ended) p ON p.match = m.number AND p.ended = m.ended
 ORDER BY number"""

Moves = tuple[tuple[int, str], ...]


class Kept(NamedTuple):
    """An archived match: users, moves without one that ended it, end on the wire, and seats."""

    key: str
    users: tuple[str, ...]
    moves: Moves
    end: str
    seats: tuple[tuple[str, int, int], ...]


def read_archive(url: str) -> list[Kept]:
    """Return all matches in a database."""
    with psycopg.connect(url) as connection:
        return [read_kept(*row) for row in connection.execute(_MATCHES)]


def read_kept(key: str, winner: int | None, content: str, seats: list[Any] | None) -> Kept:
    """Return the match of these rows."""
    _, board, users, _, _, _, ending, events = json.loads(content)
    moves = tuple([(each[1], each[2]) for each in events[:-1] if isinstance(each[1], int)])
    last = events[-1][1]
    for seat, move in moves if last is None else (*moves, (len(moves) % 2, last)):
        board = marked(board, seat, move)
    how = {"won": 0, "drawn": 1}.get(ending, 2)
    end = f"{board}:{how}" if winner is None else f"{board}:{how}:{users[winner]}"
    return Kept(key, tuple(users), moves, end, tuple([tuple(seat) for seat in seats or ()]))


@dataclass
class Findings:
    """The number of finished matches in the archive; ``faults`` describes errors in words.

    ``gone`` counts correct matches in a database that was replaced by an older one.
    """

    kept: int = 0
    gone: int = 0
    faults: list[str] = field(default_factory=list)


class Copy(NamedTuple):
    """The content of a database: its history, and its archive."""

    rows: list[Row]
    matches: list[Kept]


def read_copy(url: str) -> Copy:
    """Return the whole content while no program writes."""
    return Copy(read_history(url), read_archive(url))


def check_archive(notes: Sequence[Notes], last: Copy, former: Copy) -> Findings:
    """Look in the archive for each match whose end was committed, or sent to a player.

    ``former`` is the content of all databases that older ones have replaced.
    """
    found, keys = Findings(), {match.key for match in last.matches}
    replaced = {match.key: match for match in former.matches if match.key not in keys}
    here, gone = _by_users(last.matches), _by_users(replaced.values())
    rooms, now = histories([*former.rows, *last.rows]), histories(last.rows)
    others, missing = list[tuple[Notes, set[Moves]]](), list[tuple[Notes, set[Moves], set[str]]]()
    for note in sorted(notes, key=lambda note: not note.ends):
        for room_id, room in rooms[note.room].items():
            # An older database has only some of the moves, if no player continued.
            moves = {_moves(room), _moves(now[note.room].get(room_id, room))}
            # A player who was cut off before the answer has made the room again, after its end.
            ends = note.ends if len(rooms[note.room]) == 1 else set[str]()
            if _take(here[note.users], moves, ends):
                found.kept += 1
                continue
            if ["began"] not in room.words() or not (room.closed or note.ends):
                continue  # A match that ended after an older database came back isn't closed.
            if _take(gone[note.users], moves, ends):
                others.append((note, moves))
                found.gone += 1
            else:
                missing.append((note, moves, ends))
    # A move that waited for the database when its player was cut off isn't in the record.
    for note, moves, ends in missing:
        if _take(here[note.users], moves, ends, unrecorded=1):
            found.kept += 1
        else:
            others.append((note, moves))
            found.faults.append(f"{note.room}: it isn't in the archive with {note.ends}")
    # An older database had rooms of finished matches again, without their players.
    for note, moves in others:
        _take(here[note.users], moves)
    # Of a room that was made and forfeited in one batch, nothing but the match is written.
    left = [
        match
        for matches in here.values()
        for match in matches
        if ":2" not in match.end or len(match.moves) > 1
    ]
    found.faults += [f"{match} is in the archive twice, or wasn't played so" for match in left]
    for match in last.matches:
        if match.seats != tuple([(user, seat, 1) for seat, user in enumerate(match.users)]):
            found.faults.append(f"{match} is found for other players")
    return found


def _take(
    matches: list[Kept], moves: set[Moves], ends: Collection[str] = (), unrecorded: int = 0
) -> Kept | None:
    """Remove and return a match with one of the moves, and one of the ends (none: any).

    A forfeited match can have more moves than the record.
    """
    for match in matches:
        if unrecorded and ":2" not in match.end:
            continue
        recorded = match.moves[: len(match.moves) - unrecorded]
        if recorded in moves and (not ends or match.end in ends):
            matches.remove(match)
            return match
    return None


def _by_users(matches: Iterable[Kept]) -> dict[tuple[str, ...], list[Kept]]:
    found = defaultdict[tuple[str, ...], list[Kept]](list)
    for match in matches:
        found[match.users].append(match)
    return found


def _moves(room: History) -> Moves:
    return tuple([(words[1], words[2]) for words in room.words() if words[0] == "moved"])
