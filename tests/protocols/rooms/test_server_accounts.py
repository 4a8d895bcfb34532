"""While a password is checked, when the store fails, and what is logged of it all."""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.defer import Deferred, fail
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import ManualPool, answering, failing, logged_errors
from tests.helpers import Server
from tests.logs import log, texts
from tictac.accounts.tables import Account, AccountTables
from tictac.protocols.lobby.wire import ALL, INVITED, NONE
from tictac.storage.store import StoreAwayError


class CheckingTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.pool = ManualPool()
        self.server = Server(pool=self.pool)

    def finish(self) -> None:
        self.pool.finish_one()

    def test_later_messages_wait_for_their_answers(self) -> None:
        for end in (b"\n", b"\r\n"):
            visitor = self.server.connect(end)
            messages = ["LOGIN:alice:secret", "ROOMLIST:PLAYER", "CREATE:x", "FORFEIT"]
            visitor.transport.arrive(b"".join(m.encode() + end for m in messages))
            assert visitor.read() == []
            self.finish()
            assert visitor.read() == [
                "LOGIN:ACKSTATUS:0", "ROOMLIST:ACKSTATUS:0:", "CREATE:ACKSTATUS:0",
                "GAMEEND:000000000:1",
            ]  # fmt: skip

    def test_one_check_after_the_other(self) -> None:
        visitor = self.server.connect()
        visitor.transport.arrive(
            b"REGISTER:dora:pw\nLOGIN:dora:pw\nLOGIN:alice:wrong\nCREATE:den\n"
        )
        for answers in (
            ["REGISTER:ACKSTATUS:0"],
            ["LOGIN:ACKSTATUS:0"],
            ["LOGIN:ACKSTATUS:2", "CREATE:ACKSTATUS:0"],
        ):
            assert len(self.pool.jobs) == 1
            self.finish()
            assert visitor.read() == answers

    def test_reading_pauses(self) -> None:
        for message in ("LOGIN:alice:secret", "REGISTER:dora:pw"):
            visitor = self.server.connect()
            visitor.send(message)
            assert visitor.transport.producerState == "paused"
            assert visitor.ask("FORFEIT") == []
            self.finish()
            assert visitor.transport.producerState == "producing"
            assert len(visitor.read()) == 2

    def test_a_bare_peers_messages_wait_too(self) -> None:
        visitor = self.server.connect(b"")
        visitor.send("LOGIN:alice:secret", "CREATE:den")
        assert visitor.read() == []
        self.finish()
        assert visitor.read() == ["LOGIN:ACKSTATUS:0", "CREATE:ACKSTATUS:0"]

    def test_others_dont_wait(self) -> None:
        one, other = self.server.connect(), self.server.connect()
        one.send("LOGIN:alice:secret")
        assert other.ask("FORFEIT") == ["BADAUTH"]

    def test_what_needs_no_check_is_answered_at_once(self) -> None:
        visitor = self.server.connect()
        assert visitor.ask("LOGIN:x", "LOGIN:guest-1:x", "REGISTER:alice:x", "REGISTER:a,:x") == [
            "LOGIN:ACKSTATUS:3", "LOGIN:ACKSTATUS:1", "REGISTER:ACKSTATUS:1",
            "REGISTER:ACKSTATUS:2",
        ]  # fmt: skip
        assert self.pool.jobs == []

    def test_who_hangs_up_leaves_the_queue(self) -> None:
        first, second, third = (self.server.connect() for _ in range(3))
        for visitor in (first, second, third):
            visitor.send("LOGIN:alice:secret")
        second.hang_up()
        self.finish()
        assert first.read() == ["LOGIN:ACKSTATUS:0"]
        self.finish()
        assert third.read() == ["LOGIN:ACKSTATUS:0"]
        assert self.pool.jobs == []
        assert second.transport.take() == b""

    def test_who_hangs_up_in_the_middle_of_a_check(self) -> None:
        for message in ("LOGIN:alice:secret", "REGISTER:dora:pw"):
            visitor = self.server.connect()
            visitor.send(message, "CREATE:den")
            visitor.hang_up()
            self.finish()
            assert visitor.transport.take() == b""
        other = self.server.connect()
        other.send("LOGIN:bob:secret")
        assert self.pool.jobs
        logged_errors(self)

    def test_hanging_up_is_no_error(self) -> None:
        with log() as events:
            visitor = self.server.connect()
            visitor.send("LOGIN:alice:secret")
            visitor.hang_up()
            self.finish()
        assert texts(events) == []

    def test_a_match_goes_on_while_a_player_registers_somebody(self) -> None:
        alice, bob = self.server.connect(), self.server.connect()
        for visitor, user in [(alice, "alice"), (bob, "bob")]:
            visitor.send(f"LOGIN:{user}:secret")
            self.finish()
        alice.send("CREATE:den")
        bob.send("JOIN:den:PLAYER")
        alice.read()
        bob.read()
        bob.send("REGISTER:dora:pw", "FORFEIT")
        assert alice.ask("PLACE:1:1") == ["BOARDSTATUS:000010000"]
        assert bob.read() == ["BOARDSTATUS:000010000"]
        self.finish()
        assert bob.read() == ["REGISTER:ACKSTATUS:0", "GAMEEND:000010000:2:alice"]


class StoreFailureTests(SynchronousTestCase):
    """The disk is full, and some of it can't be read."""

    def setUp(self) -> None:
        def get(request: Callable[[str], Deferred[Account]], name: str) -> Deferred[Account]:
            return fail(OSError("the disk is broken")) if name == "alice" else request(name)

        self.enterContext(failing(AccountTables.add, OSError("the disk is full")))
        self.enterContext(answering(AccountTables.get, get))

    def test_the_connection_is_closed_without_an_answer(self) -> None:
        for message in ("REGISTER:dora:hunter2", "LOGIN:alice:hunter2"):
            server = Server()
            visitor = server.connect()
            with log() as events:
                visitor.send(message, "FORFEIT")
            assert visitor.transport.take() == b""
            assert visitor.closed
            assert [error.type for error in logged_errors(self, OSError)] == [OSError]
            assert "the disk is" in "".join(texts(events))
            assert "hunter2" not in "".join(texts(events)) + repr(events)

    def test_others_are_served_on(self) -> None:
        server = Server()
        server.connect().send("LOGIN:alice:x")
        logged_errors(self, OSError)
        assert server.connect().ask("LOGIN:bob:secret") == ["LOGIN:ACKSTATUS:0"]


class StoreAwayTests(SynchronousTestCase):
    def test_the_connection_is_closed_without_an_answer_and_without_a_line(self) -> None:
        for method in (AccountTables.get, AccountTables.is_taken):
            self.enterContext(failing(method, StoreAwayError()))
        for message in ("REGISTER:dora:hunter2", "LOGIN:alice:hunter2"):
            visitor = Server().connect()
            with log() as events:
                visitor.send(message, "FORFEIT")
            assert visitor.transport.take() == b""
            assert visitor.closed
            assert texts(events) == []


class LogTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.server = Server()

    def test_no_password_is_ever_logged(self) -> None:
        password = "hunter2hunter2"
        with log() as events:
            for end in (b"\n", b"\r\n", b""):
                visitor = self.server.connect(end)
                for verb in ("LOGIN", "REGISTER"):
                    for message in (
                        f"{verb}:alice:{password}",
                        f"{verb}:dora:{password}",
                        f"{verb}:nobody:{password}",
                        f"{verb}:a,b:{password}",
                        f"{verb}:dora:x:{password}",
                        f"{verb}:dora:{password * 10}",
                        f"{verb}:{password}",
                    ):
                        visitor.send(message)
        assert len(events) > 3
        assert password not in "".join(texts(events)) + repr(events)

    def test_nor_that_of_somebody_who_mistypes_the_request(self) -> None:
        # (A request that is whole but for its colons holds a short password in 20 bytes.)
        for message in ("login:bob:hunter2", "LOGIN bob hunter2", "LOGIN,bob,hunter2"):
            server = Server()
            with log() as events:
                for visitor in (server.connect(), server.log_in("alice")):
                    visitor.send(message)
            assert "hunter2" not in "".join(texts(events)) + repr(events)

    def test_a_server_that_shows_no_names_has_one_status_for_both(self) -> None:
        for visitors, status in ((ALL, 1), (INVITED, 2), (NONE, 2)):
            self.server.factory.lobby.visitors = visitors
            self.server.clock.advance(3600)
            visitor = self.server.connect()
            answers = visitor.ask("LOGIN:nobody:secret", "LOGIN:alice:wrong")
            assert answers == [f"LOGIN:ACKSTATUS:{status}", "LOGIN:ACKSTATUS:2"]

    def test_a_refusal_is_logged_once_for_a_kind_and_a_peer(self) -> None:
        with log() as events:
            for _ in range(3):
                for host in ("192.0.2.1", "192.0.2.2"):
                    visitor = self.server.connect(host=host)
                    visitor.ask("LOGIN:alice:wrong", "LOGIN:nobody:x", "LOGIN", "FORFEIT")
        lines = texts(events)
        assert sorted(lines) == sorted(
            f"192.0.2.{number} was refused: {kind}"
            for number in (1, 2)
            for kind in ("wrong-password", "no-such-user", "malformed", "not-logged-in")
        )
        assert self.server.factory.refusals.counts["wrong-password"] == 6

    def test_a_limit_is_logged_once_too(self) -> None:
        with log() as events:
            for _ in range(3):
                visitor = self.server.connect()
                visitor.transport.arrive(b"x" * 8193)
                visitor.hang_up()
        assert texts(events) == ["192.0.2.1 was refused: message-too-long"]

    def test_a_login_is_logged_and_a_match_isnt(self) -> None:
        with log() as events:
            alice, bob = self.server.log_in("alice"), self.server.log_in("bob", host="192.0.2.2")
            alice.send("CREATE:den")
            bob.send("JOIN:den:PLAYER")
            alice.send("PLACE:1:1", "FORFEIT")
        assert texts(events) == [
            "'alice' logged in from 192.0.2.1", "'bob' logged in from 192.0.2.2"
        ]  # fmt: skip

    def test_an_unknown_verb_is_a_matter_for_debugging(self) -> None:
        alice = self.server.log_in("alice")
        with log() as events:
            alice.send("HELLO")
        assert [event["log_level"].name for event in events] == ["debug"]
        assert texts(events) == ["192.0.2.1 sent 5 bytes that aren't a request"]
