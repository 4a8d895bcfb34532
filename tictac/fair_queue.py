"""A queue in which no line of jobs blocks the others."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class FairQueue(Generic[K, V]):
    """Jobs in lines: each line is first come, first served, and the lines take turns.

    A job has a key, by which it can be removed. ``len()`` counts the jobs.
    """

    def __init__(self) -> None:
        self._lines: OrderedDict[Hashable, OrderedDict[K, V]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def __bool__(self) -> bool:
        return bool(self._lines)

    def waiting(self, line: Hashable) -> int:
        """Return the number of jobs in a line."""
        return len(self._lines.get(line, ()))

    def add(self, line: Hashable, key: K, job: V) -> None:
        """Add a job to the end of its line."""
        self._lines.setdefault(line, OrderedDict())[key] = job

    def remove(self, line: Hashable, key: K) -> None:
        """Remove a job, if the queue has it."""
        jobs = self._lines.get(line, OrderedDict())
        jobs.pop(key, None)
        if not jobs:
            self._lines.pop(line, None)

    def next(self) -> tuple[K, V]:
        """Remove and return the next line's first job. Raises KeyError if the queue is empty."""
        line, jobs = self._lines.popitem(last=False)
        job = jobs.popitem(last=False)
        if jobs:
            self._lines[line] = jobs
        return job

    def clear(self) -> list[K]:
        """Remove all jobs; return their keys."""
        keys = [key for jobs in self._lines.values() for key in jobs]
        self._lines.clear()
        return keys
