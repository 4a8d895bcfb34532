"""Discovery of the service, of rooms and of occupants, and search."""

from __future__ import annotations

from typing import Any

import pytest

from tests.plugins.xmpp.helpers import Client, World, field, submit
from tictac.plugins.xmpp.xml import MUC, MUG, OWNER, RSM, TTT

INFO = "http://jabber.org/protocol/disco#info"
ITEMS = "http://jabber.org/protocol/disco#items"
DATA = "jabber:x:data"
SEARCH = "jabber:iq:search"


def ask(client: Client, to: str, uri: str, node: str = "") -> Any:
    """Return the answer to a disco query."""
    node = f" node='{node}'" if node else ""
    room, _, nick = to.partition("/")
    full = f"{room}@games.example/{nick}".rstrip("/") if room else "games.example"
    client.world.receive(
        f"<iq from='{client.address}' to='{full}' id='1' type='get'>"
        f"<query xmlns='{uri}'{node}/></iq>"
    )
    [answer] = client.world.stanzas()
    assert answer.getAttribute("type") == "result"
    [query] = answer.elements(uri, "query")
    return query


def features(query: Any) -> list[str]:
    return [feature.getAttribute("var") or "" for feature in query.elements(INFO, "feature")]


def jids(query: Any) -> list[str]:
    return [item.getAttribute("jid") or "" for item in query.elements(ITEMS, "item")]


def test_what_the_service_is(world: World) -> None:
    query = ask(world.client("zoe"), "", INFO)
    kinds = [(each["category"], each["type"]) for each in query.elements(INFO, "identity")]
    assert kinds == [("game", "multi-user"), ("conference", "text")]
    commands = "http://jabber.org/protocol/commands"
    found = features(query)
    ours = [each for each in found if each.startswith("urn:tictac:mug:")]
    assert {f"urn:tictac:mug:{name}" for name in ("connectfour", "reversi", "nim")} <= {*ours}
    others = [INFO, ITEMS, SEARCH, MUG, TTT, commands, MUC, f"{MUC}#stable_id", RSM]
    assert [f for f in found if f not in ours] == others


def test_the_public_rooms(world: World) -> None:
    alice = world.client("alice")
    alice.enter("den", "alice")
    assert jids(ask(alice, "", ITEMS)) == []  # nobody could enter
    alice.configure("den", roomname="The den")
    [item] = ask(alice, "", ITEMS).elements()
    assert (item.getAttribute("jid"), item.getAttribute("name")) == ("den@games.example", "The den")
    alice.configure("den", publicroom="0")
    assert jids(ask(alice, "", ITEMS)) == []


@pytest.mark.parametrize(
    ("options", "feature"),
    [
        ({}, "mug_unsecured mug_open mug_moderated mug_public mug_semianonymous"),
        (
            {"passwordprotectedroom": "1", "roomsecret": "s"},
            "mug_passwordprotected mug_open mug_moderated mug_public mug_semianonymous",
        ),
        (
            {"membersonly": "1"},
            "mug_unsecured mug_membersonly mug_moderated mug_public mug_semianonymous",
        ),
        (
            {"roompolicy": "unmoderated"},
            "mug_unsecured mug_open mug_unmoderated mug_public mug_semianonymous",
        ),
        ({"publicroom": "0"}, "mug_unsecured mug_open mug_moderated mug_hidden mug_semianonymous"),
        (
            {"anonymity": "non-anonymous"},
            "mug_unsecured mug_open mug_moderated mug_public mug_nonanonymous",
        ),
        (
            {"anonymity": "fully-anonymous"},
            "mug_unsecured mug_open mug_moderated mug_public mug_fullyanonymous",
        ),
    ],
)
def test_what_a_room_is(options: dict[str, str], feature: str) -> None:
    world = World()
    [alice] = world.den("alice", **options)
    query = ask(alice, "den", INFO)
    kinds = [(each["category"], each["type"]) for each in query.elements(INFO, "identity")]
    assert kinds == [("game", "multi-user"), ("conference", "text")]
    can, (*same, _) = features(query), feature.replace("mug_", "muc_").split()
    assert can[:7] == [MUG, TTT, *feature.split()]
    same = ["muc_unmoderated" if each == "muc_moderated" else each for each in same]
    seen = "muc_nonanonymous" if "mug_nonanonymous" in feature else "muc_semianonymous"
    assert MUC in can and can[-6:] == [*same, seen, "muc_temporary"]


def test_the_form_of_a_room(world: World) -> None:
    alice, bob = world.den("alice", "bob", matchdesc="for fun", maxusers="5")
    bob.take("den", "o")
    form, chat = ask(alice, "den", INFO).elements(DATA, "x")
    assert chat.getAttribute("type") == "result"
    assert form.getAttribute("type") == "result"
    found = {f.getAttribute("var"): str(next(f.elements(DATA, "value"))) for f in form.elements()}
    assert found == {
        "FORM_TYPE": f"{MUG}#matchinfo",
        "mug#game": TTT,
        "mug#match_description": "for fun",
        "mug#match_occupants": "2",
        "mug#match_players": "1",
        "mug#match_maxoccupants": "5",
    }
    hidden = [f.getAttribute("var") for f in form.elements() if f.getAttribute("type") == "hidden"]
    assert hidden == ["FORM_TYPE", "mug#game"]


def test_the_occupants(world: World) -> None:
    alice, _bob = world.den("alice", "bob")
    zoe = world.client("zoe")
    assert jids(ask(zoe, "den", ITEMS)) == ["den@games.example/alice", "den@games.example/bob"]
    assert jids(ask(alice, "den/bob", ITEMS)) == []
    for uri in (INFO, ITEMS):
        [answer] = zoe.iq("den/bob", f"<query xmlns='{uri}'/>", "get")
        assert answer.endswith("error type=modify(bad-request)")


@pytest.mark.parametrize("to", ["", "den"])
@pytest.mark.parametrize("uri", [INFO, ITEMS])
def test_a_node_that_isnt_there(world: World, to: str, uri: str) -> None:
    [alice] = world.den("alice")
    [answer] = alice.iq(to, f"<query xmlns='{uri}' node='{MUG}#matches'/>", "get")
    assert answer.endswith("error type=cancel(item-not-found)")


# Search


def found(world: World, *fields: tuple[str, str]) -> list[str]:
    """Return the names of the rooms that a search finds."""
    inner = submit("".join(field(name, value) for name, value in fields))
    rows = table(world, inner)
    return [row[3].partition("@")[0] for row in rows]


def table(world: World, inner: str) -> list[list[str]]:
    zoe = world.client("zoe")
    world.receive(
        f"<iq from='{zoe.address}' to='games.example' id='1' type='set'>"
        f"<query xmlns='{SEARCH}'>{inner}</query></iq>"
    )
    [answer] = world.stanzas()
    [query] = answer.elements(SEARCH, "query")
    [form] = query.elements(DATA, "x")
    [reported] = form.elements(DATA, "reported")
    columns = [column.getAttribute("var") for column in reported.elements()]
    assert columns == ["status", "category", "game", "jid"]
    rows = []
    for item in form.elements(DATA, "item"):
        assert [each.getAttribute("var") for each in item.elements()] == columns
        rows.append([str(next(each.elements())) for each in item.elements()])
    return rows


@pytest.fixture
def town(world: World) -> World:
    """Open rooms of every kind."""
    world.match()
    for name, options in (
        ("hall", {"roomname": "The great hall", "maxusers": "5"}),
        ("attic", {}),
        ("cellar", {"publicroom": "0"}),
    ):
        host = world.client(name)
        host.enter(name, name)
        host.configure(name, **options)
    host.take("cellar", "x")
    world.client("hall").take("hall", "x")
    world.client("attic").iq("attic", f"<save xmlns='{OWNER}'/>")
    world.client("alice").take("den", "none")
    return world


def test_the_form_of_a_search(world: World) -> None:
    query = ask(world.client("zoe"), "", SEARCH)
    [form] = query.elements(DATA, "x")
    kinds = {f.getAttribute("var"): f.getAttribute("type") for f in form.elements(DATA, "field")}
    assert kinds == {
        "FORM_TYPE": "hidden",
        "mug#roomsearch_name": "text-single",
        "mug#roomsearch_saved": "boolean",
        "mug#roomsearch_roles": "list-single",
        "mug#roomsearch_max_occupants": "list-single",
        "mug#roomsearch_category": "list-single",
        "mug#roomsearch_game": "list-multi",
    }
    assert list(form.elements(DATA, "instructions"))


def test_the_result_of_a_search(town: World) -> None:
    assert table(town, submit("")) == [
        ["inactive", "board", TTT, "attic@games.example"],
        ["paused", "board", TTT, "den@games.example"],
        ["inactive", "board", TTT, "hall@games.example"],
    ]
    assert len(table(town, "")) == 3


def test_the_result_of_a_search_says_what_form_it_is(town: World) -> None:
    inner = f"<query xmlns='{SEARCH}'>{submit('')}</query>"
    [answer] = town.client("zoe").iq("", inner)
    shown = answer.split("{jabber:x:data}x type=result(")[1]
    hidden = "{jabber:x:data}field type=hidden var=FORM_TYPE"
    assert shown.startswith(
        f"{hidden}({{jabber:x:data}}value('{SEARCH}')) {{jabber:x:data}}reported("
    )
    assert "type=list-single var=status" in shown


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ([("mug#roomsearch_name", "GREAT")], "hall"),
        ([("name", "den")], "den"),
        ([("name", "")], "den hall attic"),
        ([("status", "active")], "den"),
        ([("status", "paused")], "den"),
        ([("status", "inactive")], "hall attic"),
        ([("mug#roomsearch_status", "created")], ""),
        ([("status", "Active")], "den"),
        ([("mug#roomsearch_status", ""), ("status", "active")], "den"),
        ([("roles", "x")], "den attic"),
        ([("roles", "0")], "den hall attic"),
        ([("roles", "1")], "den hall attic"),
        ([("mug#roomsearch_roles", "2")], "attic"),
        ([("roles", "3")], ""),
        ([("mug#roomsearch_roles", "o")], "hall attic"),
        ([("saved", "1")], "attic"),
        ([("mug#roomsearch_saved", "false")], "den hall"),
        ([("max_occupants", "10")], "hall"),
        ([("mug#roomsearch_max_occupants", "none")], "den hall attic"),
        ([("category", "board")], "den hall attic"),
        ([("mug#roomsearch_category", "cards")], ""),
        ([("game", TTT)], "den hall attic"),
        ([("game", "mug/tictactoe")], "den hall attic"),
        ([("mug#roomsearch_game", "mug#tictactoe")], "den hall attic"),
        ([("game", "chess")], ""),
        ([("status", "inactive"), ("roles", "x")], "attic"),
        ([("unknown", "field")], "den hall attic"),
    ],
)
def test_what_is_found(town: World, fields: list[tuple[str, str]], names: str) -> None:
    assert found(town, *fields) == sorted(names.split())


def test_active_rooms_are_found_and_no_others(world: World) -> None:
    world.match()
    hall = world.client("hall")
    hall.enter("hall", "hall")
    hall.configure("hall")
    assert found(world, ("status", "active")) == ["den"]


def test_a_search_without_a_form(town: World) -> None:
    rows = table(town, "<status>active</status><roles>1</roles>")
    assert rows == [["paused", "board", TTT, "den@games.example"]]


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        (field("category", "board") + field("game", TTT), "modify(bad-request)"),
        (field("status", "lost"), "modify(not-acceptable)"),
        (field("roles", "z"), "modify(not-acceptable)"),
        (field("roles", "-1"), "modify(not-acceptable)"),
        (field("roles", "²"), "modify(not-acceptable)"),
        (field("max_occupants", "many"), "modify(not-acceptable)"),
        (field("saved", "maybe"), "modify(not-acceptable)"),
        ("<field/>" * 201, "modify(not-acceptable)"),
    ],
)
def test_what_makes_no_sense(town: World, fields: str, error: str) -> None:
    zoe = town.client("zoe")
    [answer] = zoe.iq("", f"<query xmlns='{SEARCH}'>{submit(fields)}</query>")
    assert answer == f"zoe/desk < games.example iq error: error type={error}"
