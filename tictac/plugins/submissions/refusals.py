"""The refusals of submitted programs, each with a stable code (tictac.errors)."""

from __future__ import annotations

from tictac.errors import Refusal


class BadProgram(Refusal):
    """The archive or its manifest is unusable."""


class TooManyPrograms(Refusal):
    """The account has pushed its programs of a day."""


class NoSuchProgram(Refusal):
    """The account has no such version, or the address for uploads isn't valid any more."""

    is_missing = True


class NoSuchRunner(Refusal):
    """No runner has that name or token."""

    is_missing = True


class RunnerExists(Refusal):
    """A runner has that name already."""


class OnlyPlays(Refusal):
    """A submitted program sent a request that it doesn't need to play."""
