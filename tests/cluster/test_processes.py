"""The whole of it: two servers in processes of their own, a real Redis, real sockets."""

from __future__ import annotations

import select
import signal
import socket
import time
import urllib.error
import urllib.request

from tests.cluster.helpers import RedisServer, free_port, needs_redis
from tests.test_end_to_end import LOCAL, Caller, Program, ServerCase, address_in

PATIENCE = 20.0


@needs_redis
class SharedRoomsTests(ServerCase):
    def setUp(self) -> None:
        super().setUp()
        self.redis = RedisServer("--appendonly", "yes", "--appendfsync", "always")
        self.addCleanup(self.redis.stop)

    def serve(self, *more: str) -> Program:
        """A node."""
        program = self.start("--rooms", f"redis://127.0.0.1:{self.redis.port}/1", *more)
        program.address()
        return program

    def log_in(self, program: Program, user: str) -> Caller:
        caller = Caller(self, socket.create_connection(address_in(program.log)), b"\n")
        caller.ask(f"LOGIN:{user}:secret", "LOGIN:ACKSTATUS:0")
        return caller

    def sign_up(self, program: Program, user: str) -> Caller:
        caller = Caller(self, socket.create_connection(address_in(program.log)), b"\n")
        return caller.sign_up(user)

    def begin_match(self, a: Program, b: Program) -> tuple[Caller, Caller, Caller]:
        """Alice at one node plays bob at the other, where vera watches."""
        alice, bob, vera = (
            self.sign_up(a, "alice"), self.sign_up(b, "bob"), self.sign_up(b, "vera")
        )  # fmt: skip
        alice.ask("CREATE:den", "CREATE:ACKSTATUS:0")
        vera.ask("ROOMLIST:PLAYER", "ROOMLIST:ACKSTATUS:0:den")
        vera.ask("JOIN:den:VIEWER", "JOIN:ACKSTATUS:0")
        bob.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:alice:bob")
        alice.expect("BEGIN:alice:bob")
        vera.expect("BEGIN:alice:bob")
        return alice, bob, vera

    def come_back(self, program: Program, user: str, *answers: str) -> Caller:
        """Log in and take the seat again, as soon as it is held."""
        caller = self.log_in(program, user)
        deadline = time.monotonic() + PATIENCE
        caller.send("JOIN:den:PLAYER")
        while (status := caller.socket.recv(17)) != b"JOIN:ACKSTATUS:0\n":
            assert status == b"JOIN:ACKSTATUS:2\n" and time.monotonic() < deadline
            select.select([caller.socket], [], [], 0.05)
            caller.send("JOIN:den:PLAYER")
        caller.expect(*answers)
        return caller

    def test_a_match_between_two_nodes(self) -> None:
        a, b = self.serve(), self.serve()
        alice, bob, vera = self.begin_match(a, b)
        self.play_example(alice, bob, vera)
        vera.ask("ROOMLIST:VIEWER", "ROOMLIST:ACKSTATUS:0:")
        vera.ask("CREATE:den", "CREATE:ACKSTATUS:0")
        for program in (a, b):
            program.signal()
        logs = [program.finish() for program in (a, b)]
        assert [(status, errors) for status, _, errors in logs] == [(0, "")] * 2
        assert sum("matches: {'won': 1}" in log for _, log, _ in logs) == 1

    def test_one_of_them_is_killed_in_the_middle(self) -> None:
        a, b = self.serve(), self.serve()
        alice, bob, vera = self.begin_match(a, b)
        alice.send("PLACE:1:1")
        for caller in (alice, bob, vera):
            caller.expect("BOARDSTATUS:000010000")
        a.signal(signal.SIGKILL)
        assert alice.at_end()
        alice = self.come_back(b, "alice", "INPROGRESS:bob:alice", "BOARDSTATUS:000010000")
        bob.send("PLACE:0:0")
        for caller in (alice, bob, vera):
            caller.expect("BOARDSTATUS:200010000")
        alice.send("FORFEIT")
        for caller in (alice, bob, vera):
            caller.expect("GAMEEND:200010000:2:bob")

    def test_one_of_them_is_stopped_in_the_middle(self) -> None:
        a, b = self.serve(), self.serve()
        alice, bob, _ = self.begin_match(a, b)
        a.signal()
        status, _, errors = a.finish()
        assert (status, errors) == (0, "") and alice.at_end()
        alice = self.log_in(b, "alice")
        alice.ask(
            "JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "INPROGRESS:alice:bob", "BOARDSTATUS:000000000"
        )
        alice.ask("PLACE:0:0", "BOARDSTATUS:100000000")
        bob.expect("BOARDSTATUS:100000000")

    def test_redis_is_killed_and_comes_back(self) -> None:
        a, b = self.serve("--admin", LOCAL), self.serve()
        alice, bob, _ = self.begin_match(a, b)
        alice.ask("PLACE:1:1", "BOARDSTATUS:000010000")
        bob.expect("BOARDSTATUS:000010000")
        health = self.health(a)
        assert self.status(health) == 200
        self.redis.kill()
        a.wait_for("redis is away")
        assert self.status(health) == 503
        bob.send("PLACE:0:0")
        self.redis.start()
        for caller in (alice, bob):
            caller.expect("BOARDSTATUS:200010000")
        alice.ask("PLACE:0:2", "BOARDSTATUS:200010100")
        a.wait_for("redis is back")
        assert self.status(health) == 200

    def health(self, program: Program) -> str:
        line = next(line for line in program.log.splitlines() if "admin: listening" in line)
        return f"http://127.0.0.1:{line.split()[-1]}/health/ready"

    def status(self, url: str) -> int:
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                status: int = answer.status
                return status
        except urllib.error.HTTPError as error:
            with error:
                return error.code

    def test_who_waits_too_long_for_redis_is_disconnected(self) -> None:
        a = self.serve("--engine-timeout", "0.2")
        alice = self.sign_up(a, "alice")
        self.redis.kill()
        alice.send("CREATE:den")
        assert alice.at_end()
        a.signal()
        status, log, errors = a.finish()
        assert (status, errors) == (0, "") and log.count("redis is away") == 1

    def test_answers_come_in_order_however_fast_one_asks(self) -> None:
        a = self.serve()
        alice = self.sign_up(a, "alice")
        alice.send("CREATE:den\nREGISTER:x\nPLACE:0:0\nFORFEIT\nROOMLIST:VIEWER\nNONSENSE\nJOIN:x")
        alice.expect(
            *("CREATE:ACKSTATUS:0", "REGISTER:ACKSTATUS:2", "GAMEEND:000000000:1"),
            *("ROOMLIST:ACKSTATUS:0:", "JOIN:ACKSTATUS:3"),
        )


class SetupTests(ServerCase):
    def refused(self, url: str) -> str:
        """What is said of a URL before anything listens."""
        status, log, errors = self.start("--rooms", url).finish()
        assert status == 1 and "listening" not in log
        return errors

    def test_a_url_that_is_none(self) -> None:
        assert self.refused("localhost") == "Error: --rooms: it isn't redis://HOST:PORT/DB\n"

    def test_nobody_is_there(self) -> None:
        port = free_port()
        errors = self.refused(f"redis://127.0.0.1:{port}/1")
        assert errors.startswith(f"Error: --rooms: redis://127.0.0.1:{port}/1 doesn't serve: ")
        assert errors.count("\n") == 1
