"""A queue of limited size, from which one caller at a time takes items."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from twisted.internet.defer import Deferred, fail, succeed

T = TypeVar("T")


class Inbox(Generic[T]):
    """Items in the order of arrival, until an error ends them.

    ``pause`` is called when ``most`` items wait, and ``resume`` when one of these is taken. So a
    fast sender is stopped and doesn't fill the memory.
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
        """Give ``item`` to the waiting caller, or keep it; after the end, drop it."""
        if self._error is not None:
            return
        asker, self._asker = self._asker, None
        if asker is not None:
            asker.callback(item)
            return
        self._items.append(item)
        if len(self._items) == self._most:
            self._pause()

    def put_back(self, item: T) -> None:
        """Make an item that was just taken the oldest again, while no caller waits."""
        self._items.appendleft(item)
        if len(self._items) == self._most:
            self._pause()

    def end(self, error: Exception) -> None:
        """End the queue for the reason ``error``; only the first call counts."""
        if self._error is not None:
            return
        self._error = error
        asker, self._asker = self._asker, None
        if asker is not None:
            asker.errback(error)

    def next(self) -> Deferred[T]:
        """Return the oldest item when there is one; fail with the error at the end.

        Cancelling the Deferred loses nothing. Raises RuntimeError while another caller waits.
        """
        if self._asker is not None:
            raise RuntimeError("another caller is waiting for the next item")
        if self._items:
            return self._take()
        if self._error is not None:
            return fail(self._error)
        self._asker = Deferred(self._forget)
        return self._asker

    def waits(self) -> bool:
        """Whether an item waits to be taken."""
        return bool(self._items)

    def _take(self) -> Deferred[T]:
        item = self._items.popleft()
        if len(self._items) == self._most - 1:
            self._resume()
        return succeed(item)

    def _forget(self, asker: Deferred[T]) -> None:
        self._asker = None
