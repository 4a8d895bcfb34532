"""Counting connections, and logging each refusal only once."""

from __future__ import annotations

import math

from twisted.internet.address import IPv4Address, IPv6Address, UNIXAddress
from twisted.internet.task import Clock
from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from tictac.net import limits
from tictac.net.limits import ConnectionLimit, FirstOnly, PeerRate, grant_files, peer_name


class PeerNameTests(SynchronousTestCase):
    def test_the_host_or_the_kind_of_address(self) -> None:
        assert peer_name(IPv4Address("TCP", "192.0.2.1", 80)) == "192.0.2.1"
        assert peer_name(IPv6Address("TCP", "2001:db8::1", 80)) == "2001:db8::1"
        assert peer_name(UNIXAddress(b"/run/socket")) == "UNIXAddress"
        assert peer_name(UNIXAddress(None)) == "UNIXAddress"
        assert peer_name(None) == "NoneType"


class ConnectionLimitTests(SynchronousTestCase):
    def test_in_all(self) -> None:
        limit = ConnectionLimit(2, 0)
        assert [limit.enter("a"), limit.enter("b")] == [None, None]
        assert limit.enter("c") == "too-many-connections"
        limit.leave("a")
        assert limit.enter("c") is None
        assert limit.enter("a") == "too-many-connections"

    def test_of_one_peer(self) -> None:
        limit = ConnectionLimit(0, 2)
        assert [limit.enter("a"), limit.enter("a"), limit.enter("b")] == [None, None, None]
        assert limit.enter("a") == "too-many-connections-of-one-peer"
        assert limit.enter("b") is None
        limit.leave("a")
        assert limit.enter("a") is None
        assert limit.enter("a") == "too-many-connections-of-one-peer"

    def test_a_refusal_counts_for_nothing(self) -> None:
        limit = ConnectionLimit(3, 1)
        limit.enter("a")
        for _ in range(10):
            assert limit.enter("a") == "too-many-connections-of-one-peer"
        assert limit.enter("b") is None
        assert limit.enter("c") is None
        assert limit.enter("d") == "too-many-connections"

    def test_of_ipv6_a_whole_network_is_one_peer(self) -> None:
        limit = ConnectionLimit(0, 1)
        assert limit.enter("2001:db8::1") is None
        assert limit.enter("2001:db8::2:1") == "too-many-connections-of-one-peer"
        assert limit.enter("2001:db8:0:1::1") is None
        limit.leave("2001:db8::5")
        assert limit.enter("2001:db8::2:1") is None

    def test_those_of_several_listeners_count_together_too(self) -> None:
        files = ConnectionLimit(4, 3)
        one, two, any_number = (ConnectionLimit(0, most, files) for most in (2, 2, 0))
        assert [one.enter("a"), one.enter("a"), two.enter("a")] == [None] * 3
        assert two.enter("a") == "too-many-connections-of-one-peer"
        assert any_number.enter("a") is None
        assert two.enter("b") == any_number.enter("b") == "too-many-connections"
        one.leave("a")
        assert two.enter("b") is None

    def test_0_is_any_number(self) -> None:
        limit = ConnectionLimit(0, 0)
        assert all(limit.enter("a") is None for _ in range(1000))


class GrantTests(SynchronousTestCase):
    def test_one_address_gets_three_quarters_of_the_files(self) -> None:
        limit = ConnectionLimit(0, 0)
        self.patch(limits, "OPEN_FILES", limit)
        grant_files(limits.SPARE_FILES + 8)
        assert [limit.enter("a") for _ in range(6)] == [None] * 6
        assert limit.enter("a") is not None
        assert [limit.enter("b") for _ in range(2)] == [None] * 2
        assert limit.enter("b") == "too-many-connections"
        grant_files(math.inf)
        assert limit.enter("a") is None


class FirstOnlyTests(SynchronousTestCase):
    def test_the_first_of_each_kind_and_peer(self) -> None:
        first_only = FirstOnly()
        with capturedLogs() as logged:
            for _ in range(3):
                first_only.note("rate", "a")
                first_only.note("rate", "b")
                first_only.note("login-timeout", "a")
        assert list(map(formatEvent, logged)) == [
            "a was refused: rate",
            "b was refused: rate",
            "a was refused: login-timeout",
        ]
        assert first_only.counts == {"rate": 6, "login-timeout": 3}

    def test_it_remembers_only_so_many(self) -> None:
        first_only = FirstOnly(capacity=2)
        with capturedLogs() as logged:
            for peer in "abacaba":
                first_only.note("rate", peer)
        # a and b are known; at c all are forgotten, and begin again.
        assert [event["peer"] for event in logged] == ["a", "b", "c", "a", "b", "a"]
        assert first_only.counts["rate"] == 7


class PeerRateTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()

    def allowed(self, rate: PeerRate, peer: str, times: int) -> int:
        return sum(rate.allows(peer) for _ in range(times))

    def test_so_many_at_once_and_then_so_many_a_second(self) -> None:
        rate = PeerRate(10, 5, self.clock.seconds)
        assert self.allowed(rate, "192.0.2.1", 20) == 5
        assert self.allowed(rate, "192.0.2.2", 20) == 5
        self.clock.advance(0.2)
        assert self.allowed(rate, "192.0.2.1", 20) == 2
        self.clock.advance(3600)
        assert self.allowed(rate, "192.0.2.1", 20) == 5

    def test_0_is_any_number(self) -> None:
        for rate, burst in ((0, 5), (10, 0)):
            connects = PeerRate(rate, burst, self.clock.seconds)
            assert self.allowed(connects, "192.0.2.1", 1000) == 1000

    def test_it_remembers_only_so_many(self) -> None:
        rate = PeerRate(10, 1, self.clock.seconds, capacity=2)
        assert [rate.allows(peer) for peer in "abca"] == [True, True, True, True]
        assert not rate.allows("c")
