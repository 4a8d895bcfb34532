"""The programs in one match of a tournament: computers and commands."""

from __future__ import annotations

import shlex
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from twisted.internet.defer import Deferred, TimeoutError, fail, succeed
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.internet.threads import deferToThread
from twisted.python.failure import Failure

from tictac.engines.computer import ComputerOccupant, Engine
from tictac.errors import AlreadyPlaying, IllegalMove, NotAMove, Refusal
from tictac.lobby.interfaces import Occupant
from tictac.lobby.registry import Registry
from tictac.lobby.terms import Terms
from tictac.net.connection import Limits
from tictac.net.logins import LoginConnection
from tictac.plugins.programs.program import Program, start_program
from tictac.plugins.tournament.plan import Fault
from tictac.plugins.tournament.running.players import seat_makers
from tictac.plugins.tournament.running.roles import BotRole, WaitingPlayer
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.lobby.session import Session
from tictac.reactor import Reactor

HOST = "127.0.0.1"

SOON = 1e-9
"""Seconds until a computer moves, so that the reactor has a turn in between."""

LIMITS = Limits(login_timeout=0, idle_timeout=0, budget=120_000, budget_burst=240_000, keepalive=0)
"""Limits of a command's connection, which has its own port and ends with its match."""

WRONG = NotAMove, IllegalMove
"""Refusals of impossible moves, which lose the match."""

GRACE = 1.0
"""Seconds until a command is killed after its match, and to wait for its end if it left."""

KEPT = 1 << 14
"""Maximum bytes saved from the end of a command's standard error, per match."""

# All processes of a command die with the tournament, even if the tournament is killed: a subshell
# waits for the end of standard input, then kills the process group. dash, bash and busybox have
# these limits.
_ALONE = """\
exec 3<&0 </dev/null
(read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 &
exec 3<&-
"""


class Missing(Exception):
    """A player did not come to a match."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.why)
        self.fault = fault


class Contestant:
    """A player in one match."""

    def __init__(self, name: str) -> None:
        self.name = name

    def arrive(self) -> Deferred[WaitingPlayer]:
        """Return a Deferred that fires when the player asks for its seat; fails with Missing."""
        raise NotImplementedError

    def is_gone(self) -> bool:
        """Return whether the player asked for the seat and left before the match began."""
        return False

    async def fault(self) -> Fault | None:
        """Return the player's fault, after it left or the match ended; None if it has none."""
        return None

    def end(self) -> None:
        """Release the player after the match."""


class Computer(Contestant):
    """The computer at the level in ``terms``; slow levels think for ``seconds``."""

    def __init__(
        self, name: str, terms: Terms, registry: Registry, reactor: IReactorTime, engine: Engine,
        rng: Random, seconds: float,
    ) -> None:  # fmt: skip
        super().__init__(name)
        self._terms, self._registry, self._reactor = terms, registry, reactor
        self._engine, self._rng, self._seconds = engine, rng, seconds

    def arrive(self) -> Deferred[WaitingPlayer]:
        return succeed(self)

    def take_seat(self, room: str) -> Occupant:
        computer = ComputerOccupant(
            self._registry, self._reactor, self._rng, self._terms, self._engine, SOON, self._seconds
        )
        computer.user = self.name
        return computer


@dataclass(frozen=True, slots=True)
class Allowed:
    """The limits of commands.

    ``start`` is the seconds until they ask for a seat. ``memory`` (MiB) and ``cpu`` (seconds) are
    for each process. 0 turns a limit off.
    """

    start: float = 20.0
    memory: int = 0
    cpu: int = 0

    def shell(self) -> str:
        """Return the limits of processes as lines of a shell."""
        lines = [f"ulimit -v {self.memory * 1024}\n"] * bool(self.memory)
        return "".join([*lines, *[f"ulimit -t {self.cpu}\n"] * bool(self.cpu)])


class _Process(Program):
    """A running command; the end of its standard error is saved."""

    transport: Any

    def childDataReceived(self, childFD: int, data: bytes) -> None:  # noqa: N803 -- Twisted's
        if childFD == 2:
            self.output = (self.output + data)[-KEPT:]

    def processExited(self, reason: Failure) -> None:
        super().processExited(reason)
        self.transport.closeStdin()  # ends the subshell of _ALONE, if the supervisor was killed

    def kill(self) -> None:
        """Kill the command, without a wait for child processes that escaped its process group."""
        super().kill()
        self.transport.loseConnection()


class Command(Contestant):
    """A command that is started for one match.

    Its standard error is added to the file ``errors``, under ``title``.
    """

    def __init__(
        self, name: str, command: str, reactor: Reactor, allowed: Allowed, errors: Path, title: str
    ) -> None:
        super().__init__(name)
        self.done: Deferred[None] | None = None
        """Fires when the command has ended; None before the start."""
        self._command, self._reactor, self._allowed = command, reactor, allowed
        self._errors, self._title = errors, title
        self._coming: Deferred[WaitingPlayer] = Deferred()
        self._guest: WaitingPlayer | None = None
        self._process = _Process()
        self._late: IDelayedCall | None = None
        self._refusal: Refusal | None = None

    def start(self, **values: object) -> Deferred[WaitingPlayer]:
        """Start the command with ``values`` filled in; fires as Contestant.arrive does."""
        command = self._command
        for name, value in (values | {"name": shlex.quote(self.name)}).items():
            command = command.replace(f"{{{name}}}", str(value))
        try:
            start_program(self._reactor, self._process, f"{_ALONE}{self._allowed.shell()}{command}")
        except OSError as error:  # no descriptors, processes, or memory left
            return fail(Missing(Fault("crashed", f"it can't be started: {error.strerror}")))
        self.done = Deferred.fromCoroutine(self._run())
        if self._allowed.start:
            silent = "silent", f"it hasn't asked for a seat in {self._allowed.start:g} s"
            self._late = self._reactor.callLater(self._allowed.start, self._miss, *silent)
        return self._coming

    def wait(self, guest: WaitingPlayer) -> None:
        """Note the command's request for its seat. Raise AlreadyPlaying for a second one."""
        if self._guest is not None or self._coming.called:
            raise AlreadyPlaying(f"{self.name} has come already")
        self._guest = guest
        self._stop_waiting()
        # Later, because the connection has not saved the request yet.
        self._reactor.callLater(0, self._coming.callback, self)

    def take_seat(self, room: str) -> Occupant:
        assert self._guest is not None
        return self._guest.take_seat(room)

    def end(self) -> None:
        """Let the command end; kill it after GRACE seconds."""
        self._stop_waiting()
        if self._process.status is None and self.done is not None:
            killing = self._reactor.callLater(GRACE, self._process.kill)
            self.done.addCallback(lambda _: killing.cancel() if killing.active() else None)

    def kill(self) -> None:
        """Kill the command at once."""
        if self.done is not None and self._process.status is None:
            self._process.kill()

    async def why_lost(self) -> Fault:
        """Return why the command left a match."""
        ended: Deferred[None] = Deferred.fromCoroutine(self._process.ended())
        with suppress(TimeoutError):
            await ended.addTimeout(GRACE, self._reactor)
        if self._process.status is None:
            return Fault("left", "it has closed its connection")
        return Fault(*self._ending())

    def _ending(self) -> tuple[str, str]:
        """Return the word and the reason for the end of the process."""
        return "crashed" if self._process.status else "left", self._process.how_it_ended()

    async def _run(self) -> None:
        """Wait for the command's end, and save its standard error."""
        await self._process.ended()
        how, why = self._ending()
        if self._guest is None and not self._coming.called:
            self._miss(how, why)
        if self._process.output:
            text = f"== {self._title}: {why}\n".encode() + self._process.output
            await deferToThread(_append, self._errors, text)

    def _miss(self, how: str, why: str) -> None:
        self._stop_waiting()
        if self._refusal is not None:
            why += f"; the server refused its last request: {self._refusal.code} ({self._refusal})"
        self._coming.errback(Missing(Fault(how, why)))

    def _stop_waiting(self) -> None:
        if self._late is not None and self._late.active():
            self._late.cancel()


class Here(NamedTuple):
    """A ready occupant that waits for its seat (roles.WaitingPlayer)."""

    occupant: Occupant

    def take_seat(self, room: str) -> Occupant:
        """Return the occupant."""
        return self.occupant


class Bot(Command):
    """A command with its own port, whose protocol seats it (plugin.Contestant, SeatRequester)."""

    limits = LIMITS

    def __init__(
        self, name: str, seat: int, command: str, protocol: str, lobby: Lobby, reactor: Reactor,
        allowed: Allowed, errors: Path, title: str,
    ) -> None:  # fmt: skip
        super().__init__(name, command, reactor, allowed, errors, title)
        self.seat = seat
        self._registry = lobby.registry
        seats = seat_makers()[protocol].seats
        assert seats is not None
        self._factory = seats(self, reactor, lobby)
        self._occupant: Occupant | None = None
        self._room = ""
        self._fault: Fault | None = None
        self._is_lost = False
        self._port: Any = None

    def arrive(self) -> Deferred[WaitingPlayer]:
        self._port = self._reactor.listenTCP(0, self._factory, interface=HOST)
        return self.start(host=HOST, port=self._port.getHost().port)

    def take_seat(self, room: str) -> Occupant:
        self._room, self._occupant = room, super().take_seat(room)
        return self._occupant

    def is_gone(self) -> bool:
        return self._is_lost

    async def fault(self) -> Fault | None:
        if self._fault is None and self._is_lost:
            self._fault = await self.why_lost()
        return self._fault

    def end(self) -> None:
        super().end()
        self._port.stopListening()
        for connection in list(self._factory.connections):
            connection.close()

    # Calls from its connections

    def session(self, connection: LoginConnection, lobby: Lobby) -> Session:
        """Return a new session for a connection with the lobby protocol."""
        return Session(connection, lobby, BotRole(self))

    def come(self, occupant: Occupant) -> None:
        """Let a connection wait for the seat; close it if another connection waits or plays."""
        occupant.user = self.name
        try:
            self.wait(Here(occupant))
        except AlreadyPlaying:
            occupant.close()

    def lost(self, occupant: Occupant) -> None:
        """Note that the connection of ``occupant`` closed."""
        self.left(Here(occupant))

    def left(self, guest: WaitingPlayer) -> None:
        """Note that the connection that waits for the seat, or has it, closed."""
        is_over = bool(self._room) and self._registry.room(self._room) is None
        if guest == self._guest and not is_over:
            self._is_lost = True

    def refused(self, refusal: Refusal) -> None:
        """Forfeit the match if the command made an impossible move."""
        self._refusal = refusal
        if (
            isinstance(refusal, WRONG)
            and self._occupant is not None
            and self._registry.room(self._room) is not None
        ):
            self._fault = Fault("cheated", str(refusal))
            self._registry.forfeit(self._occupant)


def _append(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(data if data.endswith(b"\n") else data + b"\n")
