"""What the inputs of every parser cost in processor time, for each unit that they pay.

The whole server is made in this process, but listens nowhere. Each input is given to new
connections, as one read or byte by byte, and compared with the units that the connection paid for
it. ``python -m bench.inputs`` prints all inputs, and :mod:`bench.abuse` the dearest of each parser.
"""

from __future__ import annotations

import io
import json
import struct
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from itertools import count, groupby
from operator import attrgetter
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from unittest.mock import patch

from twisted.internet.address import IPv4Address
from twisted.internet.testing import MemoryReactorClock
from twisted.logger import globalLogBeginner
from twisted.words.protocols.jabber.component import ConnectComponentAuthenticator

from bench.report import Reach, Rows, parser, read, run
from tictac.net.limits import PeerRate
from tictac.plugins.xmpp.component import PatientStream
from tictac.plugins.xmpp.gateway import STANZA
from tictac.server.make import Options, makeService
from tictac.testing.connection import FakeTransport

UNIT = Reach("microseconds of a unit, of the dearest input,", 60.0)
"""A unit is about 20 microseconds: an answered ping."""

UNLIMITED = ("--turn-budget", "1000000", "--budget", "1000000000", "--budget-burst", "1000000000")

PORTS = ("port", "web", "admin", "session", "nim", "connectfour", "clue")

HOST = b"Host: play.test\r\n"
KEY = b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
UPGRADE = b"Upgrade: websocket\r\nConnection: Upgrade\r\n"
LONGEST = 8_190
"""Bytes of a message that is as long as messages can be."""

MARKS = "".join(map(chr, (0x345, 0x301, 0x316, 0x334)))
"""Combining marks in the order that takes the longest to compose (NFC)."""


class Connected(NamedTuple):
    """The client's end of a connection.

    ``paid`` counts the units that were paid, and ``turn`` makes a turn of the reactor.
    """

    transport: FakeTransport
    paid: Callable[[], float]
    turn: Callable[[], object]


Connect = Callable[[str], Connected]


class Input(NamedTuple):
    """An input of a parser.

    ``port`` is where it is sent, after what was sent ``before``. ``slowly``: each byte is a read.
    """

    parser: str
    name: str
    port: str
    data: bytes
    before: tuple[bytes, ...] = ()
    slowly: bool = False


def _get(target: bytes, headers: bytes = b"") -> bytes:
    return b"GET %b HTTP/1.1\r\n%b%b\r\n" % (target, HOST, headers)


def _http(parser: str, port: str) -> Iterator[Input]:
    requests = {
        "a page": _get(b"/"),
        "nothing there": _get(b"/x"),
        "arguments a&a&a": _get(b"/x?" + b"a&" * 7_900),
        "arguments a=1&a=1": _get(b"/x?" + b"a=1&" * 3_900),
        "20 arguments": _get(b"/x?" + b"&".join([b"%61=" + b"%41" * 32] * 20)),
        "a query of escapes": _get(b"/x?a=" + b"%41" * 680),
        "490 headers": _get(b"/x", b"".join(b"A%d: 1\r\n" % n for n in range(490))),
        "49 headers": _get(b"/x", b"".join(b"A%d: 1\r\n" % n for n in range(49))),
        "49 long headers": _get(b"/x", (b"A: " + b"b" * 300 + b"\r\n") * 49),
        "a folded header": _get(b"/x", b"A: 1\r\n" + b" 1\r\n" * 4_000),
        "cookies": _get(b"/x", b"Cookie: " + b"a=1; " * 3_000 + b"\r\n"),
        "languages": _get(b"/", b"Accept-Language: " + b"a;q=0.1," * 1_900 + b"\r\n"),
        "codings": _get(b"/", b"Accept-Encoding: " + b"a," * 7_900 + b"\r\n"),
        "tags": _get(b"/", b"If-None-Match: " + b'"a", ' * 3_000 + b"\r\n"),
        "a long header": _get(b"/x", b"A: " + b"b" * 16_000 + b"\r\n"),
        "connection": _get(b"/x", b"Connection: " + b"a " * 7_900 + b"\r\n"),
        "room %41%41": _get(b"/room/" + b"%41" * 5_000),
        "room %41, shorter": _get(b"/room/" + b"%41" * 2_600),
        "slashes": _get(b"/" * 7_900),
        "api %41/%41": _get(b"/api/" + b"%41/" * 1_900),
        "a wrong line": b"GET\r\n\r\n",
        "two hosts": b"GET / HTTP/1.1\r\n" + 2 * HOST + b"\r\n",
    }
    for name, data in requests.items():
        yield Input(parser, name, port, data, (_get(b"/x"),))
    yield Input(parser, "a page, byte by byte", port, _get(b"/"), slowly=True)
    yield Input(parser, "a header, byte by byte", port, b"GET / HTTP/1.1\r\nA: " + b"b" * 4_000,
                slowly=True)  # fmt: skip


def frame(payload: bytes, first: int = 0x81) -> bytes:
    """Return a frame of a browser (RFC 6455, 5.2) with a mask."""
    size, mask = len(payload), b"\x11\x22\x33\x44"
    head = bytes([first, 0x80 + size]) if size < 126 else struct.pack("!BBH", first, 0xFE, size)
    return head + mask + bytes(each ^ mask[at % 4] for at, each in enumerate(payload))


def _sockets() -> Iterator[Input]:
    opened = _get(b"/ws", UPGRADE + KEY), frame(b'{"do":"hello"}')
    extensions = b"Sec-WebSocket-Extensions: " + b"a;b=1," * 2_600 + b"\r\n"
    protocols = b"Sec-WebSocket-Protocol: " + b"a," * 7_800 + b"\r\n"
    yield Input("WebSocket", "an upgrade", "web", opened[0])
    yield Input("WebSocket", "many extensions", "web", _get(b"/ws", UPGRADE + KEY + extensions))
    yield Input("WebSocket", "many protocols", "web", _get(b"/ws", UPGRADE + KEY + protocols))
    ping = b'{"do":"ping"}'
    frames = {
        "ping": frame(ping),
        "an empty message": frame(b""),
        "a ping frame": frame(b"", 0x89),
        "a full ping frame": frame(b"a" * 125, 0x89),
        "a pong frame": frame(b"a" * 125, 0x8A),
        "a long frame": frame(b" " * LONGEST),
        "a long frame of Unicode": frame("é".encode() * (LONGEST // 2)),
        "not UTF-8 at the end": frame(b" " * LONGEST + b"\xff"),
        "a ping in 60 frames": frame(b" ", 0x01) + frame(b" ", 0x00) * 58 + frame(ping, 0x80),
        "empty frames": frame(b"", 0x01) + frame(b"", 0x00) * 58 + frame(ping, 0x80),
        "a longer one in 60": frame(b" " * 120, 0x01) + frame(b" " * 120, 0x00) * 58
        + frame(ping, 0x80),
        "a compressed frame": frame(b"abc", 0xC1),
    }  # fmt: skip
    for name, data in frames.items():
        yield Input("WebSocket", name, "web", data, opened)
    slow = frame(b" " * 120)
    yield Input("WebSocket", "a frame, byte by byte", "web", slow, opened, slowly=True)


def _lobby() -> Iterator[Input]:
    def line(do: str, **fields: object) -> bytes:
        return json.dumps({"do": do, **fields}, ensure_ascii=False).encode()[:LONGEST] + b"\n"

    def padded(begin: str, repeated: str, end: str) -> bytes:
        times = (LONGEST - len(begin) - len(end)) // len(repeated.encode())
        return (begin + repeated * times + end + "\n").encode()

    guest = (line("guest"),)
    marks = (MARKS[0] * 60 + MARKS[1] * 60 + MARKS[2] * 60 + MARKS[3] * 60) * 16
    marks = "".join(sorted(marks, reverse=True))[: LONGEST // 2 - 60]
    said = "".join(sorted(marks[:: len(marks) // 500 + 1], reverse=True))
    lines = {
        "ping": line("ping"),
        "hello": line("hello"),
        "games": line("games"),
        "no JSON": b"x\n",
        "a long text that isn't JSON": b"x" * LONGEST + b"\n",
        "arrays in arrays": padded('{"do":"ping","x":', "[", ""),
        "numbers": padded('{"do":"ping","x":[1', ",1", "]}"),
        "fractions": padded('{"do":"ping","x":[1', ",1.1e1", "]}"),
        "a long number": padded('{"do":"ping","x":', "1", "}"),
        "a number of 4,000 digits": b'{"do":"ping","x":%b}\n' % (b"7" * 4_000),
        "a long fraction": padded('{"do":"ping","x":0.', "1", "}"),
        "objects": padded('{"do":"ping","x":[{}', ',{"":0}', "]}"),
        "a long text": padded('{"do":"ping","x":"', "a", '"}'),
        "escapes": padded('{"do":"ping","x":"', "\\u00e9", '"}'),
        "Unicode": padded('{"do":"ping","x":"', "é", '"}'),
        "the same key": padded('{"do":"ping"', ',"a":1', "}"),
        "keys": b'{"do":"ping"%b}\n' % b"".join(b',"%d":0' % n for n in range(850)),
        "a long id": padded('{"do":"ping","id":"', "é", '"}'),
        "names": padded('{"do":"hello","draws":[""', ',""', "]}"),
        "a name of marks": line("register", user="a" + marks, password="p"),
        "a password of marks": line("login", user="a", password="a" + marks),
        "old and new passwords": line("password", old=marks[:2_000], password=marks[:2_000]),
        "a token of marks": line("login", user="a", token="a" + marks),
        "options": line("rules", game="reversi", options={str(n): n for n in range(900)}),
        "an unknown game": line("rules", game="x" * 8_000),
    }  # fmt: skip
    for name, data in lines.items():
        yield Input("lobby", name, "rooms", data, (line("hello"),))
    at_a_room = (*guest, line("open", game="nim", computer="beginner", room="den"))
    as_guest = {
        "open and its terms": line("open", game="nim", options={str(n): n for n in range(900)}),
        "a room name of marks": line("open", game="nim", computer="beginner", room="a" + marks),
        "watch a room of marks": line("watch", room="a" + marks),
        "a key of marks": line("join", room="den", key="a" + marks),
        "open": line("open", game="nim", computer="beginner"),
        "a wrong move": line("move", room="x", move="x" * 8_000),
    }
    for name, data in as_guest.items():
        yield Input("lobby", name, "rooms", data, guest)
    in_a_room = {
        "say": line("say", room="den", text="a" * 500),
        "say Unicode": line("say", room="den", text="é" * 500),
        "say marks": line("say", room="den", text="a" + said[:499]),
        "a long move": line("move", room="den", move="1" * 8_000),
        "an illegal move": line("move", room="den", move="9:9"),
    }
    for name, data in in_a_room.items():
        yield Input("lobby", name, "rooms", data, at_a_room)
    slow = line("ping", x="a" * 1_000)
    yield Input("lobby", "a ping, byte by byte", "rooms", slow, guest, slowly=True)


def _rooms() -> Iterator[Input]:
    lines = {
        "PLACE before a login": b"PLACE:0:0\n",
        "an unknown verb": b"x\n",
        "colons": b":" * LONGEST + b"\n",
        "PLACE and colons": b"PLACE:" + b":" * (LONGEST - 6) + b"\n",
        "a long PLACE": b"PLACE:" + b"1" * 4_000 + b":" + b"1" * 4_000 + b"\n",
        "a long JOIN": b"JOIN:" + b"\xff" * 8_000 + b":PLAYER\n",
        "no newline, 30 times": b"JOIN:" + b":" * 8_000,
        "telnet options": b"\xff\xfb\x01" * 2_700 + b"\n",
        "an empty line": b"\n",
    }
    for name, data in lines.items():
        yield Input("rooms", name, "rooms", data, (b"\n",))
    yield Input("rooms", "byte by byte", "rooms", b"LOGIN:" + b":" * 2_000, slowly=True)


def _classics() -> Iterator[Input]:
    yield Input("session", "integers", "session", struct.pack("!i", 1) * 6)
    yield Input("session", "byte by byte", "session", struct.pack("!i", 1) * 3, slowly=True)
    yield Input("Nim", "zeros", "nim", b"\0" * 400)
    yield Input("Nim", "ones", "nim", b"\1" * 400)
    yield Input("Nim", "byte by byte", "nim", b"\0" * 200, slowly=True)
    for name, data in {"hello": b"hello x\n", "long": b"x" * 70 + b"\n"}.items():
        yield Input("Connect Four", name, "connectfour", data)
    yield Input("Clue", "a name", "clue", b"ann\n")
    yield Input("Clue", "blanks", "clue", b" " * 60 + b"\n")
    yield Input("Clue", "a long name", "clue", b"\xc3\xa9" * 2_000 + b"\n")
    yield Input("Clue", "byte by byte", "clue", b"a" * 60, slowly=True)


def _xmpp() -> Iterator[Input]:
    def message(inner: bytes, kind: bytes = b"chat") -> bytes:
        return b"<message from='eve@example.org/x' to='games.example' type='%b'>%b</message>" % (
            kind,
            inner,
        )

    stanzas = {
        "a ping": b"<iq from='eve@example.org/x' to='games.example' type='get' id='1'>"
        b"<ping xmlns='urn:xmpp:ping'/></iq>",
        "a word": message(b"<body>help</body>"),
        "an error": message(b"<body>x</body>", b"error"),
        "elements": message(b"<a/>" * 250),
        "many elements": message(b"<a/>" * 10_000),
        "levels": message(b"<a>" * 2_000 + b"</a>" * 2_000),
        "attributes": message(b"<a %b/>" % b" ".join(b"b%d='1'" % n for n in range(900))),
        "prefixes": message(b"<a xmlns:p='u'>" + b"<p:b p:c='1'/>" * 240 + b"</a>"),
        "a long text": message(b"<body>" + b"x" * 40_000 + b"</body>"),
        "lines": message(b"<body>" + b"\n" * 8_000 + b"</body>"),
        "escapes": message(b"<body>" + b"&lt;" * 8_000 + b"</body>"),
        "spaces of names": message(b"<a xmlns='x'/>" * 3_000),
    }
    for name, data in stanzas.items():
        yield Input("XMPP", name, "xmpp", data)


def all_inputs() -> Iterator[Input]:
    """Yield the inputs of all parsers."""
    yield from _http("HTTP", "web")
    yield from _http("HTTP of --admin", "admin")
    yield from _sockets()
    yield from _lobby()
    yield from _rooms()
    yield from _classics()
    yield from _xmpp()


@contextmanager
def server() -> Iterator[Connect]:
    """Make a server in this process; yield what connects to its ports.

    Each connection has an address of its own, for whose purse no time passes.
    """
    with tempfile.TemporaryDirectory(prefix="tictac-bench-") as folder:
        secret = Path(folder, "secret")
        secret.write_text("secret")
        options = Options()
        ports = [text for port in PORTS for text in (f"--{port}", "tcp:0:interface=127.0.0.1")]
        more = ["--database", str(Path(folder, "users.db")), "--journal", "none", "--no-archive"]
        xmpp = ["--xmpp-component", "games.example", "--xmpp-secret-file", str(secret)]
        options.parseOptions([*ports, *more, *xmpp, *UNLIMITED])
        clock: Any = MemoryReactorClock()
        parts = {part.what: part for part in makeService(options, clock).parts}
        hosts = (f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}" for n in count())
        stanzas = Counter[str]()

        def spend(rate: PeerRate, peer: str, things: int = 1) -> None:
            stanzas[peer] += things

        def turn() -> None:
            clock.advance(0)

        def link() -> Connected:
            stream = PatientStream(ConnectComponentAuthenticator("games.example", ""), clock)
            transport = FakeTransport(stream)
            stream.makeConnection(transport)
            transport.arrive(
                b"<stream:stream xmlns='jabber:component:accept' id='1' from='games.example' "
                b"xmlns:stream='http://etherx.jabber.org/streams'>"
            )
            stream.addObserver("/*", parts["xmpp"].server.receive)
            return Connected(transport, lambda: STANZA * stanzas.total(), turn)

        def connect(port: str) -> Connected:
            if port == "xmpp":
                return link()
            host, factory = next(hosts), parts[port].factories[0]
            purse = factory.budget.purse(host)
            purse.seconds = lambda: 0.0
            protocol = factory.buildProtocol(IPv4Address("TCP", host, 1234))
            transport = FakeTransport(protocol, host)
            protocol.makeConnection(transport)
            return Connected(transport, lambda: purse.paid / purse.price, turn)

        with patch.object(PeerRate, "spend", spend), _quiet():
            yield connect


@contextmanager
def _quiet() -> Iterator[None]:
    """Drop all log lines: what isn't started can't answer everything."""
    with redirect_stderr(io.StringIO()):
        globalLogBeginner.beginLoggingTo([], redirectStandardIO=False)
        yield


class Cost(NamedTuple):
    """What an input costs."""

    input: Input
    microseconds: float
    units: float

    @property
    def of_a_unit(self) -> float:
        """The microseconds of a unit."""
        return self.microseconds / max(self.units, 1)


def measure(each: Input, connect: Connect, times: int) -> Cost:
    """Return what an input costs."""
    found = []
    for _ in range(times):
        transport, paid, turn = connect(each.port)
        transport.arrive(*each.before)
        pieces = [bytes([byte]) for byte in each.data] if each.slowly else [each.data]
        before = paid()
        begun = time.thread_time()
        transport.arrive(*pieces)
        while each.port == "xmpp" and transport.producerState == "paused":
            turn()  # it parses a piece in each
        found.append(time.thread_time() - begun)
        units = paid() - before
    return Cost(each, 1e6 * median(found), units)


def tell(times: int, *, dearest: bool = False) -> None:
    """Print what all inputs cost, or only the ``dearest`` input of every parser."""
    name = "the dearest input" if dearest else "input"
    rows = Rows("parser", "bytes", "us", "units", "us/unit", name, widths=[16])
    of_a_unit = attrgetter("of_a_unit")
    worst = 0.0
    with server() as connect:
        for _, inputs in groupby(all_inputs(), attrgetter("parser")):
            costs = (measure(each, connect, times) for each in inputs)
            for cost in [max(costs, key=of_a_unit)] if dearest else costs:
                figures = len(cost.input.data), cost.microseconds, cost.units, cost.of_a_unit
                cells = (f"{figure:.1f}" for figure in figures)
                rows.add(cost.input.parser, *cells, cost.input.name)
                worst = max(worst, cost.of_a_unit)
    UNIT.tell(worst)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what all inputs cost."""
    tell(read(parser(__doc__, times=(25, 3)), arguments).times)


if __name__ == "__main__":
    run(main)
