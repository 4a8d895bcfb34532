"""The rooms server as a part of the whole: its options, and what runs while it does."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random, SystemRandom
from typing import Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tictac import options as read
from tictac.accounts.accounts import Accounts
from tictac.doors.lobby.lobby import Lobby
from tictac.doors.lobby.server import LobbyFactory
from tictac.doors.rooms.server import RoomsFactory
from tictac.lobby.computer import Computer
from tictac.lobby.events import Ended
from tictac.lobby.interfaces import Occupant, Watcher
from tictac.lobby.journal import Journal
from tictac.lobby.keeping import KeepingRegistry
from tictac.lobby.registry import MemoryRegistry
from tictac.lobby.terms import Terms
from tictac.logs import LIMITED
from tictac.net.connection import Limits
from tictac.net.framing import MODES, Framing
from tictac.net.part import (
    Parameter,
    PartMaker,
    PartService,
    Shared,
    connection_limits,
    sweep_interval,
)
from tictac.thinking import Thinkers
from tictac.worker import Question

_log = Logger(observer=LIMITED)


@dataclass(frozen=True, slots=True)
class Settings:
    """What the rooms server is asked for; times in seconds, 0 for no limit.

    ``ports`` are endpoint descriptions. ``rejoin_timeout`` is how long the seats of players
    are held who were cut off; 0: not at all. ``offer_timeout`` is how long what players offer
    each other stands. ``computer`` is how long a room waits for the computer; None: it goes only
    where it is asked for.
    ``guests``, ``max_rooms_per_connection`` and ``max_room_events`` are those of the lobby protocol
    (:class:`~tictac.doors.lobby.lobby.Lobby`).
    """

    ports: Sequence[str]
    framing: Framing
    limits: Limits
    max_rooms: int = 256
    max_rooms_per_user: int = 0
    max_rooms_per_connection: int = 16
    max_room_events: int = 2000
    guests: bool = False
    move_timeout: float = 600
    wait_timeout: float = 3600
    rejoin_timeout: float = 0
    offer_timeout: float = 60
    computer: float | None = None
    log_matches: bool = False
    eager: bool = True
    workers: int = 0
    max_questions_per_peer: int = 100


class MatchLog:
    """Counts matches by the word for their end, and logs each if asked (a Watcher)."""

    def __init__(self, log_each: bool) -> None:
        self.counts: Counter[str] = Counter()
        self._log_each = log_each
        self._of_doors: set[str] = set()

    def room_opened(self, name: str, terms: Terms) -> None:
        """Leave the rooms of a door to the door."""
        if terms.door is not None:
            self._of_doors.add(name)

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        """Count it."""
        if name in self._of_doors:
            self._of_doors.remove(name)
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


class RoomsService(PartService):
    """Rooms, their listeners and the computer, over accounts that it starts and stops.

    ``registry`` keeps the rooms, instead of one in memory; it is started and stopped, too.
    """

    def __init__(
        self,
        reactor: Any,
        settings: Settings,
        accounts: Accounts,
        registry: MemoryRegistry | None = None,
    ) -> None:
        self.accounts = accounts
        self._clock = reactor
        self.matches = MatchLog(settings.log_matches)
        self.registry = registry or memory_registry(settings)
        self.lobby = self._make_lobby(self.registry, settings)
        self.registry.watchers.append(self.matches)
        self._settings = settings
        self._computer: Computer | None = None
        size = settings.workers or os.cpu_count() or 1
        self._thinkers = Thinkers(reactor, size, settings.max_questions_per_peer)
        self._thinks = False
        limits = settings.limits
        super().__init__(
            reactor,
            "rooms",
            settings.ports,
            self._make_factory,
            sweep_interval(
                limits.login_timeout,
                limits.idle_timeout,
                settings.move_timeout,
                settings.wait_timeout,
                settings.rejoin_timeout,
                settings.offer_timeout,
            ),
            settings.eager,
            2 * settings.framing.max_message,
        )

    def _make_lobby(self, registry: MemoryRegistry, settings: Settings) -> Lobby:
        """What the connections of the lobby protocol share."""
        return Lobby(
            registry,
            time.monotonic,
            self._clock.callLater,
            SystemRandom(),
            settings.guests,
            settings.max_rooms_per_connection,
            settings.max_room_events,
            settings.rejoin_timeout,
        )

    def _make_factory(self, proxied: bool) -> RoomsFactory:
        return self._new_factory(self._settings.framing, proxied)

    def _new_factory(self, framing: Framing, proxied: bool) -> RoomsFactory:
        return RoomsFactory(
            self.registry,
            self.accounts,
            self._clock,
            time.monotonic,
            self.lobby,
            framing,
            self._settings.limits,
            proxied,
        )

    # For parts that offer another way into the rooms

    def new_entrance(self) -> RoomsFactory:
        """A factory of connections that come by another way, each message of them a line.

        They are limited, swept and said goodbye to like those of the ports.
        """
        factory = self._new_factory(replace(self._settings.framing, mode="line"), False)
        self.factories.append(factory)
        return factory

    def new_lobby_entrance(self) -> LobbyFactory:
        """Likewise, but of connections that speak the lobby protocol and nothing else."""
        factory = LobbyFactory(
            self.accounts,
            self._clock,
            time.monotonic,
            self.lobby,
            replace(self._settings.framing, mode="line"),
            self._settings.limits,
        )
        self.factories.append(factory)
        return factory

    def moves_made(self) -> int:
        """How many moves there were, in matches that are over and in those that run."""
        return self.registry.moves()

    # Running

    def begin(self) -> None:
        self._warn_of_limits()
        self.accounts.start()
        self._computer = Computer(
            self.registry,
            self._clock,
            self._settings.computer,
            Random(),
            self,
            self._settings.computer is not None,
        )
        self.registry.watchers.append(self._computer)
        self.registry.start()

    def _warn_of_limits(self) -> None:
        """Say which limits on connections keep the rooms from being filled."""
        limits, needed = self._settings.limits, 2 * self._settings.max_rooms
        most = {
            "max-connections": limits.max_connections,
            "max-connections-per-peer": limits.max_connections_per_peer,
        }
        for option, connections in most.items():
            if self.listeners and 0 < connections < needed:
                _log.warn(
                    "--max-rooms {rooms} can't be reached with --{option} {connections}",
                    rooms=self._settings.max_rooms,
                    option=option,
                    connections=connections,
                )

    def serving(self) -> bool:
        return super().serving() and self.accounts.ready() and self.registry.ready()

    def expire(self) -> None:
        settings = self._settings
        self.registry.expire(settings.move_timeout, settings.wait_timeout, settings.offer_timeout)
        self.lobby.expire(settings.offer_timeout)
        super().expire()

    def matches_running(self) -> int:
        return 0 if self.registry.outlives else self.registry.running()

    def stop_listening(self) -> None:
        super().stop_listening()
        # Nobody could come back, so the others needn't wait.
        self.registry.stop_holding()

    def stopService(self) -> Deferred[None]:
        if self._computer is not None:
            self._computer.stop()
        self.lobby.stop()
        return super().stopService()

    def think(self, question: Question, line: Hashable = None) -> Deferred[str]:
        """A move of the computer at a slow level (computer.Thinker).

        The processes for that start when the first one is asked for.
        """
        if not self._thinks:
            self._thinks = True
            self._thinkers.start()
        return self._thinkers.think(question, line)

    async def end(self) -> None:
        if self._thinks:
            await self._thinkers.stop()
        await self.registry.stop()
        await self.accounts.stop()
        _log.info(
            "matches: {matches}; refusals: {refusals}",
            matches=dict(self.matches.counts),
            refusals=self.refusals(),
        )


def _report(culprit: Occupant | Watcher) -> None:
    _log.failure("{culprit} failed to take an event", culprit=culprit)


def _report_lost(room: str) -> None:
    _log.failure("the kept room {room!r} can't be read; it is left alone", room=room)


def memory_registry(
    settings: Settings, journal: Journal | None = None, later: Callable[..., Any] | None = None
) -> MemoryRegistry:
    """Rooms in memory, and in ``journal`` if there is one; ``later`` is callLater."""
    if journal is None or later is None:
        return MemoryRegistry(*registry_arguments(settings))
    return KeepingRegistry(journal, later, *registry_arguments(settings, True))


def registry_arguments(settings: Settings, keeps: bool = False) -> tuple[Any, ...]:
    """What every registry is made with; one that ``keeps`` rooms gets a little more."""
    common = (
        settings.max_rooms,
        time.monotonic,
        _report,
        settings.rejoin_timeout,
        settings.max_rooms_per_user,
    )
    return (_report_lost, *common) if keeps else common


# The options


_JOURNAL = read.one_of("none", "sqlite", "postgres")

_PARAMETERS: list[Parameter] = [
    ("framing", None, "auto", "How messages end: auto, line or bare.", read.one_of(*MODES)),
    ("max-message", None, 8192, "Bytes of the longest message, from 100.", read.message_size),
    ("bare-complete", None, 0.03, "Seconds of silence that end a whole request.", read.seconds),
    ("bare-incomplete", None, 0.5, "Seconds of silence that end anything else.", read.seconds),
    ("bare-gap", None, 0.02, "Seconds between two messages to a bare peer.", read.seconds),
    ("turn-budget", None, 16, "Messages of a connection in a reactor turn.", read.positive),
    ("computer", None, None, "The computer joins rooms that wait so long.", read.seconds),
    ("computer-workers", None, 0, "Processes that think in rooms; 0: one a core.", read.count),
    ("login-timeout", None, 300.0, "Seconds to log in.", read.seconds),
    ("move-timeout", None, 600.0, "Seconds for a move; then it is a forfeit.", read.seconds),
    ("idle-timeout", None, 3600.0, "Seconds of silence outside a room.", read.seconds),
    ("wait-timeout", None, 3600.0, "Seconds a room waits for its second player.", read.seconds),
    (
        "rejoin-timeout",
        None,
        None,
        "Seconds to come back; 30 if rooms are kept, else 0.",
        read.seconds,
    ),
    ("offer-timeout", None, 60.0, "Seconds to answer a draw or the like.", read.seconds),
    ("journal", None, "none", "Keep rooms in the database: none, sqlite or postgres.", _JOURNAL),
    ("max-rooms", None, 256, "Rooms at a time.", read.count),
    ("max-rooms-per-user", None, 0, "Rooms where an account is alone; 0: any.", read.count),
    ("max-rooms-per-connection", None, 16, "Rooms a JSON connection may be in.", read.count),
    ("max-room-events", None, 2000, "Events of a room; then only moves.", read.count),
]


def make_settings(options: Mapping[str, Any], ports: Sequence[str]) -> Settings:
    """The options of the rooms server, as values of its own types."""
    framing = Framing(
        mode=options["framing"],
        max_message=options["max-message"],
        complete_after=options["bare-complete"],
        incomplete_after=options["bare-incomplete"],
        gap=options["bare-gap"],
        turn_budget=options["turn-budget"],
    )
    return Settings(
        ports=ports,
        framing=framing,
        limits=connection_limits(options, options["login-timeout"], options["idle-timeout"]),
        max_rooms=options["max-rooms"],
        max_rooms_per_user=options["max-rooms-per-user"],
        max_rooms_per_connection=options["max-rooms-per-connection"],
        max_room_events=options["max-room-events"],
        guests=bool(options["guests"]),
        move_timeout=options["move-timeout"],
        wait_timeout=options["wait-timeout"],
        rejoin_timeout=_rejoin_timeout(options),
        offer_timeout=options["offer-timeout"],
        computer=options["computer"],
        log_matches=bool(options["log-matches"]),
        workers=options["computer-workers"],
        max_questions_per_peer=options["max-questions-per-peer"],
        eager=not options["no-eager-send"],
    )


def _rejoin_timeout(options: Mapping[str, Any]) -> float:
    """Where rooms outlive a process it is worth coming back."""
    chosen: float | None = options["rejoin-timeout"]
    if chosen is not None:
        return chosen
    return 30.0 if options["node"] or options["journal"] != "none" else 0.0


def _make(options: Mapping[str, Any], ports: Sequence[str], shared: Shared) -> RoomsService:
    settings = make_settings(options, ports)
    return RoomsService(shared.reactor, settings, shared.accounts(), shared.lobby())


PART = PartMaker(
    port="port",
    port_letter="p",
    port_help="Listen for the rooms protocol on this port, or endpoint string; repeatable.",
    make=_make,
    parameters=_PARAMETERS,
    flags=[
        ("log-matches", None, "Log each match, not only the counts at the end."),
        ("guests", None, "Let people without an account play with others, not only the computer."),
    ],
)
