"""Console programs to be started by tests: `python tests/terminal/child.py NAME`."""

from __future__ import annotations

import sys

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectingCancelledError

from tictac.plugins.programs.console import run_program
from tictac.terminal.terminal import Terminal

LINES = 60_000  # More than two pipes hold: a test may have read one when it looks.


async def echo(reactor: object, terminal: Terminal) -> int:
    """Say every line; in the end 7."""
    while True:
        try:
            terminal.show("got " + await terminal.ask("? "))
        except EOFError:
            return 7


async def hide(reactor: object, terminal: Terminal) -> int:
    """Say a line that wasn't shown."""
    terminal.show("got " + await terminal.ask("Secret: ", hidden=True))
    return 0


async def chatter(reactor: object, terminal: Terminal) -> int:
    """Say more than any pipe holds."""
    for number in range(LINES):
        terminal.show(str(number))
    return 0


async def gossip(reactor: object, terminal: Terminal) -> int:
    """Keep printing as long as there is a terminal."""
    while True:
        terminal.show(await terminal.ask("? "))


async def alternate(reactor: object, terminal: Terminal) -> int:
    """Say something here, something there."""
    for number in range(3):
        terminal.show(f"out {number}")
        terminal.error(f"err {number}")
    return 0


async def wait(reactor: object, terminal: Terminal) -> int:
    """Wait for what never comes."""
    terminal.show("waiting")
    never: Deferred[int] = Deferred()
    return await never


async def connect(reactor: object, terminal: Terminal) -> int:
    """Wait for a connection, whose cancelling has an error of its own."""
    terminal.show("waiting")
    never: Deferred[int] = Deferred(lambda d: d.errback(ConnectingCancelledError(None)))
    return await never


async def fail(reactor: object, terminal: Terminal) -> int:
    """Fail as no program should."""
    terminal.show("so far so good")
    raise ZeroDivisionError("a mistake")


if __name__ == "__main__":
    programs = (echo, hide, chatter, gossip, alternate, wait, connect, fail)
    chosen = {program.__name__: program for program in programs}[sys.argv[1]]
    sys.exit(run_program(chosen))
