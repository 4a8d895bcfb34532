"""Matches over days: what thousands of sleeping rooms cost a server, beside one without them.

The benchmark fills a database with matches of Reversi. Then it starts servers in turns: with all
matches asleep, with some of them kept awake, and with none. It compares memory, the start, and the
moves of live matches. In one process it times the sweep, the lists of rooms, and the rooms of one
account, which wake and sleep again. All programs share the machine.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from random import Random
from statistics import median

from twisted.internet.task import Clock

from bench.generator import Burst, Generator, build
from bench.report import Reach, parser, ratio, read, run, table
from bench.servers import tictac
from tictac.archive.room_journal import SqliteJournal
from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.journal import Batch, Opened
from tictac.lobby.outbox import Journaled, opened
from tictac.lobby.record import RecordLine, lines
from tictac.lobby.registry import Registry
from tictac.lobby.terms import terms_for
from tictac.storage.databases import prepare
from tictac.testing.server import Guest

NONE, ASLEEP, AWAKE = "none", "asleep", "awake"
KEPT = ("--journal", "sqlite", "--rejoin-timeout", "30", "--drain", "0")
NEVER_ASLEEP = "from tictac.lobby.sleeping import Sleepers; Sleepers.add = lambda *_: False"

PATTERNS, MOVES, EACH = 40, 30, 50
"""Different matches, the moves of each, and the matches of an account."""

IN_A_BATCH = 1000


class Knowing(Guest):
    """An occupant that can show any game."""

    supports_all_events = True


def patterns() -> list[tuple[Opened, list[RecordLine]]]:
    """Return random matches over three days for each move, as a journal has them."""
    rng, found = Random(3), []
    terms = terms_for(game_type_of("reversi"), {}, time=TimeControl.of_days(3))
    for _ in range(PATTERNS):
        clock = Clock()
        registry = Registry(0, clock.seconds, print, 30, rng=rng)
        registry.outbox.outlives = True
        players = [Knowing(registry, user) for user in ("alice", "bob")]
        registry.create(players[0], "den", terms)
        registry.join(players[1], "den", "PLAYER")
        room = registry.room("den")
        assert room is not None
        for _ in range(MOVES):
            clock.advance(rng.random() * 86_400)
            moves = list(room.game.moves(room.position))
            registry.place(players[room.turn], rng.choice(moves))
        found.append((opened(room), lines(room)))
    return found


def fill(path: Path, matches: int) -> None:
    """Write matches into a new database; the last turn of each has just begun."""
    prepare(str(path))
    clock = Clock()
    journal = SqliteJournal(path, clock.seconds, clock.callLater)
    journal.start()
    made, last = patterns(), 60 * 86_400.0
    for first in range(0, matches, IN_A_BATCH):
        batch = Batch()
        for number in range(first, min(first + IN_A_BATCH, matches)):
            start, record = made[number % PATTERNS]
            room_id, later = journal.new_id(), last - record[-1].at
            batch.opened[room_id] = start._replace(name=f"days {number}")
            users = number // EACH * 2, number // EACH * 2 + 1
            for event in record:
                text = event.text.replace('"alice"', f'"user-{users[0]}"')
                text = text.replace('"bob"', f'"user-{users[1]}"')
                batch.lines.append((room_id, event.number, event.at + later, text))
        journal.commit(batch, lambda refused: None)
    journal.stop()


class Started:
    """Measurements of servers that were started with a database in turns."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.resident: list[float] = []


def start(databases: dict[str, Path], rounds: int) -> dict[str, Started]:
    """Start each server several times; return the seconds until it listens, and its memory."""
    found = {name: Started() for name in databases}
    for _ in range(rounds):
        for name, path in databases.items():
            first = NEVER_ASLEEP if name == AWAKE else ""
            begun = time.monotonic()
            with tictac(name, *KEPT, database=path, first=first) as server:
                found[name].seconds.append(time.monotonic() - begun)
                found[name].resident.append(server.resident_bytes())
    return found


def play(
    databases: dict[str, Path], rooms: int, rounds: int, seconds: float
) -> dict[str, list[Burst]]:
    """Let live matches be played on servers with and without sleeping rooms, in turns."""
    bursts: dict[str, list[Burst]] = {name: [] for name in databases}
    with ExitStack() as stack:
        generators = {}
        for name, path in databases.items():
            server = stack.enter_context(tictac(name, *KEPT, pin=False, database=path))
            think_ms = rooms / 1.2
            generators[name] = stack.enter_context(
                Generator([server], rooms, 0, think_ms, pin=False)
            )
        for _ in range(rounds):
            for name, generator in generators.items():
                bursts[name].append(generator.play(seconds / 4, seconds))
    return bursts


def timed(function: Callable[[], object], times: int = 1) -> float:
    """Return the milliseconds of processor time that a call takes."""
    begun = time.process_time()
    for _ in range(times):
        function()
    return (time.process_time() - begun) * 1000 / times


def visit(registry: Registry, clock: Clock, names: Sequence[str]) -> None:
    """Come to rooms, and go."""
    for name in names:
        registry.join(guest := Knowing(registry, "user-0"), name, "PLAYER")
        registry.leave(guest)
    clock.advance(0)


def within(path: Path) -> dict[str, float]:
    """Return milliseconds of what a registry does with the rooms in a database."""
    clock = Clock()
    journal = SqliteJournal(path, clock.seconds, clock.callLater)
    outbox = partial(Journaled, journal, clock.callLater)
    registry = Registry(0, clock.seconds, print, 30, rng=Random(1), outbox=outbox)
    registry.start()
    for number in range(50):
        registry.create(Knowing(registry, f"waits {number}"), f"live {number}")
        clock.advance(0)
    names = list(registry.sleepers.of("user-0"))
    found = {
        "sweep": timed(partial(registry.expire, 600, 3600, 60), 200),
        "list": timed(registry.public_rooms, 200),
    }
    if names:
        found["wake"] = timed(partial(visit, registry, clock, names)) / len(names)
        begun = len(registry.sleepers)
        spent = timed(partial(registry.expire, 600, 3600, 60))
        found["lay down"] = spent / max(1, len(registry.sleepers) - begun)
    journal.stop()
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print tables."""
    made = parser(
        __doc__, matches=(20_000, 1000), awake=(1000, 200), rounds=(3, 1), seconds=(2.0, 0.5)
    )
    options = read(made, arguments)
    build()
    with tempfile.TemporaryDirectory(prefix="tictac-bench-") as folder:
        databases = {name: Path(folder, f"{name}.db") for name in (NONE, ASLEEP, AWAKE)}
        for name, count in ((NONE, 0), (ASLEEP, options.matches), (AWAKE, options.awake)):
            fill(databases[name], count)
        copies = {name: Path(folder, f"{name}-copy.db") for name in (NONE, ASLEEP)}
        for name, path in copies.items():
            shutil.copy(databases[name], path)
        started = start(databases, options.rounds)
        counts = {ASLEEP: options.matches, AWAKE: options.awake}
        each, later = {}, {}
        for name, count in counts.items():
            one, none = started[name], started[NONE]
            pairs = list(zip(one.resident, none.resident, strict=True))
            each[name] = median(here - there for here, there in pairs) / count
            times = zip(one.seconds, none.seconds, strict=True)
            later[name] = median(here - there for here, there in times)
        bursts = play(
            {name: databases[name] for name in copies}, 50, options.rounds * 3, options.seconds
        )
        inside = {name: within(path) for name, path in copies.items()}
    of_awake = {name: each[name] / each[AWAKE] for name in counts}
    rows = [
        [f"{counts[name]} {name}", f"{each[name]:.0f}", f"{of_awake[name]:.3f}",
         f"{later[name]:.2f}", f"{later[name] / counts[name] * 1e6:.0f}"]
        for name in counts
    ]  # fmt: skip
    table(["matches", "bytes each", "bytes/awake", "start + s", "us each"], rows)
    print()
    table(
        ["with", "sweep ms", "list ms", "p50 ms", "p99 ms"],
        [
            [
                name,
                *(f"{inside[name][what]:.4f}" for what in ("sweep", "list")),
                *(
                    f"{median(getattr(b, p) for b in bursts[name]) / 1000:.2f}"
                    for p in ("p50", "p99")
                ),
            ]
            for name in copies
        ],
    )
    inner = inside[ASLEEP]
    print(
        f"\na room wakes in {inner['wake']:.2f} ms, and falls asleep in {inner['lay down']:.2f} ms"
    )
    Reach("bytes of a sleeping match", 1500).tell(each[ASLEEP])
    Reach(f"s that a start takes more with {options.matches} matches", 3).tell(later[ASLEEP])
    more = inner["sweep"] - inside[NONE]["sweep"]
    Reach("ms that a sweep takes more", 0.1).tell(more)
    p99 = ratio([b.p99 for b in bursts[ASLEEP]], [b.p99 for b in bursts[NONE]])
    Reach("p99 of a live move, of that without sleeping matches,", 1.1).tell(p99)


if __name__ == "__main__":
    run(main)
