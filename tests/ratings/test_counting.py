"""When rated matches are counted while a server runs."""

from __future__ import annotations

from unittest.mock import patch

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import answering
from tests.archive.helpers import archive_of, match
from tictac.archive.tables import MatchTables
from tictac.ratings.counting import EVERY, Counting
from tictac.ratings.tables import RatingTables
from tictac.storage.store import StoreAwayError


class CountingTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.archive = archive_of(users=["alice", "bob"])
        self.clock = Clock()
        self.counting = Counting(self.archive, self.clock, a_day=1)

    def counted(self) -> list[str]:
        history = RatingTables(self.archive.database).history("alice")
        return [point.match_id for point in history]

    def test_it_counts_at_the_start_and_then_now_and_again(self) -> None:
        MatchTables(self.archive.database).add_all([match("m1", rated=True)])
        self.counting.start()
        assert self.counted() == ["m1"]
        MatchTables(self.archive.database).add_all(
            [match("m2", rated=True, began=1.71e9), match("m3", rated=True, began=1.71e9)]
        )
        self.clock.advance(EVERY)
        assert self.counted() == ["m1", "m2"]

    def test_while_there_are_more_it_goes_on(self) -> None:
        MatchTables(self.archive.database).add_all(
            [match(f"m{n}", rated=True, began=(n + 1) * 1e6) for n in range(3)]
        )
        with patch("tictac.ratings.tables.CHUNK", 1):
            self.counting.start()
            assert self.counted() == ["m0"]
            self.clock.pump([0, 0])
        assert self.counted() == ["m0", "m1", "m2"]
        self.counting.stop()

    def test_once_stopped_it_counts_no_more(self) -> None:
        self.counting.start()
        self.counting.stop()
        assert self.clock.getDelayedCalls() == []

    def test_it_tries_again_when_the_database_was_away(self) -> None:
        outcomes = [StoreAwayError(), ValueError("a fault"), None]

        def count(*_: object) -> Deferred[int]:
            answer: Deferred[int] = Deferred()
            outcome = outcomes.pop(0)
            answer.callback(0) if outcome is None else answer.errback(outcome)
            return answer

        with answering(RatingTables.count, count):
            self.counting.start()
            self.clock.pump([EVERY, EVERY])
        assert outcomes == []
        assert len(self.flushLoggedErrors(ValueError)) == 1
        self.counting.stop()
