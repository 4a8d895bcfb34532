"""The rooms server as a part of the whole: its options, and what it starts and stops."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from random import Random, SystemRandom
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from tictac.accounts.accounts import LOOKS_EVERY, Accounts
from tictac.engines.computer import Computer
from tictac.engines.pool import EnginePool
from tictac.engines.worker import AnalysisJob, Question
from tictac.errors import SetupError
from tictac.lobby.events import Ended
from tictac.lobby.interfaces import Occupant, RoomObserver
from tictac.lobby.registry import Registry
from tictac.lobby.terms import Terms
from tictac.logs import LIMITED
from tictac.net import plugin
from tictac.net.framing import Framing
from tictac.net.running_time import running_time
from tictac.net.settings import RoomsOptions
from tictac.protocols.lobby.admin import Admin
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.lobby.server import LobbyFactory
from tictac.protocols.rooms.seats import seats
from tictac.protocols.rooms.server import RoomsFactory
from tictac.ratings.counting import Counting
from tictac.storage.store import Store

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


class RoomsService(plugin.ProtocolService):
    """Rooms, their listeners, and the computer, by the ``options`` of settings.py.

    The service also starts and stops ``accounts`` and the ``registry``. ``archive`` has finished
    matches and rates their players; None: there is no archive. ``parts`` are the parts that admins
    can control; None: this one.
    """

    def __init__(
        self,
        reactor: Any,
        options: Mapping[str, Any],
        ports: Sequence[str],
        accounts: Accounts,
        registry: Registry,
        archive: Store | None = None,
        parts: Callable[[], Sequence[plugin.ProtocolService]] | None = None,
    ) -> None:
        self.accounts = accounts
        self.registry = registry
        self.matches = MatchLog(bool(options["log-matches"]))
        registry.observers.append(self.matches)
        registry.max_rooms_per_peer = options["max-rooms-per-peer"]
        registry.max_viewers_per_peer = options["max-viewers-per-peer"]
        self._options = options
        self._framing = framing_of(options)
        login, idle, move, wait = (
            options[f"{what}-timeout"] for what in ("login", "idle", "move", "wait")
        )
        self._limits = plugin.connection_limits(options, login, idle)
        self._clock = reactor
        self._computer: Computer | None = None
        self._counting: Counting | None = None
        if archive is not None:
            self._counting = Counting(archive, reactor, options["rated-a-day"])
        self._engines = EnginePool(
            reactor, options["computer-workers"], options["max-questions-per-peer"]
        )
        self._thinks = False
        self._looking = LoopingCall(lambda: self.accounts.look())
        self._looking.clock = reactor
        held = rejoin_timeout(options)
        self.lobby = Lobby(
            registry,
            running_time.seconds,
            reactor.callLater,
            SystemRandom(),
            bool(options["guests"]),
            options["max-rooms-per-connection"],
            options["max-room-events"],
            held,
            archive,
            self,
        )
        parts = parts or (lambda: [self])
        self._admin = Admin(accounts, registry, parts, self.lobby.day_time, time.time)
        self.lobby.admin = self._admin
        super().__init__(
            reactor,
            "rooms",
            ports,
            lambda proxied: self._new_factory(self._framing, proxied),
            plugin.sweep_interval(login, idle, move, wait, held, options["offer-timeout"]),
            not options["no-eager-send"],
            2 * self._framing.max_message,
        )

    def _new_factory(self, framing: Framing, proxied: bool = False) -> RoomsFactory:
        return RoomsFactory(
            self._clock,
            running_time.seconds,
            framing,
            self._limits,
            proxied,
            accounts=self.accounts,
            lobby=self.lobby,
            registry=self.registry,
            # rooms.md: a lost connection forfeits, unless the operator decides otherwise.
            rejoins=self._options["rejoin-timeout"] is not None,
        )

    # For parts with another way into the rooms

    def new_entrance(self) -> RoomsFactory:
        """Return a factory for connections that come another way; each of their messages is a line.

        They have the limits of the ports' connections, and are closed with them.
        """
        factory = self._new_factory(replace(self._framing, mode="line"))
        factory.protocol_name = "page"
        self.factories.append(factory)
        return factory

    def new_lobby_entrance(self) -> LobbyFactory:
        """Return a factory like :meth:`new_entrance`, but only for the lobby protocol."""
        factory = LobbyFactory(
            self._clock,
            running_time.seconds,
            replace(self._framing, mode="line"),
            self._limits,
            protocol_name="page",
            accounts=self.accounts,
            lobby=self.lobby,
        )
        self.factories.append(factory)
        return factory

    # Running

    def begin(self) -> None:
        self._warn_of_limits()
        self.accounts.start()
        self._admin.start()
        self._looking.start(LOOKS_EVERY)
        wait = self._options["computer"]
        self._computer = Computer(
            self.registry, self._clock, wait, Random(), self, wait is not None,
            self._options["abandoned-timeout"],
        )  # fmt: skip
        self.registry.observers.append(self._computer)
        self.registry.start()
        if self._counting is not None:
            self._counting.start()

    def _warn_of_limits(self) -> None:
        """Log which limits on connections keep the rooms from being filled."""
        rooms = self._options["max-rooms"]
        for option in ("max-connections", "max-connections-per-peer"):
            connections = self._options[option]
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
        move, wait, offer = (self._options[f"{what}-timeout"] for what in ("move", "wait", "offer"))
        self.registry.expire(move, wait, offer)
        self.lobby.expire(offer)
        super().expire()

    def matches_running(self) -> int:
        return 0 if self.registry.outlives else self.registry.running()

    def stop_listening(self) -> None:
        super().stop_listening()
        for connection in self._connections():
            connection.tell_stopping(self._options["drain"])
        # Nobody can rejoin, so the others needn't wait.
        self.registry.stop_holding()

    def stopService(self) -> Deferred[None]:
        if self._computer is not None:
            self._computer.stop()
        self.lobby.stop()
        return super().stopService()

    def think(self, question: Question | AnalysisJob, line: Hashable = None) -> Deferred[str]:
        """Return a move of the computer at a slow level, or an analysis.

        The engine processes start at the first question.
        """
        if not self._thinks:
            self._thinks = True
            self._engines.start()
        return self._engines.think(question, line)

    async def end(self) -> None:
        if self._thinks:
            await self._engines.stop()
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


def _report(culprit: Occupant | RoomObserver) -> None:
    _log.failure("{culprit} failed to take an event", culprit=culprit)


def report_lost(room: str) -> None:
    """Log an unreadable room of the journal."""
    _log.failure("cannot read the saved room {room!r}; skipping it", room=room)


def registry_arguments(options: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the arguments of every registry."""
    rooms, of_user = options["max-rooms"], options["max-rooms-per-user"]
    return rooms, running_time.seconds, _report, rejoin_timeout(options), of_user


# The options


def framing_of(options: Mapping[str, Any]) -> Framing:
    """Return how messages end."""
    names = (
        "framing", "max-message", "bare-complete", "bare-incomplete", "bare-gap", "turn-budget"
    )  # fmt: skip
    framing = Framing(*(options[name] for name in names))
    return replace(framing, entry_gap=options["bare-entry-gap"])


def rejoin_timeout(options: Mapping[str, Any]) -> float:
    """Return the seconds that the seat of a disconnected player is held."""
    chosen: float | None = options["rejoin-timeout"]
    return 30.0 if chosen is None else chosen


def _make(options: Mapping[str, Any], ports: Sequence[str], shared: plugin.Shared) -> RoomsService:
    if options["journal"] != "none" and (owner := shared.claim("rooms")):
        raise SetupError(
            f"{options['database']}: another server has the saved rooms: {owner};"
            " stop it, or add --journal none"
        )
    accounts, registry, archive = shared.accounts(), shared.lobby(), shared.archive()
    return RoomsService(shared.reactor, options, ports, accounts, registry, archive, shared.parts)


PLUGIN = plugin.ServerPlugin(
    port="port",
    port_letter="p",
    port_help="Listen for the rooms protocol on this port, or endpoint string. Repeatable.",
    make=_make,
    seats=seats,
    options=RoomsOptions,
)
