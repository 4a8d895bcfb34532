"""Ratings in each database: what counts, that it counts once, and what is left of it."""

from __future__ import annotations

from unittest.mock import patch

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import HASH, Case, temporary_directory
from tests.accounts.postgres import InPostgres
from tests.archive.helpers import BEGAN, COMPUTER, GUEST, match
from tictac.accounts.places import opened
from tictac.accounts.store import Account
from tictac.accounts.tables import Tables
from tictac.archive.match import Match, Player
from tictac.ratings.glicko import Rating, after_match
from tictac.ratings.tables import counts

HOUR = 3600.0


def rated(number: int, *names: str, hours: float = 0, **fields: object) -> Match:
    """A rated match of accounts, alice and bob, that the first of them has won."""
    players = [Player(name, "account") for name in names or ("alice", "bob")]
    began = BEGAN + hours * HOUR
    return match(f"m{number}", *players, **{"rated": True, "began": began, **fields})


class CountsTests(SynchronousTestCase):
    def test_only_rated_matches_between_accounts_that_have_moved_count(self) -> None:
        assert counts(rated(1))
        assert not counts(rated(1, rated=False))
        assert not counts(rated(1, private=True))
        for other in (GUEST, COMPUTER, rated(1).players[0]):
            assert not counts(rated(1)._replace(players=(rated(1).players[0], other)))
        given_up = rated(1, ending="resigned", winner=1)
        assert counts(given_up)
        assert not counts(given_up._replace(events=(given_up.events[1], given_up.events[-1])))


class RatingTablesContract(Case):
    """What each database does; a subclass says which."""

    def new_place(self) -> str:
        raise NotImplementedError

    def setUp(self) -> None:
        super().setUp()
        opening = opened(self.new_place())
        self.tables: Tables = opening.__enter__()
        self.addCleanup(opening.__exit__, None, None, None)
        self.tables.add_many([Account(name, HASH) for name in ("alice", "bob", "carol")])

    def ratings(self, *names: str) -> list[float]:
        """What they are rated, rounded."""
        found = [self.tables.standing("tictactoe", name) for name in names]
        return [round(each.rating.rating) for each in found if each is not None]

    def test_a_match_counts_once(self) -> None:
        assert self.tables.add_matches([rated(1), match("m2")]) == 2
        assert [self.tables.count_ratings() for _ in range(2)] == [1, 0]
        won, lost = after_match([Rating(), Rating()], 0)
        assert self.ratings("alice", "bob") == [round(won.rating), round(lost.rating)]
        self.tables.add_matches([rated(1)])
        assert self.tables.count_ratings() == 0

    def test_what_was_broken_off_is_counted_again_from_the_start(self) -> None:
        self.tables.add_matches([rated(1), rated(2, "bob", "alice", hours=1)])
        outcomes = [after_match([Rating(), Rating()], 0), ValueError("killed here")]
        with (
            patch("tictac.ratings.tables.after_match", side_effect=outcomes),
            self.assertRaises(ValueError),
        ):
            self.tables.count_ratings()
        assert self.ratings("alice", "bob") == []
        assert self.tables.count_ratings() == 2
        assert [point.match_id for point in self.tables.rating_history("alice")] == ["m1", "m2"]

    def test_the_first_that_ended_counts_first_and_time_widens(self) -> None:
        self.tables.add_matches([rated(2, "bob", "alice", hours=24 * 365), rated(1)])
        self.tables.count_ratings()
        first = after_match([Rating(), Rating()], 0)
        last = after_match([each.after(365) for each in reversed(first)], 0)
        found = self.tables.standing("tictactoe", "bob")
        assert found is not None and found.matches == 2
        assert round(found.rating.rating, 6) == round(last[0].rating, 6)

    def test_the_same_two_have_only_so_many_in_a_day(self) -> None:
        self.tables.add_matches([rated(n, hours=n) for n in (1, 2, 3, 26)])
        self.tables.add_matches([rated(9, "bob", "carol", hours=3)])
        assert self.tables.count_ratings(a_day=2) == 5
        counted = [point.match_id for point in self.tables.rating_history("alice")]
        assert counted == ["m1", "m2", "m26"]

    def test_of_who_is_gone_no_rating_is_left(self) -> None:
        self.tables.add_matches([rated(1)])
        self.tables.count_ratings()
        self.tables.remove("alice")
        assert not self.tables.standings("alice") and not self.tables.rating_history("alice")
        # What wasn't counted by then counts no more, also if somebody else takes the name.
        self.tables.add_matches([rated(2, hours=1)])
        self.tables.count_ratings()
        assert [point.match_id for point in self.tables.rating_history("bob")] == ["m1"]

    def test_what_was_forgotten_and_is_imported_again_counts_once(self) -> None:
        self.tables.add_matches([rated(1)])
        self.tables.count_ratings()
        before = self.ratings("alice", "bob")
        self.tables.prune_matches(BEGAN + HOUR)
        assert self.tables.import_matches([rated(1)]) == 1
        assert self.tables.count_ratings() == 1
        assert self.ratings("alice", "bob") == before

    def test_many_are_worked_off_in_pieces(self) -> None:
        self.tables.add_matches([rated(n, hours=n) for n in range(3)])
        with patch("tictac.ratings.tables.CHUNK", 2):
            assert [self.tables.count_ratings() for _ in range(3)] == [2, 1, 0]

    def test_the_best_come_first_and_the_provisional_last(self) -> None:
        names = ("alice", "bob", "alice", "bob", "alice")
        days = [rated(n, *names[n % 4 :][:2], hours=3 * n) for n in range(41)]
        self.tables.add_matches([*days, rated(99, "carol", "bob", game="nim")])
        self.tables.add_matches([rated(100, "carol", "alice", hours=1000)])
        self.tables.count_ratings()
        found = self.tables.leaders("tictactoe")
        assert [each.player for each in found] == ["alice", "bob", "carol"]
        assert [each.rating.provisional for each in found] == [False, False, True]
        assert found[2].rating.rating > found[0].rating.rating
        assert [each.game for each in self.tables.standings("carol")] == ["nim", "tictactoe"]

    def test_a_judgement_goes_with_its_match(self) -> None:
        self.tables.add_matches([match("m1")])
        for kept in ("{}", "[]"):
            self.tables.keep_judgement("m1", kept)
            assert self.tables.judgement("m1") == kept
        self.tables.prune_matches(BEGAN + HOUR)
        assert self.tables.judgement("m1") is None
        self.tables.keep_judgement("m1", "{}")
        assert self.tables.judgement("m1") is None


class SqliteTests(RatingTablesContract, SynchronousTestCase):
    def new_place(self) -> str:
        return str(temporary_directory(self) / "users.db")


class PostgresTests(InPostgres, RatingTablesContract, SynchronousTestCase):
    def new_place(self) -> str:
        return self.url
