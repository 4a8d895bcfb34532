"""Which games of a tournament begin, and how they are said to have ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from random import Random
from typing import cast

import pytest
from twisted.internet.defer import Deferred, fail
from twisted.internet.task import Clock

from tests.accounts.helpers import error_of
from tests.plugins.tournament.running.helpers import at_once, terms
from tictac.errors import SetupError
from tictac.lobby.computer import ComputerOccupant
from tictac.lobby.interfaces import Occupant
from tictac.lobby.registry import Registry
from tictac.plugins.tournament.plan import Fault, Pairing, Plan
from tictac.plugins.tournament.running.contestants import Account, Computer, Contestant, Missing
from tictac.plugins.tournament.running.file import TournamentFile, of_line
from tictac.plugins.tournament.running.rooms import TournamentRooms, WaitingPlayer
from tictac.plugins.tournament.running.runner import Runner, start_of
from tictac.plugins.tournament.tournament import Tournament


class Scripted(Contestant):
    """Somebody who comes when told, and then gives up, for a reason."""

    def __init__(self, name: str, seating: TournamentRooms, reason: Fault | None = None) -> None:
        super().__init__(name)
        self.coming: Deferred[WaitingPlayer] = Deferred()
        if reason is not None and reason.how == "silent":
            self.coming = fail(Missing(reason))
        self.reason, self.has_ended = reason, False
        self._seating = seating
        self.occupant: Occupant | None = None

    def arrive(self) -> Deferred[WaitingPlayer]:
        return self.coming

    def take_seat(self, room: str) -> Occupant:
        self.occupant = ComputerOccupant(
            self._seating.registry,
            Clock(),
            Random(),
            self._seating.terms,
            cast("object", None),  # type: ignore[arg-type]
        )
        self.occupant.user = self.name
        return self.occupant

    def resign(self) -> None:
        """Give the game up."""
        assert self.occupant is not None
        self._seating.registry.forfeit(self.occupant)

    async def fault(self) -> Fault | None:
        return self.reason

    def end(self) -> None:
        self.has_ended = True


_OPEN: list[Cup] = []


class Cup:
    """A tournament that is played by a clock that is told the time."""

    def __init__(
        self,
        path: Path,
        names: Sequence[str] = ("a", "b"),
        accounts: Sequence[str] = (),
        jobs: int = 1,
        games: int = 2,
        make: Callable[[Cup, str], Contestant] | None = None,
        ends: float | None = None,
    ) -> None:
        self.clock = Clock()
        system = "arena" if ends is not None else "round-robin"
        plan = Plan(system, "tictactoe", tuple(names), games=games, ends=ends)  # type: ignore[arg-type]
        self.file = TournamentFile(path)
        self.file.begin({"seed": plan.seed})
        self.tournament = Tournament(plan, map(of_line, self.file.lines))
        faults: list[object] = []
        self.registry = Registry(0, self.clock.seconds, faults.append, rng=Random(1))
        self.seating = TournamentRooms(self.registry, terms(), self.clock.callLater)
        self.made: list[Contestant] = []
        self._make = make or Cup.computer
        self.runner = Runner(
            self.clock, self.tournament, self.file, self.seating, self.contestant, jobs, accounts,
            600.0, self.clock.seconds, at_once,
        )  # fmt: skip
        self.running = Deferred.fromCoroutine(self.runner.run(nullcontext(lambda *_: None)))
        _OPEN.append(self)

    def contestant(self, name: str, seat: int, pairing: Pairing) -> Contestant:
        """Make a contestant, as the runner does."""
        self.made.append(self._make(self, name))
        return self.made[-1]

    def computer(self, name: str) -> Contestant:
        engine = cast("object", None)
        return Computer(name, "club", self.seating, self.clock, engine, Random(1), 1.0)  # type: ignore[arg-type]

    def play(self, seconds: float = 1.0) -> None:
        """Let time pass, in many turns."""
        self.clock.pump([seconds / 1000] * 1000)

    @property
    def hows(self) -> list[str]:
        """How the games have ended."""
        return [played.how for played in self.tournament.played]


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "cup"
    while _OPEN:
        _OPEN.pop().file.close()


def test_computers_play_all_games(path: Path) -> None:
    cup = Cup(path, ("a", "b", "c"))
    cup.play()
    assert cup.running.called
    cup.file.close()
    with closing(TournamentFile(path)) as file:
        games = [of_line(line) for line in file.lines]
    assert games == cup.tournament.played
    assert sorted(game.pairing.seats for game in games) == sorted(
        (one, other) for one in "abc" for other in "abc" if one != other
    )


def test_after_a_kill_only_the_others_are_played(path: Path) -> None:
    whole = Cup(path, ("a", "b", "c"))
    whole.play()
    whole.file.close()
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4]))
    again = Cup(path, ("a", "b", "c"))
    again.play()
    assert len(again.made) == 2 * 3
    assert again.tournament.played[:3] == whole.tournament.played[:3]
    assert again.running.called


def scripted(cup: Cup, name: str) -> Contestant:
    return Scripted(name, cup.seating)


def test_so_many_games_are_played_side_by_side(path: Path) -> None:
    cup = Cup(path, ("a", "b", "c", "d"), jobs=3, make=scripted)
    cup.play()
    assert len(cup.runner.under) == 3


def play_once(path: Path, reason: Fault | None) -> Cup:
    """Play a cup of one game, in which the first player resigns for this reason."""

    def make(cup: Cup, name: str) -> Contestant:
        return Scripted(name, cup.seating, reason if name == "a" else None)

    cup = Cup(path, games=1, make=make)
    one, two = (cast(Scripted, each) for each in cup.made)
    for each in (two, one):
        each.coming.callback(each)
    one.resign()
    cup.play()
    return cup


def test_what_a_loser_did_is_how_the_game_has_ended(path: Path) -> None:
    cup = play_once(path, Fault("crashed", "exit status 1"))
    (played,) = cup.tournament.played
    assert (played.scores, played.how) == ((0.0, 1.0), "crashed")
    assert played.faults == {"a": Fault("crashed", "exit status 1")}
    assert all(cast(Scripted, each).has_ended for each in cup.made)


def test_who_gives_up_without_a_fault_has_forfeited(path: Path) -> None:
    assert play_once(path, None).hows == ["forfeited"]


def test_a_clock_that_ran_out_is_the_losers_fault(path: Path) -> None:
    cup = Cup(path, games=1, make=scripted)
    for each in cup.made:
        cast(Scripted, each).coming.callback(cast(Scripted, each))
    cup.clock.advance(61)
    cup.registry.expire(0, 0)
    cup.play()
    (played,) = cup.tournament.played
    assert played.how == "timed out"
    assert played.faults == {"a": Fault("timed out", "its clock ran out")}


def test_who_does_not_come_has_lost(path: Path) -> None:
    silent = Fault("silent", "nothing came")

    def make(cup: Cup, name: str) -> Contestant:
        return Scripted(name, cup.seating, silent if name == "a" else None)

    cup = Cup(path, games=1, make=make)
    assert cup.hows == [], "the other one is waited for, too"
    other = cast(Scripted, cup.made[1])
    other.coming.callback(other)
    (played,) = cup.tournament.played
    assert (played.scores, played.how, other.occupant) == ((0.0, 1.0), "silent", None)


def test_a_full_disk_ends_the_tournament(path: Path) -> None:
    cup = Cup(path, ("a", "b", "c"))
    cup.file.trouble(SetupError("no space"))
    cup.play()
    assert str(error_of(cup.running, SetupError)) == "no space"


def test_what_is_under_way_at_a_stop_is_not_noted(path: Path) -> None:
    cup = Cup(path, games=1, make=scripted)
    for each in cup.made:
        cast(Scripted, each).coming.callback(cast(Scripted, each))
    cup.runner.stop()
    cast(Scripted, cup.made[0]).resign()
    cup.play()
    assert cup.hows == []


def account(cup: Cup, name: str) -> Contestant:
    return Account(name, cup.runner.waiting_area)


def come(cup: Cup, *names: str) -> list[Scripted]:
    """Let accounts come into the hall."""
    guests = [Scripted(name, cup.seating) for name in names]
    for guest in guests:
        cup.runner.waiting_area.come(guest.name, guest)
    cup.play()
    return guests


def test_accounts_play_as_soon_as_both_are_there_one_game_at_a_time(path: Path) -> None:
    names = "a", "b", "c"
    cup = Cup(path, names, names, make=account)
    a, _ = come(cup, "a", "c")
    assert [set(each.pairing.seats) for each in cup.runner.under.values()] == [{"a", "c"}]
    come(cup, "b")
    assert len(cup.runner.under) == 1, "both others play"
    a.resign()
    cup.play()
    come(cup, "a")
    assert [set(each.pairing.seats) for each in cup.runner.under.values()] == [{"a", "b"}]


def test_an_account_that_does_not_come_is_absent(path: Path) -> None:
    cup = Cup(path, games=1, accounts=("b",), make=account)
    cup.play(500)
    assert cup.hows == []
    cup.play(200)
    (played,) = cup.tournament.played
    assert (dict(zip(played.pairing.seats, played.scores, strict=True)), played.how) == (
        {"a": 1.0, "b": 0.0}, "absent",
    )  # fmt: skip


def test_an_arena_is_over_at_its_time_though_nobody_has_come(path: Path) -> None:
    cup = Cup(path, accounts=("a", "b"), make=account, ends=3600.0)
    cup.play(3599)
    assert not cup.running.called
    cup.play(10)
    assert cup.running.called and cup.hows == []


def test_a_game_begins_with_its_deal_and_its_opening() -> None:
    nim = terms("nim").game
    one, other = (nim.start(2, Random(7)), start_of(nim, Pairing(1, 1, ("a", "b"), (), 7)))
    assert one == other
    opened = start_of(terms().game, Pairing(1, 1, ("a", "b"), ("1:1", "0:0"), 7))
    assert opened == "200010000"
