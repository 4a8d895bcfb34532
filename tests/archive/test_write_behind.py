"""Matches on their way into the archive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from twisted.internet.defer import Deferred, fail
from twisted.internet.task import Clock
from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import answering
from tests.archive.helpers import BEGAN, archive_of, match
from tests.lobby.any_game import Knowing
from tictac.archive.packed import pack
from tictac.archive.pages import Filter
from tictac.archive.tables import MatchTables
from tictac.archive.write_behind import AWAY, DAY, DELAY, MOST, PRUNED_EVERY, WriteBehind
from tictac.games.all import GAMES
from tictac.lobby.events import Ended
from tictac.lobby.journal import Outcome, Packed
from tictac.lobby.registry import Registry
from tictac.lobby.terms import terms_for
from tictac.storage.store import StoreAwayError


class BehindCase(SynchronousTestCase):
    """Over an archive that may be away, and answers when it is told to."""

    keep_days = 0

    def setUp(self) -> None:
        self.clock = Clock()
        self.archive = archive_of()
        self.why: Exception | None = None
        self.answer: Deferred[int] | None = None
        self.batches = 0

        def add(
            request: Callable[..., Deferred[int]],
            matches: Sequence[Packed],
            outcomes: Sequence[Outcome],
        ) -> Deferred[int]:
            self.batches += 1
            if self.why is not None:
                return fail(self.why)
            adding = request(matches, outcomes)
            return adding if self.answer is None else self.answer

        self.enterContext(answering(MatchTables.add, add))
        self.behind = WriteBehind(
            self.archive, self.clock, self.clock.seconds, 5000, self.keep_days, lambda: BEGAN
        )
        self.logs = self.enterContext(capturedLogs())
        self.behind.start()

    def keep(self, many: int, first: int = 0) -> None:
        for number in range(first, first + many):
            self.behind.keep(pack(match(f"m{number}")))

    def kept(self) -> int:
        wanted = Filter(private=True)
        return len(MatchTables(self.archive.database).find(wanted, None, 9999).matches)

    def said(self) -> list[str]:
        return [str(formatEvent(event)) for event in self.logs]

    def stop(self) -> None:
        self.successResultOf(Deferred.fromCoroutine(self.behind.stop()))
        assert not self.clock.getDelayedCalls()


class WritingTests(BehindCase):
    def test_nothing_is_written_before_its_time_and_then_all_together(self) -> None:
        self.keep(3)
        assert self.batches == 0 and self.behind.waiting == 3
        self.clock.advance(DELAY)
        assert (self.batches, self.kept(), self.behind.waiting) == (1, 3, 0)
        assert not self.clock.getDelayedCalls()

    def test_one_batch_at_a_time(self) -> None:
        self.answer = Deferred()
        self.keep(MOST + 1)
        self.clock.advance(DELAY)
        self.keep(1, 9000)
        self.clock.advance(10)
        assert self.batches == 1
        answer, self.answer = self.answer, None
        answer.callback(MOST)
        self.clock.advance(DELAY)
        assert (self.batches, self.kept()) == (2, MOST + 2)

    def test_a_full_batch_follows_another_at_once(self) -> None:
        self.answer = Deferred()
        self.keep(MOST)
        self.clock.advance(DELAY)
        self.keep(MOST, MOST)
        answer, self.answer = self.answer, None
        answer.callback(MOST)
        self.clock.advance(0)
        assert (self.batches, self.behind.waiting) == (2, 0)

    def test_what_waits_at_the_stop_is_written(self) -> None:
        self.keep(MOST + 1)
        self.stop()
        self.archive.start()
        assert self.kept() == MOST + 1 and self.said() == []

    def test_the_stop_waits_for_what_is_under_way(self) -> None:
        answer = self.answer = Deferred()
        self.keep(1)
        self.clock.advance(DELAY)
        self.keep(1, 1)
        stopping = Deferred.fromCoroutine(self.behind.stop())
        self.assertNoResult(stopping)
        self.answer = None
        answer.callback(1)
        self.successResultOf(stopping)
        self.archive.start()
        assert (self.kept(), self.batches) == (2, 2)


class AwayTests(BehindCase):
    def test_matches_wait_while_the_database_is_away(self) -> None:
        self.why = OSError("no space")
        self.keep(2)
        self.clock.pump([DELAY, AWAY, AWAY])
        assert (self.batches, self.behind.waiting) == (3, 2)
        assert self.behind.trouble == "2 finished matches wait for the database, 0 are lost"
        self.why = None
        self.clock.advance(AWAY)
        assert (self.kept(), self.behind.trouble) == (2, "")
        assert self.said() == ["cannot save finished matches: no space; they wait in memory"]

    def test_an_outage_that_is_in_the_log_makes_no_line(self) -> None:
        self.why = StoreAwayError()
        self.keep(1)
        self.clock.advance(DELAY)
        assert self.said() == [] and self.behind.trouble

    def test_more_than_may_wait_are_lost_and_counted(self) -> None:
        self.why = StoreAwayError()
        self.keep(5003)
        assert (self.behind.waiting, self.behind.lost) == (5000, 3)
        self.clock.advance(DELAY)
        assert "3 are lost" in self.behind.trouble
        self.why = None
        self.clock.pump([AWAY, 0, DELAY])
        assert self.kept() == 5000
        first, second = self.said()
        assert first.startswith("5000 finished matches wait for the database")
        assert second == "finished matches are saved again; lost so far: 3"

    def test_a_stop_without_the_database_says_what_is_lost(self) -> None:
        self.why = StoreAwayError()
        self.keep(2)
        self.clock.advance(DELAY)
        self.stop()
        assert self.said() == ["2 finished matches lost: database unavailable"]


class PruningTests(BehindCase):
    keep_days = 2

    def test_old_matches_are_forgotten_at_the_start_and_every_hour(self) -> None:
        old = BEGAN - 2 * DAY - 3
        MatchTables(self.archive.database).add_all(
            [match("m1", began=old), match("m2", began=old + 1)]
        )
        self.clock.advance(PRUNED_EVERY)
        assert self.kept() == 1
        self.stop()


class RegistryTests(BehindCase):
    """What a registry hands over."""

    def setUp(self) -> None:
        super().setUp()
        self.faults = list[Any]()
        self.registry = Registry(9, self.clock.seconds, self.faults.append, rng=Random(1))
        self.registry.archivist = self.behind

    def play(self, name: str, protocol: str | None = None) -> Knowing:
        terms = terms_for(GAMES["nim"], {}, protocol=protocol)
        alice, bob = Knowing(self.registry, "alice"), Knowing(self.registry, "bob")
        self.registry.create(alice, name, terms)
        self.registry.join(bob, name, "PLAYER", seated_by=protocol)
        self.registry.forfeit(alice)
        return bob

    def test_every_match_that_ends_is_kept(self) -> None:
        self.play("den")
        self.play("hall", "nim")
        self.clock.advance(DELAY)
        page = MatchTables(self.archive.database).find(Filter(player="alice", result="lost"))
        assert [(each.door, each.ending) for each in page.matches] == [
            ("nim", "forfeited"),
            (None, "forfeited"),
        ]

    def test_what_the_stop_breaks_off_isnt(self) -> None:
        self.play("den")
        self.behind.cut()
        self.play("hall")
        self.clock.advance(DELAY)
        assert self.kept() == 1

    def test_a_match_that_cant_be_packed_hurts_nobody(self) -> None:
        self.patch(self.behind, "pack", lambda room: 1 / 0)
        bob = self.play("den")
        assert isinstance(bob.news()[-1], Ended)
        assert self.faults == [self.behind]
