"""Any order of requests and failures, by a seed: no move lost, none twice, nobody stuck.

What everybody is told is held against what others were told, and against the room in the end.
"""

from __future__ import annotations

from random import Random

import pytest

from tests.lobby.registry_suite import Guest
from tictac.lobby.events import Began, Ended, Event, Joined, Listed, Placed, Refused, Undone
from tictac.lobby.registry import Registry
from tictac.plugins.cluster.testing import LEASE, PATIENCE, Cluster

ROOMS = ("den", "cellar", "attic")
PEOPLE = 7
STEPS = 120

Heard = dict[tuple[str, str, int], tuple[object, ...]]


class Person(Guest):
    """Somebody who checks what they are told; ``room`` is where they are."""

    def __init__(self, node: Registry, user: str, heard: Heard) -> None:
        super().__init__(node, user)
        self.node = node
        self.heard = heard
        self.room: str | None = None
        self.last = 0
        self.waits = 0
        self.left = False
        self.unanswered = False
        self.supports_all_events = int(self.occupant_id) % 2 == 0

    def wait(self) -> None:
        self.waits += 1

    def release(self) -> None:
        self.waits -= 1
        assert self.waits >= 0
        assert self.waits or not self.unanswered, "a request was lost"

    def receive(self, event: Event) -> None:
        assert not self.left
        super().receive(event)
        if isinstance(event, Placed | Ended | Refused):
            self.unanswered = False
        if isinstance(event, Listed | Refused):
            return
        if isinstance(event, Joined) and event.to == self.occupant_id:
            assert self.room is None, "nobody sits in two rooms"
            self.room, self.last = event.room, event.number - 1
        assert self.room is not None, f"{event} is for others"
        assert event.number > self.last, f"{event} after {self.last}"
        if self.supports_all_events:
            assert event.number == self.last + 1, f"{event} after {self.last}"
        elif isinstance(event, Placed):
            marks = [9 - board.count("0") for board in (self.board, event.position)]
            assert self.board == "" or marks[1] == marks[0] + 1, "a move was missed"
        self.last = event.number
        if isinstance(event, Began):
            self.board = "0" * 9
        if isinstance(event, Placed | Undone | Ended):
            self.board = event.position
        if isinstance(event, Joined) and event.to == self.occupant_id:
            self.board = event.position or ""
        if isinstance(event, Ended):
            self.room = None

    board = ""


class Town:
    """Three nodes, and people who do whatever comes to their minds."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.all_know = seed % 2 == 1
        self.moving = 0.6 if self.all_know else 0.95
        self.cluster = Cluster(rejoin_timeout=4)
        self.names = iter("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
        for _ in range(3):
            self.new_node()
        self.heard: Heard = {}
        self.cluster.pass_time(LEASE)
        self.people = [self.come(f"user{number}") for number in range(PEOPLE)]

    def new_node(self) -> None:
        self.cluster.node(next(self.names))

    def come(self, user: str) -> Person:
        """Connect a user to any node that serves."""
        nodes = list(self.cluster.nodes.values())
        ready = [node for node in nodes if node.ready()]
        person = Person(self.rng.choice(ready or nodes), user, self.heard)
        person.supports_all_events |= self.all_know
        return person

    def again(self, person: Person) -> None:
        """Lose a user's connection, and connect them again."""
        person.closed = person.left = True
        if person.node in self.cluster.nodes.values():
            person.node.leave(person)
        self.people[self.people.index(person)] = self.come(str(person.user))

    def two(self) -> tuple[str, str]:
        one, other = self.rng.sample(sorted(self.cluster.nodes), 2)
        return one, other

    # What happens

    def step(self) -> None:
        rng = self.rng
        for person in [each for each in self.people if each.closed]:
            self.again(person)
        roll = rng.random()
        if roll < 0.80:
            self.ask(rng.choice(self.people))
        elif roll < 0.85:
            self.again(rng.choice(self.people))
        else:
            self.trouble()
        if rng.random() < 0.5:
            self.cluster.settle()
        elif rng.random() < 0.3:
            self.pass_time(rng.choice((0.01, 0.1, 0.5)))

    def pass_time(self, seconds: float) -> None:
        self.cluster.pass_time(seconds)
        for node in self.cluster.nodes.values():
            node.expire(600, 3600)

    def ask(self, person: Person) -> None:
        rng, node, room = self.rng, person.node, person.room
        if person.waits:
            return
        if room is None:
            name = rng.choice(ROOMS)
            if rng.random() < 0.4:
                node.create(person, name)
            else:
                node.join(person, name, rng.choice(("PLAYER", "PLAYER", "PLAYER", "VIEWER")))
        elif rng.random() < self.moving:
            now = node.room(room)
            moves = [] if now is None or not now.begun else list(now.game.moves(now.position))
            if moves:
                keep = rng.random() < 0.5
                person.unanswered = not keep
                node.place(person, rng.choice(moves), keep)
        elif person.supports_all_events and rng.random() < 0.8:
            now = node.room(room)
            if now is not None and now.offer is not None:
                node.answer(person, "takeback", rng.random() < 0.8)
            elif rng.random() < 0.5:
                node.offer(person, "takeback")
            else:
                node.say(person, "hello")
        else:
            node.forfeit(person)

    def trouble(self) -> None:
        rng, cluster = self.rng, self.cluster
        match rng.randrange(8):
            case 0 | 1:
                cluster.net.cut(*self.two())
            case 2 | 3:
                for wire in cluster.net.between(*self.two()):
                    wire.deaf = True
            case 4:
                cluster.net.part(*self.two())
            case 5:
                self.kill(rng.choice(sorted(cluster.nodes)))
            case 6:
                cluster.stores[rng.choice(sorted(cluster.nodes))].away = True
            case 7:
                self.mend()

    def kill(self, name: str) -> None:
        node = self.cluster.nodes[name]
        self.cluster.kill(name)
        self.new_node()
        for person in [each for each in self.people if each.node is node]:
            self.again(person)

    def mend(self) -> None:
        """Let all be well again."""
        self.cluster.net.mend()
        for _, _, wire in self.cluster.net.wires:
            wire.deliver()
        for store in self.cluster.stores.values():
            if store.away:
                store.away = False
        self.cluster.settle()

    # What must be true

    def check(self) -> None:
        cluster = self.cluster
        assert cluster.lost == []
        assert [f for _, f in cluster.faults if print(f.getTraceback()) or True] == []
        nodes = list(cluster.nodes.values())
        for name in ROOMS:
            owners = [node for node in nodes if name in node.live_rooms]
            kept = cluster.database.named(name)
            assert len(owners) == (kept is not None), f"{name} has owners: {owners}"
            here = [person for person in self.people if person.room == name]
            if kept is None:
                assert here == [], "somebody sits in a room that is gone"
                continue
            room = owners[0].live_rooms[name].room
            _, _, lines = cluster.database.rooms[kept]
            assert [line.number for line in lines] == list(range(1, len(lines) + 1))
            assert lines[-1].number == room.number
            for person in here:
                seen = person.node.room(name)
                assert seen is not None
                assert seen.position == room.position
                if person.supports_all_events:
                    assert seen.number == room.number
                if person.board:
                    assert person.board == room.position
                seats = [m.occupant for m in room.players] + list(room.viewers)
                assert person.occupant_id in seats, "somebody sits only at the own node"
            for member in room.players:
                if member.away is None:
                    [person] = [p for p in here if p.occupant_id == member.occupant]
                    assert person.user == member.user
        for person in self.people:
            assert person.waits == 0, f"{person.user} waits"


@pytest.mark.parametrize("seed", range(40))
def test_nothing_is_lost(seed: int) -> None:
    town = Town(seed)
    for _ in range(STEPS):
        town.step()
    town.mend()
    town.pass_time(PATIENCE + 3)
    for person in [each for each in town.people if each.closed]:
        town.again(person)
    town.pass_time(1)
    town.check()
