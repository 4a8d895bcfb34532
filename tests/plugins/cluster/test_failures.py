"""What those at other nodes notice when a node dies, sleeps, stops or can't be reached."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from tests.archive.helpers import archive_of
from tests.lobby.registry_suite import Guest
from tests.lobby.test_any_game import Knowing
from tictac.archive.match import is_id
from tictac.archive.write_behind import WriteBehind
from tictac.errors import NoSuchRoom, PrivateRoom, StaleMove
from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.events import Began, Ended, Event, Joined, Placed, Refused, Undone
from tictac.lobby.journal import KeptRoom
from tictac.lobby.outbox import opened
from tictac.lobby.room import Room
from tictac.lobby.terms import terms_for
from tictac.plugins.cluster.failover import SLICE
from tictac.plugins.cluster.testing import LEASE, PATIENCE, Cluster


class FailureCase(SynchronousTestCase):
    """Alice at A, whose room den is, plays bob at B, where vera watches; C is there, too."""

    def setUp(self) -> None:
        self.cluster = Cluster()
        self.a, self.b, self.c = map(self.cluster.node, "ABC")
        self.cluster.pass_time(LEASE)
        self.alice = Guest(self.a, "alice")
        self.bob, self.vera = Guest(self.b, "bob"), Knowing(self.b, "vera")
        self.a.create(self.alice, "den")
        self.cluster.settle()
        self.b.join(self.vera, "den", "VIEWER")
        self.b.join(self.bob, "den", "PLAYER")
        self.cluster.settle()
        for guest in (self.alice, self.bob, self.vera):
            assert isinstance(guest.told()[-1], Began)

    def boards(self, guest: Guest) -> list[Any]:
        """Return the boards placed since the last time; the guest must have no other events."""
        told = guest.told()
        assert all(isinstance(event, Placed) for event in told), told
        return [event.position for event in told if isinstance(event, Placed)]

    def come(self, node: Any, user: str) -> tuple[Guest, list[Event]]:
        """Let a user come back, and return their events."""
        guest = Guest(node, user)
        node.join(guest, "den", "PLAYER")
        self.cluster.pass_time(1)
        return guest, guest.told()


class DyingTests(FailureCase):
    def test_those_elsewhere_notice_a_pause(self) -> None:
        self.a.place(self.alice, "1:1")
        self.cluster.settle()
        self.cluster.kill("A")
        self.b.place(self.bob, "0:0")
        self.cluster.pass_time(3 * LEASE)
        for guest in (self.bob, self.vera):
            assert self.boards(guest) == ["000010000", "200010000"]
        alice, told = self.come(self.c, "alice")
        assert isinstance(told[0], Joined) and told[0].position == "200010000"
        self.c.place(alice, "2:2")
        self.cluster.settle()
        assert self.boards(alice) == self.boards(self.bob) == ["200010001"]

    def test_what_is_committed_and_wasnt_told_is_told_once(self) -> None:
        for wire in self.cluster.net.between("B", "A"):
            wire.deaf = True
        self.b.place(self.bob, "0:0", keep=False)
        self.a.place(self.alice, "1:1")
        self.cluster.settle()
        self.cluster.kill("A")
        self.cluster.pass_time(3 * LEASE)
        # Bob's was for the empty board.
        assert self.boards(self.vera) == ["000010000"]
        placed, refused = self.bob.told()
        assert isinstance(placed, Placed) and isinstance(refused, Refused)
        assert isinstance(refused.refusal, StaleMove)

    def test_a_seat_isnt_held_for_ever(self) -> None:
        self.cluster.kill("A")
        self.cluster.pass_time(3 * LEASE)
        self.cluster.pass_time(30)
        for node in (self.b, self.c):
            node.expire(600, 3600)
        self.cluster.settle()
        [ended] = self.bob.told()
        assert isinstance(ended, Ended) and (ended.ending, ended.winner) == ("left", "bob")

    def test_rooms_of_nodes_that_are_all_gone(self) -> None:
        for name in "ABC":
            self.cluster.kill(name)
        self.cluster.pass_time(2 * LEASE)
        node = self.cluster.node("D")
        self.cluster.pass_time(LEASE)
        assert node.rooms() == 1
        assert isinstance(self.come(node, "bob")[1][0], Joined)

    def test_a_room_that_cant_be_read_leaves_its_name(self) -> None:
        [(room_id, (owner, kept, lines))] = self.cluster.database.rooms.items()
        broken = KeptRoom(room_id, kept.opened._replace(terms="?"), ())
        self.cluster.database.rooms[room_id] = owner, broken, lines
        self.cluster.kill("A")
        self.cluster.pass_time(4 * LEASE)
        assert self.cluster.lost == ["den"]
        assert self.bob.closed
        carol = Guest(self.c, "carol")
        self.c.create(carol, "den")
        self.cluster.settle()
        assert isinstance(carol.told()[0], Joined)


class EndTests(FailureCase):
    def test_the_id_of_a_match_is_told_on_every_node(self) -> None:
        clock = self.cluster.clock
        self.a.archivist = WriteBehind(archive_of(), clock, clock.seconds)
        self.a.forfeit(self.alice)
        self.cluster.settle()
        ends = [guest.told()[-1] for guest in (self.alice, self.bob, self.vera)]
        ids = [ended.match for ended in ends if isinstance(ended, Ended)]
        assert is_id(ids[0]) and ids == [ids[0]] * 3

    def test_a_match_that_ends_while_its_node_stops_is_archived(self) -> None:
        """Its room outlives the node, so it doesn't end because connections are cut."""
        clock = self.cluster.clock
        self.a.archivist = archivist = WriteBehind(archive_of(), clock, clock.seconds)
        archivist.cut()
        self.b.forfeit(self.bob)
        self.cluster.settle()
        ended = self.vera.told()[-1]
        assert isinstance(ended, Ended) and is_id(ended.match)


class ManyRoomsTests(SynchronousTestCase):
    def test_others_move_while_rooms_are_taken_over(self) -> None:
        now = [0.0]

        def seconds() -> float:
            now[0] += SLICE / 3
            return now[0]

        cluster = Cluster(seconds)
        a, b = map(cluster.node, "AB")
        cluster.pass_time(LEASE)
        for number in range(50):
            a.create(Guest(a, f"user{number}"), f"room {number}")
        cluster.settle()
        rooms = [
            KeptRoom(kept.room_id, kept.opened, tuple(lines))
            for _, kept, lines in cluster.database.rooms.values()
        ]
        cluster.kill("A")
        seen: list[int] = []

        def look() -> None:
            seen.append(len(b.live_rooms))
            if len(seen) < 3:
                cluster.clock.callLater(0, look)

        cluster.parts["B"].takeover.take_over(rooms)
        look()
        cluster.clock.advance(0)
        assert 0 < seen[1] < seen[2] < 20
        assert len(b.live_rooms) == 50

    def test_who_asks_for_one_of_them_has_it_at_once(self) -> None:
        cluster = Cluster()
        cluster.node("A")
        node = cluster.parts["A"]
        cluster.pass_time(LEASE)
        room = Room("den")
        node.takeover.take_over([KeptRoom(1, opened(room), ())])
        assert node.hosting.live_room("den") is not None


class StoppingTests(FailureCase):
    def test_another_node_has_the_rooms_at_once(self) -> None:
        self.a.place(self.alice, "1:1")
        self.a.leave(self.alice)
        self.cluster.stop("A")
        assert self.b.rooms() + self.c.rooms() == 1
        assert isinstance(self.bob.told()[-1], Placed)
        self.b.place(self.bob, "0:0")
        self.cluster.settle()
        assert self.boards(self.bob) == ["200010000"]


class SleepingTests(FailureCase):
    def test_it_acknowledges_nothing_more(self) -> None:
        self.cluster.stores["A"].away = True
        self.a.place(self.alice, "1:1")
        self.cluster.pass_time(3 * LEASE)
        assert self.alice.told() == self.bob.told() == []
        self.cluster.stores["A"].away = False
        with capturedLogs() as logs:
            self.cluster.pass_time(LEASE)
        assert self.alice.closed and not self.bob.closed
        assert any("its players were disconnected" in str(formatEvent(line)) for line in logs)
        _, told = self.come(self.a, "alice")
        assert isinstance(told[0], Joined) and told[0].position == "000000000"
        assert self.a.ready()


class LinkTests(FailureCase):
    def test_a_request_is_made_again_and_done_once(self) -> None:
        self.a.place(self.alice, "1:1")
        self.cluster.settle()
        for wire in self.cluster.net.between("B", "A"):
            wire.deaf = True
        self.b.place(self.bob, "0:0")
        self.cluster.settle()
        room = self.a.room("den")
        assert room is not None and room.moves == 2
        self.cluster.net.cut("A", "B")
        self.cluster.pass_time(2)
        assert self.boards(self.bob) == ["000010000", "200010000"] and room.moves == 2
        assert self.boards(self.alice) == ["000010000", "200010000"] and room.kept is None

    def test_who_leaves_meanwhile_has_left(self) -> None:
        self.cluster.net.part("A", "B")
        self.b.leave(self.bob)
        self.cluster.net.mend()
        self.cluster.pass_time(2)
        assert self.a.seats_held() == 1
        assert isinstance(self.come(self.c, "bob")[1][0], Joined)

    def test_two_that_cant_reach_each_other(self) -> None:
        self.cluster.net.part("A", "B")
        with capturedLogs() as logs:
            self.cluster.pass_time(PATIENCE + 1)
        assert self.bob.closed and self.vera.closed and not self.alice.closed
        assert any("can't be reached" in str(formatEvent(line)) for line in logs)
        assert self.a.seats_held() == 1 and self.b.rooms() == 0
        self.b.leave(self.bob)
        bob, told = self.come(self.c, "bob")
        assert isinstance(told[0], Joined)
        self.a.place(self.alice, "1:1")
        self.cluster.settle()
        assert self.boards(bob) == ["000010000"]

    def test_a_move_for_a_position_that_has_gone(self) -> None:
        self.a.place(self.alice, "1:1")
        self.b.place(self.bob, "0:0", keep=False)
        self.cluster.settle()
        event = next(each for each in self.bob.told() if isinstance(each, Refused))
        assert isinstance(event.refusal, StaleMove) and event.position == "000010000"


class DatabaseTests(FailureCase):
    def test_those_who_wait_too_long_for_it_are_disconnected(self) -> None:
        for store in self.cluster.stores.values():
            store.away = True
        assert not self.a.ready()
        self.b.place(self.bob, "1:1", keep=False)
        self.a.place(self.alice, "1:1")
        with capturedLogs() as logs:
            self.cluster.pass_time(PATIENCE + 1)
        assert self.alice.closed
        away = [line for line in logs if "players were disconnected" in str(formatEvent(line))]
        assert len(away) == 1


class ElsewhereTests(FailureCase):
    def test_private_rooms_and_clocks(self) -> None:
        terms = terms_for(game_type_of("nim"), {}, key="k", time=TimeControl(60))
        owner, guest = Knowing(self.a, "carol"), Knowing(self.c, "dave")
        self.a.create(owner, "attic", terms)
        self.cluster.settle()
        assert "attic" not in [room.name for room in self.c.public_rooms()]
        self.c.join(guest, "attic", "PLAYER")
        self.cluster.settle()
        assert guest.refusal() == ("join", PrivateRoom)
        self.c.join(guest, "attic", "PLAYER", "k")
        self.cluster.settle()
        mine, theirs = self.a.room("attic"), self.c.room("attic")
        assert mine is not None and theirs is not None and theirs.begun
        self.cluster.pass_time(10)
        clocks = [room.clock.remaining(self.cluster.seconds())
                  for room in (mine, theirs) if room.clock is not None]  # fmt: skip
        self.assertAlmostEqual(clocks[0][0], 50, 2)
        self.assertAlmostEqual(clocks[1][0], 50, 2)
        self.c.call_off("attic")
        self.cluster.settle()
        assert isinstance(owner.told()[-1], Ended) and isinstance(guest.told()[-1], Ended)

    def test_a_move_is_taken_back(self) -> None:
        owner, guest = Knowing(self.a, "carol"), Knowing(self.c, "dave")
        self.a.create(owner, "attic", terms_for(game_type_of("reversi"), {}))
        self.cluster.settle()
        self.c.join(guest, "attic", "PLAYER")
        self.cluster.settle()
        self.a.place(owner, "d3")
        self.cluster.settle()
        self.c.place(guest, "c3")
        self.cluster.settle()
        self.c.offer(guest, "takeback")
        self.cluster.settle()
        self.a.answer(owner, "takeback", True)
        self.cluster.settle()
        mine, theirs = self.a.room("attic"), self.c.room("attic")
        assert mine is not None and theirs is not None and mine.position == theirs.position
        assert isinstance(owner.told()[-1], Undone) and isinstance(guest.told()[-1], Undone)
        self.cluster.kill("A")
        self.cluster.pass_time(3 * LEASE)
        self.c.place(guest, "e3")
        self.cluster.settle()
        assert isinstance(guest.told()[-1], Placed)

    def test_a_name_that_nobody_has_spoken_of(self) -> None:
        dave = Guest(self.c, "dave")
        for name in ("cellar", "no\x00name"):
            self.c.join(dave, name, "PLAYER")
            self.cluster.settle()
            assert dave.refusal() == ("join", NoSuchRoom)
        self.cluster.parts["C"].directory.entries.clear()
        self.c.join(dave, "den", "VIEWER")
        self.cluster.settle()
        assert isinstance(dave.told()[0], Joined)

    def test_rooms_that_are_sought(self) -> None:
        self.c.create(Guest(self.c, "carol"), "cellar")
        self.c.sought.add("cellar")
        self.cluster.settle()
        assert self.a.sought == {"cellar"}


class SlowCommitsTests(FailureCase):
    """PostgreSQL doesn't answer commits of one node until the test says so."""

    def setUp(self) -> None:
        super().setUp()
        self.commits: list[Callable[[], None]] = []

    def hold_commits(self, name: str) -> None:
        """Let the commits of a node wait."""
        store = self.cluster.stores[name]
        commit, held = store.commit, self.commits
        store.commit = lambda *words: held.append(partial(commit, *words))  # type: ignore[method-assign]
        self.addCleanup(store.__dict__.pop, "commit", None)

    def commit(self, name: str) -> None:
        """Commit the waiting batches, and stop holding commits."""
        del self.cluster.stores[name].__dict__["commit"]
        for commit in self.commits:
            commit()
        self.cluster.settle()

    def test_a_player_elsewhere_who_was_disconnected_comes_back_to_the_seat(self) -> None:
        self.hold_commits("A")
        self.a.place(self.alice, "1:1")
        self.cluster.pass_time(PATIENCE + 1)
        assert self.bob.closed
        self.b.leave(self.bob)
        self.commit("A")
        _, told = self.come(self.c, "bob")
        assert [type(event) for event in told] == [Joined]

    def test_viewers_elsewhere_who_were_disconnected_are_gone(self) -> None:
        self.hold_commits("A")
        self.a.place(self.alice, "1:1")
        self.cluster.pass_time(PATIENCE + 1)
        assert self.vera.closed
        self.b.leave(self.vera)
        self.commit("A")
        room = self.a.room("den")
        assert room is not None and not room.viewers

    def test_a_refusal_comes_before_the_board_that_follows_it(self) -> None:
        self.b.place(self.bob, "1:1")
        self.b.place(self.bob, "0:0")
        self.cluster.settle()
        self.hold_commits("B")
        self.b.create(Guest(self.b, "carol"), "cellar")
        self.cluster.settle()
        assert self.commits
        self.a.place(self.alice, "1:1")
        self.cluster.settle()
        self.commit("B")
        seen = [(type(event), getattr(event, "position", None)) for event in self.bob.told()]
        assert seen == [
            (Placed, "000010000"), (Refused, "000010000"), (Placed, "200010000")
        ]  # fmt: skip


class EndOverALostLinkTests(FailureCase):
    """The link of A and B is lost while the match ends."""

    def setUp(self) -> None:
        super().setUp()
        for wire in self.cluster.net.between("B", "A"):
            wire.deaf = True
        self.a.forfeit(self.alice)
        self.cluster.settle()

    def test_everybody_elsewhere_is_told_the_end_over_the_next_link(self) -> None:
        self.cluster.net.cut("A", "B")
        self.cluster.pass_time(2)
        for guest in (self.bob, self.vera):
            ends = [event for event in guest.told() if isinstance(event, Ended)]
            assert [end.winner for end in ends] == ["bob"] and not guest.closed

    def test_the_owner_keeps_the_end_only_until_it_is_heard(self) -> None:
        hosting = self.cluster.parts["A"].hosting
        assert any(visitors.ended for visitors in hosting.visitors.values())
        self.cluster.net.cut("A", "B")
        self.cluster.pass_time(2)
        assert not any(visitors.ended for visitors in hosting.visitors.values())

    def test_the_owner_forgets_an_end_that_nobody_is_left_to_hear(self) -> None:
        for each in (self.bob, self.vera):
            self.b.leave(each)
        for wire in self.cluster.net.between("B", "A"):
            wire.deliver()
        self.cluster.settle()
        hosting = self.cluster.parts["A"].hosting
        assert not any(visitors.ended for visitors in hosting.visitors.values())


class TakenOverTests(FailureCase):
    """A dies, and B takes its room over."""

    def take_over(self) -> None:
        self.cluster.kill("C")
        self.cluster.kill("A")
        self.cluster.pass_time(4 * LEASE)

    def test_the_lobby_hears_of_the_room(self) -> None:
        heard: list[str] = []
        self.b.changed = lambda room: heard.append(room.name)
        self.take_over()
        assert "den" in heard and self.b.rooms() == 1

    def test_a_room_that_was_known_otherwise_here_is_as_it_was_kept(self) -> None:
        def adopt(*_: object) -> Room:
            raise ValueError("after event 3 comes 7")

        self.patch(self.cluster.parts["B"].takeover, "_adopt", adopt)
        self.take_over()
        assert (
            self.bob.closed and self.b.rooms() == 1 and not self.cluster.parts["B"].takeover.taking
        )


class ClockTests(FailureCase):
    def test_a_clock_stands_still_once_the_end_has_come(self) -> None:
        owner, guest = Knowing(self.a, "carol"), Knowing(self.b, "dave")
        self.a.create(owner, "attic", terms_for(game_type_of("nim"), {}, time=TimeControl(60)))
        self.cluster.settle()
        self.b.join(guest, "attic", "PLAYER")
        self.cluster.settle()
        theirs = self.b.room("attic")
        assert theirs is not None and theirs.clock is not None
        for wire in self.cluster.net.between("B", "A"):
            wire.deaf = True
        self.a.forfeit(owner)
        self.cluster.pass_time(LEASE)
        for wire in self.cluster.net.between("B", "A"):
            wire.deliver()
        self.cluster.settle()
        self.cluster.pass_time(5)
        # What it took to come here isn't known there.
        left = theirs.clock.remaining(self.cluster.seconds())[0]
        self.assertAlmostEqual(left, 60 - LEASE, 1)
