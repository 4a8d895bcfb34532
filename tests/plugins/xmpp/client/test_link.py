"""What `tictac xmpp` answers to questions of others, and how it reads the boards of services."""

from __future__ import annotations

from typing import Any

from twisted.internet.testing import StringTransport
from twisted.words.protocols.jabber.jid import JID
from twisted.words.xish.domish import Element

from tests.plugins.xmpp.helpers import parse
from tictac.plugins.xmpp.client.boards import read_state
from tictac.plugins.xmpp.client.link import Link
from tictac.plugins.xmpp.xml import INFO, MUG, TTT


def answer(inner: str) -> Element:
    """Return the answer to an iq of type get."""
    tls: Any = None
    link = Link(JID("alice@example.org"), "secret", tls, lambda stanza: None, (MUG, TTT))
    stream, transport = link.buildProtocol(None), StringTransport()
    stream.transport = transport
    link._heard(parse(f"<iq from='bob@example.org/desk' id='7' type='get'>{inner}</iq>"))
    told: Element = parse(transport.value().decode())
    return told


def test_what_it_can_do() -> None:
    told = answer(f"<query xmlns='{INFO}'/>")
    [query] = told.elements()
    features = {each.getAttribute("var") for each in query.elements() if each.name == "feature"}
    assert (told["type"], told["id"], told["to"]) == ("result", "7", "bob@example.org/desk")
    assert features == {INFO, MUG, TTT}


def test_a_question_that_it_does_not_know() -> None:
    told = answer("<query xmlns='urn:example:other'/>")
    assert (told["type"], told["id"]) == ("error", "7")


def test_empty_fields_are_no_marks() -> None:
    fields = "<field row='1' col='1'>x</field><field row='1' col='2'/>"
    state = f"<rows>3</rows><cols>3</cols><next>o</next><board>{fields}</board>"
    assert read_state(parse(f"<state xmlns='{TTT}'>{state}</state>")).number == 2
