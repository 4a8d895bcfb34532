"""What docs/guides/two-servers.md shows, and the files of deploy/ that it names."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from configparser import RawConfigParser
from pathlib import Path
from unittest import skipIf
from unittest.mock import patch
from urllib.error import HTTPError
from urllib.request import urlopen

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import HASH, temporary_directory
from tests.documents import BIN, ROOT, blocks, commands, page
from tests.helpers import needs_linux
from tests.plugins.postgres.matches import begin
from tests.programs import Caller, Program, ServerCase
from tests.storage.postgres import PASSWORD as POSTGRES_PASSWORD
from tests.storage.postgres import InPostgres, running
from tests.terminal.processes import read_until
from tests.units import check_exec_start, exec_start
from tictac.accounts.tables import Account, AccountTables
from tictac.plugins.check.target import free_port
from tictac.server.make import Options
from tictac.storage.databases import opened

DEPLOY = ROOT / "deploy"
GUIDE = page("two-servers")
SCRIPT = DEPLOY / "standby.sh"
HAPROXY = DEPLOY / "haproxy.cfg"
DROP_IN = DEPLOY / "two-servers.conf"
UNIT = DEPLOY / "tictac.service"
PATIENCE = 60.0
PASSWORD = "a-long-secret"

_NEEDED = ("haproxy", "setpriv")
_PATH = f"{os.environ['PATH']}:/usr/sbin"
_POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
_MISSING = [name for name in _NEEDED if shutil.which(name, path=_PATH) is None]
_MISSING += [] if _POSTGRES else ["postgresql"]


def free_ports() -> int:
    """Return a free port whose other ports are free, too."""
    while True:
        first, taken = free_port(), [socket.socket() for _ in range(8)]
        try:
            for each, more in zip(taken, (1, 2, 80, 81, 82, 101, 102, 202), strict=True):
                each.bind(("127.0.0.1", first + more))
        except OSError:
            continue
        else:
            return first
        finally:
            for each in taken:
                each.close()


class BehindHaproxyCase(ServerCase):
    """Players who connect to ``port``."""

    port: int

    def connect(self) -> Caller:
        return Caller(self, socket.create_connection(("127.0.0.1", self.port), PATIENCE), b"\n")

    def begin_match(self) -> tuple[Caller, Caller]:
        """Begin a match of alice and bob, and make a move."""
        alice = self.connect().sign_up("alice", PASSWORD)
        bob = self.connect().sign_up("bob", PASSWORD)
        begin(alice, bob)
        return alice, bob

    def ask_until_served(self, request: str, answer: str) -> Caller:
        """Connect until a server answers.

        HAProxy refuses connections while it starts, and closes those that it can't pass on.
        """
        end = time.monotonic() + PATIENCE
        while True:
            caller = None
            try:
                caller = self.connect()
                caller.ask(request, answer)
            except (OSError, AssertionError):
                if caller is not None:
                    caller.socket.close()
                if time.monotonic() > end:
                    raise
            else:
                return caller

    def come_back(self, user: str, turn: str, board: str) -> Caller:
        """Log in when the standby answers, and take the seat again."""
        caller = self.ask_until_served(f"LOGIN:{user}:{PASSWORD}", "LOGIN:ACKSTATUS:0")
        state = (f"INPROGRESS:{turn}", f"BOARDSTATUS:{board}")
        caller.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", *state)
        return caller


@needs_linux
@skipIf(
    bool(_MISSING) and not os.environ.get("TICTAC_TEST_ALL"),
    f"deploy/standby.sh needs {', '.join(_MISSING)}",
)
class ScriptTests(BehindHaproxyCase):
    def setUp(self) -> None:
        super().setUp()
        # PostgreSQL, which isn't run by root, has to find its way through it.
        self.folder = Path(tempfile.mkdtemp(prefix="tictac-standby-"))
        self.folder.chmod(0o711)
        self.addCleanup(shutil.rmtree, self.folder)
        self.port = free_ports()
        self.script = subprocess.Popen(
            [SCRIPT, self.folder],
            cwd=self.folder,
            env={**os.environ, "PATH": f"{BIN}:{_PATH}", "FIRST_PORT": str(self.port)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.addCleanup(self.stop)
        assert self.script.stdout is not None
        log = read_until(self.script.stdout.fileno(), "\n")
        assert f"a server and its standby: tictac play 127.0.0.1 {self.port}, " in log, log

    def stop(self) -> None:
        self.script.terminate()
        self.script.communicate(timeout=PATIENCE)

    def test_a_match_outlives_the_active_server(self) -> None:
        alice, _ = self.begin_match()
        pid = int((self.folder / "server1.pid").read_text())
        server = os.pidfd_open(pid)
        self.addCleanup(os.close, server)
        signal.pidfd_send_signal(server, signal.SIGKILL)
        # A dying process takes connections to the last.
        assert select.select([server], [], [], PATIENCE)[0] and alice.at_end()
        alice, bob = (self.come_back(user, "bob:alice", "000010000") for user in ("alice", "bob"))
        bob.ask("PLACE:0:0", "BOARDSTATUS:200010000")
        alice.expect("BOARDSTATUS:200010000")

    def test_haproxy_leads_to_the_web_client(self) -> None:
        with urlopen(f"http://127.0.0.1:{self.port + 80}/", timeout=PATIENCE) as answer:
            assert b"<title>" in answer.read()


FETCH = "import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode())"

SHIMS = {
    "apt": "exit 0",
    "journalctl": "exit 0",
    "systemctl": 'echo "$@" >>"$CALLS"',
    "su": '[ "$1 $2" = "postgres -c" ] && exec sh -c "$3"',
    "editor": 'echo PGPASSWORD=sesame >"$1"',
    "curl": f'exec {sys.executable} -c "{FETCH}" "$@"',
}
"""What the commands of the guide are here: a user of the tests has a PostgreSQL, and no systemd."""


@needs_linux
@skipIf(bool(_MISSING) and not os.environ.get("TICTAC_TEST_ALL"), f"needs {', '.join(_MISSING)}")
class GuideTests(BehindHaproxyCase):
    """The guide's commands, with other addresses and folders."""

    def setUp(self) -> None:
        super().setUp()
        self.postgres = running()
        self.addCleanup(self.forget)
        self.etc = self.directory / "etc"
        for name in ("haproxy", "postgresql/17/main", "systemd/system"):
            (self.etc / name).mkdir(parents=True)
        (self.etc / "postgresql/17/main/pg_hba.conf").touch()
        self.calls = self.directory / "calls"
        shims = self.directory / "shims"
        shims.mkdir()
        for name, text in SHIMS.items():
            (shims / name).write_text(f"#!/bin/sh\n{text}\n")
            (shims / name).chmod(0o755)
        self.ports = {n: {p: free_port() for p in ("5000", "8080", "9000")} for n in "12"}
        self.port = free_port()
        self.environment = {
            **os.environ,
            "PATH": f"{shims}:{_POSTGRES[-1].parent}:{_PATH}",
            "CALLS": str(self.calls),
            "ROOMS": f"127.0.0.1:{self.port}",
            "WEB": f"127.0.0.1:{free_port()}",
            "PGHOST": "127.0.0.1",
            "PGPORT": str(self.postgres.port),
            "PGUSER": "postgres",
            "PGPASSWORD": POSTGRES_PASSWORD,
            "PGDATABASE": "postgres",
        }

    def forget(self) -> None:
        """Remove what the guide makes in the PostgreSQL of all tests."""
        self.postgres.execute("DROP DATABASE IF EXISTS tictac WITH (FORCE)")
        self.postgres.execute("DROP ROLE IF EXISTS tictac")
        self.postgres.execute("ALTER SYSTEM RESET listen_addresses")

    def here(self, text: str) -> str:
        """Return a text of the guide or of a file with the addresses and folders of the test."""

        def address(found: re.Match[str]) -> str:
            mine = self.ports[found[1]]
            check = f" port {mine['9000']}" if found[3] else ""
            return f"127.0.0.1:{mine[found[2]]}{check}"

        text = re.sub(r"192\.0\.2\.([12]):(\d+)( port 9000)?", address, text)
        text = text.replace("db.example", f"127.0.0.1:{self.postgres.port}")
        text = text.replace("?sslmode=require", "").replace("/opt/tictac/bin/", f"{BIN}/")
        text = re.sub(r"^tictac ", f"{BIN}/tictac ", text, flags=re.M)
        return text.replace("deploy/", f"{DEPLOY}/").replace("/etc/", f"{self.etc}/")

    def follow(self, heading: str, number: int = 0, typed: str = "", status: int = 0) -> str:
        """Run the commands of a block as a shell does, without a terminal; return its output."""
        script = self.here(blocks(GUIDE, heading, "sh")[number].text)
        ran = subprocess.run(
            ["setsid", "--wait", "bash", "-ec", script],
            cwd=self.directory, env=self.environment, input=typed, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert ran.returncode == status, ran.stdout
        return ran.stdout

    def serve(self, number: str) -> Program:
        """Start what the unit starts on the machine of that number."""
        drop_in = self.etc / "systemd/system/tictac.service.d" / DROP_IN.name
        command = exec_start(self.here(drop_in.read_text()))
        options = []
        for option in command[command.index("tictac") + 1 :]:
            if found := re.fullmatch(r"(haproxy:tcp:)?(5000|8080|9000)", option):
                kind, port = found[1] or "tcp:", self.ports[number][found[2]]
                options.append(f"{kind}{port}:interface=127.0.0.1")
            else:
                options.append(option)
        name, secret = (self.etc / "tictac/environment").read_text().strip().split("=")
        with patch.dict(os.environ, {name: secret}):
            return self.start(*options, port=None)

    def set_up(self) -> tuple[Program, Program]:
        """Follow the guide up to the balancer."""
        with opened(str(self.directory / "users.db")) as database:
            AccountTables(database).add_many([Account("carol", HASH)])
        self.follow("Set up PostgreSQL", 0, typed="sesame\nsesame\n")
        self.follow("Set up PostgreSQL", 1)
        [line] = (self.etc / "postgresql/17/main/pg_hba.conf").read_text().splitlines()
        assert line.split()[:3] == ["hostssl", "tictac", "tictac"]
        settings = "SELECT setting FROM pg_file_settings WHERE name = 'listen_addresses'"
        assert ("*",) in self.postgres.execute(settings)
        assert "there are no tables yet" in self.follow("Set up the servers", 1, status=1)
        assert (self.etc / "tictac/environment").stat().st_mode & 0o777 == 0o600
        self.follow("Set up the servers", 2)
        assert (self.etc / "systemd/system/tictac.service").read_text() == UNIT.read_text()
        self.environment["PGPASSWORD"] = "sesame"
        self.follow("Set up the servers", 3)
        self.follow("Set up HAProxy", 0)
        one = self.serve("1")
        one.wait_for("active: 0 rooms restored")
        two = self.serve("2")
        two.wait_for("standby: ")
        haproxy = subprocess.Popen(
            ["haproxy", "-db", "-f", self.etc / "haproxy/haproxy.cfg"], env=self.environment
        )
        self.addCleanup(haproxy.wait)
        self.addCleanup(haproxy.terminate)
        assert "active" in self.follow("Health")
        return one, two

    def test_two_servers(self) -> None:
        one, two = self.set_up()
        self.ask_until_served("FORFEIT", "BADAUTH")
        alice, bob = self.begin_match()
        one.signal(signal.SIGKILL)
        assert alice.at_end()
        two.wait_for("is silent: restoring its rooms")
        alice, bob = (self.come_back(user, "bob:alice", "000010000") for user in ("alice", "bob"))
        bob.ask("PLACE:0:0", "BOARDSTATUS:200010000")
        alice.expect("BOARDSTATUS:200010000")
        one = self.serve("1")  # as systemd does
        one.wait_for("standby: ")
        two.signal()
        assert two.finish()[0] == 0 and bob.at_end()
        one.wait_for("has ended: restoring its rooms")
        self.come_back("bob", "alice:bob", "200010000")
        assert self.calls.read_text().splitlines() == [
            "restart postgresql",
            "daemon-reload",
            "enable --now tictac",
            "reload haproxy",
        ]

    def test_one_machine(self) -> None:
        self.follow("One machine", 0)
        folder = self.etc / "systemd" / "system"
        assert (folder / "tictac@.service").read_text() == UNIT.read_text()
        assert (folder / "tictac@.service.d" / DROP_IN.name).read_text() == DROP_IN.read_text()
        assert self.calls.read_text().splitlines()[-1] == "enable --now tictac@1 tictac@2"


# The pages and files


def test_the_drop_in_starts_a_server_behind_haproxy() -> None:
    options = check_exec_start(exec_start(DROP_IN.read_text("utf-8")))
    assert options.ports["port"] == ["haproxy:tcp:5000:backlog=4096"]
    assert options.ports["web"] == ["haproxy:tcp:8080:backlog=4096"]
    assert options.ports["admin"] == ["tcp:9000:backlog=4096"]
    assert options["database"].startswith("postgresql://tictac@db.example/tictac")
    assert "\nEnvironmentFile=/etc/tictac/environment\n" in DROP_IN.read_text("utf-8")


def test_systemd_starts_it_again_without_end_and_without_hurry() -> None:
    """After status 75, as when its port is taken at its turn, and when the database is away."""
    unit = RawConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(ROOT / "deploy" / "tictac.service")
    service = unit["Service"]
    assert service["Restart"] == "on-failure" and "RestartPreventExitStatus" not in service
    assert int(service["RestartSec"]) >= 2 and unit["Unit"]["StartLimitIntervalSec"] == "0"


def test_the_options_of_two_servers_on_one_machine() -> None:
    (change,) = blocks(GUIDE, "One machine", "ini")
    both = [check_exec_start(exec_start(change.text.replace("%i", n))) for n in "12"]
    assert [each.ports["admin"][0].split(":")[1] for each in both] == ["9001", "9002"]
    assert both[0].ports["port"] == both[1].ports["port"] == ["tcp:5000:backlog=4096"]


@skipIf(not shutil.which("systemd-analyze"), "needs systemd-analyze")
class UnitTests(SynchronousTestCase):
    def check(self, name: str, unit: str) -> None:
        """Let systemd read a unit with the drop-in."""
        made = temporary_directory(self)
        folder = made / f"{name}.service.d"
        folder.mkdir()
        for file, copy in ((UNIT, made / f"{name}.service"), (DROP_IN, folder / DROP_IN.name)):
            copy.write_text(file.read_text().replace("/opt/tictac/bin", str(BIN)))
        ran = subprocess.run(
            ["systemd-analyze", "verify", str(made / unit)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (ran.returncode, ran.stderr) == (0, "")

    def test_systemd_understands_the_drop_in(self) -> None:
        self.check("tictac", "tictac.service")

    def test_systemd_understands_two_servers_on_one_machine(self) -> None:
        self.check("tictac@", "tictac@1.service")


def test_both_guides_install_alike() -> None:
    make, install, look = commands(page("install"), "Install into a folder")
    install = install.replace(" .", " '.[postgres]'")
    assert list(blocks(GUIDE, "Set up the servers", "sh")[0].lines) == [make, install, look]
    upgrade, restart = commands(GUIDE, "Stop, restart, and upgrade")
    assert upgrade == install.replace("install", "install --upgrade")
    assert restart == "systemctl restart tictac"


def test_the_document_calls_it_so() -> None:
    assert commands(GUIDE, "One machine")[-1] == "deploy/standby.sh"
    assert "#   deploy/standby.sh [FOLDER]" in SCRIPT.read_text("utf-8")
    (play,) = blocks(GUIDE, "Set up HAProxy", "sh")[1].lines
    assert play == "tictac play db.example 5000"


# Containers


def services() -> dict[str, str]:
    """Return the services of compose.yaml, with their texts; ``x-server`` is what two share."""
    compose = (DEPLOY / "compose.yaml").read_text("utf-8")
    shared, rest = compose.split("\nservices:\n")
    listed = re.split(r"^  ([\w-]+):", rest.split("\nvolumes:")[0], flags=re.M)[1:]
    found = dict(zip(listed[::2], listed[1::2], strict=True))
    return {**found, "x-server": shared.split("x-server: &server\n")[1]}


def test_the_containers_run_the_same() -> None:
    servers = (DEPLOY / "servers.cfg").read_text("utf-8")
    known = services()
    for port in (5000, 8080):
        found = re.findall(rf"^    server (\w+) (\w+):{port} port 9000$", servers, re.M)
        assert found == [("server1", "server1"), ("server2", "server2")]
        assert f'"{port}:{port}"' in known["haproxy"]
    assert known["server1"].strip() == known["server2"].strip() == "*server"
    for name in ("haproxy.cfg", "servers.cfg"):
        assert f"- ./{name}:/etc/tictac/{name}:ro\n" in known["haproxy"]
        assert f"-f /etc/tictac/{name}" in known["haproxy"] and (DEPLOY / name).exists()


def container_options() -> list[str]:
    """Return the options of a server: those of the image, and those of compose.yaml."""
    (command,) = re.findall(r"command: >-\n((?:    .*\n)+)", services()["x-server"])
    (entry,) = re.findall(r"^ENTRYPOINT (.*)$", (ROOT / "Dockerfile").read_text("utf-8"), re.M)
    words = json.loads(entry)
    return [*words[words.index("tictac") + 1 :], *command.split()]


def test_the_options_of_a_container_with_a_standby() -> None:
    """The image has a port of its own for its health check, to which compose.yaml adds one."""
    options = Options()
    options.parseOptions(container_options())
    assert [port.split(":")[1] for port in options.ports["admin"]] == ["9100", "9000"]
    assert options.ports["port"] == ["haproxy:tcp:5000:backlog=4096"]
    assert options.ports["web"] == ["haproxy:tcp:8080:backlog=4096"]
    assert options["database"] == "postgresql://tictac@postgres:5432/tictac"


class ContainerTests(InPostgres, ServerCase):
    """The commands of the containers, on free ports of this machine."""

    def start_it(self) -> Program:
        options = [
            re.sub(r"tcp:\d+(:interface=.*)?$", "tcp:0:interface=127.0.0.1", option)
            for option in container_options()
        ]
        (database,) = (each for each in options if each.startswith("--database="))
        options[options.index(database)] = f"--database={self.url}"
        return self.start(*options, port=None)

    def is_active(self, server: Program) -> bool:
        """Return what the balancer asks a server at each of its admin ports."""
        ports = re.findall(r"admin: listening on 127\.0\.0\.1 port (\d+)", server.log)
        assert len(ports) == 2
        found: set[bool] = set()
        for port in ports:
            try:
                with urlopen(f"http://127.0.0.1:{port}/health/active", timeout=PATIENCE) as answer:
                    found.add(answer.status == 200)
            except HTTPError:
                found.add(False)
        (active,) = found
        return active

    def test_the_first_plays_and_the_second_stands_by(self) -> None:
        first = self.start_it()
        first.wait_for("rooms: listening")
        first.wait_for("web: listening")  # the last one, so that the other lines are whole
        (port,) = re.findall(r"rooms: listening on 127\.0\.0\.1 port (\d+)", first.log)
        caller = Caller(self, socket.create_connection(("127.0.0.1", int(port)), PATIENCE), b"\n")
        caller.socket.sendall(b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n")
        caller.sign_up("alice", PASSWORD)
        assert self.is_active(first)
        second = self.start_it()
        second.wait_for("standby: ")
        assert not self.is_active(second)
        first.signal()
        second.wait_for("web: listening")
        assert self.is_active(second)


def test_containers_that_end_are_started_again() -> None:
    """Also with status 75, and when PostgreSQL isn't up yet."""
    known = services()
    for name in ("x-server", "haproxy", "postgres"):
        assert "restart: unless-stopped" in known[name], name
    assert "postgres: {condition: service_healthy}" in known["x-server"]
    assert "healthcheck: {test: [CMD, pg_isready," in known["postgres"]
    (grace,) = re.findall(r"stop_grace_period: (\d+)s", known["x-server"])
    assert int(grace) > Options()["drain"] + 10


@skipIf("haproxy" in _MISSING and not os.environ.get("TICTAC_TEST_ALL"), "needs haproxy")
class HaproxyTests(SynchronousTestCase):
    def test_haproxy_understands_the_files_of_the_containers(self) -> None:
        files = ["-f", str(HAPROXY), "-f", str(DEPLOY / "servers.cfg")]
        ran = subprocess.run(
            ["haproxy", "-c", *files], env={**os.environ, "PATH": _PATH},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        warned = [line for line in ran.stderr.splitlines() if "NOTICE" not in line]
        assert ran.returncode == 0, ran.stderr
        assert all("could not resolve address 'server" in line for line in warned), warned
