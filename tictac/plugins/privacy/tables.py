"""The tables of blocked players and reports (storage/schema/0016_blocks.sql)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import ClassVar, Literal, NamedTuple

from tictac.names import DELETED
from tictac.storage.database import Database
from tictac.storage.store import reading

How = Literal["block", "mute"]

MOST_BLOCKS = 1000
"""Maximum players that an account can block or mute."""

MOST_REPORTS = 1000
"""Maximum reports that the server keeps."""

A_DAY, DAY = 10, 86_400
"""Maximum reports of a user in a day, and its seconds."""


class Report(NamedTuple):
    """A report of ``name`` about ``other``; ``chat`` has the last texts of the room.

    ``made`` is in seconds since 1970.
    """

    number: int
    made: int
    name: str
    other: str
    why: str
    room: str
    chat: list[tuple[str, str]]


class PrivacyTables:
    """Blocked and muted players, and reports."""

    def __init__(self, database: Database) -> None:
        self._execute, self._transaction = database.execute, database.transaction

    @reading
    def blocks(self, name: str) -> dict[str, How]:
        """Return the players that an account has blocked or muted."""
        found = self._execute("SELECT other, how FROM blocks WHERE name = ?", (name,))
        return dict(sorted(tuple(row) for row in found.fetchall()))

    def put(self, name: str, other: str, how: How | None) -> bool:
        """Block or mute a player, or end that; return False if there are too many already."""
        with self._transaction():
            # Another connection of the account waits here.
            self._execute("UPDATE users SET name = name WHERE name = ?", (name,))
            if how is not None and len({*self.blocks(name), other}) > MOST_BLOCKS:
                return False
            self._execute("DELETE FROM blocks WHERE name = ? AND other = ?", (name, other))
            if how is not None:
                insert = "INSERT INTO blocks (name, other, how) VALUES (?, ?, ?)"
                self._execute(insert, (name, other, how))
        return True

    def report(self, new: Report) -> bool:
        """Add a report under the next number; return False if there are too many already."""
        with self._transaction():
            recent = self._execute(
                "SELECT COUNT(*) FROM reports WHERE name = ? AND made > ?",
                (new.name, new.made - DAY),
            ).fetchone()[0]
            count, last = self._execute(
                "SELECT COUNT(*), COALESCE(MAX(number), 0) FROM reports"
            ).fetchone()
            if recent >= A_DAY or count >= MOST_REPORTS:
                return False
            self._execute(
                "INSERT INTO reports (number, made, name, other, why, room, chat)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (last + 1, *new[1:6], json.dumps(new.chat)),
            )
        return True

    @reading
    def reports(self) -> list[Report]:
        """Return all reports, the first one first."""
        found = self._execute(
            "SELECT number, made, name, other, why, room, chat FROM reports ORDER BY number"
        )
        return [
            Report(number, made, name, other, why, room, json.loads(chat))
            for number, made, name, other, why, room, chat in found.fetchall()
        ]

    def close(self, number: int) -> bool:
        """Delete a report; return whether it was there."""
        return self._execute("DELETE FROM reports WHERE number = ?", (number,)).rowcount == 1


class PrivacyKeeper:
    """The blocked players and the reports of an account (accounts.keepers.Keeper)."""

    columns: ClassVar = {"blocks": ("name", "other"), "reports": ("name", "other", "chat")}

    def __init__(self, database: Database) -> None:
        self._tables = PrivacyTables(database)
        self._execute, self._transaction = database.execute, database.transaction

    def export(self, name: str) -> Mapping[str, object]:
        """Return what the account has said about others; reports about it are for admins alone."""
        found: dict[str, object] = {}
        if blocks := self._tables.blocks(name):
            found["players"] = blocks
        reports = [each for each in self._tables.reports() if each.name == name]
        if reports:
            found["reports"] = [
                {"made": each.made, "user": each.other, "text": each.why, "room": each.room}
                for each in reports
            ]
        return found

    def remove(self, name: str) -> None:
        """Delete blocks, and reports about the account; in others its name becomes "deleted"."""
        with self._transaction():
            self._execute("DELETE FROM blocks WHERE name = ? OR other = ?", (name, name))
            self._execute("DELETE FROM reports WHERE other = ?", (name,))
            for each in self._tables.reports():
                chat = [(DELETED if user == name else user, text) for user, text in each.chat]
                user = DELETED if each.name == name else each.name
                if (user, chat) != (each.name, [tuple(line) for line in each.chat]):
                    self._execute(
                        "UPDATE reports SET name = ?, chat = ? WHERE number = ?",
                        (user, json.dumps(chat), each.number),
                    )
