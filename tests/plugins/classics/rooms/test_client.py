"""The client's connection: requests out, answers in, however they are cut."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tictac.net.client_connection import UnknownMessage
from tictac.plugins.classics.rooms.client import FRAMING, RoomsClient, connect
from tictac.protocols.rooms.wire import (
    Ack,
    Answer,
    BadAuth,
    Begin,
    BoardStatus,
    Forfeit,
    GameEnd,
    InProgress,
    Login,
    NoRoom,
    Place,
    format_answer,
)

BOARD = BoardStatus("000010000")

# Lower case: a name that holds the start of a message can't be told from one where nothing
# but that start separates two.
names = st.text("abcxyz 019_-!", min_size=1, max_size=20)
boards = st.text("012", min_size=9, max_size=9)
answers: st.SearchStrategy[Answer] = st.one_of(
    st.builds(Ack, st.sampled_from(["LOGIN", "REGISTER", "CREATE", "JOIN"]), st.integers(0, 9)),
    st.builds(Ack, st.just("ROOMLIST"), st.integers(1, 9)),
    st.builds(
        Ack,
        st.just("ROOMLIST"),
        st.just(0),
        st.lists(st.text("abc 01_-", min_size=1, max_size=20), max_size=5).map(tuple),
    ),
    st.builds(Begin, names, names),
    st.builds(InProgress, names, names),
    st.builds(BoardStatus, boards),
    st.builds(GameEnd, boards, st.sampled_from([0, 2]), names),
    st.builds(GameEnd, boards, st.just(1)),
    st.just(BadAuth()),
    st.just(NoRoom()),
)


def ends_in_a_name(answer: Answer) -> bool:
    """Return whether a word right after the answer could belong to it."""
    match answer:
        case Begin() | InProgress():
            return True
        case GameEnd(winner=name):
            return name is not None
        case Ack(rooms=rooms):
            return rooms is not None
    return False


def is_clear(sequence: list[Answer]) -> bool:
    """Return whether ``sequence`` can be cut again when nothing separates its messages."""
    return not any(
        ends_in_a_name(before) and isinstance(after, BadAuth | NoRoom)
        for before, after in pairwise(sequence)
    )


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """Cut ``data`` into pieces that begin at ``places``, taken modulo its length."""
    edges = sorted({0, len(data), *(place % (len(data) or 1) for place in places)})
    return [data[start:end] for start, end in pairwise(edges)]


class Connected:
    """A client whose server is played by a test."""

    def __init__(self, bare: bool = False) -> None:
        self.reactor = MemoryReactorClock()
        self.client = RoomsClient(self.reactor, bare)
        self.transport = StringTransport()
        self.client.makeConnection(self.transport)

    def serve(self, *pieces: bytes) -> None:
        """Let the pieces come, without any pause."""
        for piece in pieces:
            if not self.transport.disconnected:
                self.client.dataReceived(piece)

    def be_silent(self, seconds: float = FRAMING.complete_after) -> None:
        """Let time pass, and what the client has put off be done."""
        self.reactor.advance(seconds)
        self.reactor.pump([0] * 30)  # a turn's budget of messages each

    def lose(self, error: Exception) -> None:
        self.client.connectionLost(Failure(error))

    def answers(self) -> list[Answer | Exception]:
        """Return all messages that have come; an error is the last."""
        found: list[Answer | Exception] = []
        while True:
            asking = self.client.next_message()
            if not asking.called:
                asking.addErrback(lambda _: None)
                asking.cancel()
                return found
            asking.addCallbacks(found.append, lambda failure: found.append(failure.value))
            if isinstance(found[-1], Exception):
                return found


class RequestsTests(SynchronousTestCase):
    """What is sent."""

    def test_lines(self) -> None:
        connected = Connected()
        connected.client.send(Login("alice", b"secret"))
        connected.client.send(Place((2, 0)))
        self.assertEqual(connected.transport.value(), b"LOGIN:alice:secret\nPLACE:2:0\n")

    def test_bare_messages(self) -> None:
        connected = Connected(bare=True)
        connected.client.send(Forfeit())
        self.assertEqual(connected.transport.value(), b"FORFEIT")


class AnswersTests(SynchronousTestCase):
    """What is received, and when."""

    def setUp(self) -> None:
        self.connected = Connected()

    def test_a_line_is_an_answer_at_once(self) -> None:
        self.connected.serve(b"LOGIN:ACKSTATUS:0\r\n\nBOARDSTATUS:000010000\n")
        self.assertEqual(self.connected.answers(), [Ack("LOGIN", 0), BOARD])

    def test_a_bare_answer_is_one_after_50_ms(self) -> None:
        self.connected.serve(b"BOARDSTATUS:000010000")
        self.connected.be_silent(0.049)
        self.assertEqual(self.connected.answers(), [])
        self.connected.be_silent(0.001)
        self.assertEqual(self.connected.answers(), [BOARD])

    def test_a_bare_answer_is_one_when_the_next_begins(self) -> None:
        self.connected.serve(b"JOIN:ACKSTATUS:0BEGIN:alice:bobBOARDSTATUS:0")
        self.assertEqual(self.connected.answers(), [Ack("JOIN", 0), Begin("alice", "bob")])

    def test_half_an_answer_is_waited_for(self) -> None:
        self.connected.serve(b"BOARDSTATUS:0000")
        self.connected.be_silent(3600)
        self.assertEqual(self.connected.answers(), [])
        self.connected.serve(b"10000\n")
        self.assertEqual(self.connected.answers(), [BOARD])

    def test_a_server_may_change_its_mind_about_newlines(self) -> None:
        self.connected.serve(b"BADAUTH\n", b"NOROOMBADAUTH\n", b"NOROOM")
        self.connected.be_silent()
        expected = [BadAuth(), NoRoom(), BadAuth(), NoRoom()]
        self.assertEqual(self.connected.answers(), expected)

    def test_the_last_word_of_a_bare_server_counts(self) -> None:
        self.connected.serve(b"GAMEEND:000000000:1")
        self.connected.lose(ConnectionDone())
        answers = self.connected.answers()
        self.assertEqual(answers[0], GameEnd("000000000", 1))
        self.assertIsInstance(answers[1], ConnectionDone)


class UnknownMessageTests(SynchronousTestCase):
    """A server that speaks another language."""

    def setUp(self) -> None:
        self.connected = Connected()

    def assert_unknown(self, message: bytes, *before: Answer) -> None:
        *answers, error = self.connected.answers()
        self.assertEqual(answers, list(before))
        assert isinstance(error, UnknownMessage)
        self.assertEqual(error.message, message)
        self.assertTrue(self.connected.transport.disconnected)

    def test_a_line(self) -> None:
        self.connected.serve(b"NOROOM\nHELLO\nNOROOM\n")
        self.assert_unknown(b"HELLO", NoRoom())

    def test_it_is_quoted_briefly(self) -> None:
        self.assertLess(len(str(UnknownMessage(b"x" * 9000))), 150)


class CuttingTests(SynchronousTestCase):
    """TCP may cut a stream anywhere."""

    @given(st.lists(answers, max_size=20), st.lists(st.integers(0, 5000), max_size=10), st.data())
    def test_lines(self, sequence: list[Answer], places: list[int], data: st.DataObject) -> None:
        ends = data.draw(
            st.lists(st.sampled_from([b"\n", b"\r\n", b"\n\n"]), min_size=20, max_size=20)
        )
        stream = b"".join(format_answer(a) + end for a, end in zip(sequence, ends, strict=False))
        connected = Connected()
        connected.serve(*cut(stream, places))
        connected.be_silent(0)
        self.assertEqual(connected.answers(), sequence)

    @given(
        st.lists(st.tuples(answers, st.sampled_from([b"", b"\n"])), max_size=20).filter(
            lambda pairs: is_clear([answer for answer, _ in pairs])
        ),
        st.lists(st.integers(0, 5000), max_size=10),
    )
    def test_glued(self, pairs: list[tuple[Answer, bytes]], places: list[int]) -> None:
        stream = b"".join(format_answer(answer) + end for answer, end in pairs)
        connected = Connected()
        connected.serve(*cut(stream, places))
        connected.be_silent()
        self.assertEqual(connected.answers(), [answer for answer, _ in pairs])

    @given(
        st.lists(
            st.one_of(
                st.binary(max_size=50),
                answers.map(format_answer),
                st.sampled_from([b"\n", b":", b"GAMEEND:", b"BEGIN:a:", b"BADAUTH", b"x" * 5000]),
            ),
            max_size=20,
        )
    )
    def test_any_bytes_give_answers_or_one_error(self, pieces: list[bytes]) -> None:
        connected = Connected()
        connected.serve(*pieces)
        connected.be_silent()
        *answers, last = connected.answers() or [NoRoom()]
        self.assertFalse([a for a in answers if isinstance(a, Exception)])
        self.assertIn(type(last), {*Answer.__args__, UnknownMessage})
        self.assertEqual(isinstance(last, UnknownMessage), connected.transport.disconnected)


class ConnectTests(SynchronousTestCase):
    """Finding the server."""

    def test_by_address(self) -> None:
        reactor = MemoryReactorClock()
        connecting: Deferred[RoomsClient] = connect(reactor, "127.0.0.1", 8123, bare=True)
        host, port, factory, _, _ = reactor.tcpClients[0]
        self.assertEqual((host, port), ("127.0.0.1", 8123))
        protocol = factory.buildProtocol(IPv4Address("TCP", host, port))
        transport = StringTransport()
        assert protocol is not None
        protocol.makeConnection(transport)
        self.successResultOf(connecting).send(Forfeit())
        self.assertEqual(transport.value(), b"FORFEIT")
