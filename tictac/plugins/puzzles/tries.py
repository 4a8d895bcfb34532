"""How many have tried the puzzles of a day, and how many of them have solved them."""

from __future__ import annotations

from hashlib import blake2b
from secrets import token_bytes
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tictac.protocols.lobby.json_view import Message

LEAST = 5
"""Minimum visitors for a number to be shown: a smaller one could show who they are."""

MOST = 10_000
"""Maximum visitors of a puzzle that are counted, at up to 200 bytes each."""


class Tries:
    """The visitors of the puzzles of one day after the other, since the start of the server.

    A visitor is counted once for each puzzle. An account is known by its name. A guest or a
    stranger is known by the network address alone, because each other identity is free: a new
    guest, an empty browser, or a request without a cookie. So a class behind one router counts as
    one visitor, and so does a program that repeats its requests.

    A visitor is kept until the day ends, as a hash whose key is never saved.
    """

    def __init__(self) -> None:
        self._key = token_bytes(16)
        self._day = ""
        self._seen: dict[str, tuple[set[bytes], set[bytes]]] = {}

    def note(self, day: str, game: str, who: str, is_solved: bool) -> None:
        """Note that a visitor has tried the puzzle of today, or has solved it."""
        if day != self._day:
            self._day, self._seen = day, {}
        tried, solved = self._seen.setdefault(game, (set(), set()))
        visitor = blake2b(who.encode(), digest_size=8, key=self._key).digest()
        if visitor in tried or len(tried) < MOST:
            tried.add(visitor)
            if is_solved:
                solved.add(visitor)

    def counts(self, day: str, game: str) -> Message | None:
        """Return the numbers of a puzzle; None: too few have tried it, or it is an earlier one."""
        if day != self._day or game not in self._seen:
            return None
        tried, solved = map(len, self._seen[game])
        return {"tried": tried, "solved": solved} if tried >= LEAST else None
