"""Sending at the end of a turn, over real sockets in a reactor of the test's own."""

from __future__ import annotations

import ast
import hashlib
import inspect
import select
import socket
import struct
from collections.abc import Callable
from io import BytesIO
from random import Random
from time import monotonic
from typing import Any

from twisted.internet import tcp
from twisted.internet.interfaces import IAddress, IHalfCloseableProtocol
from twisted.internet.pollreactor import PollReactor
from twisted.internet.protocol import Factory, Protocol, ServerFactory
from twisted.internet.selectreactor import SelectReactor
from twisted.protocols.basic import FileSender
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import directlyProvides

from tests.accounts.helpers import logged_errors, temporary_directory
from tests.helpers import epoll_reactor, needs_linux
from tictac.net import eager_tcp
from tictac.net.eager_tcp import send_eagerly
from tictac.net.listening import Listener

PATIENCE = 300


class Host(Protocol):
    """The server's side of a connection: what it does with data is up to the test."""

    transport: Any
    lost = False
    writing = False
    lost_while_writing = False

    def __init__(self) -> None:
        self.received = b""
        self.answer: Callable[[bytes], None] = lambda data: None

    def dataReceived(self, data: bytes) -> None:
        self.received += data
        self.answer(data)

    def connectionLost(self, reason: object = None) -> None:
        self.lost = True
        self.lost_while_writing = self.writing

    def write(self, *pieces: bytes) -> None:
        """Write pieces one after the other."""
        self.writing = True
        for piece in pieces:
            self.transport.write(piece)
        self.writing = False

    def write_and(self, end: str, data: bytes) -> None:
        """Write, and end the connection."""
        self.write(data)
        getattr(self.transport, end)()


class Hosts(ServerFactory):
    """Keeps its connections in the order in which they came."""

    noisy = False

    def __init__(self) -> None:
        self.connections: list[Host] = []

    def buildProtocol(self, addr: IAddress | None) -> Host:
        self.connections.append(Host())
        return self.connections[-1]


@needs_linux
class EagerCase(SynchronousTestCase):
    new_reactor: Callable[[], Any] = staticmethod(epoll_reactor)

    def setUp(self) -> None:
        self.reactor: Any = self.new_reactor()
        self.addCleanup(self.end_reactor)
        self.hosts = Hosts()
        self.listener = Listener(
            self.reactor, "tcp:0:interface=127.0.0.1", self.hosts, "test", eager=True
        )
        self.listener.privilegedStartService()

    def end_reactor(self) -> None:
        stopped = self.listener.stop_listening()
        for host in self.hosts.connections:
            if not host.lost:
                host.transport.abortConnection()
        self.turn_until(
            lambda: (
                all(host.lost for host in self.hosts.connections)
                and (stopped is None or stopped.called)
            )
        )
        for reader in self.reactor.removeAll():
            reader.connectionLost(None)

    def turn(self, seconds: float = 0) -> None:
        """Let the reactor make one turn, for which it waits so long."""
        self.reactor.iterate(seconds)

    def turn_until(self, condition: Callable[[], object]) -> None:
        until = monotonic() + PATIENCE
        while not condition():
            assert monotonic() < until, "it never happened"
            self.turn(0.02)

    def connect(self) -> tuple[Host, socket.socket]:
        """Open a connection, and return both of its sides."""
        assert self.listener.port is not None
        address: Any = self.listener.port.getHost()
        client = socket.create_connection((address.host, address.port))
        client.settimeout(PATIENCE)
        self.addCleanup(client.close)
        number = len(self.hosts.connections)
        self.turn_until(lambda: len(self.hosts.connections) > number)
        return self.hosts.connections[-1], client

    def deliver(self, client: socket.socket, data: bytes) -> None:
        """Send something, and make the one turn in which it is read."""
        client.sendall(data)
        self.turn(PATIENCE)


def readable(client: socket.socket) -> bool:
    """Return whether data has come already."""
    return bool(select.select([client], [], [], 0)[0])


class SendingTests(EagerCase):
    def test_what_is_written_in_a_turn_leaves_in_it_in_one_piece(self) -> None:
        host, client = self.connect()
        meanwhile = []

        def answer(data: bytes) -> None:
            host.write(b"one ", b"two ")
            meanwhile.append(readable(client))
            host.transport.writeSequence([b"thr", b"ee"])
            meanwhile.append(readable(client))

        host.answer = answer
        self.deliver(client, b"go")
        assert host.received == b"go"
        assert meanwhile == [False, False]
        assert readable(client)
        assert client.recv(100) == b"one two three"

    def test_so_does_what_is_written_to_others(self) -> None:
        (one, client), (other, listener) = self.connect(), self.connect()

        def answer(data: bytes) -> None:
            for host in (one, other):
                host.write(data.upper())

        one.answer = answer
        self.deliver(client, b"go")
        assert readable(client) and readable(listener)
        assert client.recv(100) == listener.recv(100) == b"GO"

    def test_what_a_timer_writes_leaves_as_soon(self) -> None:
        host, client = self.connect()
        self.reactor.callLater(0, host.write, b"tick", b"tock")
        self.turn(0.001)
        self.turn(0.001)
        assert client.recv(4) + client.recv(4) == b"ticktock"

    def test_many_requests_and_answers(self) -> None:
        pairs = [self.connect() for _ in range(30)]
        for number, (host, client) in enumerate(pairs):
            host.answer = lambda data, host=host: host.write(data * 2)  # type: ignore[misc]
            client.sendall(b"%d;" % number)
        self.turn_until(lambda: all(readable(client) for _, client in pairs))
        for number, (_, client) in enumerate(pairs):
            assert client.recv(100) == b"%d;" % number * 2

    def test_the_order_stays_when_the_kernel_takes_no_more(self) -> None:
        host, client = self.connect()
        dice = Random(4)
        pieces = [dice.randbytes(dice.choice([1, 10, 1000, 200_000])) for _ in range(300)]
        host.answer = lambda data: host.write(*pieces[:150])
        self.deliver(client, b"go")
        client.setblocking(False)
        found, wanted = hashlib.sha256(), hashlib.sha256(b"".join(pieces))
        size, total = 0, sum(map(len, pieces))

        def read_on() -> bool:
            nonlocal size
            while readable(client):
                data = client.recv(65536)
                found.update(data)
                size += len(data)
            return size == total

        for piece in pieces[150:]:
            # There is room again, but what waits goes first.
            assert not read_on(), "the kernel has taken all: write more"
            host.write(piece)
            self.turn()
        self.turn_until(read_on)
        assert found.digest() == wanted.digest()
        # And afterwards it is as at the beginning.
        host.answer = lambda data: host.write(b"done")
        self.deliver(client, b"go")
        assert readable(client)

    def test_a_producer_is_paused_when_too_much_waits_and_resumed_when_all_has_left(self) -> None:
        host, client = self.connect()
        calls: list[str] = []

        class Producer:
            def pauseProducing(self) -> None:
                calls.append("pause")

            def resumeProducing(self) -> None:
                calls.append("resume")

            def stopProducing(self) -> None:
                calls.append("stop")

        host.transport.registerProducer(Producer(), True)
        host.answer = lambda data: host.write(*[b"x" * 100_000] * 200)
        self.deliver(client, b"go")
        assert {*calls} == {"pause"}  # said again at each write, as by Twisted itself
        calls[:] = ["pause"]
        client.setblocking(False)

        def read_on() -> bool:
            while readable(client):
                client.recv(65536)
            return "resume" in calls

        self.turn_until(read_on)
        assert calls == ["pause", "resume"]
        client.close()
        self.turn_until(lambda: host.lost)
        assert calls == ["pause", "resume", "stop"]

    def test_that_too_much_waits_is_said_before_the_turn_is_over(self) -> None:
        host, client = self.connect()
        paused: list[bool] = []

        class Producer:
            def pauseProducing(self) -> None:
                paused.append(True)

            def resumeProducing(self) -> None:
                pass

            def stopProducing(self) -> None:
                pass

        written: list[bytes] = []

        def answer(data: bytes) -> None:
            while not paused and len(written) < 1000:
                host.write(b"x" * 100_000)
                written.append(data)

        host.transport.registerProducer(Producer(), True)
        host.answer = answer
        self.deliver(client, b"go")
        assert paused and len(written) < 1000


class EndTests(EagerCase):
    def test_what_was_written_is_sent_before_the_connection_closes(self) -> None:
        host, client = self.connect()
        host.answer = lambda data: host.write_and("loseConnection", b"bye")
        self.deliver(client, b"go")
        self.turn_until(lambda: host.lost)
        assert client.recv(100) == b"bye"
        assert client.recv(100) == b""

    def test_also_when_it_is_much(self) -> None:
        host, client = self.connect()
        data = b"x" * 10**7
        host.answer = lambda _: host.write_and("loseConnection", data)
        self.deliver(client, b"go")
        client.setblocking(False)
        size = 0

        def read_on() -> bool:
            nonlocal size
            while readable(client) and (piece := client.recv(65536)):
                size += len(piece)
            return host.lost

        self.turn_until(read_on)
        read_on()
        assert size == len(data)

    def test_nothing_is_sent_after_an_abort(self) -> None:
        host, client = self.connect()
        host.answer = lambda data: host.write_and("abortConnection", b"bye")
        self.deliver(client, b"go")
        self.turn_until(lambda: host.lost)
        with self.assertRaises(ConnectionError):
            client.recv(100)

    def test_a_write_to_a_broken_connection_doesnt_end_it_by_itself(self) -> None:
        for write_when_read in (True, False):
            (host, client), (other, reader) = self.connect(), self.connect()
            self.reset(client)
            if write_when_read:
                # The other's turn comes with the reset still unread.
                other.answer = lambda data, host=host: host.write(b"a", b"b")  # type: ignore[misc]
                reader.sendall(b"go")
            else:
                host.write(b"a", b"b")
            self.turn_until(lambda host=host: host.lost)  # type: ignore[misc]
            assert not host.lost_while_writing
            host.write(b"nobody reads this")
            assert not other.lost

    def reset(self, client: socket.socket) -> None:
        """Break the connection without saying goodbye."""
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()

    def test_the_end_of_the_peer_is_noticed(self) -> None:
        for end in (socket.socket.close, self.reset, lambda c: c.shutdown(socket.SHUT_WR)):
            host, client = self.connect()
            client.sendall(b"last words")
            end(client)
            self.turn_until(lambda host=host: host.lost)  # type: ignore[misc]

    def test_a_protocol_that_raises_loses_its_own_connection_only(self) -> None:
        (host, client), (other, reader) = self.connect(), self.connect()
        host.answer = lambda data: [][0]
        other.answer = other.write
        client.sendall(b"go")
        reader.sendall(b"go")
        self.turn_until(lambda: host.lost and readable(reader))
        assert [error.type for error in logged_errors(self, IndexError)] == [IndexError]
        assert reader.recv(100) == b"go"
        assert not other.lost


class ReadingTests(EagerCase):
    def test_nothing_is_read_while_it_is_paused(self) -> None:
        (host, client), (other, reader) = self.connect(), self.connect()
        host.transport.pauseProducing()
        client.sendall(b"later")
        self.deliver(reader, b"now")
        self.turn()
        assert (host.received, other.received) == (b"", b"now")
        host.transport.resumeProducing()
        self.turn_until(lambda: host.received == b"later")

    def test_what_comes_meanwhile_is_read_in_the_same_turn_but_not_for_ever(self) -> None:
        (host, client), (other, reader) = self.connect(), self.connect()
        host.answer = lambda data: reader.sendall(b"x")
        other.answer = lambda data: reader.sendall(b"x")
        self.deliver(client, b"go")
        assert len(other.received) == eager_tcp.WORTH_A_TURN - 1

    def test_pausing_twice_is_pausing_once(self) -> None:
        host, client = self.connect()
        for method in ("pauseProducing", "pauseProducing", "resumeProducing", "resumeProducing"):
            getattr(host.transport, method)()
        self.deliver(client, b"hello")
        assert host.received == b"hello"

    def test_much_data(self) -> None:
        host, client = self.connect()
        data = Random(2).randbytes(300_000)
        client.setblocking(False)
        sent = 0

        def send_on() -> bool:
            nonlocal sent
            if sent < len(data) and select.select([], [client], [], 0)[1]:
                sent += client.send(data[sent : sent + 50_000])
            return len(host.received) == len(data)

        self.turn_until(send_on)
        assert host.received == data

    def test_one_ends_another_in_the_same_turn(self) -> None:
        pairs = [self.connect() for _ in range(2)]
        for (host, _), (other, _) in (pairs, pairs[::-1]):
            host.answer = lambda data, other=other: (  # type: ignore[misc]
                other.transport.abortConnection()
            )
        for _, client in pairs:
            client.sendall(b"go")
        self.turn_until(lambda: any(host.lost for host, _ in pairs))
        host, client = self.connect()
        self.deliver(client, b"still there?")
        assert host.received == b"still there?"


class PollSendingTests(SendingTests):
    new_reactor = PollReactor


class SelectSendingTests(SendingTests):
    new_reactor = SelectReactor


@needs_linux
class PortsTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.reactor: Any = SelectReactor()
        self.addCleanup(self.reactor.removeAll)

    def test_plain_tcp_only(self) -> None:
        path = str(temporary_directory(self) / "socket")
        for port, expected in [
            (self.reactor.listenTCP(0, Factory(), interface="127.0.0.1"), True),
            (self.reactor.listenUNIX(path, Factory()), False),
        ]:
            assert send_eagerly(port, self.reactor) is expected
            port.stopListening()
            self.reactor.iterate()


class PrivateNamesTests(SynchronousTestCase):
    """What `eager_tcp.py` needs of Twisted that Twisted doesn't promise to keep."""

    def test_they_are_still_there(self) -> None:
        reactor: Any = SelectReactor()
        ours, theirs = socket.socketpair()
        self.addCleanup(theirs.close)
        port = reactor.listenTCP(0, Factory(), interface="127.0.0.1")
        server: Any = tcp.Server(ours, Protocol(), ("127.0.0.1", 1), port, 0, reactor)
        there = set(dir(server)) | set(dir(port))
        missing = private_names_of_twisted() - there
        assert not missing, f"this Twisted has no {missing}, which tictac/net/eager_tcp.py needs"
        server.abortConnection()
        port.stopListening()
        reactor.iterate()

    def test_they_mean_what_they_did(self) -> None:
        reactor: Any = SelectReactor()
        ours, theirs = socket.socketpair()
        self.addCleanup(theirs.close)
        port = reactor.listenTCP(0, Factory(), interface="127.0.0.1")
        server: Any = tcp.Server(ours, Protocol(), ("127.0.0.1", 1), port, 0, reactor)
        assert (port._type, type(port)) == ("TCP", tcp.Port)
        assert not (server.dataBuffer or server._tempDataBuffer)
        server.write(b"x")
        assert server.dataBuffer or server._tempDataBuffer
        assert not (server._writeDisconnected or server._aborting)
        server.loseWriteConnection()
        reactor.iterate()
        reactor.iterate()
        assert server._writeDisconnected
        server.abortConnection()
        assert server._aborting
        reactor.iterate()
        port.stopListening()
        reactor.iterate()


def private_names_of_twisted() -> set[str]:
    """Return the private attributes that ``eager_tcp.py`` uses and doesn't define."""
    tree = ast.parse(inspect.getsource(eager_tcp))
    used: set[str] = set()
    own: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            (own if isinstance(node.ctx, ast.Store) else used).add(node.attr)
        elif isinstance(node, ast.FunctionDef):
            own.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            own.add(node.target.id)
    assert used - own, "eager_tcp.py needs nothing private any more: then this test may go"
    return used - own


class HalfCloseHost(Host):
    """Minds when the other side has no more to say."""

    ends = 0

    def readConnectionLost(self) -> None:
        self.ends += 1

    def writeConnectionLost(self) -> None:
        """Ignore the event."""


class FaultTests(EagerCase):
    def test_one_that_fails_at_its_end_takes_nobody_along(self) -> None:
        (broken, leaver), (other, client) = self.connect(), self.connect()

        def fail(reason: object = None) -> None:
            broken.lost = True
            raise ZeroDivisionError

        broken.connectionLost = fail  # type: ignore[method-assign]
        other.answer = other.write
        leaver.close()
        self.turn_until(lambda: broken.lost)
        self.deliver(client, b"still here")
        assert client.recv(100) == b"still here"
        assert len(logged_errors(self, ZeroDivisionError)) == 1

    def test_the_end_of_what_is_read_is_told_once(self) -> None:
        host, client = self.connect()
        half = HalfCloseHost()
        half.makeConnection(host.transport)
        host.transport.protocol = half
        directlyProvides(half, IHalfCloseableProtocol)
        client.shutdown(socket.SHUT_WR)
        for _ in range(20):
            self.turn(0.01)
        assert half.ends == 1
        half.write(b"goodbye")
        self.turn_until(lambda: readable(client))
        assert client.recv(100) == b"goodbye"
        host.lost = True
        host.transport.abortConnection()

    def test_a_producer_that_waits_to_be_asked_is_asked(self) -> None:
        host, client = self.connect()
        data = bytes(range(256)) * 1000
        sent = FileSender().beginFileTransfer(BytesIO(data), host.transport)
        received = b""
        while not sent.called or len(received) < len(data):
            self.turn(0.01)
            if readable(client):
                received += client.recv(65536)
        assert received == data
        assert self.successResultOf(sent) == data[-1:]

    def test_tls_can_not_be_begun_later(self) -> None:
        host, _ = self.connect()
        with self.assertRaises(NotImplementedError):
            host.transport.startTLS(None)
