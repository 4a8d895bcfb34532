"""A server of Clue: cases.txt, and what it calls."""

from inspect import iscoroutinefunction

from tictac.check.clue import cases
from tictac.check.clue.scene import SUITE, repeated

SUITE.read_cases(
    "clue/cases.txt",
    {name: repeated(act) for name, act in vars(cases).items() if iscoroutinefunction(act)},
)
