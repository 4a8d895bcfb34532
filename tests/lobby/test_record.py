"""A room is what its record leads to."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import ClassVar
from unittest.mock import patch

import pytest

from tests.lobby.any_game import Knowing
from tests.lobby.race import RACE, ManySeatsCase
from tictac.games.all import GAMES, game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.offers import standing
from tictac.lobby.record import BadRecord, RecordLine, dump_terms, lines, load_terms, restore
from tictac.lobby.room import Room
from tictac.lobby.terms import USUAL_TERMS, Terms, terms_for


class RestoreTests(ManySeatsCase):
    def again(self, room: Room, now: float | None = None) -> Room:
        """Return the room as restored from texts."""
        when = self.timers.seconds() if now is None else now
        terms = load_terms(dump_terms(room.terms))
        start = room.game.load(room.game.dump(room.start))
        return restore(room.name, terms, start, lines(room), Random(9), when)

    def check(self, room: Room) -> Room:
        """Restore the room, and compare all that lasts."""
        again = self.again(room)
        for what in ("name", "number", "moves", "offer", "start", "position", "turn", "running"):
            assert getattr(again, what) == getattr(room, what), what
        assert [(m.user, m.gone) for m in again.players] == [(m.user, m.gone) for m in room.players]
        assert all(m.gone or m.away is not None for m in again.players)
        assert lines(again) == lines(room) and dump_terms(again.terms) == dump_terms(room.terms)
        return again

    def test_in_the_middle_of_a_match_of_every_game(self) -> None:
        for game in GAMES.values():
            rng = Random(5)
            room = self.begin(terms_for(game, {}, seats=2)) if 2 in game.seats else None
            if room is None:
                continue
            for _ in range(3):
                move = rng.choice(room.game.moves(room.position))
                self.registry.place((self.alice, self.bob)[room.turn], move, keep=False)
            assert self.registry.room("den") is room, "the match is still on"
            self.check(room)
            self.registry.forfeit(self.alice)

    def test_before_the_match(self) -> None:
        self.registry.create(self.alice, "den", terms_for(RACE, {}, seats=3))
        room = self.registry.room("den")
        assert room is not None
        with patch.dict(GAMES.loaded, {"race": RACE}):
            assert not self.check(room).begun

    def test_offers_pauses_talk_and_who_came_and_went(self) -> None:
        room = self.begin()
        self.registry.say(self.vera, "ça va?")
        self.registry.leave(self.vera)
        self.registry.leave(self.bob)
        self.registry.join(Knowing(self.registry, "bob"), "den", "PLAYER")
        self.registry.offer(self.alice, "draw")
        self.registry.pause(self.alice, True)
        again = self.check(room)
        assert again.paused and again.offer is not None and again.offer.seat == 0

    def test_moves_that_were_taken_back(self) -> None:
        room = self.begin(terms_for(game_type_of("reversi"), {}, time=TimeControl(60, 2)))
        for move in ("d3", "c3", "c4"):
            self.registry.place((self.alice, self.bob)[room.turn], move)
        self.timers.advance(5)
        self.registry.offer(self.bob, "takeback")
        self.registry.answer(self.alice, "takeback", True)
        now = self.timers.seconds()
        for _ in range(2):
            again = self.check(room)
            assert standing(again) == standing(room)
            clocks = [each.clock for each in (again, room)]
            assert clocks[0] and clocks[1] and clocks[0].remaining(now) == clocks[1].remaining(now)
            self.registry.place(self.bob, "c3")

    def test_chance_and_who_is_gone(self) -> None:
        room = self.race()
        self.registry.place(self.alice, "roll")
        self.registry.forfeit(self.carol)
        with patch.dict(GAMES.loaded, {"race": RACE}):
            assert self.check(room).players[2].gone

    def test_a_clock_runs_on(self) -> None:
        room = self.begin(terms_for(game_type_of("reversi"), {}, time=TimeControl(60, 2)))
        self.timers.advance(10)
        self.registry.place(self.alice, "d3")
        self.timers.advance(5)
        self.registry.say(self.alice, "well?")
        clock = self.again(room, 17).clock
        assert clock is not None and clock is not room.clock
        assert clock.remaining(17) == [52, 53]


class TestTerms:
    SOME: ClassVar[list[Terms]] = [
        USUAL_TERMS,
        terms_for(game_type_of("reversi"), {"size": "6"}, key="secret", time=TimeControl(300, 3)),
        terms_for(game_type_of("nim"), {}, computer="best", move_timeout=5),
        replace(USUAL_TERMS, score=(1.5, 0.5)),
    ]

    @pytest.mark.parametrize("terms", SOME)
    def test_terms_are_read_as_they_were_written(self, terms: Terms) -> None:
        again = load_terms(dump_terms(terms))
        assert dump_terms(again) == dump_terms(terms) and again.score == terms.score
        assert (again.game is USUAL_TERMS.game) is (terms.game is USUAL_TERMS.game)


class TestBadRecords:
    @pytest.mark.parametrize(
        "text",
        [
            "",
            "{}",
            "[]",
            '["undone",0,1]',
            '["offered",0,"rematch"]',
            '["ended","won",0,"0:0"]',
            '["moved",0]',
            '["moved",0,"9:9"]',
            "[[[[",
        ],
    )
    def test_what_isnt_an_event_of_a_room_that_goes_on(self, text: str) -> None:
        with pytest.raises(BadRecord, match="event 3 of room den: "):
            start = USUAL_TERMS.game.start(2, Random(1))
            restore("den", USUAL_TERMS, start, [RecordLine(3, 0, text)], Random(1), 0)

    @pytest.mark.parametrize("text", ["", "[]", "{}", '{"game":"chess","options":{}}'])
    def test_what_isnt_terms(self, text: str) -> None:
        with pytest.raises(BadRecord):
            load_terms(text)
