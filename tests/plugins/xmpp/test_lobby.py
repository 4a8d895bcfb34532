"""docs/reference/xmpp.md, "The lobby": people who come by XMPP, and others, in the same rooms."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from twisted.internet.task import Clock

from tests.engines.helpers import Guest
from tests.plugins.xmpp.helpers import Client, World, play
from tictac.lobby.events import Began, Ended, Joined, Paused, Placed, Refused
from tictac.lobby.registry import Registry
from tictac.lobby.terms import USUAL_TERMS
from tictac.plugins.xmpp.gateway import user_of
from tictac.plugins.xmpp.paging import Page
from tictac.testing.server import raise_fault

SIZE = "t:rows('3') t:cols('3') t:strike('3')"
NEW = f"t:state({SIZE} t:next('x') t:board)"


def somebody(world: World, name: str = "tom", supports_all_events: bool = False) -> Guest:
    """Return a guest of the rooms protocol, or of the lobby's."""
    guest = Guest(world.lobby, name)
    guest.supports_all_events = supports_all_events
    return guest


def joined(world: World, room: str = "den") -> tuple[Client, Guest]:
    """Return alice, who plays x in den, and tom, from another protocol, who took o."""
    [alice] = world.den("alice")
    alice.take("den", "x")
    tom = somebody(world)
    world.lobby.join(tom, room, "PLAYER")
    return alice, tom


# MUG's rooms in the lobby


def test_a_match_can_be_watched(world: World) -> None:
    alice, bob = world.match()
    vera = somebody(world, "vera")
    world.lobby.join(vera, "den", "VIEWER")
    play(alice, bob, (1, 1), (2, 1), (1, 2), (2, 2), (1, 3))
    assert [type(event) for event in vera.events] == [Joined, *[Placed] * 4, Ended]
    assert vera.events[-1].ending == "won"  # type: ignore[union-attr]


def test_somebody_joins_who_plays_x(world: World) -> None:
    alice, tom = joined(world)
    assert world.read() == [
        "alice/desk < den/tom: game(item affiliation=none role=o)",
        f"alice/desk < den: game(status('active') {NEW})",
    ]
    assert tom.has(Began)
    assert alice.turn("den", 1, 1, 1)[0].startswith("alice/desk < den/alice message chat: u:turn(")
    world.lobby.place(tom, "0:1")
    turn, state = world.read()
    assert turn == "alice/desk < den/tom message chat: u:turn(t:move col=1 id=2 row=2)"
    marks = "t:field col=1 row=1('x') t:field col=1 row=2('o')"
    assert state.endswith(f"t:state({SIZE} t:next('x') t:board({marks})))")


def test_at_the_end_who_came_another_way_is_gone_and_the_room_stays(world: World) -> None:
    alice, tom = joined(world)
    for number in (0, 1):
        alice.turn("den", 1, number + 1, 2 * number + 1)
        world.lobby.place(tom, f"{number}:1")
    alice.turn("den", 1, 3, 5)
    assert tom.has(Ended)
    assert [o.nick for o in world.rooms.find("den").occupants] == ["alice"]
    # The next round waits for somebody, too, and everybody can see it: o begins nowhere else.
    assert [room.terms.plain for room in world.lobby.public_rooms()] == [True]


def test_x_begins_again_when_somebody_joins_the_next_round(world: World) -> None:
    alice, bob = world.match()
    play(alice, bob, (1, 1), (2, 1), (1, 2), (2, 2), (1, 3))
    assert world.rooms.find("den").match.turn == "o"
    bob.leave("den", "bob")
    world.lobby.join(somebody(world), "den", "PLAYER")
    assert world.read()[-1] == f"alice/desk < den: game(status('active') {NEW})"
    assert alice.turn("den", 1, 1, 1)[0].startswith("alice/desk < den/alice message")


def test_o_begins_with_whoever_joins_where_the_owner_wants_that(world: World) -> None:
    [alice] = world.den("alice", first="o")
    alice.take("den", "x")
    assert world.lobby.public_rooms()[0].terms.values["first"] == "O"


def test_what_has_no_word_in_mug_is_told_in_a_body(world: World) -> None:
    alice, _bob = world.den("alice", "bob")
    alice.take("den", "x")
    tom = somebody(world, supports_all_events=True)
    world.lobby.join(tom, "den", "PLAYER")
    world.read()
    world.lobby.say(tom, "hello")
    both = "alice/desk", "bob/desk"
    assert world.read() == [f"{to} < den/tom message chat: body('hello')" for to in both]
    alice.turn("den", 1, 1, 1)
    world.lobby.place(tom, "1:1")
    world.read()
    for what in "draw", "takeback":
        world.lobby.offer(tom, what)
        text = f"o offers a {what}"
        assert sorted(world.read()) == [
            f"alice/desk < den/tom message chat: body('{text}: write {what}, or decline.')",
            f"bob/desk < den/tom message chat: body('{text}.')",
        ]
        alice.message("den", "<body>decline</body>")
        assert tom.events[-1].state == "declined"  # type: ignore[union-attr]


def test_a_nick_that_is_taken_has_a_tail(world: World) -> None:
    world.den("alice", "tom")[0].take("den", "x")
    world.lobby.join(somebody(world), "den", "PLAYER")
    assert "den/tom_: " in world.read()[0]


@pytest.mark.parametrize("options", [{"publicroom": "0"}, {"membersonly": "1"}])
def test_a_room_that_isnt_for_everybody_waits_for_nobody(options: dict[str, str]) -> None:
    world = World()
    [alice] = world.den("alice", **options)
    alice.take("den", "x")
    assert world.lobby.rooms() == 0


def test_its_match_isnt_shown(world: World) -> None:
    world.match(publicroom="0")
    assert world.lobby.rooms() == 1
    assert world.lobby.public_rooms() == []


def test_a_password_is_the_key(world: World) -> None:
    [alice] = world.den("alice", passwordprotectedroom="1", roomsecret="sesame")
    alice.take("den", "x")
    tom = somebody(world, supports_all_events=True)
    world.lobby.join(tom, "den", "PLAYER", "guessed")
    assert tom.has(Refused)
    world.lobby.join(tom, "den", "PLAYER", "sesame")
    assert tom.has(Began)


def test_a_room_waits_only_for_o(world: World) -> None:
    alice, bob = world.den("alice", "bob")
    for client, role, waits in (
        (alice, "o", 0),
        (alice, "x", 1),
        (bob, "o", 0),
        (bob, "none", 1),
        (alice, "none", 0),
    ):
        client.take("den", role)
        assert world.lobby.rooms() == waits, (client.address, role)


def test_the_room_waits_with_its_new_options(world: World) -> None:
    [alice] = world.den("alice")
    alice.take("den", "x")
    alice.configure("den", rows="4")
    [room] = world.lobby.public_rooms()
    assert room.terms.values["rows"] == 4


def test_who_leaves_somebody_from_elsewhere_has_lost(world: World) -> None:
    alice, tom = joined(world)
    alice.leave("den", "alice")
    assert isinstance(tom.events[-1], Ended)
    assert (tom.events[-1].ending, tom.events[-1].winner) == ("left", "tom")
    assert not world.rooms.by_name


def test_a_seat_that_is_held_is_taken_again() -> None:
    world = World(rejoin=30)
    alice, tom = joined(world)
    alice.leave("den", "alice")
    assert alice.enter("den", "alice")[-1].endswith("role=none)")
    assert alice.take("den", "o")[0].endswith("cancel(conflict)")
    assert "role=x" in alice.take("den", "x")[-1]
    assert "status('active')" in alice.start("den")[-1]
    assert alice.turn("den", 1, 1, 1)
    assert tom.has(Placed)


def test_a_match_whose_seat_is_held_for_somebody_is_paused() -> None:
    world = World(rejoin=30)
    alice, tom = joined(world)
    world.read()
    world.lobby.leave(tom)
    gone, paused = world.read()
    assert gone.startswith("alice/desk < den/tom unavailable: ")
    assert paused.endswith(" pause") and "status('paused')" in paused
    world.lobby.join(somebody(world), "den", "PLAYER")
    assert "status('active')" in alice.start("den")[-1]


def test_an_owner_who_loses_the_role_by_a_move_pauses_it_where_seats_are_held() -> None:
    world = World(rejoin=30)
    alice, _tom = joined(world)
    world.read()
    error, presence, paused = alice.turn("den", 1, 1, 7)
    assert "invalid-turn" in error and "role=none" in presence
    assert paused.endswith(" pause")


def test_nobody_plays_against_themselves_where_seats_are_held() -> None:
    world = World(rejoin=30)
    [alice] = world.den("alice", anonymity="non-anonymous")
    phone = world.client("alice/phone")
    phone.enter("den", "alice's phone")
    alice.take("den", "x")
    phone.take("den", "o")
    alice.start("den")
    assert phone.start("den")[-1].endswith("cancel(not-allowed)")
    assert world.lobby.rooms() == 0


def test_a_lost_link_pauses_it_and_who_is_here_goes_on(world: World) -> None:
    alice, tom = joined(world)
    viewer = somebody(world, "vera", supports_all_events=True)
    world.lobby.join(viewer, "den", "VIEWER")
    world.server.interrupt()
    assert viewer.has(Paused)
    world.read()
    assert "status('active')" in alice.start("den")[-1]
    assert alice.turn("den", 1, 1, 1) and tom.has(Placed)


def test_who_is_elsewhere_cant_be_given_a_role_nor_saved(world: World) -> None:
    alice, _tom = joined(world)
    world.read()
    role = "<item nick='alice' role='none'/>"
    assert alice.owner("den", role)[0].endswith("cancel(not-allowed)")
    assert alice.owner("den", "<save/>")[0].endswith("cancel(not-allowed)")


def test_a_player_who_goes_on_for_another_gets_a_room_of_the_lobby_anew(world: World) -> None:
    alice, bob, vera = world.match("vera")
    alice.turn("den", 2, 2, 1)
    before = world.lobby.room("den")
    bob.leave("den", "bob")
    assert before is not None and before.paused
    vera.take("den", "o")
    alice.start("den")
    vera.start("den")
    now = world.lobby.room("den")
    assert now is not before and now is not None and now.position == "000010000"


def test_the_same_players_go_on_in_the_same_room_of_the_lobby(world: World) -> None:
    alice, bob = world.match()
    before = world.lobby.room("den")
    bob.take("den", "none")
    bob.take("den", "o")
    alice.start("den")
    bob.start("den")
    assert world.lobby.room("den") is before and before is not None and not before.paused


def test_a_match_in_which_nobody_moves_ends(world: World) -> None:
    world.match()
    world.clock.advance(700)
    world.lobby.expire(600, 3600)
    assert "status('inactive')" in world.read()[0]


def test_the_limit_of_rooms_holds(world: World) -> None:
    world = World(lobby=Registry(1, lambda: 0, raise_fault, rng=Random(1)))
    world.lobby.create(somebody(world), "attic")
    alice, bob = world.den("alice", "bob")
    alice.take("den", "x")
    bob.take("den", "o")
    alice.start("den")
    assert bob.start("den")[-1].endswith("wait(resource-constraint)")
    assert world.rooms.find("den").match.status == "inactive"


@pytest.mark.parametrize(
    ("address", "user"),
    [
        ("bob@example.org", "guest-bob@example.org"),
        ("12", "guest-@12"),
        ("b,o:b@ex\u00e4mple", "guest-b%2Co%3Ab@ex%C3%A4mple"),
    ],
)
def test_no_account_is_called_so_and_every_protocol_can_say_it(address: str, user: str) -> None:
    assert user_of(address) == user


@pytest.mark.parametrize(
    ("anonymity", "user"),
    [("semi-anonymous", "guest-alice@den"), ("non-anonymous", "guest-alice@example.org")],
)
def test_the_lobby_is_told_no_address_that_is_hidden(anonymity: str, user: str) -> None:
    world = World()
    [alice] = world.den("alice", anonymity=anonymity)
    alice.take("den", "x")
    [room] = world.lobby.public_rooms()
    assert room.players[0].user == user


# Rooms of the lobby by MUG


def attic(world: World, name: str = "Attic") -> Guest:
    """Let tom, from another protocol, wait in a room."""
    tom = somebody(world)
    world.lobby.create(tom, name)
    return tom


def test_a_room_of_the_lobby_is_entered(world: World) -> None:
    attic(world)
    zoe = world.client("zoe")
    assert zoe.enter("attic", "zoe") == [
        f"zoe/desk < attic: game(status('inactive') {NEW})",
        "zoe/desk < attic/tom: game(item affiliation=none role=x)",
        "zoe/desk < attic/zoe: game(item affiliation=none jid=zoe@example.org/desk role=none)",
    ]


def test_to_take_the_free_role_begins_the_match(world: World) -> None:
    tom = attic(world)
    zoe = world.client("zoe")
    zoe.enter("attic", "zoe")
    assert zoe.take("attic", "x")[0].endswith("cancel(conflict)")
    assert zoe.take("attic", "o") == [
        "zoe/desk < attic/zoe: game(item affiliation=none jid=zoe@example.org/desk role=o)",
        f"zoe/desk < attic: game(status('active') {NEW})",
    ]
    world.lobby.place(tom, "1:1")
    assert world.read()[0] == ("zoe/desk < attic/tom message chat: u:turn(t:move col=2 id=1 row=2)")
    assert len(zoe.turn("attic", 1, 1, 2)) == 2
    assert tom.board() == "200010000"


def test_a_match_of_others_is_followed_to_its_end(world: World) -> None:
    tom = attic(world)
    tim = somebody(world, "tim")
    world.lobby.join(tim, "Attic", "PLAYER")
    zoe = world.client("zoe")
    assert "status('active')" in zoe.enter("attic", "zoe")[0]
    world.lobby.forfeit(tom)
    state = f"t:state({SIZE} t:next('o') t:board t:won('o'))"
    gone = "unavailable: game(item affiliation=none role=none)"
    assert world.read() == [
        f"zoe/desk < attic: game(status('inactive') {state})",
        f"zoe/desk < attic/tom {gone}",
        f"zoe/desk < attic/tim {gone}",
        f"zoe/desk < attic/zoe {gone}",
    ]
    assert not world.rooms.by_name


def test_a_move_that_is_taken_back(world: World) -> None:
    tom, tim = (somebody(world, name, supports_all_events=True) for name in ("tom", "tim"))
    world.lobby.create(tom, "Attic")
    world.lobby.join(tim, "Attic", "PLAYER")
    world.client("zoe").enter("attic", "zoe")
    world.lobby.place(tom, "1:1")
    world.read()
    world.lobby.offer(tom, "takeback")
    world.lobby.answer(tim, "takeback", True)
    assert world.read()[-1:] == [f"zoe/desk < attic: game(status('active') {NEW})"]
    world.lobby.place(tom, "1:1")
    assert world.read()[0].endswith("u:turn(t:move col=2 id=1 row=2)")


def test_nobody_owns_it(world: World) -> None:
    attic(world)
    zoe = world.client("zoe")
    zoe.enter("attic", "zoe")
    for inner in ("<options/>", "<item nick='zoe' role='x'/>", "<item role='all'/>"):
        kind = "set" if "nick" in inner else "get"
        assert zoe.owner("attic", inner, kind)[0].endswith("auth(forbidden)")
    assert zoe.owner("attic", "<save/>")[0].endswith("auth(forbidden)")


def test_when_nobody_from_here_is_left_it_is_left_alone(world: World) -> None:
    attic(world)
    zoe = world.client("zoe")
    zoe.enter("attic", "zoe")
    zoe.leave("attic", "zoe")
    room = world.lobby.room("Attic")
    assert room is not None and not room.viewers and not world.rooms.by_name


def test_rooms_of_the_lobby_are_found(world: World) -> None:
    attic(world, "My attic")
    zoe = world.client("zoe")
    items = "http://jabber.org/protocol/disco#items"
    [answer] = zoe.iq("", f"<query xmlns='{items}'/>", "get")
    assert "jid=my\\20attic@games.example name=My attic" in answer
    search = "<query xmlns='jabber:iq:search'><roles>o</roles></query>"
    assert "20attic@games.example" in zoe.iq("", search)[0]


def test_a_room_of_another_game_has_its_name_alone(world: World) -> None:
    anna = world.client("anna")
    anna.chat("", "new den reversi")
    # conflict would be a nick that is taken.
    assert anna.enter("den", "anna")[0].endswith("cancel(not-allowed)")


def test_a_room_of_the_lobby_that_is_called_as_one_of_mugs_is_reached_by_another_name(
    world: World,
) -> None:
    [_alice] = world.den("alice")
    attic(world, "den")
    zoe = world.client("zoe")
    assert "den-2/tom: game(item affiliation=none role=x)" in zoe.enter("den-2", "zoe")[1]
    items = "http://jabber.org/protocol/disco#items"
    [answer] = zoe.iq("", f"<query xmlns='{items}'/>", "get")
    assert "jid=den@games.example" in answer and "jid=den-2@games.example name=den" in answer


def test_a_room_of_another_protocol_is_entered_to_watch(world: World) -> None:
    tom, tim = somebody(world, "guest-1"), somebody(world, "guest-2")
    world.lobby.create(tom, "session 1", replace(USUAL_TERMS, protocol="session"))
    world.lobby.join(tim, "session 1", "PLAYER", seated_by="session")
    zoe = world.client("zoe")
    items = "http://jabber.org/protocol/disco#items"
    [answer] = zoe.iq("", f"<query xmlns='{items}'/>", "get")
    assert "jid=session\\201@games.example name=session 1" in answer
    assert "status('active')" in zoe.enter("session\\201", "zoe")[0]
    world.lobby.place(tom, "1:1")
    assert "u:turn(" in world.read()[0]
    assert zoe.take("session\\201", "o")[0].endswith("cancel(conflict)")


def test_what_mug_cant_say_isnt_found(world: World) -> None:
    from tictac.lobby.terms import terms_for

    tom = somebody(world, supports_all_events=True)
    big = terms_for(USUAL_TERMS.game_type, {"rows": 19, "columns": 19, "strike": 5})
    world.lobby.create(tom, "gomoku", big)
    assert world.gateway.listing.read(Page(9), world.rooms.shown).values == []


# Who has how many rooms


def full(most: int = 2, a_domain: int = 0) -> World:
    """Return a service over a lobby with so many rooms at most."""
    clock = Clock()
    world = World(lobby=Registry(most, clock.seconds, raise_fault, rng=Random(1)))
    world.clock = clock
    world.lobby.max_rooms_per_peer = a_domain
    return world


def test_the_guests_of_a_domain_share_its_rooms() -> None:
    """Hidden addresses count by their domains, too, and not by the rooms' names."""
    world = full(0, 2)
    world.client("anna").chat("", "new one reversi")
    world.den("alice")[0].take("den", "x")
    [told] = world.client("ben").chat("", "new two reversi")
    assert "guests of your address have 2 rooms already" in told
    other = Client(world, "zoe@example.net/desk")
    assert "two: Reversi" in other.chat("", "new two reversi")[0]


def test_the_room_of_one_person_makes_way_for_others() -> None:
    world = full()
    for name, room in (("anna", "one"), ("ben", "two")):
        world.client(name).chat("", f"new {room} reversi")
    world.lobby.create(somebody(world, "guest-1"), "three")
    assert list(world.lobby.live_rooms) == ["two", "three"]
    assert any(line.startswith("anna/") and "one is closed." in line for line in world.read())


def test_a_room_of_mug_that_makes_way_takes_no_place_of_another() -> None:
    world = full()
    world.den("alice")[0].take("den", "x")
    world.client("ben").chat("", "new two reversi")
    world.clock.advance(100)
    world.lobby.create(somebody(world, "guest-1"), "three")
    assert list(world.lobby.live_rooms) == ["two", "three"]
    world.lobby.call_off("two")
    world.client("alice").chat("den", "board")  # and now there is a place
    assert list(world.lobby.live_rooms) == ["three", "den"]


def test_a_room_of_mug_that_waited_for_too_long_leaves_the_lobby_until_a_stanza() -> None:
    world = full()
    world.den("alice")[0].take("den", "x")
    world.clock.advance(100)
    world.lobby.expire(0, 60)
    assert not world.lobby.live_rooms
    world.client("alice").chat("den", "board")
    assert list(world.lobby.live_rooms) == ["den"]
