"""What challenges refuse, each with a stable code (tictac.errors)."""

from __future__ import annotations

from tictac.errors import Refusal


class NotHere(Refusal):
    """The person can't be challenged now, or isn't connected: the answer doesn't say which."""


class Busy(Refusal):
    """One of the two plays a match."""


class TooManyChallenges(Refusal):
    """More challenges than a person can send, or get, at a time."""


class NoShow(Refusal):
    """There is no such game of which the computer could play a match to watch."""

    is_missing = True


class NoSuchChallenge(Refusal):
    """The challenge is over, or another user's."""

    is_missing = True
