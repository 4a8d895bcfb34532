"""What every game promises, as a mixin: a game's own tests add only what is its own.

A game decides and remembers nothing: ``play`` takes a position and gives the next one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from random import Random
from typing import ClassVar, Generic, Protocol, TypeVar

import pytest

from tictac.errors import IllegalMove

P = TypeVar("P", bound=Hashable)
M = TypeVar("M", bound=Hashable)


class Game(Protocol[P, M]):
    """What the suite needs of a game."""

    def initial(self) -> P:
        """The position before the first move."""

    def to_move(self, position: P, /) -> object:
        """The side whose turn it is."""

    def legal_moves(self, position: P, /) -> Sequence[M]:
        """Every move that can be made; none once the game is over."""

    def play(self, position: P, move: M, /) -> P:
        """The position after the move. Raises IllegalMove."""

    def outcome(self, position: P, /) -> object | None:
        """How the game has ended, or None while it goes on."""


class GameConformance(Generic[P, M]):
    """Mix into a TestCase that says which game, and gives its numbers."""

    game: Game[P, M]
    longest: int
    """Moves of the longest game."""
    foreign_moves: Sequence[M]
    """Moves that can't be made in any position."""
    games_of_length: ClassVar[Sequence[int]]
    """How many sequences of 0, 1, 2… moves there are, as far as they are known."""
    all_games: ClassVar[int | None] = None
    """How many games there are, where they can be counted; as for positions."""
    all_positions: ClassVar[int | None] = None
    playouts = 200
    moves_meet: ClassVar[bool] = False
    """Whether two moves may lead from one position to the same next one."""

    def write(self, position: P) -> bytes:
        """The position as bytes; ``str()`` of it unless the game has more to say."""
        return str(position).encode()

    def read(self, data: bytes) -> P:
        """The position that `write` has written."""
        raise NotImplementedError

    def test_the_first_position_can_be_played(self) -> None:
        start = self.game.initial()
        assert self.game.outcome(start) is None
        assert self.game.legal_moves(start)
        assert start == self.game.initial()

    def test_legal_moves_can_be_made_and_make_a_difference(self) -> None:
        for position in self.random_positions():
            moves = self.game.legal_moves(position)
            assert len(set(moves)) == len(moves)
            after = [self.game.play(position, move) for move in moves]
            assert position not in after
            assert self.moves_meet or len(set(after)) == len(after)

    def test_other_moves_are_refused_and_change_nothing(self) -> None:
        somewhere = {move for p in self.random_positions() for move in self.game.legal_moves(p)}
        for position in self.random_positions():
            before = self.write(position)
            illegal = somewhere.difference(self.game.legal_moves(position))
            for move in [*illegal, *self.foreign_moves]:
                with pytest.raises(IllegalMove):
                    self.game.play(position, move)
            assert self.write(position) == before

    def test_only_a_game_that_is_over_has_no_legal_moves(self) -> None:
        for position in self.random_positions():
            over = self.game.outcome(position) is not None
            assert over is (not self.game.legal_moves(position))

    def test_every_game_ends(self) -> None:
        lengths = [len(playout) - 1 for playout in self.random_playouts()]
        assert 0 < min(lengths) <= max(lengths) <= self.longest

    def test_a_position_is_a_value(self) -> None:
        # The same game played twice gives equal positions that aren't the same objects.
        for one, other in zip(self.random_positions(), self.random_positions(), strict=True):
            assert one == other
            assert hash(one) == hash(other)

    def test_a_position_survives_being_written_and_read(self) -> None:
        for position in self.random_positions():
            again = self.read(self.write(position))
            assert again == position
            assert hash(again) == hash(position)
            assert self.game.to_move(again) == self.game.to_move(position)
            assert self.game.legal_moves(again) == self.game.legal_moves(position)
            assert self.game.outcome(again) == self.game.outcome(position)

    def test_the_number_of_sequences_of_moves(self) -> None:
        for length, number in enumerate(self.games_of_length):
            assert self._sequences(self.game.initial(), length) == number

    def test_the_number_of_games_and_positions(self) -> None:
        if self.all_games is None:
            return
        known: dict[P, int] = {}
        assert self._games_from(self.game.initial(), known) == self.all_games
        assert len(known) == self.all_positions

    # How positions are found

    def random_playouts(self) -> Iterator[list[P]]:
        """The positions of random games; the same ones at every call."""
        dice = Random(1)
        for _ in range(self.playouts):
            playout = [self.game.initial()]
            while moves := self.game.legal_moves(playout[-1]):
                assert len(playout) <= self.longest, "it doesn't end"
                playout.append(self.game.play(playout[-1], dice.choice(moves)))
            yield playout

    def random_positions(self) -> Iterator[P]:
        """Every position of the random games, the last ones included."""
        for playout in self.random_playouts():
            yield from playout

    def _sequences(self, position: P, length: int) -> int:
        if length == 0:
            return 1
        moves = self.game.legal_moves(position)
        return sum(self._sequences(self.game.play(position, move), length - 1) for move in moves)

    def _games_from(self, position: P, known: dict[P, int]) -> int:
        if position not in known:
            moves = self.game.legal_moves(position)
            after = (self._games_from(self.game.play(position, move), known) for move in moves)
            known[position] = sum(after) if moves else 1
        return known[position]
