"""The suite for servers of the rooms protocol: cases.txt, and the functions of its cases."""

from tictac.plugins.check.rooms import connections, match, requests
from tictac.plugins.check.rooms.scene import SUITE

SUITE.read_cases(__package__, "cases.txt", {**vars(requests), **vars(match), **vars(connections)})
