"""Which accounts XMPP users play as: links of bare addresses with accounts.

A room asks for the account of a person while it handles a stanza, so all links are in memory. The
database decides. Each change is first there, then in memory. Another process with the same database
can change it, too, so :meth:`Links.look` reads all links again when their number or the time of the
newest one is another.

A domain can get another owner, who then has all of its addresses. Therefore a link that wasn't used
for a year ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, NamedTuple

from tictac.archive.match import utc_text
from tictac.storage.database import Database
from tictac.storage.store import Stored, reading

MOST_LINKS = 5
"""Maximum addresses of an account."""

DAY = 86_400
"""Seconds; the time of the last use of a link is that exact."""


class Link(NamedTuple):
    """The link of a bare address with the account ``name``; times are seconds since 1970."""

    jid: str
    name: str
    linked: int
    used: int


class LinkTables:
    """The links of all accounts."""

    def __init__(self, database: Database) -> None:
        self._execute, self._transaction = database.execute, database.transaction

    @reading
    def all(self) -> list[Link]:
        """Return all links."""
        rows = self._execute("SELECT jid, name, linked, used FROM xmpp_links").fetchall()
        return [Link(*row) for row in rows]

    @reading
    def state(self) -> tuple[int, int]:
        """Return the number of links, and when the newest one was made."""
        row = self._execute("SELECT COUNT(*), MAX(linked) FROM xmpp_links").fetchone()
        return row[0], row[1] or 0

    @reading
    def of(self, name: str) -> list[Link]:
        """Return the links of an account, the oldest first."""
        rows = self._execute(
            "SELECT jid, name, linked, used FROM xmpp_links WHERE name = ? ORDER BY linked, jid",
            (name,),
        )
        return [Link(*row) for row in rows.fetchall()]

    def put(self, link: Link) -> bool:
        """Add a link in place of any of its address.

        Return whether there is such an account, and it doesn't have too many.
        """
        with self._transaction():
            # Another connection of the account waits here.
            touched = self._execute("UPDATE users SET name = name WHERE name = ?", (link.name,))
            others = [each for each in self.of(link.name) if each.jid != link.jid]
            if touched.rowcount != 1 or len(others) >= MOST_LINKS:
                return False
            self._execute(
                "INSERT INTO xmpp_links (jid, name, linked, used) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (jid) DO UPDATE SET"
                " name = excluded.name, linked = excluded.linked, used = excluded.used",
                link,
            )
        return True

    def drop(self, jid: str, name: str) -> bool:
        """Remove a link; return whether there was one."""
        gone = "DELETE FROM xmpp_links WHERE jid = ? AND name = ?"
        return bool(self._execute(gone, (jid, name)).rowcount)

    def touch(self, jid: str, now: int) -> None:
        """Note the use of a link."""
        self._execute("UPDATE xmpp_links SET used = ? WHERE jid = ?", (now, jid))

    def prune(self, before: int) -> None:
        """Remove links that weren't used since a time."""
        self._execute("DELETE FROM xmpp_links WHERE used < ?", (before,))


class LinkKeeper:
    """The links of an account, for its export and its removal.

    ``columns`` are those with names of accounts, by table. The schema removes the links with the
    account.
    """

    columns: ClassVar = {"xmpp_links": ("name",)}

    def __init__(self, database: Database) -> None:
        self._tables, self._execute = LinkTables(database), database.execute

    def export(self, name: str) -> Mapping[str, object]:
        """Return the addresses, and when they were linked and used (UTC)."""
        links = [
            {"jid": link.jid, "linked": utc_text(link.linked), "used": utc_text(link.used)}
            for link in self._tables.of(name)
        ]
        return {"addresses": links} if links else {}

    def remove(self, name: str) -> None:
        """Delete the links."""
        self._execute("DELETE FROM xmpp_links WHERE name = ?", (name,))


class Links:
    """The links in memory. ``utc`` is the time of day.

    ``ended`` gets an address and the account that it doesn't have any more. Unused links end after
    ``days`` (0: never).
    """

    def __init__(
        self, tables: Stored[LinkTables], utc: Callable[[], float], days: int = 365
    ) -> None:
        self.ended: list[Callable[[str, str], object]] = []
        self._tables, self._utc, self._days = tables, utc, days
        self._links: dict[str, Link] = {}
        self._of: dict[str, dict[str, None]] = {}  # the addresses of each account
        self._state = 0, 0

    def account_of(self, person: str) -> str:
        """Return the account of a bare address, or an empty text."""
        link = self._links.get(person)
        return "" if link is None else link.name

    def addresses_of(self, name: str) -> list[str]:
        """Return the addresses of an account."""
        return list(self._of.get(name, ()))

    def note_use(self, person: str) -> None:
        """Note that a person does something: the link stays for another year."""
        link, now = self._links.get(person), int(self._utc())
        if link is not None and not now - DAY < link.used <= now:
            self._links[person] = link._replace(used=now)
            self._tables.ask(LinkTables.touch, person, now).addErrback(lambda _: None)

    async def look(self) -> None:
        """Read the links, if they have changed; end links without a use for too long.

        Raises the store's errors.
        """
        if self._days:
            before = int(self._utc()) - self._days * DAY
            await self._tables.ask(LinkTables.prune, before)
        state = await self._tables.ask(LinkTables.state)
        if state == self._state:
            return
        found = await self._tables.ask(LinkTables.all)
        self._state = state
        known, self._links, self._of = self._links, {}, {}
        for link in found:
            self._know(link)
        for link in known.values():
            if self.account_of(link.jid) != link.name:
                self._end(link)

    async def add(self, jid: str, name: str) -> bool:
        """Link an address with an account; return False for too many, or without the account.

        Raises the store's errors.
        """
        now = int(self._utc())
        link = Link(jid, name, now, now)
        if not await self._tables.ask(LinkTables.put, link):
            return False
        before = self._links.pop(jid, None)
        if before is not None:
            self._drop(before)
        self._know(link)
        if before is not None and before.name != name:
            self._end(before)
        return True

    async def drop(self, jid: str, name: str) -> bool:
        """End the link of an address; return whether there was one. Raises the store's errors."""
        found = await self._tables.ask(LinkTables.drop, jid, name)
        self._forget(jid, name)
        return found

    def account_removed(self, name: str) -> None:
        """Note that an account is removed, with its links."""
        for jid in self.addresses_of(name):
            self._forget(jid, name)

    def _forget(self, jid: str, name: str) -> None:
        link = self._links.get(jid)
        if link is not None and link.name == name:
            del self._links[jid]
            self._drop(link)
            self._end(link)

    def _know(self, link: Link) -> None:
        self._links[link.jid] = link
        self._of.setdefault(link.name, {})[link.jid] = None

    def _drop(self, link: Link) -> None:
        theirs = self._of[link.name]
        del theirs[link.jid]
        if not theirs:
            del self._of[link.name]

    def _end(self, link: Link) -> None:
        for ended in self.ended:
            ended(link.jid, link.name)
