"""Stanzas that nobody sane would send: the stream holds, and so does everybody else's room."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import logged_errors
from tests.plugins.xmpp.helpers import World, field, submit
from tictac.plugins.xmpp.xml import (
    COMPONENT,
    MUC,
    MUC_ADMIN,
    MUC_OWNER,
    MUC_USER,
    MUG,
    OWNER,
    TTT,
    USER,
    tag,
)

URIS = [COMPONENT, MUG, USER, OWNER, TTT, "jabber:x:data", "jabber:iq:search", "urn:x", ""]
URIS += [MUC, MUC_USER, MUC_OWNER, MUC_ADMIN]
URIS += ["http://jabber.org/protocol/commands", "http://jabber.org/protocol/disco#info"]
NAMES = "game item status state turn move start query options x field value save load invite"
NAMES += " invited decline reason password command body error delay pause ping"
NAMES += " destroy history show subject"
ATTRIBUTES = "role affiliation jid nick var type to row col id node action sessionid xmlns:x"
VALUES = ["x", "o", "none", "owner", "member", "all", "1", "-1", "9" * 50, "submit", "cancel"]
VALUES += ["alice", "den@games.example/alice", "bob@example.org", "@", TTT, "board", "new", "move"]

elements = st.recursive(
    st.text(max_size=5),
    lambda children: st.builds(
        lambda uri, name, attributes, inner: tag(name, {"xmlns": uri, **attributes}, *inner),
        st.sampled_from(URIS),
        st.sampled_from(NAMES.split()),
        st.dictionaries(
            st.sampled_from(ATTRIBUTES.split()[:-1]),
            st.one_of(st.sampled_from(VALUES), st.text(max_size=5)),
            max_size=4,
        ),
        st.lists(children, max_size=3),
    ),
    max_leaves=12,
)
stanzas = st.builds(
    lambda name, sender, to, kind, inner: tag(
        name, {"from": sender, "to": to, "type": kind, "id": "1"}, *inner
    ),
    st.sampled_from(["presence", "message", "iq", "other"]),
    st.sampled_from([*(f"{name}@example.org/desk" for name in ("alice", "bob", "carol")), ""]),
    st.one_of(
        st.sampled_from(
            [
                *("den@games.example", "den@games.example/alice", "games.example", "elsewhere"),
                *("club@games.example", "club@games.example/carol", ""),
            ]
        ),
        st.text(max_size=8).map(lambda nick: f"den@games.example/{nick}"),
    ),
    st.sampled_from(
        [None, "chat", "groupchat", "error", "get", "set", "result", "unavailable", "subscribe"]
    ),
    st.lists(elements, max_size=3),
)


class FuzzTests(SynchronousTestCase):
    @settings(max_examples=60, suppress_health_check=list(HealthCheck))
    @given(st.lists(stanzas, min_size=1, max_size=8))
    def test_whatever_comes(self, coming: list[Any]) -> None:
        world = World()
        world.match()
        other = world.client("zoe")
        other.enter("hall", "zoe")
        other.configure("hall")
        other.chat("", "new club reversi size=4")
        for room in ("den", "club"):
            world.client("carol").presence(f"{room}/carol", f"<x xmlns='{MUC}'/>")
        hall = world.rooms.find("hall")
        for stanza in coming:
            world.receive(stanza)
        for answer in world.stanzas():  # it can be read, so it is XML
            assert answer.name in ("presence", "message", "iq")
            sender = (answer.getAttribute("from") or "").partition("/")[0].rpartition("@")[2]
            assert sender == "games.example"
        assert world.rooms.find("hall") is hall
        assert len(other.take("hall", "x")) == 1
        # Nothing has gone wrong inside.
        assert logged_errors(self) == []

    @settings(max_examples=50)
    @given(st.sampled_from(["new den", "new den reversi"]), st.text(max_size=30))
    def test_whatever_is_typed(self, new: str, body: str) -> None:
        world = World()
        anna = world.client("anna")
        anna.chat("", new)
        text = tag("body", None, body)
        [answer] = anna.message("", text)
        assert answer.startswith("anna/desk < games.example message chat: body(")
        assert logged_errors(self) == []

    @settings(max_examples=50)
    @given(st.sampled_from(["den", "club"]), st.text(max_size=30))
    def test_whatever_is_typed_by_muc(self, room: str, body: str) -> None:
        world = World()
        world.client("tom").chat("", "new club reversi size=4")
        anna = world.client("anna")
        anna.presence(f"{room}/anna", f"<x xmlns='{MUC}'/>")
        anna.message(room, "<body>join</body>", "groupchat")
        world.clock.advance(9)
        world.read()
        assert anna.message(room, tag("body", None, body), "groupchat")[0].startswith(
            f"anna/desk < {room}/anna message groupchat: "
        )
        assert logged_errors(self) == []

    def test_deep_and_wide_stanzas(self) -> None:
        world = World()
        alice, bob = world.match()
        deep = "<a>" * 3000 + "</a>" * 3000
        assert bob.message("den/alice", deep) == [
            "bob/desk < den/alice message error: error type=modify(policy-violation)"
        ]
        assert bob.iq("den", deep, "get")[0].endswith("modify(policy-violation)")
        assert bob.iq("den", deep, "result") == []
        viewer = world.client("vera")
        viewer.enter("den", "vera")
        assert len(viewer.presence("den/vera", deep, "unavailable")) == 3
        wide = submit(field("a", "b") * 5000)
        assert alice.owner("den", wide)[0].endswith("modify(not-acceptable)")
        assert len(alice.turn("den", 1, 1, 1)) == 4

    def test_control_characters(self) -> None:
        world = World()
        alice, _bob = world.den("alice", "bob")
        body = "a\u0085\u200b\u202e\x7f\ufdd0"
        [answer] = alice.message("den/bob", f"<body>{body}</body>")
        assert repr(body) in answer
        for nick in ("\u0085", "a\u200eb", "\ufdd0"):
            assert world.client("eve").enter("den", nick)[0].endswith("modify(not-acceptable)")

    def test_nicks_that_hide_what_they_are(self) -> None:
        world = World()
        [alice] = world.den("alice")
        for nick in ("\u202eevil", "bo\u200fb", "a\u2066b", "a\x7fb", "a\u0085b", "n" * 61, " "):
            for inner in (f"<x xmlns='{MUC}'/>", f"<game xmlns='{MUG}' var='{TTT}'/>"):
                stanza = tag("presence", {"from": "bob@example.org/desk",
                                          "to": f"den@games.example/{nick}"})  # fmt: skip
                world.receive(stanza.replace("/>", f">{inner}</presence>"))
                [line] = world.read()
                assert line.startswith("bob@") or "error type=modify" in line
        assert [each.nick for each in world.rooms.find("den").occupants] == ["alice"]
        assert alice.leave("den", "alice")

    def test_joins_of_a_thousand_rooms(self) -> None:
        """A user gets some rooms, and pays for all attempts."""
        world = World(budget=1000, budget_burst=10_000)
        vera = world.client("vera")
        answers = [
            line
            for number in range(1000)
            for line in vera.presence(f"r{number}/vera", f"<x xmlns='{MUC}'/>")
        ]
        assert len(world.rooms.by_name) == 10
        assert sum("resource-constraint" in line for line in answers) > 500
        assert len(world.clock.getDelayedCalls()) <= 10 + 1

    def test_five_hundred_joins_of_a_room(self) -> None:
        world = World(budget=1000, budget_burst=10_000)
        world.den("alice")
        for number in range(500):
            world.client(f"u{number}").presence(f"den/u{number}", f"<x xmlns='{MUC}'/>")
        assert len(world.rooms.find("den").occupants) == 20

    def test_a_flood_costs_the_flooder(self) -> None:
        world = World(budget=40, budget_burst=200)
        eve, zoe = world.client("eve"), world.client("zoe")
        ping = "<ping xmlns='urn:xmpp:ping'/>"
        answers = [eve.iq("", ping, "get")[0] for _ in range(10)]
        assert [answer.endswith("result: ") for answer in answers] == [True] * 5 + [False] * 5
        assert answers[-1].endswith("iq error: error type=wait(resource-constraint)")
        assert "too much" in eve.chat("", "help")[0]
        assert zoe.iq("", ping, "get")[0].endswith("result: ")
        world.clock.advance(2)
        assert eve.iq("", ping, "get")[0].endswith("result: ")
        assert world.server.too_much == 6

    def test_a_large_stanza_costs_as_much_as_many(self) -> None:
        for inner in (f"<body>{'x' * 2560}</body>", "<a/>" * 80, "<a><b c='d'/></a>" * 40):
            world = World(budget=400, budget_burst=800)  # 20 stanzas at once
            eve, zoe = world.client("eve"), world.client("zoe")
            ping = "<ping xmlns='urn:xmpp:ping'/>"
            eve.message("den", inner, "normal")
            answers = [eve.iq("", ping, "get")[0] for _ in range(20)]
            assert 5 <= sum(answer.endswith("result: ") for answer in answers) <= 14
            assert zoe.iq("", ping, "get")[0].endswith("result: ")

    def test_a_huge_one_is_refused_unread_and_costs_too(self) -> None:
        for inner in ("<a/>" * 5000, f"<body>{'x' * 9000}</body>", "<a>" * 500 + "</a>" * 500):
            world = World(budget=400, budget_burst=800)
            eve = world.client("eve")
            [answer] = eve.iq("den", inner, "set")
            assert answer.endswith(("modify(not-acceptable)", "modify(policy-violation)")), answer
            [answer] = eve.iq("", "<ping xmlns='urn:xmpp:ping'/>", "get")
            assert answer.endswith("wait(resource-constraint)")

    def test_to_leave_is_never_too_much(self) -> None:
        world = World(budget=40, budget_burst=120)
        alice = world.client("alice")
        for _ in range(5):
            alice.enter("den", "alice")
        assert len(alice.leave("den", "alice")) == 1
        assert not world.rooms.by_name


class LimitTests(SynchronousTestCase):
    def refused(self, world: World, person: str, room: str) -> str:
        return world.client(person).enter(room, person)[0]

    def test_rooms_of_a_person(self) -> None:
        world = World(rooms_per_user=2)
        alice = world.client("alice")
        for room in ("one", "two"):
            assert len(alice.enter(room, "alice")) == 2
            alice.configure(room)
        assert self.refused(world, "alice", "three").endswith("cancel(not-allowed)")
        # A room that somebody else gives away counts too.
        bob = world.client("bob")
        bob.enter("bobs", "bob")
        bob.configure("bobs")
        alice.enter("bobs", "alice")
        jid = "<item jid='alice@example.org' affiliation='owner'/>"
        assert bob.owner("bobs", jid)[0].endswith("cancel(not-allowed)")
        # One that is gone doesn't; one that is saved does.
        alice.iq("one", f"<save xmlns='{OWNER}'/>")
        assert self.refused(world, "alice", "three").endswith("cancel(not-allowed)")
        alice.leave("two", "alice")
        assert len(alice.enter("three", "alice")) == 2

    def test_rooms_in_all(self) -> None:
        world = World(max_rooms=1)
        assert len(world.client("alice").enter("one", "alice")) == 2
        assert self.refused(world, "bob", "two").endswith("cancel(not-allowed)")

    def test_occupants_of_a_room(self) -> None:
        world = World(max_occupants=2)
        world.den("alice", "bob", maxusers="none")
        assert self.refused(world, "zoe", "den").endswith("wait(service-unavailable)")

    def test_limits_may_be_off(self) -> None:
        world = World(max_rooms=0, rooms_per_user=0, max_occupants=0)
        alice = world.client("alice")
        for number in range(30):
            assert len(alice.enter(f"room{number}", "alice")) == 2
        alice.configure("room1", maxusers="none")
        for number in range(60):
            guest = world.client(f"guest{number}")
            assert len(guest.enter("room1", f"guest{number}")) > 3

    def test_clients_of_an_occupant(self) -> None:
        world = World()
        world.den("alice")
        for number in range(7):
            assert len(world.client(f"alice/{number}").enter("den", "alice")) == 2
        assert (
            world.client("alice/8").enter("den", "alice")[0].endswith("wait(service-unavailable)")
        )

    def test_invitations_that_wait(self) -> None:
        world = World()
        [alice] = world.den("alice")
        invites = "".join(f"<invite to='p{n}@example.org'/>" for n in range(150))
        assert len(alice.message("den", f"<game xmlns='{USER}'>{invites}</game>")) == 150
        assert len(world.rooms.find("den").invited) == 100
