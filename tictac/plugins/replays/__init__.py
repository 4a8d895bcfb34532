"""Saved histories of games whose library can end the process: another process replays them first.

``GameType.native`` marks such games. A library that crashes, or never returns, costs one room or
one answer then, and not the server.
"""

from tictac.plugin import Plugin

PLUGIN = Plugin(
    __name__, rank=149, add_ons={"replays": "service:ADD_ON"}, vets={"replays": "replayer:vetting"}
)
