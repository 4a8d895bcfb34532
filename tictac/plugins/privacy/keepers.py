"""The keepers of the tables of the core, and all keepers together (accounts/keepers.py)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from tictac.accounts.keepers import KEEPERS, Keeper, remove
from tictac.accounts.tables import AccountTables, TokenTables
from tictac.archive.match import utc_text
from tictac.archive.tables import MatchTables
from tictac.errors import AccountRemoved
from tictac.ratings.tables import RatingTables
from tictac.storage.database import Database
from tictac.storage.store import reading

MOST_POINTS = 100_000
"""Maximum rated matches in an export."""

Kept = Mapping[str, object]


class AccountKeeper:
    """The account itself (Keeper). :meth:`AccountTables.remove` removes it."""

    columns: ClassVar = {
        "users": ("name", "group_name"), "taken_names": ("name",), "tokens": ("name",),
        "bans": ("name",), "ended_logins": ("name",),
    }  # fmt: skip

    def __init__(self, database: Database) -> None:
        self._database = database

    def export(self, name: str) -> Kept:
        """Return the account without its password, and the ends of its tokens."""
        account = AccountTables(self._database).get(name)
        if account is None:
            return {}
        ends = "SELECT expires FROM tokens WHERE name = ? ORDER BY expires"
        tokens = [utc_text(each) for (each,) in self._database.execute(ends, (name,)).fetchall()]
        return {"name": name, "group": account.group, "admin": account.admin, "tokens": tokens}

    def remove(self, name: str) -> None:
        """End all tokens."""
        TokenTables(self._database).end(name, None)


class RatingKeeper:
    """The ratings of an account (Keeper)."""

    columns: ClassVar = dict.fromkeys(("ratings", "rating_points", "rating_aborts"), ("player",))

    def __init__(self, database: Database) -> None:
        self._tables = RatingTables(database)

    def export(self, name: str) -> Kept:
        """Return the ratings and last results by game, and the ratings after counted matches."""
        points, standings = self._tables.history(name, MOST_POINTS), self._tables.standings(name)
        now = {each.game: round(each.rating.rating) for each in standings}
        last = {each.game: each.last for each in standings if each.last}
        after = [
            {"game": each.game, "match": each.match_id, "rating": round(each.rating)}
            for each in points
        ]
        return {"now": now, "last": last, "after": after} if now or after else {}

    def remove(self, name: str) -> None:
        """Delete the ratings."""
        self._tables.forget(name)


class MatchKeeper:
    """Finished matches, and the entries of tournaments (Keeper).

    An export has the ids of the matches: a player asks for each match.
    """

    columns: ClassVar = {
        "matches": ("content",), "match_players": ("player",), "tournament_lines": ("line",),
    }  # fmt: skip

    def __init__(self, database: Database) -> None:
        self._database = database

    def export(self, name: str) -> Kept:
        """Return the ids of all matches, the last to end first."""
        found = self._database.execute(
            "SELECT m.id FROM match_players p JOIN matches m ON m.number = p.match"
            " WHERE p.player = ? AND p.account = 1 ORDER BY p.ended DESC, p.match DESC",
            (name,),
        )
        ids = [match_id for (match_id,) in found.fetchall()]
        return {"ids": ids} if ids else {}

    def remove(self, name: str) -> None:
        """Put "deleted" in place of the name."""
        MatchTables(self._database).forget_player(name)


class KeptTables:
    """Everything that the keepers have of accounts."""

    def __init__(self, database: Database) -> None:
        self._database, self._execute = database, database.execute

    def _keepers(self) -> Iterator[tuple[str, Keeper]]:
        for name, make in KEEPERS.all():
            yield name, make(self._database)

    @reading
    def export(self, name: str) -> dict[str, dict[str, object]]:
        """Return the data of an account, by the names of keepers."""
        found = {each: keeper.export(name) for each, keeper in self._keepers()}
        return {each: dict(kept) for each, kept in found.items() if kept}

    def remove(self, name: str) -> None:
        """Remove an account, and all its data. Raises NoSuchUser at the end."""
        remove(self._database, name)

    @reading
    def removed(self) -> list[str]:
        """Return the names of removed accounts that :meth:`finish` hasn't forgotten."""
        found = "SELECT DISTINCT name FROM ended_logins WHERE why = ? AND name <> ''"
        names = self._execute(found, (AccountRemoved.code,)).fetchall()
        return sorted(name for (name,) in names)

    def finish(self, name: str) -> None:
        """Remove later data of a removed account, such as its last match; and its name.

        If a new account has the name, this forgets only the removal of the old account.
        """
        forget = "UPDATE ended_logins SET name = '' WHERE name = ?"
        if AccountTables(self._database).get(name) is not None:
            self._execute(f"{forget} AND why = ?", (name, AccountRemoved.code))
            return
        for _, keeper in self._keepers():
            keeper.remove(name)
        self._execute(forget, (name,))
