"""Asking for matches that have ended over the lobby protocol."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import answering, failing
from tests.archive.helpers import ALICE, BEGAN, BOB, COMPUTER, archive_of, match
from tests.helpers import Server
from tests.protocols.lobby.helpers import Person
from tictac.archive.match import EXPORTS, Export, Match, dump_match
from tictac.archive.tables import MatchTables
from tictac.net.connection import Limits
from tictac.storage.store import StoreAwayError


class MatchesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.archive = archive_of(
            match("m1"),
            match("m2", BOB, COMPUTER, began=BEGAN + 86_400),
            match("secret", ALICE, BOB, private=True, began=BEGAN + 100),
        )
        self.server = Server(archive=self.archive)

    def found(self, person: Person, **wanted: object) -> list[str]:
        (answer,) = person.ask("matches", **wanted)
        return [each["id"] for each in answer["matches"]]

    def test_a_list(self) -> None:
        (answer,) = Person(self.server).ask("matches", id=7, player="alice")
        assert answer == {
            "answer": 7,
            "cursor": None,
            "matches": [
                {
                    "id": "m1",
                    "game": "tictactoe",
                    "players": [
                        {"name": "alice", "kind": "account"},
                        {"name": "bob", "kind": "account"},
                    ],
                    "door": None,
                    "private": False,
                    "rated": False,
                    "began": "2023-11-14T22:13:20.125Z",
                    "ended": "2023-11-14T22:13:22.625Z",
                    "moves": 5,
                    "ending": "won",
                    "winner": 0,
                }
            ],
        }

    def test_filters(self) -> None:
        stranger = Person(self.server)
        for wanted, ids in (
            ({}, ["m2", "m1"]),
            ({"game": "nim"}, []),
            ({"player": "bob", "result": "lost"}, ["m1"]),
            ({"since": "2023-11-15"}, ["m2"]),
            ({"until": "2023-11-14T23:13:22.625+01:00"}, []),
        ):
            assert self.found(stranger, **wanted) == ids, wanted

    def test_pages(self) -> None:
        stranger = Person(self.server)
        (first,) = stranger.ask("matches", limit=1)
        assert [each["id"] for each in first["matches"]] == ["m2"]
        (second,) = stranger.ask("matches", limit=1, cursor=first["cursor"])
        assert [each["id"] for each in second["matches"]] == ["m1"]
        assert second["cursor"] is None

    def test_one_as_it_is_exported(self) -> None:
        (answer,) = Person(self.server).ask("match", match="m1", id=1)
        assert answer == {"answer": 1, "match": json.loads(dump_match(match("m1")))}

    def test_a_private_one_is_for_its_players(self) -> None:
        formats = {"tictactoe.txt": Export("text/plain", lambda match: iter([match.id, "!"]))}
        self.patch(EXPORTS, "load", formats.get)
        for user, sees in ((None, False), ("carol", False), ("alice", True)):
            person = Person(self.server, user)
            assert ("secret" in self.found(person)) is sees, user
            (answer,) = person.ask("match", match="secret")
            assert answer.get("error") == (None if sees else "private-match"), user
            (answer,) = person.ask("match", match="secret", format="txt")
            assert (answer.get("file") == "secret!") is sees, user
            (answer,) = person.ask("replay", match="secret")
            assert ("replay" in answer) is sees, user

    def test_the_end_tells_its_id(self) -> None:
        alice, bob = Person(self.server, "alice"), Person(self.server, "bob")
        alice.ask("open", game="nim", room="den")
        bob.ask("join", room="den")
        told = alice.ask("resign", room="den")[-1]["match"]
        assert [each["match"] for each in bob.read() if each["event"] == "ended"] == [told]
        self.server.clock.advance(1)
        assert self.found(bob, game="nim") == [told]

    def test_what_cant_be_asked(self) -> None:
        stranger = Person(self.server)
        for fields, code in (
            ({"game": "chess"}, "no-such-game"),
            ({"since": "yesterday"}, "bad-filter"),
            ({"player": "a\0"}, "bad-filter"),
            ({"cursor": "nowhere"}, "bad-filter"),
            ({"cursor": "../.."}, "bad-filter"),
            ({"limit": 0}, "bad-filter"),
            ({"limit": 101}, "bad-filter"),
        ):
            assert stranger.error("matches", **fields) == code, fields
        for first in (-5000, -1, 1 << 70):
            assert stranger.error("replay", match="m1", first=first) == "bad-filter", first
        for match_id in ("m3", "", "\0", "x" * 5000):
            assert stranger.error("match", match=match_id) == "no-such-match", match_id

    def test_where_nothing_is_kept(self) -> None:
        assert Person(Server()).error("matches") == "no-archive"

    def test_where_the_database_is_away(self) -> None:
        self.enterContext(failing(MatchTables.get, StoreAwayError()))
        alice = Person(self.server, "alice")
        assert alice.error("match", match="m1") == "archive-away"
        assert alice.ask("ping") == [{"answer": None}]

    def test_answers_come_in_order_though_the_database_takes_its_time(self) -> None:
        asked = self.be_slow()
        alice = Person(self.server, "alice")
        assert alice.ask("match", match="m1", id=1) == []
        assert alice.ask("ping", id=2) == []
        asked.callback(None)
        assert [each["answer"] for each in alice.read()] == [1, 2]

    def test_who_hangs_up_meanwhile(self) -> None:
        asked = self.be_slow()
        alice = Person(self.server, "alice")
        alice.ask("match", match="m1")
        alice.visitor.hang_up()
        asked.callback(None)
        (answer,) = Person(self.server).ask("matches", limit=1)
        assert len(answer["matches"]) == 1

    def test_a_late_answer_doesnt_spare_it_its_own_budget(self) -> None:
        self.server = Server(archive=self.archive, limits=Limits(budget=320, budget_burst=640))
        alice = Person(self.server, "alice")
        asked: list[Deferred[Match]] = []

        def get(*_: object) -> Deferred[Match]:
            asked.append(Deferred())
            return asked[-1]

        self.enterContext(answering(MatchTables.get, get))
        for number in range(40):
            alice.ask("match", match="m1")
            if len(asked) == number:
                break
            asked[-1].callback(match("m1"))
        assert 15 < len(asked) < 25
        assert self.server.factory.budget.waits["connection"] == 1

    def be_slow(self) -> Deferred[None]:
        """Let the archive find a match only when that fires."""
        asked: Deferred[None] = Deferred()

        def get(request: Callable[[str], Deferred[Any]], each: str) -> Deferred[Any]:
            return asked.addCallback(lambda _: request(each))

        self.enterContext(answering(MatchTables.get, get))
        return asked
