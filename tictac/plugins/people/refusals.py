"""What challenges refuse, each with a stable code (tictac.errors)."""

from __future__ import annotations

from tictac.errors import Refusal


class NotHere(Refusal):
    """The person can't be challenged now, or isn't connected: the answer doesn't say which."""

    code = "not-here"


class Busy(Refusal):
    """One of the two plays a match."""

    code = "busy"


class TooManyChallenges(Refusal):
    """More challenges than a person can send, or get, at a time."""

    code = "too-many-challenges"


class NoSuchChallenge(Refusal):
    """The challenge is over, or another user's."""

    code = "no-such-challenge"
    is_missing = True
