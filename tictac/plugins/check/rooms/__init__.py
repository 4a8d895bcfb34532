"""The cases of a server of the rooms protocol: cases.txt, and what it calls."""

from tictac.plugins.check.rooms import connections, match, requests
from tictac.plugins.check.rooms.scene import SUITE

SUITE.read_cases(__package__, "cases.txt", {**vars(requests), **vars(match), **vars(connections)})
