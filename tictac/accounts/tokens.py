"""Tokens, which replace a password: rejoining costs neither typing nor bcrypt.

A token is 256 random bits, and the database has only its hash. So tokens can't be guessed or read
from the database, and the time of a look-up reveals nothing useful.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from secrets import token_urlsafe

from twisted.internet.defer import Deferred

from tictac.accounts.tables import Account, TokenTables
from tictac.errors import BadToken
from tictac.storage.store import Store, Stored

DAY = 86_400


def no_good() -> BadToken:
    """Return the error for a token that isn't in force."""
    return BadToken("that login has ended: log in with the password")


@dataclass(frozen=True, slots=True)
class Token:
    """A token, and when it ends, in seconds since 1970."""

    text: str = field(repr=False)
    expires: int


def token_hash(text: str) -> str:
    """Return the hash of a token, which the store saves."""
    return sha256(text.encode()).hexdigest()


class Tokens:
    """The tokens of all accounts in a store.

    Each lasts for ``days`` after its last use (0: tokens are off). An account has up to ``most`` of
    them (0: any number); a further token ends the oldest.
    """

    def __init__(
        self, store: Store, days: int = 30, most: int = 20, utc: Callable[[], float] = time.time
    ) -> None:
        self.days = days
        self._stored = Stored(store, TokenTables)
        self._most = most
        self._utc = utc

    async def give(self, account: Account) -> Token | None:
        """Return a new token; None if the password changed meanwhile, or the account is removed."""
        now = int(self._utc())
        token = Token(token_urlsafe(32), now + self.days * DAY)
        kept = self._stored.ask(
            TokenTables.add, account, token_hash(token.text), token.expires, now, self._most
        )
        return token if await kept else None

    async def use(self, user: str, text: str) -> Token:
        """Renew a token for its full time. Raises BadToken."""
        now = int(self._utc())
        expires = now + self.days * DAY
        if self.days:
            hashed = token_hash(text)
            if await self._stored.ask(TokenTables.use, user, hashed, now, expires):
                return Token(text, expires)
        raise no_good()

    def end(self, user: str, token: Token | None) -> Deferred[int]:
        """End a token of `user`, or all; fire with the number of ended tokens."""
        hashed = None if token is None else token_hash(token.text)
        return self._stored.ask(TokenTables.end, user, hashed)
