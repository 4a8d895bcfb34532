"""Stanzas as text, and the requests that they are."""

from __future__ import annotations

import pytest

from tests.doors.xmpp.helpers import parse
from tictac.doors.xmpp import requests as r
from tictac.doors.xmpp.forms import Submitted
from tictac.doors.xmpp.match import Move
from tictac.doors.xmpp.ownership import Item
from tictac.doors.xmpp.stanzas import read
from tictac.doors.xmpp.xml import MUG, OWNER, TTT, USER

DATA = "jabber:x:data"
FORM = f"<x xmlns='{DATA}' type='{{}}'><field var='a'><value>1</value><value>2</value></field></x>"


def request(stanza: str, to: str = "den@games.example") -> r.Request | None:
    """What a stanza asks, whose addresses are put in."""
    name, _, rest = stanza.partition(" ")
    found = read(parse(f"{name} from='a@b/c' to='{to}' {rest}"))
    return None if found is None else found.request


@pytest.mark.parametrize(
    ("stanza", "expected"),
    [
        ("<presence type='unavailable'/>", r.Ask("leave")),
        ("<presence type='subscribe'/>", None),
        ("<presence />", None),
        (
            f"<presence ><game xmlns='{MUG}'><item role='x'/></game></presence>",
            r.Ask("take role", "x"),
        ),
        (
            f"<presence ><game xmlns='{MUG}'><item role=''/></game></presence>",
            r.Ask("take role", ""),
        ),
        (f"<message ><start xmlns='{USER}'/></message>", r.Ask("start")),
        (f"<message ><game xmlns='{USER}'><start/></game></message>", r.Ask("start")),
        (
            f"<message ><turn xmlns='{USER}'><move xmlns='{TTT}' row=' 1' col='+2' id='3'/></turn>"
            "<body>and so on</body></message>",
            r.Ask("turn", Move(1, 2, 3)),
        ),
        (
            f"<message ><game xmlns='{USER}'><invite to='p@q'><reason>r</reason></invite>"
            "<invite/></game></message>",
            r.Ask("invite", (("p@q", "r"), ("", ""))),
        ),
        (
            f"<message ><decline xmlns='{USER}' to='p@q'><reason>r</reason></decline></message>",
            r.Ask("decline", ("p@q", "r")),
        ),
        ("<message ><body>help</body></message>", r.Ask("chat", "help")),
        ("<message type='error'><body>help</body></message>", r.Bounced(False, "")),
        (
            "<message type='error' id='i'><error xmlns='jabber:component:accept'>"
            "<gone xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>",
            r.Bounced(True, "i"),
        ),
        (f"<message ><start xmlns='{MUG}'/></message>", None),
        ("<iq type='get'><ping xmlns='urn:xmpp:ping'/></iq>", r.Ask("ping")),
        ("<iq type='get'><query xmlns='jabber:iq:search'/></iq>", r.Ask("ask search")),
        ("<iq type='set'><query xmlns='jabber:iq:search'/></iq>", r.Ask("search", {})),
        (
            f"<iq type='get'><query xmlns='jabber:iq:search'>{FORM.format('submit')}</query></iq>",
            r.Ask("search", {"a": ("1", "2")}),
        ),
        (
            "<iq type='set'><query xmlns='jabber:iq:search'><status>active</status></query></iq>",
            r.Ask("search", {"status": ("active",)}),
        ),
        (
            f"<iq type='set'><query xmlns='jabber:iq:search'>{FORM.format('submit')}</query></iq>",
            r.Ask("search", {"a": ("1", "2")}),
        ),
        (f"<iq type='get'><query xmlns='{OWNER}'/></iq>", r.Ask("ask options")),
        (f"<iq type='get'><query xmlns='{OWNER}'><options/></query></iq>", r.Ask("ask options")),
        (
            f"<iq type='get'><query xmlns='{OWNER}'><options>{FORM.format('submit')}</options>"
            "</query></iq>",
            r.Ask("configure", {"a": ("1", "2")}),
        ),
        (
            f"<iq type='set'><query xmlns='{OWNER}'><options><options xmlns='{TTT}'>"
            f"{FORM.format('submit')}</options></options></query></iq>",
            r.Ask("configure", {"a": ("1", "2")}),
        ),
        (
            f"<iq type='set'><query xmlns='{OWNER}'>{FORM.format('cancel')}</query></iq>",
            r.Ask("cancel options"),
        ),
        (
            f"<iq type='get'><query xmlns='{OWNER}'><item role='all'/></query></iq>",
            r.Ask("list roles", "all"),
        ),
        (
            f"<iq type='get'><query xmlns='{OWNER}'><item affiliation='member'/></query></iq>",
            r.Ask("list affiliations", "member"),
        ),
        (
            f"<iq type='set'><query xmlns='{OWNER}'><item nick='n' role='x'/></query></iq>",
            r.Ask("change roles", (Item("n", None, None, "x"),)),
        ),
        (
            f"<iq type='set'><query xmlns='{OWNER}'><item jid='P@Q' affiliation='none'/></query>"
            "</iq>",
            r.Ask("change affiliations", (Item(None, "p@q", "none", None),)),
        ),
        (f"<iq type='get'><save xmlns='{OWNER}'/></iq>", r.Ask("save")),
        (f"<iq type='set'><query xmlns='{OWNER}'><load/></query></iq>", r.Ask("load")),
        (
            "<iq type='set'><command xmlns='http://jabber.org/protocol/commands' node='new'"
            f" sessionid='s'>{FORM.format('submit')}</command></iq>",
            r.Command("new", "execute", "s", Submitted("submit", {"a": ("1", "2")})),
        ),
        ("<iq type='result'/>", None),
        (f"<iq type='result'><save xmlns='{OWNER}'/></iq>", None),
        ("<iq type='error'><x/></iq>", None),
    ],
)
def test_what_is_asked_of_a_room(stanza: str, expected: r.Request | None) -> None:
    assert request(stanza) == expected


@pytest.mark.parametrize(
    ("stanza", "expected"),
    [
        ("<presence />", r.Enter("nick", False, None, None)),
        (f"<presence ><game xmlns='{MUG}'/></presence>", r.Enter("nick", True, None, None)),
        (
            f"<presence ><game xmlns='{MUG}' var='g'><password>p</password></game></presence>",
            r.Enter("nick", True, "g", "p"),
        ),
        ("<presence ><game var='g'/></presence>", r.Enter("nick", False, None, None)),
        ("<message ><body>b</body></message>", None),
        (
            "<iq type='get'><query xmlns='http://jabber.org/protocol/disco#items' node='n'/></iq>",
            r.Discover("items", "nick", "n"),
        ),
    ],
)
def test_what_is_asked_of_an_occupant(stanza: str, expected: r.Request | None) -> None:
    found = request(stanza, "den@games.example/nick")
    if expected is None:
        assert isinstance(found, r.Ask)
        nick, payload = found.value
        assert (found.what, nick, [child.text() for child in payload]) == ("private", "nick", ["b"])
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("stanza", "condition"),
    [
        ("<iq />", "bad-request"),
        ("<iq type='get'/>", "bad-request"),
        ("<iq type='set'><query xmlns='http://jabber.org/protocol/disco#info'/></iq>", "service-"),
        (f"<iq type='set'><query xmlns='{OWNER}'/></iq>", "bad-request"),
        (f"<iq type='set'><query xmlns='{OWNER}'><item role='x'/></query></iq>", "bad-request"),
        (f"<iq type='get'><query xmlns='{OWNER}'><item/></query></iq>", "bad-request"),
        (f"<message ><turn xmlns='{USER}'/></message>", "bad-request"),
        (f"<presence ><game xmlns='{MUG}'/></presence>", "bad-request"),
        ("<iq type='set'><x xmlns='urn:x'/></iq>", "service-unavailable"),
    ],
)
def test_what_is_wrong(stanza: str, condition: str) -> None:
    found = request(stanza)
    assert isinstance(found, r.Ask)
    assert found.what == "wrong" and found.value.condition.startswith(condition)


@pytest.mark.parametrize(
    "stanza",
    [
        "<message/>",
        "<message from='a@b'/>",
        "<message to='a@b'/>",
        "<message from='@' to='a@b'/>",
        "<stream from='a@b' to='c@d'/>",
        "<message xmlns='jabber:client' from='a@b' to='c@d'/>",
    ],
)
def test_what_cant_be_answered(stanza: str) -> None:
    with pytest.raises(ValueError, match=r"isn't an address|an element"):
        read(parse(stanza))


def test_who_asks_and_of_whom() -> None:
    stanza = read(
        parse("<message from='A@B/c' to='den@games.example' type='chat'><body/></message>")
    )
    assert stanza is not None
    assert (str(stanza.sender), str(stanza.to), stanza.kind) == (
        "a@b/c",
        "den@games.example",
        "chat",
    )
