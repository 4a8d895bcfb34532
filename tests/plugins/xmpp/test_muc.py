"""docs/reference/xmpp.md, "Multi-User Chat": rooms as every chat client enters them (XEP-0045)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from tests.plugins.xmpp.helpers import GAME, Client, World
from tictac.errors import RoomFull
from tictac.lobby.events import Refused

MUC = "http://jabber.org/protocol/muc"
JOIN = f"<x xmlns='{MUC}'/>"


def short(lines: list[str]) -> list[str]:
    """Return stanzas in short, without namespaces and the room's own occupant."""
    lines = [line for line in lines if "/referee: " not in line]
    return [re.sub(r"\{[^ {}]+\}", "", line) for line in lines]


def join(world: World, name: str, nick: str = "", inner: str = JOIN) -> Client:
    """Enter den by MUC; what that leads to is in ``world.came``."""
    client = world.client(name)
    came.clear()
    came.extend(short(client.presence(f"den/{nick or name}", inner)))
    return client


came: list[str] = []


def say(client: Client, text: str, more: str = "") -> list[str]:
    return short(client.message("den", f"<body>{text}</body>{more}", "groupchat"))


def later(world: World) -> list[str]:
    """Return what comes within the next second."""
    world.clock.advance(1)
    return short(world.read())


def test_a_new_room(world: World) -> None:
    join(world, "alice")
    own, subject, standing = came
    assert own == (
        "alice/desk < den/alice: x(item affiliation=owner jid=alice@example.org/desk"
        " role=moderator status code=110 status code=201 status code=170)"
    )
    assert subject == (
        "alice/desk < den message groupchat:"
        " subject('Tic-tac-toe, 3x3, 3 in a row win: x is free, o is free')"
    )
    assert standing.startswith("alice/desk < den/referee message groupchat: body(")


def test_presences_come_in_the_order_of_the_standard(world: World) -> None:
    join(world, "alice")
    join(world, "bob")
    assert came[:3] == [
        "alice/desk < den/bob: x(item affiliation=none jid=bob@example.org/desk role=participant)",
        "bob/desk < den/alice: x(item affiliation=owner role=moderator)",
        "bob/desk < den/bob: x(item affiliation=none role=participant status code=110"
        " status code=170)",
    ]
    assert "subject" in came[3] and "body" in came[4] and len(came) == 5


def test_a_room_that_shows_addresses_warns(world: World) -> None:
    world.den("alice", anonymity="non-anonymous")
    join(world, "bob")
    assert "status code=110 status code=100" in "".join(came)


@pytest.mark.parametrize(
    ("options", "nick", "inner", "condition"),
    [
        ({}, "Alice", JOIN, "cancel(conflict)"),
        ({"membersonly": "1"}, "bob", JOIN, "auth(registration-required)"),
        ({"passwordprotectedroom": "1", "roomsecret": "s"}, "bob", JOIN, "auth(not-authorized)"),
    ],
)
def test_refused(options: dict[str, str], nick: str, inner: str, condition: str) -> None:
    world = World()
    world.den("alice", **options)
    join(world, "bob", nick, inner)
    assert came == [f"bob/desk < den/{nick} error: x error type={condition}"]


def test_a_password(world: World) -> None:
    world.den("alice", passwordprotectedroom="1", roomsecret="s")
    join(world, "bob", inner=f"<x xmlns='{MUC}'><password>s</password></x>")
    assert "status code=110" in "".join(came)


def test_no_nick(world: World) -> None:
    [line] = short(world.client("bob").presence("den", JOIN))
    assert line == "bob/desk < den error: x error type=modify(jid-malformed)"


def test_talk_reaches_everybody(world: World) -> None:
    alice, bob = join(world, "alice"), join(world, "bob")
    vera, tom = world.client("vera"), world.client("tom")
    vera.presence("den/vera", GAME)
    tom.chat("", "join den")
    later(world)
    assert sorted(say(bob, "well <b/>".replace("<b/>", "played"), "<active xmlns='c'/>")) == [
        "alice/desk < den/bob message groupchat: body('well played') active",
        "bob/desk < den/bob message groupchat: body('well played') active",
        "tom/desk < games.example message chat: body('bob: well played')",
        "vera/desk < den/bob message chat: body('well played')",
    ]
    assert "alice/desk < den/vera message groupchat: body('hi')" in vera.chat("den", "say hi")
    assert say(alice, "", "<paused xmlns='c'/>")[0].startswith("alice/desk < den/alice message")


def test_only_occupants_talk(world: World) -> None:
    join(world, "alice")
    [line] = say(world.client("eve"), "hello")
    assert line.endswith("error type=modify(not-acceptable)")


def test_the_room_speaks_by_an_occupant_of_its_own(world: World) -> None:
    """Converse.js shows no message that comes from the room itself."""
    lines = world.client("alice").presence("den/alice", JOIN)
    assert "den/referee: " in lines[0] and "role=participant" in lines[0]
    for nick in "referee", "Referee":
        join(world, "bob", nick)
        assert came[0].endswith("error type=cancel(conflict)")
        assert world.client("tom").enter("den", nick)[0].endswith("cancel(conflict)")


def test_a_command_that_others_dont_see(world: World) -> None:
    alice, bob = join(world, "alice"), join(world, "bob")
    world.clock.advance(2)
    world.read()
    lines = short(bob.message("den/referee", "<body>rules</body>"))
    assert lines[0].startswith("bob/desk < den/referee message chat: body(") and len(lines) == 1
    assert "alice plays x" in "".join(alice.message("den/referee", "<body>x</body>"))


def test_nobody_changes_the_subject(world: World) -> None:
    alice = join(world, "alice")
    [line] = short(alice.message("den", "<subject>mine</subject>", "groupchat"))
    assert line.endswith("error type=auth(forbidden)")


def begin(world: World) -> tuple[Client, Client]:
    alice, bob = join(world, "alice"), join(world, "bob")
    for client, text in (alice, "x"), (bob, "o"), (alice, "start"), (bob, "start"):
        say(client, text)
    later(world)
    later(world)
    return alice, bob


def test_a_role_is_a_status_and_the_subject(world: World) -> None:
    alice = join(world, "alice")
    reflected, presence, subject = say(alice, "x")
    assert "body('x')" in reflected
    assert "status('plays x') x(item affiliation=owner" in presence
    assert "alice plays x, o is free" in subject


def test_moves(world: World) -> None:
    alice, bob = begin(world)
    moved = say(alice, "2 2")
    assert [line for line in moved if "body('2 2')" in line]
    [board] = [line for line in moved if line.startswith("bob/desk < den/referee message")]
    assert "alice marks 2 2.\\n```\\n----" in board
    later(world)
    *_, refused = say(bob, "2 2")
    assert refused == 'bob/desk < den/referee message groupchat: body("2 2 isn\'t a free field")'


def test_a_move_by_the_letter_of_its_column(world: World) -> None:
    alice, _bob = begin(world)
    assert "alice marks 3 2." in "".join(say(alice, "b3"))


def test_a_correction_is_no_move(world: World) -> None:
    alice, _bob = begin(world)
    assert len(say(alice, "2 2", "<replace xmlns='urn:xmpp:message-correct:0' id='1'/>")) == 2


def test_a_sentence_is_no_command(world: World) -> None:
    alice, _bob = begin(world)
    for text in "draw me a cat", "x marks the spot", "resign yourself", "leave it":
        assert len(say(alice, text)) == 2


def test_a_busy_match_is_a_message_a_second(world: World) -> None:
    alice, bob = begin(world)
    boards = 0
    for number, client in enumerate((alice, bob, alice, bob), 1):
        moved = say(client, f"{(number + 2) // 3} {(number - 1) % 3 + 1}")
        boards += sum(line.startswith("alice/desk < den/referee message") for line in moved)
    assert boards == 1
    [line] = [line for line in later(world) if line.startswith("alice/desk")]
    assert line.count("marks") == 3 and line.count("```") == 2 and line.count("It is the turn") == 1
    assert later(world) == []


def test_no_pace_at_all() -> None:
    world = World(pace=0)
    alice, bob = join(world, "alice"), join(world, "bob")
    assert "x is taken by alice" in "".join(say(alice, "x") + say(bob, "x"))


def test_another_nick(world: World) -> None:
    join(world, "alice")
    bob = join(world, "bob")
    lines = short(bob.presence("den/rob"))
    assert [line for line in lines if line.startswith("bob/")] == [
        "bob/desk < den/bob unavailable: x(item affiliation=none nick=rob role=none"
        " status code=303 status code=110)",
        "bob/desk < den/rob: x(item affiliation=none role=participant status code=110)",
    ]


def test_leaving(world: World) -> None:
    join(world, "alice")
    bob = join(world, "bob")
    lines = short(bob.leave("den", "bob"))
    assert lines[-1] == (
        "bob/desk < den/bob unavailable: x(item affiliation=none role=none status code=110)"
    )


def test_a_kick(world: World) -> None:
    alice, bob = join(world, "alice"), join(world, "bob")
    kick = f"<query xmlns='{MUC}#admin'><item nick='bob' role='none'/></query>"
    assert bob.iq("den", kick)[0].endswith("error type=auth(forbidden)")
    lines = short(alice.iq("den", kick))
    assert (
        "bob/desk < den/bob unavailable: x(item affiliation=none role=none"
        " status code=110 status code=307)" in lines
    )
    assert say(bob, "hello")[0].endswith("error type=modify(not-acceptable)")


def test_the_end_of_a_room(world: World) -> None:
    alice = join(world, "alice")
    join(world, "bob")
    lines = short(alice.iq("den", f"<query xmlns='{MUC}#owner'><destroy/></query>"))
    assert len([line for line in lines if "destroy(reason" in line and "code=110" in line]) == 2
    assert world.rooms.by_name == {}


def test_options(world: World) -> None:
    alice = join(world, "alice")
    [form] = alice.iq("den", f"<query xmlns='{MUC}#owner'/>", "get")
    assert "var=muc#roomconfig_membersonly" in form
    field = "<field var='muc#roomconfig_whois'><value>anyone</value></field>"
    form = f"<x xmlns='jabber:x:data' type='submit'>{field}</x>"
    alice.iq("den", f"<query xmlns='{MUC}#owner'>{form}</query>")
    assert world.rooms.by_name["den"].options.anonymity == "non-anonymous"


def test_a_client_asks_whether_it_is_in_the_room(world: World) -> None:
    alice, ping = join(world, "alice"), "<ping xmlns='urn:xmpp:ping'/>"
    assert short(alice.iq("den/alice", ping, "get")) == ["alice/desk < den/alice iq result: "]
    [line] = world.client("eve").iq("den/alice", ping, "get")
    assert line.endswith("error type=modify(not-acceptable)")


def test_an_invitation(world: World) -> None:
    alice = join(world, "alice")
    invite = "<invite to='zoe@example.org'><reason>play</reason></invite>"
    lines = alice.message("den", f"<x xmlns='{MUC}#user'>{invite}</x>", "normal")
    [line] = [line for line in lines if line.startswith("zoe")]
    assert "{jabber:x:conference}x jid=den@games.example reason=play" in line


def test_a_message_comes_back_with_its_id(world: World) -> None:
    alice = join(world, "alice")
    world.receive(
        f"<message from='{alice.address}' to='den@games.example' id='abc' type='groupchat'>"
        "<body>hello</body></message>"
    )
    [stanza] = world.stanzas()
    assert (stanza["id"], stanza["from"]) == ("abc", "den@games.example/alice")


def test_messages_to_one(world: World) -> None:
    join(world, "alice")
    bob, body = join(world, "bob"), "<body>psst</body>"
    [line] = short(bob.message("den/alice", body))
    assert line == "alice/desk < den/bob message chat: body('psst') x"
    [line] = short(bob.message("den/alice", body, "groupchat"))
    assert line.endswith("error type=modify(bad-request)")


def test_a_full_room(world: World) -> None:
    world.den("alice", "bob", maxusers="2")
    join(world, "eve")
    assert came[0].endswith("error type=wait(service-unavailable)")


def test_the_end_of_the_service(world: World) -> None:
    join(world, "alice")
    world.server.send_goodbye()
    assert "status code=110 status code=332" in short(world.read())[-1]


# Rooms of the lobby for any game


@pytest.fixture
def club(world: World) -> Client:
    """Return tom, a chat user, who has opened a Reversi room."""
    tom = world.client("tom")
    tom.chat("", "new club reversi size=4")
    return tom


def enter(world: World, name: str, nick: str = "") -> Client:
    client = world.client(name)
    came[:] = short(client.presence(f"club/{nick or name}", JOIN))
    return client


def talk(client: Client, text: str) -> list[str]:
    return short(client.message("club", f"<body>{text}</body>", "groupchat"))


def test_entering_a_room_for_another_game(world: World, club: Client) -> None:
    enter(world, "alice")
    host, own, subject, standing, told = came
    assert host == (
        "alice/desk < club/guest-tom@example.org:"
        " status('plays X') x(item affiliation=none role=participant)"
    )
    codes = "status code=110 status code=170"
    assert own.endswith(f"x(item affiliation=none role=participant {codes})")
    assert "subject('club: Reversi size=4, guest-tom@example.org, free seats: 1')" in subject
    assert "body" in standing and told.startswith("tom/")
    enter(world, "eve", "ALICE")
    assert came[-1].endswith("error type=cancel(conflict)")


def test_a_seat_and_moves(world: World, club: Client) -> None:
    alice, vera = enter(world, "alice"), enter(world, "vera")
    lines = talk(alice, "join")
    assert [line for line in lines if "vera/desk < club/alice: status('plays O')" in line]
    club.chat("club", "a2")
    [board] = [line for line in later(world) if line.startswith("alice/")]
    assert "a2\\n```\\n    a b c d" in board and "It is your turn" in board
    assert "You only watch here." in "".join(talk(vera, "a1") + later(world))
    lines = talk(alice, "a1") + later(world)
    assert any("O (guest-alice@example.org): a1" in line for line in lines)
    assert talk(alice, "b4")[-1].endswith("it isn't the turn of guest-alice@example.org\")")


def test_talk_at_another_game(world: World, club: Client) -> None:
    alice, _vera = enter(world, "alice"), enter(world, "vera")
    later(world)
    assert talk(alice, "hello") == [
        "alice/desk < club/alice message groupchat: body('hello')",
        "vera/desk < club/alice message groupchat: body('hello')",
        "tom/desk < games.example message chat: body('guest-alice@example.org: hello')",
    ]
    assert later(world) == []
    heard = short(club.chat("club", "say hi"))
    assert "alice/desk < club/guest-tom@example.org message groupchat: body('hi')" in heard


def test_the_end_of_another_game(world: World, club: Client) -> None:
    alice = enter(world, "alice")
    talk(alice, "join")
    lines = short(club.chat("club", "resign"))
    tom, own, subject = [line for line in lines if line.startswith("alice/")]
    assert tom.startswith("alice/desk < club/guest-tom@example.org unavailable")
    assert own.startswith("alice/desk < club/alice: x(")
    assert "the match is over" in subject
    [won] = [line for line in later(world) if line.startswith("alice/")]
    assert "O (guest-alice@example.org) has won." in won


def test_nobodys_window_closes_over_the_last_board(world: World, club: Client) -> None:
    alice, vera = enter(world, "alice"), enter(world, "vera")
    talk(alice, "join")
    club.chat("club", "resign")
    later(world)
    assert talk(vera, "well played") == [
        "alice/desk < club/vera message groupchat: body('well played')",
        "vera/desk < club/vera message groupchat: body('well played')",
    ]
    assert "The match here is over." in "".join(talk(alice, "join") + later(world))
    vera.leave("club", "vera")
    alice.leave("club", "alice")
    assert not (world.rooms.ended or world.server.tables.attendances or world.server.chat.seats)


def test_a_room_of_the_lobby_for_tic_tac_toe_stays_too(world: World) -> None:
    tom = world.client("tom")
    tom.chat("", "new club tictactoe")
    alice, vera = enter(world, "alice"), world.client("vera")
    vera.presence("club/vera", GAME)
    talk(alice, "o")
    lines = later(world) + short(tom.chat("club", "resign"))
    assert any(line.startswith("vera/desk < club/vera unavailable") for line in lines)
    assert not any(line.startswith("alice/desk < club/alice unavailable") for line in lines)
    assert "has won" in "".join(later(world) + lines)
    assert talk(alice, "good game")[0].endswith("body('good game')")
    assert "the match here is over" in "".join(talk(alice, "x") + later(world))
    assert alice.leave("club", "alice") and "club" not in world.rooms.by_name


def test_leaving_another_game(world: World, club: Client) -> None:
    enter(world, "alice")
    vera = enter(world, "vera")
    lines = short(vera.leave("club", "vera"))
    assert [line.split(":")[0] for line in lines if "unavailable" in line] == [
        "alice/desk < club/vera unavailable",
        "vera/desk < club/vera unavailable",
    ]
    assert vera.iq("club/vera", "<ping xmlns='urn:xmpp:ping'/>", "get")[0].endswith(")")


def test_a_room_of_the_lobby_that_is_full(world: World, club: Client) -> None:
    """A conflict would mean that the nick is taken."""
    world.lobby.max_viewers_per_peer = 1
    enter(world, "alice")
    enter(world, "vera")
    assert came[0].endswith("x error type=wait(service-unavailable)")


def test_a_private_room_of_the_lobby(world: World) -> None:
    club = world.client("tom")
    club.chat("", "new club reversi size=4")
    room = world.lobby.room("club")
    assert room is not None
    room.terms = replace(room.terms, key="sesame")
    enter(world, "alice")
    assert came[0].endswith("error type=auth(not-authorized)")
    alice = world.client("alice")
    secret = f"<x xmlns='{MUC}'><password>sesame</password></x>"
    assert "status code=110" in "".join(alice.presence("club/alice", secret))
    info = "<query xmlns='http://jabber.org/protocol/disco#info'/>"
    assert "muc_passwordprotected" in alice.iq("club", info, "get")[0]
    assert "item-not-found" in world.client("eve").iq("club", info, "get")[0]


def test_two_clients_and_private_messages_at_another_game(world: World, club: Client) -> None:
    alice, phone = enter(world, "alice"), enter(world, "alice/phone", "alice")
    vera = enter(world, "vera")
    later(world)
    lines = talk(vera, "hello")
    assert sum(line.startswith("alice/") for line in lines) == 2
    lines = short(vera.message("club/alice", "<body>psst</body>"))
    assert len(lines) == 2 and all("club/vera message chat: body('psst')" in x for x in lines)
    assert not any(line.startswith("vera") for line in short(phone.leave("club", "alice")))
    assert any(line.startswith("vera") for line in short(alice.leave("club", "alice")))


@pytest.mark.parametrize("late", [False, True])
def test_the_loser_of_a_race_for_the_last_seat_still_watches(late: bool) -> None:
    world = World()
    world.client("tom").chat("", "new club reversi size=4")
    alice, join = enter(world, "alice"), world.lobby.join

    def refuse(occupant: Any, name: str, mode: Any, key: str | None = None) -> None:
        if mode != "PLAYER":
            join(occupant, name, mode, key)
            return
        refused = Refused(occupant.occupant_id, "join", RoomFull("the seat is taken"))
        if not late:
            occupant.receive(refused)
            return
        occupant.wait()
        world.clock.callLater(0.1, occupant.release)
        world.clock.callLater(0.1, occupant.receive, refused)

    later(world)
    world.lobby.join = refuse  # type: ignore[assignment,method-assign]
    lines = talk(alice, "join") + later(world)
    assert "the seat is taken" in "".join(lines)
    lines = talk(alice, "hello") + later(world)
    assert "alice/desk < club/alice message groupchat: body('hello')" in lines
    assert "tom/desk < games.example message chat: body('guest-alice@example.org: hello')" in lines
