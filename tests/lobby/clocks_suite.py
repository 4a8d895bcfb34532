"""Clocks across restarts, for every journal: what players have left, compared with a model.

The model adds what players used while a server had their rooms. After a kill, all players to move
may get back the same few seconds, those since the last sign of life.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from random import Random
from typing import Any
from unittest.mock import patch

from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tests.lobby.any_game import Knowing
from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.record import dump_terms
from tictac.lobby.registry import Registry
from tictac.lobby.terms import terms_for

INITIAL, INCREMENT = 10_000, 2

USERS = ("alice", "bob")

STEP = 0.25

SECONDS = st.integers(1, 900).map(lambda hundredths: hundredths / 100)

ENDS, OTHER = st.sampled_from(["end", "kill"]), st.floats(-1e5, 1e5)

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("think"), SECONDS),
        st.tuples(st.just("move"), st.sampled_from(["den", "attic"])),
        st.tuples(ENDS, OTHER),
        st.tuples(st.just("set"), OTHER),
    ),
    min_size=10,
    max_size=25,
)
"""What players and operators do. After an end, the next process has another clock."""


def steps_of(seconds: float) -> list[float]:
    """Return the parts of a time, the last of which is shorter."""
    whole = int(seconds / STEP)
    return [STEP] * whole + [seconds - whole * STEP]


class ClocksTests(SynchronousTestCase):
    """To be derived from: a case with a server that can be started, ended, and killed."""

    most = 0.0
    """The most seconds that players get back after a kill."""

    examples = 40

    served: Registry

    def new_place(self) -> None:
        """Make a database without rooms."""
        raise NotImplementedError

    def old_place(self, rows: Iterable[tuple[str, str]]) -> None:
        """Make a database as it was before the time of rooms, with rows of these tables."""
        raise NotImplementedError

    def start(self, origin: float) -> None:
        """Start a server with the rooms in the database, whose clock begins at a time."""
        raise NotImplementedError

    def end(self) -> None:
        """End the server in order."""
        raise NotImplementedError

    def kill(self) -> None:
        """End the server as kill -9 does."""
        raise NotImplementedError

    def think(self, seconds: float) -> None:
        """Let time pass, in steps of ``STEP``, and everything else that is due happen."""
        raise NotImplementedError

    def open(self, name: str, seconds: int) -> None:
        terms = terms_for(game_type_of("reversi"), {}, time=TimeControl(seconds, INCREMENT))
        self.served.create(Knowing(self.served, "alice"), name, terms)
        self.think(0)
        self.served.join(Knowing(self.served, "bob"), name, "PLAYER")
        self.think(0)

    def room(self, name: str) -> Any:
        room = self.served.room(name)
        assert room is not None
        return room

    def remaining(self, name: str) -> list[float]:
        left: list[float] = self.room(name).clock.remaining(self.served.seconds())
        return left

    def move(self, name: str) -> int:
        """Let the player to move do so, after a return if need be; return the seat."""
        room = self.room(name)
        seat: int = room.turn
        sits = room.players[seat].occupant
        awake = self.served.live_rooms.get(name)
        player = None if awake is None else awake.occupants.get(sits)
        if player is None:
            player = Knowing(self.served, USERS[seat])
            self.served.join(player, name, "PLAYER")
            self.think(0)
        self.served.place(player, room.game.moves(room.position)[0])
        self.think(0)
        return seat

    def test_no_restart_takes_time_from_a_player(self) -> None:
        restarts = 0

        # Making a failure simpler would take minutes.
        @settings(derandomize=True, max_examples=self.examples, phases=[Phase.generate])
        @given(STEPS, st.floats(0, 1e6))
        def check(steps: list[tuple[str, Any]], origin: float) -> None:
            nonlocal restarts
            restarts += self.play(steps, origin)

        check()
        assert restarts > self.examples

    def play(self, steps: list[tuple[str, Any]], origin: float) -> int:
        restarts, day_time, set_by = 0, time.time, 0.0
        self.new_place()
        with patch("time.time", lambda: day_time() + set_by):
            self.start(origin)
            left: dict[str, list[float]] = {}
            for name in ("den", "attic"):
                self.open(name, INITIAL)
                left[name] = [INITIAL, INITIAL]
            for what, value in steps:
                if what == "think":
                    self.think(value)
                    for name, seats in left.items():
                        seats[self.room(name).turn] -= value
                elif what == "move":
                    left[value][self.move(value)] += INCREMENT
                elif what == "set":
                    set_by += value
                else:
                    (self.end if what == "end" else self.kill)()
                    set_by += value
                    restarts += 1
                    self.start(abs(value))
                    turns = {name: self.room(name).turn for name in left}
                    [back, same] = [self.remaining(n)[turns[n]] - left[n][turns[n]] for n in left]
                    assert -1.001e-3 <= back <= (self.most if what == "kill" else 0) + 1e-3, back
                    self.assertAlmostEqual(back, same, 3)
                    for name, seats in left.items():
                        seats[turns[name]] += back
                for name, seats in left.items():
                    for has, should in zip(self.remaining(name), seats, strict=True):
                        self.assertAlmostEqual(has, should, 3)
            self.end()
        return restarts

    def test_a_sign_of_life_counts_what_a_player_thinks_without_moving(self) -> None:
        self.new_place()
        self.start(0)
        self.open("den", 60)
        for _ in range(10):
            self.think(self.most)
            self.kill()
            self.start(7)
        self.assertAlmostEqual(self.remaining("den")[0], 60 - 10 * self.most, 3)

    def test_who_ran_out_of_time_before_the_end_has_lost(self) -> None:
        self.new_place()
        self.start(0)
        self.open("den", 5)
        self.think(4)
        self.end()
        self.start(3600)
        self.served.expire(0, 0)
        assert self.served.room("den") is not None
        self.think(1.01)
        self.served.expire(0, 0)
        assert self.served.room("den") is None

    def test_rooms_saved_before_have_what_was_left_at_their_last_events(self) -> None:
        terms = terms_for(game_type_of("reversi"), {}, time=TimeControl(60, INCREMENT))
        start = terms.game.dump(terms.game.start(2, Random(1)))
        texts = ('["joined","alice",0]', '["joined","bob",1]', '["began"]', '["moved",0,"d3"]')
        rows = []
        for number, name, began in ((1, "den", 1e9), (2, "attic", 1e9 + 5000), (3, "loft", 0)):
            rows.append(("rooms", f"{number}, 1, '{name}', '{dump_terms(terms)}', '{start}'"))
            rows += [
                ("room_events", f"{number}, {n}, {began + 7 * n}, '{text}'")
                for n, text in enumerate(texts, 1)
            ]
        self.old_place(rows)
        self.start(100)
        self.think(3)
        assert [self.remaining(name) for name in ("den", "attic", "loft")] == 3 * [[55, 57]]

    def test_matches_over_days_sleep_through_restarts(self) -> None:
        self.new_place()
        self.start(0)
        time = TimeControl.of_days(3)
        players = [Knowing(self.served, user) for user in USERS]
        self.served.create(players[0], "den", terms_for(game_type_of("reversi"), {}, time=time))
        self.think(0)
        self.served.join(players[1], "den", "PLAYER")
        self.think(0)
        self.move("den")
        for player in players:
            self.served.leave(player)
        self.think(10)
        self.served.expire(0, 0)
        for ends in (self.kill, self.end):
            assert (len(self.served.sleepers), len(self.served.live_rooms)) == (1, 0)
            ends()
            self.start(1e5)
        back = self.remaining("den")[1] - (time.total - 10)
        assert 0 <= back <= self.most + 1e-3
        assert (self.room("den").turn, self.room("den").moves) == (1, 1)
        assert self.move("den") == 1

    def test_a_live_match_that_continues_over_days_sleeps_afterwards(self) -> None:
        self.new_place()
        self.start(0)
        self.open("den", 300)
        self.move("den")
        alice, bob = (
            self.served.live_rooms["den"].occupants[m.occupant] for m in self.room("den").players
        )
        self.served.offer(alice, "days", 2)
        self.think(0)
        self.served.answer(bob, "days", True)
        self.think(0)
        self.kill()
        self.start(7)
        assert (len(self.served.sleepers), len(self.served.live_rooms)) == (1, 0)
        assert self.room("den").terms.lasting and self.remaining("den")[0] == 2 * 86_400
        assert self.move("den") == 1
