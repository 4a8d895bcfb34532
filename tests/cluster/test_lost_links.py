"""Connections to Redis that are lost, and Redis itself: nothing twice, nothing forgotten."""

from __future__ import annotations

from tests.cluster.helpers import Cluster, RedisServer, Wire, needs_redis
from tests.cluster.test_nodes import EMPTY, NodesCase
from tests.doors.rooms.test_server_accounts import log
from tests.lobby import told
from tictac.lobby.events import Began, Ended, Joined, Listed, Placed


class LinkCase(NodesCase):
    def cut(self, wire: Wire) -> None:
        """Lose a connection of a node; it makes both again when some time has passed."""
        with log():
            wire.cut()
            self.cluster.pass_time(1)

    def lose_reply(self) -> None:
        """What the first node asks now reaches Redis, but the answer is lost."""
        wire = self.a.wires.last
        wire.deaf = True
        self.cluster.clock.advance(0)
        # Redis works connections off in turn, so that it has done that before this.
        self.cluster.redis("PING")
        wire.throw_away()
        self.cut(wire)

    def lose_request(self) -> None:
        """What the first node asks now never reaches Redis."""
        self.cut(self.a.wires.last)


class LostReplyTests(LinkCase):
    """The write was made."""

    def test_a_move_is_made_once(self) -> None:
        self.begin_match()
        self.a.registry.place(self.alice, "1:1")
        self.lose_reply()
        placed = told.placed(4, "000010000", 4)
        assert self.alice.told() == self.bob.told() == [placed]
        self.place(self.bob, 0, 0)
        assert self.alice.told() == self.bob.told() == [told.placed(5, "200010000", 0)]

    def test_a_move_that_was_answered_meanwhile(self) -> None:
        self.begin_match()
        self.b.registry.place(self.bob, "0:0")
        self.settle()
        self.a.registry.place(self.alice, "1:1")
        wire = self.a.wires.last
        wire.deaf = True
        self.cluster.settle()
        self.b.registry.forfeit(self.bob)
        self.settle()
        wire.throw_away()
        self.cut(wire)
        moves = [told.placed(4, "000010000", 4), told.placed(5, "200010000", 0)]
        ended = told.ended(6, "200010000", "forfeited", "alice")
        assert self.bob.told() == [*moves, ended]
        # Its own copy is gone with the room: what is left to tell is the end.
        assert ended in self.alice.told()

    def test_a_room_is_created_once(self) -> None:
        self.a.registry.create(self.alice, "den")
        self.lose_reply()
        assert self.alice.told() == [
            told.joined(1, self.alice.occupant_id, "alice", "PLAYER", True)
        ]
        assert self.listed(self.b) == ("den",)

    def test_a_room_whose_claim_was_answered_is_created_once(self) -> None:
        self.a.registry.create(self.alice, "den")
        self.step(self.a.wires.last)
        self.lose_reply()
        assert self.alice.told() == [
            told.joined(1, self.alice.occupant_id, "alice", "PLAYER", True)
        ]
        assert self.listed(self.b) == ("den",)

    def step(self, wire: Wire) -> None:
        """Answers, until something is asked because of them."""
        self.cluster.clock.advance(0)
        asked = len(wire.sent)
        while len(wire.sent) == asked:
            wire.read()
            self.cluster.clock.advance(0)

    def test_somebody_joins_a_room_whose_creator_doesnt_know_yet(self) -> None:
        self.a.registry.create(self.alice, "den")
        self.step(self.a.wires.last)
        wire = self.a.wires.last
        wire.deaf = True
        self.cluster.settle()
        self.b.registry.join(self.bob, "den", "PLAYER")
        self.settle()
        wire.throw_away()
        self.cut(wire)
        assert self.kinds(self.alice) == [Joined, Began]
        assert self.kinds(self.bob) == [Joined, Began]

    def test_who_joins_joins_once_and_the_match_begins_once(self) -> None:
        self.b.registry.create(self.bob, "den")
        self.settle()
        self.a.registry.join(self.alice, "den", "PLAYER")
        self.lose_reply()
        assert self.kinds(self.alice) == [Joined, Began]
        assert self.kinds(self.bob) == [Joined, Began]
        assert self.listed(self.b) == ()

    def test_a_match_ends_once(self) -> None:
        self.begin_match(viewers=True)
        self.a.registry.forfeit(self.alice)
        self.lose_reply()
        ended = told.ended(5, EMPTY, "forfeited", "bob")
        assert self.alice.told() == self.bob.told() == self.vera.told() == [ended]
        assert self.listed(self.b, "VIEWER") == ()


class LostRequestTests(LinkCase):
    """The write wasn't made."""

    def test_everything_is_asked_again(self) -> None:
        self.a.registry.create(self.alice, "den")
        self.lose_request()
        assert self.kinds(self.alice) == [Joined]
        carol = self.guest(self.a, "carol")
        self.a.registry.join(carol, "den", "VIEWER")
        self.lose_request()
        assert self.kinds(carol) == [Joined]
        self.b.registry.join(self.bob, "den", "PLAYER")
        self.settle()
        self.alice.told()
        self.bob.told()
        self.a.registry.place(self.alice, "1:1")
        self.lose_request()
        assert self.kinds(self.alice) == self.kinds(self.bob) == [Placed]
        self.a.registry.forfeit(self.alice)
        self.lose_request()
        assert self.kinds(self.alice) == self.kinds(self.bob) == [Ended]
        self.a.registry.list_rooms(self.alice, "PLAYER")
        self.lose_request()
        assert self.kinds(self.alice) == [Listed]

    def test_a_request_that_arrives_after_all(self) -> None:
        """The old connection delivers it when the new one has sent it again."""
        self.begin_match()
        self.a.registry.place(self.alice, "1:1")
        sent = self.a.wires.last.sent
        count = len(sent)
        self.cluster.clock.advance(0)
        [late] = sent[count:]
        self.a.wires.last.throw_away()
        self.cut(self.a.wires.last)
        self.b.wires.last.write(late)  # as from anywhere
        self.b.link._waiting.append((late, lambda reply: None))
        self.settle()
        assert self.alice.told() == self.bob.told() == [told.placed(4, "000010000", 4)]

    def test_who_left_meanwhile_has_left(self) -> None:
        self.begin_match()
        with log():
            self.a.wires.last.cut()
            self.a.registry.leave(self.alice)
            self.cluster.pass_time(3)
        assert self.b.registry.seats_held() == 1

    def test_what_was_missed_meanwhile_is_told(self) -> None:
        self.begin_match()
        self.place(self.alice, 1, 1)
        self.alice.told()
        with log():
            self.a.wires.last.cut()
            self.place(self.bob, 0, 0)
            assert self.alice.told() == []
            self.cluster.pass_time(3)
        assert self.alice.told() == [told.placed(5, "200010000", 0)]


class TimeoutTests(LinkCase):
    def setUp(self) -> None:
        super().setUp()
        self.begin_match()

    def test_who_waits_too_long_is_closed_and_the_request_counts_once(self) -> None:
        with log() as events:
            self.a.wires.refuse = True
            self.a.wires.last.cut()
            self.a.registry.place(self.alice, "1:1")
            self.cluster.clock.pump([1.0] * 4)
            assert not self.alice.closed
            assert not self.a.registry.ready()
            self.cluster.clock.advance(17)
            assert self.alice.closed
            self.a.registry.leave(self.alice)
            self.a.wires.refuse = False
            self.cluster.pass_time(3)
        assert self.a.registry.ready()
        assert self.bob.told() == [told.placed(4, "000010000", 4)]
        assert self.b.registry.seats_held() == 1
        lines = [event["log_format"] for event in events]
        assert lines == ["redis is away: {why}", "redis is back after {seconds:.1f} s"]

    def test_redis_that_doesnt_answer_is_given_up(self) -> None:
        with log() as events:
            wire = self.a.wires.last
            wire.deaf = True
            for _ in range(3):
                self.cluster.clock.advance(15)
            assert wire.lost
            self.cluster.pass_time(3)
        assert self.a.registry.ready()
        assert events[0]["why"] == "it doesn't answer"

    def test_redis_that_takes_a_connection_and_never_answers_is_given_up(self) -> None:
        with log():
            self.a.wires.deaf = True
            self.a.wires.last.cut()
            self.cluster.clock.advance(1)
            wire = self.a.wires.last
            assert wire.deaf and not wire.lost
            self.a.wires.deaf = False
            for _ in range(2):
                self.cluster.clock.advance(15)
            assert wire.lost and not self.a.registry.ready()
            self.cluster.pass_time(3)
        assert self.a.registry.ready()


@needs_redis
class KilledRedisTests(NodesCase):
    """Redis with a file of its own, killed and started again."""

    def setUp(self) -> None:
        self.redis = RedisServer("--appendonly", "yes", "--appendfsync", "always")
        self.addCleanup(self.redis.stop)
        super().setUp()

    def make_cluster(self) -> Cluster:
        return Cluster(self.redis.port)

    def test_nothing_that_was_acknowledged_is_lost(self) -> None:
        self.begin_match(viewers=True)
        self.place(self.alice, 1, 1)
        for guest in (self.alice, self.bob, self.vera):
            guest.told()
        with log():
            self.redis.kill()
            self.a.registry.place(self.alice, "0:1")
            self.b.registry.place(self.bob, "0:0")
            self.cluster.pass_time(2)
            self.redis.start()
            self.cluster.pass_time(3)
        boards = ["200010000", "200110000"]
        for guest in (self.alice, self.bob, self.vera):
            assert [e.position for e in guest.told() if isinstance(e, Placed)] == boards

    def test_of_a_redis_that_forgets_everything_the_players_are_sent_away(self) -> None:
        self.begin_match()
        self.cluster.redis("FLUSHALL")
        self.place(self.alice, 1, 1)
        assert self.alice.closed
        self.a.registry.leave(self.alice)
        carol = self.guest(self.a, "carol")
        self.a.registry.create(carol, "den")
        self.settle()
        assert self.kinds(carol) == [Joined]

    def test_scripts_that_were_forgotten_are_loaded_again(self) -> None:
        self.begin_match()
        self.cluster.redis("SCRIPT", "FLUSH")
        self.place(self.alice, 1, 1)
        assert self.kinds(self.alice) == self.kinds(self.bob) == [Placed]

    def test_a_redis_that_refuses_to_write_is_away(self) -> None:
        self.begin_match()
        self.cluster.redis("CONFIG", "SET", "maxmemory", "1")
        with log() as events:
            self.a.registry.place(self.alice, "1:1")
            self.exchange()
            assert not self.a.registry.ready()
            self.cluster.redis("CONFIG", "SET", "maxmemory", "0")
            self.cluster.pass_time(3)
        assert self.kinds(self.alice) == [Placed]
        assert "OOM" in events[0]["why"]

    def test_a_redis_that_refuses_to_publish_to_it_is_away(self) -> None:
        self.cluster.redis("ACL", "SETUSER", "default", "resetchannels")
        with log() as events:
            self.a.registry.create(self.alice, "den")
            self.exchange()
            self.cluster.redis("ACL", "SETUSER", "default", "allchannels")
            self.cluster.pass_time(3)
        assert self.kinds(self.alice) == [Joined]
        assert "NOPERM" in events[0]["why"]

    def test_what_isnt_redis_any_more_is_away(self) -> None:
        with log() as events:
            self.a.wires.last.protocol.dataReceived(b"HTTP/1.1 200 OK\r\n")
            assert not self.a.registry.ready() and self.a.wires.last.lost
            self.cluster.pass_time(3)
        assert self.a.registry.ready()
        assert events[0]["why"].startswith("Protocol error")

    def exchange(self) -> None:
        while self.a.link.up:
            self.cluster.clock.advance(0)
            for wire in self.a.wires.wires:
                wire.read()
