"""The database of nodes in PostgreSQL: a real server, and a network that breaks."""

from __future__ import annotations

import os
from collections.abc import Callable
from unittest.mock import patch

import psycopg
from twisted.logger import capturedLogs, formatEvent

from tests.accounts.postgres import running
from tests.accounts.relay import Relay
from tests.archive.helpers import BOB, GUEST, match
from tests.plugins.cluster import store_suite
from tests.plugins.cluster.loop import Loop
from tests.plugins.cluster.store_suite import Member, lines, made, moved, summary
from tictac.accounts.databases import opened
from tictac.accounts.outages import LONGEST_DELAY
from tictac.accounts.postgres import PostgresDatabase
from tictac.accounts.store import StoreAwayError
from tictac.archive.packed import pack
from tictac.archive.pages import Filter
from tictac.archive.tables import MatchTables
from tictac.lobby.journal import Batch, Outcome
from tictac.plugins.cluster.postgres import PostgresStore
from tictac.plugins.cluster.statements import STATEMENTS
from tictac.plugins.cluster.store import Node

LEASE, TIMEOUT = 1.0, 5.0


class InPostgres(store_suite.StoreCase):
    def setUp(self) -> None:
        self.postgres = running()
        self.url = self.postgres.new_place()
        PostgresDatabase.open(self.url).close()
        self.loop = Loop()
        super().setUp()

    def new_store(self) -> PostgresStore:
        return self.store_at(self.url)

    def store_at(self, url: str) -> PostgresStore:
        store = PostgresStore(url, self.loop, LEASE, TIMEOUT, self.loop.seconds)
        self.addCleanup(store.stop)
        store.start()
        return store

    def until(self, condition: Callable[[], object]) -> None:
        self.loop.until(condition)

    def lapse(self, node_id: str) -> None:
        self.execute(f"UPDATE nodes SET expires = now() - interval '1 s' WHERE id = '{node_id}'")

    def look_around(self) -> None:
        # Nobody is trusted for longer than a lease.
        for _ in range(6):
            self.loop.advance(LEASE / 4)
            self.wait_for_all()

    def wait_for_all(self) -> None:
        """Wait until every request has its answer."""
        self.until(lambda: not any(link._asked for link in self.loop.readers))

    def execute(self, statement: str) -> list[tuple[object, ...]]:
        return self.postgres.execute(statement, self.url)


class PostgresStoreTests(InPostgres, store_suite.EveryStoreTests):
    """What every store promises."""


class Relayed(InPostgres):
    """A node in one room, by way of a relay."""

    def setUp(self) -> None:
        super().setUp()
        self.relay = Relay(self.postgres.port)
        self.addCleanup(self.relay.close)
        self.logs = self.enterContext(capturedLogs())
        self.node = self.joined("a")
        self.den = self.node.open("den", "x")

    def new_store(self) -> PostgresStore:
        url = self.url.replace(str(self.postgres.port), str(self.relay.port))
        return self.store_at(f"{url}&sslmode=disable")

    def said(self) -> list[str]:
        return [str(formatEvent(event)) for event in self.logs]

    def kept(self) -> dict[str, list[tuple[int, str]]]:
        self.wait_for_all()
        self.lapse("a")
        store = self.store_at(self.url)
        again = Member(self, "z", store, Node("z", self.node.node.endpoint))
        return summary(again.join())


class BrokenTests(Relayed):
    """Connections and servers that go in the middle."""

    def test_a_batch_that_didnt_arrive_is_sent_again(self) -> None:
        self.relay.lose(b"moves", reaches=False)
        assert self.node.commit(moved(self.den, 2)) == set()
        assert self.relay.lost == 1
        assert self.kept() == {"den": [(1, "x"), (2, "moved")]} and self.said() == []

    def test_a_batch_whose_answer_was_lost_is_kept_once(self) -> None:
        """And what was refused is known all the same."""
        other = self.joined("b")
        attic = other.open("attic", "x")
        taken, free = self.node.store.new_id(), self.node.store.new_id()
        batch = made(taken, "attic", "y")
        batch.opened[free] = made(free, "cellar").opened[free]
        batch.lines += [*lines(self.den, 2, "z"), *lines(free, 1, "z")]
        self.relay.lose(b"moves", reaches=True)
        assert self.node.commit(batch) == {taken}
        assert self.relay.lost == 1
        assert self.node.commit(moved(free, 2)) == set()
        assert self.execute("SELECT batch FROM nodes WHERE id = 'a'") == [(3,)]
        assert self.kept() == {"den": [(1, "x"), (2, "z")], "cellar": [(1, "z"), (2, "moved")]}
        rooms = {room for (room,) in self.execute("SELECT DISTINCT room FROM room_events")}
        assert rooms == {self.den, free, attic}

    def test_a_match_is_archived_once_though_the_answer_was_lost(self) -> None:
        played = match("m1", GUEST, BOB, private=True, rated=True)
        self.relay.lose(b"archive", reaches=True)
        batch = Batch(closed=[self.den], ended={self.den: pack(played)})
        assert self.node.commit(batch) == set() and self.relay.lost == 1
        assert self.kept() == {}
        with opened(self.url) as database:
            assert list(MatchTables(database).all()) == [played]
            found = MatchTables(database).find(Filter(player="bob", viewer="bob"))
            # To be counted, if its players have accounts.
            uncounted = self.execute("SELECT id FROM uncounted_matches")
        assert [each.id for each in found.matches] == ["m1"] and uncounted == [("m1",)]

    def check_outcome(self, reaches: bool | None) -> None:
        """Check that an outcome is there once, whatever is lost: the batch, or its answer."""
        if reaches is not None:
            self.relay.lose(b"outcomes", reaches=reaches)
        outcome = Outcome("friday-cup", 17, "[1, 0]", "won", "m1")
        ended = {self.den: pack(match("m1", GUEST, BOB))}
        batch = Batch(closed=[self.den], ended=ended, outcomes={self.den: outcome})
        assert self.node.commit(batch) == set()
        rows = "SELECT tournament, game, scores, how, match FROM tournament_outcomes"
        assert self.execute(rows) == [tuple(outcome)]
        assert self.execute("SELECT id FROM matches") == [("m1",)]
        assert self.execute("SELECT count(*) FROM rooms") == [(0,)]
        again = Batch(outcomes={1: outcome._replace(how="again")})
        assert self.node.commit(again) == set()
        assert self.execute(rows) == [tuple(outcome)]
        assert self.relay.lost == (reaches is not None)

    def test_an_outcome_comes_with_the_end_of_its_room(self) -> None:
        self.check_outcome(None)

    def test_an_outcome_that_didnt_arrive_is_sent_again(self) -> None:
        self.check_outcome(False)

    def test_an_outcome_whose_answer_was_lost_is_kept_once(self) -> None:
        self.check_outcome(True)

    def test_a_connection_that_says_nothing_is_ended(self) -> None:
        self.relay.hang(b"moves")
        self.node.begin(moved(self.den, 2))
        self.loop.pass_time(LEASE / 4, lambda: not self.node.store.ready())
        self.until(lambda: self.node.refused[1:])
        assert self.relay.lost == 1 and self.loop.seconds() < TIMEOUT
        assert self.kept() == {"den": [(1, "x"), (2, "moved")]}

    def test_a_server_that_is_killed_and_comes_back(self) -> None:
        assert self.node.store.ready()
        self.postgres.kill()
        try:
            self.until(lambda: not self.node.store.ready())
            self.node.begin(moved(self.den, 2))
            asked = self.node.store.owner("den")
            self.loop.pass_time(0.1, lambda: asked.called)
            self.failureResultOf(asked, StoreAwayError)
        finally:
            self.postgres.start()
        assert self.loop.seconds() < TIMEOUT + 1 and self.node.refused == [set()]
        self.loop.advance(LONGEST_DELAY)
        self.until(lambda: self.node.refused[1:])
        assert self.node.store.ready() and not self.node.watching.is_fenced
        assert self.kept() == {"den": [(1, "x"), (2, "moved")]}
        away, back = self.said()
        assert "rooms in postgresql://postgres@127.0.0.1" in away and "wait up to 5 s" in away
        assert "available again" in back and back.endswith("refused requests: 1")

    def test_nodes_that_were_away_together_dont_take_each_other_over(self) -> None:
        other = self.joined("b")
        self.wait_for_all()
        self.lapse("a")
        self.lapse("b")
        self.loop.advance(2 * LEASE)
        self.wait_for_all()
        for each in (self.node, other):
            assert each.watching.living == ["a", "b"]
            for name in "ab":
                assert self.wait(each.store.take_over(name)) == []

    def test_a_dead_node_is_named_until_somebody_has_taken_it_over(self) -> None:
        other = self.joined("b")
        self.look_around()
        self.lapse("a")
        self.wait(self.node.store.leave())
        for _ in range(2):
            self.look_around()
            assert other.watching.dead == {"a"}
            other.watching.dead = set()
        assert summary(self.wait(other.store.take_over("a"))) == {"den": [(1, "x")]}
        self.look_around()
        assert other.watching.dead == set()

    def test_the_reactors_descriptor_isnt_libpqs(self) -> None:
        """Who gets the number of one that libpq has closed would be taken for the connection."""
        [link] = self.loop.readers
        assert link.fileno() != link._connection.socket
        assert os.path.sameopenfile(link.fileno(), link._connection.socket)

    def test_a_batch_waits_for_a_take_over_and_is_undone(self) -> None:
        """It saw the lease when it began."""
        with psycopg.connect(self.url) as taking:
            taking.execute("UPDATE nodes SET heir = 'b' WHERE id = 'a'")
            self.node.begin(made(7, "attic", "lost"))
            waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
            self.loop.pass_time(0, lambda: self.postgres.execute(waiting) == [(1,)])
        self.until(lambda: self.node.watching.is_fenced)
        assert self.node.refused == [set()] and not self.node.store.ready()
        assert self.execute("SELECT name FROM rooms") == [("den",)]

    def test_a_room_that_the_database_refuses_costs_nobody_else(self) -> None:
        bad = self.node.store.new_id()
        batch = made(bad, "x" * 101, "y")
        batch.lines += lines(self.den, 2, "z")
        batch.closed.append(0)
        assert self.node.commit(batch) == {bad}
        assert self.kept() == {"den": [(1, "x"), (2, "z")]}
        assert len(self.said()) == 1 and "the database refuses a room" in self.said()[0]

    def test_a_row_that_cant_be_read_costs_its_room(self) -> None:
        for name in ("attic", "cellar"):
            self.node.open(name, "y")
        self.execute("UPDATE rooms SET format = 99 WHERE name = 'attic'")
        self.execute(f"UPDATE room_events SET number = -1, event = '' WHERE room = {self.den}")
        rooms = self.kept()
        assert set(rooms) == {"den", "cellar"} and rooms["den"] == [(-1, "")]
        assert [
            line
            for line in self.said()
            if "another version of tictac saved the room 'attic'" in line
        ]


class OlderTests(Relayed):
    """A database that comes back as it was before."""

    def restore(self, *changes: str) -> None:
        """Bring back what was saved, with these changes, and break all connections."""
        for table in ("nodes", "rooms", "room_events"):
            self.execute(f"DELETE FROM {table}")
            self.execute(f"INSERT INTO {table} SELECT * FROM older_{table}")
        for change in changes:
            self.execute(change)
        self.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )

    def save(self) -> None:
        for table in ("nodes", "rooms", "room_events"):
            self.execute(f"CREATE TABLE older_{table} AS TABLE {table}")

    def play_on(self) -> None:
        """Commit a move in the den, and open another room."""
        self.node.commit(moved(self.den, 2, "told"))
        self.attic = self.node.open("attic", "told")
        rooms = self.node.watching.rooms
        rooms.opened = {**made(self.den, "den").opened, **made(self.attic, "attic").opened}
        rooms.lines = [*lines(self.den, 1, "x", "told"), *lines(self.attic, 1, "told")]

    def test_rooms_are_written_again(self) -> None:
        for change in ((), ("DELETE FROM nodes",), ("UPDATE rooms SET node = 'dead'",)):
            with self.subTest(change):
                gone = self.node.open("gone", "x")
                self.save()
                self.node.commit(Batch({}, [], [gone]))
                self.play_on()
                self.restore(*change)
                assert self.node.commit(moved(self.den, 3)) == set()
                assert "older than what players have seen: 2 rooms" in self.said()[-1]
                den = [(1, "x"), (2, "told"), (3, "moved")]
                assert self.kept() == {"den": den, "attic": [(1, "told")]}
            self.tearDown()
            self.doCleanups()
            self.setUp()

    def test_a_name_that_is_another_nodes_by_now(self) -> None:
        self.joined("b")
        self.save()
        self.play_on()
        taken = "INSERT INTO rooms VALUES (1, 'b', NULL, 1, 'attic', '', '')"
        self.restore(taken, "UPDATE nodes SET expires = now() + interval '1 hour' WHERE id = 'b'")
        assert self.node.commit(moved(self.den, 3)) == {self.attic}
        assert self.kept() == {"den": [(1, "x"), (2, "told"), (3, "moved")]}

    def test_who_was_taken_over_meanwhile_is_fenced(self) -> None:
        self.save()
        self.play_on()
        self.restore("UPDATE nodes SET heir = 'b'")
        self.node.begin(moved(self.den, 3))
        self.until(lambda: self.node.watching.is_fenced)
        assert len(self.node.refused) == 3


class LinkTests(InPostgres):
    """How the database is reached."""

    def test_what_is_acknowledged_is_on_disk(self) -> None:
        for asked, kept in (("off", "on"), ("remote_apply", "remote_apply")):
            store = self.store_at(f"{self.url}%20-csynchronous_commit%3D{asked}")
            with patch.dict(STATEMENTS, {"owner": "SELECT current_setting($1)"}):
                assert self.wait(store.owner("synchronous_commit")) == kept
                assert self.wait(store.owner("lock_timeout")) == "2500ms"

    def test_what_is_longer_than_the_sockets_buffer(self) -> None:
        text = "x" * 20_000_000
        node = self.joined("a")
        node.open("den", text)
        assert self.restarted("b", node) == {"den": [(1, text)]}

    def test_a_wrong_password(self) -> None:
        with capturedLogs() as logs:
            store = self.store_at(self.postgres.url(user="postgres:open"))
            self.until(lambda: logs)
        line = str(formatEvent(logs[0]))
        assert "password authentication failed" in line and "\n" not in line
        assert not store.ready()
