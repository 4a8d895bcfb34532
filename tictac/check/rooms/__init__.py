"""The cases of a server of the rooms protocol: cases.txt, and what it calls."""

from importlib.resources import files

from tictac.check.rooms import connections, match, requests
from tictac.check.rooms.scene import SUITE

SUITE.read_cases(
    files("tictac.check.rooms").joinpath("cases.txt").read_text("utf-8"),
    {**vars(requests), **vars(match), **vars(connections)},
)
