"""A server with tournaments, in simulated time: its rooms, its host, and players who come."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from random import Random
from typing import Any, TypeVar

from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock

from tests.lobby.any_game import Knowing
from tests.plugins.tournament.cups import plan_json
from tests.storage.memory import MemoryStore
from tictac.archive.write_behind import WriteBehind
from tictac.engines.computer import Computer
from tictac.lobby.registry import Registry
from tictac.options import MAIN
from tictac.plugins.tournament.cup import Cup, Line
from tictac.plugins.tournament.deciding import decide
from tictac.plugins.tournament.hosting.follower import Follower
from tictac.plugins.tournament.hosting.host import Host
from tictac.plugins.tournament.hosting.tables import TournamentTables
from tictac.storage.store import Stored

T = TypeVar("T")

NOW = 1_800_000_000.0
CUP = "friday-cup"


def result(work: Coroutine[Any, Any, T]) -> T:
    """Return what comes of something that doesn't wait. Raises what it raises."""
    found: list[Any] = []
    Deferred.fromCoroutine(work).addBoth(found.append)
    assert found, "it waits"
    if hasattr(found[0], "raiseException"):
        found[0].raiseException()
    answer: T = found[0]
    return answer


def pair_at_once(cup: Cup) -> Deferred[Line | None]:
    """Pair in the reactor's turn (hosting.pairing_process.Pairer)."""
    return succeed(decide(cup))


class Stage:
    """One server on a database; others may be made on the same one, with the same clock."""

    def __init__(
        self, store: MemoryStore | None = None, clock: Clock | None = None, lobby: str = MAIN
    ) -> None:
        self.clock = clock or Clock()
        self.store = store or MemoryStore()
        self.store.start()
        self.log = Stored(self.store, TournamentTables)
        self.faults: list[Any] = []
        self.registry = Registry(1, self.clock.seconds, self.faults.append, 30, rng=Random(1))
        self.registry.archivist = WriteBehind(
            self.store, self.clock, self.clock.seconds, utc=self.utc
        )
        computer = Computer(self.registry, self.clock, None, Random(1), None, by_name=False)  # type: ignore[arg-type]
        self.registry.observers.append(computer)
        self.follower = Follower(self.log, self.utc, lobby)
        self.pair: Callable[[Cup], Deferred[Line | None]] = pair_at_once
        self.host = Host(
            self.log, self.follower, self.registry, lambda cup: self.pair(cup), self.clock,
            Random(1),
        )  # fmt: skip

    def utc(self) -> float:
        return NOW + self.clock.seconds()

    def start(self) -> Stage:
        self.host.start()
        return self

    def kill(self) -> None:
        """Stop at once, as a process that is killed: the rooms are gone."""
        for call in self.clock.getDelayedCalls():
            call.cancel()

    def make(self, *names: str, tournament: str = CUP, **plan: Any) -> None:
        result(self.follower.make(tournament, plan_json(**plan), "root"))
        for name in names:
            level = "easy" if name.startswith("computer") else None
            self.append_line(["entered", name, None, level], tournament)

    def begin(self, *names: str, **plan: Any) -> None:
        """Make a tournament of these players, and let it begin."""
        self.make(*names, **plan)
        self.append_line(["began", 0])
        self.pass_time(2)

    def append_line(self, line: Line, tournament: str = CUP) -> None:
        result(self.follower.append(tournament, lambda _: line))

    def pass_time(self, seconds: float) -> None:
        self.clock.pump([0.5] * round(2 * seconds))
        self.registry.expire(600, 600)
        self.clock.pump([0.5, 0.5])

    @property
    def cup(self) -> Cup:
        return self.follower.known[CUP].cup

    def rooms(self) -> dict[str, tuple[str, ...]]:
        """Return the rooms of tournaments, with their players."""
        return {
            name: live.room.terms.play.names
            for name, live in self.registry.live_rooms.items()
            if live.room.terms.play is not None
        }

    def come(self, user: str, room: str) -> Knowing:
        guest = Knowing(self.registry, user)
        self.registry.join(guest, room, "PLAYER")
        return guest

    def play(self, *best: str) -> None:
        """Let all come to their boards, where those who come later in ``best`` resign."""
        for room, names in self.rooms().items():
            order = sorted(names, key=lambda name: best.index(name) if name in best else 99)
            guests = {name: self.come(name, room) for name in names}
            self.registry.forfeit(guests[order[-1]])
        self.pass_time(2)

    def lines(self, tournament: str = CUP) -> list[Line]:
        kept = TournamentTables(self.store.database).read(tournament)
        return [each.line for each in kept]

    def words(self) -> list[str]:
        return [line[0] for line in self.lines()]
