"""PostgreSQL's record of every room, made by triggers, and its comparison with players' notes.

This module uses none of the server's code; it only knows the format of a row of ``room_events``.
From the rules of tic-tac-toe, it knows that a move marks one free cell, X and O in turns.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg

from bench.survivors import EMPTY, Notes

_TRIGGERS = """
CREATE TABLE history (seq BIGSERIAL, room BIGINT, name TEXT, number INTEGER, event TEXT);
CREATE FUNCTION note_room() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO history (room, name, event) VALUES (NEW.id, NEW.name, 'opened');
  ELSE
    INSERT INTO history (room, name, event) VALUES (OLD.id, OLD.name, 'closed');
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION note_event() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO history (room, number, event) VALUES (NEW.room, NEW.number, NEW.event);
  RETURN NULL;
END $$;
CREATE TRIGGER note AFTER INSERT OR DELETE ON rooms FOR EACH ROW EXECUTE FUNCTION note_room();
CREATE TRIGGER note AFTER INSERT ON room_events FOR EACH ROW EXECUTE FUNCTION note_event();
"""

Row = tuple[int, str | None, int | None, str]
"""A room's ID, its name when opened or closed, an event's number, and the event."""


@dataclass
class History:
    """A room's events by number, how often it opened and closed, and contradictory texts."""

    events: dict[int, str] = field(default_factory=dict)
    opened: int = 0
    closed: int = 0
    differences: list[str] = field(default_factory=list)

    def words(self) -> list[list[Any]]:
        """Return the events in their order."""
        return [json.loads(text) for _, text in sorted(self.events.items())]

    def boards(self) -> list[str]:
        """Return the boards of the room, without the board of the end."""
        boards, standing = [EMPTY], [EMPTY]
        for kind, *words in self.words():
            if kind == "moved":
                board, (seat, move) = standing[-1], words
                standing.append(marked(board, seat, move))
                boards.append(standing[-1])
                if standing[-1].count("0") == board.count("0"):
                    self.differences.append(f"{move} on {board}")
            elif kind == "undone":
                del standing[-words[1] :]
        return boards

    def users(self) -> set[tuple[int, str]]:
        """Return the users and their seats."""
        return {
            (each[2], each[1])
            for each in self.words()
            if each[0] == "joined" and each[2] is not None
        }


def marked(board: str, seat: int, move: str) -> str:
    """Return the board after a move."""
    column, row = map(int, move.split(":"))
    place = 3 * row + column
    return board[:place] + "12"[seat] + board[place + 1 :]


@dataclass
class Verdict:
    """The result of the check; ``faults`` describes it in words."""

    matches: int = 0
    lost: int = 0
    doubled: int = 0
    endless: int = 0
    taken: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether there are no faults."""
        return not self.faults


def keep_history(url: str) -> None:
    """Install triggers that record, in each transaction, the changes of rooms."""
    with psycopg.connect(url) as connection:
        connection.execute(_TRIGGERS.encode())


def read_history(url: str) -> list[Row]:
    """Return the recorded rows."""
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT room, name, number, event FROM history ORDER BY seq")
        return found.fetchall()


def histories(rows: Iterable[Row]) -> dict[str, dict[int, History]]:
    """Return the histories of the rooms of each name, by room ID."""
    rooms: dict[int, History] = defaultdict(History)
    named: dict[str, dict[int, History]] = defaultdict(dict)
    for room_id, name, number, event in rows:
        room = rooms[room_id]
        if name is not None:
            named[name][room_id] = room
            room.opened += event == "opened"
            room.closed += event == "closed"
        elif number is not None:
            before = room.events.setdefault(number, event)
            if before != event:
                room.differences.append(f"event {number} was {before}, then {event}")
    return named


def check(notes: Sequence[Notes], rows: Sequence[Row], former: Sequence[Row] = ()) -> Verdict:
    """Compare the players' notes with the record.

    ``former`` are the rows of a database that was replaced by an older one.
    """
    verdict, rooms, last = Verdict(matches=len(notes)), histories([*former, *rows]), histories(rows)
    for note in notes:
        _check_one(note, rooms[note.room].values(), last[note.room].values(), verdict)
    return verdict


def _check_one(
    note: Notes, rooms: Collection[History], last: Collection[History], verdict: Verdict
) -> None:
    boards = {board for room in rooms for board in room.boards()}
    ends = {end.split(":")[0] for end in note.ends}
    faults = []
    for board in sorted(set(note.seen) - boards):
        if not (board in ends and any(_is_one_move(each, board) for each in boards)):
            verdict.lost += 1
            faults.append(f"{board} was said, and isn't in the record")
    if len(note.ends) > 1:
        verdict.lost += 1
        faults.append(f"it ended {' and '.join(sorted(note.ends))}")
    for difference in [each for room in rooms for each in room.differences]:
        verdict.doubled += 1
        faults.append(difference)
    # An older database may have a room whose end players know; nobody waits in it.
    over = any(room.closed for room in rooms)
    if not rooms or (any(room.opened > room.closed for room in last) and not over):
        verdict.endless += 1
        faults.append(f"opened and closed: {[(room.opened, room.closed) for room in rooms]}")
    users = [room.users() for room in rooms]
    if any(each - set(enumerate(note.users)) for each in users):
        verdict.taken += 1
        faults.append(f"others sat in it: {users}")
    verdict.faults += [f"{note.room}: {fault}" for fault in faults]


def _is_one_move(before: str, after: str) -> bool:
    mark = "12"[(9 - before.count("0")) % 2]
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    return changed == [("0", mark)]
