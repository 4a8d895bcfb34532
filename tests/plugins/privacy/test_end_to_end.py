"""A stranger walks through a class's server, over every protocol, and learns no name.

``python -m pytest -n 0 -s tests/plugins/privacy/test_end_to_end.py`` prints what the stranger got.
"""

from __future__ import annotations

import json
import re
import socket
from http.client import HTTPConnection
from typing import Any

from tests.plugins.web.routes import FILLED, api_paths, page_paths
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
    {"do": "login", "user": OTHER, "password": "x"}, {"do": "login", "user": "x", "password": "x"},
]  # fmt: skip


class StrangerTests(ServerCase):
    def serve(self, visitors: str) -> None:
        options = ["--visitors", visitors, "--guests", "--contact", "head@school.test"]
        ports = [each for name in PORTS for each in (f"--{name}", LOCAL)]
        self.program = self.start(*options, *ports)
        self.program.wait_for("tictac is up")
        found = re.findall(r"(\w+): listening on 127\.0\.0\.1 port (\d+)", self.program.log)
        self.ports = {name: int(port) for name, port in found}
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

    def check(self, what: str, got: str) -> None:
        for name in (OTHER, CLASS):
            assert name not in got, (what, got)
        print(f"{what}: {got.strip().rpartition(chr(10))[2][:100]}")

    def walk(self) -> dict[str, int]:
        """Send everything, and return the status of each path."""
        statuses: dict[str, int] = {}
        for request in REQUESTS:
            self.check(str(request), Talker(self, self.ports["rooms"]).send(**request))
        for name in ("rooms", "nim", "session", "connectfour", "clue"):
            for greeting in GREETINGS:
                got = self.greet(self.ports[name], greeting)
                self.check(f"{name} {greeting!r}", got)
        match = f"/api/matches/{FILLED}"
        files = ("/robots.txt", "/.well-known/security.txt", "/manifest.webmanifest", "/privacy")
        embeds = (f"/embed/match/{FILLED}", f"/match/{FILLED}.gif", f"/match/{FILLED}.png")
        for path in (*api_paths(), match, *page_paths(ADDRESS.pattern), *files, *embeds, "/"):
            statuses[path], got = self.get(self.ports["web"], path)
            self.check(f"{path} {statuses[path]}", got)
        for path in ("/metrics", "/health/live", "/health/ready", "/health/active"):
            self.check(path, self.get(self.ports["admin"], path)[1])
        assert 429 not in statuses.values()  # or a limit has hidden an answer
        return statuses

    def test_with_none_nothing_is_told(self) -> None:
        self.serve("none")
        statuses = self.walk()
        shown = {path for path, status in statuses.items() if status == 200}
        assert {path for path in shown if path.startswith("/api/")} <= {
            "/api/games", f"/api/games/{FILLED}", "/api/privacy",
        }  # fmt: skip

    def test_the_same_walk_finds_names_on_an_open_server(self) -> None:
        self.serve("all")
        with self.assertRaises(AssertionError):
            self.walk()


class Talker:
    """A connection that speaks the lobby protocol, of a new account unless it has no name."""

    def __init__(self, case: StrangerTests, port: int, user: str = "") -> None:
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
