"""A stranger walks through a class's server, over every protocol, and learns no name.

``python -m pytest -n 0 -s tests/plugins/privacy/test_end_to_end.py`` prints what the stranger got.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
from http.client import HTTPConnection
from typing import Any

from tests.plugins.web.routes import FILLED, api_paths, page_paths
from tests.plugins.xmpp.strangers import BY_LINK as BY_ADDRESS
from tests.plugins.xmpp.strangers import LISTS
from tests.plugins.xmpp.xmpp import DOMAIN, SECRET, Player, Prosody, needs_xmpp
from tests.programs import LOCAL, ServerCase
from tests.terminal.processes import PATIENCE
from tictac.plugins.web.pages import ADDRESS

PUPIL, OTHER, CLASS = FILLED, "quirin", "class-7b"
"""Paths name the first pupil, and a room of the same name."""

PORTS = ("web", "admin", "nim", "session", "connectfour", "clue")
GREETINGS = (b"ROOMLIST:PLAYER\n", b"JOIN:zoe:VIEWER\n", b"LIST\n", b"{}\n", b"\x00\x01\x02\x03")
REQUESTS: list[dict[str, Any]] = [
    {"do": "hello"}, {"do": "lobby"}, {"do": "people"}, {"do": "guest"}, {"do": "tournaments"},
    {"do": "watch", "room": FILLED}, {"do": "join", "room": FILLED}, {"do": "matches"},
    {"do": "matches", "player": PUPIL}, {"do": "ratings", "game": "nim"},
    {"do": "ratings", "player": PUPIL}, {"do": "mine"}, {"do": "series"}, {"do": "boards"},
    {"do": "series", "series": "term"}, {"do": "desk"}, {"do": "desk", "group": CLASS},
    {"do": "pair", "group": CLASS, "game": "nim"}, {"do": "code"}, {"do": "puzzle"},
    {"do": "code", "code": "abcd-efgh"}, {"do": "run", "token": "x"}, {"do": "programs"},
    {"do": "push"}, {"do": "runners"}, {"do": "submissions"}, {"do": "submissions", "group": CLASS},
    {"do": "login", "user": OTHER, "password": "x"}, {"do": "login", "user": "x", "password": "x"},
]  # fmt: skip


BY_LINK = {
    str({"do": "watch", "room": FILLED}), f"/api/rooms/{FILLED}", f"/api/rooms/{FILLED}/{FILLED}",
}  # fmt: skip
"""What a link to the room tells."""


class StrangerCase(ServerCase):
    """A server on which two pupils play; ``told`` has what told their names."""

    def serve(self, visitors: str, *more: str) -> None:
        options = ["--visitors", visitors, "--guests", "--contact", "head@school.test", *more]
        ports = [each for name in PORTS for each in (f"--{name}", LOCAL)]
        self.program = self.start(*options, *ports)
        self.program.wait_for("tictac is up")
        found = re.findall(r"(\w+): listening on 127\.0\.0\.1 port (\d+)", self.program.log)
        self.ports = {name: int(port) for name, port in found}
        self.told: set[str] = set()
        assert set(self.ports) == {"rooms", *PORTS}
        self.fill_it()

    def fill_it(self) -> None:
        """Let two pupils play, chat, and leave a match in a public room."""
        zoe, quirin = (Talker(self, self.ports["rooms"], user) for user in (PUPIL, OTHER))
        for room in ("first", FILLED):
            zoe.ask(do="open", game="nim", room=room, seat=0)
            quirin.ask(do="join", room=room)
            quirin.ask(do="say", room=room, text=f"I am {OTHER} of {CLASS}")
            if room == "first":
                zoe.ask(do="resign", room=room)

    def check(self, what: str, got: str) -> None:
        if OTHER in got or CLASS in got:
            self.told.add(what)
        print(f"{what}: {got.strip().rpartition(chr(10))[2][:100]}")


class StrangerTests(StrangerCase):
    def get(self, port: int, path: str) -> tuple[int, str]:
        connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        try:
            connection.request("GET", path, headers={"Accept": "text/html, application/json"})
            answer = connection.getresponse()
            head = "".join(f"{name}: {value}\n" for name, value in answer.getheaders())
            return answer.status, head + answer.read().decode("utf-8", "replace")
        finally:
            connection.close()

    def greet(self, port: int, greeting: bytes) -> str:
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as stranger:
            stranger.sendall(greeting)
            stranger.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: stranger.recv(65_536), b"")).decode("utf-8", "replace")

    def walk(self) -> dict[str, int]:
        """Send everything, and return the status of each path."""
        statuses: dict[str, int] = {}
        for request in REQUESTS:
            visitor = Talker(self, self.ports["rooms"])
            visitor.send(do="guest")  # which is refused with "none"
            self.check(str(request), visitor.send(**request))
        for name in ("rooms", "nim", "session", "connectfour", "clue"):
            for greeting in GREETINGS:
                got = self.greet(self.ports[name], greeting)
                self.check(f"{name} {greeting!r}", got)
        match = f"/api/matches/{FILLED}"
        files = ("/robots.txt", "/.well-known/security.txt", "/manifest.webmanifest", "/privacy")
        embeds = (f"/embed/match/{FILLED}", f"/match/{FILLED}.gif", f"/match/{FILLED}.png")
        others = ("/api/puzzle", "/runner/claim", "/programs/state/zoe", f"/desk/{CLASS}/slips")
        paths = (*api_paths(), match, *page_paths(ADDRESS.pattern), *files, *embeds, *others, "/")
        for path in paths:
            statuses[path], got = self.get(self.ports["web"], path)
            self.check(path, got)
        for path in ("/metrics", "/health/live", "/health/ready", "/health/active"):
            self.check(path, self.get(self.ports["admin"], path)[1])
        assert 429 not in statuses.values()  # or a limit has hidden an answer
        return statuses

    def test_with_none_nothing_is_told(self) -> None:
        self.serve("none")
        statuses = self.walk()
        assert self.told == set()
        shown = {path for path, status in statuses.items() if status == 200}
        assert {path for path in shown if path.startswith("/api/")} <= {
            "/api/games", f"/api/games/{FILLED}", "/api/privacy", "/api/openapi.json",
            "/api/asyncapi.json",
        }  # fmt: skip

    def test_with_invited_only_the_link_to_a_room_tells_its_players(self) -> None:
        self.serve("invited")
        self.walk()
        assert self.told == BY_LINK

    def test_the_same_walk_finds_names_on_an_open_server(self) -> None:
        self.serve("all")
        self.walk()
        assert {"/api/lobby", "/api/matches", "{'do': 'lobby'}"} <= self.told - BY_LINK


@needs_xmpp
class XmppTests(StrangerCase):
    """The same over XMPP, through Prosody, by an address without an account."""

    def setUp(self) -> None:
        super().setUp()
        self.directory.chmod(0o755)
        (self.directory / "prosody").mkdir()
        (self.directory / "secret").write_text(f"{SECRET}\n")
        self.prosody = Prosody(self.directory / "prosody", "vera")
        self.addCleanup(self.prosody.stop)
        self.prosody.start()

    def walk_as(self, visitors: str) -> None:
        """Send everything as vera."""
        self.serve(
            visitors, "--xmpp-component", DOMAIN, "--xmpp-secret-file", "secret",
            "--xmpp-server", f"tcp:127.0.0.1:{self.prosody.components}",
        )  # fmt: skip
        if "xmpp: linked to" not in self.program.log:
            self.program.wait_for("xmpp: linked to")
        asyncio.run(self.ask_all())

    async def ask_all(self) -> None:
        vera = Player(self.prosody, "vera")
        await vera.connect()
        try:
            for name, to, inner, kind in (*LISTS, *BY_ADDRESS):
                to = to.replace("den", FILLED)
                inner = inner.replace("den", FILLED)
                vera.send(name, to, inner, kind)
                self.check(f"{name} {to} {inner}", await self.answers(vera))
        finally:
            await vera.kill()

    async def answers(self, vera: Player) -> str:
        """Return what comes before the answer to a ping."""
        vera.send("iq", "", "<ping xmlns='urn:xmpp:ping'/>", "get")
        got = []
        while (stanza := await vera.next()).getAttribute("id") != vera.last:
            got.append(stanza.toXml())
        return "".join(got)

    def test_with_none_nothing_is_told(self) -> None:
        self.walk_as("none")
        assert self.told == set()

    def test_with_invited_only_the_address_of_a_room_tells_its_players(self) -> None:
        self.walk_as("invited")
        board = "message  <body>board</body>"  # of the room that it watches by then
        assert self.told - {board} and all(FILLED in each for each in self.told - {board})

    def test_the_same_walk_finds_names_on_an_open_server(self) -> None:
        self.walk_as("all")
        assert any(FILLED not in each for each in self.told)


class Talker:
    """A connection that speaks the lobby protocol, of a new account unless it has no name."""

    def __init__(self, case: StrangerCase, port: int, user: str = "") -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        case.addCleanup(self._socket.close)
        self._lines = self._socket.makefile("rb")
        case.addCleanup(self._lines.close)
        if user:
            for do in ("register", "login"):
                self.ask(do=do, user=user, password="secret")

    def send(self, **request: Any) -> str:
        """Send a request; return all lines up to its answer, and those after it up to a ping's."""
        self._socket.sendall(json.dumps({**request, "id": 1}).encode() + b"\n")
        self._socket.sendall(b'{"do":"ping","id":2}\n')
        lines = []
        while json.loads(line := self._lines.readline()).get("answer") != 2:
            lines.append(line.decode())
        return "".join(lines)

    def ask(self, **request: Any) -> None:
        """Send a request, which must be granted."""
        answer = self.send(**request)
        assert '"error"' not in answer, (request, answer)
