"""Messages of the rooms protocol come with newlines, without, or now so and now otherwise."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.trial.unittest import SynchronousTestCase

from tictac.plugins.check.cases import Finding
from tictac.plugins.check.peer import Patience, Peer, Wanted
from tictac.plugins.check.rooms.requests import answers
from tictac.plugins.check.rooms.scene import ACK, FORMS, Found, RoomsScene
from tictac.plugins.check.scene import Harness
from tictac.plugins.check.suites import SUITES
from tictac.plugins.check.target import Target


class FramingTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.peer = self.new_peer()

    def new_peer(self) -> Peer:
        peer = Peer("alice", self.clock, Patience(10), lambda *line: None, forms=FORMS)
        self.transport = StringTransport()
        self.transport.setTcpNoDelay = lambda enabled: None  # type: ignore[attr-defined]
        peer.makeConnection(self.transport)
        return peer

    def expect(self, *choices: Wanted) -> Deferred[bytes]:
        return Deferred.fromCoroutine(self.peer.expect(*choices))

    def takes(self, *messages: Wanted) -> None:
        for message in messages:
            self.successResultOf(self.expect(message))

    def test_each_message_ends_as_it_likes(self) -> None:
        self.peer.dataReceived(b"JOIN:ACKSTATUS:0BEGIN:a:b\nBOARDSTATUS:000010000\r\nNOROOM")
        self.takes(b"JOIN:ACKSTATUS:0", b"BEGIN:a:b", b"BOARDSTATUS:000010000", b"NOROOM")

    def test_a_newline_may_come_later(self) -> None:
        self.peer.dataReceived(b"BADAUTH")
        self.takes(b"BADAUTH")
        self.peer.dataReceived(b"\n")
        self.peer.expect_nothing_unread()
        self.peer.dataReceived(b"NOROOM\n")
        self.takes(b"NOROOM")

    def test_what_ends_in_two_ways_is_remembered_with_the_first_messages(self) -> None:
        self.peer.dataReceived(b"BADAUTH\nNOROOMBADAUTH\n")
        self.takes(b"BADAUTH", b"NOROOM", b"BADAUTH")
        assert self.peer.ends == {b"\n": b"BADAUTH", b"": b"NOROOM"}

    def test_what_stands_behind_a_message_is_shown_at_once(self) -> None:
        for choice in (b"LOGIN:ACKSTATUS:1", ACK):
            for behind, shown in ((b" \n", '" "'), (b"\0\0", '"\\x00\\x00"')):
                self.peer = self.new_peer()
                self.peer.dataReceived(b"LOGIN:ACKSTATUS:1" + behind)
                found = self.failureResultOf(self.expect(choice), Finding).value
                assert found.came == f"{shown} came after it"
                assert found.expected.startswith(
                    'alice gets "LOGIN:ACKSTATUS:1" followed by nothing'
                )

    def test_an_answer_that_comes_again_is_named(self) -> None:
        self.peer.dataReceived(b"REGISTER:ACKSTATUS:0\nREGISTER:ACKSTATUS:0\n")
        self.takes(b"REGISTER:ACKSTATUS:0")
        came = self.failureResultOf(self.expect(b"LOGIN:ACKSTATUS:0"), Finding).value.came
        assert came == '"REGISTER:ACKSTATUS:0" came a second time'

    def test_a_longer_name_is_another_one(self) -> None:
        for end in (b"", b"\n"):
            self.peer = self.new_peer()
            self.peer.dataReceived(b"BEGIN:alice1:bob12" + end)
            came = self.failureResultOf(self.expect(b"BEGIN:alice1:bob1"), Finding).value.came
            assert came == '"BEGIN:alice1:bob12" came'

    def test_another_message_of_a_known_form_is_noticed_at_once(self) -> None:
        for came, choice in (
            (b"NOROOM", b"BADAUTH"),
            (b"CREATE:ACKSTATUS:2BADAUTH", re.compile(rb"JOIN:ACKSTATUS:\d")),
            (b"ROOMLIST:ACKSTATUS:0:den\n", ACK),
        ):
            self.peer = self.new_peer()
            self.peer.dataReceived(came)
            self.failureResultOf(self.expect(choice), Finding)

    def test_a_message_may_come_in_pieces(self) -> None:
        expecting = self.expect(b"JOIN:ACKSTATUS:1")
        for piece in (b"JOIN:ACK", b"STATUS:", b"1"):
            self.assertNoResult(expecting)
            self.peer.dataReceived(piece)
        self.successResultOf(expecting)

    def test_the_end_of_a_connection_may_follow_a_newline(self) -> None:
        self.peer.dataReceived(b"BADAUTH")
        self.takes(b"BADAUTH")
        self.peer.dataReceived(b"\r\n")
        self.peer.connectionLost()
        self.successResultOf(Deferred.fromCoroutine(self.peer.expect_close()))

    def test_a_list_without_a_newline_ends_where_the_next_answer_begins(self) -> None:
        for came in (b"den1,x", b"x,den1\n"):
            self.peer = self.new_peer()
            harness = Harness(self.clock, Target(self.clock), 1, found=Found(splits=True))
            scene = RoomsScene(harness, SUITES["rooms"].cases[0])
            scene.peers["alice"], scene.names["den"] = self.peer, "den1"
            listing = Deferred.fromCoroutine(scene.lists("alice", "finds", "PLAYER", "den"))
            self.peer.dataReceived(b"ROOMLIST:ACKSTATUS:0:" + came)
            asked = self.transport.value().splitlines()
            if b"\n" not in came:
                assert len(asked) == 2
                self.peer.dataReceived(b"JOIN:ACKSTATUS:1")
            self.successResultOf(listing)


class FirstCaseTests(SynchronousTestCase):
    def connections(self, *, has_read: bool, busy: bool) -> list[str]:
        """Return the connections to a server that answers nothing."""
        made: list[str] = []

        async def expect(choice: object) -> None:
            raise Finding("an answer", "nothing came in 10 s")

        async def connect(name: str) -> Any:
            made.append(name)
            return SimpleNamespace(
                send=lambda data: None, expect=expect, has_been_read=lambda: has_read
            )

        target = SimpleNamespace(program=SimpleNamespace(is_busy=lambda: busy))
        harness = SimpleNamespace(framing="auto", target=target)
        scene: Any = SimpleNamespace(
            found=None, harness=harness, encode=str.encode, connect=connect
        )
        self.failureResultOf(Deferred.fromCoroutine(answers(scene)), Finding)
        return made

    def test_a_server_that_reads_nothing_is_asked_once(self) -> None:
        assert self.connections(has_read=False, busy=False) == ["line"]

    def test_a_server_that_may_still_read_is_asked_in_both_framings(self) -> None:
        assert self.connections(has_read=True, busy=False) == ["line", "bare"]
        assert self.connections(has_read=False, busy=True) == ["line", "bare"]
