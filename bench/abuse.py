"""How much slower the moves of honest players become while somebody abuses the server.

Each attack and each round has a new server with its default limits. Four people play in two rooms:
alone, then while the attackers hit another server, then while they hit this one. The second case
shows the machine's cost of so many packets, whichever server gets them. The attackers have other
addresses than the players. Meanwhile a newcomer registers from a third address. No process is
pinned to a core; the attackers and the other server run only when no other process needs the core.

The attacks: ``pages`` and ``metrics``, four connections that send GET requests without waiting for
answers; ``trickle``, 50 requests that arrive a byte per 0.4 seconds; ``websockets``, 2,500 of one
address, which ignore the close frame; ``hang-ups`` and ``resets``, 101 addresses that send REGISTER
and disconnect before the answer; ``storm``, one address that connects and disconnects; and
``lists``, 95 connections of one address that ask for 225 rooms 190 times per second each.
"""

from __future__ import annotations

import json
import math
import resource
import sqlite3
import tempfile
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.attackers import KINDS, only_if_idle
from bench.flood import HONEST, attacking
from bench.generator import Burst, Generator
from bench.report import Reach, parser, ratio, read, run, table
from bench.servers import Server, tictac
from bench.wire import UnexpectedAnswerError, Wire
from tictac.plugins.check.target import free_port

ROOMS = 2

NEWCOMER = "127.0.0.200"
PATIENCE = 10.0
"""Seconds after which a newcomer gives up."""

FILES = 2_048
"""Maximum open files of the server under ``websockets``: systems grant different limits, and the
attackers always have enough sockets to reach this one.
"""

PORTS = {"pages": "web", "metrics": "admin", "trickle": "web", "websockets": "web"}
"""The port of an attack, if that isn't the one of the rooms protocol."""

OURS = Reach("the same, of their p99 while another server is attacked,", 1.5)

LISTS = Reach("p99 of honest players beside the lists, of their idle p99,", 2.0)

LASTING = ("trickle", "websockets", "hang-ups", "resets")
"""Attacks whose connections are counted after they have run for a while."""


class Round(NamedTuple):
    """The result of one attack; ``elsewhere`` is beside an attack on another server.

    ``held`` are the files that the server has open for the attack. ``waited`` are the newcomer's
    seconds, infinite if there was no account.
    """

    alone: Burst
    elsewhere: Burst
    beside: Burst
    held: int
    accounts: int
    waited: float
    connects: float
    answers: float


def register(server: Server) -> float:
    """Register an account; return the seconds it took."""
    begin = time.monotonic()
    try:
        with Wire(server.port, NEWCOMER, PATIENCE) as wire:
            wire.expect("REGISTER:newcomer:pw", "REGISTER:ACKSTATUS:0")
    except (OSError, UnexpectedAnswerError):
        return math.inf
    return time.monotonic() - begin


def open_files(server: Server) -> int:
    """Return the number of files that the server has open, including sockets."""
    return len(list(Path(f"/proc/{server.pid}/fd").iterdir()))


def count_accounts(database: Path) -> int:
    """Return the number of accounts that an attack has made."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        query = "SELECT count(*) FROM users WHERE name LIKE 'mob%'"
        count: int = connection.execute(query).fetchone()[0]
        return count


@contextmanager
def attacked(kind: str, options: Namespace, database: Path) -> Iterator[tuple[Server, int]]:
    """Start a server; yield it, and the port that this attack is for."""
    ports = {"web": free_port(), "admin": free_port()}
    listen = [text for name, n in ports.items() for text in (f"--{name}", _here(n))]
    if kind == "trickle":
        listen += ["--web-timeout", str(options.web_timeout)]
    rounds = options.bcrypt_rounds
    with tictac(
        "tictac", *listen, rounds=rounds, pin=False, database=database, limits=()
    ) as server:
        if kind == "websockets":
            resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (FILES, FILES))
        yield server, ports.get(PORTS.get(kind, ""), server.port)


def play_elsewhere(kind: str, options: Namespace, generator: Generator) -> Burst:
    """Play while attackers hit a server other than the players'."""
    with (
        tempfile.TemporaryDirectory(prefix="tictac-bench-") as folder,
        attacked(kind, options, Path(folder, "users.db")) as (other, port),
    ):
        for thread in Path(f"/proc/{other.pid}/task").iterdir():
            only_if_idle(int(thread.name))
        with attacking("bench.attackers", kind, port):
            return generator.play(0.1, options.seconds)


def play_beside(kind: str, options: Namespace) -> Round:
    """Play alone, beside an attack on another server, and beside one on this server."""
    with tempfile.TemporaryDirectory(prefix="tictac-bench-") as folder:
        database = Path(folder, "users.db")
        with (
            attacked(kind, options, database) as (server, port),
            Generator(server, ROOMS, think_ms=options.think_ms, pin=False) as generator,
        ):
            alone = generator.play(0.3, options.seconds)
            elsewhere = play_elsewhere(kind, options, generator)
            before = open_files(server)
            with attacking("bench.attackers", kind, port) as stop:
                beside = generator.play(0.1, options.seconds)
                if kind in LASTING:
                    time.sleep(options.hold)
                held = open_files(server) - before
                waited = register(server)
                done = json.loads(stop())
            accounts = count_accounts(database)
    connects, answers = (done[what] / done["seconds"] for what in ("connects", "answers"))
    return Round(alone, elsewhere, beside, held, accounts, waited, connects, answers)


def _here(port: int) -> str:
    return f"tcp:{port}:interface=127.0.0.1"


def slower(rounds: Sequence[Round]) -> float:
    """Return the ratio of the p99 beside the attack to the p99 alone."""
    return ratio([r.beside.p99 for r in rounds], [r.alone.p99 for r in rounds])


def slower_by_itself(rounds: Sequence[Round]) -> float:
    """Return the ratio of the p99 beside the attack to the p99 beside one on another server."""
    return ratio([r.beside.p99 for r in rounds], [r.elsewhere.p99 for r in rounds])


def row(kind: str, rounds: Sequence[Round]) -> list[str]:
    """Return a row: medians, and the worst values of held, made and waited."""
    waited = max(r.waited for r in rounds)
    return [
        kind,
        f"{slower(rounds):.1f}",
        f"{slower_by_itself(rounds):.1f}",
        f"{ratio([r.beside.p50 for r in rounds], [r.alone.p50 for r in rounds]):.1f}",
        f"{median(r.alone.p99 for r in rounds) / 1000:.2f}",
        f"{median(r.elsewhere.p99 for r in rounds) / 1000:.2f}",
        f"{median(r.beside.p99 for r in rounds) / 1000:.2f}",
        f"{max(r.beside.worst for r in rounds) / 1000:.0f}",
        f"{median(r.connects for r in rounds):.0f}",
        f"{median(r.answers for r in rounds):.0f}",
        f"{max(r.held for r in rounds)}",
        f"{max(r.accounts for r in rounds)}",
        "never" if waited == math.inf else f"{waited:.2f}",
    ]


HEADER = [
    *("attack", "p99/idle p99", "p99/elsewhere", "p50/idle p50"),
    *("idle p99 ms", "elsewhere ms", "p99 ms", "worst ms"),
    *("connects/s", "answers/s", "held", "accounts", "newcomer s"),
]


def main(arguments: Sequence[str] | None = None) -> None:
    """Attack in turns, and print one table."""
    made = parser(
        __doc__,
        rounds=(3, 1),
        seconds=(3.0, 1.0),
        hold=(6.0, 2.0),
        think_ms=(10.0, 10.0),
        bcrypt_rounds=(12, 12),
        web_timeout=(2.0, 1.0),
    )
    made.add_argument("--only", choices=KINDS, help="this attack alone")
    options = read(made, arguments)
    kinds = [options.only] if options.only else [*KINDS]
    found: dict[str, list[Round]] = {kind: [] for kind in kinds}
    for _ in range(options.rounds):
        for kind in kinds:
            found[kind].append(play_beside(kind, options))
    table(HEADER, [row(kind, rounds) for kind, rounds in found.items()])
    lists = found.pop("lists", [])
    if lists:
        LISTS.tell(slower(lists))
    if not found:
        return
    HONEST.tell(max(map(slower, found.values())))
    OURS.tell(max(map(slower_by_itself, found.values())))


if __name__ == "__main__":
    run(main)
