"""What pages of other origins can read below /api/ (--web-origin), as a browser asks for it."""

from __future__ import annotations

import json

from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.web.helpers import WebServer
from tictac.protocols.lobby.wire import NONE

FRIEND = "https://friend.test"
ORIGINS = (f"{FRIEND}:443", "http://friend.test:81")
ALLOWS = "access-control-allow-"


class SharingTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.server = WebServer(origins=ORIGINS)

    def preflight(self, origin: str, wants: str = "if-none-match") -> tuple[int, dict[str, str]]:
        """Ask as a browser does before a request with these headers."""
        asks = f"Access-Control-Request-Headers: {wants}"
        status, headers, body = self.server.get(
            "/api/games", f"Origin: {origin}", "Access-Control-Request-Method: GET", asks,
            method="OPTIONS",
        )  # fmt: skip
        assert status == 405 or body == b""
        return status, headers

    def test_a_page_of_an_origin_in_the_options_can_read_answers(self) -> None:
        for origin in (FRIEND, "https://friend.test:443", "http://friend.test:81"):
            status, headers, _ = self.server.get("/api/games", f"Origin: {origin}")
            assert (status, headers[f"{ALLOWS}origin"]) == (200, origin)
            assert headers["cross-origin-resource-policy"] == "cross-origin"
            assert headers["access-control-expose-headers"] == "ETag"

    def test_it_can_read_refusals(self) -> None:
        status, headers, body = self.server.get("/api/games/quoridor", f"Origin: {FRIEND}")
        assert (status, headers[f"{ALLOWS}origin"]) == (400, FRIEND)
        assert json.loads(body)["error"] == "no-such-game"

    def test_no_other_page_can(self) -> None:
        for origin in (
            "https://evil.test", "null", "http://friend.test", "https://friend.test.evil.test",
            "https://friend.test/", "*", "", "https://friend.test:444", "https://fr\u00efend.test",
        ):  # fmt: skip
            for method in ("GET", "OPTIONS"):
                _, headers, _ = self.server.get("/api/games", f"Origin: {origin}", method=method)
                assert not [name for name in headers if name.startswith(ALLOWS)], origin
                assert headers["cross-origin-resource-policy"] == "same-origin"

    def test_two_origins_are_none(self) -> None:
        _, headers, _ = self.server.get("/api/games", f"Origin: {FRIEND}", f"Origin: {FRIEND}")
        assert f"{ALLOWS}origin" not in headers

    def test_a_cache_keeps_the_answers_apart(self) -> None:
        for headers in ((), (f"Origin: {FRIEND}",), ("Origin: https://evil.test",)):
            assert self.server.get("/api/games", *headers)[1]["vary"] == "Origin"

    def test_a_preflight_allows_what_the_api_takes_and_no_more(self) -> None:
        for wants in ("if-none-match", "x-odd, authorization", "cookie", "*", "", "\u00e4" * 500):
            status, headers = self.preflight(FRIEND, wants)
            assert (status, headers[f"{ALLOWS}origin"]) == (204, FRIEND)
            assert headers[f"{ALLOWS}methods"] == "GET, HEAD"
            assert headers[f"{ALLOWS}headers"] == "If-None-Match"
            assert headers["access-control-max-age"] == "600"
            assert headers["vary"] == "Origin"
            assert "content-length" not in headers  # RFC 9110, 8.6

    def test_a_preflight_of_another_page_is_refused(self) -> None:
        assert self.preflight("https://evil.test")[0] == 405

    def test_no_answer_is_for_credentials(self) -> None:
        self.server = WebServer(origins=ORIGINS, visitors=NONE)
        status, headers, body = self.server.get("/api/lobby", f"Origin: {FRIEND}")
        assert (status, json.loads(body)["error"]) == (403, "not-logged-in")
        assert headers[f"{ALLOWS}origin"] == FRIEND
        for found in (headers, self.preflight(FRIEND)[1]):
            assert f"{ALLOWS}credentials" not in found

    def test_only_the_api_is_shared(self) -> None:
        for path in ("/", "/main.abd.js", "/ws", "/api", "/apis/games"):
            _, headers, _ = self.server.get(path, f"Origin: {FRIEND}")
            assert f"{ALLOWS}origin" not in headers, path

    def test_without_the_option_nothing_is_added(self) -> None:
        self.server = WebServer()
        _, headers, _ = self.server.get("/api/games", f"Origin: {FRIEND}")
        assert "vary" not in headers and f"{ALLOWS}origin" not in headers
