"""xmpp.md, "The lobby": rooms that are kept, of which word comes later than the request."""

from __future__ import annotations

from functools import partial

import pytest

from tests.engines.helpers import Guest
from tests.lobby.late import Journal, Late
from tests.plugins.xmpp.helpers import Client, World, filled
from tictac.errors import RoomFull
from tictac.games.all import game_type_of
from tictac.lobby.events import Placed
from tictac.lobby.events import Refused as LobbyRefused
from tictac.lobby.terms import terms_for
from tictac.plugins.xmpp import server
from tictac.plugins.xmpp.chat_rooms import ChatSeat
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.xml import COMMANDS


class Kept(World):
    """A service over rooms in a journal."""

    def __init__(self, journal: Journal) -> None:
        self.journal, self._kept = journal, Late(journal)
        self._kept.registry.start()
        super().__init__(lobby=self._kept.registry)

    def settle(self) -> list[str]:
        """Let everything be kept that is decided; what is said then."""
        self._kept.settle(partial(self.clock.advance, 0))
        return self.read()


@pytest.fixture
def world() -> Kept:
    return Kept(Journal())


def say(world: Kept, talker: Client, body: str) -> list[str]:
    """Return the lines that all clients receive after a message, and after it is saved."""
    talker.world = world
    return talker.chat("", body) + world.settle()


@pytest.fixture
def reversi(world: Kept) -> tuple[Client, Client]:
    """Begin a match of anna and ben on 4x4 in den."""
    anna, ben = world.client("anna"), world.client("ben")
    say(world, anna, "new den reversi size=4")
    say(world, ben, "join den")
    return anna, ben


@pytest.fixture
def attic(world: Kept) -> tuple[Guest, Client]:
    """Begin a match in Attic between tom, from another protocol, who plays x, and zoe."""
    tom, zoe = Guest(world.lobby, "tom"), world.client("zoe")
    world.lobby.create(tom, "Attic")
    world.settle()
    zoe.enter("attic", "zoe")
    zoe.take("attic", "o")
    assert "status('active')" in "".join(world.settle())
    return tom, zoe


def test_a_chat_is_told_when_it_is_kept(world: Kept) -> None:
    anna = world.client("anna")
    assert anna.chat("", "new den reversi size=4") == []
    [told] = world.settle()
    assert "den: Reversi size=4, guest-anna@example.org, free seats: 1" in told


def test_what_is_typed_meanwhile_waits(world: Kept, reversi: tuple[Client, Client]) -> None:
    anna, _ben = reversi
    assert [*anna.chat("", "b1"), *anna.chat("", "board"), *anna.chat("", "a4")] == []
    told = [line for line in world.settle() if line.startswith("anna/")]
    assert [": b1\\n" in line for line in told] == [True, False, False]
    assert "den: Reversi" in told[1] and "it isn't the turn" in told[2]


def test_a_refusal_may_come_later(world: Kept) -> None:
    world.lobby.create(Guest(world.lobby, "tom"), "den")
    zoe = world.client("zoe")
    assert zoe.chat("", "new den reversi") == []
    assert [line for line in world.settle() if "room den exists already" in line]
    assert "You aren't in" in zoe.chat("", "board")[0]


def test_too_many_stanzas_wait(world: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_WAITING", 1)
    anna = world.client("anna")
    anna.chat("", "new den reversi")
    assert anna.chat("", "board") == []
    assert anna.iq("", "<ping xmlns='urn:xmpp:ping'/>", "get")[0].endswith("resource-constraint)")
    assert len(world.settle()) == 2


def test_a_chat_comes_back_after_a_restart(world: Kept, reversi: tuple[Client, Client]) -> None:
    anna, ben = reversi
    say(world, anna, "b1")
    again = Kept(world.journal)
    told = say(again, anna, "join den") + say(again, ben, "join den")
    assert "b1" not in told[0] and " 1  . X . ." in told[0]
    assert "a1" in "".join(say(again, ben, "a1"))


def test_two_turns_at_once_are_one_too_many(world: Kept, attic: tuple[Guest, Client]) -> None:
    tom, zoe = attic
    world.lobby.place(tom, "1:1")
    world.settle()
    assert zoe.turn("attic", 1, 1, 2) + zoe.turn("attic", 1, 2, 3) == []
    told = world.settle()
    assert "t:move col=1 id=2 row=1" in told[0]
    assert any("invalid-turn" in line for line in told)
    assert tom.board() == "200010000"


def test_a_player_comes_back_after_a_restart(world: Kept, attic: tuple[Guest, Client]) -> None:
    tom, zoe = attic
    world.lobby.place(tom, "1:1")
    world.settle()
    zoe.world = again = Kept(world.journal)
    assert "t:field col=2 row=2('x')" in zoe.enter("attic", "zoe")[0]
    again.settle()
    assert zoe.take("attic", "x")[0].endswith("cancel(conflict)")
    assert zoe.take("attic", "o")[-1].endswith("role=o)")
    again.settle()
    assert zoe.turn("attic", 1, 1, 2) == []
    assert "t:move col=1 id=2 row=1" in again.settle()[0]
    tom = Guest(again.lobby, "tom")
    again.lobby.join(tom, "Attic", "PLAYER")
    assert again.settle()[0].startswith("zoe/desk < attic/tom: game(item affiliation=none role=x")


def test_who_leaves_meanwhile_is_waited_for_no_more(
    world: Kept, attic: tuple[Guest, Client]
) -> None:
    tom, zoe = attic
    world.lobby.place(tom, "1:1")
    zoe.leave("attic", "zoe")
    world.settle()
    assert not world.rooms.by_name
    assert zoe.chat("", "rooms")


def test_a_room_of_mug_ends_with_the_process(world: Kept) -> None:
    alice, bob = world.match()
    assert alice.turn("den", 1, 1, 1)[0].startswith("alice/desk < den/alice message chat: u:turn")
    assert world.rooms.running() == 1
    bob.take("den", "none")
    assert not world.rooms.running()
    assert not world.settle() and not world.journal.kept
    assert "status('created')" in Kept(world.journal).client("zoe").enter("den", "zoe")[0]


def test_who_joins_a_room_of_mug_plays_at_once(world: Kept) -> None:
    [alice] = world.den("alice")
    alice.take("den", "x")
    tom = Guest(world.lobby, "tom")
    world.lobby.join(tom, "den", "PLAYER")
    assert "status('active')" in world.read()[-1]
    assert alice.turn("den", 1, 1, 1) and tom.has(Placed)
    assert not world.journal.kept


def test_a_late_refusal_of_an_offer_is_told(world: Kept, attic: tuple[Guest, Client]) -> None:
    _tom, zoe = attic
    world.lobby.create(Guest(world.lobby, "tim"), "cave")  # which isn't saved yet
    assert zoe.chat("attic", "takeback") == []
    [told] = world.settle()
    assert told.startswith("zoe/desk < attic message chat: body(")
    assert "the other player's protocol has no takebacks" in told


def fill_in(world: Kept, person: str, node: str, **fields: str) -> list[str]:
    """Complete an ad-hoc command."""
    command = f"<command xmlns='{COMMANDS}' node='{node}'>{filled(**fields)}</command>"
    return world.client(person).iq("", command)


@pytest.fixture
def watched(world: Kept) -> Guest:
    """Begin a match of tom, from another protocol, and ben; return tom."""
    tom = Guest(world.lobby, "tom")
    tom.supports_all_events = True
    world.lobby.create(tom, "den", terms_for(game_type_of("reversi"), {"size": "4"}))
    world.settle()
    say(world, world.client("ben"), "join den")
    return tom


def test_a_refused_command_takes_no_news_from_others(
    world: Kept, watched: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(seat: ChatSeat, level: str) -> None:
        raise Refused("not-allowed", "There is no seat that you can give to the computer.")

    monkeypatch.setattr(ChatSeat, "invite_computer", refuse)
    assert fill_in(world, "zoe", "new-reversi", name="cave", computer="beginner") == []
    world.lobby.place(watched, "b1")
    told = world.settle()
    assert [": b1\\n" in line for line in told if line.startswith("ben/")] == [True]
    assert [line for line in told if "zoe/desk < games.example iq error" in line]
    # The first request has made a room, of which zoe must know.
    assert [line for line in told if line.startswith("zoe/") and "cave: Reversi" in line]


def test_a_command_that_is_refused_late_takes_no_news_from_others(
    world: Kept, watched: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[ChatSeat] = []

    def ask(seat: ChatSeat, level: str) -> None:
        asked.append(seat)
        seat.wait()

    monkeypatch.setattr(ChatSeat, "invite_computer", ask)
    assert fill_in(world, "zoe", "new-reversi", name="cave", computer="beginner") == []
    world.lobby.place(watched, "b1")
    assert world.settle() == []
    [seat] = asked
    seat.receive(LobbyRefused(seat.occupant_id, "join", RoomFull("the room is full")))
    seat.release()
    world.clock.advance(0)
    told = world.read()
    assert [": b1\\n" in line for line in told if line.startswith("ben/")] == [True]
    assert [line for line in told if "zoe/desk < games.example iq error" in line]
