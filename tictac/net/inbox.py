"""A queue of which somebody asks for one item at a time, and that holds only so many."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from twisted.internet.defer import Deferred, fail, succeed

T = TypeVar("T")


class Inbox(Generic[T]):
    """Items in the order of their coming, until an error ends them.

    ``pause`` is called when ``most`` items wait, ``resume`` when one of these is taken:
    whoever sends faster than anybody asks is stopped instead of filling the memory.
    """

    def __init__(
        self, pause: Callable[[], object], resume: Callable[[], object], most: int = 100
    ) -> None:
        self._pause = pause
        self._resume = resume
        self._most = most
        self._items: deque[T] = deque()
        self._asker: Deferred[T] | None = None
        self._error: Exception | None = None

    def put(self, item: T) -> None:
        """Give ``item`` to whoever is waiting, or keep it; after the end it is dropped."""
        if self._error is not None:
            return
        asker, self._asker = self._asker, None
        if asker is not None:
            asker.callback(item)
            return
        self._items.append(item)
        if len(self._items) == self._most:
            self._pause()

    def end(self, error: Exception) -> None:
        """Nothing more comes, and ``error`` says why; only the first time counts."""
        if self._error is not None:
            return
        self._error = error
        asker, self._asker = self._asker, None
        if asker is not None:
            asker.errback(error)

    def next(self) -> Deferred[T]:
        """The oldest item, when there is one; fails with the error at the end.

        Cancelling it loses nothing. Raises RuntimeError while somebody else is waiting.
        """
        if self._asker is not None:
            raise RuntimeError("somebody is waiting for the next item already")
        if self._items:
            return self._take()
        if self._error is not None:
            return fail(self._error)
        self._asker = Deferred(self._forget)
        return self._asker

    def waits(self) -> bool:
        """Whether an item waits to be asked for."""
        return bool(self._items)

    def _take(self) -> Deferred[T]:
        item = self._items.popleft()
        if len(self._items) == self._most - 1:
            self._resume()
        return succeed(item)

    def _forget(self, asker: Deferred[T]) -> None:
        self._asker = None
