"""Requests of an occupant: one is under way at a time, and what waits too long is closed."""

from __future__ import annotations

from typing import Any

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tests.lobby.registry_suite import Guest
from tictac.cluster.desk import Desk
from tictac.cluster.visitors import Visitor
from tictac.errors import NotInRoom
from tictac.lobby.events import Listed, Refused
from tictac.lobby.interfaces import Occupant
from tictac.lobby.registry import MemoryRegistry


class Patient(Guest):
    """Notes when it has to wait."""

    def __init__(self, user: str) -> None:
        super().__init__(MemoryRegistry(0, lambda: 0.0, lambda _: None), user)
        self.occupant_id = user
        self.waits = self.closes = 0

    def wait(self) -> None:
        self.waits += 1

    def release(self) -> None:
        self.waits -= 1

    def close(self) -> None:
        self.closes += 1


class DeskTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.faults: list[Occupant] = []
        self.left: list[str] = []
        self.done: list[tuple[Visitor, Any]] = []
        self.desk = Desk(
            self.clock.seconds,
            5.0,
            lambda visitor: self.left.append(visitor.id),
            self.faults.append,
        )
        self.alice, self.bob = Patient("alice"), Patient("bob")

    def request(self, visitor: Visitor, what: Any) -> None:
        self.done.append((visitor, what))

    def answer(self) -> Any:
        """Answer the oldest request; what it was."""
        visitor, what = self.done.pop(0)
        self.desk.answered(visitor)
        return what

    def test_one_at_a_time_for_each(self) -> None:
        for what in (1, 2, 3):
            self.desk.ask(self.alice, self.request, what)
        self.desk.ask(self.bob, self.request, 4)
        assert [what for _, what in self.done] == [1, 4]
        assert (self.alice.waits, self.bob.waits) == (1, 1) and not self.desk.idle
        assert [self.answer() for _ in range(4)] == [1, 4, 2, 3]
        assert (self.alice.waits, self.bob.waits) == (0, 0) and self.desk.idle

    def test_who_leaves_asks_nothing_more(self) -> None:
        self.desk.ask(self.alice, self.request, 1)
        self.desk.ask(self.alice, self.request, 2)
        self.desk.leave(self.alice)
        assert self.left == []
        self.desk.tell(self.done[0][0], Listed("alice", "PLAYER", ()))
        self.answer()
        assert self.left == ["alice"] and self.done == [] and self.desk.idle
        assert self.alice.told() == [] and self.alice.waits == 1

    def test_who_has_asked_nothing_has_nothing_to_leave(self) -> None:
        self.desk.leave(self.alice)
        assert self.left == []

    def test_a_refusal_is_told_and_is_an_answer(self) -> None:
        self.desk.ask(self.alice, self.request, 1)
        self.desk.refuse(self.done[0][0], "place", NotInRoom("nowhere"))
        [refused] = self.alice.told()
        assert isinstance(refused, Refused) and refused.request == "place"
        assert self.alice.waits == 0

    def test_what_an_occupant_raises_is_its_own_fault(self) -> None:
        self.alice.reactions.append(lambda event: [][0])
        self.desk.ask(self.alice, self.request, 1)
        self.desk.tell(self.done[0][0], Listed("alice", "PLAYER", ()))
        assert self.faults == [self.alice]

    def test_who_waits_too_long_is_closed_once(self) -> None:
        self.desk.ask(self.alice, self.request, 1)
        self.clock.advance(3)
        self.desk.ask(self.bob, self.request, 2)
        for _ in range(5):
            self.clock.advance(0.5)
            self.desk.expire()
        assert (self.alice.closes, self.bob.closes) == (1, 0)
        self.desk.leave(self.alice)
        self.clock.advance(5)
        self.desk.expire()
        assert (self.alice.closes, self.bob.closes) == (1, 1)

    def test_the_time_runs_anew_for_the_next_request(self) -> None:
        self.desk.ask(self.alice, self.request, 1)
        self.desk.ask(self.alice, self.request, 2)
        self.clock.advance(4)
        self.answer()
        self.clock.advance(4)
        self.desk.expire()
        assert self.alice.closes == 0

    def test_0_is_no_limit(self) -> None:
        desk = Desk(self.clock.seconds, 0, lambda visitor: None, self.faults.append)
        desk.ask(self.alice, self.request, 1)
        self.clock.advance(10**6)
        desk.expire()
        assert self.alice.closes == 0
