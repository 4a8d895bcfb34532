"""The SQL of accounts, ended logins, bans, and tokens, for every database."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from tictac.accounts.bans import Ban
from tictac.errors import AccountRemoved, Banned, NoSuchUser, UserExists, visible
from tictac.names import caseless, folded
from tictac.ratings.tables import RatingTables
from tictac.storage.database import Cursor, Database
from tictac.storage.store import reading

KEPT_ENDED = 10_000
"""Ended logins to keep for servers: more than occur between two checks."""

WORTH_WRITING = 3600
"""Minimum change, in seconds, before a new end of a token is written. Frequent logins, or many
logins after a restart, only read."""

_ACCOUNT = "SELECT name, password_hash, group_name, admin FROM users"

_TOUCH = "UPDATE users SET name = name WHERE name = ?"


@dataclass(frozen=True, slots=True)
class Account:
    """A user: a valid name (:func:`~tictac.names.check_user_name`), and a group, if any.

    The bcrypt hash (60 ASCII characters) stays out of `repr()` and so out of logs.
    """

    name: str
    password_hash: str = field(repr=False)
    group: str = ""
    admin: bool = False
    """Whether the account is an admin."""


class Changes(NamedTuple):
    """Account changes by any process.

    ``last`` is the number of the latest change. ``ended`` are accounts whose connections must
    close, each with an error code as the reason. ``bans`` are all bans; None: unchanged.
    """

    last: int
    ended: list[tuple[str, str]]
    bans: list[Ban] | None


class AccountTables:
    """Accounts by name.

    A look-up needs the exact characters of a name. But new names that differ from another only in
    case are refused, whichever program writes to the database. Doubles from before that rule stay.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._execute, self._transaction = database.execute, database.transaction

    @reading
    def get(self, name: str) -> Account | None:
        """Return the account called `name`; None if no account has that name."""
        row = self._execute(f"{_ACCOUNT} WHERE name = ?", (name,)).fetchone()
        return _account(row) if row else None

    def all(self, group: str | None = None) -> list[Account]:
        """Return all accounts, or those of a group, in the order of their names' characters."""
        of_group = ("", ()) if group is None else (" WHERE group_name = ?", (group,))
        rows = self._execute(_ACCOUNT + of_group[0], of_group[1]).fetchall()
        # Sorted here, because each database has its own order of texts.
        return [_account(row) for row in sorted(rows)]

    def is_taken(self, name: str) -> bool:
        """Return whether an account called `name` exists, in any spelling."""
        taken = "SELECT 1 FROM taken_names WHERE name IN (?, ?)"
        return self._execute(taken, (folded(name), caseless(name))).fetchone() is not None

    def add(self, account: Account) -> None:
        """Save a new account.

        Raises UserExists if the name is taken in any spelling; the existing account stays
        unchanged.
        """
        try:
            self.add_many([account])
        except UserExists:
            # The salt in the hash is random: no other account has the same hash.
            if not (self._database.unsure and self.get(account.name) == account):
                raise

    def add_many(self, accounts: Iterable[Account]) -> None:
        """Save all of these new accounts, or none of them.

        Their names can differ from one another only in case: a database from elsewhere can have
        such doubles. Raises UserExists with the name if one is taken, or two are the same.
        """
        new: set[str] = set()
        with self._transaction():
            for account in accounts:
                # An account from before there was `folded` has its other spelling alone.
                for name in sorted({folded(account.name), caseless(account.name)} - new):
                    self._insert("INSERT INTO taken_names (name) VALUES (?)", account, name)
                    new.add(name)
                self._insert(
                    "INSERT INTO users (name, password_hash, group_name, admin)"
                    " VALUES (?, ?, ?, ?)",
                    account,
                    account.name,
                    account.password_hash,
                    account.group,
                    int(account.admin),
                )

    def replace_hash(self, name: str, old: str, new: str) -> bool:
        """Replace the hash of `name` in one step if it is still `old`; return whether it was.

        So a renewal in the background never undoes a password change made meanwhile.
        """
        changed = self._execute(
            "UPDATE users SET password_hash = ? WHERE name = ? AND password_hash = ?",
            (new, name, old),
        )
        if changed.rowcount == 1 or not self._database.unsure:
            return changed.rowcount == 1
        account = self.get(name)
        return account is not None and account.password_hash == new

    def set_hash(self, name: str, new: str) -> None:
        """Give `name` the hash `new`, and end all its tokens. Raises NoSuchUser."""
        change = "UPDATE users SET password_hash = ? WHERE name = ?"
        with self._transaction():
            _require_one(self._execute(change, (new, name)), name)
            TokenTables(self._database).end(name, None)

    def set_group(self, name: str, group: str) -> None:
        """Put `name` into a group; empty: into none. Raises NoSuchUser."""
        change = "UPDATE users SET group_name = ? WHERE name = ?"
        _require_one(self._execute(change, (group, name)), name)

    def set_admin(self, name: str, admin: bool) -> None:
        """Make `name` an admin, or revoke that. Raises NoSuchUser."""
        change = "UPDATE users SET admin = ? WHERE name = ?"
        _require_one(self._execute(change, (int(admin), name)), name)

    def remove(self, name: str) -> None:
        """Remove the account called `name`, and close its connections. Raises NoSuchUser."""
        free = "DELETE FROM taken_names WHERE name IN (?, ?)"
        spellings = folded(name), caseless(name)
        with self._transaction():
            # A process that removes a double at the same moment waits here, then sees this removal.
            self._execute("UPDATE taken_names SET name = name WHERE name IN (?, ?)", spellings)
            _require_one(self._execute("DELETE FROM users WHERE name = ?", (name,)), name)
            TokenTables(self._database).end(name, None)
            RatingTables(self._database).forget(name)
            self._execute("DELETE FROM bans WHERE kind = 'user' AND name = ?", (name,))
            LoginTables(self._database).note(name, AccountRemoved.code)
            if not self.spellings(name):
                self._execute(free, spellings)

    def spellings(self, name: str) -> list[str]:
        """Return the names of all accounts in a spelling of this name. It reads all names."""
        rows = self._execute("SELECT name FROM users").fetchall()
        return sorted(other for (other,) in rows if folded(other) == folded(name))

    def _insert(self, statement: str, account: Account, *values: str | int) -> None:
        try:
            self._execute(statement, values)
        except self._database.taken:
            raise UserExists(f"there is a user {account.name} already") from None


class LoginTables:
    """Ended logins and bans by any process, for the servers to read."""

    def __init__(self, database: Database) -> None:
        self._execute, self._transaction = database.execute, database.transaction

    @reading
    def changes(self, since: int) -> Changes:
        """Return the changes after the number `since`; below 0, only the bans."""
        last: int = self._execute("SELECT number FROM last_ended_login").fetchone()[0]
        if last == since:
            return Changes(last, [], None)
        bans = self._execute("SELECT kind, name, until FROM bans").fetchall()
        ended = self._execute(
            "SELECT name, why FROM ended_logins WHERE number > ? AND number <= ? AND name <> ''"
            " ORDER BY number",
            (since if since >= 0 else last, last),
        ).fetchall()
        return Changes(last, [(name, why) for name, why in ended], [Ban(*row) for row in bans])

    def end(self, name: str, why: str) -> None:
        """Close the connections of an account on every server. Raises NoSuchUser."""
        with self._transaction():
            _require_one(self._execute(_TOUCH, (name,)), name)
            self.note(name, why)

    def ban(self, ban: Ban, now: int) -> None:
        """Replace the ban of an account or address; drop bans ended by `now`. Raises NoSuchUser."""
        with self._transaction():
            self._execute("DELETE FROM bans WHERE until <> 0 AND until <= ?", (now,))
            if ban.kind == "user":
                _require_one(self._execute(_TOUCH, (ban.name,)), ban.name)
            self._execute(
                "INSERT INTO bans (kind, name, until) VALUES (?, ?, ?)"
                " ON CONFLICT (kind, name) DO UPDATE SET until = excluded.until",
                ban,
            )
            self.note(ban.name if ban.kind == "user" else "", Banned.code)

    def unban(self, kind: str, name: str) -> bool:
        """End a ban; return whether it existed."""
        with self._transaction():
            end = "DELETE FROM bans WHERE kind = ? AND name = ?"
            found = self._execute(end, (kind, name)).rowcount == 1
            self.note("", "")
        return found

    def note(self, name: str, why: str) -> None:
        """Have all servers close connections of `name`, in an open transaction; empty: see bans."""
        self._execute("UPDATE last_ended_login SET number = number + 1")
        last = "SELECT number FROM last_ended_login"
        self._execute(
            f"INSERT INTO ended_logins (number, name, why) SELECT number, ?, ? FROM ({last}) AS it",
            (name, why),
        )
        self._execute(f"DELETE FROM ended_logins WHERE number <= ({last}) - ?", (KEPT_ENDED,))


class TokenTables:
    """Tokens (tictac/accounts/tokens.py) by their hashes. Times are seconds since 1970.

    All tokens of an account also end when its password changes or the account is removed.
    """

    def __init__(self, database: Database) -> None:
        self._execute, self._transaction = database.execute, database.transaction

    def add(self, account: Account, token: str, expires: int, now: int, most: int) -> bool:
        """Save a token of an account, and delete all that ended by `now`; return whether saved.

        If the account then has more than `most` (0: no limit), the first to end goes. False if no
        such account exists, or its password hash has changed.
        """
        self._execute("DELETE FROM tokens WHERE expires <= ?", (now,))
        with self._transaction():
            # A concurrent password change waits for this transaction, or the other way around.
            lock = "UPDATE users SET name = name WHERE name = ? AND password_hash = ?"
            if self._execute(lock, (account.name, account.password_hash)).rowcount != 1:
                return False
            self._execute(
                "INSERT INTO tokens (hash, name, expires) VALUES (?, ?, ?)"
                " ON CONFLICT (hash) DO NOTHING",  # saved before, with its answer lost
                (token, account.name, expires),
            )
            if most:  # SQLite takes no OFFSET without a LIMIT
                self._execute(
                    "DELETE FROM tokens WHERE hash IN (SELECT hash FROM tokens WHERE name = ?"
                    " AND hash <> ? ORDER BY expires DESC, hash LIMIT 1000 OFFSET ?)",
                    (account.name, token, most - 1),
                )
        return True

    def use(self, name: str, token: str, now: int, expires: int) -> bool:
        """Return whether this token of `name` is in force; if so, extend it to `expires`."""
        mine = "name = ? AND hash = ? AND expires > ?"
        found = self._execute(f"SELECT expires FROM tokens WHERE {mine}", (name, token, now))
        ends = found.fetchone()
        if ends is not None and expires - ends[0] >= WORTH_WRITING:
            later = f"UPDATE tokens SET expires = ? WHERE {mine}"
            return self._execute(later, (expires, name, token, now)).rowcount == 1
        return ends is not None

    def end(self, name: str, token: str | None) -> int:
        """Delete a token of `name`, or all if None; return the number."""
        end = "DELETE FROM tokens WHERE name = ?"
        if token is None:
            return self._execute(end, (name,)).rowcount
        return self._execute(f"{end} AND hash = ?", (name, token)).rowcount


def _require_one(changed: Cursor, name: str) -> None:
    if changed.rowcount != 1:
        raise NoSuchUser(f"there is no user '{visible(name)}'")


def _account(row: tuple[str, str, str, int]) -> Account:
    name, password_hash, group, admin = row
    return Account(name, password_hash, group, bool(admin))
