"""What admins do over the lobby protocol."""

from __future__ import annotations

import signal
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import patch

from twisted.trial.unittest import SynchronousTestCase

from tests.helpers import Server, Visitor
from tests.logs import log, texts
from tests.protocols.lobby.helpers import Message, Person, events
from tictac.accounts.tables import AccountTables
from tictac.net.plugin import ProtocolService
from tictac.protocols.lobby.admin import Admin

NOW = 1_800_000_000
HERE, ELSEWHERE = "192.0.2.1", "192.0.2.7"


class AdminCase(SynchronousTestCase):
    """vera looks after the server; alice and bob play."""

    def setUp(self) -> None:
        self.server = Server(guests=True, rejoin_timeout=30)
        part = cast(ProtocolService, SimpleNamespace(what="rooms", factories=[self.server.factory]))
        accounts, lobby = self.server.accounts, self.server.lobby
        accounts.bans._utc = lambda: NOW
        lobby.admin = Admin(
            accounts, self.server.registry, lambda: [part], lobby.day_time, lambda: NOW
        )
        lobby.admin.start()
        self.successResultOf(accounts.look())
        AccountTables(self.server.store.database).set_admin("vera", True)
        self.vera, self.alice, self.bob = (
            Person(self.server, user) for user in ("vera", "alice", "bob")
        )

    def admin(self, act: str, **fields: object) -> Message:
        *_, answer = self.vera.ask("admin", act=act, **fields)
        assert "error" not in answer, answer
        return answer

    def is_closed(self, visitor: Visitor) -> bool:
        return visitor.transport.disconnecting

    def closing(self, person: Person) -> str:
        """Return why the server closed a connection."""
        (said,) = person.read()
        assert said["event"] == "closing" and self.is_closed(person.visitor)
        reason: str = said["reason"]
        return reason

    def seat_both(self) -> None:
        for person in (self.alice, self.bob):
            person.ask("seek", game="nim")
            person.visitor.read()
        self.alice.read()


class SeeingTests(AdminCase):
    def test_who_is_on(self) -> None:
        Person(self.server).visitor.transport.arrive(b"")
        old = self.server.log_in("carol", host=ELSEWHERE)
        assert not self.is_closed(old)
        answer = self.admin("on")
        assert answer["count"] == 5
        on = {(each["user"], each["address"], each["door"]) for each in answer["on"]}
        protocols = {"vera": "lobby", "alice": "lobby", "bob": "lobby", None: "rooms"}
        here = {(name, HERE, protocol) for name, protocol in protocols.items()}
        assert on == {*here, ("carol", ELSEWHERE, "rooms")}

    def test_which_rooms_there_are_also_private_ones(self) -> None:
        self.alice.ask("open", game="nim", room="den", private=True)
        assert self.admin("rooms")["rooms"] == [
            {
                "room": "den", "game": "nim", "players": ["alice", None], "viewers": 0,
                "begun": False, "private": True, "door": None,
            }
        ]  # fmt: skip

    def test_a_private_room_is_watched_without_its_key_and_an_audit_line_says_so(self) -> None:
        self.alice.ask("open", game="nim", room="den", private=True)
        assert self.vera.error("watch", room="den") == "private-room"
        self.admin("rooms")
        with log() as logged:
            assert events(self.vera.ask("watch", room="den")) == ["room"]
        assert f"admin: 'vera' at {HERE}: watch, room 'den'" in texts(logged)
        assert self.bob.error("watch", room="den") == "private-room"

    def test_others_are_refused_also_who_comes_after_an_admin(self) -> None:
        assert self.alice.error("admin", act="on") == "not-an-admin"
        self.admin("on")
        self.alice.ask("open", game="nim", room="den", private=True)
        self.vera.ask("login", user="carol", password="secret")
        assert self.vera.error("watch", room="den") == "private-room"

    def test_who_is_an_admin_no_longer_is_refused_on_the_same_connection(self) -> None:
        self.alice.ask("open", game="nim", room="den", private=True)
        self.admin("on")
        AccountTables(self.server.store.database).set_admin("vera", False)
        assert self.vera.error("admin", act="on") == "not-an-admin"
        assert self.vera.error("watch", room="den") == "private-room"


class DoingTests(AdminCase):
    def test_a_kicked_account_loses_its_connections_and_seats(self) -> None:
        self.seat_both()
        with log() as logged:
            assert self.admin("kick", user="alice")["ended"] == 1
        assert f"admin: 'vera' at {HERE}: kick, user 'alice'" in texts(logged)
        assert self.closing(self.alice) == "kicked"
        self.alice.visitor.transport.lose()
        assert events(self.bob.read()) == ["ended"]
        Person(self.server, "alice")  # who may come again

    def test_a_guest_is_kicked_and_so_is_an_address(self) -> None:
        guest, old = Person(self.server), self.server.log_in("carol", host=ELSEWHERE)
        (answer,) = guest.ask("guest")
        assert self.admin("kick", user=answer["user"])["ended"] == 1
        assert self.closing(guest) == "kicked"
        assert self.admin("kick", address=ELSEWHERE)["ended"] == 1
        assert self.is_closed(old) and not self.is_closed(self.bob.visitor)

    def test_a_banned_account_stays_out_until_its_time_is_over(self) -> None:
        token = Person(self.server).ask(
            "login", user="alice", password="secret", remember=True
        )[0]["token"]  # fmt: skip
        self.admin("ban", user="alice", seconds=3600)
        assert self.closing(self.alice) == "banned"
        visitor = Person(self.server)
        assert visitor.error("login", user="alice", password="secret") == "banned"
        assert visitor.error("login", user="alice", token=token) == "banned"
        assert visitor.error("login", user="alice", password="wrong") == "wrong-password"
        assert self.server.connect().ask("LOGIN:alice:secret") == ["LOGIN:ACKSTATUS:3"]
        assert self.admin("bans")["bans"] == [
            {"user": "alice", "until": "2027-01-15T09:00:00.000Z"}
        ]
        self.server.accounts.bans._utc = lambda: NOW + 3600
        Person(self.server, "alice")

    def test_nobody_comes_from_a_banned_address_until_that_is_ended(self) -> None:
        there = self.server.log_in("carol", host=ELSEWHERE)
        self.admin("ban", address=ELSEWHERE)
        assert self.is_closed(there)
        assert self.is_closed(self.server.connect(host=ELSEWHERE))
        self.admin("unban", address=ELSEWHERE)
        assert not self.is_closed(self.server.connect(host=ELSEWHERE))
        assert self.vera.error("admin", act="unban", address=ELSEWHERE) == "no-such-user"

    def test_an_announcement_reaches_all_who_can_show_it(self) -> None:
        old = self.server.log_in("carol")
        assert self.admin("announce", text="five minutes")["told"] == 3
        for person in (self.alice, self.bob):
            assert person.read() == [{"event": "announced", "text": "five minutes"}]
        assert old.read() == []

    def test_what_can_not_be_done_is_said(self) -> None:
        refused: list[tuple[dict[str, Any], str]] = [
            ({"act": "kick"}, "bad-filter"),
            ({"act": "kick", "user": "alice", "address": HERE}, "bad-filter"),
            ({"act": "ban", "user": "alice", "seconds": -1}, "bad-filter"),
            ({"act": "kick", "user": "nobody"}, "no-such-user"),
            ({"act": "ban", "user": "nobody"}, "no-such-user"),
            ({"act": "ban", "address": "192.0.2.0/24"}, "bad-filter"),
            ({"act": "ban", "address": "UNIXAddress"}, "bad-filter"),
            ({"act": "announce", "text": "\u202e"}, "bad-text"),
            ({"act": "announce"}, "bad-text"),
            ({"act": "drain"}, "not-an-admin"),
        ]
        for fields, code in refused:
            assert self.vera.error("admin", **fields) == code, fields
        assert not self.is_closed(self.alice.visitor)

    def test_the_operator_stops_the_server(self) -> None:
        self.vera.visitor.protocol.is_operator = True
        with patch.object(signal, "raise_signal") as raised:
            self.admin("drain")
        raised.assert_called_once_with(signal.SIGTERM)
