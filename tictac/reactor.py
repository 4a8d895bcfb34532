"""The reactor that the program runs in, as types, and how it starts processes of tictac."""

from __future__ import annotations

import os
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import TypeAlias, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import (
    IReactorCore,
    IReactorFDSet,
    IReactorProcess,
    IReactorTCP,
    IReactorThreads,
    IReactorTime,
)


class Reactor(
    IReactorCore, IReactorTime, IReactorThreads, IReactorFDSet, IReactorTCP, IReactorProcess
):
    """All interfaces of a Unix reactor. A function names the narrowest one that it needs."""


T = TypeVar("T")

Work: TypeAlias = Coroutine[Deferred[object], object, T]
"""A coroutine that waits for Deferreds."""


def module_command(name: str) -> tuple[list[str], dict[str, str]]:
    """Return the command line that runs a module as a process, and the environment.

    The process has the same tictac, and imports nothing from its working directory.
    """
    paths = [str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    return [sys.executable, "-P", "-m", name], environment
