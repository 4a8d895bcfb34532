"""What a thinking process does with a line, and real processes of the pool."""

from __future__ import annotations

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
from tests.archive.helpers import match, moved
from tests.helpers import needs_linux
from tictac.analysis import load
from tictac.engines.pool import EnginePool
from tictac.engines.worker import LOWEST_PRIORITY, AnalysisJob, Question, answer, line_of, think
from tictac.errors import IllegalMove
from tictac.game import Value
from tictac.games.all import GAMES, game_type_of

FOREVER = 1e6


def ask(name: str, text: str = "", seconds: float = 0, **options: Value) -> Question:
    """Return a question at the highest level, after these moves."""
    asked = game_type_of(name)
    game = asked.game(options)
    position = game.start(2, Random(1))
    for move in text.split():
        position = game.play(position, move.replace("-", "pop "), Random(1)).position
    return Question(name, options, game.dump(position), asked.levels[-1], seconds)


def think_about(question: Question) -> str:
    """Return the answer, by a clock that advances each time the engine reads it."""
    return answer(think(line_of(question), lambda: False, map(float, count()).__next__, Random(1)))


class LinesTests(SynchronousTestCase):
    def test_a_question_is_a_line(self) -> None:
        line = line_of(ask("connectfour"))
        assert line.count(b"\n") == 1 and line.endswith(b"\n")

    def test_a_question_is_answered(self) -> None:
        game = "5 7 4 6 3 -7 4 6 6 3 -4 1 -3 5 2 1 5 -6 3 -1 4 2"
        for question, best in (
            (ask("connectfour", "3 4 3 4 3 4"), "3"),
            (ask("connectfour", "7 1 7 2 6 3 6", columns=9, rows=7, pops=False), "4"),
            (ask("connectfour", game, pops=True), "pop 5"),
            (ask("tictactoe", "1:1 0:0 1:0"), "1:2"),
        ):
            assert think_about(question) == best

    def test_every_game_is_known(self) -> None:
        for name, asked in GAMES.items():
            game = asked.game()
            start = game.start(asked.seats[0], Random(1))
            for level in asked.levels:
                move = think_about(Question(name, {}, game.dump(start), level, 0))
                assert move in game.moves(start)

    def test_what_came_before_goes_along(self) -> None:
        # -6 would be a draw, which it avoids.
        assert think_about(ask("connectfour", "1 2 -1 -2 7 6 -7", pops=True)) != "pop 6"

    def test_a_match_is_judged(self) -> None:
        case = AnalysisJob("tictactoe", {}, 2, "0" * 9, ["1:1", "1:0", "0:0"], 1.0)
        judged = load(answer(think(line_of(case), lambda: False, lambda: 0.0, Random(1))))
        assert judged == case.judge(lambda: 0.0)
        assert judged is not None
        assert [move.verdict for move in judged.moves] == ["best", "blunder", "best"]
        given_up = load(answer(think(line_of(case), lambda: True, lambda: 0.0, Random(1))))
        assert given_up is not None and given_up.moves == ()

    def test_a_match_by_unknown_rules_is_no_fault(self) -> None:
        known = AnalysisJob("tictactoe", {}, 2, "0" * 9, ["1:1"], 1.0)
        for case in (
            known._replace(game="chess"),
            known._replace(options={"size": 3}),
            known._replace(start="?"),
            known._replace(moves=["9:9"]),
        ):
            assert answer(think(line_of(case), lambda: False, lambda: 0.0, Random(1))) == ""

    def test_a_long_match_is_judged_in_a_minute(self) -> None:
        events = tuple([moved(float(n), n % 2, "1") for n in range(600)])
        long = match("m1")._replace(events=(*events, match("m1").events[-1]))
        assert AnalysisJob.of(long).seconds == 60
        assert AnalysisJob.of(match("m1")).seconds == len(AnalysisJob.of(match("m1")).moves) == 5

    def test_when_nobody_waits_it_comes_to_an_end(self) -> None:
        question = ask("connectfour", seconds=FOREVER)
        hurried = answer(think(line_of(question), lambda: True, lambda: 0.0, Random(1)))
        assert hurried == "4"

    def test_what_is_no_answer(self) -> None:
        for line in (b"", b"{", b"{}", b"[]", b'["DROP", 1]', b"3", b"\xff"):
            with pytest.raises(ValueError):
                answer(line)

    def test_when_the_game_is_over_there_is_nothing_to_choose(self) -> None:
        with pytest.raises(IllegalMove):
            think_about(ask("connectfour", "1 2 1 2 1 2 1"))


def start() -> subprocess.Popen[bytes]:
    """Start an engine process by hand."""
    return subprocess.Popen(
        [sys.executable, "-m", "tictac.engines.worker"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


class ProcessTests(SynchronousTestCase):
    def test_it_ends_with_its_input_even_while_it_thinks(self) -> None:
        with start() as process:
            assert process.stdin is not None
            process.stdin.write(line_of(ask("connectfour", seconds=FOREVER)))
            process.stdin.flush()
            process.stdin.close()
            assert process.wait(60) == 0

    def test_an_empty_line_cuts_thinking_short(self) -> None:
        with start() as process:
            out, _ = process.communicate(line_of(ask("connectfour", seconds=FOREVER)) + b"\n", 60)
            assert answer(out) == "4"


def children() -> set[int]:
    """Return the ids of the processes that this process has started."""
    return {int(pid) for pid in Path("/proc/self/task").joinpath(
        str(os.getpid()), "children").read_text().split()}  # fmt: skip


@needs_linux
@in_reactor
async def test_the_pool_with_real_processes() -> None:
    before = children()
    engines = EnginePool(reactor, 2)
    engines.start()
    assert await engines.think(ask("connectfour", seconds=0)) == "4"
    mine = children() - before
    assert len(mine) == 2
    # Of lowest priority, once they run; and with nothing of ours open but three pipes.
    assert await engines.think(ask("connectfour", seconds=0.01)) == "4"
    assert LOWEST_PRIORITY in {os.getpriority(os.PRIO_PROCESS, pid) for pid in mine}
    for pid in mine:
        opened = [str(entry.readlink()) for entry in Path(f"/proc/{pid}/fd").iterdir()]
        assert not [name for name in opened if name.startswith("socket:")]
    # Both are killed at work: there are others, and the questions are answered.
    jobs = [engines.think(ask("connectfour", seconds=0.3), line) for line in range(2)]
    for pid in mine:
        os.kill(pid, signal.SIGKILL)
    assert [await job for job in jobs] == ["4"] * 2
    # One that nobody waits for doesn't keep its process.
    endless = [engines.think(ask("connectfour", seconds=FOREVER)) for _ in range(2)]
    await deferLater(reactor, 0, lambda: None)
    for job in endless:
        job.addErrback(lambda failure: failure.trap(CancelledError) and None)
        job.cancel()
    assert await engines.think(ask("connectfour", seconds=0)) == "4"
    await engines.stop()
    assert children() == before
