"""Events, and the stanzas that they are as text: the shapes of the proposals, letter by letter."""

from __future__ import annotations

import pytest

from tests.doors.xmpp.helpers import parse
from tictac.doors.xmpp import events as e
from tictac.doors.xmpp.match import Move, Result, State
from tictac.doors.xmpp.refusals import Refused, invalid_turn
from tictac.doors.xmpp.xml import MUG, OWNER, STANZAS, TTT, USER, element, to_text
from tictac.games.tictactoe.rules import Rules

ROOM = "den@games.example"
HER = (e.Session("a@b/c"),)
PRESENCE = f"<presence from='{ROOM}{{}}' to='a@b/c'>"
SIZE = "<rows>3</rows><cols>4</cols><strike>3</strike>"
EMPTY = f"<state xmlns='{TTT}'>{SIZE}<next>x</next><board/></state>"


def state(board: str = "0" * 12, result: Result = "") -> State:
    return State(Rules(3, 4, 3), "x", board, result)


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (
            e.RoomShown(ROOM, HER, "created", None),
            f"{PRESENCE.format('')}<game xmlns='{MUG}'><status>created</status></game></presence>",
        ),
        (
            e.RoomShown(ROOM, HER, "inactive", state(), reconfigured=True),
            f"{PRESENCE.format('')}<game xmlns='{MUG}'><configuration-changed/>"
            f"<status>inactive</status>{EMPTY}</game></presence>",
        ),
        (
            e.RoomShown(ROOM, HER, "paused", state(), pause=True),
            f"{PRESENCE.format('')}<game xmlns='{MUG}'><status>paused</status>{EMPTY}</game>"
            f"<pause xmlns='{MUG}'/></presence>",
        ),
        (
            e.RoomShown(ROOM, HER, "active", state("0001" + "0" * 7 + "2")),
            f"{PRESENCE.format('')}<game xmlns='{MUG}'><status>active</status>"
            f"<state xmlns='{TTT}'>{SIZE}<next>x</next><board><field row='1' col='4'>x</field>"
            "<field row='3' col='4'>o</field></board></state></game></presence>",
        ),
        (
            e.RoomShown(ROOM, HER, "inactive", state(result="o")),
            f"{PRESENCE.format('')}<game xmlns='{MUG}'><status>inactive</status>"
            f"{EMPTY.replace('<board/>', '<board/><won>o</won>')}</game></presence>",
        ),
        (
            e.RoomShown(ROOM, HER, "inactive", state(result="draw")),
            f"{PRESENCE.format('')}<game xmlns='{MUG}'><status>inactive</status>"
            f"{EMPTY.replace('<board/>', '<board/><draw/>')}</game></presence>",
        ),
        (
            e.OccupantShown(ROOM, HER, "n", "owner", "x", "j@k/l", "m"),
            f"{PRESENCE.format('/n')}<game xmlns='{MUG}'>"
            "<item affiliation='owner' role='x' jid='j@k/l' nick='m'/></game></presence>",
        ),
        (
            e.OccupantShown(ROOM, HER, "n", "none", None),
            f"{PRESENCE.format('/n')}<game xmlns='{MUG}'>"
            "<item affiliation='none' role='none'/></game></presence>",
        ),
        (
            e.OccupantGone(ROOM, HER, "n", "member"),
            f"{PRESENCE.format('/n')[:-1]} type='unavailable'><game xmlns='{MUG}'>"
            "<item affiliation='member' role='none'/></game></presence>",
        ),
        (
            e.OccupantGone(ROOM, HER, "n", "none", "invalid-turn"),
            f"{PRESENCE.format('/n')[:-1]} type='unavailable'><game xmlns='{MUG}'>"
            "<item affiliation='none' role='none'/></game>"
            f"<invalid-turn xmlns='{USER}'/></presence>",
        ),
        (
            e.OccupantGone(ROOM, HER, "n", "none", "saved"),
            f"{PRESENCE.format('/n')[:-1]} type='unavailable'><game xmlns='{MUG}'>"
            f"<item affiliation='none' role='none'/></game><saved xmlns='{MUG}'/></presence>",
        ),
        (
            e.Started(ROOM, HER, "n"),
            f"<message from='{ROOM}/n' to='a@b/c' type='chat'><start xmlns='{USER}'/></message>",
        ),
        (
            e.Turned(ROOM, HER, "n", Move(1, 2, 3), "0" * 12, 4),
            f"<message from='{ROOM}/n' to='a@b/c' type='chat'><turn xmlns='{USER}'>"
            f"<move xmlns='{TTT}' row='1' col='2' id='3'/></turn></message>",
        ),
        (
            e.Forwarded(ROOM, HER, "n", "chat", (element(USER, "x"), "text")),
            f"<message from='{ROOM}/n' to='a@b/c' type='chat'><x xmlns='{USER}'/>text</message>",
        ),
        (
            e.Invited(ROOM, "i", "p@q", f"{ROOM}/n", "why", "s"),
            f"<message from='{ROOM}' to='p@q' id='i'><game xmlns='{USER}'>"
            f"<invited from='{ROOM}/n' var='{TTT}'><reason>why</reason></invited>"
            f"<password>s</password></game><body>{ROOM}/n invites you to tic-tac-toe."
            " Write to games.example: join den s</body></message>",
        ),
        (
            e.Declined(ROOM, HER, "p@q", "busy"),
            f"<message from='{ROOM}' to='a@b/c'><game xmlns='{USER}'>"
            "<declined from='p@q'><reason>busy</reason></declined></game></message>",
        ),
        (
            e.NotInvited(ROOM, HER, "p@q"),
            f"<message from='{ROOM}' to='a@b/c' type='error'><game xmlns='{USER}'>"
            f"<invite to='p@q'/></game><error type='cancel'><item-not-found xmlns='{STANZAS}'/>"
            f"<text xmlns='{STANZAS}' xml:lang='en'>the invitation came back</text></error>"
            "</message>",
        ),
        (e.Stored(ROOM, b"", ()), None),
        (e.Forgotten(ROOM), None),
    ],
)
def test_an_event_as_text(event: e.Event, text: str | None) -> None:
    assert [to_text(stanza) for stanza in event.stanzas(None)] == ([text] if text else [])


def test_chats_get_no_stanzas_but_private_messages() -> None:
    chat = (e.Session("a@b/c", ROOM, "chat"),)
    assert list(e.Started(ROOM, chat, "n").stanzas(None)) == []
    assert len(list(e.Forwarded(ROOM, chat, "n", "chat", ()).stanzas(None))) == 1


def test_the_result_of_an_iq() -> None:
    asked = parse(f"<iq from='a@b/c' to='{ROOM}' id='7' type='set'><x/></iq>")
    query = element(OWNER, "query")
    assert [to_text(s) for s in e.Answered(query).stanzas(asked)] == [
        f"<iq from='{ROOM}' to='a@b/c' type='result' id='7'><query xmlns='{OWNER}'/></iq>"
    ]
    assert list(e.Answered().stanzas(None)) == []


@pytest.mark.parametrize(
    ("name", "echo"),
    [
        ("iq", ""),
        ("presence", f"<game xmlns='{MUG}'/>"),
        ("message", f"<turn xmlns='{USER}'/>"),
    ],
)
def test_an_error(name: str, echo: str) -> None:
    asked = parse(f"<{name} from='a@b/c' to='{ROOM}' id='7'> <turn xmlns='{USER}'/></{name}>")
    [answer] = e.Erred(Refused("conflict", "taken")).stanzas(asked)
    assert to_text(answer) == (
        f"<{name} from='{ROOM}' to='a@b/c' type='error' id='7'>{echo}<error type='cancel'>"
        f"<conflict xmlns='{STANZAS}'/><text xmlns='{STANZAS}' xml:lang='en'>taken</text>"
        f"</error></{name}>"
    )


def test_the_error_of_an_impossible_move() -> None:
    asked = parse(f"<message from='a@b/c' to='{ROOM}'><turn xmlns='{USER}'/></message>")
    [answer] = e.Erred(invalid_turn("no")).stanzas(asked)
    assert f"<invalid-turn xmlns='{MUG}'/></error>" in to_text(answer)
    assert f"<undefined-condition xmlns='{STANZAS}'/>" in to_text(answer)
