"""The cases of a server of Clue."""

from tictac.check.clue import cases
from tictac.check.clue.scene import SUITE

__all__ = ["SUITE", "cases"]
