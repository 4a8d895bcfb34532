"""Matches of two computers to watch (docs/reference/api.md, "Paths")."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tictac.plugins.people.refusals import NoShow
from tictac.plugins.people.shows import FORGOTTEN, PAUSE, REST, Shows


class ShowsTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.shows = Shows(self.clock, Random(1), 2)

    def read(self, game: str = "nim") -> Any:
        return json.loads(self.successResultOf(self.shows.answer([game], {})).content)["show"]

    def check_refuses(self, *path: str) -> None:
        self.failureResultOf(self.shows.answer(path, {}), NoShow)

    def test_a_read_makes_one_move_after_a_pause(self) -> None:
        first = self.read()
        assert (first["moves"], first["turn"], first["levels"]) == (0, 0, ["club", "best"])
        assert self.read() == first, "another reader"
        self.clock.advance(10 * PAUSE)
        assert self.read()["moves"] == 1, "moves that no visitor sees aren't made"
        assert self.read()["moves"] == 1
        assert self.clock.getDelayedCalls() == [], "it has no timer"

    def test_another_match_follows_a_finished_one(self) -> None:
        while (show := self.read())["turn"] is not None:
            assert show["winner"] is None
            self.clock.advance(PAUSE)
        assert show["winner"] in (0, 1)
        self.clock.advance(REST - 1)
        assert self.read() == show
        self.clock.advance(1)
        assert self.read()["moves"] == 0

    def test_slow_levels_play_for_no_visitor(self) -> None:
        assert self.read("connectfour")["levels"] == ["beginner", "beginner"]
        assert self.read("reversi")["levels"] == ["beginner", "club"]
        assert self.read("clue") is None
        for game in ("nothing", ""):
            self.check_refuses(game)
        self.check_refuses()

    def test_a_game_takes_the_place_of_one_that_no_visitor_reads(self) -> None:
        self.read("nim")
        self.clock.advance(FORGOTTEN)
        self.read("reversi")
        assert self.read("tictactoe") is None
        self.clock.advance(1)
        assert self.read("tictactoe")["moves"] == 0
        assert self.read("nim") is None
