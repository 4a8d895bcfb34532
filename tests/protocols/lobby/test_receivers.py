"""Who causes an event pays for its receivers, also after the match and outside rooms.

Source: protect.md, "Budgets".
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.helpers import Server
from tests.plugins.people.served import People
from tests.protocols.lobby.helpers import Person, events
from tictac.net.budget import RECEIVERS
from tictac.net.connection import Limits
from tictac.protocols.lobby.lobby import LONGEST_DELAY, PUSH_DELAY, PUSH_RATE

ALICE, BOB, CROWD = "192.0.2.1", "192.0.2.2", "198.51.100.{}"
VIEWERS = 40


def person(server: Server, host: str, user: str | None = None) -> Person:
    """Return somebody at an address, logged in or as a guest."""
    found = Person(server)
    found.visitor = server.connect(host=host)
    asked = {"do": "login", "user": user, "password": "secret"} if user else {"do": "guest"}
    found.send(json.dumps(asked))
    return found


class TestReceivers:
    def setup_method(self) -> None:
        self.server = Server(rejoin_timeout=30, limits=Limits())
        self.alice = person(self.server, ALICE, "alice")
        self.bob = person(self.server, BOB, "bob")
        self.alice.ask("open", game="nim", room="den")
        self.bob.ask("join", room="den")
        self.crowd: list[Person] = []

    def come(self, viewers: int = VIEWERS) -> None:
        """Let viewers come, each from another address."""
        for number in range(viewers):
            viewer = person(self.server, CROWD.format(number))
            viewer.ask("watch", room="den")
            self.crowd.append(viewer)

    def units(self, host: str, act: Callable[[], object]) -> int:
        """Return what an address pays for something."""
        self.server.clock.advance(60)
        purse = self.server.factory.budget.purse(host)
        before = max(purse.paid, self.server.clock.seconds())
        act()
        return round((purse.paid - before) * purse.rate)

    @pytest.mark.parametrize(
        ("request_", "usual"),
        [
            ({"do": "say", "text": "hello"}, 4),
            ({"do": "offer", "what": "draw"}, 4),
            ({"do": "resign"}, 8),
            ({"do": "leave"}, 8),
            ({"do": "move", "move": "0:1"}, 6),
        ],
    )
    def test_a_request_in_a_room(self, request_: dict[str, Any], usual: int) -> None:
        self.come()
        line = json.dumps({**request_, "room": "den"})
        paid = self.units(ALICE, lambda: self.alice.send(line))
        assert usual + (VIEWERS + 1) // RECEIVERS <= paid <= usual + (VIEWERS + 3)

    def test_two_players_pay_as_ever(self) -> None:
        assert self.units(ALICE, lambda: self.alice.ask("say", room="den", text="hello")) == 4

    def test_a_connection_that_is_lost(self) -> None:
        self.come()
        paid = self.units(BOB, self.bob.visitor.hang_up)
        assert paid == (VIEWERS + 1) // RECEIVERS

    def test_who_looks_on_pays_for_coming_and_going(self) -> None:
        self.come()
        viewer = person(self.server, "203.0.113.1")
        came = self.units("203.0.113.1", lambda: viewer.ask("watch", room="den"))
        assert came >= 10 + VIEWERS // RECEIVERS
        left = self.units("203.0.113.1", viewer.visitor.hang_up)
        assert left == (VIEWERS + 2) // RECEIVERS

    def test_players_are_not_cut_for_what_others_watch(self) -> None:
        self.come()
        for _ in range(40):
            self.alice.visitor.protocol.pay_for(8_000 * RECEIVERS)
            self.server.clock.advance(2)
        assert not self.alice.visitor.closed

    def test_after_the_match(self) -> None:
        self.come()
        for viewer in self.crowd:
            viewer.ask("hello", takes=["after"])
        self.alice.ask("resign", room="den")
        paid = self.units(BOB, lambda: self.bob.ask("say", room="den", text="thanks"))
        assert paid == 4 + (VIEWERS + 2) // RECEIVERS
        paid = self.units(BOB, lambda: self.bob.ask("offer", room="den", what="rematch"))
        assert paid == 4 + (VIEWERS + 2) // RECEIVERS

    def test_a_challenge_to_many_connections(self) -> None:
        server = Server()
        People(server)
        alice = person(server, ALICE, "alice")
        for _ in range(VIEWERS):
            person(server, BOB, "bob").ask("hello", takes=["challenge"])
        self.server = server
        paid = self.units(ALICE, lambda: alice.ask("challenge", user="bob", game="nim"))
        assert paid == 10 + VIEWERS // RECEIVERS


class TestRematchOfMany:
    def test_a_crowd_follows_in_several_turns(self) -> None:
        case = TestReceivers()
        case.setup_method()
        case.come()
        case.alice.ask("resign", room="den")
        case.alice.ask("offer", room="den", what="rematch")
        case.bob.ask("accept", room="den")
        room = case.server.registry.room("den")
        assert room is not None and room.begun
        assert 0 < len(room.viewers) < VIEWERS // 2
        gone, left = case.crowd[-1], case.crowd[-2]
        gone.visitor.hang_up()
        left.ask("leave", room="den")
        case.server.clock.advance(0)
        case.server.clock.advance(1)
        assert len(room.viewers) == VIEWERS - 2
        assert "room" in events(case.crowd[-3].read())


class TestFollowers:
    """Those who follow the lobby get the changes less often if they are many or get much."""

    def test_the_pause_grows_and_nothing_is_lost(self) -> None:
        server = Server()
        alice = Person(server, "alice")
        followers = [Person(server) for _ in range(20)]
        for each in followers:
            each.ask("lobby")
        for number in range(60):
            server.registry.create(_visitor(server, number), f"room {number}")
        server.clock.advance(PUSH_DELAY)
        assert len(followers[0].read()) == 60
        wait = server.lobby._push_from - server.clock.seconds()
        assert 20 * 4 / PUSH_RATE < wait < LONGEST_DELAY
        server.lobby._push_from += 1  # as if there were thousands
        alice.ask("open", game="nim", room="den")
        server.clock.advance(PUSH_DELAY)
        assert followers[0].read() == []
        alice.ask("resign", room="den")
        alice.ask("open", game="nim", room="barn")
        server.clock.advance(1.1)
        told = followers[0].read()
        assert [(each["room"], each.get("gone")) for each in told] == [
            ("den", True), ("barn", None),
        ]  # fmt: skip

    def test_a_few_get_them_as_soon_as_ever(self) -> None:
        server = Server()
        alice, vera = Person(server, "alice"), Person(server, "vera")
        vera.ask("lobby")
        for name in ("den", "barn"):
            alice.ask("open", game="nim", room=name)
            server.clock.advance(PUSH_DELAY)
            assert [each["room"] for each in vera.read()] == [name]


def _visitor(server: Server, number: int) -> Any:
    from tictac.testing.server import Guest

    return Guest(server.registry, f"user{number}")
