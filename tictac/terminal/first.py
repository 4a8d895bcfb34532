"""Waiting for whichever of several things comes first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

T = TypeVar("T")


def first_of(*starts: Callable[[], Deferred[Any]]) -> Deferred[Any]:
    """The result or failure of the first Deferred to fire; the others are cancelled before.

    ``starts`` are called in order. Those after one that has fired already aren't called at
    all, so nothing is taken from a queue in vain. (``defer.race`` waits for a success.)
    """
    started: list[Deferred[Any]] = []
    decided = False

    def decide(_: object = None) -> None:
        nonlocal decided
        decided = True
        for deferred in started:
            deferred.cancel()

    def fired(result: object | Failure) -> None:
        if not decided:
            decide()
            first.callback(result)

    first: Deferred[Any] = Deferred(decide)
    for start in starts:
        if not decided:
            started.append(start())
            started[-1].addBoth(fired)
    return first
