"""Where accounts are kept: the interface, and what every implementation promises."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from twisted.internet.defer import Deferred

from tictac.accounts.bans import Ban


@dataclass(frozen=True, slots=True)
class Account:
    """One user: a name that :func:`~tictac.accounts.names.check_user_name` accepts, a bcrypt hash
    (60 ASCII characters), which stays out of `repr()` and so out of logs, and a group, if any."""

    name: str
    password_hash: str = field(repr=False)
    group: str = ""
    admin: bool = False
    """Whether it looks after the server."""


class Changes(NamedTuple):
    """What other processes want servers to know of accounts.

    ``last`` numbers it, ``ended`` are the accounts whose connections are to end, and why, as the
    code of a refusal; ``bans`` are all there are, None: as before.
    """

    last: int
    ended: list[tuple[str, str]]
    bans: list[Ban] | None


class StoreClosedError(Exception):
    """A store was used before :meth:`AccountStore.start` or after `close`."""


class StoreAwayError(Exception):
    """A store couldn't be asked in time: its server is away. That is in the log already, once.

    What was asked for may have been done all the same, when only the answer was lost.
    """


class AccountStore(Protocol):
    """Accounts by name, asked from the reactor's thread, which is never blocked.

    * Accounts are found by the very characters of their names. But of names that differ only in
      case one is given away at most, whoever else writes to the same store. There may be doubles
      from before that was so: they stay as they are.
    * Requests take effect in the order in which they were made.
    * A Deferred always fires. When the store itself fails (a full disk, a lock that another
      program doesn't give up) that is a failure with whatever exception tells why, and nothing
      has changed. Before `start` and after `close` it is :class:`StoreClosedError`, while a
      server that it depends on is away for longer than it waits :class:`StoreAwayError`.
    * A request may be cancelled. One that has begun is then carried out all the same.
    """

    def start(self) -> None:
        """Open the store.

        Raises:
            SetupError: it can't be used; the text says which file, and why.
        """

    def ready(self) -> bool:
        """Tell whether requests would be served now."""

    def close(self) -> Deferred[None]:
        """Take no more requests; fires when those made before are done and all is closed.

        Closing what is closed, or was never started, does nothing.
        """

    def get(self, name: str) -> Deferred[Account | None]:
        """Find the account called `name`; None when there is no such account."""

    def is_taken(self, name: str) -> Deferred[bool]:
        """Tell whether there is an account called `name`, in any spelling."""

    def add(self, account: Account) -> Deferred[None]:
        """Keep a new account.

        When the Deferred fires the account is as safe as the store can make it: for a store on
        disk, neither a killed process nor a power cut loses it any more.

        Fails:
            UserExists: the name is taken, in this spelling or another; the account that has it
                stays as it was.
        """

    def replace_hash(self, name: str, old: str, new: str) -> Deferred[bool]:
        """Give `name` the hash `new` if its hash is still `old`, in one step.

        So a hash that is renewed in the background never undoes a password change made
        meanwhile. False when there is no such account or its hash is another by now.
        """

    def set_hash(self, name: str, new: str) -> Deferred[None]:
        """Give `name` the hash `new`, and end all its tokens. Fails with NoSuchUser."""

    def changes(self, since: int) -> Deferred[Changes]:
        """Find what has changed after the number `since`, whichever process has done it; below 0
        only the bans."""

    def end_logins(self, name: str, why: str) -> Deferred[None]:
        """Have the connections of an account end, on every server. Fails with NoSuchUser."""

    def ban(self, ban: Ban, now: int) -> Deferred[None]:
        """Ban an account or an address, in place of a ban that it has, on every server; and forget
        bans that have ended by `now`. Fails with NoSuchUser."""

    def unban(self, kind: str, name: str) -> Deferred[bool]:
        """End a ban; tell whether there was one."""

    # Tokens (tictac/accounts/tokens.py), by their hashes. Times are seconds since 1970.

    def add_token(
        self, account: Account, token: str, expires: int, now: int, most: int
    ) -> Deferred[bool]:
        """Keep a token of an account, and forget all that have ended by `now`.

        Of the account's the one that ends first goes if there are more than `most`; 0: any number.
        False when there is no such account, or its password hash is another by now.
        """

    def use_token(self, name: str, token: str, now: int, expires: int) -> Deferred[bool]:
        """Tell whether this is a token of `name` that hasn't ended; it ends at `expires` then."""

    def end_tokens(self, name: str, token: str | None) -> Deferred[int]:
        """Forget a token of `name`, all for None; fires with how many that were.

        All of them end, too, when the account is removed or gets a new password.
        """
