"""Passwords and their bcrypt hashes."""

from __future__ import annotations

import re

import bcrypt

from tictac.names import MAX_PASSWORD

DEFAULT_COST = 12
MIN_COST = 4
MAX_COST = 16
"""Each step doubles the time: at bcrypt's own limit of 31, a check takes a day and a half."""

# The last character of the salt has only two significant bits; bcrypt refuses all except these.
_HASH = re.compile(r"\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{31}", re.ASCII)


def valid_hash(stored: str) -> bool:
    """Return whether `stored` is a bcrypt hash that can be checked in reasonable time.

    That is prefix 2a, 2b or 2y and a cost of 4 to 16. Check hashes from files here before bcrypt
    reads them: it raises on damage and computes for hours on a huge cost.
    """
    found = _HASH.fullmatch(stored)
    return found is not None and MIN_COST <= int(found[1]) <= MAX_COST


def cost_of(stored: str) -> int:
    """Return the cost of a hash: the base-2 logarithm of its rounds.

    Raises ValueError if `stored` isn't a valid hash.
    """
    if not valid_hash(stored):
        raise ValueError("not a bcrypt hash")
    return int(stored[4:6])


def hash_password(password: bytes, rounds: int = DEFAULT_COST) -> str:
    """Hash a password, in this thread: 60 ASCII characters.

    `rounds` is the cost, 4 to 16. Raises ValueError if the password has more than 72 bytes.
    """
    if len(password) > MAX_PASSWORD:
        raise ValueError(f"bcrypt takes {MAX_PASSWORD} bytes at most")
    return bcrypt.hashpw(password, bcrypt.gensalt(rounds)).decode("ascii")
