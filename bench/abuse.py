"""How much slower the moves of honest players become while somebody abuses the server.

First come the dearest inputs of every parser (:mod:`bench.inputs`). Then each attack has a new
server with its default limits, and comes from one address and from eight. Four people play in two
rooms, alone and beside the attack, from another address than the attackers. Meanwhile a newcomer
registers from a third address. No process is pinned to a core; the attackers run only when no other
process needs the core. A row is printed as soon as it is known, and none is begun after ``--limit``
seconds.

The attacks, for each address: ``pages``, ``metrics``, ``queries``, and ``arguments``, four
connections that send GET requests without waiting for answers; ``handshakes``, TLS connections that
end with the first message; ``trickle``, 50 requests that arrive a byte per 0.4 seconds;
``websockets``, 2,500, which ignore the close frame; ``hang-ups`` and ``resets``, 101 addresses that
send REGISTER and disconnect before the answer; ``storm``, connections that end at once; and
``lists``, 95 connections that ask for 225 rooms 190 times per second each.
"""

from __future__ import annotations

import json
import math
import resource
import sqlite3
import subprocess
import tempfile
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench import inputs
from bench.attackers import KINDS
from bench.flood import ADDRESSES, HONEST, SLOWEST, attacking
from bench.generator import Burst, Generator
from bench.report import Rows, parser, ratio, read, run
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

PORTS = dict.fromkeys(("pages", "queries", "arguments", "trickle", "websockets"), "web")
PORTS |= {"metrics": "admin", "handshakes": "tls"}
"""The port of an attack, if that isn't the one of the rooms protocol."""

LASTING = ("trickle", "websockets", "hang-ups", "resets")
"""Attacks whose connections are counted after they have run for a while."""

MANY = ("hang-ups", "resets")
"""Attacks that always come from many addresses."""


class Round(NamedTuple):
    """The result of one attack.

    ``held`` are the files that the server has open for the attack. ``waited`` are the newcomer's
    seconds, infinite if there was no account.
    """

    alone: Burst
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
def attacked(kind: str, options: Namespace, folder: Path) -> Iterator[tuple[Server, int]]:
    """Start a server; yield it, and the port that this attack is for."""
    ports = {"web": free_port(), "admin": free_port()}
    listen = [text for name, n in ports.items() for text in (f"--{name}", _here(n))]
    if kind == "trickle":
        listen += ["--web-timeout", str(options.web_timeout)]
    if kind == "handshakes":
        ports["tls"], pem = free_port(), folder / "key.pem"
        made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
        made += ["-keyout", str(pem), "-out", str(folder / "cert.pem")]
        subprocess.run(["openssl", *made], check=True, capture_output=True)
        files = f"privateKey={pem}:certKey={folder / 'cert.pem'}"
        listen += ["--port", f"ssl:{ports['tls']}:interface=127.0.0.1:{files}"]
    rounds = options.bcrypt_rounds
    with tictac(
        "tictac", *listen, rounds=rounds, pin=False, database=folder / "users.db", limits=()
    ) as server:
        if kind == "websockets":
            resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (FILES, FILES))
        yield server, ports.get(PORTS.get(kind, ""), server.port)


def play_beside(kind: str, addresses: int, options: Namespace) -> Round:
    """Play alone, and beside an attack."""
    with (
        tempfile.TemporaryDirectory(prefix="tictac-bench-") as folder,
        attacked(kind, options, Path(folder)) as (server, port),
        Generator(server, ROOMS, think_ms=options.think_ms, pin=False) as generator,
    ):
        alone = generator.play(0.3, options.seconds)
        before = open_files(server)
        with attacking("bench.attackers", kind, port, addresses) as stop:
            beside = generator.play(0.1, options.seconds)
            if kind in LASTING:
                time.sleep(options.hold)
            held = open_files(server) - before
            waited = register(server)
            done = json.loads(stop())
        accounts = count_accounts(Path(folder, "users.db"))
    connects, answers = (done[what] / done["seconds"] for what in ("connects", "answers"))
    return Round(alone, beside, held, accounts, waited, connects, answers)


def _here(port: int) -> str:
    return f"tcp:{port}:interface=127.0.0.1"


def slower(rounds: Sequence[Round]) -> float:
    """Return the ratio of the p50 beside the attack to the p50 alone."""
    return ratio([r.beside.p50 for r in rounds], [r.alone.p50 for r in rounds])


def slowest(rounds: Sequence[Round]) -> float:
    """Return the p99 beside the attack, in milliseconds."""
    return median(r.beside.p99 for r in rounds) / 1000


def row(kind: str, addresses: int, rounds: Sequence[Round]) -> list[str]:
    """Return a row: medians, and the worst values of held, made and waited."""
    waited = max(r.waited for r in rounds)
    return [
        kind,
        str(addresses),
        f"{slower(rounds):.1f}",
        f"{ratio([r.beside.p99 for r in rounds], [r.alone.p99 for r in rounds]):.1f}",
        f"{median(r.alone.p50 for r in rounds) / 1000:.2f}",
        f"{slowest(rounds):.2f}",
        f"{max(r.beside.worst for r in rounds) / 1000:.0f}",
        f"{median(r.connects for r in rounds):.0f}",
        f"{median(r.answers for r in rounds):.0f}",
        f"{max(r.held for r in rounds)}",
        f"{max(r.accounts for r in rounds)}",
        "never" if waited == math.inf else f"{waited:.2f}",
    ]


HEADER = [
    *("attack", "addresses", "p50/idle p50", "p99/idle p99", "idle p50 ms", "p99 ms", "worst ms"),
    *("connects/s", "answers/s", "held", "accounts", "newcomer s"),
]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what inputs cost, attack in turns, and print a row for each attack."""
    made = parser(
        __doc__,
        rounds=(1, 1),
        seconds=(3.0, 1.0),
        hold=(4.0, 1.0),
        think_ms=(10.0, 10.0),
        bcrypt_rounds=(12, 6),
        web_timeout=(2.0, 1.0),
        limit=(300.0, 100.0),
    )
    made.add_argument("--only", choices=["inputs", *KINDS], help="one attack, or the inputs, alone")
    made.add_argument("--addresses", type=int, metavar="N", help="1 and 8")
    options = read(made, arguments)
    end = time.monotonic() + options.limit
    if options.only in (None, "inputs"):
        inputs.tell(3 if options.quick else 15, dearest=True)
        print()
    kinds = [options.only] if options.only else [*KINDS]
    wanted = [options.addresses] if options.addresses else ADDRESSES
    attacks = [
        (kind, number)
        for kind in kinds
        if kind in KINDS
        for number in ((101,) if kind in MANY else wanted)
    ]
    if not attacks:
        return
    rows = Rows(*HEADER, widths=[10])
    found: list[list[Round]] = []
    for number, (kind, addresses) in enumerate(attacks):
        if time.monotonic() > end:
            left = ", ".join(f"{kind} {addresses}" for kind, addresses in attacks[number:])
            print(f"not run after {options.limit:g} s: {left}")
            break
        found.append([play_beside(kind, addresses, options) for _ in range(options.rounds)])
        rows.add(*row(kind, addresses, found[-1]))
    HONEST.tell(max(map(slower, found)))
    SLOWEST.tell(max(map(slowest, found)))


if __name__ == "__main__":
    run(main)
