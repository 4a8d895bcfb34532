"""The whole of it: servers in processes of their own, a real PostgreSQL, links over TCP."""

from __future__ import annotations

import json
import signal
import socket
import urllib.error
import urllib.request
from typing import Any

from tests.accounts.postgres import running
from tests.terminal.processes import PATIENCE
from tests.test_end_to_end import LOCAL, Caller, Program, ServerCase, address_in
from tictac.plugins.check.target import free_port


class NodesCase(ServerCase):
    """Processes that share a database, and links."""

    def setUp(self) -> None:
        super().setUp()
        self.postgres = running()
        self.url = self.postgres.new_place()
        self.secret = self.directory / "secret"
        self.secret.write_text("a secret of more than sixteen bytes")

    def serve(self, *more: str) -> Program:
        """Start a node."""
        program = self.start(
            "--database", self.url,
            "--node", f"tcp:127.0.0.1:{free_port()}",
            "--node-secret", str(self.secret),
            "--admin", LOCAL,
            *more,
        )  # fmt: skip
        program.address()
        program.wait_for("this is node")
        return program

    def two(self) -> tuple[Program, Program]:
        """Start two nodes, and wait until they have found each other."""
        a, b = self.serve(), self.serve()
        for program in (a, b):
            program.wait_for("there is a link")
        return a, b

    def call(self, program: Program) -> Caller:
        return Caller(self, socket.create_connection(address_in(program.log)), b"\n")

    def sign_up(self, program: Program, user: str) -> Caller:
        return self.call(program).sign_up(user)

    def log_in(self, program: Program, user: str) -> Caller:
        caller = self.call(program)
        caller.ask(f"LOGIN:{user}:secret", "LOGIN:ACKSTATUS:0")
        return caller

    def begin_match(self, a: Program, b: Program) -> tuple[Caller, Caller, Caller]:
        """Begin a match of alice at one node and bob at the other, where vera watches."""
        alice, bob, vera = (
            self.sign_up(a, "alice"), self.sign_up(b, "bob"), self.sign_up(b, "vera")
        )  # fmt: skip
        alice.ask("CREATE:den", "CREATE:ACKSTATUS:0")
        vera.ask("JOIN:den:VIEWER", "JOIN:ACKSTATUS:0")
        bob.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:alice:bob")
        alice.expect("BEGIN:alice:bob")
        vera.expect("BEGIN:alice:bob")
        return alice, bob, vera

    def status(self, program: Program) -> int:
        """Return the status code of the answer to ``/health/ready``."""
        line = next(line for line in program.log.splitlines() if "admin: listening" in line)
        url = f"http://127.0.0.1:{line.split()[-1]}/health/ready"
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                status: int = answer.status
                return status
        except urllib.error.HTTPError as error:
            with error:
                return error.code


class NodesTests(NodesCase):
    def test_a_match_between_two_nodes(self) -> None:
        a, b = self.two()
        alice, bob, vera = self.begin_match(a, b)
        self.play_example(alice, bob, vera)
        vera.ask("ROOMLIST:VIEWER", "ROOMLIST:ACKSTATUS:0:")
        vera.ask("CREATE:den", "CREATE:ACKSTATUS:0")
        for program in (a, b):
            program.signal()
        logs = [program.finish() for program in (a, b)]
        assert [(status, errors) for status, _, errors in logs] == [(0, "")] * 2
        assert sum("matches: {'won': 1}" in log for _, log, _ in logs) == 1

    def test_any_game_of_the_lobby_between_two_nodes(self) -> None:
        a, b = self.two()
        alice, bob = self.call(a), self.call(b)

        def ask(caller: Caller, until: str, **request: Any) -> dict[str, Any]:
            caller.send(json.dumps(request))
            return read(caller, until)

        def read(caller: Caller, until: str) -> dict[str, Any]:
            while True:
                line = b""
                while not line.endswith(b"\n"):
                    line += caller.socket.recv(1)
                message: dict[str, Any] = json.loads(line)
                if until in (message.get("event"), message.get("answer")):
                    assert "error" not in message, message
                    return message

        for caller, user in ((alice, "alice"), (bob, "bob")):
            ask(caller, "r", do="register", id="r", user=user, password="secret")
            ask(caller, "l", do="login", id="l", user=user, password="secret")
        game = {"game": "nim", "options": {}}
        ask(alice, "o", do="open", id="o", room="den", **game)
        ask(bob, "j", do="join", id="j", room="den")
        rooms = ask(bob, "w", do="lobby", id="w")["rooms"]
        assert [(room["room"], room["game"]) for room in rooms] == [("den", "nim")]
        began = read(alice, "began")
        ask(alice, "m", do="move", id="m", room="den", move=began["moves"][0])
        moved = read(bob, "moved")
        assert moved["turn"] == 1 and moved["moves"]
        ask(bob, "n", do="move", id="n", room="den", move=moved["moves"][0])
        assert read(alice, "moved")["move"]

    def test_a_node_is_killed_in_the_middle(self) -> None:
        a, b = self.two()
        alice, bob, vera = self.begin_match(a, b)
        alice.send("PLACE:1:1")
        for caller in (alice, bob, vera):
            caller.expect("BOARDSTATUS:000010000")
        a.signal(signal.SIGKILL)
        assert alice.at_end()
        # Bob needn't come back: he notices a pause.
        bob.ask("PLACE:0:0", "BOARDSTATUS:200010000")
        vera.expect("BOARDSTATUS:200010000")
        alice = self.log_in(b, "alice")
        alice.ask(
            "JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "INPROGRESS:alice:bob", "BOARDSTATUS:200010000"
        )
        alice.send("FORFEIT")
        for caller in (alice, bob, vera):
            caller.expect("GAMEEND:200010000:2:bob")

    def test_a_node_is_stopped_in_the_middle(self) -> None:
        a, b = self.two()
        alice, bob, _ = self.begin_match(a, b)
        a.signal()
        status, _, errors = a.finish()
        assert (status, errors) == (0, "") and alice.at_end()
        b.wait_for("1 rooms are taken over")
        alice = self.log_in(b, "alice")
        alice.ask(
            "JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "INPROGRESS:alice:bob", "BOARDSTATUS:000000000"
        )
        alice.ask("PLACE:0:0", "BOARDSTATUS:100000000")
        bob.expect("BOARDSTATUS:100000000")

    def test_the_database_is_killed_and_comes_back(self) -> None:
        a, b = self.two()
        alice, bob, _ = self.begin_match(a, b)
        alice.ask("PLACE:1:1", "BOARDSTATUS:000010000")
        bob.expect("BOARDSTATUS:000010000")
        assert self.status(a) == 200
        self.postgres.kill()
        try:
            a.wait_for(" unavailable: ")
            assert self.status(a) == 503
            bob.send("PLACE:0:0")
        finally:
            self.postgres.start()
        for caller in (alice, bob):
            caller.expect("BOARDSTATUS:200010000")
        # The accounts have a connection of their own, which may come back later.
        self.call(a).ask("LOGIN:nobody:secret", "LOGIN:ACKSTATUS:1")
        assert self.status(a) == 200

    def test_who_waits_too_long_for_the_database_is_disconnected(self) -> None:
        a = self.serve("--engine-timeout", "2")
        alice = self.sign_up(a, "alice")
        self.postgres.kill()
        try:
            alice.send("CREATE:den")
            assert alice.at_end()
        finally:
            self.postgres.start()
        a.signal()
        status, log, errors = a.finish()
        assert (status, errors) == (0, "") and "were disconnected" in log


class SetupTests(NodesCase):
    def refused(self, *options: str) -> str:
        """Return the error line for options that are refused before any port opens."""
        status, log, errors = self.start(*options).finish()
        assert status == 1 and "listening" not in log and errors.count("\n") == 1
        return errors

    def test_what_is_wrong_is_said_at_the_start(self) -> None:
        node = ("--node", "tcp:127.0.0.1:1")
        assert "--node needs a --database that is" in self.refused(*node)
        database = (*node, "--database", self.url)
        assert "--node needs a --node-secret" in self.refused(*database)
        self.secret.write_text("short")
        secret = ("--node-secret", str(self.secret))
        assert "has less than 16 bytes" in self.refused(*database, *secret)
        wrong = ("--database", self.url, "--node", "somewhere", *secret)
        assert "isn't like tcp:HOST:PORT" in self.refused(*wrong)
        assert "leave --journal out" in self.refused(*database, *secret, "--journal", "sqlite")

    def test_a_node_with_other_settings_says_so(self) -> None:
        self.serve()
        node = ("--node", f"tcp:127.0.0.1:{free_port()}", "--node-secret", str(self.secret))
        errors = self.refused("--database", self.url, *node, "--max-rooms", "7")
        assert "is set to other values than this one" in errors
        alone = self.refused("--database", self.url, "--journal", "postgres")
        assert "no --node here" in alone

    def test_a_node_with_another_secret_says_so(self) -> None:
        self.serve()
        other = self.directory / "other"
        other.write_text("another secret of more than sixteen bytes")
        node = ("--node", f"tcp:127.0.0.1:{free_port()}", "--node-secret", str(other))
        assert "has another --node-secret" in self.refused("--database", self.url, *node)
        kept = self.postgres.execute("SELECT secret FROM nodes", self.url)
        assert len(kept) == 1 and len(str(kept[0][0])) == 64

    def test_a_copied_configuration_says_so(self) -> None:
        """A process that is to be a node that lives already."""
        endpoint = f"tcp:127.0.0.1:{free_port()}"
        node = ("--node", endpoint, "--node-secret", str(self.secret))
        a = self.start("--database", self.url, *node, "--admin", LOCAL)
        a.address()
        a.wait_for("this is node")
        listen = f"tcp:{free_port()}:interface=127.0.0.1"
        errors = self.refused("--database", self.url, *node, "--node-listen", listen)
        assert f"another node runs with --node {endpoint}" in errors
        assert self.status(a) == 200 and "lapsed" not in a.log
        assert self.postgres.execute("SELECT count(*) FROM nodes", self.url) == [(1,)]


class AloneTests(NodesCase):
    """One process with its rooms in PostgreSQL, and no other node."""

    def serve(self, *more: str) -> Program:
        program = self.start("--database", self.url, "--journal", "postgres", *more)
        program.address()
        program.wait_for("this is node")
        return program

    def test_it_is_killed_and_starts_again(self) -> None:
        a = self.serve()
        alice, _, _ = self.begin_match(a, a)
        alice.ask("PLACE:1:1", "BOARDSTATUS:000010000")
        a.signal(signal.SIGKILL)
        assert alice.at_end()
        b = self.serve()
        b.wait_for("1 rooms are taken over")
        alice = self.log_in(b, "alice")
        alice.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "INPROGRESS:bob:alice")

    def test_another_one_doesnt_start(self) -> None:
        self.serve()
        status, log, errors = self.start("--database", self.url, "--journal", "postgres").finish()
        assert "another process with --journal postgres runs on this database" in errors
        assert status == 1 and "listening" not in log

    def test_it_sleeps_and_another_one_has_its_rooms(self) -> None:
        a = self.serve()
        self.begin_match(a, a)
        a.signal(signal.SIGSTOP)
        self.serve().wait_for("1 rooms are taken over")
        a.signal(signal.SIGCONT)
        status, log, _ = a.finish()
        assert "another process has the rooms of this one" in log and status == 0
