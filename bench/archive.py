"""The archive: bytes of a match, a player's last twenty, and moves beside ends.

The benchmark saves the requested number of tic-tac-toe matches, with nine moves each, in an SQLite
file. Then another program makes moves over TCP, at a steady pace, in a registry like the server's:
alone, and while the given number of matches per second end, without and with the archive.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import socket
import tempfile
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from twisted.internet import reactor as _reactor
from twisted.internet.defer import Deferred
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.task import LoopingCall, deferLater

from bench.report import Reach, parser, percentile, read, run, table
from tictac.archive.packed import new_id, pack_room
from tictac.archive.pages import Filter
from tictac.archive.tables import MatchTables
from tictac.archive.write_behind import WriteBehind
from tictac.lobby.events import Event
from tictac.lobby.journal import Packed, PackedSeat
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.storage.sqlite import SqliteDatabase, SqliteStore

reactor: Any = _reactor

MOVES = ("1:1", "0:0", "1:0", "1:2", "2:0", "0:2", "0:1", "2:1", "2:2")
"""A drawn match, which is the longest."""

SHORT = ("1:1", "0:0", "1:0", "2:0", "1:2")
"""A match with a frequent end: the server couldn't handle as many long matches."""

BEGAN = 1_750_000_000.0
PLAYERS = 2000
PACE = 0.001
"""Seconds between two timed moves."""

ALONE, WITHOUT, WITH = "nothing", "ends, without the archive", "ends, with the archive"


class Player:
    """A player at a board, who ignores events."""

    supports_all_events = False
    whole_events = True
    user: str | None

    def __init__(self, registry: Registry, user: str) -> None:
        self.occupant_id = registry.new_occupant_id()
        self.user = user

    def receive(self, event: Event) -> None:
        """Ignore the event."""

    wait = release = close = lambda self: None


class Board:
    """A series of rooms in which two players play the same match."""

    def __init__(
        self, registry: Registry, name: str, users: tuple[str, str], moves: Sequence[str]
    ) -> None:
        self._moves = moves
        self._registry = registry
        self._name = name
        self._players = [Player(registry, user) for user in users]
        self._left: list[tuple[Player, str]] = []
        self.room: Room | None = None

    def move(self) -> None:
        """Make the next move; before the first move, start the match."""
        if not self._left:
            self._registry.create(self._players[0], self._name)
            self._registry.join(self._players[1], self._name, "PLAYER")
            self.room = self._registry.room(self._name)
            self._left = [(self._players[n % 2], move) for n, move in enumerate(self._moves)][::-1]
        self._registry.place(*self._left.pop())


def registry_at(times: Any) -> Registry:
    """Return a registry of rooms with this clock."""
    return Registry(0, times, print)


# Size of the archive


def some_matches(rng: Random, many: int) -> list[Packed]:
    """Return matches with a few seconds for each move."""
    now = 0.0

    def seconds() -> float:
        return now

    registry, packed = registry_at(seconds), list[Packed]()
    for number in range(many):
        board = Board(registry, f"room {number}", ("", ""), MOVES)
        for _ in MOVES:
            board.move()
            now += rng.uniform(0.5, 8)
        assert board.room is not None
        match = pack_room(board.room, BEGAN)
        assert match is not None
        packed.append(match)
    return packed


def fill(path: Path, many: int, rng: Random) -> tuple[float, float]:
    """Save ``many`` matches in a file; return bytes and processor microseconds per match."""
    kinds = some_matches(rng, 200)
    database = SqliteDatabase.open(path)
    before, spent = path.stat().st_size, 0.0
    for first in range(0, many, 500):
        batch = []
        for number in range(first, min(first + 500, many)):
            ended = BEGAN + number * 10
            match = rng.choice(kinds)
            users = [f"player{n}" for n in rng.sample(range(PLAYERS), 2)]
            content = match.content.replace('["",""]', f'["{users[0]}","{users[1]}"]')
            key = new_id(ended)
            seats = tuple([PackedSeat(user, key, seat, 1) for seat, user in enumerate(users)])
            batch.append(Packed(key, round(ended * 1000), *match[2:5], content, seats, False))
        begun = time.process_time()
        MatchTables(database).add(batch)
        spent += time.process_time() - begun
    database.close()
    return (path.stat().st_size - before) / many, spent / many * 1e6


def last_twenty(path: Path, rng: Random) -> float:
    """Return the milliseconds to load a player's last twenty matches."""
    database, times = SqliteDatabase.open(path), []
    for _ in range(200):
        begun = time.perf_counter()
        MatchTables(database).find(Filter(player=f"player{rng.randrange(PLAYERS)}"))
        times.append(time.perf_counter() - begun)
    database.close()
    return median(times) * 1000


# Moves beside ends


def ask(port: int, results: Connection) -> None:
    """Request moves in a separate process, until the server stops answering."""
    times = []
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(OSError):
            while True:
                begun = time.perf_counter()
                connection.sendall(b"m")
                if not connection.recv(1):
                    break
                times.append(time.perf_counter() - begun)
                time.sleep(PACE)
    results.send(times[len(times) // 4 :])


class Moves(Protocol):
    """A protocol that makes a move for each byte."""

    board: Board

    def dataReceived(self, data: bytes) -> None:
        self.board.move()
        assert self.transport is not None
        self.transport.write(b"a")


async def moves_beside(ends: int, seconds: float, behind: WriteBehind | None) -> tuple[float, int]:
    """Return the p99 of a move in milliseconds while matches end, and the number of these."""
    registry = registry_at(time.monotonic)
    registry.archivist = behind
    probe, made = Board(registry, "probe", ("ann", "ben"), MOVES), list[Moves]()

    def build(_: object) -> Moves:
        made.append(Moves())
        made[-1].board = probe
        return made[-1]

    factory = Factory()
    factory.buildProtocol = build  # type: ignore[assignment]
    port = reactor.listenTCP(0, factory, interface="127.0.0.1")
    ours, theirs = multiprocessing.Pipe()
    client = multiprocessing.get_context("spawn").Process(
        target=ask, args=(port.getHost().port, theirs)
    )
    client.start()
    boards = [Board(registry, f"room {n}", (f"a{n}", f"b{n}"), SHORT) for n in range(100)]
    ended = 0

    def end_some(times: int) -> None:
        nonlocal ended
        for _ in range(times * len(SHORT)):
            boards[ended // len(SHORT) % 100].move()
            ended += 1

    while not made:
        await deferLater(reactor, 0.01)
    loop = LoopingCall.withCount(lambda count: end_some(count * ends // 1000))
    if ends:
        loop.start(1 / 1000)
    await deferLater(reactor, seconds)
    if loop.running:
        loop.stop()
    made[0].transport.loseConnection()  # type: ignore[union-attr]
    await port.stopListening()
    while not ours.poll():
        await deferLater(reactor, 0.01)
    times = ours.recv()
    client.join()
    return percentile(times, 0.99) * 1000, ended // len(SHORT)


async def beside(options: Any, folder: Path) -> None:
    """Measure in turns, and print a table."""
    behind = WriteBehind(
        SqliteStore(folder / "ends.db", "matches", reactor), reactor, time.monotonic, 100_000
    )
    behind.start()
    figures: dict[str, list[tuple[float, int]]] = {ALONE: [], WITHOUT: [], WITH: []}
    for _ in range(options.rounds):
        for name, ends, kept in (
            (ALONE, 0, None),
            (WITHOUT, options.ends, None),
            (WITH, options.ends, behind),
        ):
            figures[name].append(await moves_beside(ends, options.seconds, kept))
    await behind.stop()
    assert behind.lost == 0
    idle = [p99 for p99, _ in figures[ALONE]]
    ratios = {
        name: median(p99 / alone for (p99, _), alone in zip(rounds, idle, strict=True))
        for name, rounds in figures.items()
    }
    rows = [
        [
            name,
            f"{ratios[name]:.2f}",
            f"{median(p99 for p99, _ in rounds):.2f}",
            f"{median(ended for _, ended in rounds) / options.seconds:.0f}",
        ]
        for name, rounds in figures.items()
    ]
    table(["meanwhile", "p99/idle", "p99 ms", "ends/s"], rows)
    text = f"p99 of a move while {options.ends} matches a second are archived, of the idle p99,"
    Reach(text, 1.5).tell(ratios[WITH])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run both measurements."""
    made = parser(
        __doc__, matches=(1_000_000, 20_000), rounds=(5, 2), seconds=(4.0, 1.0), ends=(2000, 2000)
    )
    options = read(made, arguments)
    rng = Random(1)
    with tempfile.TemporaryDirectory(prefix="tictac-bench-") as name:
        folder = Path(name)
        size, spent = fill(folder / "full.db", options.matches, rng)
        found = last_twenty(folder / "full.db", rng)
        failures = list[BaseException]()

        def stop(failure: Any) -> None:
            if failure is not None:
                failures.append(failure.value)
            reactor.stop()

        def start() -> None:
            gc.collect()  # The server does this, too.
            gc.freeze()
            Deferred.fromCoroutine(beside(options, folder)).addBoth(stop)

        reactor.callWhenRunning(start)
        reactor.run()
        for failure in failures:
            raise failure
        print(f"{options.matches} matches; {spent:.0f} us of processor time to add each")
        Reach("bytes of a match of tic-tac-toe in SQLite", 500).tell(size)
        Reach("ms until a player's last twenty are found", 5).tell(found)


if __name__ == "__main__":
    run(main)
