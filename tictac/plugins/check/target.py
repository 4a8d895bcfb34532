"""The program under test: its address, and its process if the checker starts it."""

from __future__ import annotations

import json
import shutil
import socket
import tempfile
from contextlib import suppress
from errno import EADDRINUSE
from pathlib import Path
from random import randrange

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.endpoints import HostnameEndpoint, SSL4ClientEndpoint, connectProtocol
from twisted.internet.error import ConnectError
from twisted.internet.interfaces import IReactorTime, IStreamClientEndpoint
from twisted.internet.task import deferLater

from tictac.plugins.check.peer import Peer
from tictac.plugins.programs.program import Program, as_user, start_program

CONNECTING = 10.0
"""Time limit for a connection attempt, in seconds."""

POLL_INTERVAL = 0.05
"""Seconds between two attempts to connect, or between two checks for CPU use."""

IDLE_CHECKS = 3
"""Number of successive checks without CPU use after which a program counts as idle."""

SETTLING = 2.0
"""Maximum seconds to wait until a program is idle."""

MAX_READ = 1 << 20
"""Maximum bytes of a file of the program that the checker reads."""

GRACE = 3.0
"""Seconds between the request to end and the kill of a program."""


class Unreachable(Exception):
    """Raised when a connection to the server fails; ``str()`` gives the reason."""


class Target:
    """The server under test, at ``host`` and ``port``.

    If there is a ``command``, the checker starts the server with it, and again if the server ended.
    At the end, the checker kills the server with its child processes. In ``command``, these
    placeholders are replaced: ``{port}``, ``{host}``, ``{scratch}`` (an empty folder), and
    ``{config}`` (a configuration file as in the assignment of the rooms protocol). If ``port`` is
    0, each start gets a free port. ``start_limit`` is the time limit in seconds until the server
    listens. The server runs with the rights of the user ``run_as``, if there is one.
    """

    def __init__(
        self,
        reactor: IReactorTime,
        host: str = "127.0.0.1",
        port: int = 0,
        command: str | None = None,
        tls: bool = False,
        start_limit: float = 20.0,
        run_as: str = "",
    ) -> None:
        self.run_as = run_as
        self.host, self.port, self.command, self.tls = host, port, command, tls
        self.program: Program | None = None
        self.was_reached = False
        self.start_limit = start_limit
        self.reactor, self._fixed_port = reactor, port
        self._scratch: Path | None = None
        self._listens, self._late = False, 0.0

    async def connect(self, peer: Peer) -> Peer:
        """Connect ``peer`` to the server, and return it. Raises Unreachable.

        If the checker has just started the server, wait until the server listens. The wait makes no
        test connections, because a server for two players would count each as a player.
        """
        while True:
            try:
                connected: Peer = await connectProtocol(self._endpoint(), peer)
            except (ConnectError, OSError, ValueError) as error:
                if self._listens or self.command is None or self.reactor.seconds() > self._late:
                    raise Unreachable(str(error).rstrip(".") or type(error).__name__) from None
                if self.has_ended:
                    raise Unreachable("") from None
                await deferLater(self.reactor, POLL_INTERVAL)
            else:
                self._listens = self.was_reached = True
                return connected

    def _endpoint(self) -> IStreamClientEndpoint:
        if not self.tls:
            return HostnameEndpoint(self.reactor, self.host, self.port, timeout=CONNECTING)
        from twisted.internet.ssl import CertificateOptions

        # Users check servers on their own machines, with self-signed certificates.
        context = CertificateOptions()
        return SSL4ClientEndpoint(self.reactor, self.host, self.port, context, timeout=CONNECTING)

    @property
    def can_start(self) -> bool:
        """Whether the checker can start the server."""
        return self.command is not None

    async def wait_until_idle(self) -> None:
        """Wait until the program is idle, up to ``SETTLING`` seconds.

        Return at once if the checker didn't start the program.
        """
        quiet = 0
        late = self.reactor.seconds() + SETTLING
        while quiet < IDLE_CHECKS and self.reactor.seconds() < late:
            if self.program is None or self.has_ended:
                return
            quiet = 0 if self.program.is_busy() else quiet + 1
            await deferLater(self.reactor, POLL_INTERVAL)

    @property
    def has_ended(self) -> bool:
        """Whether the checker started the program and the process has ended."""
        return self.program is not None and self.program.status is not None

    def start(self) -> None:
        """Start the program, if there is a command."""
        if self.command is None:
            return
        self.port = self._fixed_port or free_port(self.host)
        self.scratch()
        self._listens, self._late = False, self.reactor.seconds() + self.start_limit
        self.program = Program()
        command = as_user(self._fill_in(self.command), self.run_as)
        start_program(self.reactor, self.program, command)

    def scratch(self) -> Path:
        """Return the folder for files of the program, which ``stop`` deletes."""
        if self._scratch is None:
            self._scratch = Path(tempfile.mkdtemp(prefix="tictac-check-"))
            self._give(self._scratch)
        return self._scratch

    def keep_port(self) -> None:
        """Use the same port for each start, because the checker itself listens there."""
        self._fixed_port = self.port = self._fixed_port or free_port(self.host)

    async def kill_and_start(self) -> None:
        """Kill the program as a power cut would, and start it again in the same folder."""
        if self.program is not None:
            self.program.kill()
            await self.program.ended()
        self.start()

    async def stop(self) -> None:
        """Ask the program to end, kill it and its child processes after ``GRACE`` seconds."""
        program, scratch = self.program, self._scratch
        self.program = self._scratch = None
        if program is not None:
            ended = Deferred.fromCoroutine(program.ended())
            program.terminate()
            with suppress(TimeoutError):
                await ended.addTimeout(GRACE, self.reactor)
            program.kill()
            await program.ended()
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)

    def kept_files(self) -> bytes:
        """Return what the program has written to its {scratch} folder, and to what {config} names.

        The checker's own configuration file is left out.
        """
        paths = sorted(self._scratch.rglob("*")) if self._scratch is not None else []
        kept = [path for path in paths if path.is_file() and path.name != "config.json"]
        # The program can have put anything there, such as a link to a file of ours.
        return b"\n".join(_beginning(path) for path in kept if not path.is_symlink())

    def _give(self, path: Path) -> None:
        """Let a path belong to the user that the program runs as."""
        if self.run_as:
            shutil.chown(path, self.run_as)

    def _fill_in(self, command: str) -> str:
        assert self._scratch is not None
        if "{config}" in command:
            users = self._scratch / "users.json"
            if not users.exists():
                users.write_text("[]")
                self._give(users)
            config = {"port": self.port, "userDatabase": str(users)}
            (self._scratch / "config.json").write_text(json.dumps(config))
        values = {
            "port": self.port, "host": self.host, "scratch": self._scratch,
            "config": self._scratch / "config.json",
        }  # fmt: skip
        for name, value in values.items():
            command = command.replace(f"{{{name}}}", str(value))
        return command


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_READ)


def free_port(host: str = "127.0.0.1") -> int:
    """Return a free port for a program that will listen there soon. Raises OSError.

    The port is below 32768, because operating systems assign higher ports to clients.
    """
    while True:
        port = randrange(20_000, 32_768)
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            try:
                probe.bind((host, port))
            except OSError as error:
                if error.errno != EADDRINUSE:
                    raise
            else:
                return port
