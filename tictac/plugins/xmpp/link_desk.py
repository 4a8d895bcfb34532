"""Links to rooms and to accounts in the lobby protocol. Source: xmpp.md, "Accounts"."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from twisted.internet.defer import Deferred, succeed

from tictac.archive.match import to_json
from tictac.errors import ArchiveAway, GuestsRefused, NoSuchRoom
from tictac.names import is_given
from tictac.plugins.web.api import Document
from tictac.plugins.xmpp import requests
from tictac.plugins.xmpp.addresses import parse
from tictac.plugins.xmpp.linking import Linking
from tictac.plugins.xmpp.refusals import BadJid
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.extension import Handlers, on
from tictac.protocols.lobby.session import Session
from tictac.storage.store import StoreAwayError, StoreClosedError

Json = dict[str, object]


class LinkDesk:
    """The part of XMPP in the lobby protocol (extension.Extension).

    ``room_link`` returns the link to a room, with a key or without one. A client that has asked for
    the addresses of its account gets the event ``xmpp`` when they change.
    """

    def __init__(self, linking: Linking, room_link: Callable[[str, str | None], str]) -> None:
        self._linking, self._room_link = linking, room_link
        self._followers: dict[str, dict[Session, None]] = {}
        self.handlers: Handlers = dict((on(requests.Xmpp, self._xmpp),))
        linking.notify = self._notify

    # Extension

    def logged_in(self, session: Session) -> Mapping[str, object]:
        return {}

    def gone(self, session: Session) -> None:
        for user in [user for user, of in self._followers.items() if session in of]:
            del self._followers[user][session]
            if not self._followers[user]:
                del self._followers[user]

    # Requests

    def _xmpp(self, session: Session, request: requests.Xmpp) -> None:
        user = session.user or ""
        if request.jid is not None and is_given(user):
            raise GuestsRefused("addresses are linked with accounts: log in first")

        def answer(fields: Json) -> None:
            session.send(wire.answer(request.id, **fields))

        asked = Deferred.fromCoroutine(self._change(user, request))
        refuse = partial(session.refuse, request.id)
        session.connection.wait_for("XMPP", asked, answer, refuse)
        if not is_given(user):
            self.gone(session)
            self._followers.setdefault(user, {})[session] = None

    async def _change(self, user: str, request: requests.Xmpp) -> Json:
        try:
            if request.jid is not None and request.link is False:
                await self._linking.end(_bare(request.jid), user)
            elif request.jid is not None:
                await self._linking.ask(user, request.jid, request.language or "en")
        except (StoreAwayError, StoreClosedError):
            raise ArchiveAway("the server's database is unavailable: try again") from None
        fields: Json = {"domain": self._linking.post.domain, "links": self._links(user)}
        if request.room is not None:
            fields["room"] = self._room_link(request.room, request.key)
        return fields

    # The page

    def api(self, rest: Sequence[str], given: Mapping[str, str]) -> Deferred[Document]:
        """Answer ``/api/xmpp/ROOM/KEY`` (web.api.ApiPart) with the link to a room."""
        if not 1 <= len(rest) <= 2:
            raise NoSuchRoom("name a room")
        found = {"link": self._room_link(rest[0], "".join(rest[1:]) or None)}
        return succeed(Document(to_json(found).encode()))

    def _links(self, user: str) -> list[Json]:
        linked: list[Json] = [
            {"jid": jid, "confirmed": True} for jid in self._linking.links.addresses_of(user)
        ]
        waiting = self._linking.waiting(user)
        return linked + [{"jid": j, "confirmed": False, "code": c} for j, c in waiting.items()]

    def _notify(self, user: str) -> None:
        if user in self._followers:
            line = wire.line({"event": "xmpp", "links": self._links(user)})
            for session in list(self._followers[user]):
                session.send(line)


def _bare(jid: str) -> str:
    try:
        return parse(jid.strip()).bare
    except ValueError as error:
        raise BadJid(str(error)) from None
