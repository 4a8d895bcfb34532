"""Requests of HTTP in a turn of the reactor."""

from __future__ import annotations

from tests.helpers import TurnClock
from tictac.plugins.web.turns import Turns


class Visitor:
    """A connection with so many requests, which notes each that is worked off."""

    def __init__(self, turns: Turns, requests: int, done: list[int]) -> None:
        self.turns = turns
        self.requests = requests
        self.done = done

    def go_on(self) -> None:
        """Do the work that the turn allows, and wait with the rest."""
        while self.requests and self.turns.left:
            self.turns.spend()
            self.done.append(id(self))
            self.requests -= 1
        if self.requests:
            self.turns.waiting.append(self)


def test_who_waits_goes_on_by_turns() -> None:
    clock, done = TurnClock(), list[int]()
    turns = Turns(clock, 32)
    one, two = Visitor(turns, 6, done), Visitor(turns, 3, done)
    one.go_on()
    two.go_on()
    for _ in range(4):
        clock.turn()
    assert done == [id(one)] * 4 + [id(two)] * 2 + [id(one)] * 2 + [id(two)]
    clock.turn()
    assert not clock.getDelayedCalls()


def test_there_is_always_one() -> None:
    assert Turns(TurnClock(), 1).left == 1
