"""Rooms in a journal: the registry suite, and what is there after the process has died."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any
from unittest.mock import patch

from twisted.internet.defer import Deferred
from twisted.logger import capturedLogs, formatEvent

from tests.accounts.helpers import HASH
from tests.archive.helpers import archive_of
from tests.lobby import held_seats_suite, registry_suite
from tests.lobby.in_sqlite import InSqlite, KeptCase
from tests.lobby.registry_suite import Guest
from tictac.accounts.tables import Account, AccountTables
from tictac.archive import room_journal as journal
from tictac.archive.match import Match
from tictac.archive.pages import Filter
from tictac.archive.room_journal import AWAY, BUSY, SIGN
from tictac.archive.tables import MatchTables
from tictac.archive.write_behind import WriteBehind
from tictac.engines.computer import THINKS
from tictac.games.all import GAMES, game_type_of
from tictac.lobby.events import Ended, Placed
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.lobby.terms import terms_for
from tictac.storage.databases import opened
from tictac.storage.disk import checkpoint


class ForfeitAtOnceTests(InSqlite, registry_suite.EveryRegistryTests):
    """Without a time to come back."""


class HoldingSeatsTests(InSqlite, registry_suite.EveryRegistryTests):
    """With one, for those who leave for good, or don't leave at all."""

    rejoin_timeout = 30


class HeldSeatsTests(InSqlite, held_seats_suite.HeldSeatsTests):
    """With one, for those who are cut off."""


class HeldRoomsTests(InSqlite, held_seats_suite.HeldRoomsTests):
    """The same before the match."""


class RestartTests(KeptCase):
    def test_both_come_back_and_play_on_in_every_game(self) -> None:
        for game in GAMES.values():
            terms = terms_for(game, {})
            if terms.seats != 2:
                continue
            self.served.create(self.alice, "den", terms)
            self.settle()
            self.registry.join(self.bob, "den", "PLAYER")
            room = self.served.room("den")
            assert room is not None
            move = room.game.moves(room.position)[0]
            self.registry.place(self.alice, move)
            text = room.game.dump(room.position)
            self.restart()
            again = self.served.room("den")
            assert again is not None and again.game.dump(again.position) == text
            for user in ("alice", "bob"):
                joined = self.back(user)
                assert joined.position == again.position and not joined.created
            move = again.game.moves(again.position)[0]
            player = (self.alice, self.bob)[again.turn]
            self.registry.place(player, move)
            assert isinstance(self.alice.news()[-1], Placed) and again.moves == 2
            self.registry.forfeit(self.bob)
            self.restart()
            assert self.served.rooms() == 0

    def test_what_was_told_is_there_and_what_wasnt_isnt(self) -> None:
        self.begin_match()
        self.registry.place(self.alice, "1:1")
        self.served.place(self.bob, "0:0")
        assert len(self.bob.news()) == 1
        self.restart()
        assert self.back("bob").position == "000010000"

    def test_a_seat_is_held_for_as_long_as_ever(self) -> None:
        self.begin_match()
        self.restart()
        self.back("bob")
        self.clock.advance(29)
        self.registry.expire(600, 3600)
        assert self.bob.news() == []
        self.clock.advance(1)
        self.registry.expire(600, 3600)
        [ended] = self.bob.news()
        assert isinstance(ended, Ended) and (ended.ending, ended.winner) == ("left", "bob")

    def test_the_computer_comes_back_and_moves_if_it_is_its_turn(self) -> None:
        self.served.create(
            self.alice, "den", terms_for(game_type_of("nim"), {}, computer="beginner")
        )
        self.settle()
        self.registry.place(self.alice, self.room().game.moves(self.room().position)[0])
        self.restart()
        self.settle()
        self.clock.advance(THINKS)
        self.settle()
        assert self.room().moves == 2 and self.room().players[1].away is None

    def room(self) -> Room:
        room = self.served.room("den")
        assert room is not None
        return room

    def test_a_row_that_cant_be_read_costs_its_room(self) -> None:
        self.begin_match()
        self.registry.create(self.carol, "attic")
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute("UPDATE room_events SET event = '{}' WHERE room = 1 AND number = 2")
            connection.execute("INSERT INTO rooms VALUES (7, 99, 'new', 'later', '')")
        self.restart()
        assert self.lost == ["den"]
        assert self.served.rooms() == 1 and self.back("carol", "attic")
        self.registry.create(self.guest("dave"), "cellar")
        self.restart()
        assert self.served.rooms() == 2


class ArchivedTests(KeptCase):
    """The match goes into the archive when its room leaves the journal."""

    def open_registry(self, *arguments: Any) -> Registry:
        registry = super().open_registry(*arguments)
        self.behind = archive_of()
        registry.archivist = WriteBehind(self.behind, self.clock, self.clock.seconds)
        return registry

    def archived(self) -> list[Match]:
        with opened(str(self.path)) as database:
            return list(MatchTables(database).all())

    def test_it_is_there_once(self) -> None:
        self.begin_match()
        self.registry.place(self.alice, "1:1")
        self.served.say(self.alice, "hm")
        self.registry.forfeit(self.bob)
        (ended,) = [event for event in self.alice.news() if isinstance(event, Ended)]
        self.restart()
        [match] = self.archived()
        assert match.id == ended.match
        assert [player.name for player in match.players] == ["alice", "bob"]
        assert match.moves() == ["1:1"] and match.winner == 0
        assert self.served.rooms() == 0

    def test_a_process_that_dies_in_between_keeps_the_room_and_not_the_match(self) -> None:
        self.begin_match()
        self.registry.place(self.alice, "1:1")
        with closing(sqlite3.connect(self.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            self.registry.forfeit(self.bob)
            other.execute("ROLLBACK")
        self.restart()
        assert self.archived() == [] and self.served.rooms() == 1
        self.back("bob")
        self.registry.forfeit(self.bob)
        assert len(self.archived()) == 1 and self.served.rooms() == 0

    def test_what_cant_be_archived_isnt_over(self) -> None:
        self.begin_match()
        self.alice.news()
        with patch("tictac.archive.room_journal.insert", side_effect=sqlite3.OperationalError):
            self.registry.forfeit(self.bob)
            assert self.alice.news() == [] and self.archived() == []
        self.clock.advance(AWAY)
        self.settle()
        assert len(self.alice.news()) == 1 and len(self.archived()) == 1

    def test_a_room_of_no_journal_takes_the_other_way(self) -> None:
        terms = terms_for(GAMES["nim"], {}, protocol="nim")
        self.served.create(self.alice, "table", terms)
        self.served.join(self.bob, "table", "PLAYER", seated_by="nim")
        self.served.forfeit(self.alice)
        self.clock.advance(1)
        assert len(MatchTables(self.behind.database).find(Filter()).matches) == 1
        assert self.archived() == []


class NotKeptTests(KeptCase):
    def test_nobody_is_told_before_it_is_kept(self) -> None:
        self.begin_match()
        with closing(sqlite3.connect(self.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            self.registry.place(self.alice, "1:1")
            self.registry.place(self.bob, "0:0")
            assert self.alice.news() == [] and self.served.ready()
            other.execute("COMMIT")
        self.clock.advance(BUSY)
        self.settle()
        assert [type(event) for event in self.alice.news()] == [Placed, Placed]

    def test_nobody_asks_for_more_before_they_are_told(self) -> None:
        self.begin_match()
        with patch.object(Guest, "wait") as wait, patch.object(Guest, "release") as release:
            self.served.place(self.alice, "1:1")
            assert (wait.call_count, release.call_count) == (3, 0)
            self.settle()
            assert (wait.call_count, release.call_count) == (3, 3)

    def test_who_has_gone_is_told_nothing(self) -> None:
        self.begin_match()
        self.served.place(self.alice, "1:1")
        self.served.leave(self.bob)
        self.settle()
        assert self.bob.news() == [] and len(self.alice.news()) == 1

    def test_a_file_that_has_gone(self) -> None:
        self.begin_match()
        path = self.path
        path.rename(path.with_name("elsewhere"))
        with capturedLogs() as logs:
            self.registry.place(self.alice, "1:1")
            self.clock.advance(AWAY)
            assert self.alice.news() == [] and not self.served.ready()
            path.with_name("elsewhere").rename(path)
            self.clock.advance(AWAY)
        self.settle()
        assert self.served.ready() and len(self.alice.news()) == 1
        lines = [str(formatEvent(line)) for line in logs]
        assert len(lines) == 2 and "cannot save moves" in lines[0] and "is in place" in lines[1]

    def test_signs_are_written_only_for_rooms(self) -> None:
        log = self.path.with_name("users.db-wal")
        size = log.stat().st_size
        self.clock.advance(SIGN)
        assert log.stat().st_size == size
        self.begin_match()
        size = log.stat().st_size
        self.clock.advance(SIGN)
        assert log.stat().st_size > size

    def test_what_is_under_way_at_the_stop_is_kept(self) -> None:
        self.begin_match()
        self.served.place(self.alice, "1:1")
        self.successResultOf(Deferred.fromCoroutine(self.served.stop()))
        assert len(self.alice.news()) == 1
        self.restart()
        assert self.back("bob").position == "000010000"


class OwnerTests(KeptCase):
    """Two processes with one file: the second one is the registry ``self.other``."""

    def take_over(self) -> None:
        """Start a second process although the first one runs, as if locks didn't work."""
        self.first, self.taken = self.served, self.takers
        self.other = self.open_registry(3, self.faults.append)

    def rows(self) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.path)) as connection:
            return connection.execute("SELECT room, number, event FROM room_events").fetchall()

    def test_who_is_taken_over_saves_and_tells_nothing_more(self) -> None:
        self.begin_match()
        self.registry.place(self.alice, "1:1")
        self.alice.news(), self.bob.news()
        self.take_over()
        kept = self.rows()
        self.first.place(self.bob, "0:0")
        self.settle()
        assert self.taken == [f"rooms: another process has taken over {self.path}"]
        self.first.place(self.alice, "2:2")
        self.first.create(self.carol, "attic")
        self.settle()
        self.clock.advance(60)
        self.successResultOf(Deferred.fromCoroutine(self.first.stop()))
        assert len(self.taken) == 1 and not self.first.ready()
        assert self.alice.news() == [] and self.bob.news() == [] and self.rows() == kept
        room = self.other.room("den")
        assert room is not None and room.position == "000010000"

    def test_a_full_disk_hides_nothing_of_what_was_saved_meanwhile(self) -> None:
        """The second process can't write its number at first, so the first one goes on."""
        self.begin_match()
        full = sqlite3.OperationalError("database or disk is full")
        full.sqlite_errorcode = sqlite3.SQLITE_FULL
        with patch.object(journal, "transaction", side_effect=full):
            self.take_over()
        self.clock.advance(SIGN)
        self.first.place(self.alice, "1:1")
        self.settle()
        assert not self.taken
        kept = self.rows()
        self.other.create(self.carol, "attic")
        self.settle()
        assert len(self.takers) == 1 and self.rows() == kept

    def test_it_may_have_ended_by_then(self) -> None:
        self.begin_match()
        self.take_over()
        self.successResultOf(Deferred.fromCoroutine(self.other.stop()))
        self.first.place(self.alice, "1:1")
        self.settle()
        assert len(self.taken) == 1

    def test_other_programs_may_write(self) -> None:
        self.begin_match()
        for move, player in (("1:1", self.alice), ("0:0", self.bob)):
            with opened(str(self.path)) as database:
                AccountTables(database).add(Account(player.user or "", HASH))
            self.registry.place(player, move)
        assert len(self.alice.news()) == 2 and not self.takers

    def test_a_backup_of_its_own_is_not_what_players_know(self) -> None:
        self.begin_match()
        with (
            closing(sqlite3.connect(self.path)) as file,
            closing(sqlite3.connect(":memory:")) as backup,
        ):
            file.backup(backup)
            self.registry.place(self.alice, "1:1")
            backup.backup(file)
        self.alice.news()
        kept = self.rows()
        self.served.place(self.bob, "0:0")
        self.settle()
        assert self.takers == [f"rooms: {self.path} is older than the moves that players know"]
        assert self.alice.news() == [] and self.rows() == kept

    def overwrite(self, copy: bytes) -> None:
        """Write a copy into the file, as ``cp`` does, and check that it is noticed."""
        with self.path.open("r+b", buffering=0) as file:
            file.write(copy)
            file.truncate()
        self.forget()
        self.served.place(self.bob, "0:0")
        self.settle()
        assert len(self.takers) == 1 and self.alice.news() == []

    def test_a_copy_from_before_a_checkpoint_is_written_into_the_file(self) -> None:
        self.begin_match()
        copy = self.path.read_bytes()
        self.registry.place(self.alice, "1:1")
        assert checkpoint(self.path) and not self.takers
        self.overwrite(copy)

    def test_a_copy_from_before_a_restart_is_written_into_the_file(self) -> None:
        copy = self.path.read_bytes()
        self.begin_match()
        self.registry.place(self.alice, "1:1")
        self.restart()
        self.back("alice"), self.back("bob")
        self.overwrite(copy)

    def test_while_the_log_is_missing_nothing_is_told(self) -> None:
        self.begin_match()
        log, away = self.path.with_name("users.db-wal"), self.path.with_name("away")
        log.rename(away)
        with capturedLogs() as logs:
            self.served.place(self.alice, "1:1")
            self.clock.advance(AWAY)
        assert "users.db-wal is missing" in str(formatEvent(logs[0]))
        assert self.alice.news() == []
        away.rename(log)
        self.clock.advance(AWAY)
        self.settle()
        assert len(self.alice.news()) == 1 and not self.takers

    def test_a_copy_in_its_place_gets_nothing(self) -> None:
        self.begin_match()
        copy = self.path.with_name("copy")
        with closing(sqlite3.connect(self.path)) as file, closing(sqlite3.connect(copy)) as backup:
            file.backup(backup)
        copy.rename(self.path)
        kept = self.rows()
        with capturedLogs() as logs:
            self.registry.place(self.alice, "1:1")
            self.clock.advance(AWAY)
            self.settle()
        [line] = [str(formatEvent(line)) for line in logs]
        assert "cannot save moves" in line and "users.db was replaced" in line
        assert self.alice.news() == [] and self.rows() == kept and not self.takers
        self.take_over()
        self.clock.advance(AWAY)
        assert self.rows() == kept and not self.taken
