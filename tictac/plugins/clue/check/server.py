"""The suite for Clue servers: server.txt, and its functions."""

from inspect import iscoroutinefunction

from tictac.plugins.clue.check import cases
from tictac.plugins.clue.check.scene import SUITE, repeated

SUITE.read_cases(
    __package__,
    "server.txt",
    {name: repeated(act) for name, act in vars(cases).items() if iscoroutinefunction(act)},
)
