"""A connection whose user has an account: it logs in and registers, one request at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from twisted.internet.defer import CancelledError, Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.accounts.accounts import Accounts
from tictac.accounts.store import StoreAwayError
from tictac.errors import Refusal
from tictac.logs import LIMITED
from tictac.net.connection import ConnectionFactory, ServerConnection

_log = Logger(observer=LIMITED)

Answer = Callable[[Refusal | None], None]
"""Told how a check has ended: why it was refused, or None."""


class LoginConnection(ServerConnection):
    """One whose ``user`` is None until somebody has logged in."""

    factory: LoginFactory
    user: str | None = None

    _checking: Deferred[None] | None = None

    # Hooks for a protocol

    def is_seated(self) -> bool:
        """Whether it is in a room: then it may be silent."""
        raise NotImplementedError

    # The connection

    def gone(self) -> None:
        if self._checking is not None:
            self._checking.cancel()

    def timed_out(self, now: float) -> str | None:
        if self._checking is not None or self.is_seated():
            return None
        if self.user is None and 0 < self.factory.limits.login_timeout <= now - self.since:
            return "login-timeout"
        return super().timed_out(now)

    # Accounts

    def log_in(self, user: str, password: bytes, answer: Answer) -> None:
        """Become ``user`` if that is the password."""

        def logged_in(_: None) -> None:
            self.user = user
            _log.info("{user!r} logged in from {peer}", user=user, peer=self.host)

        checking = self.factory.accounts.login(user, password, self.host, self.is_half_closed)
        self._check("LOGIN", checking.addCallback(logged_in), answer)

    def log_out(self) -> None:
        """Be nobody; there is the usual time to log in again."""
        self.user = None
        self.since = self.factory.seconds()

    def register(self, user: str, password: bytes, answer: Answer) -> None:
        """Make an account."""

        def registered(_: None) -> None:
            _log.info("{user!r} registered from {peer}", user=user, peer=self.host)

        checking = self.factory.accounts.register(user, password, self.host, self.is_half_closed)
        self._check("REGISTER", checking.addCallback(registered), answer)

    def _check(self, verb: str, checking: Deferred[None], answer: Answer) -> None:
        """Answer when ``checking`` is done; until then nothing else is read."""
        started = self.factory.seconds()

        def refused(failure: Failure) -> Failure | None:
            refusal = failure.value
            if not isinstance(refusal, Refusal):
                return failure  # and not trap(), which leaves garbage
            self.factory.refusals.note(refusal.code, self.host)
            done(None, refusal)
            return None

        def done(_: None, refusal: Refusal | None = None) -> None:
            self._checking = None
            self.heard = self.factory.seconds()
            self.since += self.heard - started
            if not self.closing:
                answer(refusal)

        self.hold_for_answer()
        self._checking = checking
        answered: Deferred[Any] = checking.addCallbacks(done, refused)
        answered.addErrback(self._check_failed, verb).addBoth(lambda _: self.release_answered())

    def _check_failed(self, failure: Failure, verb: str) -> None:
        self._checking = None
        if isinstance(failure.value, CancelledError):
            return
        if not failure.check(StoreAwayError):  # of which there is a line already
            _log.failure("{verb} of {peer} failed", failure, verb=verb, peer=self.host)
        # Nothing was promised yet: a closed connection says so, an answer would lie.
        self.close()


@dataclass(eq=False, kw_only=True)
class LoginFactory(ConnectionFactory):
    """A factory of such connections. ``accounts`` may serve several listeners."""

    accounts: Accounts
