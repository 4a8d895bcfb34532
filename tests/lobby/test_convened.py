"""A room whose seats wait for the players of a game: begun, given up, and there after kill -9."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from twisted.internet.task import Clock

from tests.archive.helpers import archive_of
from tests.lobby.any_game import Knowing
from tests.lobby.registry_suite import Guest
from tictac.archive.room_journal import SqliteJournal
from tictac.archive.tables import MatchTables
from tictac.archive.write_behind import DELAY, WriteBehind
from tictac.engines.computer import Computer
from tictac.errors import BadRoomName, NotOffered, RoomFull
from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.events import Began, Ended, Refused
from tictac.lobby.outbox import Journaled
from tictac.lobby.record import SOONEST
from tictac.lobby.registry import Registry
from tictac.lobby.terms import Play, check_room_name, terms_for
from tictac.storage.databases import prepare

NAME = "friday-cup.17"
GRACE = 60.0


class Hall:
    """A registry with a journal in a file; what the players of a game do in it."""

    def __init__(self, path: Path) -> None:
        self.path, self.clock = path, Clock()
        prepare(str(path))
        self.archive = archive_of()
        self.ends: list[tuple[str, int | None]] = []
        self.open()

    def open(self) -> None:
        self.journal = SqliteJournal(self.path, self.clock.seconds, self.clock.callLater)
        self.registry = Registry(
            1, self.clock.seconds, print, 30, 1, Random(1),
            outbox=partial(Journaled, self.journal, self.clock.callLater),
        )  # fmt: skip
        computer = Computer(self.registry, self.clock, None, Random(1), None, by_name=False)  # type: ignore[arg-type]
        self.registry.observers += [computer, self]
        self.registry.archivist = WriteBehind(self.archive, self.clock, self.clock.seconds)
        self.registry.start()

    def room_opened(self, name: str, terms: Any) -> None:
        """Ignore it (interfaces.RoomObserver)."""

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        self.ends.append((ended.ending, ended.seat))

    def kill(self) -> None:
        self.journal.stop()
        self.open()

    def close(self) -> None:
        self.journal.stop()
        self.archive.database.close()

    def settle(self, seconds: float = 0.0) -> None:
        for part in (0, 0, 0, seconds, 0, 0):
            self.clock.advance(part)
        self.registry.expire(60, 60)
        for _ in range(4):
            self.clock.advance(0)

    def convene(self, *names: str, level: str | None = None) -> None:
        levels = [None] * (len(names) - 1) + [level]
        play = Play("friday-cup", 17, 3, names, tuple(levels), GRACE)
        time = TimeControl(60, 1)
        self.registry.convene(NAME, terms_for(game_type_of("nim"), {}, time=time, play=play))
        self.settle()

    def come(self, user: str, name: str = NAME) -> Knowing:
        guest = Knowing(self.registry, user)
        self.registry.join(guest, name, "PLAYER")
        self.settle()
        return guest

    def rows(self, table: str) -> list[Any]:
        with closing(sqlite3.connect(self.path)) as connection:
            return connection.execute(f"SELECT * FROM {table}").fetchall()


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    hall = Hall(tmp_path / "users.db")
    yield hall
    hall.close()


@pytest.mark.parametrize("killed", ["never", "before", "between", "after"])
@pytest.mark.parametrize("order", [("tom", "alice"), ("alice", "tom")])
def test_it_begins_once_when_the_last_has_come(
    hall: Hall, killed: str, order: tuple[str, str]
) -> None:
    hall.convene("tom", "alice")
    if killed == "before":
        hall.kill()
    room = hall.registry.room(NAME)
    assert room is not None and not room.begun and room.terms.play is not None
    assert hall.come("eve").refused() is RoomFull
    hall.come(order[0])
    if killed == "between":
        hall.kill()
        hall.come(order[0])
    hall.come(order[1])
    if killed == "after":
        hall.kill()
    room = hall.registry.room(NAME)
    assert room is not None and room.begun and room.running
    assert [member.user for member in room.players] == ["tom", "alice"]
    assert sum(isinstance(event, Began) for _, event in room.record) == 1


def test_the_clock_stands_until_then(hall: Hall) -> None:
    hall.convene("tom", "alice")
    hall.settle(GRACE - 1)
    hall.come("alice")
    hall.come("tom")
    room = hall.registry.room(NAME)
    assert room is not None and room.clock is not None
    assert room.clock.remaining(hall.clock.seconds()) == [60, 60]


@pytest.mark.parametrize("who", ["", "tom", "alice"])
def test_who_does_not_come_is_absent(hall: Hall, who: str) -> None:
    hall.convene("tom", "alice")
    if who:
        hall.come(who)
    hall.settle(GRACE - 1)
    assert not hall.ends
    hall.settle(2)
    assert hall.ends == [("absent", {"": None, "tom": 0, "alice": 1}[who])]
    hall.kill()
    assert hall.registry.room(NAME) is None
    [[cup, game, scores, how, match]] = hall.rows("tournament_outcomes")
    assert (cup, game, how, match) == ("friday-cup", 17, "absent", None)
    assert json.loads(scores) == {"": [0, 0], "tom": [1, 0], "alice": [0, 1]}[who]


@pytest.mark.parametrize("pause", [2.0, 19.0])
def test_the_grace_does_not_begin_anew_with_every_restart(hall: Hall, pause: float) -> None:
    """Only after a restart near its end, players have a few seconds to come back."""
    hall.kill()
    hall.convene("tom", "alice")
    hall.come("tom")
    while hall.clock.seconds() < GRACE - 4:
        hall.settle(pause)
        hall.kill()
        hall.come("tom")
        assert not hall.ends
    hall.settle(SOONEST + 1)
    assert hall.ends == [("absent", 0)]


@pytest.mark.parametrize("is_other_there", [True, False])
def test_who_leaves_for_good_is_absent_at_once(hall: Hall, is_other_there: bool) -> None:
    hall.convene("tom", "alice")
    if is_other_there:
        hall.come("alice")
        [alice] = hall.registry.live_room_of
        hall.registry.leave(hall.registry.live_rooms[NAME].occupants[alice])
    tom = hall.come("tom")
    hall.registry.leave(tom, for_good=True)
    hall.settle()
    assert hall.ends == [("absent", 1)]
    assert json.loads(hall.rows("tournament_outcomes")[0][2]) == [0, 1]


def test_who_is_cut_off_before_may_come_back(hall: Hall) -> None:
    hall.convene("tom", "alice")
    hall.registry.leave(hall.come("tom"))
    hall.settle(40)
    assert not hall.ends
    hall.come("tom")
    hall.come("alice")
    assert hall.registry.running() == 1


@pytest.mark.parametrize("is_killed", [False, True])
def test_the_computer_comes_by_its_name(hall: Hall, is_killed: bool) -> None:
    hall.convene("tom", "computer 2", level="easy")
    if is_killed:
        hall.kill()
        hall.settle()
    hall.come("tom")
    room = hall.registry.room(NAME)
    assert room is not None and room.begun


@pytest.mark.parametrize(
    ("seated_by", "is_seated"), [(None, False), ("friday-cup", True), ("x", False)]
)
def test_the_tournament_seats_players_of_few_events(
    hall: Hall, seated_by: str | None, is_seated: bool
) -> None:
    hall.convene("tom", "alice")
    guest = Guest(hall.registry, "tom")
    hall.registry.join(guest, NAME, "PLAYER", seated_by=seated_by)
    hall.settle()
    room = hall.registry.room(NAME)
    assert room is not None and (room.players[0].away is None) is is_seated


def test_nobody_else_has_such_a_name(hall: Hall) -> None:
    with pytest.raises(BadRoomName):
        check_room_name(NAME)
    guest = Knowing(hall.registry, "eve")
    hall.registry.create(guest, NAME)
    hall.settle()
    assert guest.refused() is BadRoomName


def test_it_counts_for_no_limit_of_rooms(hall: Hall) -> None:
    hall.convene("tom", "alice")
    tom = Knowing(hall.registry, "tom")
    hall.registry.create(tom, "den")
    hall.settle()
    assert not isinstance(tom.events[-1], Refused)


def test_nobody_takes_moves_back(hall: Hall) -> None:
    hall.convene("tom", "alice")
    tom = hall.come("tom")
    hall.come("alice")
    hall.registry.offer(tom, "takeback")
    hall.settle()
    assert tom.refused() is NotOffered


def test_to_convene_it_twice_makes_one_room(hall: Hall) -> None:
    hall.convene("tom", "alice")
    room = hall.registry.room(NAME)
    hall.convene("tom", "alice")
    assert hall.registry.room(NAME) is room


def test_a_closed_room_has_no_outcome(hall: Hall) -> None:
    hall.convene("tom", "alice")
    hall.registry.call_off(NAME, "closed")
    hall.settle()
    assert not hall.rows("tournament_outcomes") and not hall.rows("rooms")


class Failing:
    """A connection whose n-th statement fails, as in a process that dies there."""

    def __init__(self, real: sqlite3.Connection, left: int) -> None:
        self.real, self.left, self.has_died = real, left, False

    def _statement(self, call: Callable[..., Any], *words: Any) -> Any:
        self.left -= words[0] != "ROLLBACK"
        if self.left < 0:
            self.has_died = True
            raise KeyboardInterrupt
        return call(*words)

    def execute(self, *words: Any) -> Any:
        return self._statement(self.real.execute, *words)

    def executemany(self, *words: Any) -> Any:
        return self._statement(self.real.executemany, *words)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


@pytest.mark.parametrize("left", range(9))
def test_match_and_outcome_come_with_the_end_of_the_room(hall: Hall, left: int) -> None:
    hall.convene("tom", "alice")
    tom = hall.come("tom")
    hall.come("alice")
    real = hall.journal._connection
    assert real is not None
    failing = Failing(real, left)
    hall.journal._connection = failing  # type: ignore[assignment]
    hall.registry.forfeit(tom)
    try:
        hall.settle()
    except KeyboardInterrupt:
        real.close()  # what wasn't committed has never been
    found = tuple(len(hall.rows(name)) for name in ("rooms", "matches", "tournament_outcomes"))
    assert found == ((1, 0, 0) if failing.has_died else (0, 1, 1))


def test_without_a_journal_the_outcome_comes_with_the_match() -> None:
    clock, archive = Clock(), archive_of()
    registry = Registry(0, clock.seconds, print, 30)
    registry.archivist = WriteBehind(archive, clock, clock.seconds)
    play = Play("friday-cup", 17, 3, ("tom", "alice"), (None, None))
    registry.convene(NAME, terms_for(game_type_of("nim"), {}, play=play))
    guests = [Knowing(registry, user) for user in ("tom", "alice")]
    for guest in guests:
        registry.join(guest, NAME, "PLAYER")
    registry.forfeit(guests[0])
    clock.advance(DELAY)
    [row] = archive.database.execute("SELECT * FROM tournament_outcomes").fetchall()
    [(match,)] = archive.database.execute("SELECT id FROM matches").fetchall()
    found = MatchTables(archive.database).get(match)
    archive.database.close()
    assert row == ("friday-cup", 17, "[0.0, 1.0]", "forfeited", match)
    assert found is not None and found.door == "friday-cup"
