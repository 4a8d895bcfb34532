"""Whatever happens in a room, each MUC client's list of occupants is that of the room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import logged_errors
from tests.plugins.xmpp.helpers import GAME, World
from tictac.plugins.xmpp.muc import View
from tictac.plugins.xmpp.xml import COMPONENT, MUC, MUC_ADMIN, MUC_USER, first, text_of

PEOPLE = ["alice/desk", "alice/phone", "bob/desk", "carol/desk"]
NICKS = ["alice", "bob", "carol", "rob", "referee"]
TYPED = [
    "x",
    "o",
    "none",
    "start",
    "join",
    "computer",
    "leave",
    "hello",
    "resign",
    "1 1",
    "a2",
    "a1",
]

Lists = dict[str, dict[str, dict[str, str]]]
"""The lists of occupants that clients show: by client and room, the statuses by nick."""

acts = st.lists(
    st.one_of(
        st.tuples(st.just("enter"), st.sampled_from(PEOPLE), st.sampled_from(NICKS)),
        st.tuples(st.just("enter"), st.sampled_from(PEOPLE), st.sampled_from(NICKS)),
        st.tuples(st.just("mug"), st.sampled_from(PEOPLE), st.sampled_from(NICKS)),
        st.tuples(st.just("leave"), st.sampled_from(PEOPLE), st.just("")),
        st.tuples(st.just("say"), st.sampled_from(PEOPLE), st.sampled_from(TYPED)),
        st.tuples(st.just("chat"), st.sampled_from([*PEOPLE, "tom/desk"]), st.sampled_from(TYPED)),
        st.tuples(st.just("kick"), st.sampled_from(PEOPLE), st.sampled_from(NICKS)),
        st.tuples(st.just("show"), st.sampled_from(PEOPLE), st.sampled_from(NICKS)),
    ),
    max_size=25,
)


ENDED = [
    ("chat", "alice/desk", "join"), ("enter", "alice/desk", "alice"),
    ("say", "alice/desk", "resign"), ("mug", "alice/desk", "alice"),
]  # fmt: skip
"""A MUG client enters a room whose match is over, and in which MUC clients stay."""


def act(world: World, room: str, what: str, who: str, text: str) -> None:
    client = world.client(who)
    tos = {"enter": f"{room}/{text}", "mug": f"{room}/{text}", "show": f"{room}/{text}"}
    inner = {"enter": f"<x xmlns='{MUC}'/>", "mug": GAME, "show": "<show>away</show>"}
    address, domain = client.address, "games.example"
    match what:
        case "enter" | "mug" | "show":
            world.receive(
                f"<presence from='{address}' to='{tos[what].replace('/', f'@{domain}/')}'>"
                f"{inner[what]}</presence>"
            )
        case "leave":
            world.receive(
                f"<presence from='{address}' to='{room}@{domain}/any' type='unavailable'/>"
            )
        case "say" | "chat":
            kind, to = ("groupchat", f"{room}@{domain}") if what == "say" else ("chat", domain)
            typed = f"join {room}" if (what, text) == ("chat", "join") else text
            world.receive(
                f"<message from='{address}' to='{to}' type='{kind}'><body>{typed}</body></message>"
            )
        case "kick":
            item = f"<query xmlns='{MUC_ADMIN}'><item nick='{text}' role='none'/></query>"
            world.receive(f"<iq from='{address}' to='{room}@{domain}' type='set'>{item}</iq>")


def note(lists: Lists, stanza: Any) -> None:
    """Do what a client does with a presence."""
    x = first(stanza, MUC_USER, "x")
    if stanza.name != "presence" or x is None or stanza.getAttribute("type") == "error":
        return
    shown = lists.setdefault(stanza["to"], {})
    room, _, nick = stanza["from"].partition("/")
    codes = {each.getAttribute("code") for each in x.elements(MUC_USER, "status")}
    if stanza.getAttribute("type") != "unavailable":
        status = first(stanza, COMPONENT, "status")
        shown.setdefault(room, {})[nick] = "" if status is None else text_of(status)
    elif "333" in codes:
        assert room not in shown  # the client wasn't in the room
    elif "110" in codes and "303" not in codes:
        assert nick in shown[room]
        del shown[room]
    else:
        del shown[room][nick]  # it was there


def expected(view: View | None, address: str) -> Mapping[str, str]:
    """Return the list of occupants of a client, or none if it isn't in the room."""
    seen = [] if view is None else list(view.occupants.values())
    if not any(client.address == address for each in seen for client in each.clients):
        return {}
    return {each.nick: each.status for each in seen} | {"referee": ""}


class RosterTests(SynchronousTestCase):
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from(["den", "club", "park"]), st.booleans(), acts)
    @example("club", False, ENDED)
    def test_all_clients_know_all_occupants(self, room: str, late: bool, done: list[Any]) -> None:
        world, lists = World(late=late), Lists()
        tom = world.client("tom")
        tom.chat("", "new club reversi size=4")
        tom.chat("", "new park tictactoe")
        for each in done:
            act(world, room, *each)
            for stanza in world.stanzas():
                note(lists, stanza)
            found, rooms = world.rooms.by_name.get(room), world.server.tables
            view = rooms.view(room) if found is None else found.view()
            for address in lists:
                shown = lists[address].get(f"{room}@games.example", {})
                assert shown == expected(view, address), (each, address)
        world.clock.advance(2)
        assert logged_errors(self) == []
