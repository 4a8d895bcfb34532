"""Nodes that die, seem to die, or die half way through something."""

from __future__ import annotations

from twisted.internet.defer import Deferred

from tests.cluster.helpers import TestNode
from tests.cluster.test_nodes import EMPTY, NodesCase
from tests.lobby import told
from tests.lobby.registry_suite import Guest, Notes
from tictac.errors import RoomFull
from tictac.lobby.events import Began, Joined, Placed, Refused

LEASE = 60.0


class DeadCase(NodesCase):
    def setUp(self) -> None:
        super().setUp()
        # So long others wait after they have come for those whom they may not know yet.
        self.cluster.pass_time(LEASE)

    def kill(self, node: TestNode) -> None:
        """A node dies, its lease lapses, and the others see it at their next beat."""
        node.die()
        self.cluster.lapse(node)
        self.beat()

    def beat(self) -> None:
        self.cluster.pass_time(LEASE / 4)

    def come_back(self, user: str) -> Guest:
        """Somebody comes to the second node."""
        guest = self.guest(self.b, user)
        self.b.registry.join(guest, "den", "PLAYER")
        self.settle()
        return guest


class DeathTests(DeadCase):
    options = {"max_rooms": 3, "rejoin_timeout": 30.0}

    def test_the_player_comes_back_and_the_match_goes_on(self) -> None:
        self.begin_match(viewers=True)
        self.place(self.alice, 1, 1)
        self.kill(self.a)
        assert self.b.registry.seats_held() == 1
        carol = self.come_back("carol")
        assert carol.refusal() == ("join", RoomFull)
        alice = self.come_back("alice")
        [joined] = alice.told()
        assert isinstance(joined, Joined) and not joined.created
        assert (joined.turn, joined.waiting, joined.position) == ("bob", "alice", "000010000")
        assert self.b.registry.seats_held() == 0
        self.place(self.bob, 0, 0)
        self.place(alice, 0, 2)
        assert [event.position for event in alice.told() if isinstance(event, Placed)] == [
            "200010000", "200010100"
        ]  # fmt: skip

    def test_who_doesnt_come_back_has_left(self) -> None:
        self.begin_match()
        self.kill(self.a)
        self.cluster.pass_time(29)
        assert self.bob.told() == []
        self.cluster.pass_time(16)
        assert self.bob.told() == [told.ended(4, EMPTY, "left", "bob")]
        assert self.listed(self.b, "VIEWER") == ()

    def test_of_several_others_one_ends_it(self) -> None:
        notes = Notes()
        c = self.cluster.node(**self.options)
        self.cluster.pass_time(LEASE)
        for node in (self.b, c):
            node.registry.watchers.append(notes)
        self.begin_match()
        zoe = self.guest(c, "zoe")
        c.registry.join(zoe, "den", "VIEWER")
        self.settle()
        zoe.told()
        self.kill(self.a)
        assert self.b.registry.seats_held() == c.registry.seats_held() == 1
        self.cluster.pass_time(45)
        ended = [told.ended(5, EMPTY, "left", "bob")]
        assert self.bob.told() == zoe.told() == ended
        assert notes.notes == [("closed", "den", "left", "alice", "bob")]
        assert self.b.registry.seats_held() == c.registry.seats_held() == 0

    def test_a_match_whose_players_are_both_gone_is_ended_by_others(self) -> None:
        c = self.cluster.node(**self.options)
        notes = Notes()
        c.registry.watchers.append(notes)
        self.cluster.pass_time(LEASE)
        self.begin_match()
        for node in (self.a, self.b):
            node.die()
            self.cluster.lapse(node)
        self.beat()
        assert c.registry.seats_held() == 2
        self.cluster.pass_time(45)
        assert notes.notes == [("closed", "den", "left", "alice", "bob")]
        assert self.cluster.redis("KEYS", "*den*") != [] and not [*c.registry.tables]
        assert self.cluster.redis("ZCARD", "rooms:{index}:all") == 0

    def test_viewers_of_the_dead_are_dropped(self) -> None:
        self.begin_match()
        for node, user in [(self.a, "zoe"), (self.b, "vera")]:
            node.registry.join(self.guest(node, user), "den", "VIEWER")
            self.settle()
        assert self.cluster.redis("HLEN", "viewers:{den}") == 2
        self.kill(self.a)
        assert self.cluster.redis("HVALS", "viewers:{den}") == [b"vera"]

    def test_the_dead_are_forgotten_when_all_is_done(self) -> None:
        self.begin_match()
        assert self.cluster.redis("SCARD", "nodes:{lease}") == 2
        self.kill(self.a)
        assert self.cluster.redis("SMEMBERS", "nodes:{lease}") == [b"bbbbbbbb"]

    def test_a_walker_that_dies_is_followed_by_the_next(self) -> None:
        c = self.cluster.node(**self.options)
        self.cluster.pass_time(LEASE)
        self.begin_match()
        self.a.die()
        self.cluster.lapse(self.a)
        # The second node sees it, and dies before its walk has got anywhere.
        self.b.die()
        self.cluster.lapse(self.b)
        self.beat()
        assert c.registry.seats_held() == 2

    def test_a_cluster_that_starts_again_holds_all_seats(self) -> None:
        self.begin_match()
        for node in (self.a, self.b):
            node.die()
            self.cluster.lapse(node)
        self.cluster.redis("DEL", "nodes:{lease}")
        c = self.cluster.node(**self.options)
        assert c.registry.seats_held() == 0
        self.cluster.pass_time(LEASE)
        assert c.registry.seats_held() == 2
        bob = self.guest(c, "bob")
        c.registry.join(bob, "den", "PLAYER")
        self.settle()
        [joined] = bob.told()
        assert isinstance(joined, Joined) and joined.position == EMPTY


class AtOnceTests(DeadCase):
    options = {"max_rooms": 3, "rejoin_timeout": 0.0}

    def test_without_time_to_come_back_it_is_a_forfeit(self) -> None:
        self.begin_match()
        self.kill(self.a)
        self.beat()
        assert self.bob.told() == [told.ended(4, EMPTY, "left", "bob")]


class SilentTests(DeadCase):
    """A node that has missed a beat: its user needn't wait until its lease lapses."""

    options = {"max_rooms": 3, "rejoin_timeout": 30.0}

    def test_a_user_gets_their_seat_back_as_soon_as_a_beat_was_missed(self) -> None:
        self.begin_match()
        self.a.die()
        early = self.come_back("alice")
        assert early.refusal() == ("join", RoomFull)
        self.cluster.redis("PEXPIRE", "node:{lease}:aaaaaaaa", str(int(LEASE * 600)))
        carol = self.come_back("carol")
        assert carol.refusal() == ("join", RoomFull)
        alice = self.come_back("alice")
        assert self.kinds(alice) == [Joined]

    def test_if_it_lives_its_user_is_sent_away(self) -> None:
        self.begin_match()
        self.cluster.redis("PEXPIRE", "node:{lease}:aaaaaaaa", str(int(LEASE * 600)))
        alice = self.come_back("alice")
        assert self.kinds(alice) == [Joined]
        assert self.alice.closed
        self.a.registry.leave(self.alice)
        self.place(alice, 1, 1)
        assert self.kinds(self.bob) == [Placed]


class FalseAlarmTests(DeadCase):
    """The lease has lapsed, but the node lives."""

    options = {"max_rooms": 3, "rejoin_timeout": 30.0}

    def test_it_takes_its_seats_back(self) -> None:
        self.begin_match()
        self.cluster.lapse(self.a)
        self.b.registry.seen_dead({"aaaaaaaa"})
        self.settle()
        assert self.a.registry.seats_held() == self.b.registry.seats_held() == 0
        assert not self.alice.closed
        self.place(self.alice, 1, 1)
        assert self.kinds(self.bob) == [Placed]

    def test_it_reads_its_rooms_when_it_is_told_so(self) -> None:
        self.begin_match()
        self.a.pushes.deaf = True
        self.cluster.lapse(self.a)
        self.b.registry.seen_dead({"aaaaaaaa"})
        self.settle()
        assert self.b.registry.seats_held() == 1
        self.cluster.lapse(self.a)
        self.cluster.clock.advance(LEASE / 4)
        self.settle()
        assert self.b.registry.seats_held() == 0

    def test_its_user_may_have_come_back_elsewhere(self) -> None:
        self.begin_match()
        self.a.pushes.deaf = True
        self.cluster.lapse(self.a)
        self.b.registry.seen_dead({"aaaaaaaa"})
        self.settle()
        alice = self.come_back("alice")
        assert self.kinds(alice) == [Joined]
        self.a.pushes.deaf = False
        self.settle()
        assert self.alice.closed
        self.a.registry.leave(self.alice)
        self.settle()
        assert self.b.registry.seats_held() == 0
        self.place(alice, 1, 1)
        assert self.kinds(self.bob) == [Placed]

    def test_its_match_may_be_over(self) -> None:
        self.begin_match()
        self.a.pushes.deaf = True
        self.cluster.lapse(self.a)
        self.b.registry.seen_dead({"aaaaaaaa"})
        self.settle()
        self.b.registry.forfeit(self.bob)
        self.settle()
        self.a.pushes.deaf = False
        self.settle()
        assert self.alice.told() == [told.ended(4, EMPTY, "forfeited", "alice")]


class HalfDoneTests(DeadCase):
    """What a node leaves that dies between two steps."""

    options = {"max_rooms": 3, "rejoin_timeout": 30.0}

    def start_creation(self) -> None:
        """The first node has the name, and hasn't written the room."""
        self.a.registry.create(self.alice, "den")
        self.cluster.clock.advance(0)
        self.a.wires.last.deaf = True
        self.cluster.redis("PING")
        assert self.cluster.redis("HGET", "rooms:{index}", "den").startswith(b"c:1:aaaaaaaa")

    def test_a_claim_without_a_room_is_taken_away(self) -> None:
        self.start_creation()
        self.b.registry.create(self.bob, "den")
        self.settle()
        assert type(self.bob.told()[0]) is Refused
        assert self.listed(self.b) == ()
        self.kill(self.a)
        self.b.registry.create(self.bob, "den")
        self.settle()
        assert self.kinds(self.bob) == [Joined]

    def test_the_claim_of_a_node_that_lives_is_left_alone(self) -> None:
        self.start_creation()
        self.b.registry.seen_dead(set())
        self.settle()
        self.a.wires.last.deaf = False
        self.settle()
        assert self.kinds(self.alice) == [Joined]

    def test_who_has_lost_its_claim_in_the_middle_is_closed_and_leaves_nothing(self) -> None:
        self.start_creation()
        self.cluster.lapse(self.a)
        self.b.registry.seen_dead({"aaaaaaaa"})
        self.settle()
        assert self.cluster.redis("HLEN", "rooms:{index}") == 0
        self.a.wires.last.deaf = False
        self.settle()
        assert self.alice.closed and self.alice.told() == []
        assert self.cluster.redis("KEYS", "*den*") == []

    def test_the_next_room_of_that_name_is_safe_from_it(self) -> None:
        self.start_creation()
        self.cluster.lapse(self.a)
        self.b.registry.seen_dead({"aaaaaaaa"})
        self.settle()
        self.b.registry.create(self.bob, "den")
        self.settle()
        assert self.kinds(self.bob) == [Joined]
        self.a.wires.last.deaf = False
        self.settle()
        assert self.alice.closed
        carol = self.guest(self.b, "carol")
        self.b.registry.join(carol, "den", "PLAYER")
        self.settle()
        assert self.kinds(self.bob) == [Began]

    def test_a_room_that_isnt_listed_yet_is_listed(self) -> None:
        self.begin_match()
        # As if the first node had died before the last step.
        claim = self.cluster.redis("HGET", "rooms:{index}", "den").decode()
        self.cluster.redis("HSET", "rooms:{index}", "den", "c" + claim[1:])
        self.cluster.redis("ZREM", "rooms:{index}:all", "den")
        self.kill(self.a)
        assert self.listed(self.b, "VIEWER") == ("den",)
        assert self.listed(self.b, "PLAYER") == ()

    def test_an_end_that_was_written_but_not_told(self) -> None:
        self.begin_match(viewers=True)
        self.a.registry.forfeit(self.alice)
        self.cluster.clock.advance(0)
        self.a.wires.last.deaf = True
        self.cluster.redis("PING")
        self.settle()
        assert self.cluster.redis("EXISTS", "room:{den}") == 0
        assert self.bob.told() == [] and self.listed(self.b, "VIEWER") == ("den",)
        self.kill(self.a)
        assert self.bob.told() == self.vera.told() == [
            told.ended(5, EMPTY, "forfeited", "bob")
        ]  # fmt: skip
        assert self.listed(self.b, "VIEWER") == ()

    def test_a_beginning_that_was_written_but_not_told(self) -> None:
        self.b.registry.create(self.bob, "den")
        self.settle()
        self.bob.told()
        self.a.registry.join(self.alice, "den", "PLAYER")
        self.cluster.clock.advance(0)
        for wire in self.a.wires.wires:
            while not wire.read():
                pass
        self.cluster.clock.advance(0)
        self.a.wires.last.deaf = True
        self.cluster.redis("PING")
        self.settle()
        self.kill(self.a)
        assert self.kinds(self.bob) == [Began]
        alice = self.come_back("alice")
        assert self.kinds(alice) == [Joined]


class StoppingTests(DeadCase):
    options = {"max_rooms": 3, "rejoin_timeout": 30.0}

    def test_a_node_that_stops_leaves_its_players_seats_held_and_no_lease(self) -> None:
        self.begin_match()
        self.a.registry.leave(self.alice)
        stopping = Deferred.fromCoroutine(self.a.registry.stop())
        for _ in range(10):
            self.cluster.pass_time(0.5)
        self.successResultOf(stopping)
        self.cluster.nodes.remove(self.a)
        assert self.cluster.redis("EXISTS", "node:{lease}:aaaaaaaa") == 0
        alice = self.come_back("alice")
        assert self.kinds(alice) == [Joined]

    def test_a_registry_stops_without_redis(self) -> None:
        self.a.wires.refuse = True
        self.a.link.fail("it is to be away")
        self.flushLoggedErrors()
        stopping = Deferred.fromCoroutine(self.a.registry.stop())
        self.cluster.pass_time(3)
        self.successResultOf(stopping)
