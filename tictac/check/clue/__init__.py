"""A server of Clue: cases.txt, and what it calls."""

from importlib.resources import files

from tictac.check.clue import cases
from tictac.check.clue.scene import SUITE

SUITE.read_cases(files("tictac.check.clue").joinpath("cases.txt").read_text("utf-8"), vars(cases))
