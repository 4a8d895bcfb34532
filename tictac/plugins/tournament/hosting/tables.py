"""The tables of tournaments, in the database of the accounts (accounts/schema/0012)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from tictac.archive.match import to_json
from tictac.archive.tables import insert
from tictac.lobby.journal import Outcome
from tictac.names import DELETED, caseless, folded
from tictac.options import MAIN
from tictac.plugins.tournament.cup import Line
from tictac.storage.database import Database
from tictac.storage.store import reading

LIVE = "state <> 'over'"

_ROW = "id, state, made, plan, head, owner, lobby"

PRUNED = 20
"""Maximum tournaments that one call deletes."""


class Row(NamedTuple):
    """The row of a tournament, which a server of ``lobby`` decides.

    ``plan`` and ``head`` are JSON, and ``made`` is in milliseconds since 1970.
    """

    id: str
    state: str
    made: int
    plan: str
    head: str
    owner: str
    lobby: str = MAIN


class KeptLine(NamedTuple):
    """A line with its number, from 1, and its time in milliseconds since 1970."""

    number: int
    at: int
    line: Line


class NewLine(NamedTuple):
    """A line to add, with the new values of the tournament's row."""

    at: int
    line: Line
    state: str
    head: str


class Player(NamedTuple):
    """An account's group, and its rating in a game, if it has one."""

    group: str
    rating: float | None


class TournamentTables:
    """Tournaments, their lines, and the outcomes of games that aren't counted yet."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._execute = database.execute

    def make(self, row: Row) -> bool:
        """Add a tournament; return False if the id is taken."""
        there = "SELECT plan, owner, made FROM tournaments WHERE id = ?"
        try:
            self._execute(f"INSERT INTO tournaments ({_ROW}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        except self._database.taken:
            # An earlier attempt can have added the row before its answer was lost.
            found = self._execute(there, (row.id,)).fetchone()
            return self._database.unsure and tuple(found) == (row.plan, row.owner, row.made)
        return True

    def fill(self, row: Row, lines: Sequence[NewLine]) -> None:
        """Add a tournament with its lines, or add the missing lines to an existing tournament."""
        with self._database.transaction():
            if self.get(row.id) is None:
                self.make(row)
            first = len(self.read(row.id))
            for number, new in enumerate(lines[first:], first + 1):
                self._insert(row.id, number, new)
            if lines[first:]:
                self._update(row.id, lines[-1])

    @reading
    def live(self, lobby: str = MAIN) -> dict[str, int]:
        """Return a lobby's tournaments that aren't over, each with the number of its lines."""
        rows = self._execute(
            "SELECT id, (SELECT COALESCE(MAX(number), 0) FROM tournament_lines"
            f" WHERE tournament = id) FROM tournaments WHERE {LIVE} AND lobby = ?"
            " ORDER BY made, id",
            (lobby,),
        ).fetchall()
        return dict([tuple(row) for row in rows])

    @reading
    def page(
        self, state: str | None, before: str | None, limit: int, lobby: str = MAIN
    ) -> list[Row]:
        """Return up to ``limit`` tournaments of a lobby, the latest first.

        Begin after the tournament ``before``, if it is given.
        """
        conditions, values = ["lobby = ?"], list[object]([lobby])
        if state is not None:
            conditions.append("state = ?")
            values.append(state)
        if before is not None:
            at = "(SELECT made FROM tournaments WHERE id = ?)"
            conditions.append(f"(made < {at} OR (made = {at} AND id < ?))")
            values += [before] * 3
        rows = self._execute(
            f"SELECT {_ROW} FROM tournaments"
            f" WHERE {' AND '.join(conditions)} ORDER BY made DESC, id DESC LIMIT ?",
            (*values, limit),
        ).fetchall()
        return [Row(*row) for row in rows]

    @reading
    def get(self, tournament: str) -> Row | None:
        """Return a tournament's row."""
        row = self._execute(
            f"SELECT {_ROW} FROM tournaments WHERE id = ?", (tournament,)
        ).fetchone()
        return None if row is None else Row(*row)

    @reading
    def read(self, tournament: str, after: int = 0) -> list[KeptLine]:
        """Return the lines with a number above ``after``."""
        rows = self._execute(
            "SELECT number, at, line FROM tournament_lines WHERE tournament = ? AND number > ?"
            " ORDER BY number",
            (tournament, after),
        ).fetchall()
        return [KeptLine(number, at, _line(text)) for number, at, text in rows]

    def append(self, tournament: str, number: int, new: NewLine, counted: int = 0) -> bool:
        """Add a line under its number; return False if the number is taken.

        ``counted`` is the number of the game whose outcome the line counts. The same transaction
        deletes that outcome.
        """
        text = _text(new.line)
        try:
            with self._database.transaction():
                self._insert(tournament, number, new)
                self._update(tournament, new)
                if counted:
                    self.drop(tournament, counted)
        except self._database.taken:
            found = self._execute(
                "SELECT at, line FROM tournament_lines WHERE tournament = ? AND number = ?",
                (tournament, number),
            ).fetchone()
            return self._database.unsure and tuple(found) == (new.at, text)
        return True

    def _insert(self, tournament: str, number: int, new: NewLine) -> None:
        self._execute(
            "INSERT INTO tournament_lines (tournament, number, at, line) VALUES (?, ?, ?, ?)",
            (tournament, number, new.at, _text(new.line)),
        )

    def _update(self, tournament: str, new: NewLine) -> None:
        self._execute(
            "UPDATE tournaments SET state = ?, head = ? WHERE id = ?",
            (new.state, new.head, tournament),
        )

    @reading
    def outcomes(self, tournament: str) -> list[Outcome]:
        """Return the outcomes of a tournament's games that aren't counted yet."""
        rows = self._execute(
            "SELECT tournament, game, scores, how, match FROM tournament_outcomes"
            " WHERE tournament = ? ORDER BY game",
            (tournament,),
        ).fetchall()
        return [Outcome(*row) for row in rows]

    def keep(self, outcome: Outcome) -> None:
        """Save the outcome of a game, on a server without an archive."""
        insert(self._execute, (), [outcome])

    def drop(self, tournament: str, game: int) -> None:
        """Delete the outcome of a counted game."""
        self._execute(
            "DELETE FROM tournament_outcomes WHERE tournament = ? AND game = ?", (tournament, game)
        )

    def prune(self, before: int, lobby: str = MAIN) -> list[str]:
        """Delete some tournaments of a lobby that ended before a time, and return their ids.

        The time is in milliseconds since 1970.
        """
        last = "SELECT MAX(at) FROM tournament_lines WHERE tournament = tournaments.id"
        rows = self._execute(
            f"SELECT id FROM tournaments WHERE NOT {LIVE} AND lobby = ?"
            f" AND COALESCE(({last}), made) < ? LIMIT ?",
            (lobby, before, PRUNED),
        ).fetchall()
        with self._database.transaction():
            for row in rows:
                for table in ("tournament_lines", "tournament_outcomes"):
                    self._execute(f"DELETE FROM {table} WHERE tournament = ?", tuple(row))
                self._execute("DELETE FROM tournaments WHERE id = ?", tuple(row))
        return [row[0] for row in rows]

    @reading
    def player(self, name: str, game: str) -> Player | None:
        """Return an account's group and its rating in a game; None if there is no such account."""
        row = self._execute(
            "SELECT group_name, (SELECT rating FROM ratings WHERE game = ? AND player = name)"
            " FROM users WHERE name = ?",
            (game, name),
        ).fetchone()
        return None if row is None else Player(*row)

    @reading
    def taken(self, names: Sequence[str]) -> list[str]:
        """Return those of some names that accounts have, in any spelling."""
        spellings = [spelling for name in names for spelling in (folded(name), caseless(name))]
        marks = ", ".join("?" * len(spellings))
        query = f"SELECT name FROM taken_names WHERE name IN ({marks})"
        found = {row[0] for row in self._execute(query, spellings).fetchall()}
        return [name for name in names if {folded(name), caseless(name)} & found]

    @reading
    def is_admin(self, name: str) -> bool:
        """Return whether an account is an admin."""
        row = self._execute("SELECT admin FROM users WHERE name = ?", (name,)).fetchone()
        return row is not None and bool(row[0])


def _text(line: Line) -> str:
    """Return a line as JSON. That of a game's end is short, as there are many of them.

    It has no word in front, whole scores have no fraction, and how the game ended is there only
    if the scores don't say it: ``[7,[1,0],"m1"]`` and ``[7,[0,1],"left","m1"]``.
    """
    match list(line):
        case ["ended", int(number), list(scores), str(how), match]:
            whole = [int(each) if each == int(each) else each for each in scores]
            unusual = [] if how == _usual_end(whole) else [how]
            return to_json([number, whole, *unusual, match])
    return to_json(list(line))


def _line(text: str) -> Line:
    """Return the line that is kept as a text; older versions kept the ends of games as a whole."""
    match json.loads(text):
        case [int(number), list(scores), *how, match]:
            return ["ended", number, scores, *(how or [_usual_end(scores)]), match]
        case [*line]:
            return line
        case other:
            return [other]  # which no version reads


def _usual_end(scores: Sequence[float]) -> str:
    return "won" if 1 in scores else "drawn"


class TournamentKeeper:
    """The tournaments of an account, and the results that it set (accounts.keepers.Keeper).

    The entries of players belong to the matches (archive.tables.MatchTables.forget_player).
    """

    columns: ClassVar = {"tournaments": ("owner",), "tournament_lines": ("line",)}

    def __init__(self, database: Database) -> None:
        self._execute, self._transaction = database.execute, database.transaction

    def export(self, name: str) -> Mapping[str, object]:
        """Return the ids of the tournaments that the account made, and of those it entered."""
        made = self._execute("SELECT id FROM tournaments WHERE owner = ? ORDER BY made", (name,))
        entered = sorted({each for each, _, _ in self._lines("entered", 1, name)})
        found = {"made": [each for (each,) in made.fetchall()], "entered": entered}
        return found if any(found.values()) else {}

    def remove(self, name: str) -> None:
        """Put "deleted" in place of the name."""
        with self._transaction():
            change = "UPDATE tournaments SET owner = ? WHERE owner = ?"
            self._execute(change, (DELETED, name))
            for tournament, number, line in self._lines("set", 3, name):
                self._execute(
                    "UPDATE tournament_lines SET line = ? WHERE tournament = ? AND number = ?",
                    (to_json([*line[:3], DELETED, *line[4:]]), tournament, number),
                )

    def _lines(self, kind: str, place: int, name: str) -> list[tuple[str, int, Line]]:
        """Return the lines of a kind with the name at a place: tournament, number, line."""
        found = self._execute(
            "SELECT tournament, number, line FROM tournament_lines WHERE line LIKE ?",
            (f'["{kind}",%',),
        )
        lines = [(each, number, _line(text)) for each, number, text in found.fetchall()]
        return [each for each in lines if each[2][place : place + 1] == [name]]
