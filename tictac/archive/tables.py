"""The SQL of matches, for every database (see accounts.tables)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from tictac.archive.match import Match, to_json, without
from tictac.archive.packed import pack, unpack
from tictac.archive.pages import Filter, Page, summary_of
from tictac.errors import BadFilter
from tictac.lobby.journal import Outcome, Packed
from tictac.names import DELETED
from tictac.storage.database import Database
from tictac.storage.store import reading

ROWS = 250
"""Maximum matches in one INSERT statement."""

CHANGED = 50
"""Maximum matches that a transaction changes or deletes: the lock is released soon."""

CHUNK = 500
"""Matches that are read together."""

_MATCH = "m.id, m.ended, m.game, m.private, m.winner, m.content"

_MAY_SEE = """(m.private = 0 OR EXISTS (SELECT 1 FROM match_players v WHERE v.player = ?
 AND v.ended = m.ended AND v.match = m.number AND v.account = 1))"""

_OF_GROUP = """EXISTS (SELECT 1 FROM users u JOIN match_players g ON g.player = u.name
 AND g.ended = m.ended AND g.match = m.number AND g.account = 1 WHERE u.group_name = ?)"""

_RESULTS = {"won": "m.winner IS NOT NULL", "lost": "m.winner IS NOT NULL"}
_RESULTS_OF_PLAYER = {"won": "m.winner = p.seat", "lost": "m.winner <> p.seat"}

_GRADES = """SELECT u.name, u.group_name, COALESCE(m.game, ''), COUNT(m.number),
 COALESCE(SUM(CASE WHEN m.winner = p.seat THEN 1 ELSE 0 END), 0),
 COALESCE(SUM(CASE WHEN m.number IS NOT NULL AND m.winner IS NULL THEN 1 ELSE 0 END), 0),
 COALESCE(SUM(CASE WHEN m.winner <> p.seat THEN 1 ELSE 0 END), 0),
 MAX(r.rating), MAX(m.ended) FROM users u
 LEFT JOIN match_players p ON p.player = u.name AND p.account = 1
 LEFT JOIN matches m ON m.number = p.match
 LEFT JOIN ratings r ON r.game = m.game AND r.player = u.name
 WHERE u.group_name = ? OR ? GROUP BY u.name, u.group_name, m.game ORDER BY 2, 1, 3"""


_OUTCOME = """INSERT INTO tournament_outcomes (tournament, game, scores, how, match)
 VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"""


class Grade(NamedTuple):
    """An account's results in a game; without matches, `game` is empty.

    `rating` is None if no match of the account counted; `last` is the end of the last match, in
    milliseconds since 1970.
    """

    name: str
    group: str
    game: str
    played: int
    won: int
    drawn: int
    lost: int
    rating: float | None
    last: int | None


def insert(
    execute: Callable[[str, Sequence[object]], object],
    matches: Sequence[Packed],
    outcomes: Iterable[Outcome] = (),
) -> None:
    """Insert matches that aren't yet in the tables, and outcomes, in an open transaction.

    Many rows in one statement, because a thread has to wait for Python's lock after each.
    """
    for first in range(0, len(matches), ROWS):
        some = matches[first : first + ROWS]
        execute(_inserting(len(some)), [value for match in some for value in match[:6]])
        seats = [seat for match in some for seat in match.seats]
        if seats:
            execute(_seating(len(seats)), [value for row in seats for value in row])
        if rated := [match.id for match in some if match.rated]:
            values = _values(len(rated), 1)
            execute(f"INSERT INTO uncounted_matches (id) VALUES {values}", rated)
    for outcome in outcomes:
        execute(_OUTCOME, outcome)


def _like(text: str) -> str:
    """Return a text as a pattern of LIKE that finds it alone."""
    return re.sub("[!%_]", lambda found: f"!{found[0]}", text)


@cache
def _inserting(rows: int) -> str:
    columns = "id, ended, game, private, winner, content"
    return f"INSERT INTO matches ({columns}) VALUES {_values(rows, 6)}"


@cache
def _seating(rows: int) -> str:
    # Every database gives these names to the columns of VALUES. CROSS: SQLite looks up each match
    # by its id, and doesn't scan the table.
    return f"""INSERT INTO match_players (player, ended, match, seat, account)
 SELECT column1, ended, number, column3, column4
 FROM (VALUES {_values(rows, 4)}) AS seats CROSS JOIN matches WHERE id = column2"""


def _values(rows: int, columns: int) -> str:
    return ", ".join([f"({', '.join('?' * columns)})"] * rows)


class MatchTables:
    """Finished matches and their analyses."""

    def __init__(self, database: Database) -> None:
        self._execute, self._transaction = database.execute, database.transaction
        self._taken = database.taken

    def add(self, matches: Sequence[Packed], outcomes: Sequence[Outcome] = ()) -> int:
        """Save all matches or none, except those already there; return the number of new ones.

        The ``outcomes`` of games of tournaments are saved with them.
        """
        new = {match.id: match for match in matches}
        try:
            with self._transaction():
                insert(self._execute, list(new.values()), outcomes)
        except self._taken:
            with self._transaction():
                insert(self._execute, (), outcomes)
                return self._insert_new(list(new.values()))
        return len(new)

    def add_all(self, matches: Iterable[Match]) -> int:
        """Save any number of matches, not all in memory at once; return the number of new ones."""
        coming, added = map(pack, matches), 0
        with self._transaction():
            while chunk := list(islice(coming, CHUNK)):
                added += self._insert_new(chunk)
        return added

    def _insert_new(self, matches: Sequence[Packed]) -> int:
        """Insert the matches that aren't yet in the tables, in an open transaction."""
        there = "SELECT 1 FROM matches WHERE id = ?"
        new = {
            match.id: match
            for match in matches
            if self._execute(there, (match.id,)).fetchone() is None
        }
        insert(self._execute, list(new.values()))
        return len(new)

    @reading
    def find(self, wanted: Filter, cursor: str | None = None, limit: int = 20) -> Page:
        """Return a page of matches, the last to end first. Raises BadFilter."""
        conditions, values = self._conditions(wanted)
        at = "p.ended, p.match" if wanted.player is not None else "m.ended, m.number"
        if cursor is not None:
            found = self._execute("SELECT ended, number FROM matches WHERE id = ?", (cursor,))
            place = found.fetchone()
            if place is None:
                raise BadFilter(f"no page begins at {cursor!r:.40}")
            conditions.append(f"({at}) < (?, ?)")
            values += place
        tables = "matches m"
        if wanted.player is not None:
            tables = "match_players p JOIN matches m ON m.number = p.match"
        order = at.replace(",", " DESC,")
        rows = self._execute(
            f"SELECT {_MATCH} FROM {tables} WHERE {' AND '.join(conditions) or '1 = 1'}"
            f" ORDER BY {order} DESC LIMIT ?",
            (*values, limit + 1),
        ).fetchall()
        page = tuple([summary_of(unpack(*row)) for row in rows[:limit]])
        return Page(page, page[-1].id if len(rows) > limit else None)

    def _conditions(self, wanted: Filter) -> tuple[list[str], list[object]]:
        game, player, since, until, result, viewer, private, group = wanted
        ended = "m.ended" if player is None else "p.ended"
        results = _RESULTS if player is None else _RESULTS_OF_PLAYER
        conditions = {
            "p.player = ?": player,
            "m.game = ?": game,
            f"{ended} >= ?": None if since is None else round(since * 1000),
            f"{ended} < ?": None if until is None else round(until * 1000),
            _OF_GROUP: group,
            _MAY_SEE: None if private else viewer or "",
        }
        asked = {text: value for text, value in conditions.items() if value is not None}
        of_result = [] if result is None else [results.get(result, "m.winner IS NULL")]
        return [*asked, *of_result], list(asked.values())

    @reading
    def get(self, match_id: str) -> Match | None:
        """Return the match of that id or None, even a private one: check ``visible_to`` next."""
        statement = f"SELECT {_MATCH} FROM matches m WHERE m.id = ?"
        row = self._execute(statement, (match_id,)).fetchone()
        return None if row is None else unpack(*row)

    @reading
    def grades(self, group: str | None) -> list[Grade]:
        """Return the grades of all accounts, or of those of a group, by group, name and game."""
        rows = self._execute(_GRADES, (group or "", group is None)).fetchall()
        return [Grade(*row) for row in rows]

    @reading
    def played(
        self, name: str, game: str, after: tuple[int, int], limit: int
    ) -> list[tuple[tuple[int, int], Match, int]]:
        """Return the next matches of an account, of a game or of all (empty), the oldest first.

        Each has its place in their order, and the seat of the account.
        """
        found = self._execute(
            f"SELECT {_MATCH}, m.number, p.seat FROM match_players p JOIN matches m"
            " ON m.number = p.match WHERE p.player = ? AND p.account = 1"
            " AND (p.ended, p.match) > (?, ?) AND (m.game = ? OR ? = '')"
            " ORDER BY p.ended, p.match LIMIT ?",
            (name, *after, game, game, limit),
        ).fetchall()
        return [((row[1], number), unpack(*row), seat) for *row, number, seat in found]

    @reading
    def last(self, name: str, game: str, limit: int) -> list[tuple[Match, int]]:
        """Return an account's last matches of a game or of all (empty), newest first, and seats."""
        found = self._execute(
            f"SELECT {_MATCH}, p.seat FROM match_players p JOIN matches m ON m.number = p.match"
            " WHERE p.player = ? AND p.account = 1 AND (m.game = ? OR ? = '')"
            " ORDER BY p.ended DESC, p.match DESC LIMIT ?",
            (name, game, game, limit),
        ).fetchall()
        return [(unpack(*row), seat) for *row, seat in found]

    def all(self) -> Iterator[Match]:
        """Yield all matches, the first to end first."""
        place = (-1, -1)
        while rows := self._execute(
            f"SELECT {_MATCH}, m.number FROM matches m WHERE (m.ended, m.number) > (?, ?)"
            " ORDER BY m.ended, m.number LIMIT ?",
            (*place, CHUNK),
        ).fetchall():
            yield from [unpack(*row[:-1]) for row in rows]
            place = rows[-1][1], rows[-1][-1]

    def forget_player(self, name: str) -> int:
        """Rename an account to "deleted" in tournaments and matches; return the matches' number."""
        with self._transaction():
            self._forget_entries(name)
        theirs = "SELECT match FROM match_players WHERE player = ? AND account = 1 LIMIT ?"
        forgotten = 0
        while numbers := self._execute(theirs, (name, CHANGED)).fetchall():
            with self._transaction():
                for (number,) in numbers:
                    self._forget_player(name, number)
            forgotten += len(numbers)
        for number in self._matches_with_words_of(name):
            with self._transaction():
                self._forget_player(name, number)
        return forgotten

    def _matches_with_words_of(self, name: str) -> Iterator[int]:
        """Yield matches in which an account said something as a viewer. It reads all matches."""
        escaped = [_like(name), _like(json.dumps(name)[1:-1])]
        some = f"""SELECT number FROM matches m WHERE number > ? AND (content LIKE ? ESCAPE '!'
 OR content LIKE ? ESCAPE '!') ORDER BY number LIMIT {CHANGED}"""
        last = -1
        patterns = [f'%"said","{text}",%' for text in escaped]
        while rows := self._execute(some, (last, *patterns)).fetchall():
            for (last,) in rows:
                yield last

    def _forget_entries(self, name: str) -> None:
        """Rename an account in the lines of tournaments with which it has entered."""
        start = to_json(["entered", name])[:-1] + ","
        lines = "SELECT tournament, number, line FROM tournament_lines"
        found = self._execute(f"{lines} WHERE substr(line, 1, ?) = ?", (len(start), start))
        for tournament, number, line in found.fetchall():
            after = to_json(["entered", DELETED, *json.loads(line)[2:]])
            self._execute(
                "UPDATE tournament_lines SET line = ? WHERE tournament = ? AND number = ?",
                (after, tournament, number),
            )

    def _forget_player(self, name: str, number: int) -> None:
        found = self._execute(f"SELECT {_MATCH} FROM matches m WHERE m.number = ?", (number,))
        row = found.fetchone()
        if row is not None:
            content = pack(without(unpack(*row), name)).content
            self._execute("UPDATE matches SET content = ? WHERE number = ?", (content, number))
            self._forget_players([name], row[1], number)

    def _forget_players(self, names: Iterable[str], ended: int, number: int) -> None:
        for name in names:
            self._execute(
                "DELETE FROM match_players WHERE player = ? AND ended = ? AND match = ?",
                (name, ended, number),
            )

    def prune(self, before: float) -> int:
        """Delete some matches that ended before that (seconds since 1970); return the number.

        They are few, so that the lock is released soon. Repeat until the number is 0.
        """
        with self._transaction():
            rows = self._execute(
                f"SELECT {_MATCH}, m.number FROM matches m WHERE m.ended < ?"
                " ORDER BY m.ended, m.number LIMIT ?",
                (round(before * 1000), CHANGED),
            ).fetchall()
            for *row, number in rows:
                match = unpack(*row)
                # First the match: another server that prunes waits here, and holds nothing of it.
                self._execute("DELETE FROM matches WHERE number = ?", (number,))
                self._forget_players({p.name for p in match.players}, row[1], number)
                self._execute("DELETE FROM judgements WHERE id = ?", (match.id,))
        return len(rows)

    # Analyses

    def judgement(self, match_id: str) -> str | None:
        """Return the saved analysis of a match."""
        found = self._execute("SELECT content FROM judgements WHERE id = ?", (match_id,))
        row = found.fetchone()
        return None if row is None else str(row[0])

    def keep_judgement(self, match_id: str, content: str) -> None:
        """Save the analysis of a match, in place of an earlier one."""
        self._execute(
            "INSERT INTO judgements (id, content) SELECT id, ? FROM matches WHERE id = ?"
            " ON CONFLICT (id) DO UPDATE SET content = excluded.content",
            (content, match_id),
        )
