"""Who causes stanzas to many occupants pays for them (protect.md, "Budgets")."""

from __future__ import annotations

from tests.plugins.xmpp.helpers import Client, World
from tictac.testing.server import Guest

OCCUPANTS = 15
REFUSED = "wait(resource-constraint)"


class Payer:
    """The connection of an occupant of the lobby (lobby.interfaces.Payer)."""

    place, times, is_guest = "192.0.2.1", 1, False

    def __init__(self) -> None:
        self.paid: list[int] = []

    def pay_for(self, receivers: int) -> None:
        self.paid.append(receivers)


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
    tom.payer = payer = Payer()  # type: ignore[attr-defined]
    world.lobby.join(tom, "den", "PLAYER")
    for number in range(OCCUPANTS):
        world.client(f"user{number}").enter("den", f"user{number}")
    payer.paid.clear()
    world.lobby.say(tom, "hello")
    assert payer.paid == [OCCUPANTS + 3]
