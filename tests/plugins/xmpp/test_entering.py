"""Who comes in, what they are told, how rooms come to be."""

from __future__ import annotations

import pytest

from tests.plugins.xmpp.helpers import GAME, World, field, submit
from tictac.plugins.xmpp.xml import MUG, OWNER, TTT

SIZE = "t:rows('3') t:cols('3') t:strike('3')"
STATE = f"t:state({SIZE} t:next('x') t:board)"
INACTIVE = f"status('inactive') {STATE}"


def error(condition: str, kind: str) -> str:
    """Return the end of the answer to a presence that is refused."""
    return f"error: game error type={kind}({condition})"


# Creating


def test_entering_a_room_that_doesnt_exist_creates_it_locked(world: World) -> None:
    alice = world.client("alice")
    assert alice.enter("den", "alice") == [
        "alice/desk < den: game(status('created'))",
        "alice/desk < den/alice: game(item affiliation=owner jid=alice@example.org/desk role=none)",
    ]


def test_a_locked_room_isnt_found(world: World) -> None:
    world.client("alice").enter("den", "alice")
    [answer] = world.client("bob").enter("den", "bob")
    assert answer == f"bob/desk < den/bob {error('item-not-found', 'cancel')}"


def test_an_instant_room_is_announced(world: World) -> None:
    alice = world.client("alice")
    alice.enter("den", "alice")
    assert alice.owner("den", f"<options>{submit('')}</options>") == [
        f"alice/desk < den: game(configuration-changed {INACTIVE})",
        "alice/desk < den iq result: ",
    ]


def test_nobody_gets_a_state_before_the_first_configuration(world: World) -> None:
    [room, _] = world.client("alice").enter("den", "alice")
    assert "state" not in room


@pytest.mark.parametrize("form", ["<options>{}</options>", "{}"])
def test_a_cancel_before_the_first_configuration_destroys_the_room(form: str) -> None:
    world = World()
    alice = world.client("alice")
    alice.enter("den", "alice")
    assert alice.owner("den", form.format(submit("", "cancel"))) == [
        "alice/desk < den/alice unavailable: game(item affiliation=owner role=none)",
        "alice/desk < den iq result: ",
    ]
    assert not world.rooms.by_name


def test_a_later_cancel_changes_nothing(world: World) -> None:
    [alice] = world.den("alice", rows="5")
    assert alice.owner("den", submit("", "cancel")) == ["alice/desk < den iq result: "]
    assert world.rooms.find("den").match.terms.values["rows"] == 5


# What a newcomer is told


def test_the_answer_has_its_order_and_everybody_hears_of_the_newcomer(world: World) -> None:
    _alice, _bob = world.den("alice", "bob")
    assert world.client("vera").enter("den", "vera") == [
        "bob/desk < den/vera: game(item affiliation=none role=none)",
        "alice/desk < den/vera: game(item affiliation=none jid=vera@example.org/desk role=none)",
        f"vera/desk < den: game({INACTIVE})",
        "vera/desk < den/alice: game(item affiliation=owner role=none)",
        "vera/desk < den/bob: game(item affiliation=none role=none)",
        "vera/desk < den/vera: game(item affiliation=none role=none)",
    ]


@pytest.mark.parametrize(
    ("anonymity", "seeing"),
    [
        ("fully-anonymous", set()),
        ("semi-anonymous", {"alice"}),
        ("non-anonymous", {"alice", "bob", "vera"}),
    ],
)
def test_who_sees_addresses(anonymity: str, seeing: set[str]) -> None:
    world = World()
    world.den("alice", "bob", anonymity=anonymity)
    answers = world.client("vera").enter("den", "vera")
    told = {a.partition("/")[0] for a in answers if " den/vera: " in a and "jid=vera@" in a}
    assert told == seeing
    own = [a for a in answers if a.startswith("vera/desk < den/alice")]
    assert [("jid=alice@" in a) for a in own] == ["vera" in seeing]


def test_the_same_person_and_nick_is_a_second_session(world: World) -> None:
    alice, bob = world.den("alice", "bob")
    phone = world.client("bob/phone")
    answers = phone.enter("den", "BOB")
    assert {a.partition(" ")[0] for a in answers} == {"bob/phone"}
    assert answers[0] == f"bob/phone < den: game({INACTIVE})"
    assert answers[-1] == "bob/phone < den/bob: game(item affiliation=none role=none)"
    assert len(world.rooms.find("den").occupants) == 2
    # With one of them gone the occupant stays.
    assert bob.leave("den", "bob") == [
        "bob/desk < den/bob unavailable: game(item affiliation=none role=none)"
    ]
    assert len(alice.take("den", "x")) == 2


def test_a_known_session_gets_the_whole_answer_again(world: World) -> None:
    _alice, bob = world.den("alice", "bob")
    assert bob.enter("den", "bob") == [
        f"bob/desk < den: game({INACTIVE})",
        "bob/desk < den/alice: game(item affiliation=owner role=none)",
        "bob/desk < den/bob: game(item affiliation=none role=none)",
    ]


def test_being_away_is_no_matter_of_ours(world: World) -> None:
    _alice, bob = world.den("alice", "bob")
    assert bob.presence("den/bob", "<show>away</show>") == []
    assert len(world.rooms.find("den").occupants) == 2


# Options


def test_every_configuration_is_announced_to_all(world: World) -> None:
    alice, _bob = world.den("alice", "bob")
    state = STATE.replace("rows('3')", "rows('4')").replace("cols('3')", "cols('5')")
    game = f"game(configuration-changed status('inactive') {state})"
    assert alice.configure("den", rows="4", cols="5") == [
        f"alice/desk < den: {game}",
        f"bob/desk < den: {game}",
        "alice/desk < den iq result: ",
    ]


@pytest.mark.parametrize("inner", ["<options/>", ""])
def test_the_forms_are_given(world: World, inner: str) -> None:
    [alice] = world.den("alice", roomname="The den", rows="7", first="o", maxusers="none")
    [answer] = alice.owner("den", inner, "get")
    assert answer.startswith(
        "alice/desk < den iq result: o:query(o:options({jabber:x:data}x type=form("
    )
    found = values(answer)
    assert found == {
        "FORM_TYPE": f"{TTT}#tictactoeconfig",
        "mug#roomconfig_roomname": "The den",
        "mug#roomconfig_matchdesc": "",
        "mug#roomconfig_roompolicy": "moderated",
        "mug#roomconfig_allowinvites": "0",
        "mug#roomconfig_maxusers": "none",
        "mug#roomconfig_publicroom": "1",
        "mug#roomconfig_membersonly": "0",
        "mug#roomconfig_anonymity": "semi-anonymous",
        "mug#roomconfig_passwordprotectedroom": "0",
        "mug#roomconfig_roomsecret": "",
        "mug#roomconfig_chat": "",
        "mug/tictactoe#config_rows": "7",
        "mug/tictactoe#config_cols": "3",
        "mug/tictactoe#config_strike": "3",
        "mug/tictactoe#config_first": "o",
    }
    # First the room's form, then that of the game in options of its own.
    assert (
        answer.index(f"{MUG}#matchconfig")
        < answer.index("t:options(")
        < answer.index("config_rows")
    )


def values(answer: str) -> dict[str, str]:
    """Return the values in a form that was sent, in short."""
    found = {}
    for piece in answer.split("{jabber:x:data}field ")[1:]:
        var = piece.split("var=")[1].split("(")[0].split(" ")[0].rstrip(")")
        value = piece.split("value(", 1)[1].split("'")[1] if "value('" in piece else ""
        found[var] = value
    return found


def test_each_form_says_what_it_is_for(world: World) -> None:
    [alice] = world.den("alice")
    assert alice.owner("den", "<options/>", "get")[0].count("{jabber:x:data}instructions(") == 2


def test_a_chat_has_several_lines(world: World) -> None:
    [alice] = world.den("alice")
    lines = "<value>xmpp:a@b?join</value><value>irc://c/d</value>"
    form = submit(f"<field var='mug#roomconfig_chat'>{lines}</field>")
    alice.owner("den", f"<options>{form}</options>")
    assert world.rooms.find("den").options.chat == "xmpp:a@b?join\nirc://c/d"
    [answer] = alice.owner("den", "<options/>", "get")
    told = answer.split("var=mug#roomconfig_chat(")[1]
    assert "type=text-multi var=mug#roomconfig_chat" in answer
    assert told.startswith(
        "{jabber:x:data}value('xmpp:a@b?join') {jabber:x:data}value('irc://c/d')"
    )


def test_what_is_missing_in_a_submit_stays(world: World) -> None:
    [alice] = world.den("alice", roomname="The den", rows="5", cols="6")
    alice.configure("den", cols="7", allowinvites="1")
    room = world.rooms.find("den")
    assert (room.options.name, room.options.invites) == ("The den", True)
    assert (room.match.terms.values["rows"], room.match.terms.values["columns"]) == (5, 7)


@pytest.mark.parametrize(
    ("options", "attribute", "value"),
    [
        ({"roomdesc": "old name"}, "description", "old name"),
        ({"moderated": "0"}, "moderated", False),
        ({"roompolicy": "unmoderated"}, "moderated", False),
        ({"maxusers": "none"}, "max_users", None),
        ({"publicroom": "false"}, "public", False),
        ({"chat": "chat@rooms.example"}, "chat", "chat@rooms.example"),
        ({"FORM": "unknown fields are nothing"}, "name", ""),
    ],
)
def test_what_may_be_filled_in(options: dict[str, str], attribute: str, value: object) -> None:
    world = World()
    world.den("alice", **options)
    assert getattr(world.rooms.find("den").options, attribute) == value


@pytest.mark.parametrize(
    "options",
    [
        {"rows": "2"},
        {"rows": "11"},
        {"cols": "three"},
        {"cols": "²"},
        {"strike": "4"},
        {"rows": "5", "cols": "5", "strike": "6"},
        {"rows": "-3"},
        {"rows": "9" * 5000},
        {"first": "z"},
        {"maxusers": "3"},
        {"anonymity": "none"},
        {"roompolicy": "anarchy"},
        {"publicroom": "perhaps"},
        {"passwordprotectedroom": "1"},
        {"roomname": "n" * 101},
        {"matchdesc": "d" * 501},
    ],
)
def test_what_is_outside_its_range_isnt_acceptable(options: dict[str, str]) -> None:
    world = World()
    alice, _bob = world.den("alice", "bob")
    before = world.rooms.find("den").options, world.rooms.find("den").match.terms
    assert (
        alice.configure("den", roomname="changed", **options)[-1].endswith(
            "iq error: error type=modify(not-acceptable)"
        )
        if "roomname" not in options
        else alice.configure("den", **options)
    )
    assert (world.rooms.find("den").options, world.rooms.find("den").match.terms) == before


def test_a_form_for_something_else_isnt_acceptable(world: World) -> None:
    [alice] = world.den("alice")
    for form_type, accepted in (
        (f"{MUG}#matchconfig", True),
        (f"{MUG}#roomconfig", True),
        ("http://jabber.org/protocol/muc#roomconfig", False),
    ):
        answers = alice.owner("den", submit(field("FORM_TYPE", form_type)))
        assert answers[-1].endswith("result: " if accepted else "modify(not-acceptable)")


def test_options_change_only_while_there_is_no_match(world: World) -> None:
    alice, bob = world.match()
    refused = ["alice/desk < den iq error: error type=cancel(not-allowed)"]
    assert alice.configure("den", rows="4") == refused
    assert alice.owner("den", "<options/>", "get") == refused
    bob.leave("den", "bob")
    assert alice.configure("den", rows="4") == refused


def test_only_the_owner_configures(world: World) -> None:
    _alice, bob = world.den("alice", "bob")
    refused = ["bob/desk < den iq error: error type=auth(forbidden)"]
    assert bob.configure("den", rows="4") == refused
    assert bob.owner("den", "<options/>", "get") == refused
    assert bob.owner("den", submit("", "cancel")) == refused


# Errors on entering


@pytest.mark.parametrize(
    ("options", "password", "condition"),
    [
        ({"passwordprotectedroom": "1", "roomsecret": "sesame"}, None, "auth(not-authorized)"),
        ({"passwordprotectedroom": "1", "roomsecret": "sesame"}, "open", "auth(not-authorized)"),
        ({"membersonly": "1"}, None, "auth(registration-required)"),
        ({"maxusers": "2"}, None, "wait(service-unavailable)"),
    ],
)
def test_why_nobody_may_enter(
    options: dict[str, str], password: str | None, condition: str
) -> None:
    world = World()
    alice, _bob = world.den("alice", "bob")
    alice.configure("den", **options)
    assert world.client("vera").enter("den", "vera", password) == [
        f"vera/desk < den/vera error: game error type={condition}"
    ]


def test_with_the_password_it_goes(world: World) -> None:
    world.den("alice", passwordprotectedroom="1", roomsecret="sesame")
    assert len(world.client("vera").enter("den", "vera", "sesame")) == 4


@pytest.mark.parametrize("nick", ["bob", "BOB", "\uff22\uff2f\uff22"])
def test_a_nick_that_is_taken(world: World, nick: str) -> None:
    world.den("alice", "bob")
    [answer] = world.client("vera").enter("den", nick)
    assert answer.endswith(error("conflict", "cancel"))


@pytest.mark.parametrize("nick", ["n" * 61, " ", "a\u0085b", "\u202eevil"])
def test_a_nick_that_nobody_can_have(world: World, nick: str) -> None:
    world.den("alice")
    [answer] = world.client("vera").enter("den", nick)
    assert answer.endswith(error("not-acceptable", "modify"))


@pytest.mark.parametrize(
    "inner", ["", f"<game xmlns='{MUG}'/>", f"<game xmlns='{MUG}' var='chess'/>", "<game/>"]
)
@pytest.mark.parametrize("room", ["den", "new"])
def test_no_game_or_an_unknown_one(inner: str, room: str) -> None:
    world = World()
    world.den("alice")
    [answer] = world.client("vera").presence(f"{room}/vera", inner)
    if room == "den" and MUG not in inner:  # a client of MUC that believes it is in the room
        assert "den/vera unavailable: " in answer and "status code=333" in answer
    else:
        assert answer.endswith(error("bad-request", "modify"))
    assert list(world.rooms.by_name) == ["den"]


def test_a_saved_room(world: World) -> None:
    [alice] = world.den("alice")
    alice.iq("den", f"<save xmlns='{OWNER}'/>")
    for client in alice, world.client("vera"):
        [answer] = client.enter("den", "vera")
        assert answer.endswith(error("not-allowed", "cancel"))


def test_a_room_without_a_nick(world: World) -> None:
    world.den("alice")
    for room in ("den", ""):
        [answer] = world.client("vera").presence(room, GAME)
        assert answer.endswith(error("bad-request", "modify"))


# Leaving and other names


def test_everybody_hears_of_who_leaves(world: World) -> None:
    _alice, bob = world.den("alice", "bob")
    gone = "den/bob unavailable: game(item affiliation=none role=none)"
    assert bob.leave("den", "bob") == [f"alice/desk < {gone}", f"bob/desk < {gone}"]
    # The server says it once more for the room itself, to which bob had sent presence.
    assert bob.presence("den", kind="unavailable") == []


def test_an_empty_room_is_deleted(world: World) -> None:
    alice, bob = world.den("alice", "bob")
    alice.leave("den", "alice")
    assert "den" in world.rooms.by_name
    bob.leave("den", "bob")
    assert not world.rooms.by_name


@pytest.mark.parametrize("game", ["", f"<game xmlns='{MUG}'/>", GAME])
def test_a_new_nick_is_announced_from_the_old_address(world: World, game: str) -> None:
    _alice, bob = world.den("alice", "bob")
    assert bob.presence("den/Robert", game) == [
        "bob/desk < den/bob: game(item affiliation=none nick=Robert role=none)",
        "alice/desk < den/bob:"
        " game(item affiliation=none jid=bob@example.org/desk nick=Robert role=none)",
    ]
    assert bob.take("den", "x")[0].startswith("bob/desk < den/Robert: ")


def test_a_new_nick_that_is_taken(world: World) -> None:
    _alice, bob = world.den("alice", "bob")
    assert bob.presence("den/Alice", GAME)[0].endswith(error("conflict", "cancel"))
    assert len(bob.presence("den/Bob", GAME)) == 3  # but for case it is the own
