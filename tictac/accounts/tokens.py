"""Tokens, which log in in place of a password: coming back costs neither typing nor bcrypt.

A token is 256 random bits, and only its hash is kept. So nobody can guess one, nor learn one from
the database, and how long a look-up takes tells nothing of use.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from secrets import token_urlsafe

from twisted.internet.defer import Deferred

from tictac.accounts.store import Account, Store, Stored
from tictac.accounts.tables import TokenTables
from tictac.errors import BadToken

DAY = 86_400


def no_good() -> BadToken:
    """Why a token logs nobody in."""
    return BadToken("that login has ended: log in with the password")


@dataclass(frozen=True, slots=True)
class Token:
    """A token, and when it ends, in seconds since 1970."""

    text: str = field(repr=False)
    expires: int


def token_hash(text: str) -> str:
    """What the store keeps of a token."""
    return sha256(text.encode()).hexdigest()


class Tokens:
    """The tokens of all accounts in a store.

    Each lasts for ``days`` after it has been used (0: none are given, and none are good), and an
    account has ``most`` at a time (0: any number): when there are more the oldest ends.
    """

    def __init__(
        self, store: Store, days: int = 30, most: int = 20, utc: Callable[[], float] = time.time
    ) -> None:
        self.days = days
        self._stored = Stored(store, TokenTables)
        self._most = most
        self._utc = utc

    async def give(self, account: Account) -> Token | None:
        """Make a token; None if the account has another password by now, or is gone."""
        now = int(self._utc())
        token = Token(token_urlsafe(32), now + self.days * DAY)
        kept = self._stored.ask(
            TokenTables.add, account, token_hash(token.text), token.expires, now, self._most
        )
        return token if await kept else None

    async def use(self, user: str, text: str) -> Token:
        """Let a token last for its time again. Raises BadToken."""
        now = int(self._utc())
        expires = now + self.days * DAY
        if self.days:
            hashed = token_hash(text)
            if await self._stored.ask(TokenTables.use, user, hashed, now, expires):
                return Token(text, expires)
        raise no_good()

    def end(self, user: str, token: Token | None) -> Deferred[int]:
        """End a token of `user`, or all; fires with how many that were."""
        hashed = None if token is None else token_hash(token.text)
        return self._stored.ask(TokenTables.end, user, hashed)
