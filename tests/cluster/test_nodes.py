"""Two nodes on one Redis: what one has made the other lists, joins, watches and plays."""

from __future__ import annotations

from random import Random
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.cluster.helpers import Cluster, TestNode, needs_redis
from tests.lobby import told
from tests.lobby.registry_suite import Guest, Notes
from tests.lobby.test_computer import NoThinker
from tictac.errors import NoSuchRoom, NotInRoom, RoomExists, RoomFull, TooManyRooms
from tictac.lobby.computer import Computer
from tictac.lobby.events import Began, Ended, Event, Joined, Listed, Mode, Placed, Refused

EMPTY = "000000000"


@needs_redis
class NodesCase(SynchronousTestCase):
    options: dict[str, Any] = {"max_rooms": 3}

    def setUp(self) -> None:
        self.cluster = self.make_cluster()
        self.addCleanup(self.cluster.close)
        self.a = self.cluster.node(**self.options)
        self.b = self.cluster.node(**self.options)
        self.alice, self.vera = self.guest(self.a, "alice"), self.guest(self.b, "vera")
        self.bob = self.guest(self.b, "bob")

    def make_cluster(self) -> Cluster:
        """On the Redis that all such tests share."""
        return Cluster()

    def guest(self, node: TestNode, user: str) -> Guest:
        """Somebody who is connected to a node."""
        return Guest(node.registry, user)

    def settle(self) -> None:
        self.cluster.settle()

    def begin_match(self, viewers: bool = False) -> None:
        """Alice on the first node plays bob on the second, where vera watches."""
        self.a.registry.create(self.alice, "den")
        self.settle()
        if viewers:
            self.b.registry.join(self.vera, "den", "VIEWER")
            self.settle()
        self.b.registry.join(self.bob, "den", "PLAYER")
        self.settle()
        for guest in (self.alice, self.bob, self.vera):
            guest.told()

    def place(self, guest: Guest, x: int, y: int) -> None:
        node = self.a if guest.occupant_id[0] == "a" else self.b
        node.registry.place(guest, f"{x}:{y}")
        self.settle()

    def listed(self, node: TestNode, mode: Mode = "PLAYER") -> tuple[str, ...]:
        lister = self.guest(node, "lister")
        node.registry.list_rooms(lister, mode)
        self.settle()
        [event] = lister.told()
        assert isinstance(event, Listed)
        return event.rooms

    def kinds(self, guest: Guest) -> list[type[Event]]:
        """The kinds of what somebody was told since the last time."""
        return [type(event) for event in guest.told()]


class PlayingTests(NodesCase):
    def test_everybody_is_told_of_a_match_in_the_same_order(self) -> None:
        self.a.registry.create(self.alice, "den")
        self.settle()
        assert self.alice.told() == [
            told.joined(1, self.alice.occupant_id, "alice", "PLAYER", True)
        ]
        assert self.listed(self.b) == ("den",)
        self.b.registry.join(self.vera, "den", "VIEWER")
        self.settle()
        assert self.vera.told() == [told.joined(2, self.vera.occupant_id, "vera", "VIEWER")]
        self.b.registry.join(self.bob, "den", "PLAYER")
        self.settle()
        began = Began(4, None, ("alice", "bob"))
        assert self.bob.told() == [
            told.joined(3, self.bob.occupant_id, "bob", "PLAYER"), began
        ]  # fmt: skip
        assert self.alice.told() == self.vera.told() == [began]
        assert self.listed(self.a) == () and self.listed(self.a, "VIEWER") == ("den",)
        for guest, x, y in [(self.alice, 1, 1), (self.bob, 0, 0), (self.alice, 0, 2)]:
            self.place(guest, x, y)
        self.place(self.bob, 1, 0)
        self.place(self.alice, 2, 0)
        moves = [
            told.placed(5, "000010000", 4),
            told.placed(6, "200010000", 0),
            told.placed(7, "200010100", 6),
            told.placed(8, "220010100", 1),
            told.ended(9, "221010100", "won", "alice", 2),
        ]
        assert self.alice.told() == self.bob.told() == self.vera.told() == moves
        assert self.listed(self.b, "VIEWER") == ()

    def test_a_late_viewer_on_another_node_knows_whose_turn_it_is(self) -> None:
        self.begin_match()
        self.place(self.alice, 1, 1)
        self.a.registry.join(self.vera, "den", "VIEWER")
        self.settle()
        [joined] = self.vera.told()
        assert isinstance(joined, Joined) and (joined.turn, joined.waiting) == ("bob", "alice")

    def test_a_kept_move_is_played_by_whoever_makes_the_one_before_it(self) -> None:
        self.begin_match()
        self.place(self.bob, 0, 0)
        assert self.bob.told() == []
        self.place(self.alice, 1, 1)
        moves = [told.placed(4, "000010000", 4), told.placed(5, "200010000", 0)]
        assert self.alice.told() == self.bob.told() == moves

    def test_a_kept_move_that_has_become_impossible_is_told_to_its_sender(self) -> None:
        self.begin_match(viewers=True)
        self.place(self.bob, 1, 1)
        self.place(self.alice, 1, 1)
        placed, refused = self.bob.told()
        assert placed == told.placed(5, "000010000", 4)
        assert isinstance(refused, Refused) and refused.to == self.bob.occupant_id
        assert refused.position == "000010000"
        assert self.alice.told() == self.vera.told() == [placed]

    def test_forfeits_and_leaving_are_heard_of_elsewhere(self) -> None:
        self.begin_match()
        self.b.registry.forfeit(self.bob)
        self.settle()
        assert self.alice.told() == [told.ended(4, EMPTY, "forfeited", "alice")]

    def test_rooms_that_nobody_sits_in_here_arent_listened_to(self) -> None:
        self.begin_match(viewers=True)
        numbers = self.cluster.redis("PUBSUB", "NUMSUB", "room:{den}")
        assert numbers == [b"room:{den}", 2]
        self.b.registry.leave(self.vera)
        self.b.registry.forfeit(self.bob)
        self.settle()
        assert self.cluster.redis("PUBSUB", "NUMSUB", "room:{den}") == [b"room:{den}", 0]
        assert not [*self.a.registry.tables, *self.b.registry.tables]


class ComputerTests(NodesCase):
    def test_it_comes_to_rooms_of_its_node_and_leaves_nothing_behind(self) -> None:
        registry = self.a.registry
        registry.watchers.append(
            Computer(registry, self.cluster.clock, 5.0, Random(1), NoThinker())
        )
        registry.create(self.alice, "den")
        self.b.registry.create(self.bob, "cellar")
        self.cluster.pass_time(6)
        assert self.kinds(self.alice) == [Joined, Began] and self.kinds(self.bob) == [Joined]
        self.place(self.alice, 1, 1)
        self.cluster.pass_time(1)
        assert self.kinds(self.alice) == [Placed, Placed]
        registry.forfeit(self.alice)
        self.settle()
        # Nobody but alice is known there any more.
        assert list(registry._desk._visitors) == [self.alice.occupant_id]


class NamesTests(NodesCase):
    def test_one_of_two_who_create_at_the_same_time_gets_the_name(self) -> None:
        self.a.registry.create(self.alice, "den")
        self.b.registry.create(self.bob, "den")
        self.settle()
        outcomes = [*self.alice.told(), *self.bob.told()]
        refusals = [event for event in outcomes if isinstance(event, Refused)]
        assert [type(refused.refusal) for refused in refusals] == [RoomExists]
        assert len(outcomes) == 2 and self.listed(self.a) == ("den",)

    def test_the_limit_holds_for_all_nodes_together(self) -> None:
        for number, node in enumerate([self.a, self.b, self.a]):
            node.registry.create(self.guest(node, "someone"), f"room {number}")
        self.b.registry.create(self.bob, "den")
        self.settle()
        assert self.bob.refusal() == ("create", TooManyRooms)
        assert set(self.listed(self.b)) == {"room 0", "room 1", "room 2"}

    def test_one_of_two_who_join_at_the_same_time_gets_the_seat(self) -> None:
        self.a.registry.create(self.alice, "den")
        self.settle()
        self.alice.told()
        carol = self.guest(self.a, "carol")
        self.b.registry.join(self.bob, "den", "PLAYER")
        self.a.registry.join(carol, "den", "PLAYER")
        self.settle()
        kinds = sorted([self.kinds(self.bob), self.kinds(carol)], key=len)
        assert kinds == [[Refused], [Joined, Began]]
        assert self.kinds(self.alice) == [Began]

    def test_the_name_is_free_as_soon_as_anybody_hears_of_the_end(self) -> None:
        self.begin_match(viewers=True)
        for guest, node in [(self.alice, self.a), (self.bob, self.b)]:
            guest.at(Ended, lambda g=guest, n=node: n.registry.create(g, "den"))  # type: ignore[misc]
        self.a.registry.forfeit(self.alice)
        self.settle()
        events = [*self.alice.told(), *self.bob.told()]
        created = [event for event in events if isinstance(event, Joined)]
        assert [(event.number, event.created) for event in created] == [(1, True)]
        [refused] = [event for event in events if isinstance(event, Refused)]
        assert type(refused.refusal) is RoomExists

    def test_a_room_that_is_gone_is_no_such_room_from_anywhere(self) -> None:
        self.begin_match()
        self.a.registry.forfeit(self.alice)
        self.settle()
        for node, user in [(self.a, "carol"), (self.b, "carol")]:
            carol = self.guest(node, user)
            node.registry.join(carol, "den", "PLAYER")
            self.settle()
            assert carol.refusal() == ("join", NoSuchRoom)

    def test_what_could_never_be_a_name_isnt_looked_for(self) -> None:
        self.cluster.redis("CONFIG", "RESETSTAT")
        for name in ("a}b", "r\u00f6\u00f6m", "x" * 21):
            self.a.registry.join(self.alice, name, "PLAYER")
            self.settle()
            assert self.alice.refusal() == ("join", NoSuchRoom)
        assert b"cmdstat_hgetall" not in self.cluster.redis("INFO", "commandstats")

    def test_both_end_it_at_the_same_time(self) -> None:
        self.begin_match()
        notes = Notes()
        self.a.registry.watchers.append(notes)
        self.b.registry.watchers.append(notes)
        self.a.registry.forfeit(self.alice)
        self.b.registry.forfeit(self.bob)
        self.settle()
        first, second = self.alice.told(), self.bob.told()
        assert [e for e in first if isinstance(e, Ended)] == [
            e for e in second if isinstance(e, Ended)
        ]
        assert len(notes.notes) == 1
        refused = [event for event in [*first, *second] if isinstance(event, Refused)]
        assert [type(event.refusal) for event in refused] == [NotInRoom]


class HintsTests(NodesCase):
    """A publication is only a hint."""

    def deafen(self) -> None:
        """The second node hears nothing of what is published."""
        self.b.pushes.deaf = True

    def hear(self) -> None:
        self.b.pushes.deaf = False
        self.settle()

    def lose_some(self) -> None:
        """The second node never hears what was published meanwhile."""
        wire = self.b.pushes
        self.cluster.settle()
        wire.throw_away()

    def test_one_that_comes_late_is_heard_once(self) -> None:
        self.begin_match()
        self.deafen()
        self.place(self.alice, 1, 1)
        # The second node finds out by its own write, which meets the move.
        self.place(self.bob, 0, 0)
        moves = [told.placed(4, "000010000", 4), told.placed(5, "200010000", 0)]
        assert self.bob.told() == moves
        self.hear()
        assert self.bob.told() == []
        assert self.alice.told() == moves

    def test_one_that_comes_twice_is_heard_once(self) -> None:
        self.begin_match()
        self.place(self.alice, 1, 1)
        text = self.cluster.redis("HGET", "room:{den}", "l3")
        self.cluster.redis("PUBLISH", "room:{den}", text.decode())
        self.settle()
        assert self.bob.told() == [told.placed(4, "000010000", 4)]

    def test_a_gap_is_filled_from_the_log(self) -> None:
        self.begin_match(viewers=True)
        self.deafen()
        self.place(self.alice, 1, 1)
        self.place(self.bob, 0, 0)
        self.place(self.alice, 0, 2)
        self.bob.told()
        self.vera.told()
        self.lose_some()
        self.place(self.bob, 1, 0)
        self.hear()
        moves = [told.placed(7, "200010100", 6), told.placed(8, "220010100", 1)]
        assert self.bob.told() == self.vera.told() == moves

    def test_what_the_log_has_forgotten_is_made_up_by_the_board(self) -> None:
        self.begin_match()
        self.deafen()
        self.place(self.alice, 1, 1)
        for number in range(20):
            carol = self.guest(self.a, f"carol {number}")
            self.a.registry.join(carol, "den", "VIEWER")
            self.settle()
        self.lose_some()
        self.place(self.bob, 0, 0)
        self.hear()
        first, second = self.bob.told()
        assert isinstance(first, Placed) and first.position == "000010000"
        assert second == told.placed(25, "200010000", 0)

    def test_of_another_room_of_that_name_nothing_is_believed(self) -> None:
        self.begin_match()
        self.cluster.redis(
            "PUBLISH", "room:{den}", "c 1-c.4\n4:000010000:0.000\nP4:000010000:0:1:1"
        )
        self.settle()
        assert self.bob.told() == []
        self.place(self.alice, 0, 0)
        assert self.bob.told() == [told.placed(4, "100000000", 0)]

    def test_an_end_that_was_missed_is_found_at_the_next_request(self) -> None:
        self.begin_match()
        self.deafen()
        self.a.registry.forfeit(self.alice)
        self.settle()
        self.lose_some()
        self.place(self.bob, 0, 0)
        ended, refused = self.bob.told()
        assert ended == told.ended(4, EMPTY, "forfeited", "bob")
        assert isinstance(refused, Refused) and type(refused.refusal) is NotInRoom

    def test_of_an_end_that_nobody_remembers_the_connection_is_closed(self) -> None:
        self.begin_match()
        self.deafen()
        self.a.registry.forfeit(self.alice)
        self.settle()
        self.lose_some()
        for key in self.cluster.redis("KEYS", "ended:*"):
            self.cluster.redis("DEL", key.decode())
        self.place(self.bob, 0, 0)
        assert self.bob.closed

    def test_a_new_room_of_that_name_is_another_one(self) -> None:
        self.begin_match()
        self.deafen()
        self.a.registry.forfeit(self.alice)
        self.settle()
        self.lose_some()
        self.a.registry.create(self.alice, "den")
        self.settle()
        self.place(self.bob, 0, 0)
        assert self.kinds(self.bob) == [Ended, Refused]
        self.hear()
        self.b.registry.join(self.bob, "den", "PLAYER")
        self.settle()
        assert self.kinds(self.bob) == [Joined, Began]

    def test_who_joins_again_while_somebody_else_tries_to_create_it(self) -> None:
        """The node listens to the room already when the second request is done."""
        self.a.pushes.deaf = True
        self.a.registry.create(self.alice, "den")
        self.settle()
        carol = self.guest(self.b, "carol")
        self.b.registry.join(self.bob, "den", "PLAYER")
        self.b.registry.create(carol, "den")
        self.b.registry.join(self.bob, "den", "PLAYER")
        self.a.pushes.deaf = False
        self.settle()
        assert self.kinds(self.bob) == [Refused, Joined, Began]
        assert self.kinds(self.alice) == [Joined, Began]
        assert self.kinds(carol) == [Refused]

    def test_who_creates_anew_before_hearing_of_the_end(self) -> None:
        self.begin_match()
        self.deafen()
        self.a.registry.forfeit(self.alice)
        self.settle()
        carol = self.guest(self.b, "carol")
        self.b.registry.create(carol, "den")
        self.b.pushes.deaf = False
        self.settle()
        assert self.kinds(self.bob) == [Ended]
        assert self.kinds(carol) == [Joined]


class ConflictTests(NodesCase):
    def test_a_request_is_applied_to_what_is_there_now(self) -> None:
        self.begin_match(viewers=True)
        # Both ask before either has heard of the other.
        self.a.registry.place(self.alice, "1:1")
        self.b.registry.place(self.bob, "0:0")
        carol = self.guest(self.a, "carol")
        self.a.registry.join(carol, "den", "VIEWER")
        self.settle()
        boards = [e.position for e in self.vera.told() if isinstance(e, Placed)]
        assert boards == ["000010000", "200010000"]
        assert [e.position for e in self.alice.told() if isinstance(e, Placed)] == boards
        assert [e.position for e in self.bob.told() if isinstance(e, Placed)] == boards
        assert type(carol.told()[0]) is Joined

    def test_who_asks_twice_is_answered_in_order(self) -> None:
        self.a.registry.create(self.alice, "den")
        self.a.registry.place(self.alice, "1:1")
        self.a.registry.forfeit(self.alice)
        self.a.registry.forfeit(self.alice)
        self.a.registry.create(self.alice, "den")
        self.a.registry.list_rooms(self.alice, "PLAYER")
        self.settle()
        assert self.kinds(self.alice) == [Joined, Ended, Refused, Joined, Listed]

    def test_who_leaves_before_the_answer_isnt_told(self) -> None:
        self.a.registry.create(self.alice, "den")
        self.a.registry.leave(self.alice)
        self.settle()
        assert self.alice.told() == []
        assert self.a.registry.seats_held() == 1

    def test_many_who_come_at_once_come_in_few_writes(self) -> None:
        self.begin_match()
        guests = [self.guest(self.a, f"guest {number}") for number in range(100)]
        for guest in guests:
            self.a.registry.join(guest, "den", "VIEWER")
        self.settle()
        assert all(self.kinds(guest) == [Joined] for guest in guests)
        numbers = self.cluster.redis("HLEN", "viewers:{den}")
        assert numbers == 100
        version = self.cluster.redis("HGET", "room:{den}", "v")
        assert int(version.split(b".")[1]) < 3 + 10

    def test_a_full_room_is_full_from_everywhere(self) -> None:
        self.begin_match()
        for node in (self.a, self.b):
            carol = self.guest(node, "carol")
            node.registry.join(carol, "den", "PLAYER")
            self.settle()
            assert carol.refusal() == ("join", RoomFull)
