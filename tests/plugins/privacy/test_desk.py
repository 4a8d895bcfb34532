"""An account's data, blocked players, and reports in the lobby protocol."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any, cast

from tests.archive.helpers import ALICE, BOB, match
from tests.helpers import Server
from tests.logs import log, texts
from tests.plugins.people.served import People
from tests.protocols.lobby.case import LobbyCase
from tests.protocols.lobby.helpers import Message, Person, events
from tictac.accounts.tables import AccountTables
from tictac.archive.tables import MatchTables
from tictac.net.plugin import ProtocolService
from tictac.plugins.privacy import desk, tables
from tictac.plugins.privacy.desk import Desk
from tictac.protocols.lobby.admin import Admin


class PrivacyCase(LobbyCase):
    """Alice and Bob before a server where they block, report, and delete."""

    def serve(self, **lobby: Any) -> None:
        self.server = Server(rejoin_timeout=30, guests=True, **lobby)
        store = self.server.store
        MatchTables(store.database).add_all([match("m1"), match("m2", ALICE, BOB, private=True)])
        People(self.server)
        part = cast(ProtocolService, SimpleNamespace(what="rooms", factories=[self.server.factory]))
        self.server.lobby.admin = Admin(
            self.server.accounts,
            self.server.registry,
            lambda: [part],
            self.server.lobby.day_time,
            lambda: 1.0,
        )
        self.server.lobby.admin.start()
        self.server.accounts.look()
        self.desk = Desk(store, self.server.lobby, self.server.accounts, lambda: 1_700_000_000.0)
        self.server.lobby.extend(self.desk)
        self.alice, self.bob = Person(self.server, "alice"), Person(self.server, "bob")

    def block(self, person: Person, user: str, how: str) -> Any:
        [answer] = person.ask("block", user=user, how=how)
        return answer["blocks"]

    def said(self, messages: list[Message]) -> list[str]:
        return [each["text"] for each in messages if each.get("event") == "said"]


class DataTests(PrivacyCase):
    def test_an_account_exports_what_is_kept(self) -> None:
        self.block(self.alice, "vera", "mute")
        [answer] = self.alice.ask("export")
        assert answer["next"] is None
        found = answer["export"]
        assert found["account"]["name"] == "alice"
        assert found["matches"] == {"ids": ["m2", "m1"]}  # private ones, too
        assert found["blocks"] == {"players": {"vera": "mute"}}
        assert "password" not in json.dumps(answer)

    def test_long_lists_come_in_parts(self) -> None:
        self.patch(desk, "PAGE", 1)
        [first] = self.alice.ask("export")
        [second] = self.alice.ask("export", first=first["next"])
        assert (first["next"], second["next"]) == (1, None)
        assert first["export"]["matches"] == {"ids": ["m2"]}
        assert second["export"] == {"account": {"tokens": []}, "matches": {"ids": ["m1"]}}

    def test_a_guest_has_nothing_to_export(self) -> None:
        guest = Person(self.server)
        guest.ask("guest")
        for do, fields in (("export", {}), ("delete", {"password": "x"}), ("block", {})):
            assert guest.error(do, **fields) == "guests-refused", do
        assert self.alice.error("export", first=-1) == "bad-filter"

    def test_an_account_deletes_itself(self) -> None:
        with log() as lines:
            answers = self.alice.ask("delete", password="secret")
        assert "error" not in answers[0]
        assert answers[1:] == [
            {"event": "closing", "reason": "account-removed", "message": "the account was removed"}
        ]
        accounts = AccountTables(self.server.store.database)
        assert accounts.get("alice") is None and accounts.get("bob") is not None
        found = MatchTables(self.server.store.database).get("m1")
        assert found is not None and [p.name for p in found.players] == ["deleted", "bob"]
        assert not any("alice" in each for each in texts(lines))

    def test_only_with_the_password(self) -> None:
        assert self.alice.error("delete", password="wrong") == "wrong-password"
        assert AccountTables(self.server.store.database).get("alice") is not None

    def test_only_outside_a_running_match(self) -> None:
        self.begin()
        assert self.alice.error("delete", password="secret") == "already-in-room"
        self.alice.ask("resign", room="den")
        [answer, *_] = self.alice.ask("delete", password="secret")
        assert "error" not in answer


class BlockTests(PrivacyCase):
    def challenge(self, by: Person, user: str) -> str:
        by.send(json.dumps({"do": "hello", "takes": ["challenge"]}))
        [answer, *_] = by.ask("challenge", user=user, game="nim")
        return str(answer.get("error", ""))

    def setUp(self) -> None:
        super().setUp()
        for person in (self.alice, self.bob):
            person.ask("hello", takes=["challenge", "after"])

    def test_a_blocked_player_cant_challenge_and_isnt_told_why(self) -> None:
        assert self.challenge(self.bob, "alice") == ""
        self.setUp()
        assert self.block(self.alice, "bob", "block") == {"bob": "block"}
        assert self.challenge(self.bob, "alice") == self.challenge(self.alice, "bob") == "not-here"
        assert self.block(self.alice, "bob", "off") == {}
        assert self.challenge(self.bob, "alice") == ""

    def test_a_muted_player_can(self) -> None:
        self.block(self.alice, "bob", "mute")
        assert self.challenge(self.bob, "alice") == ""

    def test_a_blocked_player_isnt_matched(self) -> None:
        self.block(self.alice, "bob", "block")
        self.alice.ask("seek", game="nim")
        assert events(self.bob.ask("seek", game="nim")) == ["room"]
        carol = Person(self.server, "carol")
        assert "began" in events(carol.ask("seek", game="nim")) + events(self.alice.read())

    def test_nothing_said_by_a_muted_player_comes(self) -> None:
        self.begin()
        self.bob.ask("say", room="den", text="before")
        assert self.said(self.alice.read()) == ["before"]
        for how in ("mute", "block"):
            self.block(self.alice, "bob", how)
            self.bob.ask("say", room="den", text="HEY")
            assert self.alice.read() == []
        assert self.said(self.bob.ask("say", room="den", text="HEY")) == ["HEY"]
        self.alice.ask("say", room="den", text="hello")
        assert self.said(self.bob.read()) == ["hello"]
        self.block(self.alice, "bob", "off")
        self.bob.ask("say", room="den", text="after")
        assert self.said(self.alice.read()) == ["after"]

    def test_moves_still_come(self) -> None:
        self.begin()
        self.block(self.alice, "bob", "mute")
        self.alice.ask("move", room="den", move=self.first_move())
        assert events(self.bob.read()) == ["moved"]

    def first_move(self) -> str:
        room = self.server.registry.room("den")
        assert room is not None
        return str(next(iter(room.game.moves(room.position))))

    def test_the_whole_room_and_missed_events_are_without_it(self) -> None:
        self.begin()
        self.block(self.alice, "bob", "mute")
        self.bob.ask("say", room="den", text="HEY")
        for since in (None, 2):
            self.alice.visitor.hang_up()
            self.alice = Person(self.server, "alice")
            answers = self.alice.ask("join", room="den", since=since)
            assert "HEY" not in json.dumps(answers)
        self.bob.ask("say", room="den", text="HEY")
        assert self.said(self.alice.read()) == []

    def test_nor_does_it_after_the_match(self) -> None:
        self.begin()
        self.block(self.alice, "bob", "mute")
        self.alice.ask("resign", room="den")
        self.bob.read(), self.alice.read()
        self.bob.ask("say", room="den", text="HEY")
        assert self.said(self.alice.read()) == []

    def test_it_lasts_longer_than_a_connection(self) -> None:
        self.block(self.alice, "bob", "block")
        assert Person(self.server, "alice").ask("block")[0]["blocks"] == {"bob": "block"}

    def test_nobody_blocks_oneself_or_half_a_request(self) -> None:
        assert self.alice.error("block", user="alice", how="mute") == "bad-filter"
        assert self.alice.send('{"do":"block","user":"bob"}')[0]["error"] == "malformed"

    def test_there_is_a_maximum(self) -> None:
        self.patch(tables, "MOST_BLOCKS", 1)
        self.block(self.alice, "bob", "mute")
        assert self.block(self.alice, "bob", "block") == {"bob": "block"}
        assert self.alice.error("block", user="vera", how="mute") == "too-many-blocks"


class ReportTests(PrivacyCase):
    def setUp(self) -> None:
        super().setUp()
        AccountTables(self.server.store.database).set_admin("bob", True)

    def reports(self, **fields: Any) -> list[Message]:
        [answer] = self.bob.ask("reports", act="reports", **fields)
        found: list[Message] = answer["reports"]
        return found

    def test_admins_read_it_with_the_last_texts(self) -> None:
        self.begin()
        for number in range(22):
            self.bob.ask("say", room="den", text=str(number))
        self.alice.read()
        with log() as lines:
            [answer] = self.alice.ask("report", user="bob", text="shouts", room="den")
        assert "error" not in answer
        assert any("'alice' reported 'bob'" in each for each in texts(lines))
        [report] = self.reports()
        said = report.pop("said")
        assert report == {
            "number": 1, "at": "2023-11-14T22:13:20Z", "by": "alice", "user": "bob",
            "text": "shouts", "room": "den",
        }  # fmt: skip
        assert said == [["bob", str(number)] for number in range(2, 22)]

    def test_texts_of_a_room_only_from_an_occupant(self) -> None:
        self.begin()
        self.bob.ask("say", room="den", text="secret")
        carol = Person(self.server, "carol")
        carol.ask("report", user="bob", text="x", room="den")
        assert self.reports()[0]["said"] == []

    def test_admins_close_it(self) -> None:
        self.alice.ask("report", user="bob", text="x")
        assert self.reports(close=1) == []
        assert self.bob.error("reports", act="reports", close=1) == "no-such-report"

    def test_only_admins_read_it(self) -> None:
        assert self.alice.error("reports", act="reports") == "not-an-admin"

    def test_a_user_reports_so_often_in_a_day(self) -> None:
        for number in range(11):
            [answer] = self.alice.ask("report", user="bob", text=str(number))
        assert answer["error"] == "too-many-reports"
        assert len(self.reports()) == 10
