"""The suite for servers of Clue: server.txt, and the functions of its cases."""

from inspect import iscoroutinefunction

from tictac.plugins.clue.check import cases
from tictac.plugins.clue.check.scene import SUITE, repeated

SUITE.read_cases(
    __package__,
    "server.txt",
    {name: repeated(act) for name, act in vars(cases).items() if iscoroutinefunction(act)},
)
