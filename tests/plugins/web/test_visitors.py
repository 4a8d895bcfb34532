"""What visitors without an account get over HTTP (``--visitors``)."""

from __future__ import annotations

import json
from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.trial.unittest import SynchronousTestCase

from tests.archive.helpers import archive_of, match
from tests.plugins.people.served import People
from tests.plugins.web.helpers import WebServer
from tests.plugins.web.routes import api_paths, page_paths
from tests.protocols.lobby.helpers import Person
from tictac.plugins.web.api import Document
from tictac.plugins.web.pages import ADDRESS
from tictac.plugins.web.visitors import level_of
from tictac.protocols.lobby.wire import ALL, INVITED, NONE
from tictac.ratings.tables import RatingTables

NAME = "alice"
"""An account with a match, a rating, and open rooms."""

DESCRIPTIONS = {"/api/openapi.json", "/api/asyncapi.json"}
"""The same texts from all servers; their examples have names."""

OPEN = {
    NONE: {"/api/games", "/api/games/zoe", *DESCRIPTIONS},
    INVITED: {"/api/matches/zoe", "/api/matches/zoe/replay", "/api/rooms/zoe"},
}
"""The paths of the API that need no account; an invitation by its key is apart."""


def part(path: Any, given: Any) -> Deferred[Document]:
    return succeed(Document(NAME.encode()))


class VisitorTests(SynchronousTestCase):
    def serve(self, visitors: int) -> WebServer:
        archive = archive_of(match("zoe", rated=True), users=[NAME, "bob"])
        RatingTables(archive.database).count(10)
        self.server = WebServer(archive=archive, frames=("https://a.test",), visitors=visitors)
        rooms = self.server.rooms
        People(rooms)
        for each in ("boards", "tournaments", "series", "strange"):
            rooms.lobby.parts[each] = part
        self.alice = Person(rooms, NAME)
        self.alice.ask("open", game="tictactoe", room="zoe")
        self.key = self.alice.ask("open", game="tictactoe", room="den", private=True)[0]["key"]
        return self.server

    def test_without_an_account_no_path_shows_a_name(self) -> None:
        self.serve(NONE)
        for path in [*api_paths(), "/api/strange", "/api/strange/zoe/zoe", "/embed/match/zoe"]:
            expected = 403
            if path in OPEN[NONE] or path == "/api/rooms/zoe/zoe":
                statuses = {"/api/games/zoe": 400, "/api/rooms/zoe/zoe": 404}
                expected = statuses.get(path, 200)
            self.setUpConnection()
            status, _, body = self.server.get(path)
            assert status == expected, (path, status)
            assert path in DESCRIPTIONS or NAME.encode() not in body, path
            if status == 403:
                assert json.loads(body)["error"] == "not-logged-in"

    def test_no_page_and_no_title_shows_a_name(self) -> None:
        self.serve(NONE)
        for path in (*page_paths(ADDRESS.pattern), "/", "/nothing", "/api", "/embed/"):
            self.setUpConnection()
            assert NAME.encode() not in self.server.get(path, "Accept: text/html")[2], path

    def setUpConnection(self) -> None:
        """Forget what the address of the visitor has used up."""
        self.server.clock.advance(60)

    def test_a_link_shows_what_it_leads_to(self) -> None:
        self.serve(INVITED)
        for path in api_paths():
            about = path.removeprefix("/api/").split("/")
            is_open = path in OPEN[NONE] | OPEN[INVITED] or about[0] == "rooms"
            is_open |= about[0] in ("tournaments", "series") and len(about) > 1
            self.setUpConnection()
            assert (self.server.get(path)[0] != 403) == is_open, path
        assert self.server.get("/embed/match/zoe")[0] != 403

    def test_without_the_option_everything_is_shown(self) -> None:
        self.serve(ALL)
        for path in [*api_paths(), "/api/strange"]:
            self.setUpConnection()
            assert self.server.get(path)[0] != 403, path

    def test_an_invitation_by_its_key_is_shown(self) -> None:
        self.serve(NONE)
        status, _, body = self.server.get(f"/api/rooms/den/{self.key}")
        assert (status, json.loads(body)["owner"]) == (200, NAME)
        assert self.server.get("/api/rooms/den/wrong")[0] == 404
        assert self.server.get("/api/rooms/zoe/anything")[0] == 404  # a room without a key

    def test_a_pass_shows_everything_until_the_account_is_gone(self) -> None:
        server = self.serve(NONE)
        ended: list[tuple[str, str]] = []
        server.rooms.accounts.ended = lambda user, why: ended.append((user, why))
        server.visitors.watch(server.rooms.accounts)
        [answer] = Person(server.rooms).ask("login", user="bob", password="secret")
        cookie = f"Cookie: language=de; pass={answer['pass']}"
        assert server.get("/api/matches/zoe", cookie)[0] == 200
        assert NAME.encode() in server.get("/api/lobby", cookie)[2]
        assert server.get("/api/lobby", "Cookie: pass=")[0] == 403
        assert server.get("/api/lobby", f"Cookie: pass={answer['pass'][:-1]}")[0] == 403
        server.rooms.accounts.ended("bob", "account-removed")
        assert ended == [("bob", "account-removed")]
        assert server.get("/api/lobby", cookie)[0] == 403

    def test_caches_keep_nothing_for_others(self) -> None:
        server = self.serve(NONE)
        server.rooms.lobby.parts["boards"] = lambda path, given: succeed(Document(b"", max_age=9))
        [answer] = Person(server.rooms).ask("login", user="bob", password="secret")
        _, headers, _ = server.get("/api/boards", f"Cookie: pass={answer['pass']}")
        assert headers["cache-control"] == "private, max-age=9"

    def test_a_guest_gets_no_pass(self) -> None:
        server = self.serve(INVITED)
        assert "pass" not in Person(server.rooms).ask("guest")[0]

    def test_a_path_that_is_new_needs_an_account(self) -> None:
        assert level_of(["api", "strange"]) == level_of(["strange"]) == ALL
