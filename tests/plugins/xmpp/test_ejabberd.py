"""Habits of ejabberd, as its version 23.01 sent these stanzas to the service."""

from __future__ import annotations

from tests.plugins.xmpp.helpers import Client, World
from tictac.plugins.xmpp.xml import MUC, STANZAS

CAPS = (
    "<c xmlns='http://jabber.org/protocol/caps' node='http://slixmpp.com/ver/1.17.0'"
    " hash='sha-1' ver='NRwOKREMtyu43ufRkXe2tce/2F8='/>"
)
ROOM = "den@games.example"


def enter(world: World, name: str) -> Client:
    """Enter den; ejabberd adds the language of the stream to all stanzas."""
    client = world.client(name)
    world.receive(
        f"<presence xml:lang='en' to='{ROOM}/{name}' from='{client.address}' id='{name}'>"
        f"<x xmlns='{MUC}'/>{CAPS}</presence>"
    )
    return client


def say(world: World, client: Client, text: str) -> list[str]:
    world.receive(
        f"<message xml:lang='en' to='{ROOM}' from='{client.address}' type='groupchat' id='m'>"
        f"<body>{text}</body></message>"
    )
    return world.read()


def test_all_stanzas_have_a_language(world: World) -> None:
    alice, _ = enter(world, "alice"), enter(world, "bob")
    world.read()
    lines = say(world, alice, "hello")
    assert sum("den/alice message groupchat: body('hello')" in line for line in lines) == 2


def test_a_client_ends_at_the_room_and_at_its_nick(world: World) -> None:
    """Ejabberd ends a session at each address to which the client has sent presence."""
    alice, bob = enter(world, "alice"), enter(world, "bob")
    world.read()
    for to in (ROOM, f"{ROOM}/bob"):
        world.receive(f"<presence to='{to}' from='{bob.address}' type='unavailable'/>")
    ends = [line for line in world.read() if line.startswith("alice") and "unavailable" in line]
    assert len(ends) == 1 and "den/bob" in ends[0]
    assert [each.nick for each in world.rooms.find("den").occupants] == ["alice"]
    assert say(world, alice, "hello")


def test_what_comes_back_has_no_id_and_its_content_after_the_error(world: World) -> None:
    alice, bob = enter(world, "alice"), enter(world, "bob")
    world.read()
    back = (
        f"<message to='{ROOM}' from='{bob.address}' type='error'><error type='cancel'>"
        f"<service-unavailable xmlns='{STANZAS}'/><text xml:lang='en' xmlns='{STANZAS}'>User"
        " session not found</text></error><subject>Tic-tac-toe</subject></message>"
    )
    world.receive(back)
    ends = [line for line in world.read() if "den/bob unavailable" in line]
    assert {line.split(" < ")[0] for line in ends} == {"alice/desk", "bob/desk"}
    world.receive(back)
    assert world.read() == [] and say(world, alice, "hello")
