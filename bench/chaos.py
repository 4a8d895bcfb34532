"""Kill and stop two servers and PostgreSQL while matches run, and count what is lost.

One server is active, and the other one is its standby. Pairs of players play match after match
through a balancer, and rejoin after each disconnect. Once PostgreSQL comes back in an older state
than the players saw. At the end, the benchmark compares the messages to the players with the
committed data. The record has each acknowledged move exactly once; no connected player missed a
move; each match has an end; only the two players had a seat; and the archive has each finished
match once, with its players, moves and result. After each fault, every player must get a seat back,
and receive further moves or the end. Otherwise the exit status is 1. The silence at a fault is that
of each player, from the last event before the fault to the first one after it.

Both servers' clocks are stepped, too: the programs read a shifted time. PostgreSQL's clock isn't
stepped: only root could set it, for all programs of the machine.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from bench.archived import Copy, Findings, check_archive, read_copy
from bench.engines import Postgres
from bench.record import Verdict, check, keep_history
from bench.report import Reach, parser, percentile, read, run, table
from bench.servers import REPOSITORY, BenchError, tictac_command
from bench.streams import in_tasks
from bench.survivors import Counts, Line, Notes, Pair, Presence, absent, cut_some, intrude
from tictac.plugins.check.target import free_port

STEP = 0.1

STEPS = (
    "import random, signal, time; _shift, _real = [0.0], time.time;"
    " time.time = lambda: _real() + _shift[0];"
    " signal.signal(signal.SIGUSR2, lambda *_: _shift.insert(0, random.uniform(-4000, 4000)))"
)
"""Statements with which SIGUSR2 steps the clock of a server by up to an hour, to either side."""

SETTLED = 3.0
"""Seconds until most players are back after a halt, and the last events of a run committed."""

BACK = 10.0
"""Seconds after a fault; in the last half of them each player must receive events of a match."""

AWAY = 5.0
"""Seconds after which a server closes waiting players' connections (``--engine-timeout``)."""

LOST = 75
"""The exit status of a server whose turn another one has taken (tictac.net.service)."""

STUCK = 60.0
"""Seconds without a move, after which the run has failed."""


class Relay:
    """A proxy between a server and PostgreSQL, which can fail in all ways."""

    def __init__(self, to: int) -> None:
        self.port = free_port()
        self._to = to
        self._delay = 0.0
        self._hangs = self._refuses = False
        self._transports: set[asyncio.WriteTransport] = set()

    async def open(self) -> None:
        """Listen for connections."""
        self._server = await asyncio.start_server(in_tasks(self._connected), "127.0.0.1", self.port)

    def close(self) -> None:
        """Stop listening, and end all connections."""
        self._server.close()
        self._cut()

    async def disturb(self, fault: str, length: float) -> None:
        """Cut and refuse connections, let them hang, or delay them, for ``length`` s."""
        self._refuses, self._hangs = fault == "cut network", fault == "hang network"
        self._delay = random.uniform(0.01, 0.1) if fault == "slow network" else 0.0
        if self._refuses:
            self._cut()
        await asyncio.sleep(length)
        # The delayed data may get lost, or arrive.
        if self._hangs and random.random() < 0.5:
            self._cut()
        self._refuses = self._hangs = False
        self._delay = 0.0

    def _cut(self) -> None:
        for transport in self._transports:
            transport.abort()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if self._refuses:
                raise OSError("refused")
            there, back = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:
            writer.transport.abort()
            return
        ways = (self._pass_on(reader, back), self._pass_on(there, writer))
        await asyncio.gather(*ways)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._transports.add(writer.transport)
        try:
            while data := await reader.read(65536):
                await asyncio.sleep(self._delay)
                while self._hangs:
                    await asyncio.sleep(STEP)
                writer.write(data)
        except OSError:
            pass
        writer.transport.abort()
        self._transports.discard(writer.transport)


class Process:
    """A server that can be killed and restarted."""

    def __init__(self, number: int, folder: Path, postgres: Postgres, held: float) -> None:
        self.port, self.admin = free_port(), free_port()
        self.engine = Relay(postgres.port)
        self._log = folder / f"server{number}.log"
        options = ["--admin", f"tcp:{self.admin}:interface=127.0.0.1"]
        options += ["--rejoin-timeout", f"{held:g}"] if held else []
        url = postgres.at_port(self.engine.port)
        options += ["--journal", "postgres"]
        self._command = tictac_command(self.port, url, 4, *options, first=STEPS)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process, and don't wait."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, cwd=REPOSITORY, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def start_again(self) -> None:
        """Start the process again if it has lost its turn, as systemd does."""
        if self._process is None or self._process.poll() is None:
            return
        if self._process.returncode not in (LOST, 0):
            raise BenchError(f"a server ended badly: {self._log.read_text()[-2000:]}")
        self.start()

    async def terminate(self) -> None:
        """Stop the process in order, and start it again."""
        assert self._process is not None
        self._process.terminate()
        while self._process.poll() is None:
            await asyncio.sleep(STEP)
        self.start_again()

    def kill(self) -> None:
        """Kill the process, as a crash does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process."""
        assert self._process is not None
        if self._process.poll() is None:
            self._process.send_signal(number)


class Balancer:
    """What HAProxy does with deploy/haproxy.cfg: it finds the server that serves."""

    EVERY = 0.2
    FAILS = 3

    def __init__(self, servers: Sequence[Process]) -> None:
        self.port = free_port()
        settings = (REPOSITORY / "deploy" / "haproxy.cfg").read_text("utf-8")
        self._check = settings.partition("option httpchk ")[2].partition("\n")[0]
        self.active: Process | None = None
        self._servers = servers
        self._fails = dict.fromkeys(servers, 0)
        self._open: dict[Process, set[asyncio.WriteTransport]] = {each: set() for each in servers}

    async def open(self) -> None:
        """Listen for players, and begin to look for the active server."""
        self._listening = await asyncio.start_server(
            in_tasks(self._connected), "127.0.0.1", self.port
        )
        self._looking = [asyncio.create_task(self._look(each)) for each in self._servers]

    def close(self) -> None:
        """End all connections."""
        self._listening.close()
        for task in self._looking:
            task.cancel()
        for server in self._servers:
            self._cut(server)

    async def somebody_serves(self) -> Process:
        """Return the active server, after there is one; servers that have ended start again."""
        while self.active is None:
            for server in self._servers:
                server.start_again()
            await asyncio.sleep(STEP)
        return self.active

    async def _look(self, server: Process) -> None:
        while True:
            if await self._answers(server):
                self._fails[server], self.active = 0, server
            else:
                self._fails[server] += 1
                if self._fails[server] == self.FAILS:
                    self._cut(server)
                if self.active is server and self._fails[server] >= self.FAILS:
                    self.active = None
            await asyncio.sleep(self.EVERY)

    async def _answers(self, server: Process) -> bool:
        writer = None
        try:
            async with asyncio.timeout(1):
                reader, writer = await asyncio.open_connection("127.0.0.1", server.admin)
                writer.write(f"{self._check} HTTP/1.0\r\n\r\n".encode())
                return b" 200 " in await reader.readline()
        except (OSError, TimeoutError):
            return False
        finally:
            if writer is not None:
                writer.transport.abort()

    def _cut(self, server: Process) -> None:
        for transport in self._open[server]:
            transport.abort()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server = self.active
        try:
            if server is None:
                raise OSError("nobody serves")
            there, back = await asyncio.open_connection("127.0.0.1", server.port)
        except OSError:
            writer.transport.abort()
            return
        ways = (self._pass_on(server, reader, back), self._pass_on(server, there, writer))
        await asyncio.gather(*ways)

    async def _pass_on(
        self, server: Process, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._open[server].add(writer.transport)
        try:
            while data := await reader.read(65536):
                writer.write(data)
        except OSError:
            pass
        writer.transport.abort()
        self._open[server].discard(writer.transport)


@dataclass
class Plan:
    """The number of faults, and the end of the run."""

    kills: int
    terminations: int
    stops: int
    standbys: int
    both: int
    engine_kills: int
    engine_stops: int
    longest: float
    older: int
    clocks: int
    networks: int
    outages: int
    moves: int
    every: float

    def faults(self) -> list[str]:
        """Return all faults in random order; only the copy for an older database comes first."""
        rest = ["kill"] * self.kills + ["terminate"] * self.terminations + ["stop"] * self.stops
        rest += ["kill standby"] * self.standbys + ["kill both"] * self.both
        rest += ["kill engine"] * self.engine_kills + ["stop engine"] * self.engine_stops
        rest += ["older"] * self.older + ["outage"] * self.outages
        rest += ["step clocks"] * self.clocks
        rest += random.choices(["cut network", "hang network", "slow network"], k=self.networks)
        random.shuffle(rest)
        return ["copy", *rest] if self.older else rest


class Run:
    """One run: the load, and the faults."""

    def __init__(
        self, plan: Plan, servers: Sequence[Process], postgres: Postgres, held: float
    ) -> None:
        self.counts = Counts()
        self.notes: list[Notes] = []
        self.former = Copy([], [])
        self.balancer = Balancer(servers)
        self._plan = plan
        self._servers = servers
        self._postgres = postgres
        self._cuts = held > 0
        self._presences: list[Presence] = []
        self._killed = False

    def moves(self) -> int:
        """Return the number of acknowledged moves."""
        return sum(note.moves for note in self.notes)

    def enough(self) -> bool:
        """Return whether no further match must begin."""
        return self._killed and self.moves() >= self._plan.moves

    async def play(self, pairs: int) -> None:
        """Play until all planned faults have happened, and there were enough moves."""
        ports = [self.balancer.port]
        for server in self._servers:
            await server.engine.open()
            server.start()
        await self.balancer.open()
        await self.balancer.somebody_serves()
        keep_history(self._postgres.url)
        playing = [Pair(number, ports, self.counts) for number in range(pairs)]
        users = [user for pair in playing for user in pair.users]
        await self._register([*users, "eve"])
        players = [player for pair in playing for player in pair.players]
        self._presences = [player.presence for player in players]
        others = [
            asyncio.create_task(self._kill()),
            asyncio.create_task(intrude(ports, self.counts, self.notes, self.enough)),
        ]
        if self._cuts:  # a player who is cut off loses otherwise
            others += [asyncio.create_task(cut_some(players, self.enough, self._plan.every))]
        work = [pair.run(self.notes, self.enough) for pair in playing]
        done = asyncio.gather(*work, *others)
        watching = asyncio.create_task(self._watch())
        both: list[asyncio.Future[Any]] = [done, watching]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        watching.cancel()
        if not done.done():
            stuck = [note for note in self.notes if note.done < len(note.users)]
            raise BenchError(f"nothing goes on any more: {stuck}")
        await done
        await asyncio.sleep(SETTLED)
        self.balancer.close()
        for server in self._servers:
            server.engine.close()
        await asyncio.sleep(STEP)  # Give the tasks that relay data time to end.

    async def _watch(self) -> None:
        """Return when no move was made for STUCK seconds."""
        before = -1
        while before != (before := self.moves()):
            await asyncio.sleep(STUCK)

    async def _register(self, users: Sequence[str]) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.balancer.port)
        line = Line(reader, writer)
        for user in users:
            if await line.ask(f"REGISTER:{user}:pw") != "REGISTER:ACKSTATUS:0":
                raise BenchError(f"{user} couldn't register")
        line.close()

    async def _kill(self) -> None:
        for fault in self._plan.faults():
            await asyncio.sleep(self._plan.every * random.uniform(0.5, 1.5))
            active = await self.balancer.somebody_serves()
            for presence in self._presences:
                presence.silence = 0.0
            began = time.monotonic()
            is_there = await self._do(fault, active)
            await self._judge(f"{fault} ({time.monotonic() - began:.1f} s)")
            if is_there:
                now = time.monotonic()
                silences = self.counts.silences.setdefault(fault, [])
                silences += [each.longest_silence(now) for each in self._presences]
        self._killed = True

    async def _do(self, fault: str, active: Process) -> bool:
        """Cause a fault; return whether a server reached the database meanwhile."""
        [standby] = [each for each in self._servers if each is not active]
        length = random.uniform(0.5, self._plan.longest)
        if fault in ("kill", "kill standby", "kill both"):
            victims = {"kill": [active], "kill standby": [standby]}.get(fault, [active, standby])
            for server in victims:
                server.kill()
            for server in victims:
                server.start()
        elif fault == "terminate":
            await active.terminate()
        elif fault == "stop":
            active.send(signal.SIGSTOP)
            await asyncio.sleep(length)
            active.send(signal.SIGCONT)
        elif fault == "step clocks":
            for server in (active, standby):
                server.send(signal.SIGUSR2)
        elif fault.endswith("network"):
            whose = random.choice([[active], [active], [active, standby]])
            await asyncio.gather(*(each.engine.disturb(fault, length) for each in whose))
            return len(whose) == 1
        elif fault in ("stop engine", "outage"):
            self._postgres.signal_all(signal.SIGSTOP)
            await asyncio.sleep(length if fault == "stop engine" else AWAY + random.uniform(1, 3))
            self._postgres.signal_all(signal.SIGCONT)
            return False
        else:
            self._postgres.kill()
            await asyncio.sleep(random.uniform(0, self._plan.every / 2))
            await asyncio.to_thread(self._bring_back, fault)
            return False
        return True

    async def _judge(self, fault: str) -> None:
        """Note absent players after a fault."""
        await asyncio.sleep(SETTLED)
        await self.balancer.somebody_serves()
        for server in self._servers:
            server.start_again()
        await asyncio.sleep(BACK / 2 - SETTLED)
        since = time.monotonic()
        await asyncio.sleep(BACK / 2)
        gone = [f"{each}, {BACK:g} s after" for each in absent(self._presences, since)]
        self.counts.absent += [f"{fault}: {each}" for each in gone]

    def _bring_back(self, fault: str) -> None:
        """Restart PostgreSQL: with all its data, or with the data of the copy."""
        postgres, copy = self._postgres, self._postgres.folder / "copy"
        if fault == "copy":
            postgres.run("cp", "-r", str(postgres.data), str(copy))
        elif fault == "older":
            # Read the committed data on another port, which no server uses.
            port, postgres.port = postgres.port, free_port()
            postgres.start()
            newer = read_copy(postgres.at_its_port())
            self.former.rows.extend(newer.rows)
            self.former.matches.extend(newer.matches)
            postgres.kill()
            postgres.port = port
            shutil.rmtree(postgres.data)
            postgres.run("cp", "-r", str(copy), str(postgres.data))
        postgres.start()


def report(plan: Plan, counts: Counts, moves: int, verdict: Verdict, found: Findings) -> None:
    """Print the events of the run, and any losses."""
    of_moves = [
        ("acknowledged moves", moves),
        ("lost", verdict.lost),
        ("made twice", verdict.doubled),
        ("not heard by somebody connected", len(counts.gaps)),
    ]
    of_matches = [
        ("matches", verdict.matches),
        ("without an end", verdict.endless),
        ("with a player who wasn't back, or not told", len(counts.absent)),
        ("with a seat taken by another", verdict.taken + len(counts.admitted)),
    ]
    of_ends = [
        ("ended matches", found.kept + found.gone + len(found.faults)),
        ("archived once", found.kept),
        ("archived in the database that an older one replaced", found.gone),
        ("missing in the archive, there twice, or otherwise", len(found.faults)),
    ]
    rows = [
        [name, f"{count}", f"{count / max(all[0][1], 1):.1f}"]
        for all in (of_moves, of_matches, of_ends)
        for name, count in all
    ]
    rows += [
        ["tries at a taken seat", f"{counts.intruders}", ""],
        ["connections lost", f"{counts.lost}", ""],
        ["active server killed, stopped in order", f"{plan.kills} + {plan.terminations}", ""],
        ["active server put to sleep, standby killed", f"{plan.stops} + {plan.standbys}", ""],
        ["both servers killed, PostgreSQL killed", f"{plan.both} + {plan.engine_kills}", ""],
        ["PostgreSQL put to sleep, for long", f"{plan.engine_stops} + {plan.outages}", ""],
        ["networks disturbed, and older databases", f"{plan.networks} + {plan.older}", ""],
        ["clocks of both servers stepped", f"{plan.clocks}", ""],
    ]
    table(["what", "count", "of all"], rows)
    silences = [
        [fault, f"{len(all)}", *(f"{percentile(all, share):.2f} s" for share in (0.5, 0.99, 1))]
        for fault, all in sorted(counts.silences.items())
    ]
    table(["silence of each player, with the database there", "count", "half", "p99", "worst"],
          silences)  # fmt: skip
    every = [each for all in counts.silences.values() for each in all]
    for fault in counts.absent + (verdict.faults + found.faults + counts.gaps + counts.odd)[:10]:
        print(fault)
    Reach("acknowledged moves lost", 0).tell(verdict.lost + verdict.doubled)
    Reach("players who weren't back, or not told,", 0).tell(len(counts.absent))
    Reach("ended matches that aren't archived once", 0).tell(len(found.faults))
    Reach("seconds of silence for a player, p99,", 6.0).tell(percentile(every or [0.0], 0.99))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, check, and report."""
    made = parser(
        __doc__,
        kills=(20, 2),
        terminations=(10, 2),
        stops=(4, 1),
        longest=(35.0, 3.0),
        standbys=(2, 1),
        both=(2, 1),
        engine_kills=(5, 1),
        engine_stops=(2, 0),
        older=(1, 1),
        clocks=(4, 1),
        networks=(6, 2),
        outages=(2, 1),
        moves=(10000, 200),
        pairs=(20, 4),
        every=(2.0, 1.0),
        held=(30.0, 30.0),
    )
    options = read(made, arguments)
    plan = Plan(*(getattr(options, each.name) for each in fields(Plan)))
    with tempfile.TemporaryDirectory(prefix="tictac-bench-") as top:
        folder = Path(top)
        with Postgres(folder) as postgres:
            servers = [Process(number, folder, postgres, options.held) for number in range(2)]
            try:
                going = Run(plan, servers, postgres, options.held)
                asyncio.run(going.play(options.pairs))
            finally:
                for server in servers:
                    server.kill()
            last = read_copy(postgres.url)
    verdict = check(going.notes, last.rows, going.former.rows)
    found = check_archive(going.notes, last, going.former)
    report(plan, going.counts, going.moves(), verdict, found)
    if not verdict.sound or found.faults or going.counts.admitted or going.counts.gaps:
        raise BenchError("what was acknowledged and what was committed differ")
    if going.counts.absent:
        raise BenchError(f"players weren't back, or not told: {len(going.counts.absent)}")


if __name__ == "__main__":
    run(main)
