"""The refusals of the desk, each with a stable code (tictac.errors)."""

from __future__ import annotations

from tictac.errors import Refusal


class NotATeacher(Refusal):
    """The account isn't a teacher of that group."""


class NoSuchPupil(Refusal):
    """The group has no such account, or only an admin can act on it."""

    is_missing = True


class GroupFull(Refusal):
    """More accounts than a group can have."""


class BadRule(Refusal):
    """A text that isn't a rule for marks."""


class NoSuchRule(Refusal):
    """The group has no rule of that number."""

    is_missing = True


class TooManyRules(Refusal):
    """More rules than a group can have."""


class PasswordNeeded(Refusal):
    """The code of a slip needs a new password with it."""


class NoTokens(Refusal):
    """The server gives no tokens, so that no terminal can be paired."""
