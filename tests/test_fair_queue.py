"""The queue whose lines take turns."""

from __future__ import annotations

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tictac.fair_queue import FairQueue


class FairQueueTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.queue: FairQueue[int, str] = FairQueue()

    def fill(self, **lines: list[int]) -> None:
        for line, keys in lines.items():
            for key in keys:
                self.queue.add(line, key, f"job {key}")

    def take_all(self) -> list[int]:
        keys = []
        while self.queue:
            key, job = self.queue.next()
            assert job == f"job {key}"
            keys.append(key)
        return keys

    def test_a_line_is_first_come_first_served(self) -> None:
        self.fill(one=[3, 1, 2])
        assert self.take_all() == [3, 1, 2]

    def test_lines_take_turns(self) -> None:
        self.fill(greedy=[1, 2, 3, 4], modest=[10], quiet=[20, 21])
        assert self.take_all() == [1, 10, 20, 2, 21, 3, 4]

    def test_who_comes_back_waits_for_the_others(self) -> None:
        self.fill(one=[1], two=[10, 11])
        assert self.queue.next()[0] == 1
        self.fill(one=[2])
        assert self.take_all() == [10, 2, 11]

    def test_a_job_can_be_taken_out(self) -> None:
        self.fill(one=[1, 2], two=[10])
        self.queue.remove("one", 1)
        self.queue.remove("two", 10)
        self.queue.remove("two", 10)
        self.queue.remove("nobody", 1)
        assert len(self.queue) == 1
        assert self.take_all() == [2]

    def test_it_can_be_emptied(self) -> None:
        self.fill(one=[1, 2], two=[10])
        assert (len(self.queue), self.queue.clear()) == (3, [1, 2, 10])
        assert not self.queue and len(self.queue) == 0
        with pytest.raises(KeyError):
            self.queue.next()
