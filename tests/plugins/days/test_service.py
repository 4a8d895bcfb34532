"""Matches over days as a part of the server: options, and accounts that are removed or banned."""

from __future__ import annotations

from typing import Any

from twisted.internet.testing import MemoryReactorClock

from tests.plugins.days.case import MineCase
from tests.protocols.lobby.helpers import Person
from tests.server.helpers import TapCase
from tests.storage.memory import MemoryStore
from tictac.accounts.bans import Ban
from tictac.accounts.tables import Account, AccountTables, LoginTables
from tictac.errors import AccountRemoved, Banned, Kicked
from tictac.plugins.days.service import DaysService
from tictac.server.make import makeService


class OptionTests(TapCase):
    def test_the_limits_are_options(self) -> None:
        reactor: Any = MemoryReactorClock()
        options = self.options(
            "--database", str(self.directory / "users.db"), "--port", "tcp:0:interface=127.0.0.1",
            "--max-days-matches", "7", "--max-days-matches-per-user", "3",
        )  # fmt: skip
        service: Any = makeService(options, reactor)
        [part] = [part for part in service.services if isinstance(part, DaysService)]
        sleepers = part._registry.sleepers
        assert (sleepers.most, sleepers.most_of_user) == (7, 3)
        assert part.figures()["rooms_asleep"][1] == 0


class EndedTests(MineCase):
    def setUp(self) -> None:
        super().setUp()
        self.accounts = self.server.accounts
        self.store = MemoryStore([Account("alice", "x"), Account("bob", "x")])
        self.part = self.new_process()
        self.begin()
        self.bob.visitor.hang_up()
        self.settle()

    def new_process(self) -> DaysService:
        server = self.server
        part = DaysService(server.clock, server.registry, self.days, self.accounts, self.store)  # type: ignore[arg-type]
        part.begin()
        return part

    def end(self, why: str) -> list[dict[str, Any]]:
        self.accounts.ended("bob", why)
        self.part.expire()
        return self.alice.read()[-1:]

    def test_the_matches_of_a_removed_account_end(self) -> None:
        [ended] = self.end(AccountRemoved.code)
        assert (ended["event"], ended["how"], ended["winner"]) == ("ended", "left", 0)

    def test_those_of_an_account_that_is_banned_forever(self) -> None:
        self.accounts.bans.replace([Ban("user", "bob", 0)])
        [ended] = self.end(Banned.code)
        assert ended["how"] == "left"

    def test_a_seat_waits_until_its_connection_is_closed(self) -> None:
        bob = Person(self.server, "bob")
        bob.ask("join", room="den")
        assert self.end(AccountRemoved.code)[0]["event"] == "joined"
        bob.visitor.hang_up()
        self.part.expire()
        assert self.alice.read()[-1]["how"] == "left"

    def test_a_ban_for_a_time_costs_no_match_and_a_kick_neither(self) -> None:
        self.accounts.bans.replace([Ban("user", "bob", 2**40)])
        assert self.end(Banned.code) == [] and self.end(Kicked.code) == []

    def after_a_restart(self) -> list[str]:
        part = self.new_process()
        for _ in range(2):
            part.expire()
        return [each["how"] for each in self.alice.read() if each["event"] == "ended"]

    def test_an_account_that_was_removed_before_the_start(self) -> None:
        AccountTables(self.store.database).remove("bob")
        assert self.after_a_restart() == ["left"]

    def test_one_that_was_banned_forever_before_the_start(self) -> None:
        LoginTables(self.store.database).ban(Ban("user", "bob", 0), 1)
        assert self.after_a_restart() == ["left"]

    def test_other_accounts_keep_their_seats_after_a_restart(self) -> None:
        LoginTables(self.store.database).ban(Ban("user", "bob", 2**40), 1)
        assert self.after_a_restart() == [] and not self.store.ready()

    def test_accounts_are_looked_for_again_if_the_database_is_away(self) -> None:
        AccountTables(self.store.database).remove("bob")
        part = self.new_process()
        self.store.close()
        part.expire()
        assert self.alice.read() == []
        self.store.start()
        for _ in range(2):
            part.expire()
        assert self.alice.read()[-1]["how"] == "left"
