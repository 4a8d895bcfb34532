"""What may wait unsent, and how fast messages may follow each other."""

from __future__ import annotations

from itertools import pairwise

from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.trial.unittest import SynchronousTestCase

from tictac.net.sending import TRANSPORT_BUFFER, Outlet


class OutletCase(SynchronousTestCase):
    limit = TRANSPORT_BUFFER + 100

    def setUp(self) -> None:
        self.clock = Clock()
        self.transport = StringTransport()
        self.full: list[float] = []
        self.outlet = Outlet(
            self.transport, self.clock, self.limit, lambda: self.full.append(self.clock.seconds())
        )

    def sent(self) -> bytes:
        """Return the bytes sent since the last time."""
        sent: bytes = self.transport.value()
        self.transport.clear()
        return sent


class PacedTests(OutletCase):
    def test_messages_are_20_ms_apart_at_least(self) -> None:
        times = {}
        for message in (b"one", b"two", b"three"):
            self.outlet.write_paced(message, 0.02)
        for _ in range(100):
            if sent := self.sent():
                times[sent] = self.clock.seconds()
            self.clock.advance(0.001)
        assert list(times) == [b"one", b"two", b"three"]
        moments = list(times.values())
        assert moments[0] == 0
        for earlier, later in pairwise(moments):
            assert 0.0199 < later - earlier < 0.022

    def test_the_first_after_a_pause_waits_for_nothing(self) -> None:
        self.outlet.write_paced(b"one", 0.02)
        self.clock.advance(0.02)
        self.outlet.write_paced(b"two", 0.02)
        assert self.sent() == b"onetwo"

    def test_one_that_comes_within_the_pause_waits_for_its_rest(self) -> None:
        self.outlet.write_paced(b"one", 0.02)
        self.clock.advance(0.015)
        self.outlet.write_paced(b"two", 0.02)
        assert self.sent() == b"one"
        self.clock.advance(0.005)
        assert self.sent() == b"two"

    def test_the_gap_of_each_message_comes_after_it(self) -> None:
        for message, gap in ((b"one", 0.25), (b"two", 0.02), (b"three", 0.02)):
            self.outlet.write_paced(message, gap)
        self.clock.advance(0.24)
        assert self.sent() == b"one"
        self.clock.advance(0.015)
        assert self.sent() == b"two"
        self.clock.advance(0.02)
        assert self.sent() == b"three"

    def test_a_hurry_shortens_a_gap_and_prolongs_none(self) -> None:
        self.outlet.write_paced(b"one", 0.25)
        self.outlet.write_paced(b"two", 0.25)
        self.outlet.hurry(0.02)
        self.clock.advance(0.015)
        self.outlet.hurry(0.02)
        self.clock.advance(0.006)
        assert self.sent() == b"onetwo"

    def test_what_waits_goes_out_at_the_close(self) -> None:
        for message in (b"one", b"two", b"three"):
            self.outlet.write_paced(message, 0.02)
        self.outlet.close()
        assert self.sent() == b"onetwothree"
        assert not self.clock.getDelayedCalls()
        assert self.transport.producer is None

    def test_a_flush_leaves_it_fit_for_more(self) -> None:
        self.outlet.write_paced(b"one", 0.02)
        self.outlet.write_paced(b"two", 0.02)
        self.outlet.flush()
        assert self.sent() == b"onetwo"
        self.outlet.write_paced(b"three", 0.02)
        self.outlet.write_paced(b"four", 0.02)
        assert self.sent() == b"three"
        self.clock.advance(0.02)
        assert self.sent() == b"four"

    def test_a_connection_that_is_gone_leaves_no_timer(self) -> None:
        self.outlet.write_paced(b"one", 0.02)
        self.outlet.write_paced(b"two", 0.02)
        self.outlet.stopProducing()
        assert not self.clock.getDelayedCalls()
        assert self.sent() == b"one"


class LimitTests(OutletCase):
    def test_while_all_leaves_nothing_is_counted(self) -> None:
        for _ in range(100):
            self.outlet.write(b"x" * 10_000)
        assert not self.full

    def test_what_is_written_to_a_choked_transport_counts(self) -> None:
        self.outlet.pauseProducing()
        self.outlet.write(b"x" * 100)
        assert not self.full
        self.outlet.write(b"x")
        assert self.full == [0]
        assert len(self.sent()) == 101  # it isn't for the outlet to drop anything

    def test_a_transport_that_says_again_that_it_is_choked_counts_once(self) -> None:
        # Twisted's says so at every write while its buffer is full.
        for _ in range(50):
            self.outlet.pauseProducing()
        self.outlet.write(b"x" * 100)
        assert not self.full
        self.outlet.write(b"x")
        assert self.full == [0]

    def test_what_was_flushed_counts_no_more(self) -> None:
        self.outlet.write_paced(b"x", 1)
        self.outlet.write_paced(b"x" * (self.limit - 10), 1)
        self.outlet.flush()
        for _ in range(2):
            self.outlet.write_paced(b"x" * 10, 1)
        assert not self.full

    def test_it_is_said_once(self) -> None:
        self.outlet.pauseProducing()
        for _ in range(5):
            self.outlet.write(b"x" * 1000)
        assert len(self.full) == 1

    def test_when_all_has_left_the_count_begins_anew(self) -> None:
        for _ in range(10):
            self.outlet.pauseProducing()
            self.outlet.write(b"x" * 90)
            self.outlet.resumeProducing()
            self.outlet.write(b"x" * 1000)
        assert not self.full

    def test_the_queue_of_a_bare_peer_counts_too(self) -> None:
        self.outlet.pauseProducing()
        self.outlet.write_paced(b"x" * 50, 0.02)  # on its way
        self.outlet.write_paced(b"x" * 50, 0.02)
        assert not self.full
        self.outlet.write_paced(b"x", 0.02)
        assert self.full == [0]

    def test_the_queue_alone(self) -> None:
        self.outlet.write_paced(b"x", 0.02)
        for _ in range(TRANSPORT_BUFFER // 64):
            self.outlet.write_paced(b"x" * 64, 0.02)
        self.outlet.write_paced(b"x" * 100, 0.02)
        assert not self.full
        self.outlet.write_paced(b"x", 0.02)
        assert self.full

    def test_what_has_left_the_queue_counts_no_more(self) -> None:
        for _ in range(200):
            self.outlet.write_paced(b"x" * 1000, 0.02)
            self.clock.advance(0.02)
        assert not self.full

    def test_what_waits_in_the_queue_still_counts_after_the_transport_is_empty(self) -> None:
        self.outlet.write_paced(b"x", 0.02)
        self.outlet.write_paced(b"x" * 65_000, 0.02)
        self.outlet.pauseProducing()
        assert self.full
        self.full.clear()
        other = Outlet(StringTransport(), self.clock, 1000, lambda: self.full.append(0))
        other.write_paced(b"x", 0.02)
        other.write_paced(b"x" * 900, 0.02)
        other.resumeProducing()
        other.write_paced(b"x" * 101, 0.02)
        assert self.full == [0]

    def test_after_the_close_nobody_is_called(self) -> None:
        self.outlet.close()
        self.outlet.pauseProducing()
        self.outlet.write(b"x" * 1000)
        assert not self.full


class LowLimitTests(OutletCase):
    limit = 10

    def test_a_limit_below_the_transports_buffer_acts_like_that(self) -> None:
        self.outlet.write(b"x" * 1000)
        assert not self.full
        self.outlet.pauseProducing()
        assert self.full


class NoLimitTests(OutletCase):
    limit = 0

    def test_0_is_no_limit(self) -> None:
        self.outlet.pauseProducing()
        self.outlet.write(b"x" * 10**7)
        for _ in range(100):
            self.outlet.write_paced(b"x" * 10**5, 0.02)
        assert not self.full
