"""Several lobbies with one database: what each has of its own, and what they share."""

from __future__ import annotations

import psycopg
from twisted.logger import capturedLogs, formatEvent

from tests.documents import blocks, page
from tests.plugins.postgres.journals import InPostgres, Kept, Process, made, moved, summary
from tictac.lobby.journal import FORMAT, FORMATS, Batch
from tictac.options import MAIN
from tictac.storage.postgres import PostgresDatabase
from tictac.storage.upgrades import shipped_steps

NORTH, SOUTH = "north", "south"
STANDBY = page("standby")


def documented(text: str) -> list[str]:
    """Return the statements in the documents that have this text."""
    return [block.text for block in blocks(STANDBY, language="sql") if text in block.text]


class LobbiesTests(InPostgres):
    """The journals of two lobbies."""

    def lobby(self, name: str, lobby: str) -> Process:
        """Return the active process of that name."""
        process = Process(self, name, self.url, lobby)
        assert process.take()
        return process

    def setUp(self) -> None:
        super().setUp()
        self.north, self.south = self.lobby("a", NORTH), self.lobby("b", SOUTH)

    def kept_in(self, lobby: str) -> Kept:
        """Return the rooms that the next process of a lobby reads."""
        self.wait_for_all()
        return summary(self.lobby(f"next in {lobby}", lobby).read())

    def test_each_has_rooms_and_an_active_process(self) -> None:
        for process in (self.north, self.south, self.north):
            assert process.commit(Batch()) == set() and process.journal.ready()
        self.north.open("den", "x")
        self.south.open("den", "y")
        assert self.kept_in(NORTH) == {"den": [(1, "x")]}
        assert self.kept_in(SOUTH) == {"den": [(1, "y")]}
        assert self.kept_in(MAIN) == {}

    def test_a_name_is_taken_in_its_lobby_only(self) -> None:
        """Of the north, a room of another version, which stays."""
        self.execute(
            "INSERT INTO rooms (id, format, name, terms, start, lobby)"
            " VALUES (1, 99, 'attic', '', '', 'north')"
        )
        for process, refuses in ((self.north, True), (self.south, False)):
            attic = process.journal.new_id()
            assert (attic in process.commit(made(attic, "attic", "x"))) is refuses

    def test_taking_over_one_leaves_the_other_alone(self) -> None:
        north, south = self.north.open("den", "x"), self.south.open("den", "y")
        heir = self.lobby("c", NORTH)
        self.north.begin(moved(north, 2, "lost"))
        self.until(lambda: self.north.losses)
        assert heir.commit(moved(north, 2)) == set()
        assert self.south.commit(moved(south, 2)) == set() and not self.south.losses
        self.wait(heir.journal.release())
        assert self.south.commit(moved(south, 3)) == set()
        assert self.wait(self.south.journal.whose()).process == "b"

    def test_of_two_that_find_a_new_lobby_one_has_it(self) -> None:
        one, two = (Process(self, name, self.url, "west") for name in ("c", "d"))
        signs = [self.wait(process.journal.whose()) for process in (one, two)]
        assert signs[0] == signs[1] and signs[0].process == ""
        assert self.wait(one.journal.take(signs[0]))
        assert not self.wait(two.journal.take(signs[1]))
        assert self.wait(two.journal.whose()).process == "c"

    def test_a_standby_that_looks_doesnt_wait_for_a_commit(self) -> None:
        standby = Process(self, "c", self.url, NORTH)
        with psycopg.connect(self.url) as committing:
            committing.execute("UPDATE active SET beat = beat + 1 WHERE lobby = 'north'")
            assert self.wait(standby.journal.whose()).process == "a"

    def check_older(self, change: str) -> None:
        """Check that the north writes its rooms again after this change, and only its own."""
        north, south = self.north.open("den", "x", "told"), self.south.open("den", "y")
        self.north.rooms = made(north, "den", "x", "told")
        self.wait_for_all()
        self.execute(f"DELETE FROM room_events WHERE room = {north} AND number = 2")
        self.execute(change)
        with capturedLogs() as logs:
            assert self.north.commit(moved(north, 3)) == set()
        [line] = [str(formatEvent(event)) for event in logs]
        assert "older than the rooms of this server: rooms saved: 1" in line
        assert self.south.commit(moved(south, 2)) == set() and not self.south.losses
        assert self.kept_in(NORTH) == {"den": [(1, "x"), (2, "told"), (3, "moved")]}
        assert self.kept_in(SOUTH) == {"den": [(1, "y"), (2, "moved")]}

    def test_in_an_older_database_each_writes_its_own_rooms_again(self) -> None:
        self.check_older("UPDATE active SET batch = 0 WHERE lobby = 'north'")

    def test_also_in_one_from_before_the_lobby(self) -> None:
        self.check_older("DELETE FROM active WHERE lobby = 'north'")

    def test_rooms_and_tournaments_of_former_nodes_are_the_main_lobbys(self) -> None:
        self.url = self.postgres.new_place()
        PostgresDatabase.open(self.url, steps=shipped_steps("postgresql")[:12]).close()
        for room, node in ((1, "a"), (2, "b")):
            self.execute(
                "INSERT INTO rooms (id, node, format, name, terms, start)"
                f" VALUES ({room}, '{node}', {FORMAT}, '{node}', '', '')"
            )
        self.execute(
            "INSERT INTO tournaments (id, state, made, plan, head, host, until)"
            " VALUES ('cup', 'open', 1, '{}', '{}', 'a', 2)"
        )
        PostgresDatabase.open(self.url).close()
        assert self.kept_in(NORTH) == {} and self.kept_in(MAIN) == {"a": [], "b": []}
        assert self.execute("SELECT id, lobby FROM tournaments") == [("cup", MAIN)]

    def test_people_can_ask_which_process_serves_which_lobby(self) -> None:
        asking, _ = documented("FROM active")
        self.wait(self.south.journal.release())
        rows = self.execute(asking)
        assert [row[:2] for row in rows] == [("main", ""), ("north", "a"), ("south", "")]
        times = [str(row[2]) for row in rows]
        assert times == sorted(times)

    def test_and_delete_a_lobby(self) -> None:
        _, deleting = documented("FROM active")
        self.north.open("den", "x")
        self.south.open("den", "y")
        self.wait(self.north.journal.release())
        self.execute(deleting.replace("nroth", "north"))
        assert self.execute("SELECT lobby FROM active WHERE lobby <> 'main'") == [("south",)]
        assert self.kept_in(SOUTH) == {"den": [(1, "y")]} and self.kept_in(NORTH) == {}
        assert self.execute("SELECT event FROM room_events") == [("y",)]

    def test_and_delete_the_rooms_that_cant_be_read(self) -> None:
        """Those that are damaged, or from another version, without those over days."""
        (deleting,) = documented("'unreadable:%'")
        den = self.north.open("den", "x")
        self.wait(self.north.journal.set_aside(den))
        self.south.open("attic", "y")
        self.execute(deleting)
        assert self.execute("SELECT name FROM rooms") == [("attic",)]
        assert self.execute("SELECT event FROM room_events") == [("y",)]
        others = f"format NOT IN {FORMATS}"
        assert f"`{others}`" in STANDBY.read_text("utf-8")
        self.execute(deleting.replace("name LIKE 'unreadable:%'", others))
        assert self.execute("SELECT name FROM rooms") == [("attic",)]
