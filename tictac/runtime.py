"""The runtime: the objects that the protocols of one process share.

A :class:`Runtime` makes each object when the first protocol asks for it, so a server opens only
what its ports need: one with ``--nim`` alone has a registry of rooms, but no accounts and no list
of rooms. Nothing here opens a connection, a thread, or a process: twistd forks later. What can be
checked before that is checked when an object is made, in the order in which protocols ask. The
operator sees the first fault only, so the order matters:

1. A lock on the saved rooms comes before the database. Another server's file isn't even opened.
2. The database comes before the ports, because a port in use would hide its faults.
3. The part of the lobby joins ``parts`` before the protocol that has asked for it. Parts start in
   that order, so the rooms are there before the first connection to that protocol.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from random import SystemRandom
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger

from tictac.accounts.accounts import Accounts
from tictac.accounts.hasher import PasswordHasher
from tictac.accounts.registration import Registration
from tictac.accounts.throttle import LoginThrottle
from tictac.accounts.tokens import Tokens
from tictac.accounts.transfer import import_once
from tictac.archive.room_journal import SqliteJournal
from tictac.archive.write_behind import WriteBehind
from tictac.engines.pool import EnginePool
from tictac.errors import SetupError
from tictac.lobby.outbox import Direct, Journaled, Outbox
from tictac.lobby.registry import Registry
from tictac.lobby.terms import Terms
from tictac.logs import LIMITED
from tictac.net.plugin import Contestant, ProtocolService, Turn
from tictac.net.running_time import running_time
from tictac.net.settings import AccountOptions, RoomsOptions, ServerOptions
from tictac.net.storage_quota import Storage
from tictac.options import Option, Settings
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.admin import Admin
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.lobby.service import LobbyService
from tictac.ratings.counting import Counting
from tictac.storage.databases import is_url, prepare, store_at
from tictac.storage.disk import MIB, Disk
from tictac.storage.file_lock import FileLock, HeldError, lock_beside
from tictac.storage.files import DATABASE_NAME
from tictac.storage.store import Store

_log = Logger(observer=LIMITED)


@dataclass(frozen=True, slots=True)
class ServerPlugin:
    """The description of a part for `twistd tictac`.

    ``port`` is the repeatable option with the addresses of the part; ``port_letter`` and
    ``port_help`` describe it. ``options`` is the dataclass of the other options (tictac.options).
    ``make`` gets the endpoint strings, and the runtime. It can raise
    :class:`~tictac.errors.SetupError`, and must not open anything yet.

    ``seats`` makes the factory (PartFactory) of a port for one program in a tournament. Its
    arguments are the Contestant, the reactor, and the lobby. ``hosts`` returns whether the protocol
    can express a match on such terms.

    ``tictac serve NAME`` starts the part alone, at ``default_port``; None: that isn't possible.

    If ``listens`` is false, the option named by ``port`` switches the part on, and the part
    interprets its values.
    """

    port: str
    port_help: str
    make: Callable[[Sequence[str], Runtime], ProtocolService]
    options: type[Any] | None = None
    port_letter: str | None = None
    listens: bool = True
    seats: Callable[[Contestant, Any, Lobby], Any] | None = None
    hosts: Callable[[Terms], bool] = lambda terms: True
    default_port: int | None = None

    def port_option(self) -> Option:
        """Return the option of the port."""
        return Option(self.port, (), self.port_help, str, self.port_letter, "PORT")


@dataclass(frozen=True, slots=True)
class LobbyPlugin:
    """An alternative to a Registry that one process alone can have, if the options ask for it.

    ``make`` returns the registry (Runtime.new_registry) and the turn of this process; None if the
    options don't ask for it. It can raise SetupError.
    """

    make: Callable[[Runtime], tuple[Registry, Turn] | None]
    options: type[Any] | None = None


@dataclass(frozen=True, slots=True)
class AddOn:
    """What belongs to every server with a lobby, without a port of its own.

    ``make`` returns None if the options don't ask for it, and can raise SetupError.
    """

    make: Callable[[Runtime], ProtocolService | None]
    options: type[Any] | None = None


class Runtime:
    """The objects that the parts of one process share, by their ``settings``.

    ``lobbies`` are plug-ins that can make the registry. Each attribute that is made when a part
    asks for it can raise :class:`~tictac.errors.SetupError`. ``lost`` is called with the reason
    when another process has taken the saved rooms over.
    """

    def __init__(
        self, settings: Settings, reactor: Any, lobbies: Iterable[LobbyPlugin] = ()
    ) -> None:
        self.settings = settings
        self._server_options = settings[ServerOptions]
        self._account_options = options = settings[AccountOptions]
        self._rooms_options = settings[RoomsOptions]
        self.reactor = reactor
        self.parts: list[ProtocolService] = []
        """All parts, in the order in which they start."""
        self.lobby_service: LobbyService | None = None
        """The part of the lobby; None: no part has asked for the lobby."""
        self.turn: Turn | None = None
        """The turn of this process; None: it serves at once."""
        self.disks: list[Disk] = []
        self.claims: list[FileLock] = []
        """The locks that this process has until its end."""
        self.lost: Callable[[str], object] = str
        self.storage = Storage(
            time.monotonic, options.stored_a_day * MIB, options.trusted_net, self.disks
        )
        self._lobbies = lobbies

    @property
    def eager(self) -> bool:
        """Whether connections send at once, and not at the end of the reactor's turn."""
        return not self._server_options.no_eager_send

    # Storage

    @cached_property
    def database(self) -> str:
        """The path or URL of the database, which is created or upgraded if needed."""
        found = find_database(self._account_options.database)
        if not is_url(found):
            reserve = self._account_options.disk_reserve * MIB
            self.disks.append(Disk(self.reactor, found, reserve, self._in_thread))
        return found

    def _in_thread(self, function: Callable[..., Any], *words: Any) -> Deferred[Any]:
        return deferToThreadPool(self.reactor, self.reactor.getThreadPool(), function, *words)

    def store(self, what: str) -> Store:
        """Make a store of the database with a thread of its own, for a part with its own tables.

        ``what`` names the contents in log lines. Raises SetupError.
        """
        return store_at(self.database, what, self.reactor, self._server_options.engine_timeout)

    def claim(self, what: str) -> str:
        """Take what only one server can have of a database file, until the end of this process.

        Return the owner that has it already, or an empty text. Raises SetupError.
        """
        # Before the database is opened: a close would remove another server's write-ahead log, if
        # the file was replaced meanwhile.
        given = self._account_options.database
        if is_url(given):
            return ""
        try:
            place = self.database if given.endswith(".json") else given
            self.claims.append(lock_beside(place, f".{what}.lock"))
        except HeldError as held:
            return str(held) or "another process"
        except SetupError:
            self.database  # noqa: B018  # mostly has the better reason
            raise
        return ""

    @cached_property
    def behind(self) -> WriteBehind | None:
        """The queue of finished matches for the archive; None: there is no archive."""
        options = self._account_options
        if self._server_options.no_archive:
            return None
        queue, days = options.archive_queue, options.keep_matches
        return WriteBehind(self.store("matches"), self.reactor, running_time.seconds, queue, days)

    @property
    def archive(self) -> Store | None:
        """The finished matches; None: there is no archive. The server starts it."""
        return None if self.behind is None else self.behind.archive

    # Accounts

    @cached_property
    def accounts(self) -> Accounts:
        """The accounts. The lobby starts them."""
        options, reactor = self._account_options, self.reactor
        threads = options.password_threads or None
        hasher = PasswordHasher(reactor, options.bcrypt_rounds, threads)
        throttle = LoginThrottle(
            reactor, time.monotonic, options.login_failures, options.login_delay,
            options.login_delay_max, options.login_forgive, options.trusted_net,
        )  # fmt: skip
        store, registration = self.store("accounts"), Registration(options.registration)
        tokens = Tokens(store, options.token_days, options.max_tokens_per_user)
        accounts = Accounts(store, hasher, throttle, tokens, registration, options.min_password)
        accounts.admits = self.storage.register
        return accounts

    # Rooms

    @cached_property
    def registry(self) -> Registry:
        """The rooms of every protocol in this process."""
        for lobby in self._lobbies:
            if (made := lobby.make(self)) is not None:
                registry, self.turn = made
                break
        else:
            registry = self._own_registry()
        registry.archivist = self.behind
        registry.storage = self.storage
        return registry

    def _own_registry(self) -> Registry:
        if self._rooms_options.journal == "none":
            return self.new_registry()
        try:
            path = self.database
        except SetupError as error:
            kept = self._account_options.database
            if not Path(kept).exists() or os.access(kept, os.W_OK):
                raise
            why = f"{str(error).rstrip('.')}; it is for rooms, too, unless you add --journal none"
            raise SetupError(why) from None
        if is_url(path):
            raise SetupError("--journal sqlite needs a --database that is a file")

        def is_behind() -> bool:
            return any(disk.is_behind() for disk in self.disks)

        later, lost = self.reactor.callLater, lambda why: self.lost(why)
        journal = SqliteJournal(path, running_time.seconds, later, is_behind, lost)
        return self.new_registry(partial(Journaled, journal, later))

    def new_registry(self, outbox: Callable[..., Outbox] = Direct) -> Registry:
        """Make a registry by the options, whose decisions go to an outbox."""
        rooms, of_user = self._rooms_options.max_rooms, self._rooms_options.max_rooms_per_user
        limits = (rooms, running_time.seconds, _report_fault, self.rejoin_timeout, of_user)
        # From numbers in the archive, the state of a Random would be known.
        return Registry(*limits, rng=SystemRandom(), on_lost=_report_lost, outbox=outbox)

    @property
    def rejoin_timeout(self) -> float:
        """The seconds for which the seat of a disconnected player is held."""
        chosen = self._rooms_options.rejoin_timeout
        return 30.0 if chosen is None else chosen

    def why_not(self) -> str:
        """Return why this process waits for its turn; empty: it serves."""
        return "" if self.turn is None else self.turn.why_not()

    # The lobby

    @property
    def lobby(self) -> Lobby:
        """The list of rooms, with what belongs to it: see :meth:`serve_lobby`."""
        return self.serve_lobby().lobby

    def serve_lobby(self) -> LobbyService:
        """Return the part of the lobby, which is made when the first part asks for it."""
        if self.lobby_service is not None:
            return self.lobby_service
        options, reactor = self._rooms_options, self.reactor
        if options.journal != "none" and (owner := self.claim("rooms")):
            raise SetupError(
                f"{self._account_options.database}: another server has the saved rooms: {owner};"
                " stop it, or add --journal none"
            )
        accounts, registry, archive = self.accounts, self.registry, self.archive
        registry.max_rooms_per_peer = options.max_rooms_per_peer
        registry.max_viewers_per_peer = options.max_viewers_per_peer
        lobby = Lobby(
            registry, running_time.seconds, reactor.callLater, SystemRandom(),
            options.guests and options.visitors != "none", options.max_rooms_per_connection,
            options.max_room_events, self.rejoin_timeout, archive, self.engines,
        )  # fmt: skip
        lobby.visitors = wire.VISITORS.index(options.visitors)
        lobby.admin = Admin(accounts, registry, lambda: self.parts, lobby.day_time, time.time)
        counting = Counting(archive, reactor, options.rated_a_day) if archive else None
        service = LobbyService(reactor, self.settings, accounts, lobby, self.engines, counting)
        self.parts.append(service)
        self.lobby_service = service
        return service

    @cached_property
    def engines(self) -> EnginePool:
        """The processes that think for the computer, and analyze matches. The lobby stops them."""
        size, server = self._rooms_options.computer_workers, self._server_options
        return EnginePool(self.reactor, size, server.max_questions_per_peer, on_demand=True)


def find_database(given: str) -> str:
    """Return the path or URL of the database, also for a JSON file with users.

    The database is created or upgraded if needed. Raises SetupError if it is unusable.
    """
    database = given
    if given.endswith(".json") and not is_url(given):
        existed = Path(given).with_name(DATABASE_NAME).exists()
        database = import_once(given)
        if existed:
            _log.info(
                "accounts: using {database}; {given} was not read", database=database, given=given
            )
    prepare(database)
    return database


def _report_fault(culprit: object) -> None:
    _log.failure("{culprit} failed to take an event", culprit=culprit)


def _report_lost(room: str) -> None:
    _log.failure("cannot read the saved room {room!r}; skipping it", room=room)
