"""The table of links, in each database."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import HASH, Case
from tests.storage.postgres import InPostgres, InSqlite
from tictac.accounts.tables import Account, AccountTables
from tictac.plugins.xmpp.links import MOST_LINKS, Link, LinkKeeper, LinkTables
from tictac.storage.databases import opened


def link(jid: str = "a@x.example", name: str = "alice", linked: int = 100) -> Link:
    return Link(jid, name, linked, linked)


class LinksContract(Case):
    """The promises; a subclass says of which database."""

    def new_place(self) -> str:
        raise NotImplementedError

    def setUp(self) -> None:
        super().setUp()
        self.database = self.enterContext(opened(self.new_place()))
        self.accounts, self.links = AccountTables(self.database), LinkTables(self.database)
        for name in ("alice", "bob"):
            self.accounts.add(Account(name, HASH))

    def test_an_address_has_one_account(self) -> None:
        assert self.links.put(link()) and self.links.put(link(name="bob", linked=200))
        assert self.links.all() == [link(name="bob", linked=200)]

    def test_an_account_has_so_many_addresses(self) -> None:
        added = [self.links.put(link(f"{number}@x")) for number in range(MOST_LINKS + 1)]
        assert added == [True] * MOST_LINKS + [False]
        assert self.links.put(link("0@x", linked=200))
        assert self.links.state() == (MOST_LINKS, 200)

    def test_links_go_with_the_account(self) -> None:
        self.links.put(link())
        self.links.put(link("b@x.example", "bob"))
        self.accounts.remove("alice")
        assert self.links.all() == [link("b@x.example", "bob")]
        assert not self.links.put(link())

    def test_what_is_kept_about_an_account(self) -> None:
        self.links.put(link("new@x.example", linked=200))
        self.links.put(link())
        self.links.put(link("b@x.example", "bob"))
        assert self.links.of("alice") == [link(), link("new@x.example", linked=200)]
        keeper, then = LinkKeeper(self.database), "1970-01-01T00:01:40.000Z"
        assert keeper.export("bob") == {
            "addresses": [{"jid": "b@x.example", "linked": then, "used": then}]
        }
        assert keeper.export("carol") == {}
        keeper.remove("alice")
        assert self.links.all() == [link("b@x.example", "bob")]

    def test_only_the_account_of_a_link_ends_it(self) -> None:
        self.links.put(link())
        assert not self.links.drop("a@x.example", "bob") and self.links.drop("a@x.example", "alice")
        assert self.links.state() == (0, 0)

    def test_unused_links_end(self) -> None:
        self.links.put(link())
        self.links.put(link("b@x.example", "bob"))
        self.links.touch("a@x.example", 300)
        self.links.prune(300)
        assert self.links.all() == [Link("a@x.example", "alice", 100, 300)]


class SqliteTests(InSqlite, LinksContract, SynchronousTestCase):
    pass


class PostgresTests(InPostgres, LinksContract, SynchronousTestCase):
    pass
