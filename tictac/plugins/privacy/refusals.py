"""What blocks and reports refuse, each with a stable code (tictac.errors)."""

from __future__ import annotations

from tictac.errors import Refusal


class TooManyBlocks(Refusal):
    """More players than an account can block or mute."""


class TooManyReports(Refusal):
    """More reports than a user can make in a day, or than the server keeps."""


class NoSuchReport(Refusal):
    """There is no report of that number."""

    is_missing = True
