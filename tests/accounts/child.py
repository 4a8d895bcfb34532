"""The other process in tests that need one: `python tests/accounts/child.py WHAT PLACE …`."""

from __future__ import annotations

import sys
from collections.abc import Callable

from twisted.internet.defer import Deferred
from twisted.internet.task import react

from tictac.accounts.tables import Account, AccountTables
from tictac.errors import UserExists
from tictac.storage.databases import opened, store_at
from tictac.storage.store import Store, Stored


def compete(path: str, number: str) -> None:
    """Wait for a line of input, add this number of names, and print those that were free."""
    print("ready", flush=True)
    sys.stdin.readline()
    with opened(path) as database:
        for name in map(str, range(int(number))):
            try:
                AccountTables(database).add(Account(name, "a hash"))
            except UserExists:
                continue
            print(name)


def register(path: str) -> None:
    """Add names as a server would, print each when it is promised, and never stop."""
    react(lambda reactor: Deferred.fromCoroutine(_register(store_at(path, "accounts", reactor, 5))))


async def _register(store: Store) -> None:
    store.start()
    number = 0
    while True:
        await Stored(store, AccountTables).ask(AccountTables.add, Account(str(number), "a hash"))
        print(number, flush=True)
        number += 1


if __name__ == "__main__":
    children: dict[str, Callable[..., None]] = {"compete": compete, "register": register}
    children[sys.argv[1]](*sys.argv[2:])
