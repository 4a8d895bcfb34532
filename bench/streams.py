"""Connections of asyncio's servers, each in a task."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]


def in_tasks(serve: Serve) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]:
    """Return the callback of a server, which serves each connection in a task of its own.

    Python 3.11 makes such tasks, too, but writes an error to stderr if one is cancelled, as all
    are at the end.
    """
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    return connected
