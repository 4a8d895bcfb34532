"""Ratings in each database: what counts, that it counts once, and what is left of it."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from unittest.mock import patch

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import HASH, Case, temporary_directory
from tests.archive.helpers import BEGAN, COMPUTER, GUEST, match
from tests.storage.postgres import InPostgres, InSqlite
from tictac.accounts.tables import Account, AccountTables
from tictac.archive.match import Match, Player, aborted_by
from tictac.archive.tables import MatchTables
from tictac.ratings.glicko import Rating, after_match
from tictac.ratings.tables import RatingTables, counts
from tictac.storage.databases import opened
from tictac.storage.postgres import PostgresDatabase
from tictac.storage.sqlite import SqliteDatabase
from tictac.storage.upgrades import shipped_steps

HOUR = 3600.0
MINUTE = 1 / 60


def rated(number: int, *names: str, hours: float = 0, **fields: object) -> Match:
    """Return a rated match of accounts (default: alice and bob) that the first of them won."""
    players = [Player(name, "account") for name in names or ("alice", "bob")]
    began = BEGAN + hours * HOUR
    return match(f"m{number}", *players, **{"rated": True, "began": began, **fields})


def given_up(
    number: int, by: int, *moved: int, hours: float = 0, ending: str = "left", **fields: object
) -> Match:
    """Return a rated match of alice and bob that seat ``by`` left after these seats' moves."""
    found = rated(number, hours=hours, ending=ending, winner=1 - by, **fields)
    events = [event for event in found.events if event.fields[:2] in [("moved", s) for s in moved]]
    return found._replace(events=(*events, found.events[-1]))


class CountsTests(SynchronousTestCase):
    def test_only_rated_matches_between_accounts_that_have_moved_count(self) -> None:
        assert counts(rated(1))
        assert not counts(rated(1, rated=False))
        assert not counts(rated(1, private=True))
        for other in (GUEST, COMPUTER, rated(1).players[0]):
            assert not counts(rated(1)._replace(players=(rated(1).players[0], other)))

    def test_who_gives_up_after_the_opponent_has_moved_has_lost(self) -> None:
        for ending in ("forfeited", "left", "timed out"):
            for lost in (given_up(1, 1, 0, ending=ending), given_up(1, 1, 0, 1, ending=ending)):
                assert counts(lost) and aborted_by(lost) is None
            for aborted in (given_up(1, 1, ending=ending), given_up(1, 1, 1, ending=ending)):
                assert counts(aborted) and aborted_by(aborted) == "bob"

    def test_what_ends_otherwise_before_all_have_moved_counts_not(self) -> None:
        for ending, winner in (("agreed", None), ("drawn", None), ("won", 0)):
            found = rated(1, ending=ending, winner=winner)
            for events in ((found.events[1], found.events[-1]), found.events[-1:]):
                assert not counts(found._replace(events=events))

    def test_of_more_than_two_all_have_moved(self) -> None:
        three = given_up(1, 1, 0)._replace(players=rated(1, "alice", "bob", "carol").players)
        assert not counts(three) and aborted_by(three) is None


class RatingTablesContract(Case):
    """What each database does; a subclass says which."""

    def new_place(self) -> str:
        raise NotImplementedError

    def older(self) -> tuple[str, SqliteDatabase | PostgresDatabase]:
        """Return another URL, and a database there whose schema is older than aborts."""
        raise NotImplementedError

    def setUp(self) -> None:
        super().setUp()
        database = self.enterContext(opened(self.new_place()))
        self.accounts, self.matches = AccountTables(database), MatchTables(database)
        self.tables = RatingTables(database)
        self.accounts.add_many([Account(name, HASH) for name in ("alice", "bob", "carol")])

    def ratings(self, *names: str) -> list[float]:
        """Return the ratings of these accounts, rounded."""
        found = [self.tables.standing("tictactoe", name) for name in names]
        return [round(each.rating.rating) for each in found if each is not None]

    def test_a_match_counts_once(self) -> None:
        assert self.matches.add_all([rated(1), match("m2")]) == 2
        assert [self.tables.count() for _ in range(2)] == [1, 0]
        won, lost = after_match([Rating(), Rating()], 0)
        assert self.ratings("alice", "bob") == [round(won.rating), round(lost.rating)]
        self.matches.add_all([rated(1)])
        assert self.tables.count() == 0

    def test_what_was_broken_off_is_counted_again_from_the_start(self) -> None:
        self.matches.add_all([rated(1), rated(2, "bob", "alice", hours=1)])
        outcomes = [after_match([Rating(), Rating()], 0), ValueError("killed here")]
        with (
            patch("tictac.ratings.tables.after_match", side_effect=outcomes),
            self.assertRaises(ValueError),
        ):
            self.tables.count()
        assert self.ratings("alice", "bob") == []
        assert self.tables.count() == 2
        assert [point.match_id for point in self.tables.history("alice")] == ["m1", "m2"]

    def test_the_first_that_ended_counts_first_and_time_widens(self) -> None:
        self.matches.add_all([rated(2, "bob", "alice", hours=24 * 365), rated(1)])
        self.tables.count()
        first = after_match([Rating(), Rating()], 0)
        last = after_match([each.after(365) for each in reversed(first)], 0)
        found = self.tables.standing("tictactoe", "bob")
        assert found is not None and found.matches == 2
        assert round(found.rating.rating, 6) == round(last[0].rating, 6)

    def test_the_same_two_have_only_so_many_in_a_day(self) -> None:
        self.matches.add_all([rated(n, hours=n) for n in (1, 2, 3, 26)])
        self.matches.add_all([rated(9, "bob", "carol", hours=3)])
        assert self.tables.count(a_day=2) == 5
        counted = [point.match_id for point in self.tables.history("alice")]
        assert counted == ["m1", "m2", "m26"]

    def test_against_the_provisional_only_so_many_count_in_a_day(self) -> None:
        pairs = [("alice", "bob"), ("alice", "carol"), ("bob", "carol"), ("alice", "bob")]
        self.matches.add_all([rated(n, *pair, hours=n) for n, pair in enumerate(pairs)])
        self.matches.add_all([rated(8, hours=9, game="nim"), rated(9, hours=25)])
        with patch("tictac.ratings.tables.RatingTables._met", return_value=0):
            self.tables.count(a_day=2)
        counted = [point.match_id for point in self.tables.history("alice")]
        assert counted == ["m0", "m1", "m8", "m9"]

    def test_among_the_established_all_count(self) -> None:
        self.matches.add_all([rated(n, *("alice", "bob")[:: 1 - n % 2 * 2]) for n in range(80)])
        self.tables.count(a_day=0)
        found = self.tables.standing("tictactoe", "alice")
        assert found is not None and not found.rating.provisional
        self.matches.add_all([rated(100 + n, hours=24.5) for n in range(3)])
        with patch("tictac.ratings.tables.RatingTables._met", return_value=0):
            self.tables.count(a_day=1)
        assert len(self.tables.history("alice")) == 83

    def test_three_in_a_row_are_aborted_for_nothing_and_the_fourth_is_lost(self) -> None:
        for number in range(5):
            self.matches.add_all([given_up(number, 1, hours=number * MINUTE)])
            self.tables.count()
        counted = [point.match_id for point in self.tables.history("bob")]
        assert counted == ["m3", "m4"]
        won, lost = after_match(after_match([Rating(), Rating()], 0), 0)
        assert self.ratings("alice", "bob") == [round(won.rating), round(lost.rating)]

    def test_a_row_lasts_an_hour(self) -> None:
        self.matches.add_all([given_up(n, 1, hours=n / 3) for n in range(9)])
        self.tables.count()
        assert self.ratings("bob") == []

    def test_a_lost_or_drawn_match_ends_a_row_and_a_won_one_does_not(self) -> None:
        for number, ending, winner in ((0, "won", 0), (10, "drawn", None), (20, "won", 1)):
            hours = [(number + n) * MINUTE + number for n in range(5)]
            between = rated(number, hours=hours[3], ending=ending, winner=winner)
            aborted = [given_up(number + n, 1, hours=hours[n]) for n in (1, 2, 4)]
            aborted.append(given_up(number + 5, 1, hours=hours[0]))
            self.matches.add_all([*aborted, between])
        self.tables.count()
        counted = [point.match_id for point in self.tables.history("bob")]
        assert counted == ["m0", "m10", "m20", "m24"]

    def test_an_abort_that_is_imported_again_is_none_more(self) -> None:
        aborted = [given_up(n, 1, hours=n * MINUTE) for n in range(3)]
        for _ in range(2):
            self.matches.add_all(aborted)
            self.tables.count()
            self.matches.prune(BEGAN + HOUR)
        assert self.ratings("bob") == []

    def test_how_many_were_aborted_is_told_for_an_hour_from_the_fourth_on(self) -> None:
        found = []
        for number in range(5):
            self.matches.add_all([given_up(number, 1, hours=number * MINUTE)])
            self.tables.count()
            with patch.object(time, "time", lambda: BEGAN + HOUR / 2):
                found.append([each.aborts for each in self.tables.standings("bob")])
        assert found == [[], [], [], [4], [5]]
        assert [each.aborts for each in self.tables.standings("bob")] == [0]

    def test_what_counted_before_an_upgrade_stays(self) -> None:
        place, old = self.older()
        with closing(old):
            AccountTables(old).add_many([Account(name, HASH) for name in ("alice", "bob")])
            MatchTables(old).add_all([given_up(1, 1, 0), rated(2, hours=1)])
            old.execute("DELETE FROM uncounted_matches WHERE id = 'm1'")  # by the rules of then
            ratings = f"'tictactoe', 'alice', 1600, 290, 0.06, 1, {round(BEGAN)}000"
            old.execute(f"INSERT INTO ratings VALUES ({ratings})")
            point = f"'alice', {round(BEGAN)}000, 'm0', 'tictactoe', 1600, 290"
            old.execute(f"INSERT INTO rating_points VALUES ({point})")
        with opened(place) as database:
            tables = RatingTables(database)
            assert [each.rating.rating for each in tables.standings("alice")] == [1600]
            assert [tables.count() for _ in range(2)] == [1, 0]
            points = tables.history("alice")
            assert [point.match_id for point in points] == ["m0", "m2"]

    def test_of_who_is_gone_no_rating_is_left(self) -> None:
        self.matches.add_all([rated(1)])
        self.tables.count()
        self.accounts.remove("alice")
        assert not self.tables.standings("alice") and not self.tables.history("alice")
        # What wasn't counted by then counts no more, also if somebody else takes the name.
        self.matches.add_all([rated(2, hours=1)])
        self.tables.count()
        assert [point.match_id for point in self.tables.history("bob")] == ["m1"]

    def test_what_was_forgotten_and_is_imported_again_counts_once(self) -> None:
        self.matches.add_all([rated(1)])
        self.tables.count()
        before = self.ratings("alice", "bob")
        self.matches.prune(BEGAN + HOUR)
        assert self.matches.add_all([rated(1)]) == 1
        assert self.tables.count() == 1
        assert self.ratings("alice", "bob") == before

    def test_many_are_worked_off_in_pieces(self) -> None:
        self.matches.add_all([rated(n, hours=n) for n in range(3)])
        with patch("tictac.ratings.tables.CHUNK", 2):
            assert [self.tables.count() for _ in range(3)] == [2, 1, 0]

    def test_the_best_come_first_and_the_provisional_last(self) -> None:
        names = ("alice", "bob", "alice", "bob", "alice")
        days = [rated(n, *names[n % 4 :][:2], hours=3 * n) for n in range(41)]
        self.matches.add_all([*days, rated(99, "carol", "bob", game="nim")])
        self.matches.add_all([rated(100, "carol", "alice", hours=1000)])
        self.tables.count()
        found = self.tables.leaders("tictactoe")
        assert [each.player for each in found] == ["alice", "bob", "carol"]
        assert [each.rating.provisional for each in found] == [False, False, True]
        assert found[2].rating.rating > found[0].rating.rating
        assert [each.game for each in self.tables.standings("carol")] == ["nim", "tictactoe"]

    def test_equal_ratings_share_a_rank_also_of_one_player_alone(self) -> None:
        self.accounts.add_many([Account("dave", HASH)])
        pairs = [("alice", "bob"), ("carol", "dave")]
        self.matches.add_all([rated(n, *pair) for n, pair in enumerate(pairs)])
        self.tables.count()
        ranks = {each.player: each.rank for each in self.tables.leaders("tictactoe")}
        assert ranks == {"alice": 1, "carol": 1, "bob": 3, "dave": 3}
        for name, rank in ranks.items():
            found = self.tables.ranked("tictactoe", name)
            assert found is not None and found.rank == rank
        assert self.tables.ranked("tictactoe", "alice", "7b") is None
        assert self.tables.ranked("nim", "alice") is None

    def test_the_last_ten_results_stand_beside_a_rating(self) -> None:
        results = [("won", 0), ("won", 1), ("drawn", None)] * 4
        for number, (ending, winner) in enumerate(results):
            some = rated(number, hours=24 * number, ending=ending, winner=winner)
            self.matches.add_all([some])
        self.tables.count()
        assert [each.last for each in self.tables.leaders("tictactoe")] == [
            "dlwdlwdlwd", "dwldwldwld",
        ]  # fmt: skip

    def test_a_month_begins_with_the_rating_of_then(self) -> None:
        self.matches.add_all([rated(1), rated(2, hours=24 * 20), rated(3, game="nim")])
        self.tables.count()
        first, last = [each for each in self.tables.history("alice") if each.game == "tictactoe"]
        found = []
        for days in (1, 31, 51):
            with patch.object(time, "time", lambda days=days: BEGAN + 24 * HOUR * days):
                found += [each.month_ago for each in self.tables.leaders("tictactoe", 1)]
        assert found == [None, first.rating, last.rating]

    def test_ratings_of_the_past_are_kept_for_two_years(self) -> None:
        year = 24 * 365
        self.matches.add_all([rated(1), rated(2, game="nim"), rated(3, hours=2 * year)])
        self.tables.count()
        assert len(self.tables.history("alice")) == 3
        self.matches.add_all([rated(4, hours=2 * year + 1)])
        self.tables.count()
        assert [each.match_id for each in self.tables.history("alice")] == ["m2", "m3", "m4"]
        # Whether an older match counted isn't known any more.
        before = self.ratings("alice", "bob")
        self.matches.prune(BEGAN + HOUR)
        assert self.matches.add_all([rated(1)]) == 1
        self.tables.count()
        assert self.ratings("alice", "bob") == before

    def test_a_judgement_goes_with_its_match(self) -> None:
        self.matches.add_all([match("m1")])
        for kept in ("{}", "[]"):
            self.matches.keep_judgement("m1", kept)
            assert self.matches.judgement("m1") == kept
        self.matches.prune(BEGAN + HOUR)
        assert self.matches.judgement("m1") is None
        self.matches.keep_judgement("m1", "{}")
        assert self.matches.judgement("m1") is None


class SqliteTests(InSqlite, RatingTablesContract, SynchronousTestCase):
    def older(self) -> tuple[str, SqliteDatabase | PostgresDatabase]:
        path = temporary_directory(self) / "users.db"
        return str(path), SqliteDatabase.open(path, steps=shipped_steps()[:9])


class PostgresTests(InPostgres, RatingTablesContract, SynchronousTestCase):
    def older(self) -> tuple[str, SqliteDatabase | PostgresDatabase]:
        url = self.postgres.new_place()
        return url, PostgresDatabase.open(url, steps=shipped_steps("postgresql")[:9])

    def test_who_counts_at_the_same_moment_waits_and_sees_the_rest(self) -> None:
        one, two = (self.enterContext(opened(self.url)) for _ in range(2))
        self.matches.add_all([rated(number, hours=number) for number in range(3)])
        with ThreadPoolExecutor(1) as thread:
            with one.transaction():
                assert RatingTables(one).count() == 3
                other = thread.submit(RatingTables(two).count)
                self.postgres.wait_for_lock()
            assert other.result() == 0
        found = self.tables.standing("tictactoe", "alice")
        assert found is not None and found.matches == 3
