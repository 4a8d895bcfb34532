"""Makes ``twistd tictac`` known. Strings only: twistd imports every plugin it lists."""

from twisted.application.service import ServiceMaker

tictac = ServiceMaker(
    "tictac",
    "tictac.server.make",
    "A game server: tic-tac-toe rooms and more, for nc, your own client and ours.",
    "tictac",
)
