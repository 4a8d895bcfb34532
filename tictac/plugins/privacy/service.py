"""Privacy as a part of the server: options, the facts of /privacy, and the end of accounts.

A removed account can leave something behind that comes later: a match that ran is archived after
its player was removed, and its rating is counted then. So the service keeps each removed name in
mind until nothing of it can come any more, and only then removes the rest and the name:

1. Any process removes an account, which notes its name among the ended logins.
2. Each server learns of the name (`Accounts.ended`), closes the connections, and gives up seats.
3. When the name has no seat any more, the service waits for ``REST`` seconds. The queue of the
   archive and the count of ratings are faster.
4. `KeptTables.finish` removes the rest and the name. A server that was killed before finds
   the name among the ended logins at its next start.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from tictac.errors import AccountRemoved, BadFilter
from tictac.lobby.registry import Registry
from tictac.net.plugin import ProtocolService, sweep_interval
from tictac.net.settings import AccountOptions, RoomsOptions, ServerOptions
from tictac.options import option
from tictac.reactor import Reactor
from tictac.runtime import AddOn, Runtime
from tictac.storage.store import Store, StoreAwayError, StoreClosedError

if TYPE_CHECKING:
    from tictac.plugins.privacy.desk import Desk
    from tictac.plugins.web.api import Document

_log = Logger()

LOOKS_EVERY, REST = 10.0, 60.0
"""Seconds between two looks for removed accounts, and after the last seat of one."""

EXPIRES = 180 * 86_400
"""Seconds until the end of what security.txt says, from now on (RFC 9116, 2.5.5)."""


def read_contact(text: str) -> str:
    """Return a contact as a URI; empty: none. Raises ValueError."""
    if not text:
        return text
    if "@" in text and ":" not in text:
        text = f"mailto:{text}"
    if not text.startswith(("mailto:", "https://", "tel:")) or any(map(str.isspace, text)):
        raise ValueError(f"{text} isn't an e-mail address, or https://...")
    return text


@dataclass(frozen=True)
class PrivacyOptions:
    """Privacy."""

    contact: str = option("", "Address for questions about privacy and security.", read_contact)


@dataclass(frozen=True)
class OtherOptions:
    """Options of other plug-ins that decide about the kept data."""

    keep_tournaments: int = 0
    public_url: str = ""
    tournaments: str = "admins"


class AccountEvents(Protocol):
    """The function that a server calls with accounts whose connections must close."""

    ended: Callable[[str, str], object]


class PrivacyService(ProtocolService):
    """The requests of ``desk``, and the end of removed accounts."""

    def __init__(
        self,
        reactor: Reactor,
        store: Store,
        registry: Registry,
        accounts: AccountEvents,
        desk: Desk,
    ) -> None:
        self._store, self._registry, self._accounts, self._desk = store, registry, accounts, desk
        self._since: dict[str, float] = {}  # when a removed name lost its last seat
        self._clock = reactor
        self._looking = LoopingCall(self._look)
        self._looking.clock = reactor
        super().__init__(reactor, "privacy", [], lambda proxied: None, sweep_interval())

    def begin(self) -> None:
        self._store.start()
        ended = self._accounts.ended

        def note(user: str, why: str) -> None:
            ended(user, why)
            if why == AccountRemoved.code:
                self._since[user] = self._clock.seconds()

        self._accounts.ended = note
        Deferred.fromCoroutine(self._recall())
        self._looking.start(LOOKS_EVERY, now=False)

    async def _recall(self) -> None:
        """Note the accounts that were removed before this process began."""
        from tictac.plugins.privacy.keepers import KeptTables

        try:
            for name in await self._desk.kept.ask(KeptTables.removed):
                self._since.setdefault(name, self._clock.seconds())
        except (StoreAwayError, StoreClosedError):
            pass  # the next start reads them again
        except Exception:
            _log.failure("cannot read the removed accounts")

    async def _look(self) -> None:
        from tictac.plugins.privacy.keepers import KeptTables

        now = self._clock.seconds()
        for name, since in list(self._since.items()):
            if self._registry.seats.of(name) or self._registry.sleepers.of(name):
                self._since[name] = now
            elif now - since >= REST:
                try:
                    await self._desk.kept.ask(KeptTables.finish, name)
                except (StoreAwayError, StoreClosedError):
                    return  # the next look tries again
                except Exception:
                    _log.failure("cannot remove the rest of an account")
                self._since.pop(name, None)

    async def end(self) -> None:
        if self._looking.running:
            self._looking.stop()
        await self._store.close()


JOURNAL = "JOURNAL_STREAM"
"""The variable that systemd sets if its journal has the log."""


class Facts:
    """Answers ``/api/privacy`` (web.api.ApiPart) with the kept data, and the time limits.

    Days: null is until the account is deleted or the operator deletes it, and 0 is not at all.
    Logs: the number of old files; null is without a limit of the server.
    """

    def __init__(self, runtime: Runtime) -> None:
        settings = runtime.settings
        accounts, server = settings[AccountOptions], settings[ServerOptions]
        others = settings[OtherOptions]
        matches = 0 if server.no_archive else accounts.keep_matches or None
        tournaments = 0 if others.tournaments == "none" else others.keep_tournaments or None
        self._facts = {
            "contact": settings[PrivacyOptions].contact or None,
            "visitors": settings[RoomsOptions].visitors,
            "days": {"token": accounts.token_days, "match": matches, "tournament": tournaments},
            "logs": None if JOURNAL in os.environ else server.log_files or None,
            "notices": bool(others.public_url),
        }

    def answer(self, path: Sequence[str], given: Mapping[str, str]) -> Deferred[Document]:
        """Return the facts."""
        from tictac.archive.match import to_json
        from tictac.plugins.web.api import Document

        if path:
            raise BadFilter("there is nothing here")
        return succeed(Document(to_json(self._facts).encode()))


def security_txt(contact: str, now: float) -> str:
    """Return the text of /.well-known/security.txt (RFC 9116)."""
    expires = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now + EXPIRES))
    return f"Contact: {contact}\nExpires: {expires}\nPreferred-Languages: en, de"


def _make(runtime: Runtime) -> ProtocolService:
    from tictac.plugins.privacy.desk import Desk

    lobby, contact = runtime.lobby, runtime.settings[PrivacyOptions].contact
    store = runtime.store("privacy")
    desk = Desk(store, lobby, runtime.accounts)
    lobby.extend(desk)
    for part in runtime.parts:
        if part.what == "web":
            from tictac.plugins.web.pages import Text

            lobby.parts["privacy"] = Facts(runtime).answer
            if contact:
                text = Text(lambda: security_txt(contact, time.time()))
                part.add(b"/.well-known/security.txt", text)  # type: ignore[attr-defined]
    return PrivacyService(runtime.reactor, store, lobby.registry, runtime.accounts, desk)


ADD_ON = AddOn(_make, PrivacyOptions)
"""Privacy is a part of every server with a lobby."""
