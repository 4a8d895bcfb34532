"""Notices in the lobby protocol, and the links of their messages."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred

from tests.plugins.notices.desks import DeskCase
from tests.protocols.lobby.helpers import Message, Person
from tictac.plugins.notices.commands import lines
from tictac.plugins.notices.desk import ASKED
from tictac.plugins.notices.notices import Notice
from tictac.plugins.notices.requests import Outbox
from tictac.plugins.notices.tables import MOST_CONTACTS, NoticeTables, id_of_link


class AddressTests(DeskCase):
    def test_nothing_at_first(self) -> None:
        answer = self.ask(self.alice)
        assert answer["contacts"] == [] and answer["channels"] == {"email": {}, "webhook": {}}
        assert answer["settings"] == {"language": "en", "zone": "UTC", "quiet": None}

    def test_an_address_waits_for_its_confirmation(self) -> None:
        assert self.add() == {
            "channel": "email", "address": "a@x.example", "wish": "each", "confirmed": False,
        }  # fmt: skip
        assert self.watched == []
        answer = self.ask(Person(self.server), "link", link=self.link("confirm"))
        assert (answer["user"], answer["channel"], answer["done"]) == ("alice", "email", False)
        assert self.ask(self.alice)["contacts"][0]["confirmed"] is False
        answer = self.ask(Person(self.server), "link", link=self.link("confirm"), go=True)
        assert answer["done"] is True and self.watched == ["alice"]
        assert self.ask(self.alice)["contacts"][0]["confirmed"] is True

    def test_a_webhook_needs_none(self) -> None:
        assert self.add(channel="webhook")["confirmed"] is True and self.watched == ["alice"]

    def test_a_wish_changes(self) -> None:
        self.add()
        assert self.add(wish="late")["wish"] == "late"
        assert (
            self.ask(self.alice, channel="email", address="a@x.example", wish="off")["contacts"]
            == []
        )

    def test_others_dont_see_it(self) -> None:
        self.add()
        assert self.ask(self.bob)["contacts"] == []

    def test_strangers_arent_flooded_with_confirmations(self) -> None:
        self.add()
        add = {"channel": "email", "address": "b@x.example"}
        assert self.alice.error("notices", **add) == "too-many-addresses"
        assert self.bob.error("notices", channel="email", address="a@x.example") == (
            "too-many-addresses"
        )
        self.server.clock.advance(ASKED)
        self.add("b@x.example")

    def test_an_account_with_all_its_addresses_waits_for_a_confirmation_too(self) -> None:
        for number in range(MOST_CONTACTS - 1):
            self.add(str(number), "webhook")
        self.add()
        again = {"channel": "email", "address": "a@x.example"}
        assert self.alice.error("notices", **again) == "too-many-addresses"

    def test_an_address_is_the_same_in_capitals(self) -> None:
        self.add("a@x.example")
        capitals = {"channel": "email", "address": "A@x.example"}
        assert self.bob.error("notices", **capitals) == "too-many-addresses"

    def test_too_many(self) -> None:
        for number in range(MOST_CONTACTS):
            self.add(str(number), "webhook")
        more = {"channel": "webhook", "address": "more"}
        assert self.alice.error("notices", **more) == "too-many-addresses"

    def test_bad_requests(self) -> None:
        for error, fields in (
            ("bad-address", {"channel": "pigeon", "address": "x"}),
            ("malformed", {"channel": "email"}),
            ("bad-setting", {"language": "x"}),
            ("bad-setting", {"quiet": "never"}),
            ("bad-setting", {"zone": "../x"}),
        ):
            assert self.alice.error("notices", **fields) == error, fields

    def test_guests(self) -> None:
        guest = Person(self.server)
        guest.ask("guest")
        assert guest.error("notices") == "guests-refused"

    def test_settings(self) -> None:
        answer = self.ask(self.alice, language="de", zone="Europe/Berlin", quiet="22:00-07:00")
        wanted = {"language": "de", "zone": "Europe/Berlin", "quiet": "22:00-07:00"}
        assert answer["settings"] == wanted
        assert self.ask(self.alice, quiet="off")["settings"] == {**wanted, "quiet": None}

    def test_a_database_that_is_away(self) -> None:
        self.store.close()
        assert self.alice.error("notices") == "archive-away"
        assert self.alice.error("link", link=f"stop/{'0' * 24}") == "archive-away"


class LinkTests(DeskCase):
    def test_stop(self) -> None:
        self.add()
        link = self.link("stop")
        assert self.ask(Person(self.server), "link", link=link)["done"] is False
        assert len(self.ask(self.alice)["contacts"]) == 1
        self.ask(Person(self.server), "link", link=link, go=True)
        assert self.ask(self.alice)["contacts"] == []
        assert self.bob.error("link", link=link) == "bad-link"

    def test_links_of_others(self) -> None:
        self.add()
        for wrong in ("", "stop", "stop/", f"stop/{'0' * 24}", self.link("drop"), "confirm/x" * 99):
            assert self.bob.error("link", link=wrong, go=True) == "bad-link", wrong


class OperatorTests(DeskCase):
    def test_only_admins(self) -> None:
        assert self.alice.error("outbox") == "not-an-admin"

    def test_what_waits_and_what_was_given_up(self) -> None:
        self.add(channel="webhook")
        add = self.tables.ask(NoticeTables.add, "alice", Notice("turn", "den", 1.0, 3), 100, 10)
        self.successResultOf(add)
        report = self.successResultOf_report()
        assert report["count"] == 1 and report["waiting"][0]["user"] == "alice"
        [first, second] = lines(report)
        assert first == "Waiting: 1." and second.split() == ["alice", "webhook", "turn", "now"]
        give_up = self.tables.ask(NoticeTables.give_up, self.link("x")[2:], "410 gone", 200)
        self.successResultOf(give_up)
        [_, line] = lines(self.successResultOf_report())
        assert "given up 1970-01-01T00:03:20Z: 410 gone" in line

    def successResultOf_report(self, **fields: Any) -> Message:
        asker: Any = None
        work = self.desk._administer(Outbox(id=1, **fields), asker, True)
        found: Message = self.successResultOf(Deferred.fromCoroutine(work))
        return found

    def bounced(self, message: str) -> Any:
        why = "550 5.1.1 no such user"
        return self.successResultOf_report(act="bounced", message=message, why=why)["user"]

    def test_a_mail_that_came_back(self) -> None:
        self.add()
        contact = self.link("x")[2:]
        self.ask(self.alice, "link", link=f"confirm/{contact}", go=True)
        add = self.tables.ask(NoticeTables.add, "alice", Notice("turn", "den", 1.0, 3), 100, 10)
        self.successResultOf(add)
        take = self.tables.ask(NoticeTables.take, "email", 2**40, 0, ["0123456789abcdef01234567"])
        assert len(self.successResultOf(take)) == 1
        assert self.bounced("another") is None and self.bounced("ab" * 12) is None
        assert self.bounced("0123456789abcdef01234567") == "alice"
        [entry] = self.ask(self.alice)["contacts"]
        assert (entry["confirmed"], entry["failed"]) == (False, "550 5.1.1 no such user")

    def test_a_mail_with_a_link_that_came_back(self) -> None:
        self.add()
        assert self.bounced(id_of_link(self.link("x")[2:])) == "alice"
        assert self.ask(self.alice)["contacts"][0]["failed"]
