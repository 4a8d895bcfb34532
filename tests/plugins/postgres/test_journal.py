"""The journal in PostgreSQL: a real server, and a network that breaks."""

from __future__ import annotations

import os
from unittest.mock import patch

import psycopg
from twisted.internet.defer import Deferred
from twisted.logger import capturedLogs, formatEvent

from tests.archive.helpers import BOB, GUEST, match
from tests.plugins.postgres.journals import LEASE, TIMEOUT, InPostgres, lines, made, moved
from tests.storage.relay import Relay
from tictac.archive.packed import pack
from tictac.archive.pages import Filter
from tictac.archive.tables import MatchTables
from tictac.lobby.journal import Batch, KeptRoom, Opened, Outcome
from tictac.plugins.postgres.statements import STATEMENTS
from tictac.storage.databases import opened
from tictac.storage.outages import LONGEST_DELAY
from tictac.storage.store import StoreAwayError


class TurnsTests(InPostgres):
    """Of several processes, one commits."""

    def test_rooms_go_on_in_the_next_process(self) -> None:
        first = self.active("a")
        den = first.open("den", '["joined","é\\u001f",0]', "began")
        attic = first.open("attic", "joined")
        first.commit(Batch({}, [*lines(den, 3, "x", "y"), *lines(attic, 2, "z")]))
        found = [each for each in self.active("b").read() if isinstance(each, KeptRoom)]
        rooms = {room.opened.name: room for room in found}
        assert list(rooms) == ["den", "attic"] and rooms["den"].room_id == den
        assert rooms["den"].opened == Opened("den", "{}", "start")
        texts = ['["joined","é\\u001f",0]', "began", "x", "y"]
        assert [line.text for line in rooms["den"].lines] == texts
        times = [line.at for line in rooms["den"].lines]
        self.assertAlmostEqual(times[3] - times[0], 3, 5)

    def test_who_is_taken_over_commits_nothing_more(self) -> None:
        first = self.active("a")
        den = first.open("den", "x")
        second = self.active("b")
        first.begin(moved(den, 2, "lost"))
        self.until(lambda: first.losses)
        assert len(first.refused) == 1 and not first.journal.ready()
        assert second.commit(moved(den, 2)) == set()
        assert self.kept() == {"den": [(1, "x"), (2, "moved")]}

    def test_nor_after_the_other_one_has_ended(self) -> None:
        first = self.active("a")
        den = first.open("den", "x")
        second = self.active("b")
        second.commit(moved(den, 2))
        self.wait(second.journal.release())
        first.begin(moved(den, 2, "lost"))
        self.until(lambda: first.losses)
        assert self.kept() == {"den": [(1, "x"), (2, "moved")]}

    def test_a_sign_of_life_keeps_others_from_taking_over(self) -> None:
        first, second = self.active("a"), self.process("b")
        last = self.wait(second.journal.whose())
        self.loop.advance(LEASE / 4)
        self.wait_for_all()
        assert not self.wait(second.journal.take(last))
        last = self.wait(second.journal.whose())
        den = first.open("den", "x")
        assert not self.wait(second.journal.take(last))
        assert first.commit(moved(den, 2)) == set() and not first.losses

    def test_who_ends_in_order_says_so(self) -> None:
        first, second = self.active("a"), self.process("b")
        assert self.wait(second.journal.whose()).process == "a"
        self.wait(first.journal.release())
        assert self.wait(second.journal.whose()).process == ""
        assert second.take()

    def test_a_room_that_is_over_isnt_kept(self) -> None:
        a = self.active("a")
        den = a.open("den")
        short, again = a.journal.new_id(), a.journal.new_id()
        # Over and made again in one turn, and another made and over.
        opened = {short: Opened("short", "{}", ""), again: Opened("den", "{}", "")}
        batch = Batch(opened, [*lines(short, 1, "x"), *lines(again, 1, "y")], [den, short])
        assert a.commit(batch) == set()
        assert self.kept() == {"den": [(1, "y")]}

    def test_a_room_that_is_set_aside_frees_its_name(self) -> None:
        a = self.active("a")
        den = a.open("den", "x")
        self.wait(a.journal.set_aside(den))
        a.open("den", "y")
        assert self.kept() == {"den": [(1, "y")]}


class Relayed(InPostgres):
    """The active process, by way of a relay, in one room."""

    def setUp(self) -> None:
        super().setUp()
        self.relay = Relay(self.postgres.port)
        self.addCleanup(self.relay.close)
        self.logs = self.enterContext(capturedLogs())
        url = self.url.replace(str(self.postgres.port), str(self.relay.port))
        self.a = self.active("a", f"{url}&sslmode=disable")
        self.den = self.a.open("den", "x")

    def said(self) -> list[str]:
        return [str(formatEvent(event)) for event in self.logs]


class BrokenTests(Relayed):
    """Connections and servers that go in the middle."""

    def test_a_batch_that_didnt_arrive_is_sent_again(self) -> None:
        self.relay.lose(b"moves", reaches=False)
        assert self.a.commit(moved(self.den, 2)) == set()
        assert self.relay.lost == 1
        assert self.kept() == {"den": [(1, "x"), (2, "moved")]} and self.said() == []

    def test_a_batch_whose_answer_was_lost_is_kept_once(self) -> None:
        """And what was refused is known all the same."""
        self.execute("INSERT INTO rooms VALUES (1, 99, 'attic', '', '')")  # of another version
        taken, free = self.a.journal.new_id(), self.a.journal.new_id()
        batch = made(taken, "attic", "y")
        batch.opened[free] = made(free, "cellar").opened[free]
        batch.lines += [*lines(self.den, 2, "z"), *lines(free, 1, "z")]
        self.relay.lose(b"moves", reaches=True)
        assert self.a.commit(batch) == {taken}
        assert self.relay.lost == 1
        assert self.a.commit(moved(free, 2)) == set()
        assert self.execute("SELECT batch FROM active") == [(3,)]
        assert self.kept() == {"den": [(1, "x"), (2, "z")], "cellar": [(1, "z"), (2, "moved")]}
        rooms = {room for (room,) in self.execute("SELECT DISTINCT room FROM room_events")}
        assert rooms == {self.den, free}

    def test_a_match_is_archived_once_though_the_answer_was_lost(self) -> None:
        played = match("m1", GUEST, BOB, private=True, rated=True)
        self.relay.lose(b"archive", reaches=True)
        batch = Batch(closed=[self.den], ended={self.den: pack(played)})
        assert self.a.commit(batch) == set() and self.relay.lost == 1
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
        assert self.a.commit(batch) == set()
        rows = "SELECT tournament, game, scores, how, match FROM tournament_outcomes"
        assert self.execute(rows) == [tuple(outcome)]
        assert self.execute("SELECT id FROM matches") == [("m1",)]
        assert self.execute("SELECT count(*) FROM rooms") == [(0,)]
        again = Batch(outcomes={1: outcome._replace(how="again")})
        assert self.a.commit(again) == set()
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
        self.a.begin(moved(self.den, 2))
        self.loop.pass_time(LEASE / 4, lambda: not self.a.journal.ready())
        self.until(lambda: self.a.refused[1:])
        assert self.relay.lost == 1 and self.loop.seconds() < TIMEOUT
        assert self.kept() == {"den": [(1, "x"), (2, "moved")]}

    def test_a_commit_is_a_sign_of_life_though_a_renewal_hangs(self) -> None:
        other = self.process("b")
        last = self.wait(other.journal.whose())
        self.relay.hang(b"renew")
        self.loop.pass_time(LEASE / 4, lambda: self.relay.lost)
        self.a.begin(moved(self.den, 2))
        self.loop.pass_time(LEASE / 4, lambda: not self.a.journal.ready())
        self.until(lambda: self.a.refused[1:])
        assert not self.wait(other.journal.take(last)) and not self.a.losses

    def test_a_commit_renews_the_lease(self) -> None:
        self.wait_for_all()
        self.loop.advance(LEASE / 8)  # before the next renewal
        assert self.a.journal.renewed_at < self.loop.seconds()
        self.a.commit(moved(self.den, 2))
        assert self.a.journal.renewed_at == self.loop.seconds()

    def test_batches_that_hang_let_another_process_take_over(self) -> None:
        """No renewal overtakes them, also not on the next connection."""
        other = self.process("b")
        last = self.wait(other.journal.whose())
        self.relay.hang(b"moves")
        self.a.begin(moved(self.den, 2, "lost"))
        self.loop.pass_time(0, lambda: self.relay.lost == 1)
        self.relay.hang(b"moves")
        self.loop.pass_time(LEASE / 4, lambda: self.relay.lost == 2)
        assert self.wait(other.journal.take(last))
        self.loop.pass_time(LEASE / 4, lambda: self.a.losses)
        assert self.kept() == {"den": [(1, "x")]}

    def test_a_newer_schema_ends_the_turn_at_the_next_connection(self) -> None:
        other = self.process("b")
        self.wait(other.journal.whose())
        self.execute("UPDATE schema_version SET version = 99")
        assert self.a.commit(moved(self.den, 2)) == set() and not self.a.losses
        self.relay.lose(b"moves", reaches=True)
        self.a.begin(moved(self.den, 3))
        self.until(lambda: self.a.losses)
        assert self.a.losses == ["a newer version of tictac has upgraded the database"]
        self.wait(other.journal.whose())
        assert other.losses == self.a.losses

    def test_a_server_that_is_killed_and_comes_back(self) -> None:
        assert self.a.journal.ready()
        self.postgres.kill()
        try:
            self.until(lambda: not self.a.journal.ready())
            self.a.begin(moved(self.den, 2))
            asked = Deferred.fromCoroutine(self.a.journal.whose())
            self.loop.pass_time(0.1, lambda: asked.called)
            self.failureResultOf(asked, StoreAwayError)
        finally:
            self.postgres.start()
        assert self.loop.seconds() < TIMEOUT + 1 and self.a.refused == [set()]
        self.loop.advance(LONGEST_DELAY)
        self.until(lambda: self.a.refused[1:])
        assert self.a.journal.ready() and not self.a.losses
        assert self.kept() == {"den": [(1, "x"), (2, "moved")]}
        away, back = self.said()
        assert "rooms in postgresql://postgres@127.0.0.1" in away and "wait up to 5 s" in away
        assert "available again" in back and back.endswith("refused requests: 1")

    def test_the_reactors_descriptor_isnt_libpqs(self) -> None:
        """Who gets the number of one that libpq has closed would be taken for the connection."""
        [link] = self.loop.readers
        assert link.fileno() != link._connection.socket
        assert os.path.sameopenfile(link.fileno(), link._connection.socket)

    def test_a_batch_waits_for_a_take_over_and_is_undone(self) -> None:
        """It saw the lease when it began."""
        with psycopg.connect(self.url) as taking:
            taking.execute("UPDATE active SET process = 'b', term = term + 1")
            self.a.begin(made(7, "attic", "lost"))
            waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
            self.loop.pass_time(0, lambda: self.postgres.execute(waiting) == [(1,)])
        self.until(lambda: self.a.losses)
        assert self.a.refused == [set()] and not self.a.journal.ready()
        assert self.execute("SELECT name FROM rooms") == [("den",)]

    def test_a_room_that_the_database_refuses_costs_nobody_else(self) -> None:
        bad = self.a.journal.new_id()
        batch = made(bad, "x" * 101, "y")
        batch.lines += lines(self.den, 2, "z")
        batch.closed.append(0)
        assert self.a.commit(batch) == {bad}
        assert self.kept() == {"den": [(1, "x"), (2, "z")]}
        assert len(self.said()) == 1 and "the database refuses a room" in self.said()[0]

    def test_a_row_that_cant_be_read_costs_its_room(self) -> None:
        for name in ("attic", "cellar"):
            self.a.open(name, "y")
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
        for table in ("active", "rooms", "room_events"):
            self.execute(f"DELETE FROM {table}")
            self.execute(f"INSERT INTO {table} SELECT * FROM older_{table}")
        for change in changes:
            self.execute(change)
        self.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )

    def save(self) -> None:
        for table in ("active", "rooms", "room_events"):
            self.execute(f"CREATE TABLE older_{table} AS TABLE {table}")

    def play_on(self) -> None:
        """Commit a move in the den, and open another room."""
        self.a.commit(moved(self.den, 2, "told"))
        self.attic = self.a.open("attic", "told")
        rooms = self.a.rooms
        rooms.opened = {**made(self.den, "den").opened, **made(self.attic, "attic").opened}
        rooms.lines = [*lines(self.den, 1, "x", "told"), *lines(self.attic, 1, "told")]

    def check_again(self, *changes: str) -> None:
        """Check that everything is written again in an older database with these changes."""
        gone = self.a.open("gone", "x")
        self.save()
        self.a.commit(Batch({}, [], [gone]))
        self.play_on()
        self.restore(*changes)
        assert self.a.commit(moved(self.den, 3)) == set()
        assert "older than the rooms of this server: rooms saved: 2" in self.said()[-1]
        den = [(1, "x"), (2, "told"), (3, "moved")]
        assert self.kept() == {"den": den, "attic": [(1, "told")]}

    def test_rooms_are_written_again(self) -> None:
        self.check_again()

    def test_also_in_a_database_from_before_the_turn(self) -> None:
        self.check_again("UPDATE active SET process = 'former', term = 0")

    def test_who_was_taken_over_meanwhile_loses_the_turn(self) -> None:
        self.save()
        self.play_on()
        self.restore("UPDATE active SET process = 'b', term = term + 1")
        self.a.begin(moved(self.den, 3))
        self.until(lambda: self.a.losses)
        assert len(self.a.refused) == 3


class LinkTests(InPostgres):
    """How the database is reached."""

    def test_what_is_acknowledged_is_on_disk(self) -> None:
        show = "SELECT current_setting('synchronous_commit'), 1, 1, 1 WHERE $1::text <> ''"
        for asked, kept in (("off", "on"), ("remote_apply", "remote_apply")):
            url = f"{self.url}%20-csynchronous_commit%3D{asked}"
            with patch.dict(STATEMENTS, {"whose": show}):
                assert self.wait(self.process("a", url).journal.whose()).process == kept

    def test_what_is_longer_than_the_sockets_buffer(self) -> None:
        text = "x" * 20_000_000
        self.active("a").open("den", text)
        assert self.kept() == {"den": [(1, text)]}

    def test_a_wrong_password(self) -> None:
        with capturedLogs() as logs:
            process = self.process("a", self.postgres.url(user="postgres:open"))
            self.until(lambda: logs)
        line = str(formatEvent(logs[0]))
        assert "password authentication failed" in line and "\n" not in line
        assert not process.journal.ready()
