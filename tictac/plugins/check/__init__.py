"""``tictac check``: tell people what their own client or server does wrong.

- cases.py: a Case has a number, what the document says, a hint and a coroutine function; a Suite
  has the cases of a protocol, in the order in which they depend on each other.
- scene.py: a case gets a Scene, with connections under names (Peer, peer.py) and a transcript.
  A suite has a Scene of its own: how messages end, ``encode`` for scripts, directions in brackets.
- clients/scene.py: the same for clients: a ClientScene plays the server, types, and reads.
- target.py: the server that is checked; its Program (plugins.programs) if the checker starts it.
- runner.py: gates first, then cases side by side, then those that must be alone. What fails, or
  ran when the program died, runs again alone with a new program.
- sockets.py: whether a program has read what it was sent, and whose a connection is, on Linux.
- suites.py: the suites by name. Each stands beside its protocol, or here if the core has that.
"""

from tictac.plugin import Plugin

PLUGIN = Plugin(
    rank=26,
    commands={"check": "tictac.plugins.check.commands:add_parser"},
    suites={
        "rooms": "tictac.plugins.check.rooms:SUITE",
        "rooms-client": "tictac.plugins.check.clients.rooms:SUITE",
        "lobby": "tictac.plugins.check.lobby:SUITE",
        "lobby-client": "tictac.plugins.check.clients.lobby:SUITE",
    },
)
