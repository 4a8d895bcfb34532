"""Who waits, who plays whom and who begins, without a connection."""

from __future__ import annotations

from random import Random

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tests.nim.helpers import LIST, InOrder
from tictac.errors import AlreadyPlaying, IllegalMove, NotYourTurn, Refusal
from tictac.games.nim.rules import Deal, Move
from tictac.nim.table import NimTables
from tictac.nim.wire import Lose, Turn, Win
from tictac.tables import Closed, Ended, Ending, Event, Told

START = Turn((24, 17, 3))
BAD = Move(9, 1)
TINY = Deal(fixed=(1, 1, 1))


def refused(events: list[Event], player: int, kind: type[Refusal]) -> list[Event]:
    """What follows the refusal of ``player``, which comes first."""
    first, *rest = events
    assert isinstance(first, Closed)
    assert (first.to, type(first.refusal)) == (player, kind)
    return rest


class TablesCase(SynchronousTestCase):
    deal = LIST
    count = 1

    def setUp(self) -> None:
        self.tables = NimTables(self.count, self.deal, InOrder(), Clock().seconds)

    def come(self, *players: int) -> list[Event]:
        """Let these players connect and send `play`; all events."""
        events = []
        for player in players:
            assert self.tables.enter(player) == []
            events += self.tables.play(player)
        return events

    def finish(self, *movers: int) -> list[Event]:
        """Let these take 1 from the first number, in turn; the events of the last move."""
        events: list[Event] = []
        for mover in movers:
            events = self.tables.move(mover, Move(0, 1))
        return events


class BeginningTests(TablesCase):
    def test_two_who_have_sent_play_begin(self) -> None:
        assert self.come(1) == []
        assert self.come(2) == [Told(1, START)]
        assert (self.tables.awaits(1), self.tables.awaits(2)) == (True, False)
        assert self.tables.running() == 1

    def test_who_hasnt_sent_play_takes_no_part(self) -> None:
        self.tables.enter(1)
        assert self.come(2) == []
        assert not self.tables.takes_part(1)
        assert self.come(3) == [Told(2, START)]
        assert self.tables.takes_part(2)

    def test_the_queue_counts_from_play(self) -> None:
        for player in (1, 2, 3):
            self.tables.enter(player)
        assert self.tables.play(3) == []
        assert self.tables.play(1) == [Told(3, START)]

    def test_of_two_new_ones_the_dice_choose(self) -> None:
        begun = set()
        for seed in range(20):
            self.tables = NimTables(1, LIST, Random(seed), Clock().seconds)
            [told] = self.come(1, 2)
            assert isinstance(told, Told)
            begun.add(told.to)
        assert begun == {1, 2}

    def test_each_game_is_dealt_anew(self) -> None:
        self.tables = NimTables(9, Deal(), Random(4), Clock().seconds)
        events = self.come(*range(18))
        assert len({told.message for told in events if isinstance(told, Told)}) == 9


class TurnsTests(TablesCase):
    """Players from the same place, and from others."""

    def queue(self, *lines: str) -> None:
        """Let the players 1 and 2 play, and others come whose numbers go on, from these places."""
        self.come(1, 2)
        for player, line in enumerate(lines, 3):
            self.tables.enter(player)
            assert self.tables.play(player, line) == []

    def order(self) -> list[int]:
        """Who meets the player 1, who always wins."""
        met, opponent = [], 2
        while events := self.tables.exit(opponent)[3:]:
            [told] = events
            assert isinstance(told, Told)
            met.append(opponent := told.to)
        return met

    def test_places_take_turns(self) -> None:
        self.queue("a", "a", "a", "b", "b", "c")
        assert self.order() == [3, 6, 8, 4, 7, 5]

    def test_of_one_place_it_is_who_came_first(self) -> None:
        self.queue("a", "a", "a", "a")
        assert self.order() == [3, 4, 5, 6]

    def test_of_many_places_it_is_who_came_first(self) -> None:
        self.queue("a", "b", "c", "d")
        assert self.order() == [3, 4, 5, 6]

    def test_who_has_left_the_queue_is_passed_over(self) -> None:
        self.queue("a", "a", "b")
        self.tables.exit(3)
        assert self.order() == [4, 5]


class PlayingTests(TablesCase):
    deal = TINY

    def test_a_move_is_the_other_ones_turn_without_zeros(self) -> None:
        self.come(1, 2)
        assert self.tables.move(1, Move(1, 1)) == [Told(2, Turn((1, 1)))]
        assert self.tables.move(2, Move(1, 1)) == [Told(1, Turn((1,)))]

    def test_who_empties_the_list_wins_and_stays(self) -> None:
        self.come(1, 2)
        assert self.finish(1, 2, 1) == [
            Told(2, Lose()), Closed(2), Told(1, Win()), Ended("won"),
        ]  # fmt: skip
        assert self.tables.running() == 0
        assert self.come(3) == [Told(3, Turn((1, 1, 1)))]

    def test_the_winner_meets_the_next_in_the_queue_who_begins(self) -> None:
        self.come(1, 2, 3, 4)
        *_, ended, told = self.finish(1, 2, 1)
        assert (ended, told) == (Ended("won"), Told(3, Turn((1, 1, 1))))
        assert self.finish(3, 1) == [Told(3, Turn((1,)))]
        *_, told = self.finish(3)
        assert told == Told(4, Turn((1, 1, 1)))

    def test_it_begins_no_more_when_it_is_to_finish(self) -> None:
        self.come(1, 2, 3, 4)
        self.tables.finish()
        assert self.finish(1, 2, 1)[-1] == Ended("won")
        assert self.come(5) == []
        assert self.tables.running() == 0


class LeavingTests(TablesCase):
    def test_whoever_leaves_the_other_one_has_won(self) -> None:
        endings: list[Ending] = ["left", "timed out"]
        for leaver, winner in ((1, 2), (2, 1)):
            for ending in endings:
                self.setUp()
                self.come(1, 2)
                events = self.tables.leave(leaver, ending)
                assert events == [Told(winner, Win()), Ended(ending)]

    def test_exit(self) -> None:
        self.come(1, 2, 3)
        assert self.tables.exit(2) == [
            Closed(2), Told(1, Win()), Ended("forfeited"), Told(3, START),
        ]  # fmt: skip

    def test_exit_and_going_in_the_queue(self) -> None:
        self.come(1, 2, 3, 4, 5)
        assert self.tables.exit(3) == [Closed(3)]
        assert self.tables.leave(4, "left") == []
        assert self.tables.leave(1, "left")[-1] == Told(5, START)

    def test_exit_before_play(self) -> None:
        self.tables.enter(1)
        assert self.tables.exit(1) == [Closed(1)]
        assert self.come(2) == []

    def test_the_waiting_winner_may_leave(self) -> None:
        self.come(1, 2)
        self.tables.leave(2, "left")
        assert self.tables.exit(1) == [Closed(1)]
        assert self.come(3) == []
        assert self.come(4) == [Told(3, START)]

    def test_who_is_gone_stays_gone(self) -> None:
        self.come(1, 2)
        self.tables.exit(1)
        assert self.tables.leave(1, "left") == []
        assert not self.tables.awaits(1)


class ErrorsTests(TablesCase):
    def test_moves_that_cant_be_made(self) -> None:
        for move in (Move(3, 1), Move(0, 0), Move(0, 25), Move(255, 2**32 - 1)):
            self.setUp()
            self.come(1, 2)
            rest = refused(self.tables.move(1, move), 1, IllegalMove)
            assert rest == [Told(2, Win()), Ended("refused")]

    def test_a_move_out_of_turn(self) -> None:
        self.come(1, 2)
        rest = refused(self.tables.move(2, Move(0, 1)), 2, NotYourTurn)
        assert rest == [Told(1, Win()), Ended("refused")]

    def test_a_move_in_the_queue_or_before_play(self) -> None:
        self.come(1, 2, 3)
        self.tables.enter(4)
        for player in (3, 4):
            assert refused(self.tables.move(player, Move(0, 1)), player, NotYourTurn) == []
        assert self.tables.awaits(1)

    def test_a_second_play_by_one_who_has_never_won(self) -> None:
        self.come(1)
        assert refused(self.tables.play(1), 1, AlreadyPlaying) == []
        self.come(2, 3)
        rest = refused(self.tables.play(2), 2, AlreadyPlaying)
        assert rest == [Told(3, Win()), Ended("refused")]


class AfterAWinTests(TablesCase):
    """What an honest client may have sent before it knew that it had won."""

    def test_one_play_is_ignored_whenever_it_comes(self) -> None:
        self.come(1, 2)
        self.tables.leave(1, "left")
        self.come(3)
        assert self.tables.play(2) == []
        assert self.tables.awaits(3)
        rest = refused(self.tables.play(2), 2, AlreadyPlaying)
        assert rest == [Told(3, Win()), Ended("refused")]

    def test_one_for_each_win(self) -> None:
        self.come(1, 2)
        self.tables.leave(1, "left")
        self.come(3)
        self.tables.leave(3, "left")
        assert self.tables.play(2) == self.tables.play(2) == []
        refused(self.tables.play(2), 2, AlreadyPlaying)

    def test_one_move_that_crossed_with_the_win_is_ignored(self) -> None:
        self.come(1, 2)
        assert self.tables.leave(2, "left") == [Told(1, Win()), Ended("left")]
        assert self.tables.move(1, Move(0, 6)) == []
        refused(self.tables.move(1, Move(0, 6)), 1, NotYourTurn)

    def test_also_when_the_next_game_has_begun(self) -> None:
        self.come(1, 2, 3)
        self.tables.leave(2, "left")
        assert self.tables.move(1, Move(0, 6)) == []
        assert self.tables.awaits(3)
        # And when it is its turn there, but the move can only have been for the last game:
        self.setUp()
        self.come(1, 2, 3)
        self.tables.leave(2, "left")
        self.tables.move(3, Move(0, 24))
        assert self.tables.move(1, Move(2, 3)) == []
        assert self.tables.move(1, Move(0, 17)) == [Told(3, Turn((3,)))]

    def test_who_wasnt_to_move_cant_have_sent_one(self) -> None:
        self.come(1, 2)
        self.tables.leave(1, "left")
        refused(self.tables.move(2, Move(0, 1)), 2, NotYourTurn)

    def test_nor_who_has_made_the_last_move(self) -> None:
        self.tables = NimTables(1, TINY, InOrder(), Clock().seconds)
        self.come(1, 2)
        self.finish(1, 2, 1)
        refused(self.tables.move(1, Move(0, 1)), 1, NotYourTurn)


class SeveralTablesTests(TablesCase):
    count = 2

    def test_they_are_filled_in_the_order_of_coming(self) -> None:
        assert self.come(1, 2, 3, 4, 5) == [Told(1, START), Told(3, START)]
        assert self.tables.running() == 2

    def test_one_alone_waits_for_whoever_is_free_first(self) -> None:
        self.come(1, 2, 3)
        assert self.tables.leave(2, "left")[-1] == Told(3, START)
        assert self.come(4) == []
        assert self.come(5) == [Told(4, START)]

    def test_a_waiting_winner_comes_before_a_free_table(self) -> None:
        self.come(1, 2)
        self.tables.leave(2, "left")
        assert self.come(3) == [Told(3, START)]
        assert self.tables.leave(3, "left") == [Told(1, Win()), Ended("left")]

    def test_the_winner_who_has_waited_longest_is_next(self) -> None:
        self.come(1, 2, 3, 4)
        self.tables.leave(4, "left")
        self.tables.leave(2, "left")
        self.come(5)
        assert self.tables.leave(5, "left")[0] == Told(3, Win())

    def test_two_winners_keep_their_tables(self) -> None:
        self.come(1, 2, 3, 4)
        self.tables.leave(2, "left")
        self.tables.leave(4, "left")
        assert self.tables.running() == 0
        assert self.come(5, 6, 7) == [Told(5, START), Told(6, START)]


class AnyCrowd(RuleBasedStateMachine):
    """Players who come, play, err and go in any order, held against a plain account of it."""

    def __init__(self) -> None:
        super().__init__()
        self.tables = NimTables(2, Deal(1, 3), Random(0), Clock().seconds)
        self.last = 0
        self.here: set[int] = set()
        self.turns: set[int] = set()
        self.begun = self.ended = 0

    def note(self, events: list[Event]) -> None:
        for event in events:
            match event:
                case Told(to, Turn()):
                    assert to in self.here
                    self.turns.add(to)
                case Told(to, Win() | Lose()):
                    assert to in self.here
                    self.turns.discard(to)
                case Closed(to):
                    self.here.remove(to)
                    self.turns.discard(to)
                case Ended():
                    self.ended += 1

    @rule()
    def come(self) -> None:
        self.last += 1
        self.here.add(self.last)
        self.note(self.tables.enter(self.last))

    @precondition(lambda self: self.here)
    @rule(data=st.data())
    def play(self, data: st.DataObject) -> None:
        self.note(self.tables.play(data.draw(st.sampled_from(sorted(self.here)))))

    @precondition(lambda self: self.turns)
    @rule(data=st.data(), at=st.integers(0, 1), amount=st.integers(1, 2))
    def move(self, data: st.DataObject, at: int, amount: int) -> None:
        player = data.draw(st.sampled_from(sorted(self.turns)))
        self.turns.discard(player)
        events = self.tables.move(player, Move(at, amount))
        self.note(events)
        if not events:  # it was ignored, so the turn isn't over
            self.turns.add(player)

    @precondition(lambda self: self.here)
    @rule(data=st.data(), politely=st.booleans())
    def go(self, data: st.DataObject, politely: bool) -> None:
        player = data.draw(st.sampled_from(sorted(self.here)))
        if politely:
            self.note(self.tables.exit(player))
            return
        self.here.remove(player)
        self.turns.discard(player)
        self.note(self.tables.leave(player, "left"))

    @invariant()
    def who_has_been_asked_is_waited_for(self) -> None:
        assert self.turns == {player for player in self.here if self.tables.awaits(player)}
        assert self.tables.running() == len(self.turns) <= 2

    @invariant()
    def nobody_waits_in_vain(self) -> None:
        waiting = [p for p in self.here if self.tables.takes_part(p)]
        if len(waiting) >= 4:
            assert self.tables.running() == 2
        elif len(waiting) >= 2 and not self.tables._winners:
            assert self.tables.running() >= 1


AnyCrowdTests = AnyCrowd.TestCase
AnyCrowdTests.settings = settings(max_examples=50, stateful_step_count=40)
