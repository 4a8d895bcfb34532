"""How much slower the slowest moves become while many logins arrive at once.

Some rooms play at a moderate pace, in turns without other load and while the server checks the
passwords of 50 logins, with tictac's default number of rounds. No process is pinned to a core:
the threads that check passwords compete for all cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from bench.generator import Burst, Generator
from bench.report import Reach, parser, ratio, read, run, table
from bench.servers import Server, tictac
from bench.wire import Wire

USUAL_ROUNDS = 12


def play_during_logins(
    server: Server, generator: Generator, logins: int, seconds: float
) -> tuple[Burst, float]:
    """Request all logins at once and play; also return the answered logins per second.

    Unanswered logins disconnect at the end, and their passwords leave the queue.
    """
    with ExitStack() as stack:
        wires = [stack.enter_context(Wire(server.port)) for _ in range(logins)]
        generator.begin(0.0, seconds)
        for wire in wires:
            wire.send("LOGIN:vic:pw")
        burst = generator.end()
        answered = [wire for wire in wires if wire.has_answer()]
        for wire in answered:
            wire.take("LOGIN:ACKSTATUS:0")
    with Wire(server.port) as last:
        last.expect("LOGIN:vic:pw", "LOGIN:ACKSTATUS:0")
    return burst, len(answered) / seconds


def main(arguments: Sequence[str] | None = None) -> None:
    """Play with and without logins in turns, and compare the slowest moves."""
    made = parser(
        __doc__,
        rooms=(10, 5),
        think_ms=(8.0, 4.0),
        logins=(50, 24),
        bcrypt_rounds=(USUAL_ROUNDS, 10),
        seconds=(2.0, 0.6),
        rounds=(5, 2),
    )
    options = read(made, arguments)
    idle: list[Burst] = []
    busy: list[Burst] = []
    rates: list[float] = []
    with (
        tictac("tictac", rounds=options.bcrypt_rounds, pin=False) as server,
        Generator(server, options.rooms, think_ms=options.think_ms, pin=False) as generator,
    ):
        for _ in range(options.rounds):
            idle.append(generator.play(0.1, options.seconds))
            burst, rate = play_during_logins(server, generator, options.logins, options.seconds)
            busy.append(burst)
            rates.append(rate)
    rows = [
        [
            f"{number + 1}",
            f"{b.p99 / a.p99:.2f}",
            f"{b.p50 / a.p50:.2f}",
            f"{a.p99:.0f}",
            f"{b.p99:.0f}",
            f"{b.rate / a.rate:.2f}",
            f"{rate:.1f}",
        ]
        for number, (a, b, rate) in enumerate(zip(idle, busy, rates, strict=True))
    ]
    header = [
        *("round", "p99/idle p99", "p50/idle p50", "idle p99 us", "p99 us"),
        *("moves/idle moves", "logins/s"),
    ]
    table(header, rows)
    p99 = ratio([burst.p99 for burst in busy], [burst.p99 for burst in idle])
    Reach("p99 of a move during logins, of the idle p99,", 2.0).tell(p99)


if __name__ == "__main__":
    run(main)
