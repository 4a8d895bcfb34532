"""The computer: where it goes, and how it plays (rooms.md, "The computer")."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from random import Random

from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tests.engines.helpers import RULES, Guest, NoEngine
from tests.lobby import told
from tictac.engines.computer import Computer
from tictac.engines.worker import Question, answer, line_of, think
from tictac.games.all import GAMES
from tictac.lobby.events import Began, Ended, Joined
from tictac.lobby.registry import Registry
from tictac.lobby.terms import USUAL_TERMS, terms_for


class QuickEngine:
    """Thinks at once."""

    rng = Random(1)

    def think(self, question: Question, of: Hashable = None) -> Deferred[str]:
        line = think(line_of(question), lambda: False, lambda: 0, self.rng)
        return succeed(answer(line))


class HouseCase(SynchronousTestCase):
    patience: float | None = 5.0
    rejoin_timeout: float = 0

    def setUp(self) -> None:
        self.clock = Clock()
        self.faults: list[object] = []
        self.registry = Registry(
            0, self.clock.seconds, self.faults.append, self.rejoin_timeout, rng=Random(1)
        )
        self.house = Computer(self.registry, self.clock, self.patience, Random(1), NoEngine())
        self.registry.observers.append(self.house)
        self.alice, self.bob = Guest(self.registry, "alice"), Guest(self.registry, "bob")

    def tearDown(self) -> None:
        assert not self.faults


class GoingTests(HouseCase):
    def test_to_a_room_that_has_waited_so_long(self) -> None:
        self.registry.create(self.alice, "den")
        self.clock.advance(4.9)
        assert not self.alice.has(Began)
        self.clock.advance(0.2)
        assert self.alice.events[-1] == Began(3, None, ("alice", "computer"))

    def test_at_once_where_it_is_asked_for(self) -> None:
        for name in ("computer", "computer 1", "computers"):
            alice = Guest(self.registry, "alice")
            self.registry.create(alice, name)
            self.clock.advance(0)
            assert alice.has(Began), name

    def test_not_so_where_the_name_only_looks_like_it(self) -> None:
        for name in ("Computer", "my computer", "compute"):
            alice = Guest(self.registry, "alice")
            self.registry.create(alice, name)
            self.clock.advance(0)
            assert not alice.has(Began), name

    def test_not_by_name_unless_it_is_offered(self) -> None:
        computer = Computer(self.registry, self.clock, None, Random(1), NoEngine(), by_name=False)
        self.registry.observers[:] = [computer]
        self.registry.create(self.alice, "computer")
        self.registry.create(self.bob, "den", replace(USUAL_TERMS, computer="club"))
        self.clock.advance(0)
        assert not self.alice.has(Began)
        assert self.bob.has(Began)

    def test_not_where_somebody_else_has_come(self) -> None:
        self.registry.create(self.alice, "den")
        self.registry.join(self.bob, "den", "PLAYER")
        self.clock.advance(10)
        assert self.alice.events[-1] == Began(3, None, ("alice", "bob"))

    def test_a_viewer_doesnt_keep_it_away(self) -> None:
        self.registry.create(self.alice, "den")
        self.registry.join(self.bob, "den", "VIEWER")
        self.clock.advance(5)
        assert self.alice.has(Began) and self.bob.has(Began)

    def test_a_new_room_of_the_same_name_waits_its_own_time(self) -> None:
        self.registry.create(self.alice, "den")
        self.clock.advance(4)
        self.registry.forfeit(self.alice)
        self.registry.create(self.alice, "den")
        self.clock.advance(4)
        assert not self.alice.has(Began)
        self.clock.advance(1)
        assert self.alice.has(Began)

    def test_it_sits_in_many_rooms_at_once(self) -> None:
        guests = [Guest(self.registry, f"guest{number}") for number in range(20)]
        for guest in guests:
            self.registry.create(guest, f"room {guest.user}")
        self.clock.advance(5)
        for guest in guests:
            guest.place(4)
        self.clock.advance(1)
        assert all(guest.board().count("2") == 1 for guest in guests)

    def test_after_it_was_stopped_it_goes_nowhere(self) -> None:
        self.registry.create(self.alice, "den")
        self.house.stop()
        assert not self.clock.getDelayedCalls()
        self.clock.advance(10)
        assert not self.alice.has(Began)


class PlayingTests(HouseCase):
    patience = 0.0

    def begin(self) -> None:
        """Let a match against the house begin, with nothing of an old one."""
        self.alice.events.clear()
        self.registry.create(self.alice, "den")
        self.clock.advance(0)

    def test_it_answers_within_a_second_and_not_before_one_has_seen_ones_own_move(self) -> None:
        self.begin()
        self.alice.place(4)
        assert self.alice.board() == "000010000"
        self.clock.pump([0.05] * 20)
        assert self.alice.board().count("2") == 1

    def test_it_never_loses(self) -> None:
        rng = Random(2)
        endings = set()
        for _ in range(150):
            self.begin()
            while not self.alice.has(Ended):
                self.alice.place(rng.choice(RULES.legal_moves(self.alice.board())))
                self.clock.advance(1)
            ended = self.alice.events[-1]
            assert isinstance(ended, Ended)
            endings.add((ended.ending, ended.winner))
        assert endings == {("won", "computer"), ("drawn", None)}
        assert not self.clock.getDelayedCalls()

    def test_it_plays_on_when_moves_were_kept_for_alice(self) -> None:
        for _ in range(20):
            self.begin()
            for cell in (4, 0, 1, 2, 3, 5, 6, 7, 8):
                self.alice.place(cell)
            while not self.alice.has(Ended):
                before = self.alice.board()
                self.clock.advance(1)
                if self.alice.board() == before:
                    self.alice.place(RULES.legal_moves(before)[0])
            assert not self.clock.getDelayedCalls()

    def test_a_move_that_came_before_it_gets_one_answer(self) -> None:
        # It thought twice, and its second answer was kept for a turn in which it was impossible.
        self.registry.create(self.alice, "computer")
        self.alice.place(0)
        for _ in range(9):
            self.clock.advance(0.3)
            room = self.registry.room("computer")
            if room is None:
                break
            assert room.kept is None
            if room.begun and room.turn == 0:
                self.alice.place(self.alice.board().index("0"))
        ended = self.alice.events[-1]
        assert isinstance(ended, Ended) and ended.ending in ("won", "drawn")

    def test_impossible_moves_dont_confuse_it(self) -> None:
        self.begin()
        self.registry.place(self.alice, "7:7")
        self.clock.advance(1)
        assert self.alice.board() == "000000000"
        self.alice.place(0)
        self.registry.place(self.alice, None)
        self.clock.advance(1)
        assert sorted(self.alice.board()) == sorted("000000012")

    def test_it_thinks_no_longer_than_the_match_lasts(self) -> None:
        self.begin()
        self.alice.place(4)
        self.registry.forfeit(self.alice)
        assert self.alice.events[-1] == told.ended(5, "000010000", "forfeited", "computer")
        assert not self.clock.getDelayedCalls()
        self.begin()
        self.alice.place(4)
        self.registry.leave(self.alice)
        assert not self.clock.getDelayedCalls()


class OnlyAskedTests(HouseCase):
    """With the page and without ``--computer``."""

    patience = None

    def test_it_goes_where_it_is_asked_for_and_nowhere_else(self) -> None:
        self.registry.create(self.alice, "den")
        self.registry.create(self.bob, "computer 1")
        self.clock.advance(0)
        assert self.bob.has(Began) and not self.alice.has(Began)
        assert not self.clock.getDelayedCalls()
        assert self.registry.rooms() == 2
        self.bob.place(4)
        assert self.registry.moves() == 1
        self.registry.forfeit(self.alice)
        assert self.registry.rooms() == 1
        self.registry.forfeit(self.bob)


class AskedForTests(HouseCase):
    """Where rooms say themselves whether it comes."""

    patience = 0.0

    def test_it_comes_only_where_it_is_asked_for(self) -> None:
        terms = replace(USUAL_TERMS, computers_asked=True)
        self.registry.create(self.alice, "computer 1", terms)
        self.clock.advance(60)
        assert not self.alice.has(Began)

    def test_it_takes_the_seats_before_the_creators(self) -> None:
        game_type = GAMES["clue"]
        terms = terms_for(game_type, {}, 6, 5, computer=game_type.levels[0], computers_first=2)
        self.registry.create(self.alice, "den", terms)
        self.clock.advance(0)
        (began,) = [event for event in self.alice.events if isinstance(event, Began)]
        assert began.users[:4] == ("computer", "computer 2", "alice", "computer 3")


class LeftAloneTests(HouseCase):
    """In a game of six, of whom one is a person."""

    patience = None

    def setUp(self) -> None:
        super().setUp()
        game_type = GAMES["clue"]
        terms = terms_for(game_type, {}, 6, 5, computer=game_type.levels[0])
        house = Computer(self.registry, self.clock, None, Random(1), QuickEngine())
        self.registry.observers[:] = [house]
        self.registry.rng = Random(1)  # for which nobody solves the case for long
        self.alice.supports_all_events = self.bob.supports_all_events = True
        self.registry.create(self.alice, "den", terms)
        self.clock.advance(0)
        assert self.alice.has(Began)

    def pass_time(self, seconds: int) -> None:
        self.clock.pump([0.1] * 10 * seconds)

    def test_computers_play_on_for_a_minute(self) -> None:
        self.registry.leave(self.alice)
        self.pass_time(59)
        assert self.registry.moves() > 20
        assert self.registry.rooms() == 1
        self.pass_time(2)
        assert self.registry.rooms() == 0
        assert not self.clock.getDelayedCalls()

    def test_they_play_on_while_somebody_watches(self) -> None:
        self.registry.join(self.bob, "den", "VIEWER")
        self.registry.forfeit(self.alice)  # who watches now
        self.pass_time(50)
        self.registry.leave(self.alice)
        self.pass_time(40)
        assert self.registry.rooms() == 1
        self.registry.leave(self.bob)
        self.pass_time(61)
        assert self.registry.rooms() == 0

    def test_they_resign_if_only_a_player_who_resigned_watches(self) -> None:
        """So who is out needn't watch to the end, and sees how it was."""
        self.registry.forfeit(self.alice)
        self.pass_time(1)
        ended = self.alice.events[-1]
        assert isinstance(ended, Ended) and (ended.ending, ended.winner) == ("drawn", None)
        assert GAMES["clue"].game().result(ended.position) is not None
        assert self.registry.rooms() == 0
        assert not self.clock.getDelayedCalls()

    def test_somebody_comes_in_time_to_watch(self) -> None:
        self.registry.leave(self.alice)
        self.pass_time(50)
        self.registry.join(self.bob, "den", "VIEWER")
        self.pass_time(20)
        assert self.registry.rooms() == 1


class HeldSeatsTests(HouseCase):
    """Against somebody who is cut off and may come back."""

    rejoin_timeout = 30

    def come_back(self) -> Guest:
        alice = Guest(self.registry, "alice")
        self.registry.join(alice, "den", "PLAYER")
        return alice

    def test_it_has_moved_meanwhile(self) -> None:
        self.registry.create(self.alice, "den")
        self.clock.advance(5)
        self.alice.place(4)
        self.registry.leave(self.alice)
        self.clock.advance(1)
        alice = self.come_back()
        joined = alice.events[0]
        assert isinstance(joined, Joined) and joined.position is not None
        assert (joined.turn, joined.position.count("2")) == ("alice", 1)
        alice.place(joined.position.index("0"))
        self.clock.advance(1)
        assert alice.board().count("2") == 2

    def test_it_goes_to_a_room_whose_creator_is_away(self) -> None:
        self.registry.create(self.alice, "den")
        self.registry.leave(self.alice)
        self.clock.advance(5)
        joined = self.come_back().events[0]
        assert isinstance(joined, Joined)
        assert (joined.turn, joined.waiting) == ("alice", "computer")

    def test_it_is_left_alone_in_the_end(self) -> None:
        self.registry.create(self.alice, "den")
        self.clock.advance(5)
        self.registry.leave(self.alice)
        self.clock.advance(30)
        self.registry.expire(600, 3600)
        assert self.registry.rooms() == 0
        assert not self.clock.getDelayedCalls()
