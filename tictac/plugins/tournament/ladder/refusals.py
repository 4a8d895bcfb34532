"""The refusals of series, each with a stable code (tictac.errors)."""

from __future__ import annotations

from tictac.errors import Refusal


class NoSuchSeries(Refusal):
    """No series has that id."""

    is_missing = True


class SeriesExists(Refusal):
    """A series of that id exists already."""


class SeriesFull(Refusal):
    """The series has its maximum of players, or the server its maximum of series."""


class SeriesFrozen(Refusal):
    """The series takes no new players and versions any more."""
