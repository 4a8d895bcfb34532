"""A computer's move belongs to the event that asks for it, whatever comes while it thinks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from tests.lobby.any_game import Knowing
from tests.lobby.late import Late
from tictac.engines.computer import ALONE, THINKS, Computer
from tictac.engines.worker import Question, answer, line_of, think
from tictac.errors import CannotThink
from tictac.games.all import GAMES
from tictac.lobby.events import Placed
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.lobby.terms import Terms, terms_for
from tictac.testing.server import raise_fault

PLAYED = [
    name
    for name, game_type in GAMES.items()
    if game_type.levels and game_type.text_view.__module__.startswith("tictac.")
]


class ManualEngine:
    """Thinks when the test lets it."""

    def __init__(self) -> None:
        self.asked: list[tuple[Question, Deferred[str]]] = []

    def think(self, question: Question, line: object = None) -> Deferred[str]:
        asked: Deferred[str] = Deferred()
        self.asked.append((question, asked))
        return asked

    def open(self) -> list[tuple[Question, Deferred[str]]]:
        """Return the questions that are neither answered nor canceled, and forget the others."""
        self.asked = [each for each in self.asked if not each[1].called]
        return self.asked


class Table:
    """A match of persons and one computer, which is to move, in any game.

    The computer waits and then chooses or, with ``in_engine``, an engine does. The events of a
    ``late`` table come when :meth:`settle` is called.
    """

    def __init__(self, game: str, in_engine: bool, late: bool) -> None:
        self.in_engine = in_engine
        self._begin(Late() if late else None)
        terms = self._terms(game)
        self.persons = [Knowing(self.registry, f"p{n}") for n in range(terms.seats - 1)]
        first, *others = self.persons
        self.registry.create(first, "den", terms)
        for other in others:
            self.registry.join(other, "den", "PLAYER")
        self.clock.advance(0)
        self.settle()
        self.seat = terms.seats - 1
        rng = Random(4)
        while self.room.turn != self.seat:
            mover = self.persons[self.room.turn]
            moves = self.room.game.moves(self.room.position)
            self.registry.place(mover, rng.choice(moves), keep=False)
            self.settle()
        self.moves = self.computers_moves()
        if in_engine:
            self.clock.advance(THINKS)

    def _begin(self, late: Late | None) -> None:
        self.clock, self.engine, self._late = Clock(), ManualEngine(), late
        at_once = Registry(0, self.clock.seconds, raise_fault, 30, rng=Random(1))
        self.registry = late.registry if late else at_once
        self.registry.observers.append(
            Computer(self.registry, self.clock, None, Random(1), self.engine)
        )
        self.registry.start()

    def restart(self) -> None:
        """Kill the server, and continue from its journal; then the first person rejoins."""
        assert self._late is not None
        self._begin(Late(self._late.journal))
        self.registry.join(Knowing(self.registry, "p0"), "den", "PLAYER")
        self.settle()

    def _terms(self, game: str) -> Terms:
        game_type = GAMES[game]
        slow = [level for level in game_type.levels if level in game_type.slow]
        level = slow[0] if slow and self.in_engine else game_type.levels[0]
        terms = terms_for(game_type, {}, computers=1, computer=level)
        engine = frozenset([level] if self.in_engine else ())
        return replace(terms, game_type=replace(game_type, slow=engine))

    @property
    def room(self) -> Room:
        room = self.registry.room("den")
        assert room is not None
        return room

    @property
    def computer(self) -> object:
        [computer] = [
            each
            for each in self.registry.live_rooms["den"].everybody
            if each not in self.persons and each.user == "computer"
        ]
        return computer

    def computers_moves(self) -> int:
        events = [event for _, event in self.room.record]
        return sum(isinstance(each, Placed) and each.seat == self.seat for each in events)

    def settle(self) -> None:
        if self._late is not None:
            self._late.settle()

    def let_it_think(self) -> None:
        """Let the computer's time pass, or its engine answer, once."""
        if not self.engine.open():
            self.clock.advance(THINKS)
        for question, asked in self.engine.open():
            line = think(line_of(question), lambda: True, lambda: 0, Random(1))
            asked.callback(answer(line))


def chats(table: Table) -> None:
    table.registry.say(table.persons[0], "hurry up")


def watches(table: Table) -> None:
    viewer = Knowing(table.registry, "vera")
    table.registry.join(viewer, "den", "VIEWER")
    table.registry.leave(viewer)


def rejoins(table: Table) -> None:
    table.registry.leave(table.persons[0])
    table.registry.join(Knowing(table.registry, "p0"), "den", "PLAYER")


def offers_draws(table: Table) -> None:
    table.registry.offer(table.persons[0], "draw")
    table.registry.answer(table.persons[0], "draw", False)
    table.registry.offer(table.persons[0], "draw")


def pauses_and_goes_on(table: Table) -> None:
    table.registry.pause(table.persons[0], True)
    table.registry.pause(table.persons[0], False)


def is_told_again(table: Table) -> None:
    for _, event in table.room.record[-3:]:
        table.computer.receive(event)  # type: ignore[attr-defined]


def drops_out(table: Table) -> None:
    if len(table.persons) > 1:
        table.registry.forfeit(table.persons[-1])


def two_drop_out(table: Table) -> None:
    for person in table.persons[1:3]:
        table.registry.leave(person, for_good=True)


HAPPENS: list[Callable[[Table], None]] = [
    chats, watches, rejoins, offers_draws, pauses_and_goes_on, is_told_again, drops_out,
    two_drop_out,
]  # fmt: skip


@pytest.fixture(params=[(e, j) for e in (False, True) for j in (False, True)])
def how(request: pytest.FixtureRequest) -> tuple[bool, bool]:
    """Whether the computer thinks in an engine process, and whether events come late."""
    engine, late = request.param
    return engine, late


@pytest.mark.parametrize("game", PLAYED)
@pytest.mark.parametrize("happens", HAPPENS)
def test_it_makes_one_move(
    game: str, happens: Callable[[Table], None], how: tuple[bool, bool]
) -> None:
    table = Table(game, *how)
    happens(table)
    table.settle()
    assert table.computers_moves() == table.moves
    for _ in range(2):  # an event that asks anew begins the time anew
        if table.computers_moves() == table.moves:
            table.let_it_think()
    table.settle()
    assert table.computers_moves() == table.moves + 1
    assert not table.room.players[table.seat].gone


@pytest.mark.parametrize("game", PLAYED)
@pytest.mark.parametrize("happens", HAPPENS)
def test_its_move_crosses_with_what_happens(
    game: str, happens: Callable[[Table], None], how: tuple[bool, bool]
) -> None:
    table = Table(game, *how)
    happens(table)
    table.let_it_think()  # before it has been told, if events come late
    table.settle()
    if table.computers_moves() == table.moves:
        table.let_it_think()
        table.let_it_think()
        table.settle()
    assert table.computers_moves() == table.moves + 1
    assert not table.room.players[table.seat].gone


@pytest.mark.parametrize("game", [game for game in PLAYED if game not in ("clue", "nim")])
def test_a_takeback_leaves_it_no_move(game: str, how: tuple[bool, bool]) -> None:
    table = Table(game, *how)
    table.registry.offer(table.persons[0], "takeback")
    table.settle()
    assert (table.room.turn, table.computers_moves()) == (0, table.moves)
    for _ in range(2):
        table.let_it_think()
        table.settle()
    assert (table.room.turn, table.computers_moves()) == (0, table.moves)


@pytest.mark.parametrize("game", PLAYED)
def test_a_pause_holds_its_move_back(game: str, how: tuple[bool, bool]) -> None:
    table = Table(game, *how)
    table.registry.pause(table.persons[0], True)
    table.let_it_think()
    table.settle()
    table.let_it_think()
    assert table.computers_moves() == table.moves
    table.registry.pause(table.persons[0], False)
    table.settle()
    for _ in range(2):
        if table.computers_moves() == table.moves:
            table.let_it_think()
    table.settle()
    assert table.computers_moves() == table.moves + 1


def assert_it_still_moves(table: Table) -> None:
    table.settle()
    assert not table.room.players[table.seat].gone
    for _ in range(2):
        table.let_it_think()
    assert table.computers_moves() > table.moves


def test_a_late_failure_of_an_engine_costs_nothing() -> None:
    table = Table("clue", in_engine=True, late=True)
    [(_, asked)] = table.engine.open()
    drops_out(table)
    asked.errback(CannotThink("no process"))
    assert_it_still_moves(table)


def test_a_refused_move_that_is_stale_costs_nothing() -> None:
    table = Table("clue", in_engine=True, late=True)
    [(_, asked)] = table.engine.open()
    asked.callback("fly")  # the refusal waits for the journal
    drops_out(table)
    assert_it_still_moves(table)


def test_it_looks_again_before_it_calls_a_match_off() -> None:
    late = Late(rejoin_timeout=0)
    late.registry.start()
    clock, game_type = Clock(), GAMES["clue"]
    late.registry.observers.append(Computer(late.registry, clock, None, Random(1), ManualEngine()))
    alice, vera = Knowing(late.registry, "alice"), Knowing(late.registry, "vera")
    late.registry.create(alice, "den", terms_for(game_type, {}, computer=game_type.levels[0]))
    clock.advance(0)
    late.settle()
    late.registry.leave(alice)
    late.settle()
    late.registry.join(vera, "den", "VIEWER")
    clock.advance(ALONE)  # the computers haven't been told of vera
    assert late.registry.room("den") is not None
    late.settle()
    assert vera.events


@pytest.mark.parametrize("game", PLAYED)
def test_it_makes_one_move_in_a_restored_room(game: str) -> None:
    table = Table(game, in_engine=True, late=True)
    table.restart()
    table.let_it_think()
    table.settle()
    assert table.computers_moves() == table.moves + 1
