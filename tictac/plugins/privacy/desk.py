"""An account's data, blocked players, and reports in the lobby protocol. Source: people.md."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar, cast

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tictac.accounts.accounts import Accounts
from tictac.archive.match import utc_text
from tictac.errors import AlreadyInRoom, ArchiveAway, BadFilter, GuestsRefused, NotAnAdmin, Refusal
from tictac.lobby.events import Said
from tictac.lobby.room import Room
from tictac.logs import LIMITED
from tictac.names import composed, is_given, password_bytes
from tictac.net.logins import LoginConnection
from tictac.plugins.privacy import requests
from tictac.plugins.privacy.keepers import KeptTables
from tictac.plugins.privacy.refusals import NoSuchReport, TooManyBlocks, TooManyReports
from tictac.plugins.privacy.tables import How, PrivacyTables, Report
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.extension import on
from tictac.protocols.lobby.json_view import Message
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.lobby.session import Session
from tictac.reactor import Work
from tictac.storage.store import Store, StoreAwayError, StoreClosedError, Stored

_log = Logger(observer=LIMITED)

T = TypeVar("T")

PAGE = 1000
"""Maximum entries of each list in one answer to ``export``."""

MOST_ELSEWHERE = 10_000
"""Maximum accounts in other protocols whose blocks are in memory."""

LAST_TEXTS = 20
"""The texts of a room that a report has."""


class Desk:
    """The part of privacy in the lobby protocol (extension.Extension).

    The blocks of a user are in memory while the user is connected, and those of the last users of
    other protocols. ``utc`` is the time of day.
    """

    def __init__(
        self, store: Store, lobby: Lobby, accounts: Accounts, utc: Callable[[], float] = time.time
    ) -> None:
        self._lobby, self._accounts, self._utc = lobby, accounts, utc
        self.kept, self._tables = Stored(store, KeptTables), Stored(store, PrivacyTables)
        self._blocks: dict[str, dict[str, How]] = {}
        self._sessions: dict[str, dict[Session, None]] = {}
        self._elsewhere: dict[str, None] = {}  # accounts in other protocols, the oldest first
        self._users: dict[Session, str] = {}
        self.handlers = dict((
            on(requests.Export, self._export), on(requests.Delete, self._delete),
            on(requests.Block, self._block), on(requests.Report, self._report),
            on(requests.Reports, self._admin),
        ))  # fmt: skip
        lobby.blocks = self.blocks

    def blocks(self, one: str, other: str) -> bool:
        """Return whether one of two users has blocked the other (lobby.Lobby.blocks)."""
        return "block" in (
            self._blocks.get(one, {}).get(other),
            self._blocks.get(other, {}).get(one),
        )

    def has_muted(self, user: str, other: str) -> bool:
        """Return whether an account in another protocol has blocked or muted a user.

        The first question about an account reads its blocks, and is answered with no.
        """
        if user not in self._elsewhere:
            if len(self._elsewhere) >= MOST_ELSEWHERE:
                forgotten = next(iter(self._elsewhere))
                del self._elsewhere[forgotten]
                self._forget(forgotten)
            self._elsewhere[user] = None
            self._read_blocks(user)
        return other in self._blocks.get(user, ())

    # Extension

    def logged_in(self, session: Session) -> Mapping[str, object]:
        """Read the blocks of an account, which then filter its chat."""
        user = session.user or ""
        if not is_given(user):
            self._users[session] = user
            self._sessions.setdefault(user, {})[session] = None
            self._read_blocks(user)
        return {}

    def _read_blocks(self, user: str) -> None:
        reading = self._tables.ask(PrivacyTables.blocks, user)
        reading.addCallback(partial(self._learn, user))
        reading.addErrback(lambda _: None)  # the store logs it; the next login reads again

    def gone(self, session: Session) -> None:
        user = self._users.pop(session, None)
        if user is None:
            return
        session.muted = ()
        del self._sessions[user][session]
        if not self._sessions[user]:
            del self._sessions[user]
            self._forget(user)

    def _forget(self, user: str) -> None:
        if user not in self._sessions and user not in self._elsewhere:
            self._blocks.pop(user, None)

    def _learn(self, user: str, blocks: dict[str, How]) -> None:
        if user in self._sessions or user in self._elsewhere:
            self._blocks[user] = blocks
            for session in self._sessions.get(user, ()):
                session.muted = blocks

    # Requests

    def _export(self, session: Session, request: requests.Export) -> None:
        first = request.first or 0
        if first < 0:
            raise BadFilter("first is a whole number from 0")
        self._work(session, request, self._read(_account(session), first))

    async def _read(self, user: str, first: int) -> Message:
        found = await _reaching(self.kept.ask(KeptTables.export, user))
        more = False
        for section in found.values():
            for name, value in list(section.items()):
                if isinstance(value, list):
                    more |= len(value) > first + PAGE
                    section[name] = value[first : first + PAGE]
                elif first:
                    del section[name]
        return {"export": found, "next": first + PAGE if more else None}

    def _delete(self, session: Session, request: requests.Delete) -> None:
        user, registry = _account(session), self._lobby.registry
        for name in registry.seats.of(user):
            room = registry.room(name)
            if room is not None and room.running and not room.terms.lasting:
                raise AlreadyInRoom(f"you play in room {name}: end the match first")
        password = password_bytes(request.password)
        self._work(session, request, self._remove(session, user, password), self._accounts.look)

    async def _remove(self, session: Session, user: str, password: bytes) -> Message:
        connection = session.connection
        await self._accounts.verify(user, password, connection.host, connection.is_half_closed)
        await _reaching(self.kept.ask(KeptTables.remove, user))
        _log.info("an account was deleted by its player at {peer}", peer=connection.host)
        return {}

    def _block(self, session: Session, request: requests.Block) -> None:
        work = self.change(_account(session), request.user or "", request.how)
        self._work(session, request, work)

    async def change(self, user: str, other: str, how: str | None) -> Message:
        """Block or mute a player, or end that (off); return the field ``blocks``.

        Without a player, change nothing. Raises a Refusal.
        """
        other = composed(other)
        if other == user:
            raise BadFilter("that is you")
        if other and how is not None:
            wish = cast(How, how) if how in ("block", "mute") else None
            put = self._tables.ask(PrivacyTables.put, user, other[:200], wish)
            if not await _reaching(put):
                raise TooManyBlocks("you have blocked or muted too many players")
        blocks = await _reaching(self._tables.ask(PrivacyTables.blocks, user))
        self._learn(user, blocks)
        return {"blocks": blocks}

    def _report(self, session: Session, request: requests.Report) -> None:
        user, room = session.user or "", request.room or ""
        self._work(session, request, self.report(user, request.user, request.text, room))

    async def report(self, user: str, other: str, text: str, name: str = "") -> Message:
        """Report a player, with the last texts of a room if the user is in it. Raises a Refusal."""
        room = self._lobby.registry.room(name)
        chat = [] if room is None or not _is_in(room, user) else _last_texts(room)
        report = Report(
            0, int(self._utc()), user, composed(other)[:200], wire.read_said(text), name[:100], chat
        )
        if not await _reaching(self._tables.ask(PrivacyTables.report, report)):
            raise TooManyReports("the admins have enough reports for now")
        _log.warn("report: {user!r} reported {other!r}", user=report.name, other=report.other)
        return {}

    def _work(
        self,
        session: Session,
        request: wire.Request,
        work: Work[Message],
        then: Callable[[], object] = lambda: None,
    ) -> None:
        def answer(fields: Message) -> None:
            session.send(wire.answer(request.id, **fields))
            then()

        def refuse(refusal: Refusal) -> None:
            session.send(wire.error(request.id, refusal))

        asked = Deferred.fromCoroutine(work)
        session.connection.wait_for(request.do.upper(), asked, answer, refuse)

    # Admins

    def _admin(self, session: Session, request: requests.Reports) -> None:
        session.administer(request, partial(self._act, request))

    async def _act(
        self, request: requests.Reports, asker: LoginConnection, is_admin: bool
    ) -> Message:
        if not is_admin:
            raise NotAnAdmin("only admins can do this")
        if request.close is not None:
            closing = self._tables.ask(PrivacyTables.close, request.close)
            if not await _reaching(closing):
                raise NoSuchReport(f"there is no report {request.close}")
        found = await _reaching(self._tables.ask(PrivacyTables.reports))
        return {"reports": [_report_json(each) for each in found]}


def _account(session: Session) -> str:
    user = session.user or ""
    if is_given(user):
        raise GuestsRefused("a guest has no account: log in first")
    return user


def _is_in(room: Room, user: str) -> bool:
    return user in room.viewers.values() or any(each.user == user for each in room.players)


def _last_texts(room: Room) -> list[tuple[str, str]]:
    said = [event for _, event in room.record if isinstance(event, Said)]
    return [(each.user, each.text) for each in said[-LAST_TEXTS:]]


def _report_json(report: Report) -> Message:
    return {
        "number": report.number,
        "at": utc_text(report.made).replace(".000", ""),
        "by": report.name,
        "user": report.other,
        "text": report.why,
        "room": report.room or None,
        "said": [list(line) for line in report.chat],
    }


async def _reaching(work: Deferred[T]) -> T:
    """Await the work; raise ArchiveAway if the database fails."""
    try:
        return await work
    except (StoreAwayError, StoreClosedError):
        raise ArchiveAway("the server's database is unavailable: try again") from None
