"""Notices in the lobby protocol: addresses, settings, and links. Source: notices.md, "Requests"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import cast

from twisted.internet.defer import Deferred, succeed
from twisted.python.failure import Failure
from twisted.web import http
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from tictac.archive.match import to_json, utc_text
from tictac.errors import ArchiveAway, GuestsRefused, NotAnAdmin
from tictac.names import is_given
from tictac.net.logins import LoginConnection
from tictac.plugins.notices import requests
from tictac.plugins.notices.notices import Wishes, check_wishes
from tictac.plugins.notices.notifier import Notifier
from tictac.plugins.notices.outbox import new_id
from tictac.plugins.notices.refusals import BadAddress, BadLink, TooManyAddresses
from tictac.plugins.notices.tables import MOST_CONTACTS, Contact, NoticeTables
from tictac.plugins.web.api import Document
from tictac.plugins.web.site import BodilessRequest
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.extension import Handlers, on
from tictac.protocols.lobby.session import Session
from tictac.reactor import Work
from tictac.storage.store import StoreAwayError, StoreClosedError, Stored

ASKED = 600.0
"""Seconds until an account, or an address, can be sent another confirmation."""

MOST_REMEMBERED = 10_000
"""Maximum confirmations that are remembered; beyond it, memory restarts."""

MOST_LISTED = 200
"""Maximum entries of the operator's lists."""

_ID = re.compile("[0-9a-f]{24}")

Json = dict[str, object]


class Desk:
    """The part of notices in the lobby protocol (extension.Extension).

    ``watch`` is called with an account that has a confirmed address since now. ``channels`` can be
    filled later.
    """

    def __init__(
        self,
        tables: Stored[NoticeTables],
        channels: Mapping[str, Notifier],
        watch: Callable[[str], object],
        seconds: Callable[[], float],
        utc: Callable[[], float],
    ) -> None:
        self._tables, self._channels, self._watch = tables, channels, watch
        self._seconds, self._utc = seconds, utc
        self._asked: dict[str, float] = {}
        self.handlers: Handlers = dict((
            on(requests.Notices, self._notices), on(requests.Link, self._link),
            on(requests.Outbox, self._outbox),
        ))  # fmt: skip

    # Extension

    def logged_in(self, session: Session) -> Mapping[str, object]:
        return {}

    def gone(self, session: Session) -> None:
        pass

    # Requests

    def _notices(self, session: Session, request: requests.Notices) -> None:
        user = session.user or ""
        if is_given(user):
            raise GuestsRefused("messages are for accounts: log in first")
        self._answer(session, request, self._set(user, request))

    def _link(self, session: Session, request: requests.Link) -> None:
        self._answer(session, request, self.follow(request.link, bool(request.go)))

    def _outbox(self, session: Session, request: requests.Outbox) -> None:
        session.administer(request, partial(self._administer, request))

    def _answer(self, session: Session, request: wire.Request, work: Work[Json]) -> None:
        def answer(fields: Json) -> None:
            session.send(wire.answer(request.id, **fields))

        asked = Deferred.fromCoroutine(raising_archive_away(work))
        refuse = partial(session.refuse, request.id)
        session.connection.wait_for(request.do.upper(), asked, answer, refuse)

    async def _set(self, user: str, request: requests.Notices) -> Json:
        wishes = await self._tables.ask(NoticeTables.wishes, user)
        quiet = "" if request.quiet == "off" else request.quiet
        given = {"language": request.language, "zone": request.zone, "quiet": quiet}
        new = wishes._replace(**{name: value for name, value in given.items() if value is not None})
        if new != wishes:
            check_wishes(new)
            await self._tables.ask(NoticeTables.set_wishes, user, new)
        if request.channel is not None and request.address is not None:
            await self._set_contact(user, request.channel, request.address, request.wish)
        contacts = await self._tables.ask(NoticeTables.contacts, user)
        return {
            "contacts": [_contact_json(each) for each in contacts],
            "settings": _settings_json(new),
            "channels": self._channels_json(),
        }

    async def _set_contact(self, user: str, channel: str, address: str, wish: str | None) -> None:
        notifier, now = self._channels.get(channel), int(self._utc())
        known = await self._tables.ask(NoticeTables.contacts, user)
        if notifier is None:
            kept = address
        else:
            try:
                kept = notifier.check(address)
            except BadAddress:
                if wish != "off":
                    raise
                kept = address  # it was right when it was added
        there = next((c for c in known if (c.channel, c.address) == (channel, kept)), None)
        if wish == "off":
            if there is not None:
                await self._tables.ask(NoticeTables.drop, there.id)
            return
        if notifier is None:
            raise BadAddress(f"this server sends nothing by {channel!r:.20}")
        wish = wish or (there.wish if there is not None else notifier.wish)
        is_new = there is None or bool(there.failed)
        is_again = there is not None and not there.confirmed and there.wish == wish
        asks = notifier.asks and (is_new or is_again)
        if asks and (there is not None or len(known) < MOST_CONTACTS):
            self._check_asking(f"account {user}", f"address {kept.casefold()}")
        new = Contact(new_id(), user, channel, kept, wish, now, 0 if notifier.asks else now)
        if await self._tables.ask(NoticeTables.put, new, asks) is None:
            raise TooManyAddresses(f"an account has at most {MOST_CONTACTS} addresses")
        if not notifier.asks:
            self._watch(user)

    def _check_asking(self, *payers: str) -> None:
        """Let each of these have one confirmation at a time: strangers must get no mails."""
        now = self._seconds()
        if any(now < self._asked.get(each, -ASKED) + ASKED for each in payers):
            raise TooManyAddresses("a confirmation is on its way: try again in ten minutes")
        if len(self._asked) > MOST_REMEMBERED:
            self._asked.clear()
        self._asked.update(dict.fromkeys(payers, now))

    # Links

    async def follow(self, link: str, go: bool) -> Json:
        """Do what a link says, or only say what it does. Raises BadLink."""
        does, _, contact_id = link.partition("/")
        found = None
        if does in ("confirm", "stop") and _ID.fullmatch(contact_id):
            found = await self._tables.ask(NoticeTables.contact, contact_id)
        if found is None or found.failed:
            raise BadLink("the link is used, or too old: nothing more is sent")
        if go and does == "stop":
            await self._tables.ask(NoticeTables.drop, found.id)
        elif go:
            await self._tables.ask(NoticeTables.confirm, found.id, int(self._utc()))
            self._watch(found.name)
        return {"does": does, "user": found.name, "channel": found.channel, "done": go}

    # The page

    def api(self, rest: Sequence[str], given: Mapping[str, str]) -> Deferred[Document]:
        """Answer ``/api/notices`` (web.api.ApiPart)."""
        if rest:
            raise BadLink("there is nothing here")
        return succeed(Document(to_json({"channels": self._channels_json()}).encode()))

    def _channels_json(self) -> Json:
        return {name: each.public() for name, each in self._channels.items()}

    # The operator

    async def _administer(
        self, request: requests.Outbox, asker: LoginConnection, is_admin: bool
    ) -> Json:
        if not is_admin:
            raise NotAnAdmin("only admins can do this")
        if request.act == "bounced":
            return await raising_archive_away(self._bounced(request))
        return await raising_archive_away(self._read_report())

    async def _bounced(self, request: requests.Outbox) -> Json:
        message, why = request.message or "", request.why or "it came back"
        user = None
        if _ID.fullmatch(message):
            user = await self._tables.ask(NoticeTables.bounced, message, why, int(self._utc()))
        return {"user": user}

    async def _read_report(self) -> Json:
        ask, now = self._tables.ask, self._utc()
        waiting = await ask(NoticeTables.report, MOST_LISTED)
        gone = await ask(NoticeTables.given_up, MOST_LISTED)
        return {
            "count": await ask(NoticeTables.waiting),
            "waiting": [
                {"user": user, "channel": channel, "kind": kind, "made": _time(made),
                 "seconds": max(0, round(due - now)), "tries": tries, "failed": failed or None}
                for user, channel, kind, made, due, tries, failed in waiting
            ],
            "given_up": [
                {"user": user, "channel": channel, "at": _time(at), "why": why}
                for user, channel, at, why in gone
            ],
        }  # fmt: skip


class OneClick(Resource):
    """The resource to which mail programs post (RFC 8058), below ``/notice/``."""

    isLeaf = True

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk

    def render(self, request: Request) -> bytes | int:
        """Stop the messages of the link, if the body says so."""
        link = request.path.decode("ascii", "replace").removeprefix("/notice/")
        body = cast(BodilessRequest, request).content.getvalue()
        asks = b"List-Unsubscribe" in body and b"One-Click" in body
        if not asks or not link.startswith("stop/"):
            request.setResponseCode(http.BAD_REQUEST)
            return b"Open this address with a browser.\n"
        done = Deferred.fromCoroutine(raising_archive_away(self._desk.follow(link, True)))
        request.notifyFinish().addErrback(lambda _: done.cancel())

        def answer(outcome: Json | Failure) -> bytes:
            if isinstance(outcome, Failure) and outcome.check(ArchiveAway):
                request.setResponseCode(http.SERVICE_UNAVAILABLE)
                return b"Try again later.\n"
            return b"You get no more of these messages.\n"  # twice is no fault

        request.setHeader(b"content-type", b"text/plain; charset=utf-8")
        done.addBoth(answer).addCallback(cast(BodilessRequest, request).answer)
        return NOT_DONE_YET


async def raising_archive_away(work: Work[Json]) -> Json:
    """Await the work; raise ArchiveAway if the database fails."""
    try:
        return await work
    except (StoreAwayError, StoreClosedError):
        raise ArchiveAway("the server's database is unavailable: try again") from None


def _time(seconds: int) -> str:
    return utc_text(seconds).replace(".000", "")


def _contact_json(contact: Contact) -> Json:
    fields = {"channel": contact.channel, "address": contact.address, "wish": contact.wish}
    more = {"failed": contact.failed} if contact.failed else {}
    return {**fields, "confirmed": contact.confirmed > 0, **more}


def _settings_json(wishes: Wishes) -> Json:
    return {**wishes._asdict(), "quiet": wishes.quiet or None}
