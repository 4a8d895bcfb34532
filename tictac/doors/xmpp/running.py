"""The XMPP service while it runs: its link, its rooms, and where saved ones are kept."""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tictac.accounts.saved import RoomStore
from tictac.accounts.store import StoreAwayError
from tictac.doors.xmpp.component import Link
from tictac.doors.xmpp.house import House
from tictac.doors.xmpp.server import MugServer
from tictac.games.tictactoe import opponent
from tictac.games.tictactoe.rules import O, Rules
from tictac.net.part import PartService, sweep_interval

_log = Logger()


class MugService(PartService):
    """Listens nowhere: it goes to the XMPP server, once the saved rooms are read.

    ``is_host`` says that no other part looks after the rooms in memory.
    """

    def __init__(self, house: House, store: RoomStore, is_host: bool) -> None:
        settings = house.settings
        sweep = sweep_interval(settings.move_timeout, settings.wait_timeout)
        super().__init__(house.clock, "xmpp", (), lambda proxied: None, sweep)
        self.settings = settings
        self.store = store
        self._stopping = False
        self._registry = house.registry
        self._is_host = is_host
        self.link = Link(house.clock, settings, lambda tree: self.server.receive(tree), self._lost)
        self.server = MugServer(house, store, self.link.send)

    def begin(self) -> None:
        self.store.start()
        # So that nobody waits for the one search of the whole game.
        opponent.prepare(Rules())
        opponent.prepare(Rules(first=O))
        Deferred.fromCoroutine(self._restore())

    def serving(self) -> bool:
        return super().serving() and self.store.ready()

    async def _restore(self) -> None:
        """There is no link without the saved rooms; a store that is away waits by itself."""
        while not self._stopping:
            try:
                contents = await self.store.all()
            except StoreAwayError:
                continue
            except Exception:
                _log.failure("the saved rooms can't be read, so there is no link")
                return
            self.server.restore(contents)
            if not self._stopping:
                self.link.startService()
            return

    def _lost(self) -> None:
        if not self._stopping:
            self.server.interrupt()

    def expire(self) -> None:
        self.server.expire_chats(self.settings.chat_timeout)
        if self._is_host:
            self._registry.expire(self.settings.move_timeout, self.settings.wait_timeout)

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
        await self.store.close()
        _log.info(
            "xmpp: {count} stanzas refused as too much, {odd} that couldn't be answered",
            count=self.server.too_much,
            odd=self.server.unanswered,
        )
