"""``tictac check``: report what a user's own client or server does wrong.

Four words have a fixed meaning here. The *checker* is this package. The *program* is the server or
client under test. A *case* is one test of the program, and its *scene* is everything that the case
works with.

- cases.py: a Case has a number, the rule that it tests, a hint, and a coroutine function. A Suite
  has the cases of a protocol, in the order in which they depend on each other.
- scene.py: each case gets a Scene, with named connections (Peer, peer.py) and a transcript. Each
  suite has a subclass of Scene, which encodes messages and adds directions for scripts.
- clients/scene.py: a ClientScene plays the server, types on the client's input, and reads its
  output.
- target.py: the address of the server, and its process if the checker starts the server.
- runner.py: runs gates first, then most cases in parallel, then the cases that must run alone. A
  case that failed, or that ran when the program ended, runs again alone with a new process.
- sockets.py: finds out whether the program has read its input, and which process has a connection
  (Linux only).
- suites.py: the suites by name. A suite is in the folder of its protocol. The suites for protocols
  of the core are here.
"""

from tictac.plugin import Plugin

PLUGIN = Plugin(
    __name__,
    rank=26,
    commands={"check": "commands:add_parser"},
    suites={
        "rooms": "rooms:SUITE",
        "rooms-client": "clients.rooms:SUITE",
        "lobby": "lobby:SUITE",
        "lobby-client": "clients.lobby:SUITE",
    },
)
