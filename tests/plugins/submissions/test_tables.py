"""Versions, leases, and runners, in each database."""

from __future__ import annotations

import json

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import HASH, Case
from tests.storage.postgres import InPostgres, InSqlite
from tictac.accounts.tables import Account, AccountTables
from tictac.plugins.submissions.refusals import BadProgram, RunnerExists, TooManyPrograms
from tictac.plugins.submissions.tables import GATE, Change, ProgramTables, Version
from tictac.storage.databases import opened

NOW = 1_700_000_000


def version(name: str = "anna", series: str = "", at: int = NOW) -> Version:
    return Version(name, 0, series, "Bot", "x {port}", "", 3, "d", at, at)


class TablesContract(Case):
    """What each database does; a subclass says which."""

    def new_place(self) -> str:
        raise NotImplementedError

    def setUp(self) -> None:
        super().setUp()
        self.database = self.enterContext(opened(self.new_place()))
        self.tables = ProgramTables(self.database)
        accounts = AccountTables(self.database)
        for name in ("anna", "ben"):
            accounts.add(Account(name, HASH, "7b" if name == "anna" else ""))
        self.series("term")

    def series(self, id: str, group: str = "", state: str = "open") -> None:
        plan = json.dumps({"game": "nim", "group": group, "clock": {}})
        self.database.execute("INSERT INTO series VALUES (?, ?, 1, ?)", (id, state, plan))

    def push(self, name: str = "anna", at: int = NOW, content: bytes = b"zip") -> Version:
        return self.tables.push(version(name, at=at), content, most_a_day=3)

    def states(self, name: str = "anna") -> list[str]:
        return [each.state for each in self.tables.of(name)]

    def claim(self, token: str, *states: str, at: int = NOW, runner: str = "one") -> bool:
        return bool(self.tables.claim(runner, states or GATE, [token], at, at + 60))

    def beat(self, token: str, change: Change | None = None, at: int = NOW) -> bool:
        return self.tables.beat("one", token, change or Change(), at, at + 60)

    def test_versions_have_numbers_and_replace_those_that_wait(self) -> None:
        assert [self.push().number, self.push().number] == [1, 2]
        assert self.states() == ["received", "replaced"]
        assert self.tables.of("ben") == []
        assert self.tables.content("anna", 2) == b"zip"

    def test_a_day_has_a_limit(self) -> None:
        for _ in range(3):
            self.push()
        self.assertRaises(TooManyPrograms, self.push)
        assert self.push(at=NOW + 86_401).number == 4
        assert self.push("ben").number == 1

    def test_files_of_old_versions_are_deleted(self) -> None:
        for n in range(6):
            self.push(at=NOW + n * 86_401, content=b"%d" % n)
        kept = [n for n in range(1, 7) if self.tables.content("anna", n) is not None]
        assert kept == [4, 5, 6]

    def test_a_series_must_be_open_for_the_account(self) -> None:
        assert self.push().series == "term"
        self.series("club", group="8a")
        self.series("past", state="over")
        for name in ("club", "past", "none"):
            with self.assertRaisesRegex(BadProgram, f"no series {name} is open"):
                self.tables.push(version(series=name), b"", 9)
        self.series("7b", group="7b")
        with self.assertRaisesRegex(BadProgram, "open for you: 7b, term"):
            self.push()
        assert self.tables.push(version(series="7b"), b"", 9).series == "7b"

    def test_a_version_has_one_runner_at_a_time(self) -> None:
        self.push()
        assert self.claim("a") and not self.claim("b", runner="two")
        assert not self.claim("b", at=NOW + 59)
        assert self.beat("a", at=NOW + 59)
        assert not self.claim("b", at=NOW + 61)
        assert self.claim("b", at=NOW + 119, runner="two")
        # The first runner comes back too late: it learns that, and changes nothing.
        assert not self.beat("a", Change(state="ladder"), at=NOW + 120)
        assert self.states() == ["received"]
        leased = self.tables.leased("b", NOW + 120)
        assert leased is not None and leased.runner == "two"

    def test_a_lease_of_another_runner_is_no_use(self) -> None:
        self.push()
        assert self.claim("a")
        assert not self.tables.beat("two", "a", Change(state="ladder"), NOW, NOW + 60)
        assert self.states() == ["received"]

    def test_from_the_gate_to_the_ladder_and_its_end(self) -> None:
        self.push()
        assert self.claim("a") and self.beat("a", Change(state="checked"))
        assert self.beat("a", Change(state="trial"))
        self.tables.release("one", "a", Change(state="ladder", report="fine"), NOW, 0)
        assert not self.claim("b") and self.claim("c", "ladder")
        losses = [{"how": "timed out", "match": "m1"}]
        assert self.beat("c", Change(games=2, losses=losses, stderr="oh"))
        [found] = self.tables.of("anna")
        assert (found.state, found.report, found.stderr) == ("ladder", "fine", "oh")
        assert (found.games, found.lost, json.loads(found.losses)) == (2, 1, losses)
        self.push()
        assert self.states() == ["received", "ladder"], "the old one plays until the new one passes"
        assert self.beat("c")
        assert self.claim("d")
        self.tables.release("one", "d", Change(state="ladder"), NOW, 0)
        assert self.states() == ["ladder", "replaced"]
        assert not self.beat("c")

    def test_the_latest_version_with_a_verdict_has_passed_or_not(self) -> None:
        names = ["anna", "ben"]
        self.push()
        assert self.tables.passed(names) == {}
        assert self.claim("a") and self.beat("a", Change(state="checked"))
        assert self.tables.passed(names) == {"anna": 1}
        self.tables.release("one", "a", Change(state="ladder"), NOW, 0)
        self.push()
        assert self.tables.passed(names) == {"anna": 1}, "the second one waits"
        assert self.claim("b") and not self.beat("b", Change(state="refused"))
        assert self.tables.passed(names) == {"anna": 0}

    def test_a_refused_version_is_not_claimed_again(self) -> None:
        self.push()
        assert self.claim("a") and not self.beat("a", Change(state="refused", report="broken"))
        assert not self.claim("b", at=NOW + 999)
        assert self.states() == ["refused"]

    def test_what_was_put_off_rests(self) -> None:
        self.push()
        assert self.claim("a")
        self.tables.release("one", "a", Change(), NOW, 30)
        assert not self.claim("b", at=NOW + 29) and self.claim("b", at=NOW + 30)

    def test_a_series_that_is_over_ends_its_programs(self) -> None:
        self.push()
        self.push("ben")
        assert self.claim("a")
        self.database.execute("UPDATE series SET state = 'over'")
        assert not self.beat("a") and not self.claim("b", at=NOW + 999)

    def test_a_group_has_its_latest_versions(self) -> None:
        self.push()
        self.push()
        self.push("ben")
        found = [(each.name, each.number, group) for each, group in self.tables.group(None)]
        assert found == [("anna", 2, "7b"), ("ben", 1, "")]
        assert [each.name for each, _ in self.tables.group("7b")] == ["anna"]

    def test_a_runner_has_a_token_until_it_is_removed(self) -> None:
        self.tables.add_runner("one", "secret", NOW)
        self.assertRaises(RunnerExists, self.tables.add_runner, "one", "other", NOW)
        assert self.tables.visit("secret", NOW) == "one"
        assert self.tables.visit("other", NOW) is None
        self.push()
        assert self.claim("a")
        assert self.tables.runners() == [("one", NOW, NOW, 1)]
        assert self.tables.remove_runner("one") and self.tables.runners() == []
        assert self.claim("b", runner="two"), "others get its programs at once"

    def test_programs_go_with_the_account(self) -> None:
        self.push()
        AccountTables(self.database).remove("anna")
        assert self.tables.of("anna") == [] and self.tables.content("anna", 1) is None


class SqliteTests(InSqlite, TablesContract, SynchronousTestCase):
    pass


class PostgresTests(InPostgres, TablesContract, SynchronousTestCase):
    pass
