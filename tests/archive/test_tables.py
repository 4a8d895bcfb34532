"""The tables of matches, in each database."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import Case
from tests.archive.helpers import ALICE, BEGAN, BOB, COMPUTER, GUEST, match
from tests.storage.postgres import InPostgres, InSqlite
from tictac.accounts.tables import Account, AccountTables
from tictac.archive.match import Match, Player
from tictac.archive.packed import pack
from tictac.archive.pages import Filter, Summary
from tictac.archive.tables import MatchTables
from tictac.errors import BadFilter
from tictac.lobby.clock import TimeControl
from tictac.storage.databases import opened

ALL = Filter(private=True)


class MatchTablesContract(Case):
    """What each database does; a subclass says which."""

    def new_place(self) -> str:
        raise NotImplementedError

    def setUp(self) -> None:
        super().setUp()
        self.database = self.enterContext(opened(self.new_place()))
        self.matches = MatchTables(self.database)

    def add(self, *matches: Match) -> int:
        return self.matches.add(list(map(pack, matches)))

    def found(self, wanted: Filter = ALL) -> list[str]:
        """Return the ids of the matches found, read in pages of two."""
        ids, cursor = list[str](), None
        for _ in range(100):
            page = self.matches.find(wanted, cursor, 2)
            ids += [each.id for each in page.matches]
            cursor = page.cursor
            if cursor is None:
                break
        return ids

    def test_matches_of_a_group_are_those_in_which_somebody_of_it_played(self) -> None:
        names = {"alice": "7b", "bob": "", "carol": "8a"}
        accounts = [Account(name, "hash", group) for name, group in names.items()]
        AccountTables(self.database).add_many(accounts)
        carol, as_guest = Player("carol", "account"), Player("alice", "guest")
        self.add(match("m1"), match("m2", BOB, carol), match("m3", BOB, as_guest))
        assert self.found(Filter(private=True, group="7b")) == ["m1"]
        assert self.found(Filter(private=True, group="8a", player="bob")) == ["m2"]
        assert self.found(Filter(private=True, group="9c")) == []

    def test_what_was_added_is_there(self) -> None:
        matches = [
            match("m1"),
            match(
                "m2",
                GUEST,
                COMPUTER,
                door="nim",
                private=True,
                rated=True,
                clock=TimeControl(60.0, 0.5, 2, 30, 3),
            ),
            match("m3", ALICE, ALICE, ending="agreed", winner=None),
        ]
        assert self.add(*matches) == 3
        assert [self.matches.get(each.id) for each in matches] == matches
        assert self.matches.get("m4") is None

    def test_what_is_there_is_left_alone(self) -> None:
        self.add(match("m1"))
        assert self.add(match("m1", GUEST, BOB), match("m2"), match("m2")) == 1
        assert self.matches.get("m1") == match("m1")
        assert self.found(Filter(player="guest-1")) == []
        assert self.add() == 0

    def test_a_summary_is_the_match_without_its_events(self) -> None:
        self.add(match("m1", ALICE, COMPUTER, rated=True))
        page = self.matches.find(ALL)
        assert page == (
            (
                Summary(
                    "m1", "tictactoe", (ALICE, COMPUTER), None, False, True,
                    BEGAN, BEGAN + 2.5, 5, "won", 0,
                ),
            ),
            None,
        )  # fmt: skip

    def test_the_last_one_that_ended_is_the_first(self) -> None:
        times = {"m1": 3.0, "m2": 5.0, "m3": 1.0, "m4": 3.0, "m5": 3.0}
        self.add(*[match(each, began=BEGAN + at) for each, at in times.items()])
        assert self.found() == ["m2", "m5", "m4", "m1", "m3"]
        for wanted in (Filter(player="alice"), Filter(game="tictactoe")):
            assert self.found(wanted) == self.found()

    def test_matches_are_found_by_what_is_asked_for(self) -> None:
        self.add(
            match("m1", ALICE, BOB),
            match("m2", BOB, ALICE, began=BEGAN + 10),
            match("m3", ALICE, COMPUTER, game="nim", winner=None, ending="drawn"),
            match("m4", BOB, BOB, winner=1),
        )
        end = BEGAN + 2.5
        for wanted, ids in (
            (Filter(game="nim"), "m3"),
            (Filter(player="alice"), "m1 m2 m3"),
            (Filter(player="Alice"), ""),
            (Filter(player="computer"), "m3"),
            (Filter(player="alice", result="won"), "m1"),
            (Filter(player="alice", result="lost"), "m2"),
            (Filter(player="alice", result="drawn"), "m3"),
            (Filter(player="bob", result="lost"), "m1"),
            (Filter(result="won"), "m1 m2 m4"),
            (Filter(result="lost"), "m1 m2 m4"),
            (Filter(result="drawn"), "m3"),
            (Filter(since=end + 10), "m2"),
            (Filter(until=end + 10), "m1 m3 m4"),
            (Filter(player="alice", until=end + 10, game="tictactoe"), "m1"),
            (Filter(since=end, until=end), ""),
        ):
            assert sorted(self.found(wanted)) == ids.split(), wanted

    def test_private_matches_are_for_their_accounts_and_the_operator(self) -> None:
        self.add(match("m1"), match("m2", private=True), match("m3", BOB, GUEST, private=True))
        for wanted, ids in (
            (Filter(), "m1"),
            (Filter(viewer="alice"), "m1 m2"),
            (Filter(viewer="guest-1"), "m1"),
            (Filter(viewer="alice", player="bob"), "m1 m2"),
            (Filter(private=True), "m1 m2 m3"),
        ):
            assert sorted(self.found(wanted)) == ids.split(), wanted

    def test_a_cursor_of_no_page_is_refused(self) -> None:
        with self.assertRaises(BadFilter):
            self.matches.find(ALL, "m1")

    def test_a_player_is_forgotten(self) -> None:
        self.add(match("m1"), match("m2", BOB, COMPUTER), match("m3", ALICE, BOB, private=True))
        assert self.matches.forget_player("alice") == 2
        assert self.matches.forget_player("alice") == 0
        found = self.matches.get("m1")
        assert found is not None
        assert found.players == (Player("deleted", "account"), BOB)
        assert found.events[0].fields[1] == "deleted"
        for name in ("alice", "deleted"):
            assert self.found(Filter(player=name)) == []
            assert sorted(self.found(Filter(viewer=name))) == ["m1", "m2"]
        assert sorted(self.found(Filter(player="bob", private=True))) == ["m1", "m2", "m3"]
        assert self.matches.forget_player("computer") == 0

    def test_both_players_are_forgotten(self) -> None:
        self.add(match("m1"))
        for name in ("alice", "bob"):
            assert self.matches.forget_player(name) == 1
        assert self.found() == ["m1"]

    def test_old_matches_are_forgotten(self) -> None:
        self.add(match("m1"), match("m2", began=BEGAN + 10), match("m3"))
        assert self.matches.prune(BEGAN + 12.5) == 2
        assert self.found(Filter(player="alice")) == self.found() == ["m2"]

    def test_the_operator_reads_them_all_the_oldest_first(self) -> None:
        late = [match(f"n{number}", began=BEGAN + 10) for number in range(600)]
        self.add(*late, match("m2", private=True))
        assert list(self.matches.all()) == [match("m2", private=True), *late]


class PostgresTests(InPostgres, MatchTablesContract, SynchronousTestCase):
    def test_two_servers_prune_at_once(self) -> None:
        """Both take the matches in one order, or each could wait for a row of the other."""
        self.add(match("m1"), match("m2"))
        other = self.enterContext(opened(self.url))
        with ThreadPoolExecutor(1) as thread:
            with other.transaction():
                other.execute("DELETE FROM matches WHERE id = 'm1'")
                pruning = thread.submit(self.matches.prune, time.time())
                self.postgres.wait_for_lock()
                other.execute("DELETE FROM match_players WHERE match = 1")
            pruning.result()
        assert self.matches.prune(time.time()) == 0 and self.found() == []
        assert other.execute("SELECT * FROM match_players").fetchall() == []


class SqliteTests(InSqlite, MatchTablesContract, SynchronousTestCase):
    pass
