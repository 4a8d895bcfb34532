"""Logins and registrations for the servers.

Invariants: no connection keeps the name of an account that was removed, kicked, or banned, in
whatever process that happened. A registration that was answered is saved.

1. The throttle comes first (`LoginThrottle.run`): after failures, a request waits before any work.
2. `_in_slot` waits for the turn of the address, because a password costs as much as a thousand
   look-ups. Nothing is read before the turn: clients hang up while they wait.
3. `_verified` reads the account, and a thread checks the password. Meanwhile, `look` might learn
   that the account was removed, when there is no connection to close yet. So `_check` compares
   ``_last_ended`` before and after, and reads the account again if it changed. For a login that
   gets a token, the transaction that saves the token makes this comparison.
4. Bans are checked last, in the turn of the reactor in which the connection gets its name. `look`
   finds that connection from then on, and closes it.
5. `_register` asks whether the name is taken before it hashes the password, to save the hash. Two
   requests can pass this question with one name; `add` refuses the second.
6. A caller that cancels drops what hasn't begun. `stop` ends the hasher before the store, so that
   a registration with a finished hash is still saved.

    login alice          her address has its turn; ``_last_ended`` is 7
    (account removed)    by the operator, in another process
    look                 ``_last_ended`` is 8; no connection has the name alice
    (password is right)  7 isn't 8: the account is read again, and the answer is NoSuchUser
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from twisted.internet.defer import CancelledError, Deferred, fail, succeed
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.accounts.bans import Ban, Bans
from tictac.accounts.hasher import PasswordHasher
from tictac.accounts.passwords import cost_of
from tictac.accounts.registration import Registration
from tictac.accounts.tables import Account, AccountTables, Changes, LoginTables
from tictac.accounts.throttle import LoginThrottle
from tictac.accounts.tokens import Token, Tokens, no_good, token_hash
from tictac.errors import (
    BadPassword,
    BadUserName,
    Kicked,
    NoSuchUser,
    Refusal,
    UserExists,
    WrongPassword,
    visible,
)
from tictac.logs import LIMITED
from tictac.names import check_new_name, check_password, check_user_name, is_given, is_reserved
from tictac.reactor import Work
from tictac.storage.store import Store, StoreAwayError, StoreClosedError, Stored
from tictac.storage.workers import MayWait, WorkersStoppedError, never

_log = Logger(observer=LIMITED)

LOOKS_EVERY = 2.0
"""Seconds between two checks for accounts whose connections the server must close."""

_NOT_WORTH_A_LINE = (CancelledError, WorkersStoppedError, StoreClosedError, StoreAwayError)

P = ParamSpec("P")
T = TypeVar("T")


class Accounts:
    """The accounts of a server.

    A caller can cancel each Deferred, for example when the client hung up. Work that hasn't begun
    by then is dropped. An account that is already on its way to the disk is saved.
    """

    def __init__(
        self,
        store: Store,
        hasher: PasswordHasher,
        throttle: LoginThrottle,
        tokens: Tokens | None = None,
        registration: Registration | None = None,
        min_password: int = 1,
    ) -> None:
        """Use the accounts in `store`.

        Args:
            tokens: the tokens in `store`; None: with the default limits.
            registration: the registration policy; None: open.
            min_password: the least number of characters of a new password.
        """
        self.min_password = min_password
        self.registration = registration or Registration()
        self.bans = Bans()
        self.ended: Callable[[str, str], object] = lambda user, why: None
        """Called with an account whose connections must close, and an error code as the reason."""
        self.banned: Callable[[], object] = lambda: None
        """Called when bans changed."""
        self.admits: Callable[[str], object] = lambda address: None
        """Called with the address of each registration; raises a Refusal to refuse."""
        self.came: Callable[[str], object] = lambda user: None
        """Called with each account that logs in."""
        self._last_ended = -1
        self._store = store
        self._accounts = Stored(store, AccountTables)
        self._logins = Stored(store, LoginTables)
        self.tokens = tokens or Tokens(store)
        self._hasher = hasher
        self._throttle = throttle
        self.logins = self.registrations = 0
        """Number of successes by operation."""
        self._renewals: dict[str, Deferred[None]] = {}

    def start(self) -> None:
        """Open the store and start the hasher's threads. Raises SetupError for a bad store."""
        self._store.start()
        self._hasher.start()

    def ready(self) -> bool:
        """Return whether the store would serve a request now."""
        return self._store.ready()

    def stop(self) -> Deferred[None]:
        """Stop the store and the hasher, finish work that began, and fail waiting logins."""
        for renewal in list(self._renewals.values()):
            renewal.cancel()
        return Deferred.fromCoroutine(self._stop())

    def login(
        self,
        user: str,
        password: bytes,
        address: str,
        may_wait: MayWait = never,
        remember: bool = False,
    ) -> Deferred[Token | None]:
        """Check the password of `user`; fire with a token, or None if no token was made.

        Args:
            address: the peer's host. Failures count against this address and the account.
            may_wait: whether all other requests go first.
            remember: whether the client wants a token.

        Fails:
            NoSuchUser: no account has this name, or none can have it.
            WrongPassword: the account has another password.
            StoreAwayError: the store is unavailable.
            Exception: the store failed, or the server stops.
        """
        if not _is_possible(user):
            return fail(_no_such_user(user))

        def look() -> Deferred[tuple[Account, Token | None]]:
            return self._in_slot(address, may_wait, self._check, user, password, remember)

        return self._throttle.run(user, address, look).addCallback(self._logged_in, password)

    def login_by_token(self, user: str, token: str, address: str) -> Deferred[Token]:
        """Check a token of `user`; fire with the token and its new end.

        Args:
            address: the peer's host. Failures count against this address.

        Fails:
            BadToken: the token ended, or never existed.
            StoreAwayError: the store is unavailable.
            Exception: the store failed, or the server stops.
        """
        if not _is_possible(user):
            return fail(no_good())

        def look() -> Deferred[Token]:
            return Deferred.fromCoroutine(self.tokens.use(user, token))

        # Failures don't count against the account, because a token can't be guessed. Wrong
        # passwords don't slow a token that was good, and old tokens don't slow a password.
        return self.slowed(token, address, look).addCallback(self._welcomed, user)

    def slowed(self, secret: str, address: str, look: Callable[[], Deferred[T]]) -> Deferred[T]:
        """Call `look` when the address can proceed; BadToken and BadCode count against it."""
        return self._throttle.run(token_hash(secret), address, look)

    def verify(
        self, user: str, password: bytes, address: str, may_wait: MayWait = never
    ) -> Deferred[Account]:
        """Check the password of `user` before a change; fire with the account. Fails as `login`."""

        def look() -> Deferred[Account]:
            return self._in_slot(address, may_wait, self._verified, user, password)

        return self._throttle.run(user, address, look)

    def change_password(
        self,
        user: str,
        old: bytes,
        new: bytes,
        address: str,
        may_wait: MayWait = never,
        remember: bool = False,
    ) -> Deferred[Token | None]:
        """Change the password of `user` if `old` is right, and end all tokens.

        Fires with a new token if the client wants one; otherwise as `login`.

        Fails:
            BadPassword: the new password breaks the rules.
            NoSuchUser, WrongPassword, StoreAwayError, Exception: as `login`.
        """
        try:
            check_password(new, self.min_password)
        except BadPassword as refusal:
            return fail(refusal)

        def look() -> Deferred[Token | None]:
            return self._in_slot(address, may_wait, self._change, user, old, new, remember)

        return self._throttle.run(user, address, look)

    def set_password(
        self, user: str, new: bytes, address: str, may_wait: MayWait = never
    ) -> Deferred[Token | None]:
        """Replace the password of `user` without the old one, and end all tokens.

        Fires with a new token, unless tokens are off. Fails with NoSuchUser, or as `login`.
        """
        return self._in_slot(address, may_wait, self._set, user, new, True)

    def look(self) -> Deferred[None]:
        """Close connections of accounts removed, kicked, or banned since the last check.

        The change can come from any process. Never fails.
        """
        # The first look waits for the store, because it doesn't know what changed before.
        if self._last_ended >= 0 and not self._store.ready():
            return succeed(None)  # ask nothing, so that no request counts as refused
        looking = self._logins.ask(LoginTables.changes, self._last_ended)
        return looking.addCallback(self._looked).addErrback(_look_failed)

    async def is_admin(self, user: str) -> bool:
        """Return whether an account is an admin. Raises the store's errors."""
        account = await self._accounts.ask(AccountTables.get, user)
        return account is not None and account.admin

    async def kick(self, user: str) -> None:
        """Close an account's connections on every server. Raises NoSuchUser or store errors."""
        await self._logins.ask(LoginTables.end, user, Kicked.code)
        await self.look()

    async def ban(self, ban: Ban) -> None:
        """Ban an account or an address on every server. Raises NoSuchUser or store errors."""
        await self._logins.ask(LoginTables.ban, ban, int(time.time()))
        await self.look()

    async def unban(self, kind: str, name: str) -> bool:
        """End a ban and return whether the ban existed. Raises the store's errors."""
        found = await self._logins.ask(LoginTables.unban, kind, name)
        await self.look()
        return found

    def register(
        self,
        user: str,
        password: bytes,
        address: str,
        may_wait: MayWait = never,
        remember: bool = False,
        code: str | None = None,
    ) -> Deferred[Token | None]:
        """Create an account; fire when the account is durably saved, with a token if wanted.

        Args:
            address: the peer's host; addresses take turns.
            may_wait: whether all other requests go first.
            remember: whether the client wants a token.
            code: the registration code, if the server requires one.

        Fails:
            RegistrationClosed, BadCode: registration is closed, or the code is wrong.
            DiskFull, TooMuchStored: the disk is almost full, or the address stored too much.
            BadUserName, BadPassword: the name or password breaks the rules.
            UserExists: the name is taken, in any spelling, or reserved.
            StoreAwayError: the store is unavailable; the account might have been created.
            Exception: the store failed, or the server stops.
        """
        try:
            user = check_new_name(user)
            check_password(password, self.min_password)
        except (BadUserName, BadPassword) as refusal:
            return fail(refusal)

        def look() -> Deferred[Token | None]:
            try:
                group = self.registration.group_for(code)
                self.admits(address)
            except Refusal as refusal:
                return fail(refusal)
            return self._in_slot(address, may_wait, self._register, user, password, group, remember)

        # A wrong registration code counts against the address, as a wrong token does.
        return look() if code is None else self.slowed(code, address, look)

    async def _stop(self) -> None:
        # In this order, a registration whose hash was just computed still reaches the store.
        try:
            await self._hasher.stop()
        finally:
            await self._store.close()

    def _in_slot(
        self,
        address: str,
        may_wait: MayWait,
        work: Callable[P, Work[T]],
        *args: P.args,
        **kw: P.kwargs,
    ) -> Deferred[T]:
        """Do the work in the turn of `address`, with no look-up before: the client might hang up.

        No coroutine begins before the turn, because a canceled coroutine leaves 100 objects of
        garbage.
        """
        entering = self._hasher.slots.enter(address, may_wait)
        has_waited = not entering.called

        async def begin() -> T:
            if has_waited and not self._store.ready():
                raise StoreAwayError  # the requests behind would wait as long again
            return await work(*args, **kw)

        def leave(outcome: T) -> T:
            self._hasher.slots.leave()
            return outcome

        return entering.addCallback(lambda _: Deferred.fromCoroutine(begin()).addBoth(leave))

    def _welcomed(self, token: T, user: str) -> T:
        self.bans.check_user(user)
        self.logins += 1
        self.came(user)
        return token

    def _logged_in(self, outcome: tuple[Account, Token | None], password: bytes) -> Token | None:
        account, token = outcome
        self._welcomed(token, account.name)
        self._renew(account, password)
        return token

    async def _check(
        self, user: str, password: bytes, remember: bool
    ) -> tuple[Account, Token | None]:
        while True:
            last_ended = self._last_ended
            account = await self._verified(user, password)
            if not (remember and self.tokens.days):
                if last_ended == self._last_ended:
                    return account, None
                continue  # removed meanwhile, before this login had a connection to close
            token = await self.tokens.give(account)
            if token is not None:  # otherwise the password changed at this very moment
                return account, token

    async def _verified(self, user: str, password: bytes) -> Account:
        """Return the account of `user`. Raises NoSuchUser or WrongPassword, after the same time."""
        account = await self._accounts.ask(AccountTables.get, user)
        stored = None if account is None else account.password_hash
        is_right = await self._hasher.check(password, stored)
        if account is None:
            raise _no_such_user(user)
        if not is_right:
            raise WrongPassword(f"that isn't the password of {user}")
        return account

    async def _change(self, user: str, old: bytes, new: bytes, remember: bool) -> Token | None:
        await self._verified(user, old)
        return await self._set(user, new, remember)

    async def _set(self, user: str, new: bytes, remember: bool) -> Token | None:
        password_hash = await self._hasher.hash(new)
        await self._accounts.ask(AccountTables.set_hash, user, password_hash)
        if not (remember and self.tokens.days):
            return None
        return await self.tokens.give(Account(user, password_hash))

    def _looked(self, found: Changes) -> None:
        self._last_ended = found.last
        if found.bans is not None:
            self.bans.replace(found.bans)
            self.banned()
        for name, why in found.ended:
            self.ended(name, why)

    async def _register(
        self, user: str, password: bytes, group: str, remember: bool
    ) -> Token | None:
        # Check first, because a hash costs a thousand times as much; `add` has the last word.
        if is_reserved(user) or await self._accounts.ask(AccountTables.is_taken, user):
            raise UserExists(f"there is a user {user} already")
        password_hash = await self._hasher.hash(password)
        account = Account(user, password_hash, group)
        await self._accounts.ask(AccountTables.add, account)
        self.registrations += 1
        return await self.tokens.give(account) if remember and self.tokens.days else None

    def _renew(self, account: Account, password: bytes) -> None:
        """Replace a hash of another cost in the background."""
        name = account.name
        if cost_of(account.password_hash) == self._hasher.rounds or name in self._renewals:
            return
        renewal = self._in_slot("", never, self._replace_hash, account, password)
        self._renewals[name] = renewal
        renewal.addErrback(_renewal_failed, name).addCallback(self._renewal_over, name)

    async def _replace_hash(self, account: Account, password: bytes) -> None:
        renewed = await self._hasher.hash(password)
        name, old = account.name, account.password_hash
        await self._accounts.ask(AccountTables.replace_hash, name, old, renewed)

    def _renewal_over(self, _: None, user: str) -> None:
        del self._renewals[user]


def _is_possible(user: str) -> bool:
    """Return whether an account can have this name; other names skip the store and throttle."""
    try:
        return check_user_name(user) == user and not is_given(user)
    except BadUserName:
        return False


def _no_such_user(user: str) -> NoSuchUser:
    return NoSuchUser(f"there is no user '{visible(user)}'")


def _look_failed(failure: Failure) -> None:
    if not isinstance(failure.value, _NOT_WORTH_A_LINE):
        _log.failure("cannot read the removed accounts; retrying", failure)


def _renewal_failed(failure: Failure, user: str) -> None:
    if not isinstance(failure.value, _NOT_WORTH_A_LINE):
        _log.failure("the password hash of {user!r} wasn't renewed", failure, user=user)
