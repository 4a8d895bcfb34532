"""What DayMatches says of matches over days, and when."""

from __future__ import annotations

from tests.lobby.days import DaysCase
from tictac.lobby.clock import DAY
from tictac.lobby.events import Ended
from tictac.plugins.days.matches import DayMatch, DayMatches


class ObservedTests(DaysCase):
    """What DayMatches says."""

    def setUp(self) -> None:
        super().setUp()
        self.watch()

    def restart(self) -> None:
        super().restart()
        self.watch()

    def watch(self) -> None:
        self.days = DayMatches(self.served, self.clock.callLater, lambda: 1e9)
        self.days.observers.append(self)
        self.told: list[tuple[str, DayMatch]] = []

    def later(self, seconds: float) -> None:
        self.clock.advance(seconds)
        for _ in range(2):
            self.days.expire()
            self.does.expire(600, 3600, 60)

    def changed(self, match: DayMatch) -> None:
        self.told.append(("changed", match))

    def late(self, match: DayMatch) -> None:
        self.told.append(("late", match))

    def over(self, match: DayMatch, ended: Ended) -> None:
        self.told.append((ended.ending, match))

    def take(self) -> list[tuple[str, DayMatch]]:
        told, self.told = self.told, []
        return told

    def test_a_move(self) -> None:
        self.begin()
        self.take()
        self.later(100)
        alice = self.sit("alice")
        [(_, match)] = self.take()
        assert (match.user, match.here, match.since) == ("alice", ("alice",), 1e9 - 100)
        room = self.room()
        self.does.place(alice, room.game.moves(room.position)[0])
        [(what, match)] = self.take()
        assert (what, match.user, match.until) == ("changed", "bob", 1e9 + 3 * DAY)
        assert (match.players, match.days, match.number) == (("alice", "bob"), 3, room.number)

    def test_only_what_is_committed_is_told(self) -> None:
        self.begin()
        alice = self.sit("alice")
        self.take()
        self.outbox.shut = True
        room = self.room()
        self.does.place(alice, room.game.moves(room.position)[0])
        assert self.take() == [] and self.outbox.behind

    def test_a_turn_has_the_same_names_in_the_next_process(self) -> None:
        self.begin()
        self.play("alice")
        before = self.days.match("den")
        self.restart()
        after = self.days.match("den")
        assert before is not None and after is not None
        names = [(each.room, each.began, each.number, each.user) for each in (before, after)]
        assert names[0] == names[1]

    def test_a_part_of_a_millisecond_changes_no_name(self) -> None:
        self.clock.advance(10.0004)
        self.begin()
        before = self.days.match("den")
        self.clock.advance(0.0003)
        self.restart()
        for after in (self.days.match("den"), self.slept()):
            assert before is not None and after is not None
            assert after.began == before.began

    def slept(self) -> DayMatch | None:
        self.later(1)
        assert len(self.served.sleepers) == 1
        return self.days.match("den")

    def test_a_room_that_sleeps_has_the_same_facts(self) -> None:
        self.begin()
        self.play("alice")
        self.does.offer(bob := self.sit("bob"), "draw")
        self.does.leave(bob)
        awake = self.days.match("den")
        for begin_again in (lambda: self.later(0), self.restart):
            begin_again()
            assert len(self.served.sleepers) == 1
            asleep = self.days.match("den")
            assert awake is not None and asleep is not None
            times = (awake.since, awake.until)
            assert asleep._replace(since=times[0], until=times[1]) == awake
            assert asleep.until - asleep.since == 3 * DAY and asleep.offer == (1, "draw")

    def test_no_question_plays_the_moves_of_a_room_that_sleeps_again(self) -> None:
        self.begin()
        self.play("alice")
        self.restart()
        self.served.sleepers._restore = lambda kept: self.fail("it was restored")
        match = self.days.match("den")
        assert match is not None and (match.user, match.number) == ("bob", 5)
        assert self.days.turns_of("bob") == 1 and set(self.days.users()) == {"alice", "bob"}

    def test_a_player_is_late_when_a_quarter_is_left(self) -> None:
        self.begin()
        self.later(DAY)
        self.play("alice")
        self.take()
        for seconds, late in ((2 * DAY, []), (DAY / 4 - 10, []), (20, ["bob"]), (3600, [])):
            self.later(seconds)
            assert [match.user for what, match in self.take() if what == "late"] == late

    def test_visits_change_nothing_about_that(self) -> None:
        self.begin()
        for _ in range(3):
            self.later(100)
            self.does.leave(self.sit("bob"))
        self.later(2.25 * DAY)
        self.later(60)
        late = [match.user for what, match in self.take() if what == "late"]
        assert late == ["alice"]

    def test_a_player_is_late_after_a_restart(self) -> None:
        self.begin()
        self.restart()
        self.later(2.25 * DAY - 10)
        assert self.take() == []
        self.later(20)
        assert [(what, match.user) for what, match in self.take()] == [("late", "alice")]

    def test_the_end(self) -> None:
        self.begin()
        self.take()
        self.does.forfeit(self.sit("bob"))
        assert self.take()[-1][0] == "forfeited"

    def test_whose_turn_it_is(self) -> None:
        self.begin()
        self.play("alice")
        self.later(1)
        assert (self.days.turns_of("alice"), self.days.turns_of("bob")) == (0, 1)
        self.restart()
        assert (self.days.turns_of("alice"), self.days.turns_of("bob")) == (0, 1)
        assert list(self.days.of("bob")) == ["den"]
