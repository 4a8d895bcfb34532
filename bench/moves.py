"""Whole matches: processor time of the server for a request, and requests a second.

A match is CREATE, JOIN and nine PLACE; each viewer also joins, and gets every board. Our server,
the same with --no-eager-send, and the two floors play the same matches in turns of half a second,
the servers on one core and the clients on another. The second table has matches of the rooms and
the lobby protocol over TCP and over the page's WebSockets, all at one server. With --against, the
program of another checkout plays, too, such as a git worktree of an earlier commit.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from bench.generator import Burst, Generator, build
from bench.report import Reach, parser, ratio, read, run, table
from bench.servers import REPOSITORY, Server, floor, pin_to, tictac
from bench.tables import PagePlayer, Player, Tables, lobby_protocol, rooms_protocol
from tictac.plugins.check.target import free_port

OURS, NORMAL, BY_HAND, TWISTED = "tictac", "--no-eager-send", "selectors", "linereceiver"
OTHER = "other"
FLOORS = (BY_HAND, TWISTED)

CASES = [(50, 0), (250, 0), (2000, 0), (50, 10)]
QUICK_CASES = [(50, 0), (20, 10)]

WAYS = {
    "rooms, TCP": (rooms_protocol, Player),
    "rooms, WebSocket": (rooms_protocol, PagePlayer),
    "lobby, TCP": (lobby_protocol, Player),
    "lobby, WebSocket": (lobby_protocol, PagePlayer),
}

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


def compare_ways(checkouts: dict[str, Path], rooms: int, rounds: int, time: float) -> None:
    """Print the table of both protocols over TCP and WebSockets."""
    pin_to(1, 0)
    cpu: dict[tuple[str, str], list[float]] = {}
    with ExitStack() as stack:
        played = {}
        for name, checkout in checkouts.items():
            web = free_port()
            page = ("--web", f"tcp:{web}:interface=127.0.0.1")
            server = stack.enter_context(tictac(name, *page, checkout=checkout))
            for way, (protocol, player) in WAYS.items():
                port = web if player is PagePlayer else server.port
                matches = [protocol(player, port, number) for number in range(rooms)]
                played[name, way] = server, stack.enter_context(Tables(matches))
        for server, tables in played.values():
            tables.play(server, time / 4)
        for _ in range(rounds):
            for key, (server, tables) in played.items():
                cpu.setdefault(key, []).append(tables.play(server, time).cpu_a_move)
    first = "rooms, TCP"
    others = [name for name in checkouts if name != OURS]
    rows = [
        [
            way,
            f"{ratio(cpu[OURS, way], cpu[OURS, first]):.2f}",
            *(f"{ratio(cpu[OURS, way], cpu[name, way]):.2f}" for name in others),
            f"{median(cpu[OURS, way]):.1f}",
        ]
        for way in WAYS
    ]
    header = [f"{rooms} x 2", f"CPU/{first}", *(f"CPU/{name}" for name in others), "us a move"]
    table(header, rows)


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
    print()
    checkouts = {OURS: REPOSITORY, **({OTHER: options.against} if options.against else {})}
    compare_ways(checkouts, options.rooms or 50, options.rounds, options.seconds)


if __name__ == "__main__":
    run(main)
