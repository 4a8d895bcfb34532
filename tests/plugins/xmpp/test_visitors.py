"""What addresses without an account get over XMPP (``--visitors``)."""

from __future__ import annotations

import pytest

from tests.plugins.xmpp.helpers import Client, World
from tests.plugins.xmpp.strangers import BY_LINK, LISTS
from tictac.plugins.xmpp.xml import MUC
from tictac.protocols.lobby.wire import INVITED, NONE

OPEN = [
    ("iq", "", "<query xmlns='http://jabber.org/protocol/disco#info'/>", "get"),
    ("iq", "", "<ping xmlns='urn:xmpp:ping'/>", "get"),
    ("message", "", "<body>help</body>", "chat"),
    ("message", "", "<body>rules nim</body>", "chat"),
    ("presence", "", "", "subscribe"),
]
"""The same of stanzas that name neither rooms nor people."""


def stranger(visitors: int) -> Client:
    """Return a stranger's client before a service with a public room of alice's."""
    world = World()
    world.den("alice")
    world.rooms.gateway.visitors = visitors
    return world.client("zoe")


def is_refused(client: Client, stanza: tuple[str, str, str, str]) -> bool:
    answers = "".join(client.send(stanza[0], stanza[1], stanza[2], stanza[3]))
    refused = "forbidden" in answers or "only to accounts" in answers
    assert not (refused and "alice" in answers), answers
    return refused


@pytest.mark.parametrize("stanza", [*LISTS, *BY_LINK])
def test_nothing_is_told_without_an_account(stanza: tuple[str, str, str, str]) -> None:
    assert is_refused(stranger(NONE), stanza)


@pytest.mark.parametrize("stanza", LISTS)
def test_a_linked_address_has_an_account(stanza: tuple[str, str, str, str]) -> None:
    client = stranger(NONE)
    client.world.rooms.gateway.account_of = lambda person: "zoe"
    assert not is_refused(client, stanza)


@pytest.mark.parametrize("stanza", OPEN)
def test_the_rules_are(stanza: tuple[str, str, str, str]) -> None:
    assert not is_refused(stranger(NONE), stanza)


@pytest.mark.parametrize("stanza", LISTS)
def test_lists_are_not_for_the_invited(stanza: tuple[str, str, str, str]) -> None:
    assert is_refused(stranger(INVITED), stanza)


def test_the_address_of_a_room_leads_to_it() -> None:
    zoe = stranger(INVITED)
    assert any("alice" in line for line in zoe.presence("den/zoe", f"<x xmlns='{MUC}'/>"))
