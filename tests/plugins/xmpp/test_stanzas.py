"""What a stanza asks, however it is said; and the answers, letter by letter."""

from __future__ import annotations

import re

import pytest

from tests.plugins.xmpp.helpers import GAME, World, submit
from tictac.plugins.xmpp.xml import MUG, OWNER, STANZAS, TTT, USER

SIZE = "<rows>3</rows><cols>3</cols><strike>3</strike>"


def test_the_stanzas_of_a_match() -> None:
    """What alice is told, who owns the room, plays x, wins, and puts bob out."""
    world = World()
    alice, bob = world.den("alice", "bob", strike="3")
    room, to = "from='den@games.example", "to='alice@example.org/desk'"
    game, turn = f"<game xmlns='{MUG}'>", f"<turn xmlns='{USER}'><move xmlns='{TTT}'"
    told: list[str] = []

    def read() -> list[str]:
        found = re.split("(?=<presence |<message )", "".join(world.sent))
        told.extend(stanza for stanza in found if to in stanza)
        world.sent.clear()
        return []

    world.read = read  # type: ignore[method-assign]
    alice.presence("den/Al", GAME)
    for client, role in (alice, "x"), (bob, "o"):
        client.take("den", role)
        client.start("den")
    alice.start("den")
    alice.turn("den", 1, 2, 1)
    bob.turn("den", 9, 9, 2)
    bob.enter("den", "bob")
    bob.message("den/Al", "<body>a &lt; b</body>")
    bob.leave("den", "bob")
    state = f"<state xmlns='{TTT}'>{SIZE}"
    empty = f"{state}<next>x</next><board/></state>"
    marked = f"{state}<next>o</next><board><field row='1' col='2'>x</field></board></state>"
    jid = "jid='bob@example.org/desk'"
    none = "<item affiliation='none' role='none'"
    gone = f"<presence {room}/bob' {to} type='unavailable'>{game}{none}/>"
    looks = f"{none} {jid}/></game></presence>"
    assert told == [
        f"<presence {room}/alice' {to}>{game}<item affiliation='owner' role='none'"
        f" jid='alice@example.org/desk' nick='Al'/></game></presence>",
        f"<presence {room}/Al' {to}>{game}<item affiliation='owner' role='x'"
        f" jid='alice@example.org/desk'/></game></presence>",
        f"<message {room}' {to} type='error' id='5'><start xmlns='{USER}'/><error type='cancel'>"
        f"<not-allowed xmlns='{STANZAS}'/><text xmlns='{STANZAS}' xml:lang='en'>"
        "both roles must be taken first</text></error></message>",
        f"<presence {room}/bob' {to}>{game}<item affiliation='none' role='o' {jid}/></game>"
        "</presence>",
        f"<message {room}/bob' {to}><start xmlns='{USER}'/></message>",
        f"<message {room}/Al' {to}><start xmlns='{USER}'/></message>",
        f"<presence {room}' {to}>{game}<status>active</status>{empty}</game></presence>",
        f"<message {room}/Al' {to} type='chat'>{turn} row='1' col='2' id='1'/></turn></message>",
        f"<presence {room}' {to}>{game}<status>active</status>{marked}</game></presence>",
        f"{gone}</game><invalid-turn xmlns='{USER}'/></presence>",
        f"<presence {room}' {to}>{game}<status>paused</status>{marked}</game>"
        f"<pause xmlns='{MUG}'/></presence>",
        f"<presence {room}/bob' {to}>{game}{looks}",
        f"<message {room}/bob' {to} type='chat'><body>a &lt; b</body></message>",
        f"{gone}</game></presence>",
    ]


@pytest.mark.parametrize(
    ("stanza", "answer"),
    [
        # A message or a presence that asks nothing.
        ("<presence type='subscribe'/>", "alice < den unsubscribed: "),
        ("<presence type='unsubscribe'/>", "alice < den unsubscribed: "),
        ("<presence type='probe'/>", None),
        ("<presence type='subscribed'/>", None),
        ("<presence type='nonsense'/>", None),
        ("<presence/>", None),
        ("<message/>", None),
        (f"<message><start xmlns='{MUG}'/></message>", None),
        ("<message type='error'><body>help</body></message>", None),
        ("<iq type='result'/>", None),
        (f"<iq type='result'><save xmlns='{OWNER}'/></iq>", None),
        ("<iq type='error'><x/></iq>", None),
        # The wrapper around what is said may be missing.
        (f"<message><game xmlns='{USER}'><start/></game></message>", "auth(forbidden)"),
        (f"<message><start xmlns='{USER}'/></message>", "auth(forbidden)"),
        (f"<message><decline xmlns='{USER}' to='p@q'/></message>", "cancel(item-not-found)"),
        # A get for a set, an empty query for one with options.
        (f"<iq type='get'><query xmlns='{OWNER}'/></iq>", "jabber:x:data"),
        (f"<iq type='get'><query xmlns='{OWNER}'><options/></query></iq>", "jabber:x:data"),
        (
            f"<iq type='get'><query xmlns='{OWNER}'><options>{submit('')}</options></query></iq>",
            "result: ",
        ),
        (f"<iq type='get'><query xmlns='{OWNER}'><load/></query></iq>", "cancel(not-allowed)"),
        (f"<iq type='get'><save xmlns='{OWNER}'/></iq>", "iq result: "),
        (f"<iq type='get'><query xmlns='{OWNER}'><save/></query></iq>", "iq result: "),
        # What isn't whole, or unknown.
        ("<iq/>", "modify(bad-request)"),
        ("<iq type='get'/>", "modify(bad-request)"),
        ("<iq type='nonsense'><x/></iq>", "modify(bad-request)"),
        (f"<message><turn xmlns='{USER}'/><turn xmlns='{USER}'/></message>", "(bad-request)"),
        (f"<iq type='set'><query xmlns='{OWNER}'/></iq>", "modify(bad-request)"),
        (f"<iq type='set'><query xmlns='{OWNER}'><item role='x'/></query></iq>", "(bad-request)"),
        (f"<iq type='get'><query xmlns='{OWNER}'><item/></query></iq>", "modify(bad-request)"),
        (f"<message><game xmlns='{USER}'><x/></game></message>", "modify(bad-request)"),
        (f"<message><turn xmlns='{USER}'/></message>", "modify(bad-request)"),
        (f"<presence><game xmlns='{MUG}'/></presence>", "modify(bad-request)"),
        ("<iq type='set'><x xmlns='urn:x'/></iq>", "cancel(service-unavailable)"),
        ("<iq type='get'><query xmlns='jabber:iq:search'/></iq>", "cancel(service-unavailable)"),
    ],
)
def test_what_is_asked_of_a_room(stanza: str, answer: str | None) -> None:
    world = World()
    world.den("alice")
    ends = " from='alice@example.org/desk' to='den@games.example'"
    world.receive(re.sub(r"^<\w+", lambda name: name[0] + ends, stanza))
    answers = world.read()
    assert any(answer in each for each in answers) if answer else not answers


@pytest.mark.parametrize(
    ("kind", "answers"),
    [
        ("subscribe", ["zoe < games.example subscribed: ", "zoe < games.example: "]),
        ("unsubscribe", ["zoe < games.example unsubscribed: "]),
        ("probe", ["zoe < games.example: "]),
        ("unsubscribed", []),
        ("nonsense", []),
    ],
)
def test_the_service_in_a_contact_list(kind: str, answers: list[str]) -> None:
    assert World().client("zoe").presence("", kind=kind) == answers


@pytest.mark.parametrize(
    "stanza",
    [
        "<message/>",
        "<message from='a@b'/>",
        "<message from='@' to='games.example'/>",
        "<stream from='a@b' to='games.example'/>",
        "<message xmlns='jabber:client' from='a@b' to='games.example'/>",
        "<iq from='a@b' to='elsewhere.example' type='get' id='1'><x/></iq>",
        "<iq from='games.example' to='games.example' type='get' id='1'><x/></iq>",
        "<presence from='den@games.example/alice' to='hall@games.example/alice'/>",
        "<message from='a@GAMES.example' to='games.example'><body>help</body></message>",
    ],
)
def test_what_cant_be_answered(stanza: str) -> None:
    world = World()
    world.receive(stanza)
    assert (world.read(), world.server.unanswered) == ([], 1)


@pytest.mark.parametrize(
    ("name", "echo"),
    [("iq", ""), ("presence", f"<game xmlns='{MUG}'/>"), ("message", f"<turn xmlns='{USER}'/>")],
)
def test_an_error(name: str, echo: str) -> None:
    world = World()
    ends = "from='a@b/c' to='den@games.example'"
    kind = " type='set'" if name == "iq" else ""
    inner = f"<game xmlns='{MUG}'><item/></game>" if name == "presence" else ""
    world.receive(f"<{name} {ends} id='7'{kind}> {inner}<turn xmlns='{USER}'/></{name}>")
    text = world.sent[0].partition("<text")[0]
    condition = ("cancel", "service-unavailable") if name == "iq" else ("modify", "bad-request")
    assert text == (
        f"<{name} from='den@games.example' to='a@b/c' type='error' id='7'>{echo}"
        f"<error type='{condition[0]}'><{condition[1]} xmlns='{STANZAS}'/>"
    )
