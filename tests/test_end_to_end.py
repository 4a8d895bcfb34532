"""The whole server as its operator runs it, in a process of its own, over real sockets."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import signal
import socket
import ssl
import subprocess
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random

from tests.helpers import needs_linux
from tests.net.certificate import certificate
from tests.programs import LOCAL, TWISTD, Caller, Program, ServerCase, address_in
from tests.terminal.processes import PATIENCE, ROOT
from tictac import __version__


def refuses_connections(address: tuple[str, int]) -> bool:
    """Return whether the server no longer listens, and drops connections still in the queue."""
    with contextlib.suppress(ConnectionError), socket.create_connection(address) as late:
        late.settimeout(PATIENCE)
        return late.recv(1) == b""
    return True


class ExampleTests(ServerCase):
    def test_it(self) -> None:
        program = self.start()
        alice, bob = self.fill(program)
        vera = program.connect(self).sign_up("vera")
        vera.ask("JOIN:den:VIEWER", "JOIN:ACKSTATUS:0", "INPROGRESS:alice:bob")
        self.play_example(alice, bob, vera)
        alice.ask("ROOMLIST:VIEWER", "ROOMLIST:ACKSTATUS:0:")
        alice.ask("CREATE:den", "CREATE:ACKSTATUS:0")
        program.signal()
        status, log, errors = program.finish()
        assert (status, errors) == (0, "")
        assert "secret" not in log
        assert "matches: {'won': 1}" in log
        assert f"tictac is up: version {__version__}" in log


class StoppingTests(ServerCase):
    def test_an_idle_server_stops_at_once(self) -> None:
        program = self.start("--drain", "600", "--journal", "none")
        caller = program.connect(self)
        caller.ask("FORFEIT", "BADAUTH")
        program.signal(signal.SIGINT)
        assert program.finish()[0] == 0
        assert caller.at_end()

    def test_it_waits_for_the_match_that_is_running(self) -> None:
        program = self.start("--drain", "600", "--journal", "none")
        address = program.address()
        alice, bob = self.fill(program)
        program.signal()
        program.wait_for("1 running matches")
        assert refuses_connections(address)
        self.play_example(alice, bob)
        status, log, errors = program.finish()
        assert (status, errors) == (0, "")
        assert alice.at_end() and bob.at_end()
        assert "tictac has stopped" in log

    def test_a_second_signal_stops_now(self) -> None:
        program = self.start("--drain", "600", "--journal", "none")
        self.fill(program)
        program.signal()
        program.wait_for("1 running matches")
        program.signal()
        assert program.finish()[0] == 0

    def daemon(
        self, *options: str, twistd: Sequence[str] = (), files: Path | None = None
    ) -> tuple[int, Caller]:
        """Start a server in the background; return its file descriptor and a connection.

        Its files are in the folder ``files``.
        """
        named = ["--logfile=log", "--pidfile=pid", *twistd]
        started = subprocess.run(
            [TWISTD, *named, "tictac", "--port", LOCAL, *options],
            cwd=self.directory,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            timeout=PATIENCE,
        )
        assert (started.returncode, started.stdout, started.stderr) == (0, b"", b"")
        files = files or self.directory
        log, pid = files / "log", files / "pid"
        caller = Caller(self, socket.create_connection(address_in(log.read_text())), b"\n")
        caller.ask("FORFEIT", "BADAUTH")  # by now it runs
        daemon = os.pidfd_open(int(pid.read_text()))
        self.addCleanup(os.close, daemon)
        return daemon, caller

    @needs_linux
    def test_a_daemon_keeps_so_many_old_log_files(self) -> None:
        daemon, caller = self.daemon("--log-files", "2", "--budget", "0")
        log, aside = self.directory / "log", self.directory / "log.1"
        for _ in range(4):
            file = log.stat().st_ino
            signal.pidfd_send_signal(daemon, signal.SIGUSR1)
            for _ in range(10_000):
                caller.ask("FORFEIT", "BADAUTH")
                if aside.exists() and aside.stat().st_ino == file:
                    break
            caller.ask("FORFEIT", "BADAUTH")  # the new one is there, too
        names = sorted(path.name for path in self.directory.glob("log*"))
        signal.pidfd_send_signal(daemon, signal.SIGTERM)
        assert names == ["log", "log.1", "log.2"]
        assert select.select([daemon], [], [], PATIENCE)[0], "it runs on"

    @needs_linux
    def test_the_file_with_a_number_is_no_server_and_a_server_is_one(self) -> None:
        """After a power failure, another process has the number of the former server."""
        file, log = self.directory / "pid", self.directory / "log"
        for left in (str(os.getpid()), "1", "", "no number"):
            file.write_text(left)
            daemon, _ = self.daemon()
            second = subprocess.run(
                [TWISTD, "--logfile=log", "--pidfile=pid", "tictac", "--journal", "none"],
                cwd=self.directory, capture_output=True, text=True, timeout=PATIENCE,
            )  # fmt: skip
            pid = file.read_text()
            assert (second.returncode, second.stdout, second.stderr) == (
                1, "", f"Error: pid: another server has it, pid {pid}; stop it, or name another"
                " --pidfile\n",
            )  # fmt: skip
            os.kill(int(pid), signal.SIGKILL if left else signal.SIGTERM)
            assert select.select([daemon], [], [], PATIENCE)[0], "it runs on"
            assert file.exists() is bool(left)
            log.unlink()

    @needs_linux
    def test_all_files_of_a_daemon_are_in_its_folder(self) -> None:
        folder = self.directory / "run"
        folder.mkdir()
        self.daemon(twistd=("--rundir", "run"), files=folder)
        assert {path.name for path in folder.iterdir()} >= {"pid", "log", "users.db"}
        assert [path.name for path in self.directory.iterdir()] == ["run"]
        os.kill(int((folder / "pid").read_text()), signal.SIGTERM)


class StartingTests(ServerCase):
    """What is wrong is said in one line on standard error, and the status is 1."""

    def check(self, line: str, *options: str) -> None:
        """Check that these options end in this line, both in the foreground and as a daemon."""
        how = ["-n", "--logfile=-"], ["--logfile=log"]
        for each in how:  # side by side, one would have the file of the other
            ended = self.run_to_end([*each, "--pidfile=pid", "tictac", *options])
            assert ended == (1, "", f"Error: {line}\n")
        assert not (self.directory / "pid").exists()

    def run_to_end(self, command: Sequence[str]) -> tuple[int, str, str]:
        """Run twistd with these: the exit status, what is said and what is wrong."""
        done = subprocess.run(
            [TWISTD, *command],
            cwd=self.directory,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        return done.returncode, done.stdout, done.stderr

    def write(self, name: str, content: object) -> None:
        text = content if isinstance(content, str) else json.dumps(content)
        (self.directory / name).write_text(text)

    def test_a_busy_port(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as busy:
            port = busy.getsockname()[1]
            where = f"tcp:{port}:interface=127.0.0.1"
            self.check(
                f"cannot listen on {where}:backlog=4096: Address already in use;"
                " --port names another port",
                "--port",
                where,
            )

    def test_a_database_that_is_none(self) -> None:
        self.write("users.db", "This is a poem, and no database at all.\n" * 100)
        self.check("users.db isn't an SQLite database", "--port", LOCAL)
        assert (self.directory / "users.db").read_text().startswith("This is a poem")

    def test_an_option_that_is_none(self) -> None:
        status, out, errors = self.run_to_end(["-n", "tictac", "--port", LOCAL, "--nonsense"])
        assert (status, out) == (1, "")
        assert re.fullmatch(r"Error: [^\n]+\n", errors), errors


class TimeoutTests(ServerCase):
    """Short limits, to see that they reach what they limit."""

    def test_move(self) -> None:
        for player in self.fill(self.start("--move-timeout", "0.3")):
            player.expect("GAMEEND:000000000:2:bob")

    def test_wait(self) -> None:
        alice = self.start("--wait-timeout", "0.4").connect(self).sign_up("alice")
        alice.ask("CREATE:den", "CREATE:ACKSTATUS:0", "GAMEEND:000000000:1")

    def test_rejoin(self) -> None:
        alice, bob = self.fill(self.start("--rejoin-timeout", "0.4"))
        alice.socket.close()
        bob.expect("GAMEEND:000000000:2:bob")


class SignalTests(ServerCase):
    @needs_linux
    def test_a_hang_up_before_anything_is_loaded_ends_nothing_in_the_unit(self) -> None:
        within = ("env", "--ignore-signal=HUP")  # as in deploy/tictac.service
        program = Program(self, self.directory, "--port", LOCAL, within=within)
        command = Path(f"/proc/{program.process.pid}/cmdline")
        while b"-n" not in (words := command.read_bytes().split(b"\0")) or words[0] == b"env":
            """Until env has started twistd."""
        program.signal(signal.SIGHUP)
        program.wait_for("tictac is up")
        program.signal(signal.SIGHUP)
        program.wait_for("reloading the certificates")

    def test_other_signals_end_nothing(self) -> None:
        program = self.start()
        alice = program.connect(self)
        for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
            program.signal(number)
        program.wait_for("reloading the certificates")
        alice.ask("FORFEIT", "BADAUTH")
        program.signal()
        assert program.finish()[0] == 0

    def test_a_hang_up_reads_the_certificate_again(self) -> None:
        pem = self.directory / "server.pem"
        pem.write_bytes(certificate())
        program = self.start(port=f"ssl:0:interface=127.0.0.1:privateKey={pem}:certKey={pem}")
        context = ssl._create_unverified_context()

        def shown() -> tuple[Caller, bytes | None]:
            """Open a connection; return it and the certificate that it received."""
            wrapped = context.wrap_socket(socket.create_connection(program.address()))
            return Caller(self, wrapped, b"\n"), wrapped.getpeercert(binary_form=True)

        alice, first = shown()
        alice.ask("FORFEIT", "BADAUTH")
        pem.write_bytes(certificate())
        program.signal(signal.SIGHUP)
        program.wait_for("was reloaded")
        bob, second = shown()
        pem.write_text("nonsense")
        program.signal(signal.SIGHUP)
        program.wait_for("can't be read")
        carol, third = shown()
        assert first != second == third
        for caller in (alice, bob, carol):
            caller.ask("FORFEIT", "BADAUTH")

    def test_a_certificate_that_has_changed_is_read_again_by_itself(self) -> None:
        pem = self.directory / "server.pem"
        pem.write_bytes(certificate())
        # What has changed is looked for as often as what has timed out.
        program = self.start("--wait-timeout", "1", "--tls-cert", str(pem), "--tls-key", str(pem))
        program.wait_for("tictac is up")
        pem.write_bytes(certificate())
        program.wait_for("was reloaded")
        context = ssl.create_default_context(cafile=pem)
        plain = socket.create_connection(program.address())
        secure = context.wrap_socket(plain, server_hostname="localhost")
        Caller(self, secure, b"\n").ask("FORFEIT", "BADAUTH")


class LastWordsTests(ServerCase):
    """What came before the end of the input is answered: ``printf ... | nc -N``."""

    def test_with_and_without_a_newline(self) -> None:
        program = self.start()
        for user, newline in (("alice", b"\n"), ("bob", b"")):
            caller = program.connect(self, newline)
            caller.send(f"REGISTER:{user}:secret")
            caller.socket.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(partial(caller.socket.recv, 100), b""))
            assert answer.strip() == b"REGISTER:ACKSTATUS:0", newline


class PromiseTests(ServerCase):
    def test_a_kill_right_after_the_promise_loses_nothing(self) -> None:
        users: list[str] = []
        for number in range(2):
            program = self.start()
            caller = program.connect(self)
            for user in users:
                caller.ask(f"LOGIN:{user}:secret", "LOGIN:ACKSTATUS:0")
            users += [f"user{number}", f"other{number}"]
            for user in users[-2:]:
                caller.ask(f"REGISTER:{user}:secret", "REGISTER:ACKSTATUS:0")
            program.process.kill()
            program.process.wait()
        caller = self.start().connect(self)
        for user in users:
            caller.ask(f"LOGIN:{user}:secret", "LOGIN:ACKSTATUS:0")


class RoughPeersTests(ServerCase):
    def test_two_play_on_whatever_others_send(self) -> None:
        program = self.start("--log-matches")
        alice, bob = self.fill(program)
        viewer = program.connect(self).sign_up("vera")
        viewer.ask("JOIN:den:VIEWER", "JOIN:ACKSTATUS:0", "INPROGRESS:alice:bob")
        # (A viewer that never reads: nobody reads from it again.)
        dice = Random(9)
        babblers = [program.connect(self) for _ in range(20)]
        for number, babbler in enumerate(babblers):
            babbler.socket.sendall(dice.randbytes(50 + 300 * number))
        endless = program.connect(self)
        with contextlib.suppress(ConnectionError):  # it is cut off before it has sent all
            endless.socket.sendall(b"x" * 100_000)
        assert endless.at_end()
        self.play_example(alice, bob)
        program.signal()
        status, log, errors = program.finish()
        assert (status, errors) == (0, "")
        assert "Traceback" not in log
        assert "won" in log

    def test_a_viewer_that_never_reads_hurts_nobody(self) -> None:
        program = self.start("--budget", "0")
        alice, bob = self.fill(program)
        lazy = program.connect(self).sign_up("lazy")
        # Its answers pile up: in the kernel first, then in the server, until that reads no more.
        flood = threading.Thread(target=self.flood, args=[lazy.socket])
        flood.start()
        flood.join()
        self.play_example(alice, bob)

    def flood(self, connection: socket.socket) -> None:
        connection.settimeout(1)  # the server reads no more of it
        with contextlib.suppress(TimeoutError):
            while True:
                connection.sendall(b"JOIN:den:VIEWER\nROOMLIST:VIEWER\nLOGIN\n" * 1000)


class EndpointTests(ServerCase):
    """Whatever an endpoint string describes, the rooms are the same."""

    def check_match(self, callers: Sequence[Caller]) -> None:
        """Play the example match over three new connections."""
        alice, bob, vera = callers
        for caller, user in zip(callers, ("alice", "bob", "vera"), strict=True):
            caller.sign_up(user)
        alice.ask("CREATE:den", "CREATE:ACKSTATUS:0")
        vera.ask("JOIN:den:VIEWER", "JOIN:ACKSTATUS:0")
        bob.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:alice:bob")
        alice.expect("BEGIN:alice:bob")
        vera.expect("BEGIN:alice:bob")
        self.play_example(alice, bob, vera)

    def test_tls(self) -> None:
        pem = self.directory / "server.pem"
        pem.write_bytes(certificate())
        program = self.start(port=f"ssl:0:interface=127.0.0.1:privateKey={pem}:certKey={pem}")
        context = ssl.create_default_context(cafile=pem)
        callers = []
        for ending in (b"\n", b"\r\n", b""):
            plain = socket.create_connection(program.address())
            plain.settimeout(PATIENCE)
            secure = context.wrap_socket(plain, server_hostname="localhost")
            callers.append(Caller(self, secure, ending))
        self.check_match(callers)
        program.signal()
        assert program.finish()[0] == 0

    def test_a_unix_socket_beside_a_port(self) -> None:
        path = self.directory / "socket"
        program = self.start("--port", f"unix:{path}")
        callers = [program.connect(self)]
        assert str(path) in program.log
        for ending in (b"\r\n", b""):
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(str(path))
            callers.append(Caller(self, connection, ending))
        self.check_match(callers)
        program.signal()
        assert program.finish()[0] == 0
        assert not path.exists()

    def test_a_proxy(self) -> None:
        # The peers are counted by their own addresses, not by the proxy's.
        program = self.start("--max-connections-per-peer", "1", port=f"haproxy:{LOCAL}")
        callers = []
        for number, ending in enumerate((b"\n", b"\r\n", b"")):
            caller = program.connect(self, ending)
            caller.socket.sendall(b"PROXY TCP4 192.0.2.%d 198.51.100.1 4321 80\r\n" % number)
            callers.append(caller)
        self.check_match(callers)
        program.signal()
        log = program.finish()[1]
        assert "'bob' logged in from 192.0.2.1" in log

    def test_the_house_player(self) -> None:
        program = self.start("--computer", "3600")
        alice = program.connect(self).sign_up("alice")
        alice.ask("CREATE:computer 1", "CREATE:ACKSTATUS:0", "BEGIN:alice:computer")
        alice.ask("PLACE:1:1", "BOARDSTATUS:000010000")
        board = alice.socket.recv(100).decode()
        assert re.fullmatch(r"BOARDSTATUS:[02]{4}1[02]{4}\n", board) and board.count("2") == 1
        alice.ask("FORFEIT", f"GAMEEND:{board[12:21]}:2:computer")
