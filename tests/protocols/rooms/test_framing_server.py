"""How the rooms server frames what it says and hears (rooms.md, "Messages")."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tests import helpers
from tests.accounts.helpers import ManualPool
from tests.helpers import Server, Visitor
from tests.lobby.late import Journal
from tictac.lobby.outbox import Journaled
from tictac.lobby.registry import Registry
from tictac.net.framing import Framing


class FramingServerCase(SynchronousTestCase):
    framing: Framing | None = None

    def setUp(self) -> None:
        self.server = Server(self.framing)
        self.clock = self.server.clock

    def bare(self, user: str | None = None) -> Visitor:
        """Open a connection of a client known to send bare messages, logged in if named."""
        visitor = self.server.connect(b"")
        visitor.ask(f"LOGIN:{user}:secret" if user else "FORFEIT")
        return visitor

    def written(self, visitor: Visitor) -> list[bytes]:
        """Return the server's writes since the last time, without waiting."""
        return visitor.transport.take_writes()


class DelimiterTests(FramingServerCase):
    def test_answers_copy_the_peer(self) -> None:
        for end, answer in [(b"\n", b"BADAUTH\n"), (b"\r\n", b"BADAUTH\n"), (b"", b"BADAUTH")]:
            visitor = self.server.connect(end)
            visitor.send("FORFEIT")
            assert visitor.transport.take() == answer

    def test_a_broadcast_is_formatted_for_each_recipient(self) -> None:
        alice, bob = self.server.log_in("alice"), self.bare("bob")
        vera = self.server.log_in("vera", b"\r\n")
        alice.send("CREATE:den")
        vera.send("JOIN:den:VIEWER")
        bob.send("JOIN:den:PLAYER")
        self.clock.pump([0.02] * 5)
        for visitor in (alice, vera, bob):
            self.written(visitor)
        alice.send("PLACE:1:1")
        board = b"BOARDSTATUS:000010000"
        assert self.written(alice) == self.written(vera) == [board + b"\n"]
        assert self.written(bob) == [board]

    def test_a_bare_peer_that_learns_to_end_lines(self) -> None:
        visitor = self.bare("alice")
        visitor.transport.arrive(b"ROOMLIST:PLAYER\n")
        self.clock.advance(1)
        assert visitor.transport.take() == b"ROOMLIST:ACKSTATUS:0:\n"
        visitor.transport.arrive(b"ROOMLIST:PLAYER")
        self.clock.advance(10)
        assert visitor.transport.take() == b""

    def test_what_waits_for_a_peer_that_learns_to_end_lines_comes_first(self) -> None:
        alice, bob = self.server.log_in("alice"), self.bare("bob")
        alice.send("CREATE:den")
        bob.transport.arrive(b"JOIN:den:PLAYER")  # its BEGIN has to wait 20 ms
        bob.transport.arrive(b"ROOMLIST:VIEWER\n")
        self.clock.pump([0.02] * 5)
        sent = bob.transport.take()
        order = [b"JOIN:ACKSTATUS:0", b"BEGIN:alice:bob", b"ROOMLIST:ACKSTATUS:0:den"]
        places = [sent.index(message) for message in order]
        assert places == sorted(places)

    def test_nagles_algorithm_is_off(self) -> None:
        assert self.server.connect().transport.no_delay


class SilenceTests(FramingServerCase):
    def test_a_whole_request_waits_30_ms_at_first(self) -> None:
        visitor = self.server.connect(b"")
        for message in (b"LOGIN:alice:secret", b"FORFEIT", b"PLACE:1:1"):
            visitor = self.server.connect(b"")
            visitor.transport.arrive(message)
            self.clock.advance(0.029)
            assert self.written(visitor) == []
            self.clock.advance(0.002)
            assert len(self.written(visitor)) == 1

    def test_then_it_is_answered_at_once(self) -> None:
        visitor = self.bare()
        self.clock.advance(1)
        visitor.transport.arrive(b"CREATE:den")
        assert self.written(visitor)[-1] == b"BADAUTH"

    def test_a_malformed_one_gets_its_error_after_500_ms(self) -> None:
        for message, answer in [
            (b"LOGIN:x", b"LOGIN:ACKSTATUS:3"),
            (b"REGISTER:x", b"REGISTER:ACKSTATUS:2"),
            (b"CREATE", b"BADAUTH"),
            (b"HELLO", b"BADAUTH"),
        ]:
            for visitor in (self.server.connect(b""), self.bare()):
                self.clock.advance(1)
                self.written(visitor)
                visitor.transport.arrive(message)
                self.clock.advance(0.499)
                assert self.written(visitor) == []
                self.clock.advance(0.002)
                assert self.written(visitor) == [answer]

    def test_a_request_in_two_pieces(self) -> None:
        visitor = self.server.connect(b"")
        visitor.transport.arrive(b"LOGIN:ali")
        self.clock.advance(0.2)
        visitor.transport.arrive(b"ce:secret")
        self.clock.advance(0.03)
        assert self.written(visitor) == [b"LOGIN:ACKSTATUS:0"]


class EndOfInputTests(SynchronousTestCase):
    """What came before the end of the input is answered, and then the connection is closed."""

    def end(self, data: bytes, mode: str = "auto", checks: int = 0) -> tuple[bytes, bool]:
        """Send this and end the input; return the answers, and whether the connection closed."""
        pool = ManualPool()
        visitor = Server(Framing(mode=mode), pool=pool).connect()
        visitor.transport.arrive(data, None)
        for _ in range(checks):
            assert not visitor.closed
            pool.finish_one()
        return visitor.transport.take(), visitor.closed

    def test_a_request_without_an_end(self) -> None:
        assert self.end(b"FORFEIT") == (b"BADAUTH", True)

    def test_a_registration(self) -> None:
        for mode in ("auto", "bare"):
            answer = (b"REGISTER:ACKSTATUS:0", True)
            assert self.end(b"REGISTER:dave:secret", mode, 1) == answer
        assert self.end(b"REGISTER:dave:secret\r\n", "bare", 1) == answer

    def test_while_the_end_of_a_match_is_being_saved(self) -> None:
        """The peer still gets it, although the room is closed already."""
        journal, turns = Journal(), Clock()
        outbox = partial(Journaled, journal, turns.callLater)
        with patch.object(helpers, "Registry", partial(Registry, outbox=outbox)):
            server = Server()
        server.registry.start()
        server.factory.rejoins = False

        def settle() -> None:
            while turns.getDelayedCalls():
                turns.advance(0)
                journal.keep()

        alice, bob = server.log_in("alice"), server.log_in("bob")
        for visitor, request in ((alice, "CREATE:den"), (bob, "JOIN:den:PLAYER")):
            visitor.send(request)
            settle()
        alice.send("FORFEIT")
        bob.read()
        bob.transport.arrive(None)
        settle()
        assert bob.read()[-1].startswith("GAMEEND:") and bob.closed and not server.faults

    def test_what_waits_behind_a_password(self) -> None:
        data = b"LOGIN:alice:secret\nROOMLIST:PLAYER"
        answers = b"LOGIN:ACKSTATUS:0\nROOMLIST:ACKSTATUS:0:\n"
        assert self.end(data, "auto", 1) == (answers, True)

    def test_what_waits_for_its_gap(self) -> None:
        server = Server()
        visitor = server.connect(b"")
        visitor.transport.arrive(b"LOGIN:alice:secret")
        server.clock.advance(0.03)
        visitor.transport.arrive(b"ROOMLIST:PLAYER")
        visitor.transport.arrive(b"FORFEIT", None)
        answers = b"LOGIN:ACKSTATUS:0ROOMLIST:ACKSTATUS:0:NOROOM"
        assert (visitor.transport.take(), visitor.closed) == (answers, True)

    def test_a_player_whose_input_ends_leaves(self) -> None:
        server = Server()
        alice, bob = server.log_in("alice"), server.log_in("bob")
        alice.send("CREATE:den")
        bob.send("JOIN:den:PLAYER")
        bob.read()
        alice.transport.arrive(b"PLACE:1:1\n", None)
        assert alice.closed
        alice.hang_up()
        boards = ["BOARDSTATUS:000010000", "GAMEEND:000010000:2:bob"]
        assert bob.read() == boards


class PaceTests(FramingServerCase):
    """4. Between two messages to the same bare peer the server waits."""

    def test_a_bare_peer_gets_one_message_a_read(self) -> None:
        bob = self.bare("bob")
        self.server.log_in("alice").send("CREATE:den", "PLACE:1:1")
        bob.send()
        bob.transport.arrive(b"JOIN:den:PLAYER")
        assert self.written(bob)[-1:] == [b"JOIN:ACKSTATUS:0"]
        for message in (b"BEGIN:alice:bob", b"BOARDSTATUS:000010000"):
            self.clock.advance(0.199)
            assert self.written(bob) == []
            self.clock.advance(0.002)
            assert self.written(bob) == [message]
        self.clock.advance(1)
        assert self.written(bob) == []

    def test_a_slow_bare_peer_holds_nobody_up(self) -> None:
        bob = self.bare("bob")
        alice = self.server.log_in("alice")
        alice.send("CREATE:den")
        bob.transport.arrive(b"JOIN:den:PLAYER")
        alice.send("PLACE:1:1")
        assert alice.read() == ["CREATE:ACKSTATUS:0", "BEGIN:alice:bob", "BOARDSTATUS:000010000"]

    def test_what_waits_is_sent_before_the_connection_closes(self) -> None:
        bob = self.bare("bob")
        self.server.log_in("alice").send("CREATE:den")
        self.clock.advance(1)
        self.written(bob)
        bob.transport.arrive(b"JOIN:den:PLAYER")
        bob.protocol.close()
        assert b"".join(self.written(bob)) == b"JOIN:ACKSTATUS:0BEGIN:alice:bob"
        assert bob.closed and not bob.dropped


class EntryGapTests(FramingServerCase):
    """4. While a match begins it waits 200 ms: some clients come late to their next read.

    Here it waits a quarter of a second, and 1/64 of one elsewhere: sums of these are exact.
    """

    framing = Framing(gap=1 / 64, entry_gap=1 / 4)

    def setUp(self) -> None:
        super().setUp()
        self.alice, self.bob = self.server.log_in("alice"), self.bare("bob")
        self.clock.advance(1)
        self.written(self.bob)

    def times(self, visitor: Visitor) -> list[tuple[float, bytes]]:
        """Return when the server writes within a second, in seconds, and what."""
        found = [(0.0, each) for each in self.written(visitor)]
        for step in range(1, 65):
            self.clock.advance(1 / 64)
            found += [(step / 64, each) for each in self.written(visitor)]
        return found

    def test_the_answer_to_join_and_begin(self) -> None:
        self.alice.send("CREATE:den")
        self.bob.transport.arrive(b"JOIN:den:PLAYER")
        assert self.times(self.bob) == [(0.0, b"JOIN:ACKSTATUS:0"), (1 / 4, b"BEGIN:alice:bob")]

    def test_the_answer_to_join_and_a_match_that_runs(self) -> None:
        self.alice.send("CREATE:den")
        self.server.log_in("carol").send("JOIN:den:PLAYER")
        self.bob.transport.arrive(b"JOIN:den:VIEWER")
        self.alice.send("PLACE:1:1")
        assert self.times(self.bob) == [
            (0.0, b"JOIN:ACKSTATUS:0"),
            (1 / 4, b"INPROGRESS:alice:carol"),
            (1 / 2, b"BOARDSTATUS:000010000"),
        ]

    def test_the_answer_to_create_and_an_opponent_who_comes_at_once(self) -> None:
        self.bob.transport.arrive(b"CREATE:den")
        self.alice.send("JOIN:den:PLAYER", "PLACE:1:1")
        assert self.times(self.bob) == [(0.0, b"CREATE:ACKSTATUS:0"), (1 / 4, b"BEGIN:bob:alice")]

    def test_begin_and_a_kept_move(self) -> None:
        self.bob.transport.arrive(b"CREATE:den")
        self.clock.advance(1)
        self.bob.transport.arrive(b"PLACE:1:1")
        self.written(self.bob)
        self.alice.send("JOIN:den:PLAYER")
        assert self.times(self.bob) == [
            (0.0, b"BEGIN:bob:alice"),
            (1 / 4, b"BOARDSTATUS:000010000"),
        ]

    def test_a_refused_join_is_followed_as_fast_as_ever(self) -> None:
        self.bob.transport.arrive(b"JOIN:den:PLAYER", b"FORFEIT")
        assert self.times(self.bob) == [(0.0, b"JOIN:ACKSTATUS:1"), (1 / 64, b"NOROOM")]

    def test_a_match_is_no_slower(self) -> None:
        self.alice.send("CREATE:den")
        self.bob.transport.arrive(b"JOIN:den:PLAYER")
        self.times(self.bob)
        self.alice.send("PLACE:1:1")
        self.bob.transport.arrive(b"PLACE:0:0")
        self.alice.send("PLACE:2:2")
        assert [at for at, _ in self.times(self.bob)] == [0.0, 1 / 64, 1 / 32]

    def test_who_asks_again_has_read_the_answer(self) -> None:
        self.bob.transport.arrive(b"CREATE:den")
        self.clock.advance(1 / 8)
        self.alice.send("JOIN:den:PLAYER")
        self.bob.transport.arrive(b"PLACE:1:1")
        assert self.times(self.bob)[1:2] == [(1 / 64, b"BEGIN:bob:alice")]

    def test_lines_have_no_gap(self) -> None:
        self.bob.transport.arrive(b"CREATE:den")
        self.alice.send("JOIN:den:PLAYER")
        assert self.alice.read() == ["JOIN:ACKSTATUS:0", "BEGIN:bob:alice"]


class GapTests(FramingServerCase):
    framing = Framing(gap=0.5)

    def test_the_gap_is_an_option(self) -> None:
        visitor = self.bare()
        self.clock.advance(1)
        self.written(visitor)
        visitor.transport.arrive(b"CREATE:a", b"CREATE:b")
        assert self.written(visitor) == [b"BADAUTH"]
        self.clock.advance(0.49)
        assert self.written(visitor) == []
        self.clock.advance(0.02)
        assert self.written(visitor) == [b"BADAUTH"]


class BareModeTests(FramingServerCase):
    framing = Framing(mode="bare")

    def test_a_read_is_a_message_and_answers_have_no_newline(self) -> None:
        for message in (b"FORFEIT", b"FORFEIT\n", b"LOGIN:x\r\n"):
            visitor = self.server.connect(b"")
            visitor.transport.arrive(message)
            [answer] = self.written(visitor)
            assert answer in (b"BADAUTH", b"LOGIN:ACKSTATUS:3")


class LengthTests(FramingServerCase):
    def test_over_8192_bytes_the_connection_is_closed(self) -> None:
        for data in (b"x" * 8193, b"x" * 8193 + b"\n", b"LOGIN:a:" + b"x" * 10_000 + b"\r\n"):
            visitor = self.server.connect()
            visitor.transport.arrive(data)
            assert visitor.closed
            assert self.written(visitor) == []

    def test_a_player_who_sends_too_much_has_forfeited(self) -> None:
        alice, bob = self.server.log_in("alice"), self.server.log_in("bob")
        alice.send("CREATE:den")
        bob.send("JOIN:den:PLAYER")
        alice.read()
        bob.transport.arrive(b"x" * 8193)
        bob.hang_up()
        assert alice.read() == ["GAMEEND:000000000:2:alice"]


class AnyBytesTests(SynchronousTestCase):
    @settings(derandomize=True, max_examples=200)
    @given(
        st.sampled_from(["auto", "line", "bare"]),
        st.lists(
            st.one_of(
                st.binary(max_size=40),
                st.sampled_from(
                    [
                        b"LOGIN:bob:secret", b"REGISTER:x:y", b"CREATE:a", b"JOIN:den:PLAYER",
                        b"JOIN:den:VIEWER", b"PLACE:0:0", b"PLACE:1:", b"FORFEIT", b"\n", b"\r\n",
                        b"\n\n", b"ROOMLIST:", b"x" * 5000,
                    ]
                ),
                st.sampled_from([0.0, 0.02, 0.03, 0.5]),
            ),
            max_size=30,
        ),
    )  # fmt: skip
    def test_whatever_comes_hurts_nobody_else(self, mode: str, script: list[bytes | float]) -> None:
        server = Server(Framing(mode=mode))
        alice = server.log_in("alice", b"" if mode == "bare" else b"\n")
        alice.send("CREATE:den")
        other = server.connect()
        for step in script:
            if isinstance(step, float):
                server.clock.advance(step)
            else:
                other.transport.arrive(step)
        if not other.closed:
            server.clock.advance(1)
        other.hang_up()
        assert not server.faults
        alice.read()
        assert alice.ask("ROOMLIST:VIEWER")[0].startswith("ROOMLIST:ACKSTATUS:0:")
