"""What every server does that seats whoever comes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tests.tables import House
from tictac.errors import NotAMove
from tictac.net.connection import Limits
from tictac.net.tables import TableConnection, TableFactory, Tables
from tictac.tables import Closed, Ended, Ending, Event, PlayerId, Told


class Scripted:
    """A Host that does what the test says (tables.Host)."""

    def __init__(self) -> None:
        self.requests: list[tuple[object, ...]] = []
        self.next: dict[PlayerId, list[Event]] = {}
        self.awaited: set[PlayerId] = set()

    def enter(self, player: PlayerId) -> list[Event]:
        self.requests.append(("enter", player))
        return self.next.pop(player, [])

    def leave(self, player: PlayerId, ending: Ending) -> list[Event]:
        self.requests.append(("leave", player, ending))
        return self.next.pop(player, [])

    def awaits(self, player: PlayerId) -> bool:
        return player in self.awaited

    def running(self) -> int:
        return 0


class Factory(TableFactory[Scripted]):
    def new_connection(self) -> TableConnection[Scripted]:
        return TableConnection()


class TablesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.host = Scripted()
        self.tables = Tables(self.host, str.encode)
        clock = Clock()
        limits = Limits(idle_timeout=10, max_unsent=70_000)
        self.house = House(Factory(self.tables, clock, clock.seconds, limits), clock)

    def test_players_get_numbers_and_are_told_in_one_write(self) -> None:
        self.host.next[2] = [Told(1, "a"), Told(2, "b"), Told(1, "c"), Told(2, "d")]
        one, two = self.house.connect(), self.house.connect()
        assert self.host.requests == [("enter", 1), ("enter", 2)]
        assert (one.read(), two.read()) == (b"ac", b"bd")

    def test_what_is_told_comes_before_the_end(self) -> None:
        one = self.house.connect()
        self.tables.apply([Closed(1), Told(1, "bye")])
        assert one.closed and one.read() == b"bye"
        self.tables.apply([Told(1, "more")])
        assert one.read() == b""

    def test_a_refusal_is_counted(self) -> None:
        one = self.house.connect()
        self.tables.apply([Closed(1, NotAMove("x"))])
        assert one.closed
        assert dict(self.house.refusals) == {"not-a-move": 1}
        self.tables.apply([Closed(1, NotAMove("x"))])
        assert dict(self.house.refusals) == {"not-a-move": 1}

    def test_endings_are_counted(self) -> None:
        self.tables.apply([Ended("won"), Ended("won"), Ended("left")])
        assert self.tables.endings == {"won": 2, "left": 1}

    def test_who_is_gone_is_passed_over(self) -> None:
        one = self.house.connect()
        one.hang_up()
        assert self.host.requests[-1] == ("leave", 1, "left")
        self.tables.apply([Told(1, "x"), Closed(1)])
        assert one.read() == b""

    def test_the_host_hears_at_once_of_who_is_thrown_out(self) -> None:
        for kind, ending in (("move-timeout", "timed out"), ("rate", "refused")):
            guest = self.house.connect()
            number = guest.protocol.player  # type: ignore[attr-defined]
            closes: Callable[[str], None] = guest.protocol.close_for
            closes(kind)
            assert self.host.requests[-1] == ("leave", number, ending)

    def test_what_happens_meanwhile_comes_after(self) -> None:
        one, two = self.house.connect(), self.house.connect()
        # Player 2 reads nothing: telling it the last bit drops it, of which 1 is told.
        two.transport.producer.pauseProducing()  # type: ignore[union-attr]
        self.host.next[2] = [Told(1, "!")]
        self.tables.apply([Told(2, "x" * 70_000), Told(1, "a"), Ended("won")])
        assert two.transport.disconnected
        assert one.transport.take_writes() == [b"a", b"!"]
        assert self.host.requests[-1] == ("leave", 2, "refused")

    def test_a_fault_isnt_the_end_of_everything(self) -> None:
        one = self.house.connect()
        broken: Any = Told(1, None)
        with pytest.raises(TypeError):
            self.tables.apply([broken])
        self.tables.apply([Told(1, "a")])
        assert one.read() == b"a"

    def test_only_who_is_to_move_is_timed_out(self) -> None:
        one, two = self.house.connect(), self.house.connect()
        self.host.awaited = {1}
        self.house.expire(9)
        self.tables.apply([Told(1, "x")])
        self.house.expire(9.9)
        assert not one.closed
        self.house.expire(0.1)
        assert one.closed and not two.closed
