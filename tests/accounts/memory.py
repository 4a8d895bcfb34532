"""Accounts, and rooms that are kept, for as long as the process lasts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, ParamSpec, TypeVar

from twisted.internet.defer import Deferred, execute, fail, succeed

from tictac.accounts.bans import Ban
from tictac.accounts.names import folded
from tictac.accounts.store import Account, Changes, StoreClosedError
from tictac.errors import AccountRemoved, Banned, NoSuchUser, UserExists

P = ParamSpec("P")
T = TypeVar("T")


class MemoryStore:
    """What keeps things in memory; its Deferreds have fired.

    What it holds survives `close` and a new `start`, as a file would.
    """

    _open = False

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

    def _do(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Deferred[T]:
        return execute(work, *args, **kwargs) if self._open else fail(StoreClosedError())


class MemoryAccounts(MemoryStore):
    """An :class:`~tictac.accounts.store.AccountStore` in a dict."""

    def __init__(self, accounts: Iterable[Account] = ()) -> None:
        self._accounts = {account.name: account for account in accounts}
        self._taken = {folded(name) for name in self._accounts}
        self._tokens: dict[str, tuple[str, int]] = {}
        self._ended: list[tuple[str, str]] = []
        self._bans: dict[tuple[str, str], Ban] = {}

    def get(self, name: str) -> Deferred[Account | None]:
        """Find the account called `name`."""
        return self._do(self._accounts.get, name)

    def is_taken(self, name: str) -> Deferred[bool]:
        """Tell whether there is an account called `name`, in any spelling."""
        return self._do(lambda: folded(name) in self._taken)

    def add(self, account: Account) -> Deferred[None]:
        """Keep a new account; fails with UserExists when the name is taken."""
        return self._do(self._add, account)

    def _add(self, account: Account) -> None:
        if folded(account.name) in self._taken:
            raise UserExists(f"there is a user {account.name} already")
        self._accounts[account.name] = account
        self._taken.add(folded(account.name))

    def replace_hash(self, name: str, old: str, new: str) -> Deferred[bool]:
        """Give `name` the hash `new` if it is still `old`."""
        return self._do(self._replace_hash, name, old, new)

    def _replace_hash(self, name: str, old: str, new: str) -> bool:
        account = self._accounts.get(name)
        if account is None or account.password_hash != old:
            return False
        self._accounts[name] = replace(account, password_hash=new)
        return True

    def set_hash(self, name: str, new: str) -> Deferred[None]:
        """Give `name` the hash `new`, and end all its tokens."""
        return self._do(self._set_hash, name, new)

    def _set_hash(self, name: str, new: str) -> None:
        if name not in self._accounts:
            raise NoSuchUser(f"there is no user {name}")
        self._accounts[name] = replace(self._accounts[name], password_hash=new)
        self._end_tokens(name, None)

    def remove(self, name: str) -> None:
        """Remove an account, as another process does."""
        del self._accounts[name]
        self._end_tokens(name, None)
        self._ended.append((name, AccountRemoved.code))

    def change(self, name: str, **fields: Any) -> None:
        """Change an account, as another process does."""
        self._accounts[name] = replace(self._accounts[name], **fields)

    def changes(self, since: int) -> Deferred[Changes]:
        """Find what has changed."""
        return self._do(self._changes, since)

    def _changes(self, since: int) -> Changes:
        last = len(self._ended)
        ended = [each for each in self._ended[since:] if each[0]] if since >= 0 else []
        return Changes(last, ended, None if last == since else list(self._bans.values()))

    def end_logins(self, name: str, why: str) -> Deferred[None]:
        """Have the connections of an account end."""
        return self._do(self._end_logins, name, why)

    def _end_logins(self, name: str, why: str) -> None:
        if name and name not in self._accounts:
            raise NoSuchUser(f"there is no user {name!a}")
        self._ended.append((name, why))

    def ban(self, ban: Ban, now: int) -> Deferred[None]:
        """Ban an account or an address."""
        return self._do(self._ban, ban)

    def _ban(self, ban: Ban) -> None:
        self._end_logins(ban.name if ban.kind == "user" else "", Banned.code)
        self._bans[ban.kind, ban.name] = ban

    def unban(self, kind: str, name: str) -> Deferred[bool]:
        """End a ban."""
        self._ended.append(("", ""))
        return self._do(lambda: self._bans.pop((kind, name), None) is not None)

    def add_token(
        self, account: Account, token: str, expires: int, now: int, most: int
    ) -> Deferred[bool]:
        """Keep a token, if the account is as it was."""
        return self._do(self._add_token, account, token, expires, now, most)

    def _add_token(self, account: Account, token: str, expires: int, now: int, most: int) -> bool:
        if self._accounts.get(account.name) != account:
            return False
        self._tokens[token] = account.name, expires
        own = sorted((e, t) for t, (name, e) in self._tokens.items() if name == account.name)
        old = own[:-most] if most else []
        for gone in [*(t for _, t in old), *(t for t, (_, e) in self._tokens.items() if e <= now)]:
            self._tokens.pop(gone, None)
        return True

    def use_token(self, name: str, token: str, now: int, expires: int) -> Deferred[bool]:
        """Tell whether this is a token of `name`."""
        return self._do(self._use_token, name, token, now, expires)

    def _use_token(self, name: str, token: str, now: int, expires: int) -> bool:
        owner, ends = self._tokens.get(token, ("", 0))
        if owner != name or ends <= now:
            return False
        self._tokens[token] = name, expires
        return True

    def end_tokens(self, name: str, token: str | None) -> Deferred[int]:
        """Forget a token of `name`, or all."""
        return self._do(self._end_tokens, name, token)

    def _end_tokens(self, name: str, token: str | None) -> int:
        mine = [t for t, (n, _) in self._tokens.items() if n == name and token in (None, t)]
        for each in mine:
            del self._tokens[each]
        return len(mine)


class MemoryRooms(MemoryStore):
    """A :class:`~tictac.accounts.saved.RoomStore` in a dict."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}

    def all(self) -> Deferred[dict[str, bytes]]:
        """Give everything that is kept."""
        return self._do(self._contents.copy)

    def put(self, name: str, content: bytes) -> Deferred[None]:
        """Keep `content`."""
        return self._do(self._contents.__setitem__, name, content)

    def remove(self, name: str) -> Deferred[None]:
        """Keep nothing of that name."""
        return self._do(lambda: (self._contents.pop(name, None), None)[1])
