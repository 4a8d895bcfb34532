"""The page as a part: its options, what it shares with the rooms, how it stops."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from random import Random
from typing import Any

import pytest
from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred, execute
from twisted.internet.testing import MemoryReactorClock

from tests.archive.helpers import archive_of, match
from tests.plugins.web.helpers import Guest, WebServer, frame, frames, hide_module
from tests.server.helpers import TapCase, words
from tests.storage.memory import SlowStore
from tictac.archive.reader import Reader
from tictac.archive.tables import MatchTables
from tictac.lobby.registry import Registry
from tictac.net.service import MainService
from tictac.options import Settings
from tictac.plugins.web import service
from tictac.plugins.web.first_sight import SERVED
from tictac.plugins.web.service import RENEW_EVERY, WebOptions, WebService
from tictac.protocols.lobby.service import LobbyService
from tictac.runtime import Runtime
from tictac.server.make import makeService
from tictac.storage.store import StoreAwayError
from tictac.testing.connection import FakeTransport


class OptionTests(TapCase):
    def chosen(self, *arguments: str) -> WebOptions:
        return Settings(self.options("--web", "8080", *arguments))[WebOptions]

    def test_what_holds_when_nothing_is_said(self) -> None:
        assert self.chosen() == WebOptions(20, 30, "", (), ())

    def test_what_each_option_says(self) -> None:
        origins, hosts = ("https://a.test:443", "http://b.test:81"), ("play.test", "[2001:db8::1]")
        given = self.chosen(
            *words(
                "--web-origin https://a.test --web-origin http://b.test:81 --web-timeout 1"
                " --web-ping 2 --web-host play.test --web-host [2001:DB8::1] --web-texts de.json"
                " --web-frames https://a.test"
            )
        )
        assert given == WebOptions(1.0, 2.0, "de.json", origins, hosts, origins[:1])

    def test_in_a_configuration_file(self) -> None:
        path = self.config(web=8080, web_origin=["https://a.test", "https://b.test"], web_ping=5)
        options = self.options("--config", path)
        assert options.ports["web"] == ["tcp:8080:backlog=4096"]
        assert options["web-origin"] == ("https://a.test:443", "https://b.test:443")
        assert options["web-ping"] == 5

    def test_the_command_line_wins_over_it(self) -> None:
        path = self.config(web=8080, web_origin="https://a.test")
        options = self.options("--config", path, "--web-origin", "https://c.test")
        assert options["web-origin"] == ("https://c.test:443",)

    def test_an_origin_that_is_none(self) -> None:
        line = self.error("--web", "8080", "--web-origin", "a.test")
        assert line == "--web-origin: 'a.test' isn't an origin like https://play.example.org"


class PartTests(TapCase):
    def setUp(self) -> None:
        super().setUp()
        self.reactor: Any = MemoryReactorClock()

    def make(self, *arguments: str) -> MainService:
        database = str(self.directory / "users.db")
        options = self.options(
            "--database", database, "--tournaments", "none", "--people", "no", *arguments
        )
        service = makeService(options, self.reactor)
        assert isinstance(service, MainService)
        return service

    def test_the_rooms_are_those_of_the_port(self) -> None:
        service = self.make(
            *words("--port tcp:0:interface=127.0.0.1 --web tcp:0:interface=127.0.0.1")
        )
        rooms, web, *_ = service.services
        assert isinstance(rooms, LobbyService) and isinstance(web, WebService)
        assert len(rooms.listeners) == len(web.listeners) == 1
        lobby, old = web.sockets
        assert {lobby.behind, old.behind} <= set(rooms.factories)
        assert vars(lobby.behind)["lobby"] is rooms.lobby
        others = set(rooms.factories) - {lobby.behind}
        assert {vars(factory)["registry"] for factory in others} == {rooms.registry}

    def test_every_option_reaches_it(self) -> None:
        service = self.make(
            *words("--web tcp:0:interface=127.0.0.1 --web-origin https://a.test --web-timeout 1"),
            *words("--no-eager-send --max-connections 3 --turn-budget 64 --web-host play.test"),
        )
        web: Any = service.services[1]
        [site], [listener] = web.factories, web.listeners
        assert (site.timeOut, site.limits.max_connections, site.turns.left) == (1.0, 3, 4)
        assert (site.resource._hosts, listener._eager) == (("play.test",), False)
        assert {sockets.origins for sockets in web.sockets} == {("https://a.test:443",)}

    def test_it_works_without_a_port(self) -> None:
        rooms, web, *_ = self.make(
            *words("--web tcp:0:interface=127.0.0.1 --framing bare")
        ).services
        assert isinstance(rooms, LobbyService) and isinstance(web, WebService)
        assert rooms.listeners == []
        assert {sockets.behind.framing.mode for sockets in web.sockets} == {"line"}

    def test_without_its_packages_it_says_what_to_install(self) -> None:
        hide_module(self, "autobahn")
        with pytest.raises(SystemExit) as caught:
            self.make(*words("--web tcp:0:interface=127.0.0.1"))
        line = self.failed(caught.value)
        assert line == "--web needs packages that aren't installed: pip install '.[web]'"

    def test_nothing_of_them_is_loaded_for_a_port_alone(self) -> None:
        code = (
            "import sys; from tictac.server.make import Options\n"
            "Options().parseOptions(['--port', '0'])\n"
            "print({'autobahn', 'prometheus_client', 'twisted.web.http'} & set(sys.modules))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stdout == "set()\n", done.stdout + done.stderr


class RunningTests(TapCase):
    """The part with a reactor that isn't there, over rooms that are."""

    def setUp(self) -> None:
        super().setUp()
        self.reactor: Any = MemoryReactorClock()
        shared = WebServer()
        chosen = {"journal": "none", "web-ping": 10.0, "turn-budget": 64}
        runtime = Runtime(Settings(chosen), self.reactor)
        runtime.registry = Registry(256, self.reactor.seconds, lambda _: None, rng=Random(1))
        runtime.accounts, runtime.behind = shared.rooms.accounts, None
        self.rooms = runtime.serve_lobby()
        self.web = WebService(("tcp:1",), runtime)
        self.patch(shared.rooms.accounts, "start", lambda: None)
        for part in (self.rooms, self.web):
            part.privilegedStartService()
            part.startService()

    def visit(self) -> Guest:
        factory = self.reactor.tcpServers[0][1]
        channel = factory.buildProtocol(IPv4Address("TCP", "192.0.2.1", 1))
        transport = FakeTransport(channel)
        channel.makeConnection(transport)
        guest = Guest(transport)
        guest.upgrade()
        return guest

    def test_the_page_is_sent(self) -> None:
        guest = self.visit()
        guest.transport.lose()
        other = Guest(FakeTransport(self.reactor.tcpServers[0][1].buildProtocol(None)))
        other.transport.protocol.makeConnection(other.transport)
        other.upgrade(path="/")
        assert other.status == 200
        assert other.body.startswith(b"<!doctype html>")

    def served(self) -> dict[str, Any]:
        """Return the games of the page, by name."""
        text = self.web._files["en"][b"/"].content.partition(SERVED)[2].partition(b"</script>")[0]
        return {game["name"]: game for game in json.loads(text)["games"]}

    def test_the_page_says_once_an_hour_what_is_played(self) -> None:
        self.patch(
            service, "deferToThreadPool", lambda reactor, pool, work, *of: execute(work, *of)
        )
        self.reactor.getThreadPool = lambda: None
        archive, now = archive_of(), time.time()
        lobby: Any = self.rooms.lobby
        lobby.matches = Reader(archive, self.reactor.seconds, self.reactor.callLater)
        assert "rank" not in self.served()["nim"]
        self.web.expire()
        files = self.web._files["en"][b"/"]
        MatchTables(archive.database).add_all(
            [match(f"m{each}", game="nim", began=now - 60) for each in range(5)]
        )
        self.reactor.advance(RENEW_EVERY - 1)
        self.web.expire()
        assert self.web._files["en"][b"/"] is files and "rank" not in self.served()["nim"]
        self.reactor.advance(1)
        self.web.expire()
        nim = self.served()["nim"]
        assert (nim["rank"], nim["minutes"]) == (1, 1) and "rank" not in self.served()["reversi"]
        files = self.web._files["en"][b"/"]
        self.reactor.advance(RENEW_EVERY)
        self.web.expire()
        assert self.web._files["en"][b"/"] is files, "nothing has changed"

    def test_an_archive_that_is_unavailable_leaves_the_page_alone(self) -> None:
        store = SlowStore()
        lobby: Any = self.rooms.lobby
        lobby.matches = Reader(store, self.reactor.seconds, self.reactor.callLater)
        self.web.expire()
        self.web.expire()
        (asked,) = store.asked
        asked.errback(StoreAwayError())
        assert "rank" not in self.served()["nim"]

    def test_silent_pages_are_pinged_and_dropped(self) -> None:
        guest = self.visit()
        now = time.monotonic()
        _, sockets = self.web.sockets
        sockets.seconds = lambda: now + 10
        self.web.expire()
        assert frames(guest.transport.take()) == [(9, b"")]
        sockets.seconds = lambda: now + 20
        self.web.expire()
        assert guest.dropped

    def test_a_stop_says_goodbye_to_everybody(self) -> None:
        guest, reader = self.visit(), self.visit()
        stopping: list[Deferred[None]] = [part.stopService() for part in (self.web, self.rooms)]
        assert guest.close_frame() == reader.close_frame() == (1001, "")
        guest.transport.arrive(frame((1001).to_bytes(2, "big"), opcode=8))
        assert guest.transport.disconnecting
        guest.transport.lose()
        self.reactor.pump([0.05] * 21)
        assert reader.dropped
        for one in stopping:
            self.successResultOf(one)
