"""Kill the active server in each round of a Swiss tournament and in an arena, and count losses.

Programs play through a balancer, and come back after each disconnect. In each round the active
server is killed, and its standby continues; in one PostgreSQL is away for 10 seconds. The clocks of
both servers are stepped in each round of the Swiss system; the arena ends at a time of day. At the
end, the benchmark compares the tournament with the archive. Each game is counted once, and has its
match. The standings, with all tie-breaks, are those that follow from the archive. Nobody sat at two
boards at a time, or lost a game by absence. Each program is back soon, at its board if it has one,
and the next round begins soon after the last end. Otherwise the exit status is 1.
"""

from __future__ import annotations

import asyncio
import json
import math
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.chaos import STEP, Balancer, Process
from bench.engines import Postgres
from bench.report import Reach, parser, percentile, read, run, table
from bench.servers import BenchError
from tictac.accounts.passwords import hash_password
from tictac.accounts.tables import Account, AccountTables
from tictac.archive.match import Match
from tictac.archive.tables import MatchTables
from tictac.plugins.tournament.cup import Cup
from tictac.plugins.tournament.cup_plan import load_plan, utc_text
from tictac.plugins.tournament.hosting.tables import KeptLine, TournamentTables
from tictac.plugins.tournament.standings import standings
from tictac.storage.databases import opened, prepare

ROOT = "root"
SWISS, ARENA = "swiss-cup", "arena-cup"

REST = 2.0
"""Seconds between two rounds."""

AWAY = 10.0
"""Seconds for which PostgreSQL is away."""

NEXT = 15.0
"""Seconds from the last end of a round until the next is paired."""

STUCK = 120.0
"""Seconds without a line, after which the run has failed."""


@dataclass
class Counts:
    """What the programs saw.

    ``back`` are the seconds from each lost connection to the login, or to the board in a game. They
    count from ``there``, a time since which the database answers.
    """

    lost: int = 0
    back: list[float] = field(default_factory=list)
    there: float = 0.0
    played: int = 0
    boards: list[str] = field(default_factory=list)
    """Players who were at two boards at a time."""


class Link:
    """A connection of the lobby protocol to the server. It ends with ConnectionError."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def open(cls, port: int) -> Link:
        """Connect."""
        link = cls(*await asyncio.open_connection("127.0.0.1", port, limit=1 << 20))
        link.send("hello")
        return link

    def send(self, do: str, **fields: Any) -> None:
        """Send a request."""
        self._writer.write(json.dumps({"do": do, **fields}).encode() + b"\n")

    async def read(self) -> dict[str, Any]:
        """Return the next message."""
        line = await self._reader.readline()
        if not line:
            raise ConnectionError("closed")
        return dict(json.loads(line))

    async def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        """Return the answer to a request."""
        self.send(do, id=do, **fields)
        while True:
            said = await self.read()
            if said.get("answer") == do:
                return said

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()


class Program:
    """A player, who plays at random over one connection after the other."""

    def __init__(self, name: str, ports: Sequence[int], counts: Counts) -> None:
        self.name = name
        self.lost_at: float | None = None
        self._ports, self._counts = ports, counts
        self._seats: dict[str, int] = {}
        self._playing: set[str] = set()

    async def play(self) -> None:
        """Play, whenever a server can be reached."""
        while True:
            try:
                link = await Link.open(random.choice(self._ports))
                try:
                    await self._play(link)
                finally:
                    link.close()
            except (OSError, ValueError):
                self._counts.lost += 1
                self.lost_at = self.lost_at or time.monotonic()
                await asyncio.sleep(random.uniform(STEP, 1))

    async def _play(self, link: Link) -> None:
        self._seats, self._playing = {}, set()
        link.send("login", id="login", user=self.name, password="pw")
        while True:
            said = await link.read()
            cards = [said.get("you"), *dict(said.get("tournaments") or {}).values()]
            answer = said.get("answer")
            is_back = answer == "login" or (answer == "join" and "error" not in said)
            for card in filter(None, cards):
                if card["state"] == "playing":
                    is_back = False
                    link.send("join", id="join", room=card["room"])
                elif card.get("paused"):
                    link.send("pause", tournament=ARENA, pause=False)
            if is_back:
                self._come_back()
            self._note(said)
            room = said.get("room", "")
            if said.get("moves") and said.get("turn") == self._seats.get(room):
                await asyncio.sleep(random.uniform(0, 0.2))
                link.send("move", room=room, move=random.choice(said["moves"]))

    def _come_back(self) -> None:
        if self.lost_at is not None and self.lost_at >= self._counts.there:
            self._counts.back.append(time.monotonic() - self.lost_at)
        self.lost_at = None

    def _note(self, said: dict[str, Any]) -> None:
        event, room = said.get("event"), said.get("room", "")
        if event == "room":
            self._seats[room] = said["seat"]
        if event == "began" or (event == "room" and said["begun"]):
            self._playing.add(room)
            if len(self._playing) > 1:
                self._counts.boards.append(f"{self.name}: {sorted(self._playing)}")
        elif event == "ended":
            self._counts.played += 1
            self._playing.discard(room)


class Run:
    """The tournaments, and the faults."""

    def __init__(self, servers: Sequence[Process], postgres: Postgres) -> None:
        self._servers, self._postgres = servers, postgres
        self._balancer = Balancer(servers)
        self.counts = Counts()
        self.programs: list[Program] = []
        self.kills = 0
        self._read: dict[str, int] = {}
        self._ended = 0.0
        self.waits: list[float] = []
        """Seconds from the last end of each round until the next was paired."""

    async def play(self, programs: int, rounds: int, seconds: float, outages: int) -> None:
        """Play a Swiss system of so many rounds, and an arena of so many seconds.

        PostgreSQL is away in the last ``outages`` rounds but one.
        """
        for server in self._servers:
            await server.engine.open()
            server.start()
        await self._balancer.open()
        await self._balancer.somebody_serves()
        ports = [self._balancer.port]
        names = [f"p{number:02}" for number in range(programs)]
        self.programs = [Program(name, ports, self.counts) for name in names]
        tasks = [asyncio.create_task(each.play()) for each in self.programs]
        try:
            await self._swiss(names, rounds, outages)
            await self._arena(names, seconds)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._balancer.close()
            for server in self._servers:
                server.engine.close()
            await asyncio.sleep(STEP)  # Give the tasks that relay data time to end.

    async def _make(self, tournament: str, names: Sequence[str], **plan: Any) -> None:
        clock = {"initial": 60, "increment": 2}
        told = {"name": tournament, "game": "nim", "clock": clock, "rest": REST, **plan}
        await self._act("tournament", tournament, plan=told)
        for name in names:
            await self._act("add", tournament, user=name)
        await self._act("begin", tournament)

    async def _act(self, act: str, tournament: str, **fields: Any) -> None:
        link = await Link.open(self._balancer.port)
        await link.ask("login", user=ROOT, password="pw")
        answer = await link.ask("admin", act=act, tournament=tournament, **fields)
        link.close()
        if "error" in answer:
            raise BenchError(f"{act} of {tournament}: {answer['message']}")

    async def _swiss(self, names: Sequence[str], rounds: int, outages: int) -> None:
        await self._make(SWISS, names, system="swiss", rounds=rounds, grace=60)
        for round_ in range(1, rounds + 1):
            await self._until(SWISS, lambda cup, of=round_: cup.round >= of)  # type: ignore[misc]
            await asyncio.sleep(random.uniform(0, 2))
            for server in self._servers:
                server.send(signal.SIGUSR2)
            if rounds - outages <= round_ < rounds:
                self.counts.there = math.inf
                self._postgres.signal_all(signal.SIGSTOP)
                await asyncio.sleep(AWAY)
                self._postgres.signal_all(signal.SIGCONT)
                self.counts.there = time.monotonic()
            await self._kill_active()
        await self._until(SWISS, lambda cup: cup.phase == "over")

    async def _arena(self, names: Sequence[str], seconds: float) -> None:
        await self._kill_active()  # Its clock was stepped.
        await self._make(ARENA, names, system="arena", ends=utc_text(time.time() + seconds))
        await asyncio.sleep(seconds / 3)
        await self._kill_active()
        await self._until(ARENA, lambda cup: cup.phase == "over")

    async def _kill_active(self) -> None:
        """Kill the active server, and start it again as the standby."""
        server = await self._balancer.somebody_serves()
        server.kill()
        self.kills += 1
        server.start()
        while self._balancer.active is server:
            await asyncio.sleep(STEP)
        await self._balancer.somebody_serves()

    async def _until(self, tournament: str, holds: Callable[[Cup], bool]) -> None:
        since = time.monotonic()
        while True:
            lines = await asyncio.to_thread(lines_of, self._postgres.url, tournament)
            now, last = time.monotonic(), self._read.get(tournament, 0)
            for each in lines[last:]:
                since = now
                # Both at once came while a fault was caused, and nobody looked.
                if each.line[0] == "paired" and tournament == SWISS and 0 < self._ended < now:
                    self.waits.append(now - self._ended)
                self._ended = now if each.line[0] == "ended" else 0.0
            self._read[tournament] = len(lines)
            if holds(folded(self._postgres.url, tournament, lines)):
                return
            if time.monotonic() - since > STUCK:
                raise BenchError(f"nothing goes on in {tournament}: {lines[-3:]}")
            await asyncio.sleep(0.5)


def lines_of(url: str, tournament: str) -> list[KeptLine]:
    """Return the lines of a tournament."""
    with opened(url) as database:
        return TournamentTables(database).read(tournament)


def folded(url: str, tournament: str, lines: Sequence[KeptLine]) -> Cup:
    """Return the tournament that they lead to."""
    with opened(url) as database:
        row = TournamentTables(database).get(tournament)
    assert row is not None
    return Cup(load_plan(json.loads(row.plan))).fold([each.line for each in lines])


def faults_of(cup: Cup, lines: Sequence[KeptLine], matches: dict[str, Match]) -> list[str]:
    """Return what the tournament and the archive don't agree on."""
    faults = []
    counted = Counter(each.line[1] for each in lines if each.line[0] == "ended")
    faults += [f"game {game} is counted {n} times" for game, n in counted.items() if n != 1]
    faults += [f"game {game} isn't counted" for game in cup.games.keys() - counted.keys()]
    played = dict[int, list[float]]()
    for game in cup.games.values():
        match = matches.pop(game.match, None) if game.match else None
        if match is None and game.how != "absent":
            faults.append(f"game {game.number} has no match")
        if match is not None:
            if tuple(player.name for player in match.players) != cup.names(game):
                faults.append(f"game {game.number} has another's match")
            seats = range(len(game.seats))
            drawn = match.winner is None
            played[game.number] = [0.5 if drawn else float(match.winner == seat) for seat in seats]
    archived = Cup(cup.plan).fold([
        [*each.line[:2], played.get(each.line[1], each.line[2]), *each.line[3:]]
        if each.line[0] == "ended" else each.line
        for each in lines
    ])  # fmt: skip
    faults += [
        f"the standings have {one}, and by the archive {other}"
        for one, other in zip(standings(cup), standings(archived), strict=True)
        if one != other
    ]
    return faults


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, check, and report."""
    sizes = {"programs": (30, 6), "rounds": (5, 2), "outages": (1, 1)}
    made = parser(__doc__, arena=(90.0, 30.0), **sizes)
    options = read(made, arguments)
    with tempfile.TemporaryDirectory(prefix="tictac-bench-") as top:
        folder = Path(top)
        with Postgres(folder) as postgres:
            prepare(postgres.url)
            with opened(postgres.url) as database:
                names = [ROOT, *(f"p{number:02}" for number in range(options.programs))]
                tables, hashed = AccountTables(database), hash_password(b"pw", 4)
                tables.add_many([Account(name, hashed, admin=name == ROOT) for name in names])
                tables.set_admin(ROOT, True)
            servers = [Process(number, folder, postgres, 30) for number in range(2)]
            going = Run(servers, postgres)
            try:
                asyncio.run(
                    going.play(options.programs, options.rounds, options.arena, options.outages)
                )
            finally:
                for server in servers:
                    server.kill()
            with opened(postgres.url) as database:
                matches = {match.id: match for match in MatchTables(database).all()}
                left = [
                    each
                    for name in (SWISS, ARENA)
                    for each in TournamentTables(database).outcomes(name)
                ]
            found = {name: lines_of(postgres.url, name) for name in (SWISS, ARENA)}
            cups = {name: folded(postgres.url, name, lines) for name, lines in found.items()}
    faults = [f"{name}: {fault}" for name in found
              for fault in faults_of(cups[name], found[name], matches)]  # fmt: skip
    faults += [f"an outcome is left: {each}" for each in left]
    faults += [f"a match of no game: {match}" for match in matches]
    faults += [f"at two boards: {each}" for each in going.counts.boards]
    waits = going.waits or [0.0]
    games = [game for cup in cups.values() for game in cup.games.values()]
    absent = sum(game.how == "absent" for game in games)
    away = [f"{each.name} isn't back" for each in going.programs if each.lost_at is not None]
    back = going.counts.back or [0.0]
    counts = [
        ("games counted", sum(len(cup.order) for cup in cups.values())),
        ("lost by absence", absent),
        ("counted otherwise than once, or than the archive has them", len(faults)),
        ("kills of the active server", going.kills),
        ("connections lost", going.counts.lost),
    ]
    rows = [[name, f"{count}", f"{count / max(1, len(games)):.1f}"] for name, count in counts]
    table(["what", "count", "of all games"], rows)
    for fault in (faults + away)[:10]:
        print(fault)
    Reach("programs that weren't back, or lost by absence,", 0).tell(len(away) + absent)
    Reach("seconds until a program is back, p99,", 6.0).tell(percentile(back, 0.99))
    print(f"at the worst {max(back):.2f} s, half of {len(back)} within {percentile(back, 0.5):.2f}")
    Reach("games that aren't counted once, as the archive has them,", 0).tell(len(faults))
    Reach("seconds until the next round", NEXT).tell(max(waits))
    print(f"half of {len(waits)} rounds began within {percentile(waits, 0.5):.1f} s")
    if faults:
        raise BenchError("the tournament and the archive differ")
    if away or absent:
        raise BenchError("programs weren't back in time")


if __name__ == "__main__":
    run(main)
