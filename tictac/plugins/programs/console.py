"""Running a console program: its exit status, its signals, and the restored terminal.

A module with a command of ``tictac`` imports what only the running command needs when it runs: help
and completion load the modules of all commands, and Twisted alone takes longer than all the rest.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tictac.plugins.programs.running import Main
    from tictac.reactor import Reactor, Work
    from tictac.terminal.terminal import Terminal


def run_program(main: Main) -> int:
    """Run the reactor until ``main`` returns, and return its result: the exit status.

    SIGINT, SIGTERM, and SIGHUP cancel ``main`` and give 130, 143, and 129, as in a shell. If the
    reader of the output closes it (``| head``), ``main`` is cancelled without a message, and the
    status is 1. An exception of ``main`` is logged, and the status is 1.
    """
    from tictac.plugins.programs.running import run

    return run(main)


def as_command(
    main: Callable[[Reactor, Terminal, Namespace], Work[int]],
) -> Callable[[Namespace], int]:
    """Return the ``run(args)`` of a command, which calls ``main`` like :func:`run_program`."""
    return lambda args: run_program(lambda reactor, terminal: main(reactor, terminal, args))
