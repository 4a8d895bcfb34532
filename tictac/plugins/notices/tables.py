"""The tables of notices, in the database of the accounts (storage/schema/0014_notices.sql).

The outbox sends a notice at least once, and after a kill between sending and marking at most twice:

1. `add` keeps a notice for each contact, under its name. The same name again changes nothing. So an
   observer that begins again, such as after a restart, can add all that is true.
2. `take` gives all notices for an address a batch, commits that, and returns them. From then on the
   batch stays together: each attempt sends a message with the same id. Nothing else gets it for
   CLAIMED seconds.
3. The sender sends, and `done` marks. A kill in between leaves the batch as it is, and it is taken
   once more. Mailboxes and browsers recognize the id.

A clock that is set back makes rows that are from the future. Such rows are due at once, or they
would wait until the clock is there again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import ClassVar, NamedTuple, get_args

from tictac.archive.match import Match
from tictac.archive.tables import MatchTables
from tictac.names import DELETED
from tictac.plugins.notices.notices import DAY, Kind, Notice, Wishes, read_notice
from tictac.storage.database import Database
from tictac.storage.store import reading

CLAIMED = 300
"""Seconds after which a taken notice is taken again, if nothing was noted of it."""

KEPT = 16 * DAY
"""Seconds for which a sent notice is remembered: longer than any time for a move. Addresses that
were given up are remembered for as long."""

UNCONFIRMED = 2 * DAY
"""Seconds after which an unconfirmed address is forgotten."""

MOST_CONTACTS = 10
"""Maximum addresses of an account."""

_CONTACT = "id, name, channel, address, wish, added, confirmed, failed, reached"


class Contact(NamedTuple):
    """An address of an account; ``failed`` is why the server gave it up. Times: 0 is never."""

    id: str
    name: str
    channel: str
    address: str
    wish: str
    added: int
    confirmed: int
    failed: str = ""
    reached: int = 0


class Due(NamedTuple):
    """The notices of a batch, which go to one contact, after so many attempts."""

    contact: Contact
    wishes: Wishes
    batch: str
    notices: list[Notice]
    tries: int


def id_of_link(contact_id: str) -> str:
    """Return the id of the mail that confirms a contact. It doesn't contain the link."""
    return sha256(contact_id.encode()).hexdigest()[:24]


class OutboxFullError(Exception):
    """The outbox has its maximum of notices: add the notice again later."""


class NoticeTables:
    """Contacts, settings, the outbox, and keys. Times are seconds since 1970."""

    def __init__(self, database: Database) -> None:
        self._execute, self._transaction = database.execute, database.transaction
        self._matches = MatchTables(database)

    def key(self, what: str, new: str) -> str:
        """Return the key of that name, which is ``new`` at the first start."""
        self._execute(
            "INSERT INTO notice_keys (what, value) VALUES (?, ?) ON CONFLICT (what) DO NOTHING",
            (what, new),
        )
        found = self._execute("SELECT value FROM notice_keys WHERE what = ?", (what,))
        value: str = found.fetchone()[0]
        return value

    # Contacts

    @reading
    def users(self) -> set[str]:
        """Return the accounts with a confirmed contact."""
        found = self._execute("SELECT DISTINCT name FROM notice_contacts WHERE confirmed > 0")
        return {name for (name,) in found.fetchall()}

    @reading
    def contacts(self, name: str) -> list[Contact]:
        """Return the contacts of an account, the oldest first."""
        return self._contacts("name = ? ORDER BY added, id", name)

    @reading
    def contact(self, contact_id: str) -> Contact | None:
        """Return the contact with an id, which proves a right to confirm and end it."""
        return next(iter(self._contacts("id = ?", contact_id)), None)

    def _contacts(self, where: str, *values: object) -> list[Contact]:
        rows = self._execute(f"SELECT {_CONTACT} FROM notice_contacts WHERE {where}", values)
        return [Contact(*row) for row in rows.fetchall()]

    def put(self, new: Contact, asks: bool) -> Contact | None:
        """Add a contact, or change the wish of one; return it, or None if there are too many.

        A contact that the server gave up begins again. ``asks``: its owner gets a mail.
        """
        with self._transaction():
            # Another connection of the account waits here.
            touched = self._execute("UPDATE users SET name = name WHERE name = ?", (new.name,))
            theirs = self._contacts("name = ?", new.name)
            known = next((c for c in theirs if (c.channel, c.address) == new[2:4]), None)
            if known is not None:
                changed = known._replace(wish=new.wish)
                if known.failed:
                    changed = changed._replace(failed="", confirmed=new.confirmed, added=new.added)
                self._execute(
                    "UPDATE notice_contacts SET wish = ?, failed = ?, confirmed = ?, added = ?"
                    " WHERE id = ?",
                    (changed.wish, changed.failed, changed.confirmed, changed.added, known.id),
                )
                if asks and not changed.confirmed:
                    self._ask(changed, new.added)
                return changed
            if touched.rowcount != 1 or len(theirs) >= MOST_CONTACTS:
                return None
            self._execute(
                f"INSERT INTO notice_contacts ({_CONTACT}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", new
            )
            if asks:
                self._ask(new, new.added)
        return new

    def _ask(self, contact: Contact, now: int) -> None:
        self._insert(contact, Notice("confirm", "", 0, now), now, now)

    def confirm(self, contact_id: str, now: int) -> None:
        """Note that a contact's owner wants messages."""
        change = "UPDATE notice_contacts SET confirmed = ? WHERE id = ? AND confirmed = 0"
        self._execute(change, (now, contact_id))

    def drop(self, contact_id: str) -> None:
        """Remove a contact, and its notices."""
        with self._transaction():
            self._execute("DELETE FROM notices WHERE contact = ?", (contact_id,))
            self._execute("DELETE FROM notice_contacts WHERE id = ?", (contact_id,))

    def drop_address(self, channel: str, address: str, name: str | None = None) -> int:
        """Remove an address of an account (None: of all), with its notices; return their number."""
        found = self._contacts("channel = ? AND address = ?", channel, address)
        theirs = [contact for contact in found if name in (None, contact.name)]
        for contact in theirs:
            self.drop(contact.id)
        return len(theirs)

    def give_up(self, contact_id: str, why: str, now: int) -> None:
        """Send nothing more to a contact; its account reads why, until it is forgotten."""
        with self._transaction():
            self._execute("DELETE FROM notices WHERE contact = ?", (contact_id,))
            self._execute(
                "UPDATE notice_contacts SET confirmed = 0, failed = ?, added = ? WHERE id = ?",
                (why[:200], now, contact_id),
            )

    def bounced(self, message: str, why: str, now: int) -> str | None:
        """Give up the address of a mail that came back; return its account, if it is known.

        No one else knows the ids of messages.
        """
        sent = "id IN (SELECT contact FROM notices WHERE batch = ?)"
        found = self._contacts(f"channel = 'email' AND failed = '' AND {sent}", message)
        new = self._contacts("channel = 'email' AND failed = '' AND confirmed = 0")
        found += [each for each in new if id_of_link(each.id) == message]
        if not found:
            return None
        self.give_up(found[0].id, why, now)
        return found[0].name

    # Settings

    @reading
    def wishes(self, name: str) -> Wishes:
        """Return the settings of an account."""
        found = self._execute(
            "SELECT language, zone, quiet FROM notice_settings WHERE name = ?", (name,)
        ).fetchone()
        return Wishes(*found) if found else Wishes()

    def set_wishes(self, name: str, wishes: Wishes) -> None:
        """Replace the settings of an account."""
        with self._transaction():
            if self._execute("UPDATE users SET name = name WHERE name = ?", (name,)).rowcount:
                self._execute(
                    "INSERT INTO notice_settings (name, language, zone, quiet)"
                    " VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET"
                    " language = excluded.language, zone = excluded.zone, quiet = excluded.quiet",
                    (name, *wishes),
                )

    # The outbox

    def add(self, name: str, notice: Notice, now: int, most: int) -> None:
        """Add a notice for each contact of an account that wants it, unless it is there already.

        What waits about the same match, and isn't part of a message yet, gives way. Sent notices of
        earlier turns go, because these never come again. Raises OutboxFullError if ``most`` notices
        wait.
        """
        with self._transaction():
            for contact in self._contacts("name = ? AND confirmed > 0", name):
                if contact.wish == "late" and not notice.is_urgent:
                    continue
                due = now
                if contact.wish == "daily" and not notice.is_urgent and contact.reached <= now:
                    due = max(now, contact.reached + DAY)
                key = contact.id, notice.name
                known = self._execute(
                    "SELECT 1 FROM notices WHERE contact = ? AND about = ?", key
                ).fetchone()
                if known:
                    continue
                self._forget_earlier(contact.id, notice)
                if self.waiting() >= most:
                    raise OutboxFullError
                self._insert(contact, notice, now, due)

    def _forget_earlier(self, contact_id: str, notice: Notice) -> None:
        """Remove untried notices of the match, and sent notices of its earlier turns."""
        same_turn = [notice._replace(kind=kind).name for kind in get_args(Kind)]
        self._execute(
            "DELETE FROM notices WHERE contact = ? AND match = ? AND (sent = 0 AND batch = ''"
            f" OR sent > 0 AND about NOT IN ({', '.join('?' * len(same_turn))}))",
            (contact_id, notice.match, *same_turn),
        )

    def _insert(self, contact: Contact, notice: Notice, now: int, due: int) -> None:
        self._execute(
            "INSERT INTO notices (contact, about, name, channel, match, content, made, due,"
            " tries, batch, failed, sent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, '', '', 0)"
            " ON CONFLICT (contact, about) DO NOTHING",
            (contact.id, notice.name, contact.name, contact.channel, notice.match,
             notice.content(), now, due),
        )  # fmt: skip

    @reading
    def waiting(self) -> int:
        """Return the number of notices that wait."""
        found = self._execute("SELECT COUNT(*) FROM notices WHERE sent = 0").fetchone()
        return int(found[0])

    def take(self, channel: str, now: int, gap: int, batches: list[str]) -> list[Due]:
        """Return the notices of a channel that are due, with all others for their addresses.

        ``batches`` are new ids of messages; no more are returned than that. An address that got a
        message in the last ``gap`` seconds gets none.
        """
        taken = []
        with self._transaction():
            found = self._execute(
                "SELECT DISTINCT n.contact, n.batch FROM notices n"
                " JOIN notice_contacts c ON c.id = n.contact"
                " WHERE n.channel = ? AND n.sent = 0 AND (n.due <= ? OR n.made > ?)"
                " AND (c.reached <= ? OR c.reached > ?) LIMIT ?",
                (channel, now, now, now - gap, now, len(batches)),
            ).fetchall()
            for (contact_id, batch), new in zip(found, batches, strict=False):
                where = "contact = ? AND batch = ? AND sent = 0"
                rows = self._execute(
                    f"SELECT content, tries FROM notices WHERE {where} ORDER BY made, about",
                    (contact_id, batch),
                ).fetchall()
                self._execute(
                    f"UPDATE notices SET batch = ?, due = ?, made = ? WHERE {where}",
                    (batch or new, now + CLAIMED, now, contact_id, batch),
                )
                [contact] = self._contacts("id = ?", contact_id)
                taken.append(
                    Due(
                        contact,
                        self.wishes(contact.name),
                        batch or new,
                        [read_notice(content) for content, _ in rows],
                        max(tries for _, tries in rows),
                    )
                )
        return taken

    def done(self, due: Due, now: int, was_sent: bool) -> None:
        """Note that a batch was sent, or is no longer worth it."""
        with self._transaction():
            self._execute(
                "UPDATE notices SET sent = ?, failed = '' WHERE contact = ? AND batch = ?",
                (now, due.contact.id, due.batch),
            )
            if was_sent:
                self._execute(
                    "UPDATE notice_contacts SET reached = ? WHERE id = ?", (now, due.contact.id)
                )

    def later(self, due: Due, when: int, why: str = "") -> None:
        """Note when to try again: sending failed, or with an empty ``why`` it is a quiet hour."""
        # Without an attempt, no message has the id: the batch can grow.
        batch = due.batch if why or due.tries else ""
        self._execute(
            "UPDATE notices SET due = ?, tries = tries + ?, failed = ?, batch = ?"
            " WHERE contact = ? AND batch = ? AND sent = 0",
            (when, 1 if why else 0, why[:200], batch, due.contact.id, due.batch),
        )

    def prune(self, now: int) -> None:
        """Forget old rows, also of channels that the server no longer has."""
        with self._transaction():
            self._execute("DELETE FROM notices WHERE sent > 0 AND sent < ?", (now - KEPT,))
            self._execute("DELETE FROM notices WHERE sent = 0 AND made < ?", (now - KEPT,))
            old = "FROM notice_contacts WHERE confirmed = 0 AND added < ?"
            old += " AND (failed = '' OR added < ?)"
            since = now - UNCONFIRMED, now - KEPT
            self._execute(f"DELETE FROM notices WHERE contact IN (SELECT id {old})", since)
            self._execute(f"DELETE {old}", since)

    # The ends of matches

    def mark_ends(self, when: int) -> None:
        """Note that the outbox has all ends before a time."""
        self._execute("UPDATE notice_keys SET value = ? WHERE what = 'ends'", (str(when),))

    @reading
    def ended_since(self, when: int) -> list[tuple[str, Match]]:
        """Return matches over days that have ended since then, with players who have addresses."""
        found = self._execute(
            "SELECT DISTINCT c.name, m.id FROM notice_contacts c"
            " JOIN match_players p ON p.player = c.name AND p.account = 1 AND p.ended >= ?"
            " JOIN matches m ON m.number = p.match WHERE c.confirmed > 0",
            (when * 1000,),
        ).fetchall()
        matches = ((name, self._matches.get(match_id)) for name, match_id in found)
        return [(n, m) for n, m in matches if m is not None and m.clock and m.clock.days]

    # For the operator

    @reading
    def report(self, most: int) -> list[tuple[str, str, str, int, int, int, str]]:
        """Return what waits: name, channel, kind, made, due, attempts, and the last failure.

        The most failures come first.
        """
        rows = self._execute(
            "SELECT name, channel, content, made, due, tries, failed FROM notices WHERE sent = 0"
            " ORDER BY tries DESC, due LIMIT ?",
            (most,),
        ).fetchall()
        return [(a, b, read_notice(c).kind, *others) for a, b, c, *others in rows]

    @reading
    def given_up(self, most: int) -> list[tuple[str, str, int, str]]:
        """Return contacts that the server gave up: name, channel, when, and why."""
        rows = self._execute(
            "SELECT name, channel, added, failed FROM notice_contacts WHERE failed <> ''"
            " ORDER BY added DESC LIMIT ?",
            (most,),
        ).fetchall()
        return [tuple(row) for row in rows]


class NoticeKeeper:
    """The addresses and settings of an account (accounts.keepers.Keeper).

    They go with the account, by the schema. Notices to its opponents name it, too.
    """

    columns: ClassVar = {
        "notice_contacts": ("name",), "notice_settings": ("name",), "notices": ("name", "content"),
    }  # fmt: skip

    def __init__(self, database: Database) -> None:
        self._tables = NoticeTables(database)
        self._execute, self._transaction = database.execute, database.transaction

    def export(self, name: str) -> Mapping[str, object]:
        """Return the addresses, without the secrets in their links, and the settings."""
        contacts = self._tables.contacts(name)
        if not contacts:
            return {}
        shown = [
            {"channel": each.channel, "address": each.address, "wish": each.wish}
            for each in contacts
        ]
        return {"contacts": shown, "settings": self._tables.wishes(name)._asdict()}

    def remove(self, name: str) -> None:
        """Delete the data, and put "deleted" in place of the name in notices to others."""
        with self._transaction():
            for table in ("notices", "notice_contacts", "notice_settings"):
                self._execute(f"DELETE FROM {table} WHERE name = ?", (name,))
            # An "about" that is JSON has quotes in the JSON of the notice.
            some = "SELECT contact, about, content FROM notices WHERE content LIKE ? ESCAPE '!'"
            for contact, about, content in self._execute(some, ('%\\"%',)).fetchall():
                notice = read_notice(content)
                known = json.loads(notice.about)
                without = _renamed(known, name)
                if without != known:
                    changed = notice._replace(about=json.dumps(without))
                    self._execute(
                        "UPDATE notices SET content = ? WHERE contact = ? AND about = ?",
                        (changed.content(), contact, about),
                    )


def _renamed(value: object, name: str) -> object:
    """Return a value of JSON with "deleted" in place of a name."""
    if isinstance(value, list):
        return [_renamed(each, name) for each in value]
    return DELETED if value == name else value
