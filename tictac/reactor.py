"""The reactor that the program runs in, as types."""

from __future__ import annotations

from collections.abc import Coroutine
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
