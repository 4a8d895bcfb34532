"""What the server keeps of an account, for its export and its removal.

Each plug-in whose tables have names of accounts has a *keeper*: tables (tictac/storage/store.py)
that export what is there about an account, and remove it. A test compares the columns of all
keepers with the schema, so that a new table can't be forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, ClassVar, Protocol, cast

from tictac.accounts.tables import AccountTables, LoginTables, TokenTables
from tictac.archive.match import utc_text
from tictac.archive.tables import MatchTables
from tictac.errors import AccountRemoved
from tictac.plugin import Added
from tictac.ratings.tables import RatingTables
from tictac.storage.database import Database
from tictac.storage.store import reading


class Keeper(Protocol):
    """The tables of a plug-in that have names of accounts."""

    columns: ClassVar[Mapping[str, Collection[str]]]
    """The columns that can have a name, by table."""

    def export(self, name: str) -> Mapping[str, Any]:
        """Return what is kept of an account, as JSON; empty: nothing."""

    def remove(self, name: str) -> None:
        """Delete it, or put "deleted" in place of the name, in short transactions.

        Nothing happens if nothing is there: a caller repeats this until the account is gone.
        """


KEEPERS: Added[Callable[[Database], Keeper]] = Added("keepers", "keeper")


class AccountKeeper:
    """The account itself (Keeper). :meth:`AccountTables.remove` removes it."""

    columns: ClassVar = {
        "users": ("name", "group_name"), "taken_names": ("name",), "tokens": ("name",),
        "bans": ("name",), "ended_logins": ("name",),
    }  # fmt: skip

    def __init__(self, database: Database) -> None:
        self._accounts, self._tokens = AccountTables(database), TokenTables(database)

    def export(self, name: str) -> Mapping[str, Any]:
        account = self._accounts.get(name)
        if account is None:
            return {}
        ends = [utc_text(each) for each in self._tokens.ends(name)]
        return {"name": name, "group": account.group, "admin": account.admin, "tokens": ends}

    def remove(self, name: str) -> None:
        self._tokens.end(name, None)


class RatingKeeper:
    """The ratings of an account (Keeper)."""

    columns: ClassVar = dict.fromkeys(("ratings", "rating_points", "rating_aborts"), ("player",))

    def __init__(self, database: Database) -> None:
        self._tables = RatingTables(database)

    def export(self, name: str) -> Mapping[str, Any]:
        standings, points = self._tables.standings(name), self._tables.history(name, 100_000)
        now = {each.game: round(each.rating.rating) for each in standings}
        then = [
            {"game": each.game, "match": each.match_id, "rating": round(each.rating)}
            for each in points
        ]
        return {"now": now, "after": then} if now or then else {}

    def remove(self, name: str) -> None:
        self._tables.forget(name)


class MatchKeeper:
    """Finished matches, and the entries of tournaments (Keeper).

    An export has the number of matches: a player asks for the matches one by one.
    """

    columns: ClassVar = {
        "matches": ("content",), "match_players": ("player",), "tournament_lines": ("line",),
    }  # fmt: skip

    def __init__(self, database: Database) -> None:
        self._tables = MatchTables(database)

    def export(self, name: str) -> Mapping[str, Any]:
        return {"ids": ids} if (ids := self._tables.ids_of(name)) else {}

    def remove(self, name: str) -> None:
        self._tables.forget_player(name)


class KeptTables:
    """Everything that is kept of accounts, by all keepers."""

    def __init__(self, database: Database) -> None:
        self._database, self._logins = database, LoginTables(database)

    def _keepers(self) -> Iterator[tuple[str, Keeper]]:
        for name, make in KEEPERS.all():
            yield name, make(self._database)

    @reading
    def export(self, name: str) -> dict[str, Any]:
        """Return what is kept of an account, by the names of keepers."""
        found = {each: keeper.export(name) for each, keeper in self._keepers()}
        return {each: dict(kept) for each, kept in found.items() if kept}

    def remove(self, name: str) -> None:
        """Remove an account, and all that is kept of it. Raises NoSuchUser at the end."""
        # The account comes last, so that a caller that was killed can repeat this.
        self.forget(name)
        AccountTables(self._database).remove(name)

    def forget(self, name: str) -> None:
        """Remove what is kept of an account, except the account."""
        for _, keeper in self._keepers():
            keeper.remove(name)

    @reading
    def removed(self) -> list[str]:
        """Return the names of removed accounts that :meth:`finish` hasn't seen."""
        return self._logins.names_of(AccountRemoved.code)

    def finish(self, name: str) -> None:
        """Remove what came after the removal of an account, such as its last match; and its name.

        If there is a new account of that name, only the name of the old one is removed.
        """
        if AccountTables(self._database).get(name) is not None:
            self._logins.forget(name, AccountRemoved.code)
            return
        self.forget(name)
        self._logins.forget(name)


def columns_of_keepers() -> dict[str, set[str]]:
    """Return the columns of all keepers by table."""
    found: dict[str, set[str]] = {}
    for _, make in KEEPERS.all():
        for table, columns in cast(type[Keeper], make).columns.items():
            found.setdefault(table, set()).update(columns)
    return found
