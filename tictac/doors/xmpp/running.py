"""The XMPP service while it runs: its link, its rooms, and where saved ones are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.accounts.saved import RoomStore
from tictac.accounts.store import StoreAwayError
from tictac.doors.xmpp.component import Link
from tictac.doors.xmpp.house import House
from tictac.doors.xmpp.registry import RoomLimits
from tictac.doors.xmpp.server import MugServer
from tictac.games.tictactoe import opponent
from tictac.games.tictactoe.rules import O, Rules
from tictac.net.part import PartService, sweep_interval

_log = Logger()


@dataclass(frozen=True, slots=True)
class Settings:
    """What the service is asked for; times in seconds, 0 for no limit.

    ``server`` is a client endpoint string, ``domain`` the name of the component.
    """

    domain: str
    server: str
    secret: str
    limits: RoomLimits
    rate: float = 200
    burst: float = 400
    chat_timeout: float = 86_400
    longest_delay: float = 300
    move_timeout: float = 0
    wait_timeout: float = 0


class MugService(PartService):
    """Listens nowhere: it goes to the XMPP server, once the saved rooms are read.

    ``is_host`` says that no other part looks after the rooms in memory.
    """

    def __init__(
        self, reactor: Any, settings: Settings, store: RoomStore, house: House, is_host: bool
    ) -> None:
        sweep = sweep_interval(settings.move_timeout, settings.wait_timeout)
        super().__init__(reactor, "xmpp", (), _listens_nowhere, sweep)
        self._settings = settings
        self._store = store
        self._stopping = False
        self._registry = house.registry
        self._is_host = is_host
        self.link = Link(
            reactor,
            settings.server,
            settings.domain,
            settings.secret,
            lambda element: self.server.receive(element),
            self._lost,
            settings.longest_delay,
        )
        self.server = MugServer(
            settings.domain,
            house,
            settings.limits,
            store,
            self.link.send,
            reactor,
            settings.rate,
            settings.burst,
        )

    def begin(self) -> None:
        self._store.start()
        # So that nobody waits for the one search of the whole game.
        opponent.prepare(Rules())
        opponent.prepare(Rules(first=O))
        self._restore()

    def serving(self) -> bool:
        return super().serving() and self._store.ready()

    def _restore(self) -> None:
        self._store.all().addCallbacks(self._restored, self._away).addErrback(_not_restored)

    def _away(self, failure: Failure) -> None:
        """There is no link without the saved rooms; a store that is away waits by itself."""
        failure.trap(StoreAwayError)
        if not self._stopping:
            self._restore()

    def _restored(self, contents: dict[str, bytes]) -> None:
        self.server.restore(contents)
        if not self._stopping:
            self.link.startService()

    def _lost(self) -> None:
        if not self._stopping:
            self.server.interrupt()

    def expire(self) -> None:
        self.server.expire_chats(self._settings.chat_timeout)
        if self._is_host:
            self._registry.expire(self._settings.move_timeout, self._settings.wait_timeout)

    def matches_running(self) -> int:
        if self._is_host:
            return self._registry.running()
        return self.server.rooms.running() if self._registry.outlives else 0

    def stopService(self) -> Deferred[None]:
        self._stopping = True
        return super().stopService()

    async def end(self) -> None:
        self.server.say_goodbye()
        if self.link.running:
            await self.link.stopService()
        await self._store.close()
        _log.info(
            "xmpp: {count} stanzas refused as too much, {odd} that couldn't be answered",
            count=self.server.too_much,
            odd=self.server.unanswered,
        )


def _listens_nowhere(proxied: bool) -> Any:
    raise AssertionError("there is no port")


def _not_restored(failure: Failure) -> None:
    _log.failure("the saved rooms can't be read, so there is no link", failure)
