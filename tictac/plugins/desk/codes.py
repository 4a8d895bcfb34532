"""Codes of eight letters that log an account in once.

The first four letters select the code, and the others prove it. Therefore, five wrong attempts can
end a code, and only a person who knows half of it can cause that. The database has a slow hash of
all letters. A slip lasts for days; the code of a terminal, for minutes.
"""

from __future__ import annotations

from hashlib import pbkdf2_hmac
from secrets import choice

from tictac.names import PLAIN_LETTERS

LENGTH = 8
"""Letters of a code: 39 bits."""

SELECTS = 4
"""Letters that select it."""

ROUNDS = 50_000
"""Rounds of PBKDF2 for the hash: 20 ms. A graphics card needs weeks for all codes of a slip."""

MOST_TRIES = 5
"""Wrong attempts that end a code."""

PAIRS = 900
"""Seconds in which a terminal can use its code."""


def new_code() -> str:
    """Return a new code."""
    return "".join(choice(PLAIN_LETTERS) for _ in range(LENGTH))


def plain_code(typed: str) -> str:
    """Return a typed code without blanks and hyphens, in small letters; empty: it isn't a code."""
    found = "".join(typed.split()).replace("-", "").lower()
    return found if len(found) == LENGTH and set(found) <= set(PLAIN_LETTERS) else ""


def shown_code(code: str) -> str:
    """Return a code as people read it: ``abcd-efgh``."""
    return f"{code[:SELECTS]}-{code[SELECTS:]}"


def code_hash(code: str) -> str:
    """Return the hash that the database has, 64 digits."""
    return pbkdf2_hmac("sha256", code.encode(), code[:SELECTS].encode(), ROUNDS).hex()
