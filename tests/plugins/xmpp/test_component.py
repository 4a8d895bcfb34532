"""The link to an XMPP server, against twisted.words' own router of components."""

from __future__ import annotations

import itertools
import socket
from collections.abc import Callable
from random import Random
from typing import Any

from twisted.internet import tcp
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionLost, ConnectionRefusedError
from twisted.internet.task import Clock
from twisted.internet.testing import MemoryReactorClock
from twisted.python.failure import Failure
from twisted.test import iosim
from twisted.trial.unittest import SynchronousTestCase
from twisted.words.protocols.jabber import component

from tests.accounts.helpers import logged_errors
from tests.engines.helpers import NoEngine
from tests.plugins.xmpp.helpers import GAME, Client, line, parse_all, submit
from tests.storage.memory import MemoryStore, SlowStore
from tictac.accounts.bans import Ban, Bans
from tictac.accounts.tables import Account, AccountTables
from tictac.errors import AccountRemoved, Kicked
from tictac.lobby.registry import Registry
from tictac.plugins.xmpp import component as component_link
from tictac.plugins.xmpp.component import FIRST_DELAY, GOODBYE, GRACE, PATIENCE, PatientStream
from tictac.plugins.xmpp.gateway import Gateway, XmppSettings
from tictac.plugins.xmpp.links import Links, LinkTables
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.server import LOOKS_EVERY, MugService
from tictac.plugins.xmpp.xml import MUC, OWNER
from tictac.storage.store import StoreAwayError, Stored
from tictac.testing.connection import FakeTransport
from tictac.testing.server import raise_fault

SECRET = "our secret"


class Events:
    """What twistd would log of the links."""

    def __init__(self, case: SynchronousTestCase) -> None:
        from twisted.logger import formatEvent, globalLogPublisher

        self.lines: list[str] = []

        publisher: Any = globalLogPublisher

        def observe(event: Any) -> None:
            self.lines.append(formatEvent(event))

        publisher.addObserver(observe)
        case.addCleanup(publisher.removeObserver, observe)

    def about(self, text: str) -> list[str]:
        return [each for each in self.lines if text in each]


class AwayStore(SlowStore):
    """A store whose server is away."""

    away = True

    def ready(self) -> bool:
        return not self.away


class Accounts:
    """The accounts of a server, as the service needs them."""

    def __init__(self) -> None:
        self.ended: Callable[[str, str], object] = lambda user, why: None
        self.bans = Bans()


class XmppCase(SynchronousTestCase):
    """A service, and the XMPP server of example.org behind the router."""

    def setUp(self) -> None:
        self.reactor: Any = MemoryReactorClock()
        self.log = Events(self)
        self.store = MemoryStore()
        self.router = component.Router()
        self.factory = component.XMPPComponentServerFactory(self.router, SECRET)
        self.got: list[str] = []
        self.service = self.make()
        self.service.startService()

    def make(self, secret: str = SECRET, **settings: Any) -> MugService:
        values = XmppSettings("games.example", "tcp:127.0.0.1:5347", secret, budget=0, **settings)
        lobby = Registry(0, self.reactor.seconds, raise_fault, rng=Random(1))
        gateway = Gateway(lobby, self.reactor, Random(1), NoEngine(), values)
        service = MugService(gateway, self.store, Accounts())
        service.link._rng = Random(1)
        return service

    def accept(self) -> iosim.IOPump:
        """Let the next connection reach the router."""
        _, _, factory, _, _ = self.reactor.tcpClients.pop()
        client, server = factory.buildProtocol(None), self.factory.buildProtocol(None)
        self.transport = iosim.makeFakeClient(client)
        pump = iosim.connect(server, iosim.makeFakeServer(server), client, self.transport)
        pump.flush()
        linked: iosim.IOPump = pump
        return linked

    def refuse(self) -> None:
        """Let the next connection fail."""
        _, _, factory, _, _ = self.reactor.tcpClients.pop()
        factory.clientConnectionFailed(None, Failure(ConnectionRefusedError("no")))

    def link(self) -> None:
        """Link both the service and the server of example.org to the router."""
        self.router.addRoute("example.org", self)
        self.pump = self.accept()

    # For the router, this is the stream of example.org.

    def addObserver(self, event: str, observer: Any) -> None:
        """Ignore the observer: the test calls receive() itself."""

    def send(self, tree: Any) -> None:
        self.got.append(line(tree))

    # For tests.plugins.xmpp.helpers.Client, this is the world.

    def receive(self, text: str) -> None:
        for tree in parse_all(text):
            self.router.route(tree)
        self.pump.flush()

    def read(self) -> list[str]:
        got, self.got = self.got, []
        return got

    def client(self, name: str) -> Client:
        world: Any = self
        return Client(world, f"{name}@example.org/desk")

    def delay(self) -> float:
        """Return the seconds until the service connects again."""
        [call] = [c for c in self.reactor.getDelayedCalls() if c.func == self.service.link._connect]
        waiting: float = call.getTime() - self.reactor.seconds()
        return waiting


class LinkTests(XmppCase):
    def test_a_stanza_comes_and_goes(self) -> None:
        self.link()
        assert self.service.link.is_up
        assert self.log.about("linked to") == [
            "xmpp: linked to tcp:127.0.0.1:5347 as games.example"
        ]
        assert self.client("alice").enter("den", "alice")[0] == (
            "alice/desk < den: game(status('created'))"
        )

    def test_a_wrong_secret_is_one_clear_line_and_a_growing_delay(self) -> None:
        self.service = self.make("nonsense")
        self.reactor.tcpClients.clear()
        self.service.startService()
        delays = []
        for _ in range(5):
            self.accept()
            assert not self.service.link.is_up
            delays.append(self.delay())
            self.reactor.advance(delays[-1])
        assert all(later > 1.3 * sooner for sooner, later in itertools.pairwise(delays))
        lines = self.log.about("no link to")
        assert len(lines) == 5
        assert "it refuses our secret ('Invalid hash')" in lines[0]
        assert self.flushLoggedErrors() == []

    def test_the_delay_has_an_end_and_begins_anew_once_we_are_accepted(self) -> None:
        self.service.stopService()
        self.reactor.tcpClients.clear()
        self.service = self.make(longest_delay=10)
        self.service.startService()
        for _ in range(8):
            self.refuse()
            last = self.delay()
            self.reactor.advance(last)
        assert 8 <= last <= 12
        self.link()
        self.transport.abortConnection()
        self.pump.flush()
        assert self.delay() <= 1.2 * FIRST_DELAY
        assert "it closed the connection" in self.log.about("no link to")[-1]

    def test_a_server_that_says_nothing_isnt_waited_for_for_ever(self) -> None:
        _, _, factory, _, _ = self.reactor.tcpClients.pop()
        client = factory.buildProtocol(None)
        self.transport = iosim.makeFakeClient(client)
        client.makeConnection(self.transport)
        self.reactor.advance(PATIENCE)
        assert (
            self.transport.disconnected or self.transport.disconnecting or self.transport.aborting
        )
        client.connectionLost(Failure(ConnectionLost()))
        assert "it doesn't answer" in self.log.about("no link to")[0]

    def test_a_stanza_that_comes_in_pieces_is_answered_with_the_last(self) -> None:
        self.link()
        asked = (
            b"<iq type='get' id='1' from='alice@example.org/desk' to='games.example'>"
            b"<query xmlns='http://jabber.org/protocol/disco#info'/></iq>"
        )
        for at in range(len(asked)):
            assert self.read() == []
            self.service.link._stream.dataReceived(asked[at : at + 1])
            self.pump.flush()
        assert len(self.read()) == 1

    def test_what_cant_be_read_ends_the_link_and_it_is_tried_again(self) -> None:
        self.link()
        stream = self.service.link._stream
        stream.dataReceived(b"<not xml")
        stream.dataReceived(b"<<<")
        self.pump.flush()
        assert not self.service.link.is_up
        assert "what it sent can't be read" in self.log.about("no link to")[0]
        assert self.delay()

    def test_a_server_that_hangs_up_in_the_middle_of_a_stanza(self) -> None:
        self.link()
        alice, bob = self.client("alice"), self.client("bob")
        for client in alice, bob:
            client.presence(f"den/{client.address.partition('@')[0]}", f"<x xmlns='{MUC}'/>")
        alice.message("den", "<body>x</body>", "groupchat")
        half = f"<message from='{bob.address}' to='den@games.example' type='groupchat'><body>o</bo"
        stream: Any = self.service.link._stream
        stream.dataReceived(half.encode())
        stream.connectionLost(Failure(ConnectionLost()))
        assert len(self.log.about("no link to")) == 1
        self.reactor.advance(self.delay())
        self.pump = self.accept()
        self.read()
        room = self.service.server.rooms.find("den")
        assert [(each.nick, each.role) for each in room.occupants] == [
            ("alice", "x"),
            ("bob", None),
        ]
        lines = bob.message("den", "<body>o</body>", "groupchat")
        assert any("alice/desk < den/bob message groupchat: body('o')" in line for line in lines)
        assert room.occupants[1].role == "o"
        assert logged_errors(self) == []

    def test_what_is_said_without_a_link_waits_for_the_next(self) -> None:
        self.link()
        alice, bob = self.client("alice"), self.client("bob")
        alice.enter("den", "alice")
        alice.owner("den", submit(""))
        bob.enter("den", "bob")
        alice.take("den", "x")
        bob.take("den", "o")
        alice.start("den")
        bob.start("den")
        registry = self.service._registry
        room = self.service.server.rooms.find("den")
        assert registry.running() == 1
        self.transport.abortConnection()
        self.pump.flush()
        assert registry.running() == 0
        assert len(room.occupants) == 2
        assert self.read() == []
        self.reactor.advance(self.delay())
        self.link()
        self.pump.flush()
        assert [each.endswith(" pause") for each in self.read()] == [True, True]
        assert len(alice.enter("den", "alice")) == 3
        alice.start("den")
        bob.start("den")
        assert registry.running() == 1

    def test_only_so_much_waits(self) -> None:
        self.patch(component_link, "MOST_WAITING", 20)
        sender = "games.example"
        for number in range(25):
            text = f"<message from='{sender}' to='a@example.org' id='{number}'/>"
            self.service.link.send(text)
        self.link()
        self.pump.flush()
        assert self.log.about("answers lost") == ["5 answers lost without a link to the server"]
        assert len(self.got) == 20

    def test_what_isnt_a_stanza_is_nothing(self) -> None:
        self.link()
        self.receive("<handshake to='games.example'/><other to='games.example'/>")
        assert self.read() == []
        assert self.service.link.is_up

    def test_a_server_that_doesnt_read_isnt_read_from(self) -> None:
        self.link()
        producer: Any = self.transport.producer
        paused: list[str] = []
        self.transport.pauseProducing = lambda: paused.append("pause")
        self.transport.resumeProducing = lambda: paused.append("resume")
        producer.pauseProducing()
        producer.resumeProducing()
        producer.stopProducing()
        assert paused == ["pause", "resume"]


class PatientStreamTests(SynchronousTestCase):
    """Much XML is parsed in several turns, in which nothing more is read."""

    def setUp(self) -> None:
        self.clock = Clock()
        authenticator = component.ConnectComponentAuthenticator("a.example", "x")
        self.stream = PatientStream(authenticator, self.clock)
        self.transport = FakeTransport(self.stream)
        self.stream.makeConnection(self.transport)
        self.got: list[str] = []
        self.stream.addObserver("/message", lambda tree: self.got.append(tree["id"]))
        self.transport.arrive(
            b"<stream:stream xmlns='jabber:component:accept' id='1' from='a.example' "
            b"xmlns:stream='http://etherx.jabber.org/streams'>"
        )

    def messages(self, *numbers: int) -> bytes:
        return b"".join(b"<message id='%d'>%b</message>" % (n, b"<a/>" * 100) for n in numbers)

    def test_little_is_parsed_at_once(self) -> None:
        self.transport.arrive(self.messages(1, 2), self.messages(3))
        assert self.got == ["1", "2", "3"]

    def test_much_is_not(self) -> None:
        self.transport.arrive(self.messages(*range(100)), self.messages(100))
        assert self.got == [] and self.transport.producerState == "paused"
        self.clock.advance(0)
        while self.transport.producerState == "paused":
            before = len(self.got)
            self.clock.advance(0)
            assert len(self.got) - before < 100
        assert self.got == [str(number) for number in range(101)]

    def test_a_choked_transport_resumes_by_itself(self) -> None:
        self.transport.producerPaused = True  # type: ignore[attr-defined]
        self.transport.arrive(self.messages(*range(10)))
        self.clock.pump([0] * 20)
        assert len(self.got) == 10 and self.transport.producerState == "paused"

    def test_a_link_that_is_lost_meanwhile_parses_no_more(self) -> None:
        self.transport.arrive(self.messages(*range(10)))
        self.stream.connectionLost(Failure(ConnectionRefusedError("no")))
        self.clock.pump([0] * 20)
        assert self.got == [] and not self.clock.getDelayedCalls()


class Connection(tcp.Connection):
    """Twisted's own, over a pair of sockets, as only that one pauses producers and closes late."""

    logstr = "link"

    def __init__(self, ours: socket.socket, protocol: Any, reactor: Any) -> None:
        super().__init__(ours, protocol, reactor)
        self.connected = 1
        self.startReading()


class FullLinkTests(XmppCase):
    """Every way to the end, while answers wait for a server that doesn't read them."""

    def setUp(self) -> None:
        super().setUp()
        _, _, factory, _, _ = self.reactor.tcpClients.pop()
        client: Any = factory.buildProtocol(None)
        ours, self.theirs = socket.socketpair()
        for each in ours, self.theirs:
            each.setblocking(False)
            self.addCleanup(each.close)
        self.connection = Connection(ours, client, self.reactor)
        client.makeConnection(self.connection)
        self.says("<stream:stream xmlns='jabber:component:accept' id='1' ")
        self.says("xmlns:stream='http://etherx.jabber.org/streams' from='games.example'>")
        self.says("<handshake/>")
        assert self.service.link.is_up

        def answer(tree: Any) -> None:
            self.service.link.send("<message>" + "x" * 4_000_000 + "</message>")
            assert self.connection.producerPaused

        self.patch(self.service.server, "receive", answer)

    def says(self, text: str) -> None:
        """Let the server say something."""
        self.theirs.send(text.encode())
        self.run_once()

    def asks(self, then: str = "") -> None:
        """Let it ask for more than it reads, and say something in the same breath."""
        self.says(f"<iq/>{then}")

    def run_once(self) -> None:
        """Do once what the reactor would."""
        for each in self.reactor.getReaders():
            self.done(each.doRead)
        for each in self.reactor.getWriters():
            self.done(each.doWrite)

    def done(self, act: Callable[[], Any]) -> None:
        if (why := act()) is not None:
            self.reactor.removeAll()
            self.connection.connectionLost(Failure(why))

    def reads(self) -> int:
        """Let the server read all that there is, and count the bytes."""
        count = 0
        while True:
            try:
                got = self.theirs.recv(1_000_000)
            except BlockingIOError:
                if not self.reactor.getWriters():
                    return count
                self.run_once()
                continue
            if not got:
                return count
            count += len(got)

    def check_linked_again(self) -> None:
        assert self.reads() > 4_000_000
        self.reactor.advance(self.delay())
        assert self.reactor.tcpClients

    def test_the_server_ends_the_stream(self) -> None:
        self.asks("</stream:stream>")
        self.check_linked_again()

    def test_what_it_sends_is_no_xml(self) -> None:
        self.asks("<<<")
        self.check_linked_again()

    def test_it_says_what_is_wrong_with_the_stream(self) -> None:
        kind = "xmlns='urn:ietf:params:xml:ns:xmpp-streams'"
        self.asks(f"<stream:error><system-shutdown {kind}/></stream:error>")
        self.check_linked_again()
        assert "system-shutdown" in self.log.about("no link to")[0]

    def test_the_connection_is_lost(self) -> None:
        self.asks()
        self.theirs.close()
        self.run_once()
        self.reactor.advance(self.delay())
        assert self.reactor.tcpClients

    def test_we_stop(self) -> None:
        self.asks()
        stopped = self.service.stopService()
        assert self.reads() > 4_000_000
        self.successResultOf(stopped)

    def test_we_stop_though_nobody_reads(self) -> None:
        self.asks()
        stopped = self.service.stopService()
        self.reactor.pump([GOODBYE, 0])
        self.successResultOf(stopped)

    def test_a_server_that_never_reads_is_given_up(self) -> None:
        for way in "</stream:stream>", "<<<":
            with self.subTest(way):
                self.asks(way)
                self.reactor.pump([GRACE, 0])
                assert self.delay()
                self.reactor.removeAll()
                self.setUp()

    def test_what_is_said_after_the_end_waits_for_the_next_link(self) -> None:
        self.asks("</stream:stream>")
        self.service.link.send("<message from='games.example' to='a@example.org' id='1'/>")
        self.check_linked_again()
        self.link()
        assert len(self.got) == 1


class RunningTests(XmppCase):
    def test_saved_rooms_are_those_of_its_lobby(self) -> None:
        self.link()
        alice = self.client("alice")
        alice.enter("den", "alice")
        alice.owner("den", submit(""))
        alice.iq("den", f"<save xmlns='{OWNER}'/>")
        self.stop()
        for lobby, names in (("north", []), ("main", ["den"])):
            self.service = self.make(lobby=lobby)
            self.service.startService()
            assert list(self.service.server.rooms.by_name) == names

    def test_saved_rooms_are_there_before_the_link(self) -> None:
        self.link()
        alice = self.client("alice")
        alice.enter("den", "alice")
        alice.owner("den", submit(""))
        alice.iq("den", f"<save xmlns='{OWNER}'/>")
        self.stop()
        self.reactor.tcpClients.clear()
        self.service = self.make()
        assert not self.reactor.tcpClients
        self.service.startService()
        assert list(self.service.server.rooms.by_name) == ["den"]
        self.link()
        assert alice.iq("den", f"<load xmlns='{OWNER}'/>")[-1].endswith("result: ")

    def stop(self) -> None:
        stopped = self.service.stopService()
        self.pump.flush()
        self.reactor.advance(2)
        self.pump.flush()
        self.successResultOf(stopped)

    def test_saved_rooms_are_waited_for_while_their_store_is_away(self) -> None:
        self.successResultOf(self.service.stopService())
        self.reactor.tcpClients.clear()
        store = AwayStore()
        self.store = store
        self.service = self.make()
        self.service.startService()
        for _ in range(3):
            store.asked.pop().errback(StoreAwayError())
            self.reactor.advance(1)
        assert not self.reactor.tcpClients and not self.service.serving()
        # The rooms, then how many links of accounts there are.
        answers: list[Any] = [{}, None, (0, 0)]
        for answer in answers:
            store.asked.pop().callback(answer)
        store.away = False
        assert self.reactor.tcpClients and self.service.serving()
        assert self.log.about("saved rooms") == []
        self.successResultOf(self.service.stopService())

    def test_the_end_of_an_account_reaches_its_addresses(self) -> None:
        AccountTables(self.store.database).add(Account("alice", "x"))
        links, accounts = self.service.links, self.service._accounts
        self.successResultOf(Deferred.fromCoroutine(links.add("alice@example.org", "alice")))
        out: list[str] = []
        self.service.server.put_out = out.append  # type: ignore[assignment, method-assign]
        accounts.ended("alice", Kicked.code)
        assert out == ["alice@example.org"] and links.account_of("alice@example.org") == "alice"
        accounts.bans.replace([Ban("user", "alice", 0)])
        gateway = self.service.server.rooms.gateway
        with self.assertRaises(Refused):
            gateway.account_for("alice@example.org")
        accounts.ended("alice", AccountRemoved.code)
        assert links.account_of("alice@example.org") == ""

    def test_links_are_read_again_every_minute(self) -> None:
        AccountTables(self.store.database).add(Account("alice", "x"))
        other = Links(Stored(self.store, LinkTables), lambda: 1.0)
        self.successResultOf(Deferred.fromCoroutine(other.add("alice@example.org", "alice")))
        self.store.database.execute("UPDATE xmpp_links SET used = 9000000000")
        assert self.service.links.account_of("alice@example.org") == ""
        self.reactor.advance(LOOKS_EVERY)
        assert self.service.links.account_of("alice@example.org") == "alice"

    def test_nothing_waits_for_them_any_more_at_the_stop(self) -> None:
        self.successResultOf(self.service.stopService())
        store = AwayStore()
        self.store = store
        self.service = self.make()
        self.service.startService()
        stopped = self.service.stopService()
        store.asked.pop().errback(StoreAwayError())
        self.successResultOf(stopped)
        assert store.asked == [] and self.log.about("saved rooms") == []

    def test_at_the_end_everybody_is_told(self) -> None:
        self.link()
        self.client("alice").enter("den", "alice")
        self.read()
        self.stop()
        assert self.read() == [
            "alice/desk < den/alice unavailable: game(item affiliation=owner role=none)"
        ]
        assert not [
            c for c in self.reactor.getDelayedCalls() if c.func == self.service.link._connect
        ]

    def test_it_stops_while_there_is_no_link(self) -> None:
        self.refuse()
        self.successResultOf(self.service.stopService())
        self.service = self.make()
        self.service.startService()
        self.successResultOf(self.service.stopService())  # in the middle of connecting

    def test_a_running_match_is_waited_for_where_other_rooms_outlive_the_process(self) -> None:
        self.link()
        alice, bob = self.client("alice"), self.client("bob")
        alice.enter("den", "alice")
        alice.owner("den", submit(""))
        bob.enter("den", "bob")
        assert self.service.matches_running() == 0
        for client, role in ((alice, "x"), (bob, "o")):
            client.take("den", role)
            client.start("den")
        alice.start("den")
        assert self.service.matches_running() == 0  # the part of the lobby counts it
        self.patch(self.service._registry.outbox, "outlives", True)
        assert self.service.matches_running() == 1

    def test_it_looks_for_who_is_silent(self) -> None:
        self.service.stopService()
        self.reactor.tcpClients.clear()
        self.service = self.make(chat_timeout=100)
        self.service.startService()
        self.link()
        self.client("anna").chat("", "new den")
        assert self.service.server.rooms.by_name
        self.reactor.pump([5] * 30)
        assert not self.service.server.rooms.by_name
        assert self.client("anna").presence("den/anna", GAME)
