"""What notices refuse, each with a stable code (tictac.errors)."""

from __future__ import annotations

from tictac.errors import Refusal


class BadAddress(Refusal):
    """No address of that channel, or one to which this server sends nothing."""


class TooManyAddresses(Refusal):
    """More addresses than an account can have, or more confirmations than it can ask for."""


class BadSetting(Refusal):
    """An unknown language, time zone, or form of the quiet hours."""


class BadLink(Refusal):
    """A link that this server didn't make, or that is used or old."""

    is_missing = True
