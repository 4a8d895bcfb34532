"""docs/reference/xmpp.md, "Any game": what people type in rooms of the lobby."""

from __future__ import annotations

import pytest

from tests.engines.helpers import Guest
from tests.plugins.xmpp.helpers import World
from tests.plugins.xmpp.talker import Talker
from tictac.engines.computer import THINKS
from tictac.games.all import game_type_of
from tictac.lobby.events import Began, Placed
from tictac.lobby.registry import Registry
from tictac.lobby.terms import terms_for
from tictac.net.storage_quota import Storage
from tictac.plugins.clue.game.cards import NAMES
from tictac.plugins.xmpp import chat_rooms

ANNA, BEN = "guest-anna@example.org", "guest-ben@example.org"


@pytest.fixture
def anna(world: World) -> Talker:
    return Talker(world, "anna")


@pytest.fixture
def ben(world: World) -> Talker:
    return Talker(world, "ben")


@pytest.fixture
def reversi(anna: Talker, ben: Talker) -> None:
    """Begin a match of anna and ben on 4x4 in den."""
    anna.say("new den reversi size=4")
    ben.say("join den")


def seen_by(reader: Talker, doer: Talker) -> str:
    """Return the message that one client receives about the action of the other."""
    return str(next(doer.others[reader.client.address].elements()))


def test_the_games(anna: Talker) -> None:
    goal = game_type_of("reversi").goal
    assert f"reversi size=8 - {goal}" in anna.say("games").splitlines()


def test_the_rules_of_games_and_of_rooms(anna: Talker, ben: Talker) -> None:
    assert "The board has 6 rows and 6 columns" in anna.say("rules reversi size=6")
    assert anna.say("rules chess") == "There is no such game: write games."
    anna.say("new den reversi size=4")
    assert "The board has 4 rows and 4 columns" in anna.say("rules")
    ben.say("new cave 5 5 4")
    assert "The first player with 4 marks side by side in a line wins." in ben.say("rules")


def test_notes_and_where_in_clue(anna: Talker) -> None:
    anna.say("new den clue")
    assert anna.say("where") == "The match hasn't begun."
    anna.say("leave")
    anna.say("new alone clue seats=1")
    assert anna.say("where").startswith("You are at (")
    assert "Players that can be in the envelope: Scarlet, Mustard," in anna.say("notes")
    assert "You (" in anna.say("board")


def test_a_move_takes_the_steps_that_it_needs(anna: Talker) -> None:
    anna.say("new alone clue seats=1")
    said = anna.say("stay")
    assert "stay\n" in said and said.endswith("such as accuse plum rope lounge.")
    assert anna.say("passage") == "there is no secret passage here"


@pytest.mark.usefixtures("reversi")
def test_a_move_is_typed_as_the_face_of_the_game_has_it(anna: Talker, ben: Talker) -> None:
    assert anna.say("B1", to="den").startswith(f"X ({ANNA}): b1\n")
    assert " 1  . X . ." in seen_by(ben, anna).splitlines()


@pytest.mark.usefixtures("reversi")
@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("dance", "a move is a cell: d3"),
        ("a4", "a4 encloses nothing"),
        ("x", "a move is a cell"),
        ("decline", "no one else offers anything"),
        ("join den", "You are in den already."),
        ("new den nim", "You are in den already."),
        ("new attic nim largest=many", "largest is a whole number from 1 to "),
        ("new attic nim size=4", "Nim has no option 'size'"),
        ("new attic nim seats=5", "Nim has 2 seats, not 5"),
        ("new \u00e4 nim", "'\u00e4' can't name a room"),
        ("watch", "Write watch and the name of a room."),
        ("watch cellar", "there is no such room"),
        ("computer master", "The computer is one of beginner, club, best."),
        ("computer", "There is no seat that you can give to the computer."),
        ("start", "Nothing has changed."),
    ],
)
def test_what_is_explained(anna: Talker, body: str, answer: str) -> None:
    assert anna.say(body).startswith(answer)


@pytest.mark.usefixtures("reversi")
def test_out_of_turn(ben: Talker) -> None:
    assert ben.say("a1").startswith("it isn't the turn of")


@pytest.mark.usefixtures("reversi")
def test_what_players_say_to_each_other(anna: Talker, ben: Talker) -> None:
    assert anna.say("say Good\n luck!") == f"{ANNA}: Good luck!"
    assert seen_by(ben, anna) == f"{ANNA}: Good luck!"
    assert anna.say("draw") == "You offer a draw."
    assert seen_by(ben, anna) == f"X ({ANNA}) offers a draw: write draw, or decline."
    assert ben.say("decline") == f"O ({BEN}) declined the draw."
    ben.say("pause")
    assert anna.say("b1") == "the match is paused"
    assert ben.say("start") == f"{BEN} resumed the match."
    ben.say("draw")
    assert anna.say("draw").splitlines()[-1] == "It is a draw."
    assert anna.say("board").startswith("You aren't in ")


@pytest.mark.usefixtures("reversi")
def test_the_users_of_a_domain_share_what_they_may_store(
    world: World, anna: Talker, ben: Talker
) -> None:
    world.lobby.storage = Storage(world.clock.seconds, 70)
    assert anna.say("say one, two").endswith("one, two")
    assert "too much was stored" in ben.say("say three")
    assert "d3" in anna.say("d3")


@pytest.mark.usefixtures("reversi")
def test_to_take_a_move_back(anna: Talker, ben: Talker) -> None:
    before = anna.say("board").splitlines()[3:]
    anna.say("d3")
    seen_by(ben, anna)
    anna.say("takeback")
    assert seen_by(ben, anna) == f"X ({ANNA}) offers a takeback: write takeback, or decline."
    assert ben.say("takeback").startswith(f"X ({ANNA}) takes a move back.")
    assert anna.say("board").splitlines()[3:] == before


@pytest.mark.usefixtures("reversi")
def test_to_watch(world: World, anna: Talker) -> None:
    vera = Talker(world, "vera")
    assert vera.say("watch den").splitlines()[-1] == f"It is the turn of X ({ANNA})."
    assert vera.say("b1") == "You only watch here."
    anna.say("b1")
    assert seen_by(vera, anna).startswith(f"X ({ANNA}): b1")


@pytest.mark.usefixtures("reversi")
def test_who_watches_cant_answer_an_offer(world: World, anna: Talker) -> None:
    vera = Talker(world, "vera")
    vera.say("watch den")
    anna.say("draw")
    assert seen_by(vera, anna) == f"X ({ANNA}) offers a draw."


@pytest.mark.usefixtures("reversi")
def test_to_leave_is_to_lose_unless_seats_are_held(anna: Talker, ben: Talker) -> None:
    assert anna.say("leave") == "You have left."
    assert seen_by(ben, anna).splitlines()[-2:] == [f"X ({ANNA}) left.", f"O ({BEN}) has won."]


def test_somebody_who_came_another_way(world: World, anna: Talker) -> None:
    tom = Guest(world.lobby, "tom")
    tom.supports_all_events = True
    world.lobby.create(tom, "My den", terms_for(game_type_of("connectfour"), {}))
    assert anna.say("join my\\20den").endswith("It is the turn of Red (tom).")
    assert tom.has(Began)
    world.lobby.place(tom, "4")
    assert anna.heard().startswith("Red (tom): 4\n")
    anna.say("4")
    assert tom.has(Placed)


def test_a_name_with_a_blank_is_typed_as_it_is_listed(world: World, anna: Talker) -> None:
    tom = Guest(world.lobby, "tom")
    tom.supports_all_events = True
    world.lobby.create(tom, "nim 1", terms_for(game_type_of("nim"), {}))
    world.lobby.create(Guest(world.lobby, "tim"), "session 1")
    assert anna.say("rooms").splitlines() == [
        "nim 1: Nim, tom, free seats: 1",
        "session 1: inactive, 3x3, 1 in it, free: o",
    ]
    assert "tim plays x." in anna.say("join session 1")
    assert anna.say("watch nim 1").startswith("nim 1: Nim, tom")
    assert anna.say("watch nim 1", to="nim\\201") == "Write that to games.example."


def test_a_name_with_a_blank_and_a_password(world: World, anna: Talker) -> None:
    tom = Guest(world.lobby, "tom")
    tom.supports_all_events = True
    world.lobby.create(tom, "Our nim", terms_for(game_type_of("nim"), {}, key="open sesame"))
    assert "It is the turn of" in anna.say("join Our nim open sesame")


def test_two_rooms_of_one_name_are_both_reached(world: World, anna: Talker, ben: Talker) -> None:
    anna.say("new den")
    tom = Guest(world.lobby, "tom")
    tom.supports_all_events = True
    world.lobby.create(tom, "den", terms_for(game_type_of("nim"), {}))
    assert ben.say("rooms").splitlines()[1:] == ["den-2: Nim, tom, free seats: 1"]
    assert "anna, the owner, looks on." in ben.say("join den")
    assert "It is the turn of tom" in ben.say("join den-2")
    assert ben.say("say hello", to="den-2") == f"{BEN}: hello"


class TestClue:
    """Rooms in which much happens."""

    def begin(self, world: World, anna: Talker) -> list[Guest]:
        """Begin a match of anna, who plays Scarlet, and five computers."""
        anna.say("new den clue")
        guests = [Guest(world.lobby, f"computer {number}") for number in range(1, 6)]
        for guest in guests:
            guest.supports_all_events = True
            world.lobby.join(guest, "den", "PLAYER")
        world.stanzas()
        return guests

    def test_what_computers_do_is_one_text(self, world: World, anna: Talker) -> None:
        guests = self.begin(world, anna)
        anna.say("stay")
        anna.say("17 24")
        room = world.lobby.room("den")
        assert room is not None
        for guest in guests:
            world.lobby.place(guest, "no-roll")
            world.lobby.place(guest, room.game.moves(room.position)[-1])
        lines = anna.heard().splitlines()
        assert [line.partition(" (")[0] for line in lines[:10]] == [
            name for name in ("Mustard", "White", "Green", "Peacock", "Plum") for _ in "12"
        ]
        assert lines[-1].startswith("It is your turn: roll, stay, or an accusation such as ")

    def test_it_doesnt_grow_for_ever(
        self, world: World, anna: Talker, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(chat_rooms, "MOST_GATHERED", 1)
        guests = self.begin(world, anna)
        anna.say("stay")
        anna.say("17 24")
        for move in "no-roll", "go 24 17":
            world.lobby.place(guests[0], move)
        assert len(anna.heard().splitlines()) == 3

    def test_where_one_can_go_is_shown(self, world: World, anna: Talker) -> None:
        self.begin(world, anna)
        can, prompt = anna.say("roll").splitlines()[-2:]
        assert can.startswith("You can: go ")
        assert prompt.startswith(
            "It is your turn: a place: go lounge, or go 17 23, down and right;"
        )
        assert anna.say("moves") == can

    def test_an_accusation_takes_the_place_of_the_roll(self, world: World, anna: Talker) -> None:
        self.begin(world, anna)
        room = world.lobby.room("den")
        assert room is not None
        envelope = room.position.envelope
        weapon = "rope" if NAMES[envelope[1]] != "rope" else "knife"
        said = anna.say(f"accuse plum {weapon} hall")
        assert f"Scarlet ({ANNA}): accuse Plum, {weapon}, hall: wrong. You have no more" in said

    def test_the_player_of_the_mini_game_goes_by_the_token(
        self, world: World, anna: Talker
    ) -> None:
        anna.say("new den clue seats=1")
        room = world.lobby.room("den")
        assert room is not None
        room.position = room.position._replace(tokens=(2,))
        assert f"White ({ANNA})" in anna.say("board")


def test_the_computer(anna: Talker) -> None:
    anna.say("new den reversi")
    assert "O (computer) is here." in anna.say("computer beginner")
    anna.say("d3")
    anna.world.clock.advance(THINKS)
    assert anna.heard().startswith("O (computer): ")


def test_a_private_room_opens_to_its_key(world: World, anna: Talker) -> None:
    tom = Guest(world.lobby, "tom")
    tom.supports_all_events = True
    world.lobby.create(tom, "den", terms_for(game_type_of("nim"), {}, key="sesame"))
    assert anna.say("rooms") == "There are no rooms: write new."
    assert anna.say("join den") == "room den is private: only its key opens it"
    assert "It is the turn of" in anna.say("join den sesame")


def test_a_role_taken_by_chat_is_waited_for_in_the_lobby(world: World, anna: Talker) -> None:
    anna.say("new den")
    for word, waits in (("x", 1), ("o", 0), ("x", 1), ("leave", 0)):
        anna.say(word)
        assert world.lobby.rooms() == waits, word


def test_words_of_the_lobby_in_mugs_rooms(anna: Talker, ben: Talker) -> None:
    anna.say("new den")
    ben.say("join den")
    assert anna.say("resign") == "That is for players of a match."
    anna.say("x")
    ben.say("o")
    anna.say("start")
    ben.say("start")
    anna.say("say hello")
    assert seen_by(ben, anna) == "guest-anna@den: hello"
    anna.say("draw")
    assert seen_by(ben, anna) == "x offers a draw: write draw, or decline."
    assert ben.say("resign").startswith("x has won.")


def test_a_player_elsewhere_and_one_who_chats(world: World, anna: Talker) -> None:
    tom = Guest(world.lobby, "tom")
    world.lobby.create(tom, "attic")
    assert anna.say("rooms") == "attic: inactive, 3x3, 1 in it, free: o"
    assert "tom plays x." in anna.say("join attic")
    assert "anna plays o." in anna.say("o")
    world.lobby.place(tom, "0:0")
    assert anna.heard().startswith("tom marks 1 1.")
    anna.say("2 2")
    assert tom.board() == "100020000"


def test_a_room_of_the_lobby_says_how_it_begins_and_that_it_is_closed(
    world: World, anna: Talker
) -> None:
    tom = Guest(world.lobby, "tom")
    world.lobby.create(tom, "My attic")
    entered = anna.say("join My attic").splitlines()
    assert entered[0] == "No match in my attic yet: it begins when a player takes o."
    anna.say("o")
    world.lobby.forfeit(tom)
    assert anna.heard().splitlines() == ["o has won.", "The room my attic is closed."]


def test_who_is_silent_for_long_leaves(world: World, anna: Talker) -> None:
    anna.say("new den reversi")
    world.clock.advance(200)
    world.server.expire_chats(100)
    assert world.lobby.rooms() == 0


def test_too_much_talk(anna: Talker, ben: Talker) -> None:
    """The room takes 100 events, and then only moves."""
    anna.say("new den reversi")
    ben.say("join den")
    for _ in range(100):
        answer = anna.say("say hello")
    assert answer == "this match has 100 events: the room takes only moves"
    assert f"X ({ANNA}): d3" in anna.say("d3")


def test_there_is_a_most_of_rooms() -> None:
    anna = Talker(World(rooms_per_user=1), "anna")
    anna.say("new den reversi")
    assert anna.say("new attic reversi") == "You are in the maximum number of rooms."


def test_there_is_a_most_of_people_in_a_room() -> None:
    world = World(max_occupants=1)
    Talker(world, "anna").say("new den reversi")
    assert Talker(world, "ben").say("watch den") == "There is no place left."


def test_without_a_room_commands_are_for_another_one_that_one_is_in(anna: Talker) -> None:
    anna.say("new attic reversi")
    anna.say("new den reversi")
    anna.say("leave")
    assert anna.say("board").startswith("attic: ")


def test_a_room_of_mugs_is_joined_to_be_watched(anna: Talker, ben: Talker) -> None:
    anna.say("new den")
    anna.say("x")
    assert ben.say("watch den") == "You can see it when you join it."


def test_no_stanza_looks_through_all_rooms(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else each join would cost as much as there are rooms."""
    for user, name, game in (("tom", "The Pit", "reversi"), ("tim", "Tower-2", "tictactoe")):
        world.lobby.create(Guest(world.lobby, user), name, terms_for(game_type_of(game), {}))
    world.commit()
    monkeypatch.delattr(Registry, "known_rooms")
    zoe = world.client("zoe")
    for room in ("the\\20pit", "tower-2", "new", "other-2"):
        answers = zoe.presence(f"{room}/zoe", "<x xmlns='http://jabber.org/protocol/muc'/>")
        assert any("code=110" in line for line in answers), room
    assert "code=110" not in "".join(zoe.enter("newest", "zoe"))
    assert "wait(internal-server-error)" not in "".join(zoe.message("attic", "<body>x</body>"))
