"""Accounts that last as long as the process: for tests and trials."""

from __future__ import annotations

from collections.abc import Iterable

from twisted.internet.defer import Deferred, fail, succeed

from tictac.accounts.names import folded
from tictac.accounts.store import Account, StoreClosedError
from tictac.errors import UserExists


class MemoryAccounts:
    """An :class:`~tictac.accounts.store.AccountStore` in a dict; its Deferreds have fired.

    What it holds survives `close` and a new `start`, as a file would.
    """

    def __init__(self, accounts: Iterable[Account] = ()) -> None:
        self._accounts = {account.name: account for account in accounts}
        self._taken = {folded(name) for name in self._accounts}
        self._open = False

    def start(self) -> None:
        """Take requests."""
        self._open = True

    def ready(self) -> bool:
        """Whether it takes requests."""
        return self._open

    def close(self) -> Deferred[None]:
        """Refuse requests."""
        self._open = False
        return succeed(None)

    def get(self, name: str) -> Deferred[Account | None]:
        """Find the account called `name`."""
        if not self._open:
            return fail(StoreClosedError())
        return succeed(self._accounts.get(name))

    def is_taken(self, name: str) -> Deferred[bool]:
        """Tell whether there is an account called `name`, in any spelling."""
        return succeed(folded(name) in self._taken) if self._open else fail(StoreClosedError())

    def add(self, account: Account) -> Deferred[None]:
        """Keep a new account; fails with UserExists when the name is taken."""
        if not self._open:
            return fail(StoreClosedError())
        if folded(account.name) in self._taken:
            return fail(UserExists(f"there is a user {account.name} already"))
        self._accounts[account.name] = account
        self._taken.add(folded(account.name))
        return succeed(None)

    def replace_hash(self, name: str, old: str, new: str) -> Deferred[bool]:
        """Give `name` the hash `new` if it is still `old`."""
        if not self._open:
            return fail(StoreClosedError())
        if self._accounts.get(name) != Account(name, old):
            return succeed(False)
        self._accounts[name] = Account(name, new)
        return succeed(True)
