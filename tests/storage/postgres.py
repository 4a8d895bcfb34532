"""A real PostgreSQL: Debian's programs, run by the tests as an ordinary user, on loopback."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
from contextlib import ExitStack
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import SkipTest
from urllib.parse import quote

import psycopg
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.terminal.processes import PATIENCE, ROOT, as_ordinary_user, read_until
from tictac.plugins.check.target import free_port

PASSWORD = "sesame: 50% @home/"
"""Of the user postgres, with all that has a meaning in a URL."""

USER = f"postgres:{quote(PASSWORD, safe='')}"


def programs() -> Path | None:
    """Return the folder of the newest PostgreSQL installed; on Debian it isn't on the path."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if found:
        return max(found, key=lambda path: [int(n) for n in path.parent.name.split(".")])
    program = shutil.which("initdb")
    return Path(program).parent if program else None


class Postgres:
    """A server, with a new place for whoever asks. It survives being killed."""

    def __init__(self, directory: Path, programs: Path) -> None:
        self.port = free_port()
        self._data = directory / "data"
        self._programs = programs
        self._process: subprocess.Popen[bytes] | None = None
        self._names = (f"test{number}" for number in count())
        directory.chmod(0o755)
        self._data.mkdir(mode=0o700)
        self._secret = directory / "password"
        self._secret.write_text(PASSWORD)
        self._user = as_ordinary_user(directory)
        self._run("initdb", "-D", self._data, "-U", "postgres", "-A", "scram-sha-256",
                  f"--pwfile={self._secret}", "-E", "UTF8", "--locale=C", "--no-sync")  # fmt: skip

    def _run(self, program: str, *arguments: object) -> None:
        subprocess.run(
            [self._programs / program, *map(str, arguments)],
            check=True,
            capture_output=True,
            cwd=self._data,
            **self._user,
        )

    def start(self) -> None:
        """Run it until it takes connections."""
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": "",
            "fsync": "off",  # for tests: they kill the server, not the machine
            "max_connections": 30,
            # No errors: a line for each name that is taken fills the pipe, and stops it.
            "log_min_messages": "log",
            "shared_buffers": "16MB",
            "autovacuum": "off",
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        self._process = subprocess.Popen(
            [self._programs / "postgres", "-D", self._data, *options],
            cwd=self._data,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, "LC_ALL": "C"},
            **self._user,
        )
        assert self._process.stderr is not None
        said = read_until(self._process.stderr.fileno(), "ready to accept connections")
        assert f"port {self.port}" in said

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it, fast."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.communicate(timeout=PATIENCE)
            self._process = None

    def kill(self) -> None:
        """End it without ceremony: nothing is written any more, no connection said goodbye to."""
        self.stop(signal.SIGQUIT)

    def pause(self) -> None:
        """Let it take connections, and say nothing, until :meth:`resume`."""
        self._signal_all(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it answer again."""
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: signal.Signals) -> None:
        assert self._process is not None
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        for pid in [self._process.pid, *map(int, children.read_text().split())]:
            os.kill(pid, number)

    def url(self, database: str = "postgres", user: str = USER, more: str = "") -> str:
        """Return the URL of a database."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}{more}"

    def new_place(self) -> str:
        """Create a schema, which costs less than a database, and return its URL."""
        name = next(self._names)
        self.execute(f"CREATE SCHEMA {name}")
        return self.url(more=f"?options=-csearch_path%3D{name}")

    def shell(self, command: str, directory: Path) -> None:
        """Run a command with PostgreSQL's programs on the path."""
        path = f"{self._programs}{os.pathsep}{os.environ['PATH']}"
        subprocess.run(
            command,
            shell=True,
            check=True,
            cwd=directory,
            env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
        )

    def execute(self, statement: str, url: str | None = None) -> list[tuple[Any, ...]]:
        """Run a statement; all rows of its answer."""
        with psycopg.connect(url or self.url(), autocommit=True) as connection:
            cursor = connection.execute(psycopg.sql.SQL(statement))
            return cursor.fetchall() if cursor.description else []

    def wait_for_lock(self) -> None:
        """Ask until a statement waits for a lock."""
        for _ in range(10_000):
            if self.execute("SELECT count(*) FROM pg_locks WHERE NOT granted") != [(0,)]:
                return
        raise AssertionError("no statement waits")


@cache
def running() -> Postgres:
    """Return a server that all tests share, or skip the test.

    The first call starts the server. It stops when the tests end.
    """
    found = programs()
    if found is None:
        raise SkipTest("needs PostgreSQL (postgresql)")
    end = ExitStack()
    atexit.register(end.close)
    # Not one of pytest's folders, where only the user of the tests may come.
    folder = end.enter_context(TemporaryDirectory())
    server = Postgres(Path(folder), found)
    end.callback(server.stop)
    server.start()
    return server


class InPostgres(SynchronousTestCase):
    """A test case with a place of its own."""

    def setUp(self) -> None:
        self.postgres = running()
        self.url = self.postgres.new_place()
        super().setUp()

    def new_place(self) -> str:
        """Return the place, as a contract of both databases asks for it."""
        return self.url


class InSqlite(SynchronousTestCase):
    """A test case with a database file of its own."""

    def new_place(self) -> str:
        """Return the path of the file, which doesn't exist yet."""
        return str(temporary_directory(self) / "users.db")
