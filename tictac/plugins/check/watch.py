"""`tictac check --watch`: check again at each save.

A program can write files while it is checked, such as a database. Therefore a file that changes
during a check begins no other one, unless the command of the program names it.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from tictac.plugins.check.exports import Run
from tictac.plugins.check.report import changes

LOOK = 0.5
"""Seconds between two looks at the files."""

MOST_FILES = 10_000
"""Maximum number of files that are watched."""

Files = dict[Path, int]
"""The times of the last changes of files, in nanoseconds."""


def files_of(folder: Path) -> Files:
    """Return the files of a folder and its subfolders, without hidden and compiled ones."""
    found: Files = {}
    for parent, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if each[0] != "." and each != "__pycache__"]
        for name in names:
            if len(found) < MOST_FILES and name[0] != ".":
                with suppress(OSError):
                    path = Path(parent, name)
                    found[path] = path.stat().st_mtime_ns
    return found


async def watch(
    clock: IReactorTime, folder: Path, command: str, check: Callable[[], Awaitable[Run]]
) -> None:
    """Check at each change of a file in ``folder``, and print which outcomes change."""
    outcomes = (await check()).outcomes
    seen = files_of(folder)
    while True:
        await deferLater(clock, LOOK)
        if files_of(folder) == seen:
            continue
        before = files_of(folder)
        run = await check()
        print(changes(outcomes, run.outcomes), end="", flush=True)
        outcomes, seen = run.outcomes, files_of(folder)
        for path, changed in before.items():
            if path.name in command:
                seen[path] = changed
