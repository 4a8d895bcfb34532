"""The WebSocket: the rooms protocol in frames, and what isn't that."""

from __future__ import annotations

import socket
from typing import Any
from weakref import ref

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.interfaces import IPushProducer, ITransport
from twisted.trial.unittest import SynchronousTestCase
from zope.interface.verify import verifyObject

from tests.accounts.helpers import ManualPool
from tests.plugins.web.helpers import HOST, Guest, WebServer, frame, frames
from tictac.net.connection import Limits
from tictac.net.keepalive import socket_below
from tictac.plugins.web.site import REFUSED
from tictac.plugins.web.websocket import FrameTransport


class HandshakeTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.server = WebServer(origins=("https://friend.test:443",))

    def upgrade(self, *headers: str) -> Guest:
        guest = Guest(self.server.connect())
        guest.upgrade(*headers)
        return guest

    def test_the_example_of_the_rfc(self) -> None:
        guest = self.upgrade()
        assert guest.status == 101
        assert guest.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    def test_our_own_page_and_friends(self) -> None:
        assert self.upgrade(f"Origin: http://{HOST}").status == 101
        assert self.upgrade("Origin: https://friend.test").status == 101

    def test_a_foreign_page(self) -> None:
        for origin in ("http://evil.test", "null", f"http://{HOST}.evil.test"):
            guest = self.upgrade(f"Origin: {origin}")
            assert frames(guest.body) == [(8, b"\x0f\xa0foreign-origin")]
            guest.send("LOGIN:alice:secret")
            assert guest.transport.take() == b""
        assert self.server.rooms.factory.refusals.counts == {"foreign-origin": 3}
        assert not self.server.rooms.factory.connections

    def test_who_says_twice_where_it_is_from(self) -> None:
        ours, foreign = f"Origin: http://{HOST}", "Origin: http://evil.test"
        for headers in ((ours, foreign), (foreign, ours), (ours, ours)):
            guest = self.upgrade(*headers)
            assert frames(guest.body) == [(8, b"\x0f\xa0foreign-origin")], headers
        assert self.server.rooms.factory.refusals.counts == {"foreign-origin": 3}

    def test_what_is_no_websocket(self) -> None:
        assert self.server.get("/ws/rooms")[0] == 426
        assert self.server.get("/ws/rooms", "Upgrade: h2c")[0] == 426
        assert self.server.get("/ws/rooms", "Upgrade: websocket", method="POST")[0] == 426

    def test_half_a_websocket(self) -> None:
        transport = self.server.connect()
        transport.arrive(b"GET /ws/rooms HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n")
        assert transport.take().startswith(b"HTTP/1.1 400 ")
        transport.lose()
        assert not self.server.rooms.factory.connections

    def test_nothing_is_compressed(self) -> None:
        guest = self.upgrade("Sec-WebSocket-Extensions: permessage-deflate")
        assert guest.status == 101
        assert "sec-websocket-extensions" not in guest.headers

    def test_nothing_of_the_request_is_kept(self) -> None:
        transport = self.server.connect()
        channel = ref(transport.protocol)
        guest = Guest(transport)
        guest.upgrade("User-Agent: a browser")
        assert channel() is None
        socket: Any = transport.protocol
        assert not socket.http_headers

    def test_no_timer_is_left(self) -> None:
        guest = self.server.log_in("alice")
        guest.ask("CREATE:den")
        assert not self.server.clock.getDelayedCalls()


class TableTests(SynchronousTestCase):
    """Pages and terminals at one table."""

    def setUp(self) -> None:
        self.server = WebServer()

    def test_a_page_against_a_terminal_with_both_watching(self) -> None:
        alice, vera = self.server.log_in("alice"), self.server.log_in("vera")
        bob, carol = self.server.rooms.log_in("bob"), self.server.rooms.log_in("carol")
        assert alice.ask("CREATE:den") == ["CREATE:ACKSTATUS:0"]
        assert vera.ask("JOIN:den:VIEWER") == ["JOIN:ACKSTATUS:0"]
        assert carol.ask("JOIN:den:VIEWER") == ["JOIN:ACKSTATUS:0"]
        assert bob.ask("JOIN:den:PLAYER") == ["JOIN:ACKSTATUS:0", "BEGIN:alice:bob"]
        everybody = (alice, vera, bob, carol)
        assert [one.read() for one in (alice, vera, carol)] == [["BEGIN:alice:bob"]] * 3
        for player, cell, message in (
            (alice, "1:1", "BOARDSTATUS:000010000"),
            (bob, "0:0", "BOARDSTATUS:200010000"),
            (alice, "0:2", "BOARDSTATUS:200010100"),
            (bob, "1:0", "BOARDSTATUS:220010100"),
            (alice, "2:0", "GAMEEND:221010100:0:alice"),
        ):
            player.send(f"PLACE:{cell}")
            assert [one.read() for one in everybody] == [[message]] * 4

    def test_two_messages_of_one_write_are_two_frames(self) -> None:
        alice, bob = self.server.log_in("alice"), self.server.log_in("bob")
        alice.ask("CREATE:den")
        alice.send("PLACE:1:1")
        assert bob.ask("JOIN:den:PLAYER") == [
            "JOIN:ACKSTATUS:0",
            "BEGIN:alice:bob",
            "BOARDSTATUS:000010000",
        ]

    def test_several_frames_in_one_read_are_answered_in_order(self) -> None:
        guest = self.server.visit()
        messages = (b"LOGIN:alice:secret", b"CREATE:den", b"CREATE:den", b"FORFEIT")
        guest.transport.arrive(b"".join(map(frame, messages)))
        assert guest.read() == [
            "LOGIN:ACKSTATUS:0",
            "CREATE:ACKSTATUS:0",
            "CREATE:ACKSTATUS:4",
            "GAMEEND:000000000:1",
        ]

    def test_a_frame_byte_by_byte(self) -> None:
        guest = self.server.visit()
        for byte in frame(b"LOGIN:alice:secret"):
            guest.transport.arrive(bytes([byte]))
        assert guest.read() == ["LOGIN:ACKSTATUS:0"]

    def test_a_message_in_two_frames(self) -> None:
        guest = self.server.visit()
        guest.transport.arrive(frame(b"LOGIN:ali", final=False))
        assert guest.read() == []
        guest.transport.arrive(frame(b"ce:secret", opcode=0))
        assert guest.read() == ["LOGIN:ACKSTATUS:0"]

    def test_a_page_that_is_closed_forfeits(self) -> None:
        alice, bob = self.server.log_in("alice"), self.server.rooms.log_in("bob")
        alice.ask("CREATE:den")
        bob.ask("JOIN:den:PLAYER")
        alice.transport.arrive(frame((1001).to_bytes(2, "big"), opcode=8))
        assert alice.transport.disconnecting
        alice.transport.lose()
        assert bob.read() == ["GAMEEND:000000000:2:bob"]

    def test_a_password_is_waited_for(self) -> None:
        pool = ManualPool()
        server = WebServer(pool=pool)
        guest = server.visit()
        guest.transport.arrive(frame(b"LOGIN:alice:secret") + frame(b"ROOMLIST:PLAYER"))
        guest.send("CREATE:den")
        assert guest.read() == []
        assert guest.transport.producerState == "paused"
        done, work = pool.jobs.pop()
        done(True, work())
        assert guest.read() == ["LOGIN:ACKSTATUS:0", "ROOMLIST:ACKSTATUS:0:", "CREATE:ACKSTATUS:0"]

    def test_who_hangs_up_takes_the_password_along(self) -> None:
        pool = ManualPool()
        server = WebServer(pool=pool)
        guest = server.visit()
        guest.send("LOGIN:alice:secret")
        guest.transport.lose()
        assert not server.rooms.factory.connections and not server.sockets.sockets
        pool.jobs.clear()


class RefusalTests(SynchronousTestCase):
    """Whatever one sends, the others play on."""

    def setUp(self) -> None:
        self.server = WebServer(Limits(budget=800, budget_burst=2000), max_message=200)
        self.alice, self.bob = self.server.log_in("alice"), self.server.rooms.log_in("bob")
        self.alice.ask("CREATE:den")
        self.bob.ask("JOIN:den:PLAYER")
        self.alice.read()

    def tearDown(self) -> None:
        assert self.alice.ask("PLACE:1:1") == ["BOARDSTATUS:000010000"]
        assert self.bob.read() == ["BOARDSTATUS:000010000"]

    def refusals(self) -> dict[str, int]:
        return dict(self.server.rooms.factory.refusals.counts)

    def test_a_message_that_is_too_long(self) -> None:
        guest = self.server.visit()
        guest.transport.arrive(frame(b"x" * 201))
        code, reason = guest.close_frame()
        assert code == 1009 and "201" in reason
        assert self.refusals() == {"message-too-long": 1}
        self.cut_in_the_end(guest)

    def test_one_that_only_says_so(self) -> None:
        guest = self.server.visit()
        guest.transport.arrive(b"\x81\xff" + (1 << 40).to_bytes(8, "big") + b"mask")
        assert guest.close_frame()[0] == 1009
        assert self.refusals() == {"message-too-long": 1}

    def test_one_that_is_too_long_in_pieces(self) -> None:
        guest = self.server.visit()
        guest.transport.arrive(frame(b"x" * 150, final=False))
        guest.transport.arrive(frame(b"x" * 150, opcode=0))
        assert guest.close_frame()[0] == 1009

    def test_a_message_of_endless_pieces(self) -> None:
        guest = self.server.visit()
        guest.transport.arrive(frame(b"", final=False))
        guest.transport.arrive(*[frame(b"", opcode=0, final=False)] * 100)
        assert guest.dropped
        assert self.refusals() == {"too-many-frames": 1}

    def test_no_text(self) -> None:
        guest = self.server.visit()
        guest.transport.arrive(frame(b"LOGIN:alice:secret", opcode=2))
        assert guest.close_frame() == (4000, "not-one-line")
        assert self.refusals() == {"not-one-line": 1}
        self.cut_in_the_end(guest)

    def test_two_lines_in_a_frame(self) -> None:
        guest = self.server.visit()
        guest.send("LOGIN:alice:secret\nCREATE:x")
        assert guest.close_frame() == (4000, "not-one-line")

    def test_no_utf8(self) -> None:
        guest = self.server.visit()
        guest.transport.arrive(frame(b"\xff\xff"))
        assert guest.close_frame()[0] == 1007
        assert self.refusals() == {"not-a-websocket": 1}

    def test_frames_without_a_mask(self) -> None:
        guest = self.server.visit()
        guest.transport.arrive(b"\x81\x05Hello")
        assert guest.close_frame()[0] == 1002

    def test_too_many_messages(self) -> None:
        guest = self.server.visit()
        guest.send(*["ROOMLIST:PLAYER"] * 200)
        assert len(guest.read()) < 200
        self.server.clock.pump([0.1] * 40)
        assert not guest.dropped and guest.transport.producerState == "producing"

    def test_too_many_pings(self) -> None:
        guest = self.server.visit()
        guest.transport.arrive(frame(b"?", opcode=9) * 1000)
        answered = len(frames(guest.transport.take()))
        assert 100 < answered < 600
        assert guest.transport.producerState == "paused"
        self.server.clock.pump([0.1] * 100)
        guest.transport.arrive(frame(b"!", opcode=9))
        *others, last = frames(guest.transport.take())
        assert set(others) == {(10, b"?")} and last == (10, b"!")
        assert answered + len(others) == 1000, "they only waited"

    def test_frames_of_one_read_wait_for_the_budget(self) -> None:
        each_kind = (frame(b"?", opcode=9), frame(b""), frame(b"?", opcode=10), frame(b"ROOMLIST"))
        for number, each in enumerate(each_kind):
            guest = self.server.visit(host=f"198.51.100.{number}")
            units = self.server.cost(guest.transport, each * 1500)
            assert units < 500, "none is parsed that waits"
            assert guest.transport.producerState == "paused"

    def test_bytes_that_end_no_frame_cost_something(self) -> None:
        guest = self.server.visit()
        pieces = [bytes([byte]) for byte in frame(b"x" * 90)]
        assert self.server.cost(guest.transport, *pieces) > 90

    def test_a_broken_frame_costs_something(self) -> None:
        for broken in (frame(b"\xff"), b"\xc1\x80abcd", b"\x81\x05Hello"):
            guest = self.server.visit()
            assert self.server.cost(guest.transport, broken) > 8

    def test_extensions_are_not_read(self) -> None:
        guest = self.server.visit("Sec-WebSocket-Extensions: " + "permessage-deflate;a=b," * 500)
        assert guest.status == 101 and b"xtension" not in guest.body

    def test_pings_of_one_who_takes_no_answers(self) -> None:
        for ping in (frame(b"?", opcode=9), frame(b"")):
            guest = self.server.visit()
            guest.choke()
            guest.transport.arrive(*[ping] * 3)
            assert len(frames(guest.transport.take())) == 1
            assert guest.transport.producerState == "paused"
            producer: Any = guest.transport.producer
            producer.resumeProducing()
            assert len(frames(guest.transport.take())) == 2

    def test_too_many_pongs(self) -> None:
        guest = self.server.visit()
        guest.transport.arrive(frame(b"", opcode=10) * 1000)
        assert guest.transport.producerState == "paused"
        self.server.clock.pump([0.1] * 10)

    def test_a_message_in_many_pieces_costs_more(self) -> None:
        guest = self.server.visit()
        pieces = [frame(b"", final=False), *[frame(b"", opcode=0, final=False)] * 49]
        guest.transport.arrive(*[*pieces, frame(b"", opcode=0)] * 20)
        assert guest.transport.producerState == "paused"
        assert len(frames(guest.transport.take())) < 20
        self.server.clock.pump([0.1] * 20)

    def test_nothing_is_heard_after_the_end(self) -> None:
        guest = self.server.visit()
        guest.send("LOGIN:carol:secret\n")
        guest.send("LOGIN:carol:secret", "CREATE:x")
        assert guest.close_frame() == (4000, "not-one-line")

    def test_who_doesnt_read(self) -> None:
        server = self.server
        guest = server.visit()
        guest.send("LOGIN:carol:secret", "JOIN:den:VIEWER")
        guest.choke()
        room = 262_144 - 65_536
        sockets = {socket.transport: socket for socket in server.sockets.sockets}
        protocol = sockets[guest.transport].connection
        assert protocol is not None
        for _ in range(room // 3000):
            assert not guest.dropped
            protocol.outlet.write(b"x" * 2999 + b"\n")
        protocol.outlet.write(b"x" * 2999 + b"\n")
        assert guest.dropped
        assert self.refusals() == {"too-much-unsent": 1}
        guest.transport.lose()

    def cut_in_the_end(self, guest: Guest) -> None:
        """Check that the server drops the guest after five seconds."""
        self.server.rooms.expire(4.9)
        assert not guest.dropped
        self.server.rooms.expire(0.2)
        assert guest.dropped
        guest.transport.lose()
        assert len(self.server.rooms.factory.connections) == 2


class TimeTests(SynchronousTestCase):
    def test_who_doesnt_log_in_is_told_so(self) -> None:
        server = WebServer(Limits(login_timeout=60))
        guest = server.visit()
        server.rooms.expire(60)
        assert guest.close_frame() == (4000, "login-timeout")

    def test_connections_are_counted(self) -> None:
        server = WebServer(Limits(max_connections=1))
        server.visit()
        second = Guest(server.connect())
        second.upgrade()
        assert frames(second.body) == [(8, b"\x0f\xa0too-many-connections")]

    def test_who_is_refused_is_cut_and_counted_until_then(self) -> None:
        server = WebServer(Limits(max_connections_per_peer=2))
        seated = [server.visit() for _ in range(2)]
        refused = [Guest(server.connect()) for _ in range(2)]
        for guest in refused:
            guest.upgrade()
            assert frames(guest.body) == [(8, b"\x0f\xa0too-many-connections-of-one-peer")]
        assert not server.connect("192.0.2.2").disconnected
        server.clock.advance(4.9)
        server.site.expire()
        assert not any(guest.dropped for guest in refused)
        server.clock.advance(0.1)
        server.site.expire()
        assert [guest.dropped for guest in refused + seated] == [True, True, False, False]

    def test_pages_and_the_sockets_of_all_paths_count_together(self) -> None:
        server = WebServer(Limits(max_connections_per_peer=2))
        seated, page = server.visit(), server.connect()
        for path in ("/ws", "/ws/rooms"):
            late = Guest(server.connect())
            late.upgrade(path=path)
            assert frames(late.body) == [(8, b"\x0f\xa0too-many-connections-of-one-peer")]
        page.lose()
        server.visit()
        seated.transport.lose()
        server.visit()

    def test_who_is_refused_and_goes_isnt_counted(self) -> None:
        server = WebServer(Limits(max_connections_per_peer=1))
        server.visit()
        for _ in range(REFUSED + 1):
            guest = Guest(server.connect())
            guest.upgrade()
            assert guest.status == 101
            guest.transport.arrive(frame((1000).to_bytes(2, "big"), opcode=8))
            assert guest.transport.disconnecting
            guest.transport.lose()

    def test_half_a_handshake_is_counted_until_it_is_gone(self) -> None:
        server = WebServer(Limits(max_connections_per_peer=1))
        transport = server.connect()
        transport.arrive(b"GET /ws/rooms HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n")
        late = Guest(server.connect())
        late.upgrade()
        assert frames(late.body) == [(8, b"\x0f\xa0too-many-connections-of-one-peer")]
        server.clock.advance(5)
        server.site.expire()
        assert transport.disconnected

    def test_who_has_closed_and_stays_is_cut(self) -> None:
        # With TLS a connection that we close is there until the peer closes it, too.
        server = WebServer()
        guest = server.visit()
        (connection,) = server.rooms.factory.connections
        connection.close()
        guest.transport.arrive(frame((1001).to_bytes(2, "big"), opcode=8))
        server.rooms.expire(5)
        assert guest.dropped

    def test_a_server_that_stops_says_that_it_goes(self) -> None:
        server = WebServer()
        guest = server.log_in("alice")
        (connection,) = server.rooms.factory.connections
        connection.close()
        assert guest.close_frame() == (1001, "")

    def test_a_sign_of_life_is_asked_for(self) -> None:
        server = WebServer()
        guest = server.visit()
        server.clock.advance(29)
        server.sockets.look(30)
        assert guest.read() == []
        server.clock.advance(1)
        server.sockets.look(30)
        assert frames(guest.transport.take()) == [(9, b"")]
        guest.transport.arrive(frame(b"", opcode=10))
        server.clock.advance(29)
        server.sockets.look(30)
        assert not guest.dropped and guest.read() == []

    def test_who_gives_none_is_dropped(self) -> None:
        server = WebServer()
        guest = server.visit()
        for _ in range(2):
            server.clock.advance(30)
            server.sockets.look(30)
        assert guest.dropped
        assert server.rooms.factory.refusals.counts == {"ping-timeout": 1}

    def test_an_empty_message_is_answered_with_one(self) -> None:
        server = WebServer(Limits(budget=40, budget_burst=80))
        guest = server.visit()
        (connection,) = server.rooms.factory.connections
        server.clock.advance(3)
        guest.transport.arrive(frame(b""))
        assert guest.transport.take() == b"\x81\x00"
        assert connection.silent_for(connection.last_message + 3600), "its visitor may be idle"
        guest.send(*[""] * 30)
        assert len(guest.transport.take()) < 60

    def test_a_message_is_one_too(self) -> None:
        server = WebServer()
        guest = server.visit()
        server.clock.advance(30)
        server.sockets.look(30)
        guest.send("LOGIN:alice:secret")
        server.clock.advance(29)
        server.sockets.look(30)
        assert not guest.dropped


class TransportTests(SynchronousTestCase):
    def test_it_is_what_it_says(self) -> None:
        server = WebServer()
        server.visit(host="192.0.2.7")
        (connection,) = server.rooms.factory.connections
        verifyObject(ITransport, connection.transport)
        verifyObject(IPushProducer, connection.transport)
        assert connection.host == "192.0.2.7"
        assert connection.transport.getHost() is not None

    def test_several_lines_at_once(self) -> None:
        server = WebServer()
        guest = server.visit()
        (connection,) = server.rooms.factory.connections
        connection.transport.writeSequence([b"one\n", b"two\nthree\n"])
        assert guest.read() == ["one", "two", "three"]

    def test_frames_are_made_once(self) -> None:
        server = WebServer()
        lines = b"BOARDSTATUS:000010000\n"
        assert server.sockets.frames(lines) is server.sockets.frames(lines)


@settings(max_examples=100)
@given(st.booleans(), st.lists(st.binary(max_size=300), max_size=6))
def test_any_bytes_at_all(masked: bool, data: list[bytes]) -> None:
    server = WebServer()
    alice, guest = server.log_in("alice"), server.visit()
    for piece in data:
        guest.transport.arrive(frame(piece) if masked else piece)
    assert alice.ask("CREATE:den") == ["CREATE:ACKSTATUS:0"]
    assert not server.rooms.faults
    guest.transport.lose()
    assert len(server.rooms.factory.connections) == 1


def test_a_hang_up_is_looked_for_below_the_frames() -> None:
    one, other = socket.socketpair()
    with one, other:
        below = type("Below", (), {"getHandle": lambda self: one})()
        page: Any = type("Page", (), {"transport": below})()
        assert socket_below(FrameTransport(page)) is one
