"""Tournaments as a part of the server: options, start, and stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from random import SystemRandom
from typing import TYPE_CHECKING, Any, Protocol

from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from tictac import options as read
from tictac.errors import AccountRemoved
from tictac.lobby.journal import Outcome
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.net.plugin import ProtocolService, sweep_interval
from tictac.net.settings import RoomsOptions
from tictac.options import option
from tictac.runtime import AddOn, Runtime
from tictac.storage.store import Store, Stored

if TYPE_CHECKING:
    from tictac.plugins.tournament.hosting.host import Host
    from tictac.plugins.tournament.hosting.request_handlers import Desk

_log = Logger()


@dataclass(frozen=True)
class TournamentOptions:
    """Tournaments."""

    tournaments: str = option(
        "admins",
        "Who can create tournaments: admins, accounts, or none.",
        read.one_of("admins", "accounts", "none"),
    )
    max_tournaments: int = option(20, "Tournaments that are open or running.", read.positive)
    keep_tournaments: int = option(0, "Days to keep tournaments. 0 keeps them forever.")
    guest_timeout: float = option(600.0, "Seconds until a disconnected guest withdraws.")


DAY = 86_400.0

PRUNED_EVERY = 3_600.0
"""Seconds between two deletions of old tournaments."""


class AccountEvents(Protocol):
    """The functions that a server calls with the name of a removed account."""

    ended: Callable[[str, str], object]


class OutcomeKeeper:
    """Saves the outcomes of games on a server without an archive (lobby.interfaces.Archivist)."""

    def __init__(self, store: Store) -> None:
        from tictac.plugins.tournament.hosting.tables import TournamentTables

        self._log = Stored(store, TournamentTables)
        self._keep = TournamentTables.keep

    def pack(self, room: Room) -> None:
        """Return None, because no match is saved."""

    def keep(self, packed: Any, outcome: Outcome | None = None) -> bool:
        """Keep the outcome of a game."""
        if outcome is not None:
            # If this fails, the players must repeat the game.
            self._log.ask(self._keep, outcome).addErrback(lambda _: None)
        return outcome is not None


class TournamentService(ProtocolService):
    """The tournaments of a server; ``store`` is their database.

    ``prune`` is called every hour to delete old tournaments; None keeps all.
    """

    def __init__(
        self,
        reactor: Any,
        store: Store,
        registry: Registry,
        accounts: AccountEvents,
        host: Host,
        desk: Desk,
        prune: Callable[[], Coroutine[Any, Any, None]] | None = None,
    ) -> None:
        self.host, self.desk = host, desk
        self.store, self._registry, self._accounts = store, registry, accounts
        self._prune = prune
        self._pruning = LoopingCall(self._prune_some)
        self._pruning.clock = reactor
        super().__init__(reactor, "tournaments", [], lambda proxied: None, sweep_interval())

    def begin(self) -> None:
        self.store.start()
        if self._registry.archivist is None:
            self._registry.archivist = OutcomeKeeper(self.store)
        self._ended, self._accounts.ended = self._accounts.ended, self._user_ended
        self.host.start()
        if self._prune is not None:
            self._pruning.start(PRUNED_EVERY)

    def figures(self) -> Mapping[str, tuple[str, float]]:
        running = self.host.running()
        left = sum(len(each.cup.open) for each in running)
        return {
            "tournaments_running": ("Tournaments that are being played.", len(running)),
            "tournament_games_open": ("Games of tournaments that are being played.", left),
        }

    def _prune_some(self) -> None:
        assert self._prune is not None
        pruning = Deferred.fromCoroutine(self._prune())
        pruning.addErrback(lambda _: None)  # it runs again; the store logs faults

    def _user_ended(self, user: str, why: str) -> None:
        self._ended(user, why)
        if why == AccountRemoved.code:
            self.desk.removed(user)

    async def end(self) -> None:
        if self._pruning.running:
            self._pruning.stop()
        self.desk.stop()
        await self.host.stop()
        await self.store.close()


def _make(runtime: Runtime) -> ProtocolService | None:
    options, rooms = runtime.settings[TournamentOptions], runtime.settings[RoomsOptions]
    if options.tournaments == "none":
        return None
    from tictac.plugins.tournament.hosting.admin_acts import Acts
    from tictac.plugins.tournament.hosting.follower import Follower
    from tictac.plugins.tournament.hosting.host import Host
    from tictac.plugins.tournament.hosting.pairing_process import ProcessPairer
    from tictac.plugins.tournament.hosting.request_handlers import Desk
    from tictac.plugins.tournament.hosting.tables import TournamentTables

    store, registry, reactor = runtime.store("tournaments"), runtime.registry, runtime.reactor
    log, rng = Stored(store, TournamentTables), SystemRandom()
    follower = Follower(log, time.time, rooms.lobby)
    if owner := runtime.claim("tournaments"):
        # If two servers made the rooms of games, players would play each game twice.
        _log.info("another server decides the tournaments: {owner}", owner=owner)
        follower.decides = False
    host = Host(log, follower, registry, ProcessPairer(reactor), reactor, rng)
    acts = Acts(
        log, follower, registry, options.tournaments, options.max_tournaments,
        rooms.move_timeout > 0, rng, rooms.guests,
    )  # fmt: skip
    follower.changed.append(lambda _: host.look_soon())
    desk = Desk(log, follower, registry, acts, reactor, options.guest_timeout)
    lobby = runtime.lobby
    lobby.extend(desk)
    lobby.guest_list.waits.append(desk.keeps)
    if any(part.what == "web" for part in runtime.parts):
        from tictac.plugins.tournament.hosting.pages import TournamentPages

        lobby.parts["tournaments"] = TournamentPages(follower, desk.events, lobby.matches).answer
    days = options.keep_tournaments
    prune = (lambda: follower.prune(time.time() - days * DAY)) if days else None
    return TournamentService(reactor, store, registry, runtime.accounts, host, desk, prune)


ADD_ON = AddOn(_make, TournamentOptions)
