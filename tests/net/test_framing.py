"""Messages out of a stream, by the numbered points of rooms.md, "Messages"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tests.helpers import TurnClock
from tictac.net import framing
from tictac.net.framing import Framing, MessageReceiver, Peer, without_noise
from tictac.testing.connection import FakeTransport

WHOLE = b"JOIN:den:PLAYER"
PLUGIN = b"LOGIN:x"


class Recorder(MessageReceiver):
    """Writes down its messages; WHOLE is the only one that looks complete."""

    def __init__(self) -> None:
        self.messages: list[bytes] = []
        self.holds_at: set[bytes] = set()
        self.waits_at: set[bytes] = set()
        self.releases_at: set[bytes] = set()
        self.closes_at: set[bytes] = set()
        self.paid: list[tuple[int, int]] = []

    def pay_for_input(self, units: int) -> None:
        self.paid.append((units, len(self.messages)))

    def is_complete(self, tail: bytes) -> bool:
        return tail == WHOLE

    def lineReceived(self, line: bytes) -> None:
        self.messages.append(line)
        if line in self.holds_at:
            self.hold()
        if line in self.waits_at | self.releases_at:
            self.wait()
        if line in self.releases_at:
            self.release()
        if line in self.closes_at:
            self.close()


class FramingCase(SynchronousTestCase):
    framing = Framing()

    def setUp(self) -> None:
        self.connect(self.framing)

    def connect(self, framing: Framing) -> None:
        """Begin with a new connection."""
        self.clock = TurnClock()
        self.protocol = Recorder()
        self.protocol.clock, self.protocol.framing = self.clock, framing
        self.transport = FakeTransport(self.protocol)
        self.protocol.makeConnection(self.transport)

    def receive(self, *pieces: bytes) -> list[bytes]:
        """Let data arrive, each piece in a read of its own; the messages in it."""
        self.transport.arrive(*pieces)
        return self.taken()

    def pass_time(self, seconds: float) -> list[bytes]:
        """Let time pass; the messages that came of it."""
        self.clock.advance(seconds)
        return self.taken()

    def turn(self) -> list[bytes]:
        """Let the reactor make one turn; the messages that came of it."""
        self.clock.turn()
        return self.taken()

    def taken(self) -> list[bytes]:
        """Return the messages taken since the last time, blank ones as well."""
        taken, self.protocol.messages = self.protocol.messages, []
        return taken

    @property
    def peer(self) -> Peer:
        return self.protocol.peer

    endings: Sequence[Callable[[FramingCase], None]] = (
        lambda case: case.protocol.close(),
        lambda case: case.protocol.drop(),
        lambda case: case.transport.lose(),
    )


class LinesTests(FramingCase):
    """1. A newline ends a message and makes the connection a line peer for good."""

    def test_a_newline_ends_a_message(self) -> None:
        assert self.receive(b"one\n") == [b"one"]
        assert self.peer is Peer.LINE

    def test_a_carriage_return_before_it_is_dropped(self) -> None:
        assert self.receive(b"one\r\n", b"two\r\nthree\r\n") == [b"one", b"two", b"three"]

    def test_only_the_last_one(self) -> None:
        assert self.receive(b"one\r\r\n", b"t\rwo\n") == [b"one\r", b"t\rwo"]

    def test_one_byte_each_29_ms(self) -> None:
        for byte in WHOLE + b"\n":
            assert self.pass_time(0.029) == []
            messages = self.receive(bytes([byte]))
        assert messages == [WHOLE]
        assert self.peer is Peer.LINE

    def test_a_blank_line_is_enough_to_know_the_peer(self) -> None:
        for end in (b"\n", b"\r\n"):
            self.connect(self.framing)
            self.receive(end)
            assert self.peer is Peer.LINE

    def test_a_known_line_peer_may_pause_as_long_as_it_likes(self) -> None:
        self.receive(b"one\n")
        assert self.receive(WHOLE) == self.pass_time(3600) == []
        assert self.receive(b"\n") == [WHOLE]
        assert not self.clock.getDelayedCalls()

    @settings(derandomize=True, max_examples=200)
    @given(
        st.lists(st.tuples(st.binary(max_size=12), st.sampled_from([b"\n", b"\r\n"]))),
        st.lists(st.integers(0, 150), max_size=20),
    )
    def test_the_cuts_between_segments_dont_matter(
        self, lines: list[tuple[bytes, bytes]], cuts: list[int]
    ) -> None:
        lines = [
            (without_noise(line.replace(b"\n", b"").rstrip(b"\r")), end) for line, end in lines
        ]
        stream = b"".join(line + end for line, end in lines)
        self.connect(Framing(turn_budget=1000))
        edges = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
        found = self.receive(*(stream[start:end] for start, end in pairwise(edges)))
        assert found == [line for line, _ in lines]


class SilenceTests(FramingCase):
    """2. Without a newline: after 30 ms what is complete, after 500 ms anything."""

    def test_a_whole_request_is_taken_after_30_ms(self) -> None:
        assert self.receive(WHOLE) == self.pass_time(0.0299) == []
        assert self.pass_time(0.0002) == [WHOLE]
        assert self.peer is Peer.BARE

    def test_anything_else_after_500_ms(self) -> None:
        assert self.receive(PLUGIN) == self.pass_time(0.499) == []
        assert self.pass_time(0.002) == [PLUGIN]
        assert self.peer is Peer.BARE

    def test_each_piece_starts_the_time_again(self) -> None:
        self.receive(PLUGIN)
        self.pass_time(0.499)
        self.receive(b"yz")
        assert self.pass_time(0.499) == []
        assert self.pass_time(0.002) == [PLUGIN + b"yz"]

    def test_a_newline_in_time_makes_a_line_peer(self) -> None:
        self.receive(WHOLE)
        self.pass_time(0.029)
        assert self.receive(b"\r\n") == [WHOLE]
        assert self.peer is Peer.LINE
        assert not self.clock.getDelayedCalls()

    def test_a_known_bare_peer_is_taken_at_its_word(self) -> None:
        self.receive(WHOLE)
        self.pass_time(0.03)
        assert self.receive(WHOLE) == [WHOLE]
        assert self.receive(WHOLE, WHOLE) == [WHOLE, WHOLE]

    def test_a_known_bare_peers_incomplete_message_still_waits(self) -> None:
        self.receive(PLUGIN)
        self.pass_time(0.5)
        assert self.receive(PLUGIN) == self.pass_time(0.499) == []
        assert self.pass_time(0.001) == [PLUGIN]

    def test_a_newline_makes_a_bare_peer_a_line_peer_for_good(self) -> None:
        self.receive(WHOLE)
        self.pass_time(0.03)
        assert self.receive(b"one\n") == [b"one"]
        assert self.peer is Peer.LINE
        assert self.receive(WHOLE) == self.pass_time(10) == []
        assert self.peer is Peer.LINE

    def test_lines_and_a_rest_in_one_segment(self) -> None:
        assert self.receive(b"one\n" + WHOLE) == [b"one"]
        assert self.pass_time(10) == []
        assert self.receive(b"\n") == [WHOLE]

    def test_the_times_are_options(self) -> None:
        self.connect(Framing(complete_after=2, incomplete_after=3))
        self.receive(WHOLE)
        assert self.pass_time(1.9) == []
        assert self.pass_time(0.2) == [WHOLE]
        self.receive(PLUGIN)
        assert self.pass_time(2.9) == []
        assert self.pass_time(0.2) == [PLUGIN]

    def test_a_connection_that_is_lost_leaves_no_timer(self) -> None:
        for data in (WHOLE, PLUGIN):
            self.connect(self.framing)
            self.receive(data)
            assert len(self.clock.getDelayedCalls()) == 1
            self.transport.lose()
            assert not self.clock.getDelayedCalls()

    def test_nor_does_one_that_is_closed_or_dropped(self) -> None:
        for end in self.endings[:2]:
            self.connect(self.framing)
            self.receive(PLUGIN)
            end(self)
            assert not self.clock.getDelayedCalls()
            assert self.pass_time(1) == []


class LineModeTests(FramingCase):
    framing = Framing(mode="line")

    def test_only_newlines_count(self) -> None:
        assert self.peer is Peer.LINE
        assert self.receive(WHOLE) == self.pass_time(3600) == []
        assert self.receive(b"\r\n") == [WHOLE]
        assert self.peer is Peer.LINE

    def test_a_line_in_pieces_with_long_pauses(self) -> None:
        self.receive(WHOLE)
        self.pass_time(10)
        self.receive(b"x")
        assert self.receive(b"\n") == [WHOLE + b"x"]


class BareModeTests(FramingCase):
    framing = Framing(mode="bare")

    def test_every_read_is_a_message(self) -> None:
        assert self.peer is Peer.BARE
        assert self.receive(PLUGIN, b"x", WHOLE) == [PLUGIN, b"x", WHOLE]
        assert not self.clock.getDelayedCalls()

    def test_a_final_line_end_is_dropped_and_changes_nothing(self) -> None:
        assert self.receive(b"one\r\n", b"two\n", b"three") == [b"one", b"two", b"three"]
        assert self.peer is Peer.BARE

    def test_newlines_within_are_kept(self) -> None:
        assert self.receive(b"one\ntwo\n\n") == [b"one\ntwo\n"]


class LengthTests(FramingCase):
    def test_the_longest_message_in_every_mode(self) -> None:
        for mode in ("auto", "line", "bare"):
            for end in (b"\n", b"\r\n"):
                self.connect(Framing(mode=mode))
                assert self.receive(b"x" * 8192 + end) == [b"x" * 8192]
                assert not self.transport.disconnecting

    def test_a_longer_one_in_every_mode(self) -> None:
        for mode in ("auto", "line", "bare"):
            for end in (b"\n", b"\r\n", b""):
                self.connect(Framing(mode=mode))
                assert self.receive(b"x" * 8193 + end) == []
                assert self.transport.disconnected

    def test_too_much_without_an_end(self) -> None:
        for mode in ("auto", "line"):
            self.connect(Framing(mode=mode))
            assert self.receive(b"x" * 8192) == []
            assert not self.transport.disconnecting
            assert self.receive(b"x") == []
            assert self.transport.disconnected
            assert not self.clock.getDelayedCalls()

    def test_it_grows_too_long_byte_by_byte(self) -> None:
        self.receive(*[b"x"] * 10_000)
        assert self.transport.disconnected
        assert len(self.transport.arrived) == 10_000 - 8193

    def test_a_longer_one_of_known_peers(self) -> None:
        self.receive(b"one\n", b"x" * 8193 + b"\n")
        assert self.transport.disconnected
        self.connect(self.framing)
        self.receive(PLUGIN)
        self.pass_time(0.5)
        self.receive(b"x" * 8193)
        assert self.transport.disconnected

    def test_what_came_before_it_is_handed_out_and_nothing_after(self) -> None:
        assert self.receive(b"one\n" + b"x" * 8193 + b"\ntwo\n") == [b"one"]
        assert self.transport.disconnected
        assert self.receive(b"three\n") == []

    def test_the_length_is_an_option(self) -> None:
        self.connect(Framing(max_message=10))
        assert self.receive(b"0123456789\n") == [b"0123456789"]
        self.receive(b"0123456789X\n")
        assert self.transport.disconnected


class InputTests(FramingCase):
    """Bytes are paid before they are parsed, if they are many or end no message."""

    def paid(self, *pieces: bytes) -> list[int]:
        self.receive(*pieces)
        return [units for units, _ in self.protocol.paid]

    def test_a_short_message_costs_nothing_more(self) -> None:
        assert self.paid(b"x" * 255 + b"\n", b"y\n") == []

    def test_256_bytes_cost_a_unit_before_they_are_a_message(self) -> None:
        sizes = 256, 511, 512, 8192
        self.receive(*[b"x" * size + b"\n" for size in sizes])
        assert self.protocol.paid == [(1, 0), (1, 1), (2, 2), (32, 3)]

    def test_all_of_one_read_are_paid_when_they_are_handed_out(self) -> None:
        self.protocol.holds_at = {b"hold"}
        assert self.paid(b"hold\n" + b"x" * 300 + b"\n") == []
        self.protocol.release()
        assert self.protocol.paid == [(1, 0)] and self.taken() == [b"x" * 300]

    def test_a_read_that_ends_no_message_costs_a_unit(self) -> None:
        self.receive(b"line\n")
        assert self.paid(b"x" * 600, b"y", b"\n") == [1, 1, 2]

    def test_a_beginning_that_is_read_again_costs_as_much_as_all_of_it(self) -> None:
        assert self.paid(b"x" * 600, b"y", b"z" * 200) == [3, 3, 4]

    def test_a_thousand_lines_of_a_read_are_cut_at_once(self) -> None:
        looked: list[bytes] = []

        def look(message: bytes) -> bytes:
            looked.append(message)
            return message

        self.patch(framing, "without_noise", look)
        assert self.receive(b"x\n\r\n" * 500)[:3] == [b"x", b"", b"x"]
        assert len(looked) <= 1, "they aren't looked at before they are handed out"

    def test_in_every_mode(self) -> None:
        for mode in ("line", "bare", "auto"):
            self.connect(Framing(mode=mode))
            assert self.paid(b"x" * 256 + b"\n") == [1], mode


class BudgetTests(FramingCase):
    """A connection that floods doesn't keep the others waiting."""

    def test_16_messages_a_turn(self) -> None:
        lines = [str(number).encode() for number in range(40)]
        assert self.receive(b"\n".join(lines) + b"\n") == lines[:16]
        assert self.turn() == lines[16:32]
        assert self.turn() == lines[32:]
        assert not self.clock.getDelayedCalls()

    def test_other_work_comes_in_between(self) -> None:
        done: list[int] = []
        self.receive(b"x\n" * 40)
        self.clock.callLater(0, lambda: done.append(len(self.protocol.messages)))
        assert len(self.turn()) == 16
        assert done == [16]

    def test_nothing_is_read_meanwhile(self) -> None:
        self.receive(b"x\n" * 17, b"y\n")
        assert self.transport.producerState == "paused"
        assert self.pass_time(0) == [b"x", b"y"]
        assert self.transport.producerState == "producing"

    def test_the_budget_is_an_option(self) -> None:
        self.connect(Framing(turn_budget=2))
        assert self.receive(b"1\n2\n3\n") == [b"1", b"2"]
        assert self.pass_time(0) == [b"3"]

    def test_the_connection_may_end_meanwhile(self) -> None:
        for end in self.endings:
            self.connect(self.framing)
            self.receive(b"x\n" * 40)
            end(self)
            assert self.pass_time(0) == []
            assert not self.clock.getDelayedCalls()


class HoldTests(FramingCase):
    """A handler that must wait holds everything that comes after its message."""

    def test_nothing_more_is_handed_out_before_the_release(self) -> None:
        self.protocol.holds_at = {b"one", b"three"}
        assert self.receive(b"one\ntwo\nthree\nfour\n") == [b"one"]
        assert self.pass_time(60) == []
        self.protocol.release()
        assert self.taken() == [b"two", b"three"]
        self.protocol.release()
        assert self.taken() == [b"four"]

    def test_reading_pauses(self) -> None:
        self.protocol.holds_at = {b"one"}
        self.receive(b"one\n")
        assert self.transport.producerState == "paused"
        assert self.receive(b"two\n", b"three\n") == []
        self.protocol.release()
        assert self.transport.producerState == "producing"
        assert self.taken() == [b"two", b"three"]

    def test_what_arrives_in_spite_of_it_waits_too(self) -> None:
        # A transport that has data at hand already may still pass it on.
        self.protocol.holds_at = {b"one"}
        self.receive(b"one\n")
        for data in (b"two\n", b"three\n", b"fo"):
            self.protocol.dataReceived(data)
        assert self.taken() == []
        self.protocol.release()
        assert self.taken() == [b"two", b"three"]
        assert self.receive(b"ur\n") == [b"four"]

    def test_who_waits_reads_until_something_comes(self) -> None:
        self.protocol.waits_at = {b"one"}
        self.transport.arrive(b"one\n")
        assert self.transport.producerState == "producing"
        self.transport.arrive(b"two\n", b"three\n")
        assert self.transport.producerState == "paused"
        assert self.protocol.messages == [b"one"] and self.transport.arrived == [b"three\n"]
        self.protocol.release()
        assert self.protocol.messages == [b"one", b"two", b"three"]
        assert self.transport.producerState == "producing"

    def test_what_came_together_waits_too(self) -> None:
        self.protocol.waits_at = {b"one"}
        self.transport.arrive(b"one\ntwo\nthr")
        assert self.protocol.messages == [b"one"]
        self.protocol.release()
        self.transport.arrive(b"ee\n")
        assert self.protocol.messages == [b"one", b"two", b"three"]

    def test_nothing_more_is_read_while_messages_are_left(self) -> None:
        self.protocol.waits_at = {b"one", b"two", b"three"}
        self.transport.arrive(b"one\ntwo\nthree\n")
        assert self.transport.producerState == "paused"
        self.protocol.release()
        assert self.protocol.messages == [b"one", b"two"]
        assert self.transport.producerState == "paused"
        self.protocol.release()
        assert self.transport.producerState == "producing"  # the last one may still be waited for

    def test_a_wait_that_is_over_at_once(self) -> None:
        self.protocol.releases_at = {b"one"}
        self.transport.arrive(b"one\ntwo\n", b"three\n")
        assert self.protocol.messages == [b"one", b"two", b"three"]
        assert self.transport.producerState == "producing"

    def test_each_hold_needs_its_release(self) -> None:
        self.protocol.holds_at = {b"one"}
        self.receive(b"one\ntwo\n")
        self.protocol.hold()
        self.protocol.release()
        assert self.taken() == []
        assert self.transport.producerState == "paused"
        self.protocol.release()
        assert self.taken() == [b"two"]

    def test_a_bare_peers_next_messages_wait(self) -> None:
        self.protocol.holds_at = {PLUGIN}
        self.receive(PLUGIN)
        assert self.pass_time(0.5) == [PLUGIN]
        self.receive(WHOLE, WHOLE)
        assert self.pass_time(60) == []
        self.protocol.holds_at = set()
        self.protocol.release()
        assert self.taken() == [WHOLE, WHOLE]

    def test_releasing_a_connection_that_is_gone(self) -> None:
        for end in self.endings:
            self.connect(self.framing)
            self.protocol.holds_at = {b"one"}
            assert self.receive(b"one\ntwo\n") == [b"one"]
            end(self)
            self.protocol.release()
            assert self.taken() == []


class ClosingTests(FramingCase):
    def test_a_handler_may_close(self) -> None:
        self.protocol.closes_at = {b"two"}
        assert self.receive(b"one\ntwo\nthree\n") == [b"one", b"two"]
        assert self.transport.disconnecting
        assert not self.transport.disconnected

    def test_nothing_is_handed_out_after_it(self) -> None:
        # TLS still passes on what it had received, while it says goodbye to the peer.
        for first in (b"", b"one\n"):
            for end in self.endings[:2]:
                self.connect(self.framing)
                self.receive(*([first] if first else []))
                end(self)
                for data in (b"two\n", b"three\nfour\n", WHOLE):
                    self.protocol.dataReceived(data)
                assert self.pass_time(10) == []
                self.transport.lose()
                assert not self.clock.getDelayedCalls()


class EndOfInputTests(FramingCase):
    """The end of the peer's input ends a message, and then the connection."""

    def end(self, *pieces: bytes) -> list[bytes]:
        """Let the peer send its last; the messages in it."""
        self.transport.arrive(*pieces, None)
        return self.taken()

    @property
    def closed(self) -> bool:
        return self.transport.disconnecting

    def test_what_has_no_end_is_a_message_at_once(self) -> None:
        assert self.end(PLUGIN) == [PLUGIN]
        assert self.peer is Peer.BARE
        assert self.closed

    def test_so_is_the_last_line_of_a_line_peer(self) -> None:
        assert self.end(b"one\nPLACE") == [b"one", b"PLACE"]
        assert self.peer is Peer.LINE
        assert self.closed

    def test_but_not_where_only_newlines_end_messages(self) -> None:
        self.connect(Framing(mode="line"))
        assert self.end(b"one\ntwo") == [b"one"]
        assert self.closed

    def test_it_waits_for_what_is_held(self) -> None:
        self.protocol.holds_at = {b"one"}
        assert self.end(b"one\ntwo\n", b"three") == [b"one"]
        assert not self.closed
        self.protocol.release()
        assert self.taken() == [b"two", b"three"]
        assert self.closed

    def test_it_waits_for_a_waiting_protocol(self) -> None:
        self.protocol.waits_at = {b"one"}
        self.end(b"one\n")
        assert not self.closed
        self.protocol.release()
        assert self.closed

    def test_it_waits_for_the_budget_of_later_turns(self) -> None:
        self.connect(Framing(turn_budget=2))
        assert self.end(b"1\n2\n3\n4\n5") == [b"1", b"2"]
        assert self.turn() == [b"3", b"4"] and not self.closed
        assert self.turn() == [b"5"] and self.closed

    def test_too_long_a_message_counts_at_the_end_too(self) -> None:
        assert self.end(b"x" * 8193) == []
        assert self.transport.disconnected

    def test_an_end_after_closing_changes_nothing(self) -> None:
        self.protocol.close()
        self.protocol.readConnectionLost()
        assert self.taken() == []


class NoiseTests(FramingCase):
    """Telnet's negotiation (RFC 854) and a byte order mark before a message are skipped."""

    putty = bytes.fromhex("fffb1ffffb20fffb18fffb27fffd01fffb03fffd03")
    window = bytes.fromhex("fffa1f00500018fff0")

    def test_before_the_first_line(self) -> None:
        for noise in (self.putty, self.window, b"\xff\xf1", b"\xef\xbb\xbf", self.putty * 2):
            self.connect(self.framing)
            assert self.receive(noise + b"one\r\n") == [b"one"]

    def test_alone_it_is_no_message(self) -> None:
        assert self.receive(self.putty) == self.pass_time(10) == []
        assert self.receive(b"one\r\n") == [b"one"]

    def test_between_lines(self) -> None:
        assert self.receive(b"one\r\n", self.window + b"two\r\n") == [b"one", b"two"]

    def test_cut_in_two(self) -> None:
        assert self.receive(self.putty[:4], self.putty[4:] + b"one\n") == [b"one"]

    def test_before_a_bare_message(self) -> None:
        assert self.receive(b"\xef\xbb\xbf" + WHOLE) == []
        assert self.pass_time(0.03) == [WHOLE]

    def test_with_the_bare_framing(self) -> None:
        self.connect(Framing(mode="bare"))
        assert self.receive(self.putty, self.putty + b"one\r\n") == [b"one"]


class CarriageReturnTests(FramingCase):
    def test_it_doesnt_keep_a_bare_message_waiting(self) -> None:
        self.receive(WHOLE)
        self.pass_time(1)
        assert self.receive(WHOLE + b"\r") == []
        assert self.pass_time(0.03) == [WHOLE]
        assert self.peer is Peer.BARE
