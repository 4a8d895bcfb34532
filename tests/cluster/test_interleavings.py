"""Any order of requests at two nodes, with lost connections: as if it were one after the other.

What everybody is told is held against the moves that were made: nothing twice, nothing lost,
the same for all who sit in a room.
"""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.cluster.helpers import Cluster, TestNode, needs_redis
from tests.doors.rooms.test_server_accounts import log
from tests.lobby.registry_suite import Guest, Notes
from tictac.lobby.events import Began, Ended, Event, Joined, Placed, Refused

ROOMS = ("den", "cellar")
PEOPLE = 6


class Sitter(Guest):
    """Remembers all that it was told of the room that it sits in."""

    def __init__(self, node: TestNode, user: str) -> None:
        super().__init__(node.registry, user)
        self.node = node
        self.heard: list[Event] = []
        self.room: str | None = None
        self.asked = 0

    def receive(self, event: Event) -> None:
        if isinstance(event, Joined):
            assert self.room is None, "nobody sits in two rooms"
            self.room, self.heard = event.room, []
        self.heard.append(event)
        if isinstance(event, Ended):
            assert self.room is not None, "an end is told once, to who sits there"
            self.room = None
        if not isinstance(event, Began | Placed) or isinstance(event, Refused):
            self.asked += 1


class Nodes(RuleBasedStateMachine):
    """Two nodes and six people, three at each; requests are settled when a rule says so."""

    def __init__(self) -> None:
        super().__init__()
        self.cluster = Cluster()
        self.notes = Notes()
        self.nodes = [self.cluster.node(max_rooms=0) for _ in range(2)]
        for node in self.nodes:
            node.registry.watchers.append(self.notes)
        self.people = [Sitter(self.nodes[number % 2], f"user{number}") for number in range(PEOPLE)]

    def teardown(self) -> None:
        self.settle()
        self.check()
        for node in self.nodes:
            assert node.faults == []
        self.cluster.close()

    somebody = st.integers(0, PEOPLE - 1)

    @rule(who=somebody, room=st.sampled_from(ROOMS))
    def create(self, who: int, room: str) -> None:
        person = self.people[who]
        person.node.registry.create(person, room)

    @rule(who=somebody, room=st.sampled_from(ROOMS), mode=st.sampled_from(["PLAYER", "VIEWER"]))
    def join(self, who: int, room: str, mode: Any) -> None:
        person = self.people[who]
        person.node.registry.join(person, room, mode)

    @rule(who=somebody, cell=st.integers(0, 8))
    def place(self, who: int, cell: int) -> None:
        person = self.people[who]
        person.node.registry.place(person, f"{cell % 3}:{cell // 3}")

    @rule(room=st.sampled_from(ROOMS), count=st.integers(1, 9))
    def play(self, room: str, count: int) -> None:
        """Both players make moves, as fast as they can."""
        players = [person for person in self.people if person.room == room]
        for cell in range(count):
            for person in players:
                person.node.registry.place(person, f"{cell % 3}:{cell // 3}")

    @rule(who=somebody)
    def forfeit(self, who: int) -> None:
        person = self.people[who]
        person.node.registry.forfeit(person)

    @rule(who=somebody)
    def come_back(self, who: int) -> None:
        """Somebody is cut off, and connects to the other node."""
        person = self.people[who]
        person.node.registry.leave(person)
        other = self.nodes[person.node is self.nodes[0]]
        self.people[who] = Sitter(other, str(person.user))

    @rule(which=st.integers(0, 1))
    def cut(self, which: int) -> None:
        with log():
            self.nodes[which].wires.last.cut()

    @rule(which=st.integers(0, 1))
    def deafen(self, which: int) -> None:
        """What is answered or published to a node comes late."""
        self.nodes[which].wires.last.deaf = True
        self.cluster.settle()

    @rule(which=st.integers(0, 1))
    def deafen_to_others(self, which: int) -> None:
        """What is published to a node comes later than what is answered."""
        self.nodes[which].pushes.deaf = True
        self.cluster.settle()

    @rule()
    def settle(self) -> None:
        with log():
            for node in self.nodes:
                node.pushes.deaf = False
                for wire in node.wires.wires:
                    wire.deaf = False
            self.cluster.pass_time(3)
        self.settled = True
        self.check()
        self.settled = False

    settled = False

    @invariant()
    def boards_grow(self) -> None:
        """Each board that somebody is told has one mark more than the one before it."""
        for person in self.people:
            boards = [event.position for event in person.heard if isinstance(event, Placed)]
            marks = [9 - board.count("0") for board in boards]
            if marks:
                assert marks == list(range(marks[0], marks[0] + len(marks)))

    def check(self) -> None:
        """Who sits in a room sees the same board, and it is the one in Redis."""
        for room in ROOMS:
            fields = self.cluster.redis("HGETALL", f"room:{{{room}}}")
            here = [person for person in self.people if person.room == room]
            if not fields:
                assert here == [], "nobody sits in a room that is gone"
                continue
            values = dict(zip(fields[::2], fields[1::2], strict=True))
            number = int(values[b"v"].split(b".")[1])
            text = values[b"l%d" % (number % 16)].decode()
            board = text.split("\n")[1].split(":")[1]
            for person in here:
                boards = [event.position for event in person.heard if isinstance(event, Placed)]
                if boards:
                    assert boards[-1] == board
            for node in self.nodes:
                table = node.registry.tables.get(room)
                if table is not None and table.copy is not None:
                    assert table.copy.room.position == board and table.idle
        opened = [note[1] for note in self.notes.notes if note[0] == "opened"]
        closed = [note[1] for note in self.notes.notes if note[0] == "closed"]
        for room in ROOMS:
            there = self.cluster.redis("EXISTS", f"room:{{{room}}}")
            assert opened.count(room) - closed.count(room) == there
            assert self.cluster.redis("HEXISTS", "rooms:{index}", room) == there


NodesTests = needs_redis(Nodes.TestCase)
NodesTests.settings = settings(
    max_examples=40,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
