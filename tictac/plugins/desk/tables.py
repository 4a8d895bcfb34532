"""The tables of the desk (storage/schema: desk), in the database of the accounts."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping, Sequence
from secrets import token_urlsafe
from typing import ClassVar, Literal, NamedTuple

from tictac.accounts.passwords import MIN_COST, hash_password
from tictac.accounts.tables import Account, AccountTables
from tictac.archive.match import utc_text
from tictac.archive.tables import MatchTables
from tictac.errors import BadCode, NoSuchUser, visible
from tictac.plugins.desk.codes import MOST_TRIES, SELECTS, code_hash, new_code
from tictac.plugins.desk.refusals import GroupFull, NoSuchPupil, NoSuchRule, TooManyRules
from tictac.plugins.desk.rules import Played, played_at
from tictac.storage.database import Database
from tictac.storage.store import reading

Kind = Literal["slip", "pair"]

MOST_RULES = 20
"""Maximum rules of a group."""

BATCH = 200
"""Maximum matches of a pupil that are read together."""

WRONG = "that isn't a code of this server, or its time is over"


class Pupil(NamedTuple):
    """An account of a group; ``seen`` is its last login, and None means that there was none.

    ``special`` is an admin or a teacher, whose password no teacher sets.
    """

    name: str
    seen: int | None
    special: bool


class RuleRow(NamedTuple):
    """A rule of a group: matches from ``since`` on count, in seconds since 1970."""

    number: int
    title: str
    rule: str
    since: int


class DeskTables:
    """Teachers, codes, rules, and last logins."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._execute, self._transaction = database.execute, database.transaction
        self._matches = MatchTables(database)

    # Teachers

    @reading
    def groups_of(self, name: str) -> list[str]:
        """Return the groups that an account teaches."""
        found = self._execute("SELECT group_name FROM teachers WHERE name = ?", (name,))
        return sorted(group for (group,) in found.fetchall())

    @reading
    def groups(self) -> list[str]:
        """Return all groups that have an account."""
        found = "SELECT DISTINCT group_name FROM users WHERE group_name <> ''"
        return sorted(group for (group,) in self._execute(found).fetchall())

    @reading
    def teachers(self) -> dict[str, list[str]]:
        """Return the groups of each teacher."""
        found: dict[str, list[str]] = {}
        rows = self._execute("SELECT name, group_name FROM teachers").fetchall()
        for name, group in sorted(tuple(row) for row in rows):
            found.setdefault(name, []).append(group)
        return found

    def set_teacher(self, name: str, group: str, teaches: bool) -> None:
        """Make an account the teacher of a group, or end that. Raises NoSuchUser."""
        with self._transaction():
            touch = "UPDATE users SET name = name WHERE name = ?"
            if self._execute(touch, (name,)).rowcount != 1:
                raise NoSuchUser(f"there is no user '{visible(name)}'")
            self._execute("DELETE FROM teachers WHERE name = ? AND group_name = ?", (name, group))
            if teaches:
                insert = "INSERT INTO teachers (name, group_name) VALUES (?, ?)"
                self._execute(insert, (name, group))

    # Pupils

    @reading
    def pupils(self, group: str) -> list[Pupil]:
        """Return the accounts of a group, by name; without the group's own teachers."""
        rows = self._execute(
            "SELECT u.name, l.seen, u.admin, (SELECT COUNT(*) FROM teachers t WHERE t.name = u.name"
            " AND t.group_name = u.group_name), (SELECT COUNT(*) FROM teachers t"
            " WHERE t.name = u.name) FROM users u LEFT JOIN last_logins l ON l.name = u.name"
            " WHERE u.group_name = ?",
            (group,),
        ).fetchall()
        found = [
            Pupil(name, seen, bool(admin or teaches))
            for name, seen, admin, own, teaches in rows
            if not own
        ]
        return sorted(found, key=lambda each: each.name.casefold())

    def add(self, group: str, names: Sequence[str], most: int) -> None:
        """Add accounts, all or none. Raises UserExists, or GroupFull.

        Only a slip lets them in, because no one knows their passwords.
        """
        secrets = [(name, token_urlsafe(32).encode()) for name in names]
        accounts = [Account(name, hash_password(each, MIN_COST), group) for name, each in secrets]
        count = "SELECT COUNT(*) FROM users WHERE group_name = ?"
        if self._execute(count, (group,)).fetchone()[0] + len(accounts) > most:
            raise GroupFull(f"a group has at most {most} accounts")
        AccountTables(self._database).add_many(accounts)

    def note(self, seen: Mapping[str, int]) -> None:
        """Note the last logins of accounts that have a group."""
        with self._transaction():
            for name, at in sorted(seen.items()):
                self._execute(
                    "INSERT INTO last_logins (name, seen) SELECT name, ? FROM users"
                    " WHERE name = ? AND group_name <> ''"
                    " ON CONFLICT (name) DO UPDATE SET seen = excluded.seen",
                    (at, name),
                )

    @reading
    def played_since(self, names: Iterable[str], since: int) -> dict[str, int]:
        """Return how many matches of each account ended since then, in milliseconds."""
        count = "SELECT COUNT(*) FROM match_players WHERE player = ? AND account = 1 AND ended >= ?"
        return {name: self._execute(count, (name, since)).fetchone()[0] for name in names}

    @reading
    def played(self, game: str, places: Mapping[str, tuple[int, int]]) -> dict[str, list[Played]]:
        """Return the next matches of each account after a place."""
        ask = self._matches.played
        return {
            name: [played_at(*each) for each in ask(name, game, after, BATCH)]
            for name, after in places.items()
        }

    @reading
    def ladders(self, tournaments: Iterable[str]) -> set[str]:
        """Return which of these tournaments are those of a ladder."""
        query = "SELECT 1 FROM series_tournaments WHERE tournament = ?"
        return {each for each in tournaments if self._execute(query, (each,)).fetchone()}

    @reading
    def ratings(self, game: str, names: Iterable[str]) -> dict[str, int]:
        """Return the ratings of accounts in a game, if they have one."""
        query = "SELECT rating FROM ratings WHERE game = ? AND player = ?"
        found = {name: self._execute(query, (game, name)).fetchone() for name in names}
        return {name: int(row[0]) for name, row in found.items() if row is not None}

    # Codes

    def make_code(self, name: str, kind: Kind, now: int, ends: int) -> str:
        """Return a new code of an account, in place of its last one of this kind.

        Raises NoSuchUser.
        """
        code = new_code()
        hashed = code_hash(code)
        with self._transaction():
            self._execute("DELETE FROM login_codes WHERE ends <= ?", (now,))
            self._execute("DELETE FROM login_codes WHERE name = ? AND kind = ?", (name, kind))
            self._execute("DELETE FROM login_codes WHERE selector = ?", (code[:SELECTS],))
            made = self._execute(
                "INSERT INTO login_codes (selector, hash, name, kind, ends, tries)"
                " SELECT ?, ?, name, ?, ?, 0 FROM users WHERE name = ?",
                (code[:SELECTS], hashed, kind, ends, name),
            )
            if made.rowcount != 1:
                raise NoSuchUser(f"there is no user '{visible(name)}'")
        return code

    def make_slips(
        self, group: str, names: Sequence[str], by_admin: bool, now: int, ends: int
    ) -> dict[str, str]:
        """Return a new slip's code for each account of a group. Raises NoSuchPupil."""
        pupils = {each.name: each for each in self.pupils(group)}
        for name in names:
            if name not in pupils:
                raise NoSuchPupil(f"{visible(name):.40} isn't in the group {group}")
            if pupils[name].special and not by_admin:
                raise NoSuchPupil(f"only an admin can set the password of {name}")
        return {name: self.make_code(name, "slip", now, ends) for name in names}

    def check_code(self, code: str, now: int) -> tuple[str, Kind]:
        """Return the account and the kind of a code, and count a wrong attempt. Raises BadCode."""
        query = "SELECT hash, name, kind FROM login_codes WHERE selector = ? AND ends > ?"
        row = self._execute(query, (code[:SELECTS], now)).fetchone()
        if row is None:
            raise BadCode(WRONG)
        hashed, name, kind = row
        if not hmac.compare_digest(hashed, code_hash(code)):
            with self._transaction():
                more = "UPDATE login_codes SET tries = tries + 1 WHERE selector = ?"
                self._execute(more, (code[:SELECTS],))
                over = "DELETE FROM login_codes WHERE selector = ? AND tries >= ?"
                self._execute(over, (code[:SELECTS], MOST_TRIES))
            raise BadCode(WRONG)
        return name, kind

    def spend_code(self, code: str, name: str, kind: Kind) -> None:
        """Delete a code that was right; a slip ends all codes of its account. Raises BadCode."""
        with self._transaction():
            used = "DELETE FROM login_codes WHERE selector = ? AND name = ?"
            if self._execute(used, (code[:SELECTS], name)).rowcount != 1:
                raise BadCode(WRONG)  # another connection was faster
            if kind == "slip":
                self._execute("DELETE FROM login_codes WHERE name = ?", (name,))

    # Rules

    @reading
    def rules(self, group: str) -> list[RuleRow]:
        """Return the rules of a group, the oldest first."""
        found = self._execute(
            "SELECT number, title, rule, since FROM mark_rules WHERE group_name = ?"
            " ORDER BY number",
            (group,),
        )
        return [RuleRow(*row) for row in found.fetchall()]

    def add_rule(self, group: str, title: str, rule: str, since: int) -> int:
        """Add a rule under the next number, which is returned. Raises TooManyRules."""
        with self._transaction():
            rules = self.rules(group)
            if len(rules) >= MOST_RULES:
                raise TooManyRules(f"a group has at most {MOST_RULES} rules")
            number = max((each.number for each in rules), default=0) + 1
            self._execute(
                "INSERT INTO mark_rules (group_name, number, title, rule, since)"
                " VALUES (?, ?, ?, ?, ?)",
                (group, number, title, rule, since),
            )
        return number

    def drop_rule(self, group: str, number: int) -> None:
        """Delete a rule. Raises NoSuchRule."""
        drop = "DELETE FROM mark_rules WHERE group_name = ? AND number = ?"
        if self._execute(drop, (group, number)).rowcount != 1:
            raise NoSuchRule(f"the group {group} has no rule {number}")


class DeskKeeper:
    """The rows of the desk for an account (accounts.keepers.Keeper); it goes with the account."""

    columns: ClassVar = {"teachers": ("name",), "last_logins": ("name",), "login_codes": ("name",)}

    def __init__(self, database: Database) -> None:
        self._database, self._tables = database, DeskTables(database)

    def export(self, name: str) -> Mapping[str, object]:
        """Return the groups that the account teaches, and its last login."""
        groups = self._tables.groups_of(name)
        found: dict[str, object] = {"teaches": groups} if groups else {}
        seen = "SELECT seen FROM last_logins WHERE name = ?"
        for (at,) in self._database.execute(seen, (name,)).fetchall():
            found["last_login"] = utc_text(at)
        return found

    def remove(self, name: str) -> None:
        """Delete the rows of the account."""
        with self._database.transaction():
            for table in self.columns:
                self._database.execute(f"DELETE FROM {table} WHERE name = ?", (name,))
