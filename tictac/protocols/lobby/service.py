"""The lobby as a part of the server: what its rooms need while they are open.

Every connection that lists rooms, logs in, or sits down in a room of the list needs this part,
whichever its protocol is: the port of the rooms protocol, the page, XMPP. The part starts before
the connections that need it, and stops after its own. The order:

1. ``begin`` starts the accounts, then the registry, which continues the saved rooms. The computer
   watches the registry before that, because it has seats in some of them. The ports open last.
2. ``stop_listening`` announces to programs that the server stops. From then on no seat is held: a
   disconnected player can't come back, so the opponent needn't wait.
3. ``stopService`` stops the computer at once, so that it doesn't move while connections close.
4. ``end`` follows the last connection. The engines end first, because their answers are moves. Then
   the registry saves what waits, and the accounts close.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from tictac.accounts.accounts import LOOKS_EVERY, Accounts
from tictac.engines.computer import Computer
from tictac.engines.pool import EnginePool
from tictac.errors import SetupError
from tictac.lobby.events import Ended
from tictac.lobby.terms import Terms
from tictac.logs import LIMITED
from tictac.net.plugin import ProtocolService, connection_limits, sweep_interval
from tictac.net.settings import RoomsOptions, ServerOptions
from tictac.options import Settings
from tictac.protocols.lobby.lobby import Lobby
from tictac.ratings.counting import Counting

_log = Logger(observer=LIMITED)


class MatchLog:
    """Counts matches by their endings, and logs each if asked (RoomObserver)."""

    def __init__(self, log_each: bool) -> None:
        self.counts: Counter[str] = Counter()
        self._log_each = log_each
        self._assigned: set[str] = set()

    def room_opened(self, name: str, terms: Terms) -> None:
        """Do nothing: a protocol that assigns the seats reports its own rooms."""
        if terms.protocol is not None:
            self._assigned.add(name)

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        """Count the match."""
        if name in self._assigned:
            self._assigned.remove(name)
            return
        self.counts[ended.ending] += 1
        if self._log_each:
            _log.info(
                "room {room!r}: {ending} ({users})",
                room=name,
                ending=ended.ending,
                users=" against ".join(map(repr, users)),
                winner=ended.winner,
                board=ended.position,
            )


class LobbyService(ProtocolService):
    """Starts and stops ``accounts``, the registry of ``lobby``, and what else its rooms need.

    ``engines`` think for the computer. ``counting`` rates finished matches; None: there is no
    archive. A protocol of the lobby adds its ports (:meth:`listen`), or ``factories`` for
    connections that come through another part, which are closed with those of the ports.
    """

    def __init__(
        self,
        reactor: Any,
        settings: Settings,
        accounts: Accounts,
        lobby: Lobby,
        engines: EnginePool,
        counting: Counting | None = None,
    ) -> None:
        options = settings[RoomsOptions]
        self.accounts = accounts
        self.lobby = lobby
        self.registry = lobby.registry
        self.matches = MatchLog(options.log_matches)
        self.registry.observers.append(self.matches)
        self._options, self._drain = options, settings[ServerOptions].drain
        self.engines = engines
        self._counting = counting
        self._computer: Computer | None = None
        self._looking = LoopingCall(lambda: self.accounts.look())
        self._looking.clock = reactor
        self._timeouts = options.move_timeout, options.wait_timeout, options.offer_timeout
        login, idle = options.login_timeout, options.idle_timeout
        self.limits = connection_limits(settings, login, idle)
        """The limits of each connection."""
        # Log lines and metrics have the name of the rooms protocol for this part.
        sweep = sweep_interval(login, idle, *self._timeouts, lobby.held)
        super().__init__(reactor, "rooms", [], lambda proxied: None, sweep)

    def begin(self) -> None:
        self._warn_of_limits()
        self.accounts.start()
        if self.lobby.admin is not None:
            self.lobby.admin.start()
        self._looking.start(LOOKS_EVERY)
        wait, alone = self._options.computer, self._options.abandoned_timeout
        self._computer = Computer(
            self.registry, self._reactor, wait, Random(), self.engines, wait is not None, alone
        )
        self.registry.observers.append(self._computer)
        self.registry.start()
        if self._counting is not None:
            self._counting.start()

    def _warn_of_limits(self) -> None:
        """Log which limits on connections keep the rooms from being filled."""
        rooms, limits = self._options.max_rooms, self.limits
        for option, connections in (
            ("max-connections", limits.max_connections),
            ("max-connections-per-peer", limits.max_connections_per_peer),
        ):
            if self.listeners and 0 < connections < 2 * rooms:
                _log.warn(
                    "--max-rooms {rooms} can't be reached with --{option} {connections}",
                    rooms=rooms,
                    option=option,
                    connections=connections,
                )

    def reload(self) -> None:
        super().reload()
        try:
            self.accounts.registration.reload()
        except SetupError as error:
            _log.error("registration codes not reloaded: {why}; using the previous ones", why=error)

    def serving(self) -> bool:
        return super().serving() and self.accounts.ready() and self.registry.ready()

    def expire(self) -> None:
        move, wait, offer = self._timeouts
        self.registry.expire(move, wait, offer)
        self.lobby.expire(offer)
        super().expire()

    def matches_running(self) -> int:
        return 0 if self.registry.outlives else self.registry.running()

    def stop_listening(self) -> None:
        super().stop_listening()
        for connection in self._connections():
            connection.send_stopping(self._drain)
        # Nobody can rejoin, so the others needn't wait.
        self.registry.stop_holding()

    def stopService(self) -> Deferred[None]:
        if self._computer is not None:
            self._computer.stop()
        self.lobby.stop()
        return super().stopService()

    async def end(self) -> None:
        await self.engines.stop()
        if self._counting is not None:
            self._counting.stop()
        await self.registry.stop()
        if self._looking.running:
            self._looking.stop()
        await self.accounts.stop()
        _log.info(
            "matches: {matches}; refusals: {refusals}",
            matches=dict(self.matches.counts),
            refusals=self.refusals(),
        )
