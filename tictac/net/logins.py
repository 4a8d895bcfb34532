"""Connections of users with accounts: login and registration, one request at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from twisted.internet.defer import CancelledError, Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.accounts.accounts import Accounts
from tictac.accounts.tokens import Token
from tictac.errors import NoSuchRoom, PrivateRoom, Refusal, RoomExists
from tictac.logs import LIMITED
from tictac.names import is_given
from tictac.net.budget import GUESS, KIB
from tictac.net.connection import ConnectionFactory, ServerConnection
from tictac.storage.store import StoreAwayError

_log = Logger(observer=LIMITED)

T = TypeVar("T")

GUESSED = {NoSuchRoom.code, RoomExists.code, PrivateRoom.code}
"""Error codes that reveal to a stranger which room names exist."""

AnswerCallback = Callable[[Refusal | Token | None], None]
"""Called with the outcome of a check: the refusal, or the token of the login, or None."""


class LoginConnection(ServerConnection):
    """A connection whose ``user`` is None until a login."""

    factory: LoginFactory
    user: str | None = None
    for_good = False
    """Whether the seats of this connection are given up when it closes."""

    is_operator = False
    """Whether the connection belongs to the operator."""

    _sent = 0  # bytes, since the last request came
    _checking: Deferred[Any] | None = None
    _token: Token | None = None  # of the login

    @property
    def is_guest(self) -> bool:  # type: ignore[override]
        """Whether the user has no account."""
        return self.user is None or is_given(self.user)

    @property
    def is_visitor(self) -> bool:
        """Whether the connection has neither an account nor the rights of the operator."""
        return self.is_guest and not self.is_operator

    # Hooks for a protocol

    def is_seated(self) -> bool:
        """Return whether the user is in a room; the connection can then be silent."""
        raise NotImplementedError

    # The connection

    def disconnected(self) -> None:
        if self._checking is not None:
            self._checking.cancel()

    def timed_out(self, now: float) -> str | None:
        if self._checking is not None or self.is_seated():
            return None
        if self.user is None and 0 < self.factory.limits.login_timeout <= now - self.since:
            return "login-timeout"
        return super().timed_out(now)

    def note(self, kind: str) -> None:
        super().note(kind)
        if kind in GUESSED:
            self.pay(GUESS)

    def send(self, data: bytes) -> None:
        """Send lines and count their bytes, which the next request pays for."""
        self._sent += len(data)
        self.send_lines(data)

    # Accounts

    @property
    def registration(self) -> str:
        """The registration policy: ``open``, ``closed``, or ``code``."""
        return self.factory.accounts.registration.mode

    @property
    def min_password(self) -> int:
        """The minimum number of characters of a new password."""
        return self.factory.accounts.min_password

    def log_in(
        self, user: str, password: bytes, answer: AnswerCallback, remember: bool = False
    ) -> None:
        """Log ``user`` in with a password; ``remember`` asks for a token."""
        login = self.factory.accounts.login
        self._become(user, login(user, password, self.host, self.is_half_closed, remember), answer)

    def log_in_by_token(self, user: str, token: str, answer: AnswerCallback) -> None:
        """Log ``user`` in with a token."""
        self._become(user, self.factory.accounts.login_by_token(user, token, self.host), answer)

    def _become(
        self, user: str, checking: Deferred[Token | None] | Deferred[Token], answer: AnswerCallback
    ) -> None:
        def logged_in(token: Token | None) -> Token | None:
            self.user, self._token = user, token
            _log.info("{user!r} logged in from {peer}", user=user, peer=self.host)
            return token

        self.wait_for("LOGIN", checking.addCallback(logged_in), answer, answer)

    def log_out(self, everywhere: bool, answer: AnswerCallback) -> None:
        """Log out, and end the token of this login, or ``everywhere`` all tokens of the account.

        The time to log in restarts.
        """

        def logged_out(_: object) -> None:
            self.user = self._token = None
            self.since = self.factory.seconds()

        if self.user is None or is_given(self.user) or not (everywhere or self._token):
            logged_out(None)
            answer(None)
            return
        ending = self.factory.accounts.tokens.end(self.user, None if everywhere else self._token)
        self.wait_for("LOGOUT", ending.addCallback(logged_out), answer, answer)

    def register(
        self,
        user: str,
        password: bytes,
        answer: AnswerCallback,
        remember: bool = False,
        code: str | None = None,
    ) -> None:
        """Register an account, with a code if one is needed; ``remember`` asks for a token."""

        def registered(token: Token | None) -> Token | None:
            _log.info("{user!r} registered from {peer}", user=user, peer=self.host)
            return token

        register = self.factory.accounts.register
        checking = register(user, password, self.host, self.is_half_closed, remember, code)
        self.wait_for("REGISTER", checking.addCallback(registered), answer, answer)

    def change_password(
        self, old: bytes, new: bytes, answer: AnswerCallback, remember: bool = False
    ) -> None:
        """Change the password, if the old one is right; ``remember`` asks for a token."""

        def changed(token: Token | None) -> Token | None:
            self._token = token
            _log.info("{user!r} changed the password from {peer}", user=self.user, peer=self.host)
            return token

        change = self.factory.accounts.change_password
        checking = change(self.user or "", old, new, self.host, self.is_half_closed, remember)
        self.wait_for("PASSWORD", checking.addCallback(changed), answer, answer)

    def end_login(self, kind: str) -> None:
        """Close the connection for the error code ``kind``, and release its seats."""
        self.for_good = True
        self.close_for(kind)

    def wait_for(
        self,
        verb: str,
        asked: Deferred[T],
        answer: Callable[[T], None],
        refuse: Callable[[Refusal], None],
    ) -> None:
        """Answer when ``asked`` is done, and count its cost; read no further request until then."""
        started = self.factory.seconds()

        def refused(failure: Failure) -> Failure | None:
            refusal = failure.value
            if not isinstance(refusal, Refusal):
                return failure  # trap() would leave garbage
            self.note(refusal.code)
            done(refusal, refuse)
            return None

        def done(outcome: Any, report: Callable[[Any], None]) -> None:
            self._checking = None
            self.last_message = self.factory.seconds()
            self.since += self.last_message - started
            if not self.closing:
                self._sent = 0
                report(outcome)
                self.pay(self._sent // KIB)

        self.hold_for_answer()
        self._checking = asked
        answered: Deferred[None] = asked.addCallbacks(done, refused, (answer,))
        answered.addErrback(self._check_failed, verb).addBoth(lambda _: self.release_answered())

    def _check_failed(self, failure: Failure, verb: str) -> None:
        self._checking = None
        if isinstance(failure.value, CancelledError):
            return
        if not failure.check(StoreAwayError):  # the outage has a log line already
            _log.failure("{verb} of {peer} failed", failure, verb=verb, peer=self.host)
        # The client has no promise yet: a closed connection says so, an answer would be false.
        self.close()


@dataclass(eq=False, kw_only=True)
class LoginFactory(ConnectionFactory):
    """A factory of such connections. Several listeners can share ``accounts``."""

    accounts: Accounts
