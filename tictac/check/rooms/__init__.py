"""The cases of a server of the rooms protocol."""

from tictac.check.rooms import connections, match, requests
from tictac.check.rooms.scene import SUITE

__all__ = ["SUITE", "connections", "match", "requests"]
