"""Coming back to a server: when it is tried, for how long, and what is asked there."""

from __future__ import annotations

from collections import deque
from random import Random

from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.error import (
    ConnectingCancelledError,
    ConnectionDone,
    ConnectionLost,
    ConnectionRefusedError,
    DNSLookupError,
)
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tictac.net.client_connection import UnknownMessage
from tictac.net.reconnector import CONNECT_TIMEOUT, LAST_TRY, PATIENCE, SEAT_PAUSE, NoWayBack
from tictac.plugins.classics.rooms.client import RoomsClient, RoomsReconnector
from tictac.protocols.rooms.wire import Ack, Answer, BoardStatus, Forfeit, InProgress, Join, Login

LOGIN, JOIN = Login("alice", b"secret"), Join("den", "PLAYER")


class Far:
    """A server that a link may connect to, again and again, played by a test."""

    def __init__(self, seed: int = 0) -> None:
        self.clock = Clock()
        self.tried: list[float] = []
        self.failure: Exception | None = None
        self.clients: list[RoomsClient] = []
        self.transports: list[StringTransport] = []
        self.link = RoomsReconnector(self.client(), self.clock, self.connect, Random(seed))

    def connect(self) -> Deferred[RoomsClient]:
        self.tried.append(self.clock.seconds())
        return succeed(self.client()) if self.failure is None else fail(self.failure)

    def client(self) -> RoomsClient:
        client, transport = RoomsClient(self.clock), StringTransport()
        client.makeConnection(transport)
        self.clients.append(client)
        self.transports.append(transport)
        return client

    def come_back(
        self, join: Join | None = JOIN, early: deque[Answer] | None = None
    ) -> Deferred[Ack]:
        return Deferred.fromCoroutine(self.link.come_back(LOGIN, join, early))

    def serve(self, *messages: str) -> None:
        """Let the newest connection say something."""
        self.clients[-1].dataReceived("".join(message + "\n" for message in messages).encode())

    def lose(self) -> None:
        self.clients[-1].connectionLost(Failure(ConnectionDone()))

    def sent(self) -> list[str]:
        """Return the requests sent over the newest connection since the last time."""
        requests: list[str] = self.transports[-1].value().decode().splitlines()
        self.transports[-1].clear()
        return requests

    def wait(self, seconds: float, step: float = 0.05) -> None:
        self.clock.pump([step] * round(seconds / step))


class LinkCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.far = Far()

    def connected(self, early: deque[Answer] | None = None) -> Deferred[Ack]:
        """Start to come back, up to the login on a new connection."""
        coming = self.far.come_back(early=early)
        self.far.wait(1)
        self.assertEqual(self.far.sent(), ["LOGIN:alice:secret"])
        return coming


class ComingBackTests(LinkCase):
    def test_logging_in_and_taking_the_seat(self) -> None:
        coming = self.connected()
        self.far.serve("LOGIN:ACKSTATUS:0")
        self.assertEqual(self.far.sent(), ["JOIN:den:PLAYER"])
        self.far.serve("JOIN:ACKSTATUS:0", "INPROGRESS:bob:alice", "BOARDSTATUS:100000000")
        self.assertEqual(self.successResultOf(coming), Ack("JOIN", 0))
        client = self.far.link.client
        self.assertEqual(self.successResultOf(client.next_message()), InProgress("bob", "alice"))
        self.assertEqual(self.successResultOf(client.next_message()), BoardStatus("100000000"))
        client.send(Forfeit())
        self.assertEqual(self.far.sent(), ["FORFEIT"])
        client.close()
        self.assertEqual([t.disconnecting for t in self.far.transports], [False, True])

    def test_only_logging_in(self) -> None:
        coming = self.far.come_back(None)
        self.far.wait(1)
        self.far.serve("LOGIN:ACKSTATUS:0")
        self.assertEqual(self.successResultOf(coming), Ack("LOGIN", 0))

    def test_what_is_said_of_the_match_before_the_answer_is_kept(self) -> None:
        early: deque[Answer] = deque()
        coming = self.connected(early)
        self.far.serve("LOGIN:ACKSTATUS:0", "INPROGRESS:bob:alice", "JOIN:ACKSTATUS:0")
        self.assertEqual(self.successResultOf(coming), Ack("JOIN", 0))
        self.assertEqual([*early], [InProgress("bob", "alice")])

    def test_a_login_that_is_refused(self) -> None:
        coming = self.connected()
        self.far.serve("LOGIN:ACKSTATUS:2")
        self.assertEqual(self.successResultOf(coming), Ack("LOGIN", 2))
        self.assertEqual(self.far.sent(), [])

    def test_a_room_that_is_gone_or_wants_nobody(self) -> None:
        for status in (1, 3):
            self.setUp()
            coming = self.connected()
            self.far.serve("LOGIN:ACKSTATUS:0", f"JOIN:ACKSTATUS:{status}")
            self.assertEqual(self.successResultOf(coming), Ack("JOIN", status))

    def test_other_answers_are_unknown(self) -> None:
        for answer in ("BADAUTH", "JOIN:ACKSTATUS:0", "BOARDSTATUS:000000000"):
            self.setUp()
            coming = self.connected()
            self.far.serve(answer)
            self.failureResultOf(coming, UnknownMessage)
            self.assertTrue(self.far.transports[-1].disconnecting)

    def test_nothing_is_left_behind(self) -> None:
        coming = self.connected()
        self.far.serve("LOGIN:ACKSTATUS:0", "JOIN:ACKSTATUS:0")
        self.successResultOf(coming)
        self.assertEqual(self.far.clock.getDelayedCalls(), [])

    def test_giving_up_while_it_is_tried(self) -> None:
        for seconds in (0, 1):
            self.setUp()
            coming = self.far.come_back()
            self.far.wait(seconds)
            coming.cancel()
            self.failureResultOf(coming)
            self.assertEqual(self.far.clock.getDelayedCalls(), [])
            self.assertEqual(self.far.transports[-1].disconnecting, bool(seconds))


class SeatTests(LinkCase):
    """The server hasn't noticed yet that the player is gone."""

    def setUp(self) -> None:
        super().setUp()
        self.coming = self.connected()
        self.far.serve("LOGIN:ACKSTATUS:0")
        self.far.sent()

    def test_it_is_asked_for_again(self) -> None:
        for _ in range(20):
            self.far.serve("JOIN:ACKSTATUS:2")
            self.far.clock.advance(SEAT_PAUSE - 0.01)
            self.assertEqual(self.far.sent(), [])
            self.far.clock.advance(0.01)
            self.assertEqual(self.far.sent(), ["JOIN:den:PLAYER"])
        self.far.serve("JOIN:ACKSTATUS:0")
        self.assertEqual(self.successResultOf(self.coming), Ack("JOIN", 0))
        self.assertEqual(len(self.far.tried), 1)

    def test_and_not_for_ever(self) -> None:
        asked = 0
        while not self.coming.called:
            self.far.serve("JOIN:ACKSTATUS:2")
            self.far.clock.advance(SEAT_PAUSE)
            asked += 1
        self.assertEqual(self.successResultOf(self.coming), Ack("JOIN", 2))
        self.assertLessEqual(self.far.clock.seconds(), PATIENCE)
        self.assertGreater(asked, 100)

    def test_the_room_may_go_meanwhile(self) -> None:
        self.far.serve("JOIN:ACKSTATUS:2")
        self.far.clock.advance(SEAT_PAUSE)
        self.far.serve("JOIN:ACKSTATUS:1")
        self.assertEqual(self.successResultOf(self.coming), Ack("JOIN", 1))

    def test_the_connection_may_go_meanwhile(self) -> None:
        self.far.serve("JOIN:ACKSTATUS:2")
        self.far.lose()
        self.far.wait(2)
        self.assertEqual(self.far.sent(), ["LOGIN:alice:secret"])
        self.far.serve("LOGIN:ACKSTATUS:0", "JOIN:ACKSTATUS:0")
        self.assertEqual(self.successResultOf(self.coming), Ack("JOIN", 0))


class TryingTests(LinkCase):
    """A server that can't be reached, or not yet."""

    def pauses(self) -> list[float]:
        return [b - a for a, b in zip([0.0, *self.far.tried], self.far.tried, strict=False)]

    def test_it_is_tried_ever_more_rarely_for_half_a_minute(self) -> None:
        for error in (ConnectionRefusedError(), DNSLookupError(), OSError(), ConnectionLost()):
            self.setUp()
            self.far.failure = error
            coming = self.far.come_back()
            self.far.wait(PATIENCE - 0.1)
            self.assertNoResult(coming)
            self.far.wait(0.2)
            self.failureResultOf(coming, NoWayBack)
            self.assertEqual(self.far.clock.getDelayedCalls(), [])
            pauses = self.pauses()
            self.assertLess(pauses[0], 0.5)
            self.assertGreater(min(pauses), 0.1)
            self.assertLessEqual(max(pauses), 3.1)
            self.assertTrue(12 < len(pauses) < 25, pauses)
            self.assertGreater(max(pauses), 4 * pauses[0])
            self.assertGreater(self.far.tried[-1], PATIENCE - LAST_TRY - 0.1)

    def test_not_everybody_comes_at_the_same_moment(self) -> None:
        moments = set()
        for seed in range(20):
            far = Far(seed)
            far.come_back()
            far.clock.pump([0.01] * 50)
            moments.add(far.tried[0])
        self.assertGreater(len(moments), 10)

    def test_it_comes_up_in_time(self) -> None:
        self.far.failure = ConnectionRefusedError()
        coming = self.far.come_back()
        self.far.wait(20)
        self.far.failure = None
        self.far.wait(3.1)
        self.far.serve("LOGIN:ACKSTATUS:0", "JOIN:ACKSTATUS:0")
        self.assertEqual(self.successResultOf(coming), Ack("JOIN", 0))

    def test_one_that_is_silent(self) -> None:
        coming = self.connected()
        self.far.wait(PATIENCE)
        self.failureResultOf(coming, NoWayBack)
        self.assertTrue(self.far.transports[-1].disconnecting)
        self.assertEqual(len(self.far.tried), 1)

    def test_one_that_hangs_up_at_once(self) -> None:
        coming = self.far.come_back()
        for _ in range(600):
            if self.far.sent():
                self.far.lose()
            self.far.wait(0.05)
        self.far.wait(0.1)
        self.failureResultOf(coming, NoWayBack)
        self.assertLess(len(self.far.tried), 20)

    def test_one_that_cant_be_reached_nor_refuses(self) -> None:
        connecting: list[Deferred[RoomsClient]] = []

        def connect() -> Deferred[RoomsClient]:
            connecting.append(Deferred())
            return connecting[-1]

        clock = Clock()
        link = RoomsReconnector(RoomsClient(clock), clock, connect, Random(0))
        coming = Deferred.fromCoroutine(link.come_back(LOGIN))
        clock.pump([0.1] * 310)
        self.failureResultOf(coming, NoWayBack)
        self.assertGreater(len(connecting), PATIENCE / CONNECT_TIMEOUT / 2)
        self.assertTrue(all(one.called for one in connecting))

    def test_who_is_soon_lost_again_waits_longer(self) -> None:
        for seconds, longer in ((PATIENCE - 10, True), (PATIENCE + 1, False)):
            self.setUp()
            for _ in range(5):
                coming = self.far.come_back(None)
                self.far.wait(7)
                self.far.serve("LOGIN:ACKSTATUS:0")
                self.successResultOf(coming)
                self.far.wait(seconds)
            began = self.far.clock.seconds()
            self.far.come_back(None)
            self.far.wait(7)
            self.assertEqual(self.far.tried[-1] - began > 0.9, longer)

    def test_time_is_up_while_it_connects(self) -> None:
        def cancel(connecting: Deferred[RoomsClient]) -> None:
            connecting.errback(ConnectingCancelledError(IPv4Address("TCP", "192.0.2.1", 5000)))

        self.far.link._connect = lambda: Deferred(cancel)
        coming = self.far.come_back()
        self.far.wait(PATIENCE + 1)
        self.failureResultOf(coming, NoWayBack)


class NoWayBackTests(SynchronousTestCase):
    def test_it_is_known(self) -> None:
        client = RoomsClient(Clock())
        self.assertFalse(RoomsReconnector(client, Clock(), None, Random(0)).can_reconnect)
        self.assertTrue(Far().link.can_reconnect)
