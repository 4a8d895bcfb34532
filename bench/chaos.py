"""Kill and stop nodes, PostgreSQL and connections while matches run, and count what is lost.

Pairs of players play match after match on several nodes, and rejoin after each disconnect. Links
between the nodes are cut, hang and are slow; all nodes are upgraded one after the other; once
PostgreSQL comes back in an older state than the players saw. At the end, the benchmark compares the
messages to the players with the committed data. The record has each acknowledged move exactly once;
no connected player missed a move; each match has an end; only the two players had a seat; and the
archive has each finished match once, with its players, moves and result. After each fault, every
player must get a seat back, and receive further moves or the end. Otherwise the exit status is 1.
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
from bench.cluster import node_options
from bench.duels import KEPT, USERS, Duel
from bench.engines import Postgres
from bench.record import Verdict, check, keep_history
from bench.report import Reach, parser, percentile, read, run, table
from bench.servers import REPOSITORY, BenchError, tictac_command
from bench.survivors import Counts, Line, Notes, Pair, Presence, absent, cut_some, intrude
from tictac.plugins.check.target import free_port

STEP = 0.1

SETTLED = 3.0
"""Seconds until most players are back after a halt, and the last events of a run committed."""

BACK = 10.0
"""Seconds after a fault; in the last half of them each player must receive events of a match."""

AWAY = 5.0
"""Seconds after which nodes close waiting players' connections (``--engine-timeout``)."""

OVERTAKES = 5
"""How often a waiting move becomes impossible while a node waits for PostgreSQL."""

NEXT = "from tictac.plugins.cluster import link; link.VERSIONS = (1, 2); "
"""The code that turns the program into its next version."""

STUCK = 60.0
"""Seconds without a move, after which the run has failed."""


class Relay:
    """A proxy between a node and its peers, or PostgreSQL, which can fail in all ways."""

    def __init__(self, to: int) -> None:
        self.port = free_port()
        self._to = to
        self._delay = 0.0
        self._hangs = self._refuses = False
        self._transports: set[asyncio.WriteTransport] = set()

    async def open(self) -> None:
        """Listen for connections."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port)

    def close(self) -> None:
        """Stop listening, and end all links."""
        self._server.close()
        self._cut()

    async def disturb(self, fault: str, length: float) -> None:
        """Cut and refuse links, let them hang (and lose data), or delay them, for ``length`` s."""
        self._refuses, self._hangs = fault == "cut links", fault in ("hang links", "lose links")
        # Delay PostgreSQL less, so that the lease doesn't lapse.
        delays = {"slow links": random.uniform(0.05, 0.5), "slow engine": 0.075}
        self._delay = delays.get(fault, 0.0)
        if self._refuses:
            self._cut()
        await asyncio.sleep(length)
        # The delayed data may get lost, or arrive.
        if self._hangs and (fault == "lose links" or random.random() < 0.5):
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


class Node:
    """A node that can be killed and restarted; :meth:`upgrade` adds a version of the links."""

    def __init__(self, number: int, folder: Path, postgres: Postgres) -> None:
        self.port, listens = free_port(), free_port()
        self.relay, self.engine = Relay(listens), Relay(postgres.port)
        self._log = folder / f"node{number}.log"
        _, _, *secret = node_options(folder)
        reached = ("--node", f"tcp:127.0.0.1:{self.relay.port}", *secret)
        here = ("--node-listen", f"tcp:{listens}:interface=127.0.0.1")
        url = postgres.at_port(self.engine.port)
        self._command = tictac_command(self.port, url, 4, *reached, *here, "--rejoin-timeout", "30")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the node, and don't wait."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, cwd=REPOSITORY, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    async def upgrade(self) -> None:
        """Stop the node in order, and start its next version."""
        assert self._process is not None
        self._process.terminate()
        while self._process.poll() is None:
            await asyncio.sleep(STEP)
        if self._process.returncode:
            raise BenchError(f"a node stopped badly: {self._log.read_text()[-2000:]}")
        program = self._command.index("-c") + 1
        if not self._command[program].startswith(NEXT):
            self._command[program] = NEXT + self._command[program]
        self.start()
        await self.listening()

    def kill(self) -> None:
        """Kill the node, as a crash does."""
        if self._process is None:
            return
        if self._process.poll() is not None:
            raise BenchError(f"a node ended by itself: {self._log.read_text()[-2000:]}")
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """Stop the process until :meth:`go_on`."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Continue the process."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    async def listening(self) -> None:
        """Wait until the node accepts connections."""
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
            except OSError:
                await asyncio.sleep(STEP)
            else:
                writer.close()
                return


@dataclass
class Plan:
    """The number of faults, and the end of the run."""

    node_kills: int
    engine_kills: int
    stops: int
    longest: float
    older: int
    links: int
    upgrades: int
    outages: int
    lost_ends: int
    overtaken: int
    moves: int
    every: float

    def faults(self) -> list[str]:
        """Return all faults in random order; only the copy for an older database comes first."""
        rest = ["kill node"] * self.node_kills + ["kill engine"] * self.engine_kills
        rest += random.choices(["stop node", "stop engine"], k=self.stops)
        rest += ["older"] * self.older + ["upgrade"] * self.upgrades
        rest += random.choices(["cut links", "hang links", "slow links"], k=self.links)
        rest += ["outage"] * self.outages + ["lose end"] * self.lost_ends
        rest += ["overtake"] * self.overtaken
        random.shuffle(rest)
        return ["copy", *rest] if self.older else rest


class Run:
    """One run: the load, and the faults."""

    def __init__(self, plan: Plan, nodes: Sequence[Node], postgres: Postgres) -> None:
        self.counts = Counts()
        self.notes: list[Notes] = []
        self._plan = plan
        self._nodes = nodes
        self._postgres = postgres
        self.former = Copy([], [])
        self._presences: list[Presence] = []
        self._duels = 0
        self._killed = False

    def moves(self) -> int:
        """Return the number of acknowledged moves."""
        return sum(note.moves for note in self.notes)

    def enough(self) -> bool:
        """Return whether no further match must begin."""
        return self._killed and self.moves() >= self._plan.moves

    async def play(self, pairs: int) -> None:
        """Play until all planned faults have happened, and there were enough moves."""
        ports = [node.port for node in self._nodes]
        for node in self._nodes:
            await node.relay.open()
            await node.engine.open()
            node.start()
        for node in self._nodes:
            await node.listening()
        keep_history(self._postgres.url)
        playing = [Pair(number, ports, self.counts) for number in range(pairs)]
        users = [user for pair in playing for user in pair.users]
        await self._register([*users, *USERS, "eve"])
        players = [player for pair in playing for player in pair.players]
        self._presences = [player.presence for player in players]
        others = [
            asyncio.create_task(self._kill()),
            asyncio.create_task(cut_some(players, self.enough, self._plan.every)),
            asyncio.create_task(intrude(ports, self.counts, self.notes, self.enough)),
        ]
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
        for node in self._nodes:
            node.relay.close()
            node.engine.close()
        await asyncio.sleep(STEP)  # Give the tasks that relay data time to end.

    async def _watch(self) -> None:
        """Return when no move was made for STUCK seconds."""
        before = -1
        while before != (before := self.moves()):
            await asyncio.sleep(STUCK)

    async def _register(self, users: Sequence[str]) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._nodes[0].port)
        line = Line(reader, writer)
        for user in users:
            if await line.ask(f"REGISTER:{user}:pw") != "REGISTER:ACKSTATUS:0":
                raise BenchError(f"{user} couldn't register")
        line.close()

    async def _kill(self) -> None:
        for fault in self._plan.faults():
            await asyncio.sleep(self._plan.every * random.uniform(0.5, 1.5))
            self.counts.halted = fault != "kill node"
            began = time.monotonic()
            found = await self._do(fault)
            await self._judge(f"{fault} ({time.monotonic() - began:.1f} s)", found)
        self._killed = True

    async def _do(self, fault: str) -> list[str]:
        """Cause a fault; describe the errors in matches that were played for it."""
        node, length = random.choice(self._nodes), random.uniform(0.5, self._plan.longest)
        if fault == "kill node":
            await self._restart(node)
        elif fault == "stop node":
            node.stop()
            await asyncio.sleep(length)
            node.go_on()
        elif fault == "upgrade":
            for each in self._nodes:
                await each.upgrade()
                await asyncio.sleep(self._plan.every)
        elif fault.endswith("links"):
            await self._disturb(fault, length)
        elif fault == "lose end":
            duel = await self._begin_duel()
            return await duel.end(self._disturb("lose links", random.uniform(0.5, 1.5)), BACK)
        elif fault == "overtake":
            return await self._overtake()
        elif fault in ("stop engine", "outage"):
            self._postgres.signal_all(signal.SIGSTOP)
            await asyncio.sleep(length if fault == "stop engine" else AWAY + random.uniform(1, 3))
            self._postgres.signal_all(signal.SIGCONT)
        else:
            self._postgres.kill()
            await asyncio.sleep(random.uniform(0, self._plan.every / 2))
            await asyncio.to_thread(self._bring_back, fault)
        return []

    async def _restart(self, node: Node) -> None:
        node.kill()
        node.start()
        await node.listening()

    async def _disturb(self, fault: str, length: float) -> None:
        """Disturb the links of all nodes."""
        await asyncio.gather(*(node.relay.disturb(fault, length) for node in self._nodes))

    async def _overtake(self) -> list[str]:
        """Let a visitor's node wait for its rooms while the owner of the room continues."""
        found = list[str]()
        for _ in range(OVERTAKES):
            duel = await self._begin_duel()
            slow = asyncio.create_task(self._visited.engine.disturb("slow engine", 2 * KEPT + STEP))
            found += await duel.overtake(BACK)
            await slow
        return found

    async def _begin_duel(self) -> Duel:
        owner, self._visited = random.sample(list(self._nodes), 2)
        self._duels += 1
        duel = await Duel.begin(f"duel{self._duels}", [owner.port, self._visited.port])
        self.notes.append(duel.notes)
        return duel

    async def _judge(self, fault: str, found: Sequence[str]) -> None:
        """Note absent players after a fault; if there are any, restart all nodes.

        With fresh nodes, the next fault is judged by itself.
        """
        await asyncio.sleep(SETTLED)
        self.counts.halted = False
        await asyncio.sleep(BACK / 2 - SETTLED)
        since = time.monotonic()
        await asyncio.sleep(BACK / 2)
        gone = [f"{each}, {BACK:g} s after" for each in absent(self._presences, since)]
        self.counts.absent += [f"{fault}: {each}" for each in (*found, *gone)]
        if gone:
            for node in self._nodes:
                await self._restart(node)

    def _bring_back(self, fault: str) -> None:
        """Restart PostgreSQL: with all its data, or with the data of the copy."""
        postgres, copy = self._postgres, self._postgres.folder / "copy"
        if fault == "copy":
            postgres.run("cp", "-r", str(postgres.data), str(copy))
        elif fault == "older":
            # Read the committed data on another port, which no node uses.
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
    back = counts.back or [0.0]
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
        ["kills of nodes and of PostgreSQL", f"{plan.node_kills} + {plan.engine_kills}", ""],
        ["stops, and older databases", f"{plan.stops} + {plan.older}", ""],
        ["links disturbed, and upgrades of all", f"{plan.links} + {plan.upgrades}", ""],
        [
            "long outages, ends over a lost link, and overtaken refusals",
            f"{plan.outages} + {plan.lost_ends} + {plan.overtaken}",
            "",
        ],
    ]
    table(["what", "count", "of all"], rows)
    for fault in counts.absent + (verdict.faults + found.faults + counts.gaps + counts.odd)[:10]:
        print(fault)
    Reach("acknowledged moves lost", 0).tell(verdict.lost + verdict.doubled)
    Reach("players who weren't back, or not told,", 0).tell(len(counts.absent))
    Reach("ended matches that aren't archived once", 0).tell(len(found.faults))
    Reach("seconds until a player is back in the seat, p99,", 1.5).tell(percentile(back, 0.99))
    print(f"at the worst {max(back):.2f} s, half of {len(back)} within {percentile(back, 0.5):.2f}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, check, and report."""
    made = parser(
        __doc__,
        nodes=(2, 2),
        node_kills=(20, 2),
        engine_kills=(5, 1),
        stops=(6, 1),
        longest=(35.0, 3.0),
        older=(1, 1),
        links=(6, 2),
        upgrades=(1, 1),
        outages=(2, 1),
        lost_ends=(2, 1),
        overtaken=(2, 1),
        moves=(10000, 200),
        pairs=(20, 4),
        every=(2.0, 1.0),
    )
    options = read(made, arguments)
    plan = Plan(*(getattr(options, each.name) for each in fields(Plan)))
    with tempfile.TemporaryDirectory(prefix="tictac-bench-") as top:
        folder = Path(top)
        with Postgres(folder) as postgres:
            nodes = [Node(number, folder, postgres) for number in range(options.nodes)]
            try:
                going = Run(plan, nodes, postgres)
                asyncio.run(going.play(options.pairs))
            finally:
                for node in nodes:
                    node.kill()
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
