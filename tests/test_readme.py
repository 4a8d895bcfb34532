"""Every example of the README, tried with real processes; and what .ci/run makes of it."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import socket
import ssl
import subprocess
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from configparser import RawConfigParser
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO
from unittest import skipIf
from urllib.request import urlopen

from twisted.trial.unittest import SynchronousTestCase

from tests.archive.helpers import BOB, match
from tests.documents import (
    BIN,
    MATCHES,
    PLAYING,
    README,
    ROOT,
    blocks,
    commands,
    made_part_of,
    made_parts,
    make_certificate,
    page,
)
from tests.helpers import needs_linux
from tests.terminal.processes import PATIENCE, PseudoTerminal, end, read_until, start
from tictac.archive.tables import MatchTables
from tictac.storage.databases import opened

LOOPBACK = "tcp:0:interface=127.0.0.1"
CI = ROOT / ".ci" / "run"


def local(command: str) -> str:
    """Return a command of the README with a loopback port and fast hashing."""
    changed = command.replace(".venv/bin/", "")
    changed = changed.replace("--port 5000", f"--port {LOOPBACK}")
    changed = changed.replace("--web 8080", f"--web {LOOPBACK}")
    changed = changed.replace("--port 5443", f"--port {LOOPBACK}")
    assert changed != command, command
    return f"{changed} --bcrypt-rounds 4"


def port_in(log: str) -> int:
    """Return the port at which the server listens."""
    found = re.search(r"rooms: listening on 127\.0\.0\.1 port (\d+)", log)
    assert found is not None, log
    return int(found[1])


class ReadmeCase(SynchronousTestCase):
    """A folder for each test, and the commands of the README in it."""

    def setUp(self) -> None:
        directory = TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = Path(directory.name)
        self.environment = os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"}

    def start(self, command: str) -> subprocess.Popen[bytes]:
        """Start a command in the folder; both outputs in one."""
        return start(
            self, ["sh", "-c", f"exec {command}"],
            cwd=self.folder, env=self.environment, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def serve(self, command: str) -> int:
        """Start a server, and give the port on which it listens."""
        self.server = self.start(command)
        return port_in(read_until(output_of(self.server).fileno(), "tictac is up"))

    def run_command(self, command: str, typed: str = "") -> str:
        """Run a command in the folder, and give what it has printed."""
        ran = subprocess.run(
            ["sh", "-c", command], cwd=self.folder, env=self.environment, input=typed,
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        self.assertEqual(ran.returncode, 0, command)
        self.assertRegex(ran.stderr, r"\A(made a new database: .*\n)?\Z", command)
        return ran.stdout

    def connect(self, port: int) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.addCleanup(connection.close)
        return connection


def output_of(process: subprocess.Popen[bytes]) -> IO[bytes]:
    """Return the pipe from a process."""
    assert process.stdout is not None
    return process.stdout


def say(connection: socket.socket, request: str, answers: Sequence[str]) -> None:
    """Send a request, if it isn't empty, and check what comes back."""
    if request:
        connection.sendall(f"{request}\n".encode())
    expected = "".join(f"{answer}\n" for answer in answers).encode()
    seen = b""
    while len(seen) < len(expected):
        data = connection.recv(len(expected) - len(seen))
        assert data, f"closed after {seen!r}"
        seen += data
    assert seen == expected


class QuickStartTests(ReadmeCase):
    def test_the_first_command_serves(self) -> None:
        make_venv, install, serve = quick_start()[0].split(" && ")
        self.assertEqual(make_venv, "python3 -m venv .venv")
        self.assertEqual(install, ".venv/bin/pip install .")
        self.server = self.start(local(serve))
        log = read_until(output_of(self.server).fileno(), "tictac is up")
        say(self.connect(port_in(log)), "LOGIN:nobody:secret", ["LOGIN:ACKSTATUS:1"])
        found = re.search(r"web: listening on 127\.0\.0\.1 port (\d+)", log)
        assert found is not None, log
        with urlopen(f"http://127.0.0.1:{found[1]}/", timeout=PATIENCE) as page:
            self.assertIn("<title>tictac</title>", page.read().decode())
        self.server.terminate()
        self.assertEqual(self.server.wait(PATIENCE), 0)

    def test_the_second_command_tests(self) -> None:
        make_venv, install, test = quick_start()[1].split(" && ")
        self.assertEqual(make_venv, "python3 -m venv .venv")
        self.assertEqual(install, ".venv/bin/pip install -e '.[test]'")
        self.assertEqual(test, ".venv/bin/python -m pytest")
        self.assertIn("test", extras())

    def test_there_are_two_commands_of_one_line(self) -> None:
        self.assertEqual(len(quick_start()), 2)


def quick_start() -> list[str]:
    """Return the commands of the README's quick start."""
    return commands(README, "Quick start")


def extras() -> list[str]:
    """Return the names of the optional sets of packages."""
    setup = RawConfigParser()
    setup.read(ROOT / "setup.cfg")
    return setup.options("options.extras_require")


class SecondTerminalTests(ReadmeCase):
    def setUp(self) -> None:
        super().setUp()
        self.port = self.serve(f"twistd -n --pidfile= tictac --port {LOOPBACK} --bcrypt-rounds 4")

    def open_terminal(self) -> PseudoTerminal:
        """Open a terminal, and start the client in it."""
        (play,) = commands(README, "In a second terminal")
        self.assertEqual(play, ".venv/bin/tictac play")
        terminal = PseudoTerminal(self)
        environment = self.environment | {"XDG_CONFIG_HOME": str(self.folder)}
        here = ["localhost", str(self.port)]
        terminal.start(self, [str(BIN / "tictac"), "play", *here], environment)
        terminal.read_until("help")
        return terminal

    def test_a_guest_plays_the_computer(self) -> None:
        (screen,) = blocks(README, "In a second terminal", "text")
        terminal = self.open_terminal()
        for typed, *shown in split_before(screen.lines, "> "):
            terminal.type(typed.removeprefix("> "))
            lines = [line for line in shown if line != "[...]"]
            seen = terminal.read_until(lines[-1])
            self.assertTrue(all(line in seen for line in lines), seen)

    def test_two_play(self) -> None:
        typed = ("register NAME", "open reversi room=den", "join den")
        self.assertTrue(all(f"`{one}`" in README.read_text("utf-8") for one in typed))
        alice, bob = self.register("alice"), self.register("bob")
        alice.type("open reversi room=den")
        alice.read_until("leads here")
        bob.type("join den")
        bob.read_until("alice (X) against bob (O). You are O")

    def register(self, name: str) -> PseudoTerminal:
        terminal = self.open_terminal()
        terminal.type(f"register {name}")
        for prompt in ("Password:", "Again:"):
            terminal.read_until(prompt)
            terminal.type("secret")
        terminal.read_until(f"Welcome {name}")
        return terminal


def split_before(lines: Sequence[str], mark: str) -> list[list[str]]:
    """Split the lines into groups that each begin with a line that begins with ``mark``."""
    groups: list[list[str]] = []
    for line in lines:
        if line.startswith(mark):
            groups.append([])
        groups[-1].append(line)
    return groups


class MatchTests(ReadmeCase):
    """The match in alice's terminal, with bob on a socket."""

    def test_what_she_saw(self) -> None:
        port = self.serve(f"twistd -n --pidfile= tictac --port {LOOPBACK} --bcrypt-rounds 4")
        self.terminal = PseudoTerminal(self)
        client = [str(BIN / "tictac"), "rooms", "localhost", str(port)]
        environment = self.environment | {"TERM": "dumb"}
        self.terminal.start(self, client, environment)
        self.seen = ""
        for command in ("REGISTER", "LOGIN"):
            self.type(("> ", command), ("Enter username: ", "alice"), ("Enter password: ", "pw"))
        self.type(("> ", "CREATE"), ("Enter room name you want to create: ", "den"))
        self.wait_for("(meanwhile: FORFEIT or QUIT)")
        bob = self.connect(port)
        say(bob, "REGISTER:bob:secret", ["REGISTER:ACKSTATUS:0"])
        say(bob, "LOGIN:bob:secret", ["LOGIN:ACKSTATUS:0"])
        say(bob, "JOIN:den:PLAYER", ["JOIN:ACKSTATUS:0", "BEGIN:alice:bob"])
        self.place(1, 1)
        say(bob, "", ["BOARDSTATUS:000010000"])
        say(bob, "PLACE:0:0", ["BOARDSTATUS:200010000"])
        self.place(0, 2)
        say(bob, "", ["BOARDSTATUS:200010100"])
        say(bob, "PLACE:1:0", ["BOARDSTATUS:220010100"])
        self.place(2, 0)
        self.wait_for("> ")
        self.compare()

    def wait_for(self, text: str) -> None:
        self.seen += self.terminal.read_until(text)

    def type(self, *dialogue: tuple[str, str]) -> None:
        for prompt, typed in dialogue:
            self.wait_for(prompt)
            self.terminal.type(typed)

    def place(self, column: int, row: int) -> None:
        self.type(("> ", "PLACE"), ("Column: ", str(column)), ("Row: ", str(row)))

    def compare(self) -> None:
        """Check that the picture is what the player saw, except for what it leaves out."""
        (picture,) = blocks(PLAYING, "Line by line", "text")
        seen = [line.rstrip() for line in self.seen.splitlines()]
        before, after = split_at(picture.lines, "[...]")
        self.assertEqual(list(after), seen[-len(after) :])
        last = max(place for place, line in enumerate(seen) if line == before[0])
        self.assertEqual(list(before), seen[last : last + len(before)])


def split_at(lines: Sequence[str], mark: str) -> tuple[Sequence[str], Sequence[str]]:
    """Return the lines before the line ``mark``, and those after it."""
    place = lines.index(mark)
    return lines[:place], lines[place + 1 :]


class Typist:
    """Somebody at ``nc`` (or, where there is none, a socket), with the screen to come."""

    def __init__(self, case: ReadmeCase, port: int, screen: Sequence[str]) -> None:
        self.screen = deque(screen)
        self._buffer = b""
        if shutil.which("nc"):
            netcat = start(case, ["nc", "127.0.0.1", str(port)])
            assert netcat.stdin is not None
            self._input = netcat.stdin.fileno()
            self.output = output_of(netcat).fileno()
        else:
            self._input = self.output = case.connect(port).fileno()

    def step(self) -> bool:
        """Do the next line of the screen, if that can be done now."""
        if not self.screen:
            return False
        if self.screen[0].startswith("> "):
            os.write(self._input, self.screen.popleft()[2:].encode() + b"\n")
            return True
        line, newline, rest = self._buffer.partition(b"\n")
        if newline:
            assert line.decode() == self.screen.popleft()
            self._buffer = rest
        return bool(newline)

    def take(self) -> None:
        """Read what has come."""
        data = os.read(self.output, 65_536)
        assert data, f"closed before {self.screen}"
        self._buffer += data


class NetcatTests(ReadmeCase):
    def test_the_transcript(self) -> None:
        port = self.serve(local(*commands(PLAYING, "With nc")))
        (screen,) = blocks(PLAYING, "With nc", "text")
        alice = Typist(self, port, screen.lines)
        while alice.screen:
            if not alice.step():
                ready, _, _ = select.select([alice.output], [], [], PATIENCE)
                assert ready, alice.screen
                alice.take()

    def test_the_computer_comes_to_rooms_with_its_name(self) -> None:
        port = self.serve(local(*commands(PLAYING, "With nc")))
        alice = self.connect(port)
        say(alice, "REGISTER:alice:secret", ["REGISTER:ACKSTATUS:0"])
        say(alice, "LOGIN:alice:secret", ["LOGIN:ACKSTATUS:0"])
        say(alice, "CREATE:computer, please", ["CREATE:ACKSTATUS:1"])
        say(alice, "CREATE:computer please", ["CREATE:ACKSTATUS:0", "BEGIN:alice:computer"])
        say(alice, "FORFEIT", ["GAMEEND:000000000:2:computer"])


class AnyGameTests(ReadmeCase):
    def test_each_command_leads_to_a_table(self) -> None:
        port = self.serve(f"twistd -n --pidfile= tictac --port {LOOPBACK} --bcrypt-rounds 4")
        typed = "register alice\nsecret\nsecret\n4\n"
        shown = ["Rook: ", "19, strike 5, first X)\n", "leads here", "Connect Four, alice"]
        for command, text in zip(commands(PLAYING, "Any game"), shown, strict=True):
            client = self.start(command.replace("5000", str(port)))
            assert client.stdin is not None
            client.stdin.write(typed.encode())
            client.stdin.flush()
            read_until(output_of(client).fileno(), text)
            typed = "login alice\nsecret\n"


class PictureTests(ReadmeCase):
    def test_the_picture_is_there(self) -> None:
        (picture,) = re.findall(r"!\[.+\]\((.*)\)", README.read_text("utf-8"))
        self.assertTrue((ROOT / picture).read_bytes().startswith(b"GIF89a"))


class OtherGamesTests(ReadmeCase):
    def test_each_is_served_and_can_be_played(self) -> None:
        serve, *play = commands(PLAYING, "Other games")
        serve = re.sub(r"(--(?:connectfour|nim|clue|session)) \d+", rf"\1 {LOOPBACK}", local(serve))
        self.server = self.start(serve)
        log = read_until(output_of(self.server).fileno(), "tictac is up")
        for command in play:
            (game, address) = re.findall(r"tictac (\w+) (.*)", command)[0]
            found = re.search(rf"{game}: listening on 127\.0\.0\.1 port (\d+)", log)
            assert found is not None, log
            terminal = PseudoTerminal(self)
            words = re.sub(r"\d+$", found[1], address).split()
            environment = self.environment | {"TERM": "dumb"}
            program = terminal.start(self, [str(BIN / "tictac"), game, *words], environment)
            if game == "connectfour":
                terminal.read_until("User name: ")
                terminal.type("alice")
            terminal.read_until("Your turn" if game == "clue" else "QUIT")
            terminal.type("QUIT")
            self.assertEqual(program.wait(PATIENCE), 0)


class DaemonTests(ReadmeCase):
    def test_it_starts_and_stops(self) -> None:
        begin, stop = commands(page("install"), "Run as a daemon")
        # Held open by the daemon for as long as it lives.
        alive, held = os.pipe()
        self.addCleanup(os.close, alive)
        daemonizing = subprocess.Popen(
            ["sh", "-c", local(begin)], cwd=self.folder, env=self.environment, pass_fds=[held],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(held)
        self.addCleanup(self.kill)
        self.addCleanup(end, daemonizing)
        self.assertEqual(daemonizing.wait(PATIENCE), 0)
        log = self.folder / "twistd.log"
        say(self.connect(port_in(log.read_text())), "LOGIN:nobody:secret", ["LOGIN:ACKSTATUS:1"])
        self.assertEqual(self.run_command(stop), "")
        ready, _, _ = select.select([alive], [], [], PATIENCE)
        self.assertTrue(ready, "it runs on")
        self.assertEqual(os.read(alive, 1), b"")
        self.assertIn("tictac has stopped\n", log.read_text())
        self.assertFalse((self.folder / "twistd.pid").exists())

    def kill(self) -> None:
        """Kill the daemon if a failed test has left it running."""
        file = self.folder / "twistd.pid"
        if file.exists():
            os.kill(int(file.read_text()), 9)


class ServeTests(ReadmeCase):
    @needs_linux
    def test_it_goes_to_the_background_and_says_where_everything_is(self) -> None:
        (begin,) = commands(README, "For longer")
        said = self.run_command(local(begin))
        pattern = (
            r"tictac runs in the background: rooms at 127\.0\.0\.1 port (\d+); log: (.*);"
            r" data: (.*); stop it with: (kill (\d+))\n"
        )
        found = re.fullmatch(pattern, said)
        assert found is not None, said
        port, log, data, stop, pid = found.groups()
        process = os.pidfd_open(int(pid))
        self.addCleanup(os.close, process)
        say(self.connect(int(port)), "LOGIN:nobody:secret", ["LOGIN:ACKSTATUS:1"])
        folder = self.folder.resolve()
        self.assertEqual((log, data), (str(folder / "twistd.log"), str(folder / "users.db")))
        self.run_command(stop)
        self.assertTrue(select.select([process], [], [], PATIENCE)[0], "it runs on")


class ContainerTests(ReadmeCase):
    def test_the_commands_name_what_the_image_has(self) -> None:
        build, run, *_ = commands(page("install"), "Run in a container")
        self.assertEqual(build, "docker build -t tictac .")
        image = (ROOT / "Dockerfile").read_text("utf-8")
        (ports,) = re.findall(r"^EXPOSE (.*)$", image, re.M)
        published = " ".join(f"-p {port}:{port}" for port in ports.split())
        self.assertIn(f" {published} -v tictac:/data tictac", run)
        self.assertIn("\nVOLUME /data\n", image)


class SocketActivationTests(ReadmeCase):
    """install.md, "Run with systemd": what systemd does, done here."""

    def test_a_port_that_is_open_already(self) -> None:
        assert "`--port systemd:domain=INET:index=0`" in page("install").read_text("utf-8")
        listening = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listening.close)
        number = listening.fileno()
        server = start(
            self,
            ["bash", "-c", f"exec 3<&{number}; LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=tictac "
             "exec twistd -n --pidfile= tictac --port systemd:domain=INET:index=0"],
            cwd=self.folder, env=self.environment, stderr=subprocess.STDOUT, pass_fds=[number],
        )  # fmt: skip
        log = read_until(output_of(server).fileno(), "tictac is up")
        port = listening.getsockname()[1]
        self.assertEqual(port_in(log), port)
        say(self.connect(port), "LOGIN:nobody:secret", ["LOGIN:ACKSTATUS:1"])


class TLSTests(ReadmeCase):
    @skipIf(find_spec("OpenSSL") is None, "needs OpenSSL")
    def test_it_speaks_tls(self) -> None:
        serve, _ = commands(page("run"), "TLS")
        make_certificate(self.folder)
        port = self.serve(local(serve))
        context = ssl.create_default_context(cafile=self.folder / "cert.pem")
        with context.wrap_socket(self.connect(port), server_hostname="localhost") as connection:
            say(connection, "LOGIN:nobody:secret", ["LOGIN:ACKSTATUS:1"])


class UsersTests(ReadmeCase):
    def test_the_commands(self) -> None:
        typed = {"add": "secret\n", "passwd": "hush\n"}
        said = {}
        for command in commands(page("accounts"), "Add and remove accounts"):
            name = command.split()[2]
            said[name] = self.run_command(command, typed.get(name, ""))
        self.assertEqual(
            said,
            {
                "add": "Added alice to users.db.\n",
                "passwd": "Changed the password of alice.\n",
                "logout": "Ended 0 tokens of alice.\n",
                "list": "alice\n",
                "group": "alice is in the group 7b.\n",
                "export": "Exported 1 user to players.json.\n",
                "remove": "Removed alice.\n",
                "import": "Imported 1 user.\n",
            },
        )
        self.assertEqual(self.run_command("tictac users list --database users.db"), "")
        self.assertEqual(self.run_command("tictac users list --database other.db"), "alice\n")


class MatchesTests(ReadmeCase):
    def test_the_commands(self) -> None:
        with opened(str(self.folder / "users.db")) as database:
            MatchTables(database).add_all(
                [match("m1", began=1_800_000_000.0), match("m2", BOB, BOB)]
            )
        line = "m1  2027-01-15 08:00:02  tictactoe  alice against bob: alice won\n"
        other = "m2  2023-11-14 22:13:22  tictactoe  bob against bob: bob won\n"
        self.assertEqual(
            [self.run_command(command) for command in commands(MATCHES, "At the command line")],
            [line + other, line, "Exported 2 matches to matches.jsonl.\n", "Imported 2 matches.\n"],
        )


def test_what_is_made_is_up_to_date() -> None:
    for document, made in made_parts().items():
        assert made_part_of(document) == made, "run: python -m tests.documents"


# What .ci/run does


def test_ci_runs_the_commands_of_the_readme() -> None:
    script = CI.read_text()
    (found,) = re.findall(r"^mapfile -t commands < <\((.*)\)$", script, re.M)
    lines = subprocess.run(
        ["bash", "-c", found], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert lines == quick_start()
    for number in range(2):
        assert f"${{commands[{number}]" in script


def test_the_same_pythons_are_tested_everywhere() -> None:
    (short,) = re.findall(r"^env_list = py\{([\d,]+)\}, ", (ROOT / "tox.ini").read_text(), re.M)
    pythons = [f"{each[0]}.{each[1:]}" for each in short.split(",")]
    setup = (ROOT / "setup.cfg").read_text()
    assert f"python_requires = >={pythons[0]}" in setup
    assert re.findall(r"Python :: (\d\.\d+)$", setup, re.M) == pythons
    checked = re.findall(r"mypy --python-version (\S+)", (ROOT / "tox.ini").read_text())
    assert checked == pythons
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    for named in re.findall(r"^ +python: (\[.*\])$", workflow, re.M):
        assert json.loads(named) == pythons
    minors = [each.partition(".")[2] for each in reversed(pythons)]
    assert f"for n in {' '.join(minors)}; do" in CI.read_text()


def test_ci_can_be_run() -> None:
    assert os.access(CI, os.X_OK)
    subprocess.run(["bash", "-n", str(CI)], check=True)


SKIPPING = """
import pytest

def test_a():
    pytest.skip("no time")

def test_elsewhere(monkeypatch):
    monkeypatch.setattr("sys.platform", "darwin")
    pytest.skip("needs Linux")

def test_b():
    pass
"""

NOT_COLLECTED = """
import pytest

pytest.importorskip("a_package_that_nobody_has")
"""


def run_pytest(
    folder: Path, environment: Mapping[str, str], *options: str
) -> subprocess.CompletedProcess[str]:
    """Run tests that are skipped, below this project's conftest.py."""
    shutil.copy(ROOT / "tests" / "conftest.py", folder)
    (folder / "test_skipping.py").write_text(SKIPPING)
    (folder / "test_not_collected.py").write_text(NOT_COLLECTED)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider",
         "--continue-on-collection-errors", "--rootdir", str(folder), *options],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_skipped_test_fails_where_all_are_asked_for(tmp_path: Path) -> None:
    # On workers, as `python -m pytest` runs here.
    ran = run_pytest(tmp_path, os.environ | {"TICTAC_TEST_ALL": "1"}, "-n", "2")
    assert ran.returncode != 0
    assert "asks for every test, and this one was skipped: Skipped: no time" in ran.stdout
    assert "a_package_that_nobody_has" in ran.stdout
    assert "1 failed, 1 passed, 1 skipped, 1 error in" in ran.stdout, "but for what it can't have"


def test_a_skipped_test_is_skipped_elsewhere(tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "TICTAC_TEST_ALL"}
    ran = run_pytest(tmp_path, environment)
    assert ran.returncode == 0
    assert "1 passed, 3 skipped" in ran.stdout
