"""Time controls in all their forms, and the clocks that run by them."""

from __future__ import annotations

import json
from dataclasses import fields
from random import Random
from typing import Any

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tests.archive.helpers import archive_of, match, match_of
from tests.lobby.registry_suite import Guest
from tests.lobby.test_any_game import AnyGameCase, Knowing
from tests.lobby.test_journaled import KeptCase
from tests.protocols.lobby.helpers import check_message
from tictac.archive.match import dump_match, load_match
from tictac.archive.reader import Reader
from tictac.archive.tables import MatchTables
from tictac.errors import BadOption, NotOffered
from tictac.games.all import game_type_of
from tictac.lobby.clock import Clock, TimeControl
from tictac.lobby.events import Ended
from tictac.lobby.record import BadRecord, dump_terms, load_terms
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.lobby.terms import USUAL_TERMS, Terms, terms_for
from tictac.plugins.cluster.testing import LEASE, Cluster
from tictac.protocols.lobby import json_view

FULL = TimeControl(*range(20, 20 + len(fields(TimeControl))))
"""Every field has a value of its own, also one that is new."""

DELAY, BYOYOMI = TimeControl(60, delay=5), TimeControl(60, period=30, periods=3)


def reversi(time: TimeControl) -> Terms:
    """Return terms of Reversi with this time control."""
    return terms_for(game_type_of("reversi"), {}, time=time)


class TestWhatIsAskedFor:
    @pytest.mark.parametrize(
        ("asked", "read"),
        [
            ({"initial": 1}, TimeControl(1)),
            ({"initial": 10800, "increment": 180}, TimeControl(10800, 180)),
            ({"initial": 300, "increment": 0, "delay": 2.5}, TimeControl(300, delay=2.5)),
            ({"initial": 60, "period": 30, "periods": 3}, BYOYOMI),
        ],
    )
    def test_what_can_be(self, asked: dict[str, Any], read: TimeControl) -> None:
        assert TimeControl.read(asked) == read == TimeControl.read(read.told())

    @pytest.mark.parametrize(
        ("asked", "why"),
        [
            ({}, '"clock" needs "initial"'),
            ({"delay": 3}, '"clock" needs "initial"'),
            ({"initial": 0}, '"initial" of "clock" is a number from 1 to 10800'),
            ({"initial": 10801}, '"initial" of "clock" is a number from 1 to 10800'),
            ({"initial": float("inf")}, '"initial" of "clock" is a number from 1 to 10800'),
            ({"initial": True}, '"initial" of "clock" is a number from 1 to 10800'),
            ({"initial": "60"}, '"initial" of "clock" is a number from 1 to 10800'),
            ({"initial": 9, "increment": -1}, '"increment" of "clock" is a number from 0 to 180'),
            ({"initial": 9, "increment": None}, '"increment" of "clock" is a number from 0 to 180'),
            ({"initial": 9, "delay": 181}, '"delay" of "clock" is a number from 0 to 180'),
            ({"initial": 9, "period": 0.5, "periods": 1}, '"period" of "clock" is a number from 1'),
            ({"initial": 9, "period": 181, "periods": 1}, '"period" of "clock" is a number from 1'),
            ({"initial": 9, "period": 5, "periods": 1.5}, "is a whole number from 1 to 20"),
            ({"initial": 9, "period": 5, "periods": 21}, "is a whole number from 1 to 20"),
            ({"initial": 9, "period": 5}, 'or both "period" and "periods"'),
            ({"initial": 9, "periods": 5}, 'or both "period" and "periods"'),
            ({"initial": 9, "increment": 1, "delay": 1}, '"clock" has "increment", "delay", or'),
            ({"initial": 9, "delay": 1, "period": 5, "periods": 1}, '"clock" has "increment", '),
            ({"initial": 9, "byoyomi": 5}, "\"clock\" has no 'byoyomi'; it has initial, "),
        ],
    )
    def test_what_cant(self, asked: dict[str, Any], why: str) -> None:
        with pytest.raises(BadOption) as refused:
            TimeControl.read(asked)
        assert why in str(refused.value) and len(str(refused.value)) <= 200

    @pytest.mark.parametrize(
        ("typed", "read"),
        [
            ("300", TimeControl(300)),
            ("300+3", TimeControl(300, 3)),
            ("5m+3", TimeControl(300, 3)),
            ("60d5", DELAY),
            ("1m+3x30", BYOYOMI),
        ],
    )
    def test_what_is_typed(self, typed: str, read: TimeControl) -> None:
        assert TimeControl.parse(typed) == read

    @pytest.mark.parametrize(
        "typed", ["", "m", "+3", "3+", "-3", "3d", "3x5", "3+0x5", "3+5x0", "1+2+3", "3d2+1", "٣"]
    )
    def test_what_isnt(self, typed: str) -> None:
        with pytest.raises(ValueError, match="is no clock such as"):
            TimeControl.parse(typed)


class TestWhatIsKept:
    def test_without_new_fields_it_is_written_as_ever(self) -> None:
        terms = terms_for(game_type_of("nim"), {}, key="k", time=TimeControl(300, 3))
        text = (
            '{"game":"nim","options":{"numbers":0,"smallest":1,"largest":20},"seats":2,"key":"k",'
            '"clock":[300,3],"computer":null,"computers":0,"move_timeout":null}'
        )
        assert dump_terms(terms) == text and load_terms(text).time == TimeControl(300, 3)
        assert '"clock":[90,0],' in dump_terms(reversi(TimeControl(90)))
        assert '"clock":null,' in dump_terms(USUAL_TERMS)
        assert TimeControl(300, 3).told() == {"initial": 300, "increment": 3}
        assert '"clock":[60.0,0.5],' in dump_match(match(clock=TimeControl(60.0, 0.5)))

    @pytest.mark.parametrize(
        "clock",
        ["7", "[]", "[300]", "[300,3,5]", "[300,-3]", "[300,0,[],[]]", '["a",1]', "[1,NaN]"],
    )
    def test_what_is_none(self, clock: str) -> None:
        with pytest.raises(BadRecord):
            load_terms(dump_terms(reversi(TimeControl(1, 1))).replace("[1,1]", clock))

    def test_byoyomi_without_a_period_is_none(self) -> None:
        with pytest.raises(ValueError, match="no time control"):
            TimeControl(300, periods=3)

    def test_what_is_told(self) -> None:
        assert FULL.told() == {each.name: getattr(FULL, each.name) for each in fields(FULL)}


class JournalTests(KeptCase):
    def test_every_field_is_in_the_journal(self) -> None:
        self.served.create(self.alice, "den", reversi(FULL))
        self.served.join(self.bob, "den", "PLAYER")
        self.settle()
        self.clock.advance(7)
        self.served.place(self.alice, "d3")
        self.settle()
        self.clock.advance(1)
        room = self.served.room("den")
        assert room is not None and room.clock is not None
        left = room.clock.left
        self.restart()
        room = self.served.room("den")
        assert room is not None and room.clock is not None
        assert (room.terms.time, room.clock.left) == (FULL, left)


class NodesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.cluster = Cluster()
        self.a, self.b = map(self.cluster.node, "AB")
        self.cluster.pass_time(LEASE)

    def begin(self, time: TimeControl) -> tuple[Guest, Guest]:
        """Begin a match: alice, at node A, owns the room; bob joins at node B."""
        alice, bob = Knowing(self.a, "alice"), Knowing(self.b, "bob")
        self.a.create(alice, "den", reversi(time))
        self.cluster.settle()
        self.b.join(bob, "den", "PLAYER")
        self.cluster.settle()
        return alice, bob

    def clocks(self) -> list[list[int]]:
        """Return the times left on the clocks, by node."""
        rooms = [node.room("den") for node in self.cluster.nodes.values()]
        now = self.cluster.seconds()
        return [list(map(round, r.clock.remaining(now))) for r in rooms if r and r.clock]

    def test_every_field_goes_over_links_and_to_whoever_takes_over(self) -> None:
        self.begin(FULL)
        room = self.b.room("den")
        assert room is not None and room.terms.time == FULL
        self.cluster.kill("A")
        self.cluster.pass_time(4 * LEASE)
        room = self.b.room("den")
        assert room is not None and room.terms.time == FULL
        assert "B" in self.cluster.parts and self.b.rooms() == 1

    def test_nodes_agree_on_the_periods(self) -> None:
        alice, _ = self.begin(TimeControl(10, period=30, periods=3))
        wires = list(self.cluster.net.between("B", "A"))
        self.cluster.pass_time(39.9)
        for wire in wires:
            wire.deaf = True
        self.a.place(alice, "d3")
        self.cluster.pass_time(0.3)  # there, the second period has begun
        for wire in wires:
            wire.deliver()
        self.cluster.settle()
        assert self.clocks() == [[90, 100], [90, 100]]

    def test_a_pause_and_who_comes_in_it(self) -> None:
        c = self.cluster.node("C")
        self.cluster.pass_time(LEASE)
        alice, _ = self.begin(TimeControl(60, delay=5))
        self.cluster.pass_time(3)
        self.a.pause(alice, True)
        self.cluster.pass_time(100)
        vera = Knowing(c, "vera")
        c.join(vera, "den", "VIEWER")
        self.cluster.settle()
        self.cluster.pass_time(10)
        assert self.clocks() == [[57, 60]] * 3
        self.a.pause(alice, False)
        self.cluster.pass_time(3)
        assert self.clocks() == [[54, 60]] * 3
        self.a.place(alice, "d3")
        self.cluster.settle()
        assert self.clocks() == [[59, 60]] * 3

    def test_clocks_stand_still_until_another_node_has_the_room(self) -> None:
        alice, bob = self.begin(BYOYOMI)
        self.cluster.pass_time(70)
        self.a.place(alice, "d3")
        self.cluster.settle()
        self.cluster.kill("A")
        while not self.b.rooms():
            self.cluster.pass_time(LEASE / 4)
        room = self.b.room("den")
        assert room is not None and room.clock is not None
        assert [round(each) for each in room.clock.remaining(self.cluster.seconds())] == [90, 150]
        self.b.place(bob, "c3")
        self.cluster.settle()
        assert room.moves == 2 and list(map(round, room.clock.added)) == [10, 0]

    def test_a_move_that_was_missed_adds_once(self) -> None:
        alice, _ = self.begin(TimeControl(60, 5))
        self.cluster.net.cut("A", "B")
        self.a.place(alice, "d3")
        self.cluster.pass_time(4 * LEASE)
        assert self.clocks() == [[65, 60 - 4 * LEASE]] * 2

    def test_the_version_before_settles_a_clock_that_stands(self) -> None:
        self.a.create(Knowing(self.a, "alice"), "den", reversi(DELAY))
        self.cluster.settle()
        self.b.join(Knowing(self.b, "vera"), "den", "VIEWER")
        self.cluster.settle()
        replica, now = self.cluster.parts["B"].visits.replicas["den"], self.cluster.seconds()
        replica.set_state([False], {}, [[], None, 3.0], now)
        assert self.clocks() == [[60, 60]] * 2
        self.b.join(Knowing(self.b, "bob"), "den", "PLAYER")
        self.cluster.settle()
        replica.set_state([False, False], {}, [[57, 60], None, 40.0], now)
        assert self.clocks() == [[60, 60], [57, 60]]


class ArchiveTests(AnyGameCase):
    def test_every_field_is_in_the_archive(self) -> None:
        room = self.begin(reversi(FULL))
        self.registry.forfeit(self.alice)
        ended = match_of(room, 0)
        assert ended is not None and ended.clock == FULL
        assert load_match(dump_match(ended)) == ended
        archive = archive_of(ended)
        found = MatchTables(archive.database).get("m1")
        assert found is not None and found.clock == FULL
        reader = Reader(archive, self.timers.seconds, self.timers.callLater)
        for ask, name in (reader.match, "match"), (reader.replay, "replay"):
            answer = self.successResultOf(ask("192.0.2.1", "m1", None))
            told = {"answer": 1, name: json.loads(answer)}
            assert told[name]["clock"] == FULL.dump() and check_message(told)


class RunningTests(AnyGameCase):
    """Alice (black) and bob play reversi; each test is a few moves of theirs."""

    MOVES = ("d3", "c3", "c4", "e3", "f4")

    def play(self, time: TimeControl, *seconds: float) -> Room:
        """Play a match, each move after these ``seconds``."""
        room = self.begin(reversi(time))
        for move, took in zip(self.MOVES, seconds, strict=False):
            self.timers.advance(took)
            self.registry.place((self.alice, self.bob)[room.turn], move)
        return room

    def left(self, room: Room) -> list[float]:
        assert room.clock is not None
        return room.clock.remaining(self.timers.seconds())

    def test_a_delay_gives_back_what_was_used_at_most(self) -> None:
        room = self.play(DELAY, 3, 5, 8)
        assert self.left(room) == [57, 60]

    def test_a_delay_gives_back_nothing_before_the_move(self) -> None:
        room = self.play(DELAY)
        self.timers.advance(60)
        self.registry.place(self.alice, "d3")
        assert self.registry.room("den") is None and self.left(room) == [0, 60]

    def test_a_pause_takes_nothing_of_the_delay(self) -> None:
        room = self.play(DELAY)
        self.timers.advance(2)
        self.registry.pause(self.bob, True)
        self.timers.advance(100)
        self.registry.pause(self.bob, False)
        self.timers.advance(2)
        self.registry.place(self.alice, "d3")
        assert self.left(room) == [60, 60]

    def test_the_main_time_isnt_given_back(self) -> None:
        assert self.left(self.play(BYOYOMI, 40, 10)) == [110, 140]

    def test_a_move_within_a_period_starts_it_again(self) -> None:
        room = self.play(BYOYOMI, 70, 0)
        assert self.left(room) == [90, 150]
        self.timers.advance(29)
        self.registry.place(self.alice, self.MOVES[2])
        assert self.left(room) == [90, 150]

    def test_a_period_that_runs_out_is_gone(self) -> None:
        room = self.play(BYOYOMI, 60 + 31, 0)
        assert self.left(room) == [60, 150]
        self.timers.advance(30)
        self.registry.place(self.alice, self.MOVES[2])
        assert self.left(room) == [30, 150]

    def test_without_the_last_one_the_match_is_lost(self) -> None:
        for late in (lambda: self.registry.expire(600, 3600), lambda: self.place("d3")):
            room = self.play(BYOYOMI)
            self.timers.advance(60 + 89)
            self.registry.expire(600, 3600)
            assert self.registry.room("den") is room
            self.timers.advance(1)
            late()
            ended = self.bob.events[-1]
            assert isinstance(ended, Ended) and (ended.ending, ended.winner) == ("timed out", "bob")

    def place(self, move: str) -> None:
        self.registry.place(self.alice, move)

    def test_no_period_is_won_by_fractions_of_seconds(self) -> None:
        """Sums of floats are a little more or less than they should be."""
        rng = Random(4)
        for _ in range(300):
            period, count = rng.choice([1.1, 0.7 + 1 / 3, 30, 29.97]), rng.randrange(2, 20)
            clock = Clock(TimeControl(1, 0, 0, period, count), [1 + period * count])
            now = 1000 / 3
            clock.turn_to(0, now)
            now += 1 + period * rng.randrange(count - 1) + rng.uniform(0.1, 0.9) * period
            clock.moved(0, now)
            left = clock.left[0] / period
            assert abs(left - round(left)) < 1e-6
            for took in (0, 0, 1e-9, 0.3, 0, 0.999):
                now += took * period
                clock.moved(0, now)
                assert abs(clock.left[0] / period - left) < 1e-6

    def test_a_takeback_takes_back_what_was_added(self) -> None:
        room = self.play(DELAY, 3, 8)
        self.timers.advance(1)
        self.take_back()
        assert self.left(room) == [60 - 1 - 3, 57 - 5]

    def take_back(self) -> None:
        self.registry.offer(self.alice, "takeback")
        self.registry.answer(self.bob, "takeback", True)

    def test_no_time_is_won_by_takebacks_in_byoyomi(self) -> None:
        room = self.play(BYOYOMI, 60 + 20, 0)
        self.timers.advance(2)
        self.take_back()
        assert self.left(room) == [90 - 20 - 2, 150] and room.moves == 2
        self.timers.advance(1)
        self.registry.place(self.alice, "d3")
        assert self.left(room) == [90, 150]

    def test_a_takeback_that_leaves_no_time_is_none(self) -> None:
        room = self.play(TimeControl(1, period=30, periods=1), 30, 0)
        self.timers.advance(2)
        self.registry.offer(self.alice, "takeback")
        assert self.alice.refused() is NotOffered
        assert self.left(room) == [28, 31]


class TestWhatIsShown:
    @pytest.mark.parametrize(
        ("time", "left", "shown"),
        [
            (TimeControl(600, 3), 599.9, "9:59"),
            (DELAY, 0, "0:00 (delay 5 s)"),
            (BYOYOMI, 150, "1:00 + 3x30 s"),
            (BYOYOMI, 90.5, "0:00 + 3x30 s"),
            (BYOYOMI, 90, "0:30 (3 periods left)"),
            (BYOYOMI, 31, "0:01 (2 periods left)"),
            (BYOYOMI, 30, "0:30 (last period)"),
            (BYOYOMI, 0, "0:00 (last period)"),
        ],
    )
    def test_a_clock(self, time: TimeControl, left: float, shown: str) -> None:
        assert time.shown(left) == shown

    def test_the_room_tells_what_it_has_besides_an_increment(self) -> None:
        for time, told in (
            (TimeControl(60, 3), None),
            (DELAY, {"initial": 60, "increment": 0, "delay": 5}),
            (BYOYOMI, {"initial": 60, "increment": 0, "period": 30, "periods": 3}),
        ):
            registry = Registry(0, lambda: 0.0, lambda _: None)
            registry.create(Knowing(registry, "alice"), "den", reversi(time))
            room = registry.room("den")
            assert room is not None
            message = check_message(json_view.whole(room, None, 0, 30))
            assert message.get("clock") == told
            assert message["clocks"] == [time.total] * 2
