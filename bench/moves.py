"""Whole matches: processor time of the server for a request, and requests a second.

A match is CREATE, JOIN and nine PLACE; each viewer also joins, and gets every board. Our server,
the same with --no-eager-send, and the two floors play the same matches in turns of half a second,
the servers on one core and the clients on another. With --against, the program of another checkout
plays, too, such as a git worktree of an earlier commit.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from bench.generator import Burst, Generator, build
from bench.report import Reach, parser, ratio, read, run, table
from bench.servers import Server, floor, tictac

OURS, NORMAL, BY_HAND, TWISTED = "tictac", "--no-eager-send", "selectors", "linereceiver"
OTHER = "other"
FLOORS = (BY_HAND, TWISTED)

CASES = [(50, 0), (250, 0), (2000, 0), (50, 10)]
QUICK_CASES = [(50, 0), (20, 10)]

Bursts = dict[str, list[Burst]]


def measure(
    servers: Sequence[Server], rooms: int, viewers: int, rounds: int, time: float
) -> Bursts:
    """Measure all servers in turns."""
    bursts: Bursts = {server.name: [] for server in servers}
    with ExitStack() as stack:
        # All generators log in at once; the loop waits for them afterwards.
        new = [
            Generator(server, rooms, viewers, rules=server.name not in FLOORS) for server in servers
        ]
        generators = [stack.enter_context(generator) for generator in new]
        for _ in range(rounds):
            for server, generator in zip(servers, generators, strict=True):
                bursts[server.name].append(generator.play(time / 4, time))
    return bursts


def row(name: str, case: str, bursts: Bursts, others: Sequence[str]) -> list[str]:
    """Return the row that compares one server with others."""
    cpu = {other: [burst.cpu_a_request for burst in bursts[other]] for other in bursts}
    rate = {other: [burst.rate for burst in bursts[other]] for other in bursts}
    ratios = [ratio(figures[name], figures[other]) for figures in (cpu, rate) for other in others]
    return [
        case,
        name,
        *(f"{figure:.2f}" for figure in ratios),
        f"{median(cpu[name]):.1f}",
        f"{median(rate[name]):.0f}",
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure all cases, and print one table of them."""
    made = parser(__doc__, rounds=(5, 3), seconds=(0.3, 0.2))
    made.add_argument("--rooms", type=int, metavar="N", help="only this many rooms")
    made.add_argument("--viewers", type=int, metavar="N", default=0, help="in each, with --rooms")
    made.add_argument("--against", type=Path, metavar="PATH", help="another checkout, to compare")
    options = read(made, arguments)
    cases = QUICK_CASES if options.quick else CASES
    if options.rooms:
        cases = [(options.rooms, options.viewers)]
    build()
    rows: list[list[str]] = []
    managers = [floor(BY_HAND), floor(TWISTED), tictac(OURS), tictac(NORMAL, "--no-eager-send")]
    if options.against:
        managers.append(tictac(OTHER, checkout=options.against))
    others = (*FLOORS, OTHER) if options.against else FLOORS
    shown = (OURS, NORMAL, *reversed(others))
    worst = dict.fromkeys(others, 0.0)
    with ExitStack() as stack:
        servers = [stack.enter_context(manager) for manager in managers]
        for rooms, viewers in cases:
            bursts = measure(servers, rooms, viewers, options.rounds, options.seconds)
            case = f"{rooms} x {2 + viewers}"
            rows += [row(name, case, bursts, others) for name in shown]
            cpu = {name: [burst.cpu_a_request for burst in bursts[name]] for name in bursts}
            for name, before in worst.items():
                worst[name] = max(before, ratio(cpu[OURS], cpu[name]))
    header = ["rooms", "server", *(f"CPU/{name}" for name in others)]
    header += [*(f"rate/{name}" for name in others), "us a request", "requests/s"]
    table(header, rows)
    Reach("CPU a request, of the selectors floor's,", 1.5).tell(worst[BY_HAND])
    Reach("CPU a request, of the LineReceiver floor's,", 1.0).tell(worst[TWISTED])
    if options.against:
        Reach("CPU a request, of the other checkout's,", 1.03).tell(worst[OTHER])


if __name__ == "__main__":
    run(main)
