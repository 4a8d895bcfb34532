"""A server of Clue: cases.txt, and what it calls."""

from importlib.resources import files
from inspect import iscoroutinefunction

from tictac.check.clue import cases
from tictac.check.clue.scene import SUITE, repeated

SUITE.read_cases(
    files("tictac.check.clue").joinpath("cases.txt").read_text("utf-8"),
    {name: repeated(act) for name, act in vars(cases).items() if iscoroutinefunction(act)},
)
