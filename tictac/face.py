"""The old name of :mod:`tictac.textview`, for plug-ins, until the release after 0.1."""

from tictac.textview import TextView as Face

__all__ = ["Face"]
