"""The HTTP side: files, headers, limits."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Collection
from configparser import RawConfigParser
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.web import helpers
from tests.plugins.web.helpers import HOST, KEY, Guest, WebServer, answer, hide_module, request
from tests.protocols.lobby.helpers import Person
from tests.terminal.processes import ROOT
from tictac.archive.match import EXPORTS
from tictac.net.budget import GUESS, SLICE
from tictac.net.connection import Limits
from tictac.plugins.web.assets import build, pack
from tictac.plugins.web.first_sight import complete
from tictac.plugins.web.pages import GUESSED, choose_language
from tictac.plugins.web.site import HEADERS, REFUSED, Channel
from tictac.protocols.lobby.json_view import games_json
from tictac.protocols.lobby.wire import NONE
from tictac.testing.connection import FakeTransport


class FileTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.server = WebServer()

    def test_a_file(self) -> None:
        status, headers, body = self.server.get("/")
        assert (status, body) == (200, b"<!doctype html>")
        assert headers["content-type"] == "text/html; charset=utf-8"
        assert (headers["cache-control"], headers["etag"]) == ("no-cache", '"abc"')
        _, headers, _ = self.server.get("/main.abd.js", "Accept-Encoding: br")
        assert headers["cache-control"].endswith("immutable") and headers["etag"] == '"abd"'

    def test_only_its_head(self) -> None:
        status, headers, body = self.server.get("/", method="HEAD")
        assert (status, headers["content-length"], body) == (200, "15", b"")

    def test_one_that_is_known_already(self) -> None:
        status, _, body = self.server.get("/", 'If-None-Match: "abc"')
        assert (status, body) == (304, b"")
        assert self.server.get("/", 'If-None-Match: "abd"')[0] == 200

    def test_a_head_has_no_body_whatever_is_asked_for(self) -> None:
        for path, wanted in (("/nothing", 404), ("/ws/rooms", 426)):
            with self.assertNoLogs():
                status, headers, body = self.server.get(path, method="HEAD")
            same = self.server.get(path)[1]["content-length"]
            assert (status, headers["content-length"], body) == (wanted, same, b"")

    def test_odd_requests_leave_no_line(self) -> None:
        for path in ("*", "//", "/%", "/%00?%", "http://a.test/", "/?" + "a=b&" * 2000):
            for method in ("GET", "HEAD", "OPTIONS", "POST"):
                with self.assertNoLogs():
                    self.server.get(path, "Content-Type: multipart/form-data", method=method)

    def test_headers_may_be_any_bytes(self) -> None:
        server = WebServer(hosts=(HOST,))
        for name in (b"Accept-Encoding", b"Host", b"Origin"):
            for path, upgrade in ((b"/", b""), (b"/ws/rooms", b"Upgrade: websocket\r\n")):
                transport = server.connect()
                odd = b"GET %b HTTP/1.1\r\nHost: %b\r\n%b%b: \xff\r\n\r\n"
                with self.assertNoLogs():
                    transport.arrive(odd % (path, HOST.encode(), upgrade, name))
                status, _, _ = answer(transport.take())
                assert status in (200, 400, 403, 421), (name, path, status)

    def test_it_is_packed_for_who_takes_that(self) -> None:
        for coding, accepted in (
            ("gzip", "gzip"), ("gzip", "GZIP, deflate"), ("gzip", "br;q=0, * ; q=0.1"),
            ("br", "gzip, br"), ("br", "br;q=0.5, gzip;q=0.8"), ("br", "*"),
        ):  # fmt: skip
            _, headers, body = self.server.get("/", f"Accept-Encoding: {accepted}")
            assert (headers["content-encoding"], body) == (coding, b"<%b>" % coding.encode())
            assert headers["etag"] == f'"abc-{coding}"'
            assert headers["vary"] == "Accept-Encoding, Accept-Language, Cookie"
            assert headers["content-length"] == str(len(body))

    def test_and_not_for_others(self) -> None:
        for accepted in (
            "",
            "zstd",
            "gzip;q=0",
            "gzip; q=0.0",
            "*;q=0",
            "br;q=0, gzip;q=0, *",
            "gz",
        ):
            _, headers, body = self.server.get("/", f"Accept-Encoding: {accepted}")
            assert "content-encoding" not in headers and body == b"<!doctype html>", accepted
            assert headers["etag"] == '"abc"'
            assert headers["vary"] == "Accept-Encoding, Accept-Language, Cookie"

    def test_one_that_is_known_packed(self) -> None:
        for tag, status in (('"abc-gzip"', 304), ('"abc"', 200)):
            known = f"If-None-Match: {tag}"
            assert self.server.get("/", known, "Accept-Encoding: gzip")[0] == status

    def test_an_address_of_the_page(self) -> None:
        for path in (
            "/room/den%201",
            "/room/den/sesame",
            "/match/7",
            "/player/bob",
            "/game/nim",
            "/ratings/nim/7b",
            "/admin",
        ):
            assert self.server.get(path)[2] == b"<!doctype html>", path

    def test_what_closes_a_sentence_is_no_part_of_an_address(self) -> None:
        closings = (".", ")", ",", "%20", "%3E", "%22", "%E2%80%9D", "%E2%80%A6", "%E2%80%8B")
        for path in ("/room/den", "/match/7/3", "/tournaments", "/tournament/cup", "/admin"):
            self.setUp()  # or they are too many at once
            for closing in closings:
                assert self.server.get(path + closing)[0] == 200, path + closing
        assert self.server.get("/match/7.")[1]["link"] == self.server.get("/match/7")[1]["link"]
        assert self.server.get("/nothing.")[0] == 404

    def test_what_an_address_needs_besides_is_fetched_with_it(self) -> None:
        assert self.server.get("/match/7")[1]["link"] == "</past.js>; rel=modulepreload"
        assert "link" not in self.server.get("/room/7")[1]
        for link in FILES[b"/"].links.values():
            assert {path.encode() for path in re.findall("<(.*?)>", link.decode())} <= FILES.keys()

    def test_what_isnt_there(self) -> None:
        for path in (
            "/nothing", "/index.htm", "//", "/../setup.cfg", "/%2e%2e/x", "/ws/", "/room/",
            "/room/a/", "/room/a/b/c", "/match/7/x", "/player/", "/Game/nim",
        ):  # fmt: skip
            assert self.server.get(path)[0] == 404, path

    def test_what_people_type_leads_to_what_they_mean(self) -> None:
        for path, meant in GUESSED.items():
            status, headers, _ = self.server.get(path.decode())
            assert (status, headers["location"]) == (302, meant.decode()), path
            self.setUp()  # or they are too many at once
            assert self.server.get(meant.decode())[0] == 200, path
        assert self.server.get("/games/nothing")[0] == 404

    def test_a_page_that_isnt_there_is_the_page_even_if_the_browser_knows_it(self) -> None:
        accept = "Accept: text/html,*/*;q=0.8"
        status, headers, body = self.server.get("/nothing", accept, 'If-None-Match: "abc"')
        assert (status, body) == (404, b"<!doctype html>")
        assert headers["content-type"] == "text/html; charset=utf-8"

    def test_other_methods(self) -> None:
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "NONSENSE"):
            status, headers, _ = self.server.get("/", method=method)
            assert (status, headers["allow"]) == (405, "GET, HEAD"), method

    def test_every_answer_has_the_headers(self) -> None:
        for path in ("/", "/nothing", "/ws/rooms"):
            _, headers, _ = self.server.get(path)
            for name, value in HEADERS.items():
                assert headers[name.decode()] == value.decode(), path
            assert "set-cookie" not in headers

    def test_the_policy_allows_nothing_inline_and_nothing_from_elsewhere(self) -> None:
        policy = HEADERS[b"content-security-policy"].decode()
        directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
        assert directives["default-src"] == directives["frame-ancestors"] == "'none'"
        assert "unsafe" not in policy and "*" not in policy and "http" not in policy
        assert directives["script-src"] == "'self'"

    def test_no_line_is_logged_for_a_request(self) -> None:
        with self.assertNoLogs():
            self.server.get("/nothing")


class NameTests(SynchronousTestCase):
    def test_a_server_that_knows_its_names_has_no_other(self) -> None:
        server = WebServer(hosts=("play.test", "[::1]"))
        for host in ("play.test", "PLAY.test:8080", "play.test.", "[::1]:80"):
            assert self.status(server, f"Host: {host}") == 200, host
        for headers in (
            ["Host: evil.test"], ["Host: play.test.evil.test"], ["Host:"],
            ["Host: play.test,evil.test"],
        ):  # fmt: skip
            assert self.status(server, *headers) == 421, headers
        assert server.site.refusals.counts == {"foreign-host": 4}

    def test_its_websockets_have_no_other_either(self) -> None:
        server = WebServer(hosts=("play.test",))
        assert self.status(server, "Host: evil.test", path="/ws/rooms") == 421

    def test_a_server_that_doesnt_goes_by_any(self) -> None:
        assert self.status(WebServer(), "Host: evil.test") == 200

    def status(self, server: WebServer, *headers: str, path: str = "/") -> int:
        transport = server.connect()
        transport.arrive(request(path, *headers))
        return answer(transport.take())[0]


PAGE = request("/", f"Host: {HOST}")


class InvitationTests(SynchronousTestCase):
    """The link to a room, as a messenger previews it."""

    def setUp(self) -> None:
        content = b'<title>t</title><meta name="invitation" content="{user} asks you to {title}">'
        page = replace(helpers.FILES[b"/"], content=content)
        other = replace(page, texts={"Nim": "Nimm"})
        pages = {"en": {**helpers.FILES, b"/": page}, "de": {**helpers.FILES, b"/": other}}
        self.patch(helpers, "LANGUAGES", pages)
        self.server = WebServer()
        alice = Person(self.server.rooms, "alice")
        (opened,) = alice.ask("open", game="nim", room="den", private=True)[:1]
        self.key = str(opened["key"])

    def title(self, path: str, *headers: str) -> str:
        """Return the title of a page."""
        status, _, body = self.server.get(path, *headers)
        assert status == 200
        (found,) = re.findall(r"<title>(.*?)</title>", body.decode())
        return str(found)

    def test_its_title_says_who_invites_to_what(self) -> None:
        assert self.title(f"/room/den/{self.key}") == "alice asks you to Nim"
        for closing in (".", ")", "%20", "%3E", "%E2%80%9D."):
            assert self.title(f"/room/den/{self.key}{closing}") == "alice asks you to Nim"
        assert self.title(f"/room/den/{self.key.upper()}") == "alice asks you to Nim"

    def test_the_game_has_its_name_in_the_visitors_language(self) -> None:
        title = self.title(f"/room/den/{self.key}", "Accept-Language: de")
        assert title == "alice asks you to Nimm"

    def test_without_the_key_it_says_nothing(self) -> None:
        for path in ("/room/den", "/room/den/wrong", "/room/%ff", "/room/nowhere"):
            assert self.title(path) == self.title("/")

    def test_a_wrong_key_costs_a_guess(self) -> None:
        paid: list[int] = []
        self.patch(Channel, "pay", lambda channel, units: paid.append(units))
        self.server.get("/room/den/wrong")
        assert GUESS in paid
        paid.clear()
        self.server.get(f"/room/den/{self.key}")
        assert GUESS not in paid


class MatchTests(SynchronousTestCase):
    """The link to a match, as a messenger previews it."""

    def image(
        self,
        *headers: str,
        path: str = "/match/m1",
        host: str = HOST,
        formats: Collection[str] = ("chess.svg", "chess.png"),
        **options: Any,
    ) -> str | None:
        """Return the address of the picture in the page of a match."""
        self.patch(EXPORTS, "names", lambda: iter(formats))
        page = replace(helpers.FILES[b"/"], content=b"<title>t</title>")
        self.patch(helpers, "LANGUAGES", {"en": {**helpers.FILES, b"/": page}})
        transport = WebServer(**options).connect()
        transport.arrive(request(path, f"Host: {host}", *headers))
        status, _, body = answer(transport.take())
        assert status == 200
        found = re.search(r'<meta property="og:image" content="(.*?)">', body.decode())
        return found and found[1]

    def test_its_picture_has_a_whole_address(self) -> None:
        assert self.image() == f"http://{HOST}/match/m1.png"

    def test_a_server_that_draws_none_shows_its_icon(self) -> None:
        assert self.image(formats=["chess.svg"]) == f"http://{HOST}/icon-512.png"

    def test_a_step_of_it_has_the_same_picture(self) -> None:
        assert self.image(path="/match/m1/12") == f"http://{HOST}/match/m1.png"

    def test_a_proxy_can_say_that_it_ends_tls(self) -> None:
        forwarded = self.image("X-Forwarded-Proto: https", "X-Forwarded-Host: evil.test")
        assert forwarded == f"https://{HOST}/match/m1.png"

    def test_the_public_address_comes_first(self) -> None:
        named = self.image("X-Forwarded-Proto: http", public_url="https://play.test/")
        assert named == "https://play.test/match/m1.png"

    def test_the_name_of_the_host_is_quoted(self) -> None:
        assert self.image(host="a&b'.test") == "http://a&amp;b&#x27;.test/match/m1.png"

    def test_where_matches_need_a_login_it_shows_none(self) -> None:
        assert self.image(visitors=NONE) is None


class BudgetTests(SynchronousTestCase):
    """A request counts against the budget of its address, and against a turn."""

    def setUp(self) -> None:
        self.server = WebServer(turn_budget=32)  # two requests

    def answers(self, transport: FakeTransport) -> int:
        """Return the number of answers since the last time."""
        return transport.take().count(b"HTTP/1.1 200 OK")

    def test_some_of_what_was_pipelined_is_worked_off_in_a_turn(self) -> None:
        transport = self.server.connect()
        transport.arrive(PAGE * 5)
        found = []
        for _ in range(4):
            found.append(self.answers(transport))
            self.server.clock.turn()
        assert found == [2, 2, 1, 0]

    def test_nothing_is_read_while_some_of_it_waits(self) -> None:
        transport = self.server.connect()
        transport.arrive(PAGE * 3, PAGE)
        assert transport.arrived == [PAGE]
        self.server.clock.advance(0)
        assert self.answers(transport) == 4 and not transport.arrived

    def test_all_connections_share_a_turn(self) -> None:
        transports = [self.server.connect() for _ in range(3)]
        for transport in transports:
            transport.arrive(PAGE * 2)
        found = []
        for _ in range(3):
            found.append([self.answers(transport) for transport in transports])
            self.server.clock.turn()
        assert found == [[2, 0, 0], [0, 2, 0], [0, 0, 2]]

    def test_bodies_that_are_empty_dont_lengthen_it(self) -> None:
        chunked = request("/", f"Host: {HOST}", "Transfer-Encoding: chunked") + b"0\r\n\r\n"
        transport = self.server.connect()
        transport.arrive(chunked * 5)
        assert self.answers(transport) == 2

    def test_a_websocket_waits_for_its_turn_too(self) -> None:
        first, guest = self.server.connect(), Guest(self.server.connect())
        first.arrive(PAGE * 2)
        usual = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13")
        key = f"Sec-WebSocket-Key: {KEY}"
        guest.transport.arrive(request("/ws/rooms", f"Host: {HOST}", key, *usual))
        assert guest.transport.take() == b""
        self.server.clock.turn()
        assert answer(guest.transport.take())[0] == 101
        guest.send("LOGIN:alice:secret")
        assert guest.read() == ["LOGIN:ACKSTATUS:0"]

    def test_after_a_websocket_there_is_a_rest(self) -> None:
        server = WebServer(turn_budget=16)  # a request in a turn
        guest, other = Guest(server.connect()), server.connect()
        guest.upgrade()
        other.arrive(PAGE)
        server.clock.turn()
        assert guest.status == 101 and self.answers(other) == 0
        server.clock.pump([0.001, 0])
        assert self.answers(other) == 1

    def test_who_hangs_up_in_the_line_is_forgotten(self) -> None:
        first, second = self.server.connect(), self.server.connect()
        first.arrive(PAGE * 3)
        second.arrive(PAGE)
        first.take()
        first.lose()
        self.server.clock.advance(0)
        assert (self.answers(first), self.answers(second)) == (0, 1)

    def test_beyond_its_budget_an_address_waits_over_all_its_connections(self) -> None:
        server = WebServer(Limits(budget=100, budget_burst=150), turn_budget=10_000)
        transports = [server.connect() for _ in range(2)]
        for transport in transports:
            transport.arrive(PAGE * 50)
        other = server.connect("192.0.2.2")
        other.arrive(PAGE)
        [first, second, elsewhere] = [self.answers(each) for each in (*transports, other)]
        assert 0 < first < 50 and second == 0 and elsewhere == 1
        server.clock.pump([0.1] * 10)
        more, second = map(self.answers, transports)
        assert second > more, "who has had less goes first"
        server.clock.pump([0.1] * 300)
        assert first + more + second + sum(map(self.answers, transports)) == 100
        assert not server.site.refusals.counts

    def test_all_protocols_share_the_budget(self) -> None:
        server = WebServer(Limits(budget=100, budget_burst=150))
        for guest in [server.visit() for _ in range(3)]:
            guest.ask("FORFEIT", "FORFEIT")
        transport = server.connect()
        transport.arrive(PAGE)
        assert self.answers(transport) == 0
        server.clock.pump([0.1] * 30)
        assert self.answers(transport) == 1

    def test_who_hangs_up_while_it_waits_is_forgotten(self) -> None:
        server = WebServer(Limits(budget=100, budget_burst=150))
        transport = server.connect()
        transport.arrive(PAGE * 50)
        server.clock.pump([0] * 50)
        assert server.site.budget.waiting == 1
        transport.lose()
        assert server.site.budget.waiting == 0
        server.clock.pump([0.1] * 100)

    def test_nothing_is_read_while_it_waits_and_takes_no_answer(self) -> None:
        transport = self.server.connect()
        transport.arrive(PAGE * 5)
        channel: Any = transport.producer
        channel.pauseProducing()
        channel.resumeProducing()
        transport.arrive(PAGE, PAGE)
        assert transport.arrived == [PAGE] and transport.producerState == "paused"

    def test_who_waits_for_its_budget_and_its_turn_gets_both(self) -> None:
        server = WebServer(turn_budget=16)  # one request
        flood, transport = server.connect("192.0.2.2"), server.connect("192.0.2.1")
        purse = server.site.budget.purse("192.0.2.1")
        spender: Any = SimpleNamespace(used=0)
        flood.arrive(PAGE * 50)
        purse.spend(SLICE + 1, spender)
        transport.arrive(PAGE)
        for _ in range(20):
            purse.spend(SLICE + 1, spender)  # it stays shut
            server.clock.turn()
        assert self.answers(flood) > 10 and self.answers(transport) == 1

    def test_who_takes_no_answer_gets_no_more_of_them(self) -> None:
        server = WebServer()
        transport = server.connect()
        channel: Any = transport.producer
        write = transport.write

        def fill(data: bytes) -> None:
            write(data)
            channel.pauseProducing()  # as a transport does whose buffer is full

        self.patch(transport, "write", fill)
        transport.arrive(PAGE * 3)
        assert self.answers(transport) == 1 and transport.producerState == "paused"
        channel.resumeProducing()
        assert self.answers(transport) == 1
        server.clock.advance(20)
        assert transport.disconnected


class InputTests(SynchronousTestCase):
    """What is parsed is paid before, and not parsed if it is too much."""

    def setUp(self) -> None:
        self.server = WebServer()

    def cost(self, *reads: bytes) -> tuple[float, int]:
        """Return the units and the status of a request on a new connection."""
        transport = self.server.connect()
        transport.arrive(b"\r\n")  # as some browsers do after a form; the connection is paid
        units = self.server.cost(transport, *reads)
        return round(units), answer(transport.take())[0]

    def headers(self, number: int, header: str = "A: b") -> bytes:
        return request("/nothing", f"Host: {HOST}", *[header] * (number - 1))

    def test_a_request_of_a_browser_costs_4_units(self) -> None:
        assert self.cost(self.headers(16)) == (4, 404)
        assert self.cost(self.headers(10, "A: " + "b" * 90)) == (4, 404)

    def test_further_headers_cost_a_unit_each(self) -> None:
        assert self.cost(self.headers(50)) == (4 + 34, 404)

    def test_further_bytes_cost_a_unit_for_256(self) -> None:
        assert self.cost(self.headers(5, "A: " + "b" * 2557)) == (4 + (4 * 2560 - 1000) // 256, 404)
        assert self.cost(request("/" + "x" * 2500, f"Host: {HOST}")) == (4 + 18, 404)

    def test_a_read_that_ends_no_request_costs_a_unit(self) -> None:
        whole = self.headers(1)
        assert self.cost(*[bytes([byte]) for byte in whole]) == (4 + len(whole) - 1, 404)

    def test_a_target_that_is_too_long(self) -> None:
        for target in (
            "/" + "x" * 8_000,
            "/x?" + "a" * 2_049,
            "/x?" + "a&" * 20,
            "/x?" + "a=1;" * 20,
            "/x" * 21,
            "/" + "%41/" * 100,
        ):
            units, status = self.cost(request(target, f"Host: {HOST}"))
            assert status == 414 and units <= 5 + len(target) // 256, target
        assert self.server.site.refusals.counts == {"uri-too-long": 6}

    def test_one_that_just_fits(self) -> None:
        for target in (
            "/" + "x" * 7_999,
            "/x?" + "a" * 2_048,
            "/x?" + "&".join("a" * 20),
            "/x" * 20,
        ):
            assert self.cost(request(target, f"Host: {HOST}"))[1] == 404, target

    def test_its_rest_is_not_awaited(self) -> None:
        transport = self.server.connect()
        transport.arrive(b"GET /x?" + b"a&" * 50 + b" HTTP/1.1\r\n")
        assert answer(transport.take())[0] == 414 and transport.disconnecting
        transport = self.server.connect()
        transport.arrive(b"GET /" + b"x" * 20_000)
        assert answer(transport.take())[0] == 414 and transport.disconnecting

    def test_headers_that_are_too_many_or_too_long(self) -> None:
        for given in (
            self.headers(51),
            self.headers(490),
            self.headers(2, "A: " + "b" * 16_400),
            self.headers(6, "A: " + "b" * 4_000),
            b"GET / HTTP/1.1\r\nA: b\r\n" + b" c\r\n" * 2_000,
            b"GET / HTTP/1.1\r\nA: " + b"b" * 20_000,
        ):
            units, status = self.cost(given)
            assert status == 431 and units <= 120, given[:80]
        assert self.server.site.refusals.counts == {"headers-too-large": 6}

    def test_an_error_has_the_headers_of_every_answer(self) -> None:
        transport = self.server.connect()
        transport.arrive(self.headers(60))
        _, headers, body = answer(transport.take())
        assert headers["x-frame-options"] == "DENY" and headers["connection"] == "close"
        assert body == b"headers-too-large\n"

    def test_a_request_has_one_host(self) -> None:
        for hosts in ([HOST, HOST], [HOST, "evil.test"], [], ["a b"], ["a@b"], ["a/b"], ["a:b"]):
            _, status = self.cost(request("/", *[f"Host: {host}" for host in hosts]))
            assert status == 400, hosts
        assert self.server.site.refusals.counts == {"bad-request": 7}
        for host in (HOST, f"{HOST}:80", "[::1]:8080", "", "192.0.2.1:"):
            assert self.cost(request("/", f"Host: {host}"))[1] == 200, host
        assert self.cost(b"GET / HTTP/1.0\r\n\r\n")[1] == 200

    def test_what_comes_while_an_answer_is_prepared_is_kept_in_one_piece(self) -> None:
        channel: Any = self.server.connect().protocol
        channel._handlingRequest = True
        channel.setRawMode()
        for _ in range(100):
            channel.dataReceived(b"x")
        assert channel._dataBuffer == [b"x" * 100]


class LimitTests(SynchronousTestCase):
    def test_a_body_is_refused(self) -> None:
        server = WebServer()
        transport = server.connect()
        transport.arrive(request("/", f"Host: {HOST}", "Content-Length: 10000000", method="POST"))
        transport.arrive(b"x" * 100)
        assert transport.disconnected
        assert server.site.refusals.counts == {"request-body": 1}

    def test_who_says_nothing_is_cut(self) -> None:
        server = WebServer(timeout=5)
        silent, slow = server.connect(), server.connect()
        slow.arrive(b"GET / HT")
        server.clock.advance(4)
        assert not silent.disconnected and not slow.disconnected
        server.clock.advance(1)
        assert silent.disconnected and slow.disconnected

    def test_a_request_that_trickles_is_cut(self) -> None:
        server = WebServer(timeout=20)
        transport = server.connect()
        server.clock.advance(19)
        for byte in b"GET /":
            assert not transport.disconnected
            transport.arrive(bytes([byte]))
            server.clock.advance(4)
        assert transport.disconnected

    def test_each_request_has_its_own_time(self) -> None:
        server = WebServer(timeout=20)
        transport = server.connect()
        for _ in range(5):
            transport.arrive(PAGE[:10])
            server.clock.advance(15)
            transport.arrive(PAGE[10:])
            server.clock.advance(15)
        assert not transport.disconnected

    def test_endless_headers(self) -> None:
        transport = WebServer().connect()
        transport.arrive(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 5000)
        assert transport.disconnecting

    def test_junk(self) -> None:
        transport = WebServer().connect()
        transport.arrive(b"\x16\x03\x01\x02\x00\r\n\r\n")
        assert transport.disconnecting

    def status(self, transport: FakeTransport) -> int:
        """Return the status of the answer to a request for the page."""
        transport.arrive(PAGE)
        return answer(transport.take())[0]

    def test_connections_are_counted_by_their_peer(self) -> None:
        server = WebServer(Limits(max_connections=3, max_connections_per_peer=2))
        first = [server.connect("192.0.2.1") for _ in range(3)]
        assert [self.status(transport) for transport in first] == [200, 200, 503]
        others = [server.connect("192.0.2.2") for _ in range(2)]
        assert [self.status(transport) for transport in others] == [200, 503]
        first[2].lose()
        others[1].lose()
        first[0].lose()
        assert self.status(server.connect("192.0.2.2")) == 200
        assert server.site.refusals.counts == {
            "too-many-connections-of-one-peer": 1,
            "too-many-connections": 1,
        }

    def test_who_is_refused_is_told_so_and_cut(self) -> None:
        server = WebServer(Limits(max_connections_per_peer=1))
        server.connect()
        told = [server.connect() for _ in range(REFUSED)]
        assert not any(transport.disconnected for transport in told)
        assert server.connect().disconnected
        server.clock.advance(5)
        server.site.expire()
        assert all(transport.disconnected for transport in told)
        told[0].lose()
        assert not server.connect().disconnected

    def test_behind_a_proxy_they_are_as_soon_as_their_peer_is_known(self) -> None:
        server = WebServer(Limits(max_connections_per_peer=1), proxied=True)
        first, second = server.connect(), server.connect()
        assert [self.status(transport) for transport in (first, second)] == [200, 503]
        second.lose()
        first.lose()
        assert self.status(server.connect()) == 200
        assert server.site.refusals.counts == {"too-many-connections-of-one-peer": 1}

    def test_a_websocket_keeps_its_place(self) -> None:
        server = WebServer(Limits(max_connections_per_peer=1))
        guest = server.visit()
        assert not server.site.connections
        assert self.status(server.connect()) == 503
        guest.transport.lose()
        assert not server.rooms.factory.connections
        assert self.status(server.connect()) == 200

    def test_who_doesnt_take_the_end_is_cut(self) -> None:
        server = WebServer()
        transport = server.connect()
        (channel,) = server.site.connections
        channel.close()
        server.clock.advance(4.9)
        server.site.expire()
        assert transport.disconnecting and not transport.disconnected
        server.clock.advance(0.1)
        server.site.expire()
        assert transport.disconnected


# The visitor's language


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"), ("de", "de"), ("de-AT, en;q=0.8", "de"), ("DE-at;q=0.5,en;q=0.4", "de"),
        ("en;q=0.8, de;q=0.9", "de"), ("en, de", "en"), ("fr, de;q=0.1", "de"), ("fr", "en"),
        ("de;q=0", "en"), ("*", "en"), ("de;q=x, en", "en"), (", ,;q=1,-", "en"),
        (",".join(["fr"] * 20 + ["de"]), "en"),
    ],
)  # fmt: skip
def test_the_language_is_the_one_that_the_browser_likes_best(accepted: str, language: str) -> None:
    assert choose_language(accepted, ["en", "de"]) == language


def test_another_region_is_better_than_another_language() -> None:
    assert choose_language("pt-BR", ["en", "pt-PT", "zh-Hant"]) == "pt-PT"
    assert choose_language("zh-hant", ["en", "zh-Hans", "zh-Hant"]) == "zh-Hant"


@pytest.mark.parametrize(
    ("headers", "tag"),
    [
        ([], "abc"),
        (["Accept-Language: de"], "abe"),
        (["Accept-Language: de", "Cookie: a=b; language=en"], "abc"),
        (["Cookie: language=de"], "abe"),
        (["Accept-Language: de", "Cookie: language=tlh"], "abe"),
    ],
)
def test_what_the_visitor_has_chosen_goes_first(headers: list[str], tag: str) -> None:
    for path in ("/", "/room/den"):
        assert WebServer().get(path, *headers)[1]["etag"] == f'"{tag}"'


# The files that are sent

FILES = build()[0]["en"]
STATIC = ROOT / "tictac" / "plugins" / "web" / "static"
GAMES = ROOT / "tictac" / "plugins"
SOURCES = {
    str(path.relative_to(folder)): path.read_text("utf-8")
    for folder in (STATIC, GAMES)
    for path in (STATIC.rglob("*") if folder is STATIC else GAMES.glob("**/page/**/*"))
    if path.suffix not in (".png", ".woff2", ".txt", "") and path.is_file()
}


def test_they_are_packed() -> None:
    for path, file in FILES.items():
        if path.endswith(b".woff2") or path == b"/":
            continue  # packed already, and when it is complete
        assert gzip.decompress(file.packed["gzip"]) == file.content, path
        assert len(file.packed["br"]) < len(file.content), path


def test_without_brotli_there_is_gzip() -> None:
    case = SynchronousTestCase()
    try:
        hide_module(case, "brotli")
        assert pack("/a.js", b"a" * 100).packed.keys() == {"gzip"}
    finally:
        case.doCleanups()


FIRST_SIGHT = 75_000
"""Maximum bytes of the page, its script, its sheet, and its font, as browsers get them."""


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_page_is_few_small_files(language: str) -> None:
    """Acceptance 20: page, script, sheet, and font have at most 75 KB; pictures are small."""
    found, paths = build()
    games = json.loads(games_json(paths))["games"]
    parts = ["boards", "formats", "notices", "privacy", "puzzle", "series", "shows", "tournaments"]
    files = dict(found[language])
    files[b"/"] = complete(files[b"/"], {"games": games, "parts": parts, "guests": True})
    page = files[b"/"].content.decode()
    assert json.loads(page.partition('id="served">')[2].partition("</script>")[0])["guests"]
    asked = re.findall(r'<(?:link|script|img)[^>]* (?:href|src)="(/[\w.-][^"]*)"', page)
    assert {target.encode() for target in asked} <= files.keys()
    assert len({*asked}) <= 7
    # A browser fetches the picture for a phone's home screen when somebody puts it there.
    first = {target for target in asked if not target.startswith("/icon-180")}
    sent = files[b"/"], *(files[target.encode()] for target in first)
    # Every browser that knows modules knows Brotli.
    assert sum(len(file.packed.get("br", file.content)) for file in sent) <= FIRST_SIGHT
    pictures = [path for path in files if path.startswith((b"/characters/", b"/games/"))]
    lazy = [path for path in pictures if path.endswith(b".svg")]
    assert lazy and all(len(files[path].packed["br"]) < 3000 for path in lazy)


def test_what_has_its_content_in_its_name_is_kept_for_good() -> None:
    for path, file in FILES.items():
        named = file.tag in path or re.match(rb"/(games/\w+|characters)/[0-9a-f]{16}/", path)
        assert file.immutable == bool(named), path
    asked = re.findall(r'"(/[^"]+)"', FILES[b"/sw.js"].content.decode())
    assert "/api/" in asked and "/" in asked[0]


def test_every_file_is_packaged() -> None:
    setup = RawConfigParser()
    setup.read(ROOT / "setup.cfg")
    patterns = setup["options.package_data"]["tictac.plugins.web"].split(", ")
    package = ROOT / "tictac" / "plugins" / "web"
    packaged = {f for pattern in patterns for f in package.glob(pattern) if f.is_file()}
    descriptions = {package / "openapi.json", package / "asyncapi.json"}
    assert packaged == descriptions | {f for f in (package / "static").rglob("*") if f.is_file()}


@pytest.mark.parametrize("path", sorted(SOURCES))
def test_nothing_comes_from_elsewhere_and_nothing_is_inline(path: str) -> None:
    text = SOURCES[path].replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://|wss?://|data:", text)
    assert not re.search(r'innerHTML|outerHTML|insertAdjacentHTML|eval\(|style="| on\w+="', text)


def test_a_hidden_thing_can_be_shown_by_its_id() -> None:
    page = SOURCES["index.html"]
    ids = set(re.findall(r'id="([^"]+)"', page))
    scripts = "".join(text for path, text in SOURCES.items() if path.endswith(".js"))
    asked = set(re.findall(r'\$\("([a-z-]+)"\)', scripts))
    assert asked and asked <= ids, asked - ids
    for attribute in ("for", "aria-labelledby"):
        for target in re.findall(rf'{attribute}="([^"]+)"', page):
            assert set(target.split()) <= ids, target


def test_an_answer_is_read() -> None:
    assert answer(b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody") == (200, {"a": "b"}, b"body")
