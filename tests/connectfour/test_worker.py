"""What a thinking process does with a line, and real processes of the pool."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path
from random import Random

import pytest
from twisted.internet.defer import CancelledError
from twisted.internet.task import deferLater
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import ROOT, in_reactor, reactor
from tests.connectfour.helpers import moves
from tests.games.connectfour.test_rules import replay
from tictac.connectfour.thinking import Thinkers
from tictac.connectfour.worker import answer, ask, think
from tictac.games.connectfour.rules import Rules
from tictac.net.answering import LOWEST_PRIORITY

FOREVER = 1e6


class LinesTests(SynchronousTestCase):
    def test_a_question_is_answered(self) -> None:
        for rules, game, best in (
            (Rules(), "3 4 3 4 3 4", "3"),
            (Rules(9, 7, pops=False), "7 1 7 2 6 3 6", "4"),
            (Rules(), "5 7 4 6 3 -7 4 6 6 3 -4 1 -3 5 2 1 5 -6 3 -1 4 2", "-5"),
        ):
            question = ask(rules, replay(rules, game), 0)
            assert question.count(b"\n") == 1 and question.endswith(b"\n")
            found = answer(think(question, map(float, count()).__next__, Random(1)))
            assert found == moves(best)[0]

    def test_what_came_before_goes_along(self) -> None:
        # -6 would be a draw, which it avoids.
        rules = Rules(repetition=True)
        question = ask(rules, replay(rules, "1 2 -1 -2 7 6 -7"), 0)
        assert len(json.loads(question)["position"]["once"]) > 1
        assert answer(think(question, map(float, count()).__next__, Random(1))) != moves("-6")[0]

    def test_what_is_no_answer(self) -> None:
        for line in (b"", b"{", b"{}", b"[]", b'["DROP", "1"]', b'["drop", 1]', b"\xff"):
            with pytest.raises(ValueError):
                answer(line)


def start() -> subprocess.Popen[bytes]:
    """A process that thinks, by hand."""
    return subprocess.Popen(
        [sys.executable, "-m", "tictac.connectfour.worker"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


class ProcessTests(SynchronousTestCase):
    def test_it_ends_with_its_input_even_while_it_thinks(self) -> None:
        with start() as process:
            assert process.stdin is not None
            process.stdin.write(ask(Rules(), Rules().initial(), FOREVER))
            process.stdin.flush()
            process.stdin.close()
            assert process.wait(60) == 0

    def test_an_empty_line_cuts_thinking_short(self) -> None:
        with start() as process:
            out, _ = process.communicate(ask(Rules(), Rules().initial(), FOREVER) + b"\n", 60)
            assert answer(out) == moves("4")[0]


def children() -> set[int]:
    """The processes that this one has started."""
    return {int(pid) for pid in Path("/proc/self/task").joinpath(
        str(os.getpid()), "children").read_text().split()}  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@in_reactor
async def test_the_pool_with_real_processes() -> None:
    before = children()
    thinkers = Thinkers(reactor, 2)
    thinkers.start()
    rules, start = Rules(), Rules().initial()
    assert await thinkers.think(rules, start, 0) == moves("4")[0]
    mine = children() - before
    assert len(mine) == 2
    # Of lowest priority, once they run; and with nothing of ours open but three pipes.
    assert await thinkers.think(rules, start, 0.01) == moves("4")[0]
    assert LOWEST_PRIORITY in {os.getpriority(os.PRIO_PROCESS, pid) for pid in mine}
    for pid in mine:
        opened = [str(entry.readlink()) for entry in Path(f"/proc/{pid}/fd").iterdir()]
        assert not [name for name in opened if name.startswith("socket:")]
    # Both are killed at work: there are others, and the questions are answered.
    jobs = [thinkers.think(rules, start, 0.3, line) for line in range(2)]
    for pid in mine:
        os.kill(pid, signal.SIGKILL)
    assert [await job for job in jobs] == [moves("4")[0]] * 2
    # One that nobody waits for doesn't keep its process.
    endless = [thinkers.think(rules, start, FOREVER) for _ in range(2)]
    await deferLater(reactor, 0, lambda: None)
    for job in endless:
        job.addErrback(lambda failure: failure.trap(CancelledError) and None)
        job.cancel()
    assert await thinkers.think(rules, start, 0) == moves("4")[0]
    await thinkers.stop()
    assert children() == before
