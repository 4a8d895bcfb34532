"""Which games of a tournament begin, and how they are said to have ended."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, cast

from twisted.internet.defer import Deferred, fail
from twisted.internet.task import Clock

from tests.plugins.tournament.hosting.stage import CUP, Stage
from tictac.engines.computer import ComputerOccupant
from tictac.lobby.interfaces import Occupant
from tictac.lobby.registry import Registry
from tictac.lobby.terms import Terms
from tictac.plugins.tournament.cup import CupGame
from tictac.plugins.tournament.plan import Fault
from tictac.plugins.tournament.running.contestants import Computer, Contestant, Missing
from tictac.plugins.tournament.running.roles import WaitingPlayer
from tictac.plugins.tournament.running.seating import Boards
from tictac.plugins.tournament.running.serving import WithoutOutcomes
from tictac.storage.store import StoreAwayError


class Scripted(Contestant):
    """Somebody who comes when told, and then resigns, for a reason."""

    def __init__(
        self, name: str, terms: Terms, registry: Registry, reason: Fault | None = None
    ) -> None:
        super().__init__(name)
        self.coming: Deferred[WaitingPlayer] = Deferred()
        if reason is not None and reason.how == "silent":
            self.coming = fail(Missing(reason))
        self.reason, self.has_ended = reason, False
        self._terms, self._registry = terms, registry
        self.occupant: Occupant | None = None

    def come(self) -> None:
        """Ask for the seat."""
        self.coming.callback(self)

    def arrive(self) -> Deferred[WaitingPlayer]:
        return self.coming

    def take_seat(self, room: str) -> Occupant:
        engine = cast(Any, None)
        self.occupant = ComputerOccupant(self._registry, Clock(), Random(), self._terms, engine)
        self.occupant.user = self.name
        return self.occupant

    def resign(self) -> None:
        """Give the game up."""
        assert self.occupant is not None
        self._registry.forfeit(self.occupant)

    async def fault(self) -> Fault | None:
        return self.reason

    def end(self) -> None:
        self.has_ended = True


Make = Callable[[str, Terms, Registry], Contestant]


class Played:
    """A tournament that is played in simulated time, by ``programs`` that ``make`` makes."""

    def __init__(
        self, *names: str, programs: str = "abcd", jobs: int = 1, make: Make = Scripted, **plan: Any
    ) -> None:
        self.stage = Stage()
        self.made: list[Contestant] = []
        self.failures: list[BaseException] = []
        registry = self.stage.registry

        def contestant(terms: Terms, seat: int) -> Contestant:
            assert terms.play is not None
            self.made.append(make(terms.play.names[seat], terms, registry))
            return self.made[-1]

        self.boards = Boards(
            self.stage.clock, registry, self.stage.follower, CUP, contestant,
            frozenset(programs), jobs, self.failures.append,
        )  # fmt: skip
        registry.observers.append(self.boards)
        assert registry.archivist is not None
        registry.archivist = WithoutOutcomes(registry.archivist)
        host = self.stage.host
        host.may_begin = self.boards.may_begin
        self.stage.start()
        told = {"system": "round-robin", "game": "tictactoe", "alone": False, "rest": 0, **plan}
        self.stage.begin(*names, **told)

    def scripted(self, *names: str) -> list[Scripted]:
        """Return the latest contestants of these names."""
        latest = {each.name: each for each in self.made}
        return [cast(Scripted, latest[name]) for name in names]

    def come(self, *names: str) -> None:
        for each in self.scripted(*names):
            each.come()

    @property
    def games(self) -> list[CupGame]:
        """The games that have ended, in this order."""
        return [self.stage.cup.games[number] for number in self.stage.cup.order]


def computer(name: str, terms: Terms, registry: Registry) -> Contestant:
    clock, engine = Clock(), cast(Any, None)
    clock.callLater = lambda seconds, call, *args: call(*args)  # type: ignore[method-assign]
    return Computer(name, terms, registry, clock, engine, Random(1), 1.0)


def test_so_many_games_of_programs_are_played_side_by_side() -> None:
    cup = Played("a", "b", "c", "d", jobs=3)
    assert len(cup.boards.playing) == 3 and len(cup.stage.cup.open) == 6


def test_computers_play_all_games() -> None:
    cup = Played("a", "b", "c", make=computer, games=2)
    cup.stage.pass_time(20)
    assert (cup.stage.cup.phase, len(cup.games), cup.failures) == ("over", 6, [])
    assert {game.how for game in cup.games} <= {"won", "drawn"}
    assert all(game.match for game in cup.games)


def played_once(reason: Fault | None) -> Played:
    """Play a game in which a resigns for this reason."""

    def make(name: str, terms: Terms, registry: Registry) -> Contestant:
        return Scripted(name, terms, registry, reason if name == "a" else None)

    cup = Played("a", "b", make=make)
    cup.come("b", "a")
    cup.scripted("a")[0].resign()
    cup.stage.pass_time(1)
    return cup


def test_what_a_loser_did_is_how_the_game_has_ended() -> None:
    cup = played_once(Fault("crashed", "exit status 1"))
    (game,) = cup.games
    assert (game.scores, game.how) == ((0, 1), "crashed")
    assert dict(game.faults) == {"a": Fault("crashed", "exit status 1")}
    assert all(cast(Scripted, each).has_ended for each in cup.made)


def test_who_gives_up_without_a_fault_has_forfeited() -> None:
    (game,) = played_once(None).games
    assert (game.how, game.faults) == ("forfeited", ())


def test_a_clock_that_ran_out_is_the_losers_fault() -> None:
    cup = Played("a", "b")
    cup.come("a", "b")
    cup.stage.clock.advance(61)
    cup.stage.pass_time(1)
    (game,) = cup.games
    assert game.how == "timed out"
    assert dict(game.faults) == {"a": Fault("timed out", "its clock ran out")}


def test_who_does_not_come_has_lost() -> None:
    silent = Fault("silent", "nothing came")

    def make(name: str, terms: Terms, registry: Registry) -> Contestant:
        return Scripted(name, terms, registry, silent if name == "a" else None)

    cup = Played("a", "b", make=make)
    assert cup.games == [], "the other one is waited for, too"
    cup.come("b")
    cup.stage.pass_time(1)
    (game,) = cup.games
    assert (game.scores, game.how, dict(game.faults)) == ((0, 1), "silent", {"a": silent})
    assert cup.scripted("b")[0].occupant is None and not cup.stage.rooms()
    assert cup.stage.cup.phase == "over"


def test_what_is_under_way_at_a_stop_is_not_counted() -> None:
    cup = Played("a", "b")
    cup.come("a", "b")
    cup.boards.stop()
    cup.scripted("a")[0].resign()
    cup.stage.pass_time(1)
    assert cup.games == []


def test_a_program_waits_in_the_room_for_an_account() -> None:
    cup = Played("a", "x", programs="a", alone=True, grace=60)
    cup.come("a")
    room = f"{CUP}.1"
    assert cup.stage.rooms() == {room: ("a", "x")}
    x = cup.stage.come("x", room)
    cup.stage.registry.forfeit(x)
    cup.stage.pass_time(1)
    assert [(game.scores, game.how) for game in cup.games] == [((1, 0), "forfeited")]


def test_an_account_that_does_not_come_is_absent() -> None:
    cup = Played("a", "x", programs="a", alone=True, grace=60)
    cup.come("a")
    cup.stage.pass_time(62)
    cup.stage.pass_time(1)
    assert [(game.scores, game.how) for game in cup.games] == [((1, 0), "absent")]


def test_games_of_accounts_alone_need_no_job() -> None:
    cup = Played("a", "b", "x", "y", programs="a", alone=True)
    assert [*cup.stage.rooms().values()] == [("a", "y"), ("b", "x")]


def test_a_game_begins_with_its_opening() -> None:
    cup = Played("a", "b", openings=[["1:1", "0:0"]])
    room = cup.stage.registry.room(f"{CUP}.1")
    assert room is not None and room.position == "200010000"


def test_an_error_is_reported() -> None:
    cup, error = Played("a", "b"), StoreAwayError("no database")

    async def fail(*_: object) -> None:
        raise error

    cup.stage.follower.append = fail  # type: ignore[assignment, method-assign]
    cup.come("a", "b")
    cup.scripted("a")[0].resign()
    cup.stage.pass_time(1)
    assert cup.failures == [error]
