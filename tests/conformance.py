"""What every game promises (tictac/game.py): a game's own tests add only what is its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any

import pytest

from tictac.errors import IllegalMove, NotAMove
from tictac.game import Game, Kind, OpenGame

LONGEST = 1000
"""Moves of the longest game, where nothing smaller is known."""

NO_MOVES = ("", " ", "?", "move", "-", ":", "\0", "\u00e9", "\uff11", "9" * 5000, "a" * 5000)


@dataclass(frozen=True)
class Case:
    """A game with its options, and what is known of it.

    ``lengths`` are how many sequences of 0, 1, 2… moves there are; ``games`` and ``positions``
    how many of them there are in all, where they can be counted. ``illegal`` are moves that can't
    be made in any position. All these are counted by something else than the game. ``hidden``
    gives the texts that a seat, or a viewer (None), may not see in a position.
    """

    kind: Kind
    options: Mapping[str, object] = field(default_factory=dict)
    longest: int = LONGEST
    illegal: Sequence[str] = ()
    lengths: Sequence[int] = ()
    games: int | None = None
    positions: int | None = None
    playouts: int = 20
    hidden: Callable[[Any, int | None], Iterable[str]] = lambda position, seat: ()

    def __str__(self) -> str:
        options = (f"{name}={value}" for name, value in self.options.items())
        return " ".join([self.kind.name, *options])


class NoDice(Random):
    """Dice for what leaves nothing to chance."""

    def random(self) -> float:
        raise AssertionError("nothing is left to chance here")

    def getrandbits(self, k: int, /) -> int:
        raise AssertionError("nothing is left to chance here")


NO_DICE = NoDice()


@dataclass(frozen=True)
class Playout:
    """A game that was played: its positions, and the moves between them."""

    positions: list[Any]
    moves: list[str]


_playouts: dict[str, list[Playout]] = {}
"""The random games that were played so far, for each case."""


class GameConformance:
    """Mix into a TestCase, or a class of tests, that says which ``case``."""

    case: Case

    @cached_property
    def game(self) -> Game[Any]:
        """The game with its options."""
        return self.case.kind.game(self.case.options)

    def test_its_kind_says_what_people_and_programs_must_know(self) -> None:
        kind = self.case.kind
        assert kind.name.isascii() and kind.name.isidentifier() and kind.name.islower()
        assert kind.title and kind.goal.endswith(".") and kind.seats
        for option in kind.options:
            assert option.check(option.default) == option.default
            assert option.read(_typed(option.default)) == option.default
            assert option.help.endswith(".") and "\n" not in option.help

    def test_the_first_position_can_be_played(self) -> None:
        for seats in self.case.kind.seats:
            start = self.game.start(seats, Random(1))
            assert self.game.result(start) is None
            assert self.game.turn(start) in range(seats)
            assert self.game.moves(start)
            assert start == self.game.start(seats, Random(1))

    def test_moves_can_be_made_and_make_a_difference(self) -> None:
        for position in self.random_positions():
            moves = self.game.moves(position)
            assert len(set(moves)) == len(moves)
            for move in moves:
                assert self.game.play(position, move, Random(1)).position != position

    def test_other_moves_are_refused_and_change_nothing(self) -> None:
        somewhere = {move for p in self.random_positions() for move in self.game.moves(p)}
        for position in self.random_positions():
            before = self.game.dump(position)
            for move in sorted(somewhere.difference(self.game.moves(position))):
                with pytest.raises(IllegalMove):
                    self.game.play(position, move, NO_DICE)
            for move in self.case.illegal:
                with pytest.raises(IllegalMove):
                    self.game.play(position, move, NO_DICE)
            assert self.game.dump(position) == before

    def test_what_is_no_move_is_refused_as_that(self) -> None:
        for position in self.random_playouts(1)[0].positions:
            for text in NO_MOVES:
                with pytest.raises(NotAMove) as caught:
                    self.game.play(position, text, NO_DICE)
                assert 0 < len(str(caught.value)) < 200

    def test_a_game_is_over_when_nobody_moves(self) -> None:
        for position in self.random_positions():
            over = self.game.result(position) is not None
            assert over is (self.game.turn(position) is None)
            assert over is (not self.game.moves(position))

    def test_seats_move_and_win(self) -> None:
        seats = self.case.kind.seats[0]
        for playout in self.random_playouts(self.case.playouts):
            turns = {self.game.turn(position) for position in playout.positions[:-1]}
            assert turns <= set(range(seats))
            result = self.game.result(playout.positions[-1])
            assert result is not None and result.winner in (None, *range(seats))

    def test_every_game_ends(self) -> None:
        lengths = [len(playout.moves) for playout in self.random_playouts(self.case.playouts)]
        assert 0 < min(lengths) <= max(lengths) <= self.case.longest

    def test_a_record_leads_to_the_same_positions_without_dice(self) -> None:
        for playout in self.random_playouts(self.case.playouts):
            position = self.game.load(self.game.dump(playout.positions[0]))
            for move, after in zip(playout.moves, playout.positions[1:], strict=True):
                position, again = self.game.play(position, move, None)
                assert position == after
                assert again == move, "a move from a record is in its one spelling"

    def test_a_position_survives_being_written_and_read(self) -> None:
        for position in self.random_positions():
            again = self.game.load(self.game.dump(position))
            assert again == position
            assert hash(again) == hash(position)
            for ask in (self.game.turn, self.game.moves, self.game.result, self.game.dump):
                assert ask(again) == ask(position)

    def test_views_are_single_lines_that_show_nothing_hidden(self) -> None:
        seats = (None, *range(self.case.kind.seats[0]))
        for position in self.random_positions():
            views = {seat: self.game.view(position, seat) for seat in seats}
            for seat, view in views.items():
                assert view.isprintable()
                for text in self.case.hidden(position, seat):
                    assert text not in view
            if isinstance(self.game, OpenGame):
                assert len(set(views.values())) == 1

    def test_the_number_of_sequences_of_moves(self) -> None:
        for length, number in enumerate(self.case.lengths):
            assert self._sequences(self._start(), length) == number

    def test_the_number_of_games_and_positions(self) -> None:
        if self.case.games is not None:
            known: dict[Any, int] = {}
            assert self._games_from(self._start(), known) == self.case.games
            assert self.case.positions in (None, len(known))

    def test_the_computer_makes_moves_of_the_game(self) -> None:
        for level in self.case.kind.levels:
            position, dice = self._start(), Random(3)
            for _ in range(30):
                if self.game.turn(position) is None:
                    break
                position, _ = self.game.play(position, self.choice(position, level, dice), dice)

    def test_the_same_dice_choose_the_same(self) -> None:
        for level in self.case.kind.levels:
            for position in self.random_playouts(1)[0].positions[:-1][::5]:
                one, two = (self.choice(position, level, Random(5)) for _ in range(2))
                assert one == two

    # How positions are found

    def choice(self, position: Any, level: str, dice: Random) -> str:
        """The computer's move, without time to think."""
        assert self.case.kind.choose is not None
        return self.case.kind.choose(self.game, position, level, lambda: True, dice)

    def random_playouts(self, number: int) -> list[Playout]:
        """Random games; the same ones at every call, for all tests of a case."""
        known = _playouts.setdefault(str(self.case), [])
        known += [self._playout(Random(seed)) for seed in range(len(known), number)]
        return known[:number]

    def random_positions(self) -> Iterator[Any]:
        """Every position of the random games, the last ones included."""
        for playout in self.random_playouts(self.case.playouts):
            yield from playout.positions

    def _start(self) -> Any:
        return self.game.start(self.case.kind.seats[0], Random(1))

    def _playout(self, dice: Random) -> Playout:
        playout = Playout([self.game.start(self.case.kind.seats[0], dice)], [])
        while moves := self.game.moves(playout.positions[-1]):
            assert len(playout.moves) <= self.case.longest, "it doesn't end"
            played = self.game.play(playout.positions[-1], dice.choice(moves), dice)
            playout.positions.append(played.position)
            playout.moves.append(played.move)
        return playout

    def _sequences(self, position: Any, length: int) -> int:
        if length == 0:
            return 1
        return sum(self._sequences(after, length - 1) for after in self._after(position))

    def _games_from(self, position: Any, known: dict[Any, int]) -> int:
        if position not in known:
            after = [self._games_from(after, known) for after in self._after(position)]
            known[position] = sum(after) if after else 1
        return known[position]

    def _after(self, position: Any) -> list[Any]:
        moves = self.game.moves(position)
        return [self.game.play(position, move, NO_DICE).position for move in moves]


def _typed(value: object) -> str:
    """What a person types for a value of an option."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
