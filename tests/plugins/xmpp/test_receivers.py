"""Who causes stanzas to many occupants pays for them (protect.md, "Budgets")."""

from __future__ import annotations

import pytest

from tests.lobby.payer import Payer, Person
from tests.plugins.xmpp.helpers import Client, World
from tictac.games.all import game_type_of
from tictac.lobby.terms import terms_for
from tictac.testing.server import Guest

OCCUPANTS = 15
REFUSED = "wait(resource-constraint)"


def crowd(world: World) -> list[Client]:
    """Let many enter a room; the first owns it."""
    return world.den(*[f"user{number}" for number in range(OCCUPANTS)])


def renamed(client: Client, times: int) -> int:
    """Return how often a client may take another nick, of which all get two stanzas."""
    answers = [client.enter("den", f"{client.address[:5]}-{time}") for time in range(times)]
    return sum(REFUSED not in answer[-1] for answer in answers)


def test_news_for_many_cost_more_than_for_few() -> None:
    few, many = World(budget=40, budget_burst=4000), World(budget=40, budget_burst=4000)
    [alone, *_], [speaker, listener, *_] = few.den("user0", "user1"), crowd(many)
    for world in (few, many):
        world.clock.advance(1000)
    assert renamed(alone, 60) == 60
    assert renamed(speaker, 60) < 45
    assert renamed(listener, 1) == 1


def test_nobody_pays_for_the_stanza_of_another() -> None:
    world = World(budget=40, budget_burst=4000)
    speaker, listener, *_ = crowd(world)
    world.clock.advance(1000)
    renamed(speaker, 60)
    assert renamed(listener, 9) == 9


def test_a_player_of_another_protocol_pays_for_all_clients() -> None:
    world = World(rejoin=30)
    [alice] = world.den("alice")
    alice.take("den", "x")
    tom = Guest(world.lobby, "tom")
    tom.payer = payer = Payer("192.0.2.1")  # type: ignore[attr-defined]
    world.lobby.join(tom, "den", "PLAYER")
    for number in range(OCCUPANTS):
        world.client(f"user{number}").enter("den", f"user{number}")
    payer.paid.clear()
    world.lobby.say(tom, "hello")
    assert payer.paid == [OCCUPANTS + 3]


@pytest.fixture
def hall() -> tuple[World, Person, Client]:
    """Begin a match that anna, by XMPP, watches with 20 others; return also one of its players."""
    world = World(budget=40, budget_burst=4000)
    player, opponent, *viewers = [
        Person(world.lobby, f"guest-{number}", Payer(f"192.0.2.{number}")) for number in range(22)
    ]
    for each in (player, opponent, *viewers):
        each.supports_all_events = True
    world.lobby.create(player, "hall", terms_for(game_type_of("reversi"), {}))
    world.lobby.join(opponent, "hall", "PLAYER")
    for viewer in viewers:
        world.lobby.join(viewer, "hall", "VIEWER")
    anna = world.client("anna")
    anna.chat("", "watch hall")
    world.clock.advance(1000)
    player.payer.paid.clear()
    return world, player, anna


def test_a_viewer_by_xmpp_pays_and_no_player(hall: tuple[World, Person, Client]) -> None:
    world, player, anna = hall
    paid = [REFUSED not in "".join(anna.chat("", "say hello")) for _ in range(60)]
    assert not player.payer.paid
    answers = anna.chat("", "board")
    assert "that is too much at once" in answers[0]
    assert "hall: Reversi" in world.client("ben").chat("", "watch hall")[0]
    assert all(paid)


def test_a_player_by_xmpp_pays_for_the_clock() -> None:
    """The person pays also if the room hides the address."""
    world = World(budget=40, budget_burst=4000)
    paid: list[tuple[str, float]] = []
    world.server.rooms.gateway.rate.spend = (  # type: ignore[method-assign]
        lambda peer, things=1: paid.append((peer, things))
    )
    [alice] = world.den("alice")
    alice.take("den", "x")
    tom = Guest(world.lobby, "tom")
    world.lobby.join(tom, "den", "PLAYER")
    paid.clear()
    world.lobby.place(tom, "0:0")
    alice.turn("den", 1, 1, 1)
    assert ("alice@example.org", 0.1) in paid
    paid.clear()
    world.clock.advance(1000)
    world.lobby.expire(600, 600)
    assert paid == [("alice@example.org", 0.1)]
