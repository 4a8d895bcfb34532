"""docs/reference/xmpp.md, "Chat"."""

from __future__ import annotations

import pytest

from tests.plugins.xmpp.helpers import World, come_back
from tests.plugins.xmpp.talker import Talker
from tictac.engines.computer import THINKS
from tictac.plugins.xmpp.xml import USER


@pytest.fixture
def anna(world: World) -> Talker:
    return Talker(world, "anna")


@pytest.fixture
def ben(world: World) -> Talker:
    return Talker(world, "ben")


@pytest.mark.parametrize("kind", ["chat", "normal", "", "groupchat"])
@pytest.mark.parametrize("body", ["help", "HELP", "  help "])
def test_help(anna: Talker, kind: str, body: str) -> None:
    assert "join NAME" in anna.say(body, kind=kind)


def test_rooms(anna: Talker) -> None:
    assert anna.say("rooms") == "There are no rooms: write new."
    anna.say("new den 4 5")
    assert anna.say("rooms") == "den: inactive, 4x5, 1 in it, free: x and o"


def test_a_match(anna: Talker, ben: Talker) -> None:
    anna.say("new den")
    ben.say("join den")
    anna.say("x")
    assert ben.say("o", to="den") == "ben plays o."
    anna.say("start")
    ben.say("start")
    anna.say("2 3")
    # The opponent's move comes as a body, where ben has talked to us last.
    [told] = anna.others.values()
    assert told.getAttribute("from") == "games.example"
    assert "anna marks 2 3." in str(next(told.elements()))
    for body, talker in (("1 1", ben), ("1 3", anna), ("2 2", ben)):
        talker.say(body)
    end = anna.say("3 3")
    assert "|   |   | X |" in end
    assert "x has won." in end and "o moves first" in end
    assert ben.say("leave", to="den") == "ben has left."
    assert anna.say("leave") == "anna has left."
    assert anna.say("board").startswith("You aren't in a room")
    assert not anna.world.rooms.by_name


def test_an_impossible_move_is_explained_and_that_is_all(anna: Talker, ben: Talker) -> None:
    anna.say("new den")
    ben.say("join den")
    anna.say("x")
    ben.say("o")
    anna.say("start")
    ben.say("start")
    anna.say("1 1")
    assert ben.say("1 1") == "1 1 isn't a free field"
    assert ben.say("99999 1") == "99999 1 isn't a free field"
    assert anna.say("2 2") == "it is the turn of o"
    assert "ben marks 2 2." in ben.say("2 2")


@pytest.mark.parametrize("dimensions", ["", " 4 5 4"])
def test_against_the_computer(anna: Talker, dimensions: str) -> None:
    anna.say(f"new den{dimensions}")
    anna.say("o")
    assert anna.say("computer") == "computer plays x."
    assert "computer has started." in anna.say("start")
    anna.world.clock.advance(THINKS)
    assert anna.heard().startswith("computer marks ")
    room = anna.world.rooms.find("den")
    cell, cols = str(room.match.position).index("0"), 5 if dimensions else 3
    assert "anna marks" in anna.say(f"{cell // cols + 1} {cell % cols + 1}")
    anna.world.clock.advance(THINKS)
    assert anna.heard().startswith("computer marks ")


def test_the_computer_plays_a_whole_match_and_the_next(anna: Talker) -> None:
    anna.say("new den")
    anna.say("x")
    anna.say("computer")
    room = anna.world.rooms.find("den")
    for first in "xo":
        assert room.match.turn == first
        anna.say("start")
        while room.match.status == "active":
            if room.match.turn == "x":
                cell = str(room.match.position).index("0")
                anna.say(f"{cell // 3 + 1} {cell % 3 + 1}")
            else:
                anna.world.clock.advance(THINKS)
                anna.world.stanzas()
        assert room.match.result in ("o", "draw")


def test_the_computer_goes_when_nobody_needs_it(anna: Talker, ben: Talker) -> None:
    anna.say("new den")
    anna.say("computer")
    assert anna.say("computer").startswith("computer@games.example declines")
    anna.say("leave")
    assert not anna.world.rooms.by_name


def test_the_computer_has_no_role_left(anna: Talker, ben: Talker) -> None:
    anna.say("new den")
    anna.say("x")
    ben.say("join den")
    ben.say("o")
    assert "there is no role for me" in anna.say("computer")
    assert ben.say("computer") == "only the owner can invite to this room"


def test_an_invitation_by_chat(anna: Talker) -> None:
    anna.say("new den")
    assert anna.say("invite zoe@example.org") == "zoe@example.org is invited."
    assert next(anna.others["zoe@example.org"].elements(USER, "game"))
    come_back(anna.world, "zoe", anna.others["zoe@example.org"].getAttribute("id") or "")
    assert anna.heard() == "zoe@example.org can't be invited."


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("dance", "That isn't a command: write help."),
        ("", "rooms - "),
        ("join", "Write join and the name of a room."),
        ("join attic", "there is no such room"),
        ("new DEN!", "A room is named by"),
        ("new a 3 3 3 3", "Write new NAME ROWS COLS STRIKE."),
        ("new hall 2", "rows is one of 3, 4, 5"),
        ("new hall chess", "There is no such game: write games."),
        ("new hall 3 3 4", "strike is 3 at most"),
        ("start", "You aren't in a room"),
        ("2 3", "You aren't in a room"),
        ("x", "You aren't in a room"),
        ("leave", "You aren't in a room"),
        ("invite", "You aren't in a room"),
        ("2 3 4", "That isn't a command"),
    ],
)
def test_what_is_explained(anna: Talker, body: str, answer: str) -> None:
    assert anna.say(body).startswith(answer)
    assert not anna.world.rooms.by_name


@pytest.mark.parametrize("body", ["rooms", "new", "join den"])
def test_what_goes_to_the_service(anna: Talker, body: str) -> None:
    anna.say("new den")
    assert anna.say(body, to="den") == "Write that to games.example."


def test_a_room_that_one_isnt_in(anna: Talker, ben: Talker) -> None:
    anna.say("new den")
    assert ben.say("x", to="den").startswith("You aren't in den")


def test_a_name_is_found_when_none_is_given(anna: Talker) -> None:
    assert "This is anna." in anna.say("new")
    assert "This is anna1." in anna.say("new")
    assert "There is a room anna already." in anna.say("new anna")


def test_commands_are_for_the_room_entered_last(anna: Talker) -> None:
    anna.say("new den")
    anna.say("new hall")
    anna.say("x")
    assert anna.world.rooms.find("den").free_roles() == ["x", "o"]
    anna.say("o", to="den")
    anna.say("leave")
    assert "plays o" in anna.say("board")


def test_a_nick_that_somebody_else_has_gets_a_tail(world: World, anna: Talker) -> None:
    anna.say("new den")
    world.receive(
        "<message from='anna@elsewhere.example' to='games.example'><body>join den</body></message>"
    )
    assert "anna_ looks on." in str(next(world.stanzas()[-1].elements()))


def test_any_client_of_a_person_goes_on_with_the_chat(world: World, anna: Talker) -> None:
    anna.say("new den")
    phone = Talker(world, "anna/phone")
    assert phone.say("x") == "anna, the owner, plays x."
    assert len(world.rooms.find("den").occupants) == 1


def test_another_client_of_a_person_doesnt_end_the_chat(world: World, anna: Talker) -> None:
    anna.say("new den")
    assert world.client("anna/phone").leave("den", "anna") == []
    assert anna.say("x") == "anna, the owner, plays x."
    assert anna.client.leave("den", "anna")[0].endswith("body('anna has left.')")
    assert not world.rooms.by_name


def test_a_mug_client_of_who_types_is_a_second_session(world: World, anna: Talker) -> None:
    anna.say("new den")
    phone = world.client("anna/phone")
    assert phone.enter("den", "anna")[-1].startswith("anna/phone < den/anna: ")
    assert anna.say("x") == "anna, the owner, plays x."
    assert phone.take("den", "none")[0].startswith("anna/phone < den/anna: ")
    assert len(world.rooms.find("den").occupants) == 1
    # To write to us from there too changes nothing.
    assert "looks on" in Talker(world, "anna/phone").say("board")
    assert len(world.rooms.find("den").occupants.sessions()) == 2


def test_people_who_type_and_mug_clients_play_together(world: World, anna: Talker) -> None:
    [alice] = world.den("alice")
    anna.say("join den")
    world.read()
    assert (
        alice.take("den", "x")[-1]
        == "anna/desk < games.example message chat: body('alice, the owner, plays x.')"
    )
    assert anna.say("o") == "anna plays o."
    assert anna.others[alice.address].name == "presence"
    alice.start("den")
    anna.say("start")
    assert "alice marks 1 1." in alice.turn("den", 1, 1, 1)[-1]


def test_a_private_message_reaches_who_types(world: World, anna: Talker) -> None:
    [alice] = world.den("alice")
    anna.say("join den")
    assert alice.message("den/anna", "<body>hello</body>") == [
        "anna/desk < den/alice message chat: body('hello')"
    ]


@pytest.mark.parametrize(
    ("inner", "kind"),
    [
        ("<body>help</body><error type='cancel'/>", "error"),
        ("<body>help</body><delay xmlns='urn:xmpp:delay'/>", "chat"),
        ("<body>help</body><x xmlns='jabber:x:delay'/>", "chat"),
        ("<body>help</body>", "headline"),
        ("<composing xmlns='http://jabber.org/protocol/chatstates'/>", "chat"),
        ("<body xmlns='other'>help</body>", "chat"),
        ("", "chat"),
    ],
)
@pytest.mark.parametrize("to", ["", "den"])
def test_what_is_never_answered(inner: str, kind: str, to: str) -> None:
    world = World()
    [alice] = world.den("alice")
    assert alice.message(to, inner, kind) == []


def test_who_types_and_is_silent_for_long_leaves(world: World, anna: Talker, ben: Talker) -> None:
    anna.say("new den")
    world.clock.advance(50)
    ben.say("join den")
    world.clock.advance(60)
    world.server.expire_chats(0)
    assert len(world.rooms.find("den").occupants) == 2
    world.server.expire_chats(100)
    assert [o.nick for o in world.rooms.find("den").occupants] == ["ben"]
    assert "anna has left." in ben.heard()
    # What can't be done counts as well: ben is there.
    ben.say("dance")
    world.clock.advance(60)
    world.server.expire_chats(100)
    assert world.rooms.by_name
    world.clock.advance(60)
    world.server.expire_chats(100)
    assert not world.rooms.by_name


def test_of_who_only_asks_nothing_is_remembered(world: World, anna: Talker) -> None:
    anna.say("help")
    anna.say("rooms")
    assert len(world.server.chat._last_active) == 0
    anna.say("new den")
    assert len(world.server.chat._last_active) == 1


def test_limits_hold_for_who_types() -> None:
    anna = Talker(World(rooms_per_user=1), "anna")
    anna.say("new den")
    assert "the maximum number of rooms" in anna.say("new hall")
