"""Time controls in all their forms, and the clocks that run by them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import fields
from typing import Any

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from tests.accounts.helpers import temporary_directory
from tests.archive.helpers import match
from tests.lobby import clocks_suite
from tests.lobby.in_sqlite import KeptCase
from tictac.archive.match import dump_match
from tictac.archive.room_journal import SIGN
from tictac.errors import BadOption
from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.record import BadRecord, dump_terms, load_terms
from tictac.lobby.terms import USUAL_TERMS, Terms, terms_for
from tictac.storage.databases import prepare
from tictac.storage.sqlite import SqliteDatabase
from tictac.storage.upgrades import shipped_steps

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
        assert TimeControl.read(asked) == read == TimeControl.read(read.fields())

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
            ("30+0.25", TimeControl(30, 0.25)),
            ("60d5", DELAY),
            ("1m+3x30", BYOYOMI),
        ],
    )
    def test_what_is_typed(self, typed: str, read: TimeControl) -> None:
        assert TimeControl.parse(typed) == read

    @pytest.mark.parametrize(
        "typed",
        [
            "",
            "m",
            "+3",
            "3+",
            "-3",
            "0d",
            "15d",
            "3x5",
            "3+0x5",
            "3+5x0",
            "1+2+3",
            "3d2+1",
            "3+.5",
            "3.5+1",
            "٣",
        ],
    )
    def test_what_isnt(self, typed: str) -> None:
        with pytest.raises(ValueError, match="isn't a clock such as"):
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
        assert TimeControl(300, 3).fields() == {"initial": 300, "increment": 3}
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
        assert FULL.fields() == {each.name: getattr(FULL, each.name) for each in fields(FULL)}


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


class SqliteClocksTests(KeptCase, clocks_suite.ClocksTests):
    """With a file; what a killed process had open stays open until the end of the test."""

    rejoin_timeout = 10**9
    most = SIGN

    def new_place(self) -> None:
        self.served = self.make_registry(9, self.faults.append)

    def old_place(self, rows: Iterable[tuple[str, str]]) -> None:
        self.path = temporary_directory(self) / "users.db"
        with closing(SqliteDatabase.open(self.path, steps=shipped_steps()[:12])):
            pass
        with closing(sqlite3.connect(self.path)) as connection, connection:
            for table, row in rows:
                connection.execute(f"INSERT INTO {table} VALUES ({row})")
        prepare(str(self.path))

    def start(self, origin: float) -> None:
        self.clock = Clock()
        self.clock.advance(origin)
        self.served = self.open_registry(9, self.faults.append)

    def end(self) -> None:
        self.successResultOf(Deferred.fromCoroutine(self.served.stop()))

    def kill(self) -> None:
        """Nothing of this process happens any more."""

    def think(self, seconds: float) -> None:
        for step in clocks_suite.steps_of(seconds):
            self.clock.advance(step)
            self.settle()
