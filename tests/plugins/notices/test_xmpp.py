"""Notices by XMPP: from the outbox to the component, and the answers that stop them."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred

from tests.plugins.notices.case import NoticesCase
from tests.plugins.notices.desks import DeskCase
from tests.plugins.notices.letters import STOP, URL, letter
from tests.plugins.xmpp.helpers import World, parse_all
from tests.plugins.xmpp.linked import ALICE, link, say
from tictac.lobby.clock import DAY
from tictac.plugins.notices.channels.xmpp import XmppNotifier
from tictac.plugins.notices.outbox import Sender
from tictac.plugins.notices.refusals import BadAddress
from tictac.plugins.notices.service import use_xmpp
from tictac.plugins.xmpp.post import LONGEST
from tictac.plugins.xmpp.xml import STANZAS


class PostedCase(NoticesCase):
    """Alice's notices go to her address."""

    def new_process(self, *users: str) -> None:
        super().new_process(*users)
        self.world = World()
        self.world.clock = self.clock
        self.world.server.post._clock = self.clock
        self.fake = XmppNotifier(self.world.server.post, URL)  # type: ignore[assignment]
        self.sender = Sender("fake", self.fake, self.notices, self.watch, URL, self.clock)

    def add(
        self, user: str, wish: str = "each", confirmed: bool = True, address: str = ALICE
    ) -> str:
        return super().add(user, wish, confirmed, address)

    def came(self) -> list[Any]:
        """Return the messages that were sent since the last time; the pings aren't answered."""
        sent = parse_all("".join(self.world.sent))
        self.world.sent.clear()
        self.pings = [each["id"] for each in sent if each.name == "iq"]
        return [each for each in sent if each.name == "message"]

    def answer(self) -> None:
        """Let the server of the receiver answer the pings."""
        for asked in self.pings:
            who = "from='example.org' to='games.example'"
            self.world.receive(f"<iq {who} type='result' id='{asked}'/>")
        self.settle()

    def bounce(self, message: Any, condition: str) -> None:
        error = f"<error type='cancel'><{condition} xmlns='{STANZAS}'/></error>"
        who = f"from='{message['to']}' to='games.example' id='{message['id']}'"
        self.world.receive(f"<message {who} type='error'>{error}</message>")
        self.settle()

    def failed(self) -> list[str]:
        rows = self.store.database.execute("SELECT failed FROM notice_contacts").fetchall()
        return [failed for (failed,) in rows]


class SendingTests(PostedCase):
    def test_a_turn_once(self) -> None:
        self.begin()
        self.later(61)
        [message] = self.came()
        assert (message["from"], message["to"], message["type"]) == ("games.example", ALICE, "chat")
        title, body, page, room, *rest = str(message.body).splitlines()
        assert title == "Your turn: Reversi" and "against bob" in body
        assert (page, room) == (f"{URL}/room/den", "xmpp:den@games.example?join")
        assert rest == ["", "To get no more of these messages, answer: stop"]
        self.answer()
        self.later(2 * DAY)
        assert [str(m.body).splitlines()[0] for m in self.came()] == []

    def test_in_the_language_of_the_account(self) -> None:
        self.wishes("alice", language="de")
        self.begin()
        self.later(61)
        [message] = self.came()
        assert str(message.body).startswith("Du bist am Zug: Reversi\n")
        assert str(message.body).endswith("Antworte: stop")

    def test_none_for_what_is_no_longer_true(self) -> None:
        self.begin()
        self.later(30)
        self.move("alice")
        self.later(61)
        assert self.came() == []

    def test_none_in_quiet_hours(self) -> None:
        self.wishes("alice", quiet="14:00-15:00")  # it is 14:13 UTC
        self.begin()
        self.later(61)
        assert self.came() == []
        self.later(3600)
        assert len(self.came()) == 1

    def test_a_server_that_takes_none_gets_it_later_with_the_same_id(self) -> None:
        self.begin()
        self.later(61)
        [first] = self.came()
        self.bounce(first, "service-unavailable")
        assert self.failed() == [""]
        self.later(61)
        [again] = self.came()
        assert again["id"] == first["id"]

    def test_an_address_that_does_not_exist_is_given_up(self) -> None:
        self.begin()
        self.later(61)
        [message] = self.came()
        self.bounce(message, "item-not-found")
        assert self.failed() == ["the XMPP server answers item-not-found"]

    def test_without_a_link_it_waits(self) -> None:
        self.world.server.post.is_linked = lambda: False
        self.begin()
        self.later(61)
        assert self.came() == []
        self.world.server.post.is_linked = lambda: True
        self.later(61)
        assert len(self.came()) == 1

    def test_a_server_that_does_not_answer_gets_it_once(self) -> None:
        self.begin()
        self.later(61)
        assert len(self.came()) == 1
        self.later(LONGEST)
        self.later(3600)
        assert self.came() == [] and self.waiting() == []


class NotifierTests(PostedCase):
    def test_addresses(self) -> None:
        assert self.fake.check(" xmpp:Alice@Example.org/phone ") == ALICE
        for wrong in ("", "example.org", "den@games.example", "a b@x.example", "@"):
            self.assertRaises(BadAddress, self.fake.check, wrong)

    def test_several_matches_in_a_message_and_an_end_without_a_room(self) -> None:
        several = letter()._replace(
            lines=[letter().lines[0], letter(kind="ended", path="/match/m1").lines[0]]
        )
        Deferred.fromCoroutine(self.fake.send(ALICE, several))  # type: ignore[arg-type]
        [message] = self.came()
        assert str(message.body).count("xmpp:") == 1 and STOP not in str(message.body)


class StopTests(DeskCase):
    def setUp(self) -> None:
        super().setUp()
        self.world = World(self.store)
        self.channels["xmpp"] = use_xmpp(self.world.server.post, self.desk, URL)

    def test_a_linked_address_needs_no_confirmation(self) -> None:
        link(self.world)
        assert self.add(ALICE, "xmpp")["confirmed"] is True and self.watched == ["alice"]
        assert self.ask(self.alice)["channels"]["xmpp"] == {"domain": "games.example"}

    def test_any_other_address_is_asked(self) -> None:
        link(self.world, "bob", ALICE)
        assert self.add(ALICE, "xmpp")["confirmed"] is False and self.watched == []
        assert self.world.sent == []  # the outbox sends it

    def test_stop_ends_them(self) -> None:
        link(self.world)
        self.add(ALICE, "xmpp")
        assert say(self.world, "bob", "stop") == "You get no messages."
        assert len(self.ask(self.alice)["contacts"]) == 1
        assert say(self.world, "alice", "STOP ") == "You get no more messages."
        assert self.ask(self.alice)["contacts"] == []

    def test_the_end_of_a_link_ends_them(self) -> None:
        link(self.world)
        self.add(ALICE, "xmpp")
        self.add("https://hook.example", "webhook")
        say(self.world, "alice", "unlink")
        assert [each["channel"] for each in self.ask(self.alice)["contacts"]] == ["webhook"]

    def test_another_account_keeps_its_own(self) -> None:
        for name in ("alice", "bob"):
            link(self.world, name, ALICE)
            self.add(ALICE, "xmpp") if name == "alice" else self.ask(
                self.bob, channel="xmpp", address=ALICE
            )
        rows = self.store.database.execute("SELECT name FROM notice_contacts").fetchall()
        assert rows == [("bob",)]
