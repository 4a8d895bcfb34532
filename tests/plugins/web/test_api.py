"""Matches that have ended, over HTTP."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import answering
from tests.archive.helpers import ALICE, BEGAN, BOB, COMPUTER, archive_of, match
from tests.plugins.web.helpers import HOST, WebServer, answer, request
from tictac.archive.match import EXPORTS, Export, Match, dump_match
from tictac.archive.tables import MatchTables
from tictac.net.connection import Limits
from tictac.plugins.web.site import HEADERS
from tictac.ratings.tables import RatingTables
from tictac.storage.store import StoreAwayError


class ApiTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.archive = archive_of(
            match("m1"),
            match("m2", BOB, COMPUTER, began=BEGAN + 86_400),
            match("secret", ALICE, BOB, private=True),
        )
        self.server = WebServer(archive=self.archive)

    def read(self, path: str, expected: int = 200) -> Any:
        status, headers, body = self.server.get(path)
        assert (status, headers["content-type"]) == (expected, "application/json"), path
        return json.loads(body)

    def found(self, path: str) -> list[str]:
        return [each["id"] for each in self.read(path)["matches"]]

    def test_lists(self) -> None:
        for path, ids in (
            ("/api/matches", ["m2", "m1"]),
            ("/api/matches?game=nim", []),
            ("/api/matches?player=alice&result=won&until=2023-11-15", ["m1"]),
            ("/api/matches?since=2023-11-15T00:00:00%2B01:00&new=field", ["m2"]),
            ("/api/players/computer", ["m2"]),
            ("/api/players/al%69ce?result=lost", []),
            ("/api/players/carol", []),
        ):
            assert self.found(path) == ids, path

    def test_a_match_as_a_file(self) -> None:
        formats = {"tictactoe.txt": Export("text/plain", lambda match: iter([match.id, "\u2603"]))}
        self.patch(EXPORTS, "load", formats.get)
        status, headers, body = self.server.get("/api/matches/m1.txt")
        assert (status, body) == (200, "m1\u2603".encode())
        assert headers["content-type"] == "text/plain; charset=utf-8"
        assert self.read("/api/matches/m1.pgn", 404)["error"] == "no-such-match"
        assert self.read("/api/matches/secret.txt", 403)["error"] == "private-match"

    def test_games(self) -> None:
        game = self.read("/api/games/clue")
        assert (game["title"], len(game["map"]), game["passages"]["S"]) == ("Clue", 25, "K")
        assert [len(kind) for kind in game["cards"]] == [6, 6, 9]
        assert self.read("/api/games/nim")["levels"] == ["beginner", "club", "best"]
        assert self.read("/api/games/chess", 400)["error"] == "no-such-game"
        assert "reversi" in [each["name"] for each in self.read("/api/games")["games"]]

    def test_ratings(self) -> None:
        archive = archive_of(match("m1", rated=True), users=["alice", "bob"])
        RatingTables(archive.database).count(10)
        self.server = WebServer(archive=archive)
        found = self.read("/api/ratings/tictactoe?limit=1")
        assert [each["player"] for each in found["players"]] == ["alice"]
        (point,) = self.read("/api/players/bob/ratings")["history"]
        assert (point["match"], point["rating"]) == ("m1", 1338)
        assert self.read("/api/ratings/chess", 400)["error"] == "no-such-game"

    def test_pages(self) -> None:
        page = self.read("/api/matches?limit=1")
        assert self.found(f"/api/matches?limit=1&cursor={page['cursor']}") == ["m1"]

    def test_one_as_it_is_exported(self) -> None:
        assert self.read("/api/matches/m1") == json.loads(dump_match(match("m1")))

    def test_a_replay(self) -> None:
        replay = self.read("/api/matches/m1/replay")
        told = [(each["event"], each["at"], each.get("position")) for each in replay["events"]]
        assert told[2:4] == [("moved", 0.5, "100000000"), ("moved", 1.0, "100020000")]
        assert (replay["next"], replay["judgement"], replay["winner"]) == (None, None, 0)
        rest = self.read("/api/matches/m1/replay?first=3&seat=1")
        assert rest["events"] == replay["events"][3:]
        for wrong in ("seat=2", "first=x"):
            assert self.read(f"/api/matches/m1/replay?{wrong}", 400)["error"] == "bad-filter"

    def test_a_replay_with_pictures(self) -> None:
        replay = self.read("/api/matches/m1/replay?draws=nim,reversi")
        assert "X" in "".join(replay["events"][2]["picture"])
        replay = self.read("/api/matches/m1/replay?draws=nim,tictactoe")
        assert "picture" not in replay["events"][2]

    def test_a_replay_by_rules_that_arent_known(self) -> None:
        self.server = WebServer(archive=archive_of(match("m1", start="1" * 9)))
        assert self.read("/api/matches/m1/replay", 400)["error"] == "no-such-game"

    def test_never_a_private_one(self) -> None:
        for path in ("/api/matches/secret", "/api/matches/secret/replay"):
            assert self.read(path, 403)["error"] == "private-match"
        assert "secret" not in self.found("/api/players/alice")

    def test_what_is_known_already(self) -> None:
        for path in ("/api/matches", "/api/matches/m1"):
            _, headers, _ = self.server.get(path)
            status, _, body = self.server.get(path, f"If-None-Match: {headers['etag']}")
            assert (status, body) == (304, b"")
        MatchTables(self.archive.database).forget_player("alice")
        assert self.server.get(path, f"If-None-Match: {headers['etag']}")[0] == 200

    def test_only_its_head(self) -> None:
        _, headers, body = self.server.get("/api/matches/m1")
        status, head, nothing = self.server.get("/api/matches/m1", method="HEAD")
        assert (status, head["content-length"], nothing) == (200, str(len(body)), b"")
        assert head["etag"] == headers["etag"]

    def test_what_cant_be_asked(self) -> None:
        for path, code in (
            ("/api/matches?game=chess", "no-such-game"),
            ("/api/matches?since=now", "bad-filter"),
            ("/api/matches?limit=x", "bad-filter"),
            ("/api/matches?limit=" + "9" * 2000, "bad-filter"),
            ("/api/matches?limit=0", "bad-filter"),
            ("/api/matches?cursor=nowhere", "bad-filter"),
            ("/api/matches?player=%00", "bad-filter"),
        ):
            assert self.read(path, 400)["error"] == code, path
        for path in ("/api/", "/api/nothing", "/api/matches/", "/api/matches/a/b", "/api/%ff/%00"):
            assert self.read(path, 404)["error"] == "no-such-match", path
        status, headers, _ = self.server.get("/api/matches", method="POST")
        assert (status, headers["allow"]) == (405, "GET, HEAD")

    def test_every_answer_has_the_headers(self) -> None:
        for path in ("/api/matches", "/api/matches/m3"):
            _, headers, _ = self.server.get(path)
            assert {name.decode() for name in HEADERS} <= headers.keys()

    def test_where_nothing_is_kept(self) -> None:
        self.server = WebServer()
        assert self.read("/api/matches", 404)["error"] == "no-archive"

    def test_where_the_database_is_away(self) -> None:
        self.be_slow().errback(StoreAwayError())
        assert self.read("/api/matches/m1", 503)["error"] == "archive-away"

    # While the database is asked

    def be_slow(self) -> Deferred[Match]:
        """Let the archive wait before it returns a match; return what it waits for."""
        asked: Deferred[Match] = Deferred()
        self.enterContext(answering(MatchTables.get, lambda *_: asked))
        return asked

    def test_answers_come_in_order(self) -> None:
        asked = self.be_slow()
        transport = self.server.connect()
        for path in ("/api/matches/m1", "/"):
            transport.arrive(request(path, f"Host: {HOST}"))
        assert transport.take() == b""
        asked.callback(match("m1"))
        status, headers, rest = answer(transport.take())
        length = int(headers["content-length"])
        assert (status, json.loads(rest[:length])["id"]) == (200, "m1")
        assert rest[length:].endswith(b"<!doctype html>")

    def test_requests_stay_in_order_although_the_connection_waits_meanwhile(self) -> None:
        limits = Limits(budget=100, budget_burst=20)
        self.server = WebServer(limits, archive=self.archive)
        asked = self.be_slow()
        transport = self.server.connect()
        page = request("/", f"Host: {HOST}")
        transport.arrive(request("/api/matches/m1", f"Host: {HOST}"), page[:10])
        self.server.clock.pump([0.1] * 10)
        purse = self.server.site.budget.purse("192.0.2.1")
        spender: Any = SimpleNamespace(used=0)
        purse.spend(100, spender)
        transport.arrive(page[10:])
        asked.callback(match("m1"))
        self.server.clock.pump([0.1] * 20)
        assert transport.take().count(b"HTTP/1.1 200 OK") == 2

    def test_who_hangs_up_is_forgotten(self) -> None:
        asked = self.be_slow()
        transport = self.server.connect()
        transport.arrive(request("/api/matches/m1", f"Host: {HOST}"))
        transport.lose()
        assert not self.server.site.connections
        asked.callback(match("m1"))
        assert self.found("/api/matches") == ["m2", "m1"]

    def test_nothing_is_read_while_it_waits_although_an_answer_comes_late(self) -> None:
        limits = Limits(budget=4, budget_burst=11)
        self.server = WebServer(limits, archive=self.archive, turn_budget=1000)
        asked = self.be_slow()
        transport = self.server.connect()
        one = request("/api/matches/m1", f"Host: {HOST}")
        transport.arrive(one)
        asked.callback(match("m1"))
        transport.arrive(one, one)
        assert transport.arrived == [one] and transport.producerState == "paused"
        assert transport.take().count(b"HTTP/1.1 200") == 1

    def test_requests_count_against_the_budget(self) -> None:
        limits = Limits(budget=4, budget_burst=16)
        self.server = WebServer(limits, archive=self.archive, turn_budget=1000)
        transport = self.server.connect()
        transport.arrive(*[request("/api/matches", f"Host: {HOST}")] * 5)
        assert transport.take().count(b"HTTP/1.1 200") == 3  # 8 are for the connection
        self.server.clock.advance(1)
        assert transport.take().count(b"HTTP/1.1 200") == 1
