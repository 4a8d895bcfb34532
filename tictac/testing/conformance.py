"""Tests of the rules of every game (tictac/game.py); a game adds only tests of its own rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random

from tictac.errors import IllegalMove, NotAMove, Refusal
from tictac.game import Game, GameType, OpenGame
from tictac.lobby.events import Position

MOST_REFUSED = 60
"""The moves of other positions that a test makes in a position: a sample of them."""

NO_MOVES = ("", " ", "?", "move", "-", ":", "\0", "\u00e9", "\uff11", "9" * 5000, "a" * 5000)


@dataclass(frozen=True)
class Case:
    """A game with its options, and known facts about it.

    ``longest`` is the maximum number of moves. ``lengths`` are the numbers of sequences of 0, 1, 2…
    moves; ``games`` and ``positions`` are the totals, if countable. ``illegal`` are moves that are
    illegal in every position. All these numbers come from another source than the game. ``alike``
    returns another position that a seat, or a viewer (None), can't distinguish from a position; a
    game with secrets must have it. ``seats`` is the number of players; the default is the minimum.
    ``shape`` returns a property that all views of a game share, such as the length of each row.
    """

    game_type: GameType
    options: Mapping[str, object] = field(default_factory=dict)
    longest: int = 1000
    illegal: Sequence[str] = ()
    lengths: Sequence[int] = ()
    games: int | None = None
    positions: int | None = None
    playouts: int = 20
    alike: Callable[[Position, int | None, Random], Position] | None = None
    seats: int = 0
    shape: Callable[[str], object] | None = None

    def __str__(self) -> str:
        words = [f"{name}={value}" for name, value in self.options.items()]
        return " ".join([self.game_type.name, *words, *[f"seats={self.seats}"] * bool(self.seats)])


class NoDice(Random):
    """A Random for games without chance."""

    def random(self) -> float:
        raise AssertionError("nothing is left to chance here")

    def getrandbits(self, k: int, /) -> int:
        raise AssertionError("nothing is left to chance here")


NO_RNG = NoDice()


@dataclass(frozen=True)
class Playout:
    """A game that was played: its positions, the moves between them, and the players' inputs."""

    positions: list[Position]
    moves: list[str]
    inputs: list[str]


_playouts: dict[str, list[Playout]] = {}
"""The random games played so far, for each case."""


class GameConformance:
    """A mixin for a TestCase, or a class of tests, that sets ``case``."""

    case: Case

    @property
    def seats(self) -> int:
        """The number of players."""
        return self.case.seats or self.case.game_type.seats[0]

    @cached_property
    def game(self) -> Game[Position]:
        """The game with its options."""
        return self.case.game_type.game(self.case.options)

    def test_its_kind_says_what_people_and_programs_must_know(self) -> None:
        game_type = self.case.game_type
        assert all(is_so(game_type.name) for is_so in (str.isascii, str.isidentifier, str.islower))
        assert game_type.title and game_type.goal.endswith(".") and game_type.seats
        assert set(game_type.ratings) in (set(), set(game_type.levels)), "rate all levels, or none"
        for option in game_type.options:
            assert option.check(option.default) == option.default
            assert option.read(_typed(option.default)) == option.default
            assert option.help.endswith(".") and "\n" not in option.help

    def test_the_first_position_can_be_played(self) -> None:
        for seats in self.case.game_type.seats:
            start = self.game.start(seats, Random(1))
            assert self.game.result(start) is None, f"{start} has a result"
            assert self.game.turn(start) in range(seats), f"no seat has the turn in {start}"
            assert self.game.moves(start), f"{start} has no moves"
            assert start == self.game.start(seats, Random(1)), "the same dice begin otherwise"

    def test_moves_can_be_made_and_make_a_difference(self) -> None:
        for position in self.random_positions():
            moves = self.game.moves(position)
            assert len(set(moves)) == len(moves), f"a move is listed twice: {moves}"
            for move in moves:
                after = self.game.play(position, move, Random(1)).position
                assert after != position, f"{move} changes nothing in {position}"

    def test_other_moves_are_refused_and_change_nothing(self) -> None:
        somewhere = {move for p in self.random_positions() for move in self.game.moves(p)}
        for position in self.random_positions():
            before = self.game.dump(position)
            others = sorted(somewhere.difference(self.game.moves(position)))
            for move in Random(before).sample(others, min(len(others), MOST_REFUSED)):
                self.refused(IllegalMove, position, move, NO_RNG)
            for move in self.case.illegal:
                self.refused(IllegalMove, position, move, NO_RNG)
            assert self.game.dump(position) == before, f"a refused move has changed {before}"

    def test_what_is_no_move_is_refused_as_that(self) -> None:
        for position in self.random_playouts(1)[0].positions:
            for text in NO_MOVES:
                error = self.refused(NotAMove, position, text, NO_RNG)
                assert 0 < len(str(error)) < 200

    def test_a_game_is_over_when_nobody_moves(self) -> None:
        for position in self.random_positions():
            over = self.game.result(position) is not None
            for nobody in (self.game.turn(position) is None, not self.game.moves(position)):
                assert over is nobody, f"result, turn, and moves of {position} don't agree"

    def test_seats_move_and_win(self) -> None:
        seats = self.seats
        for playout in self.random_playouts(self.case.playouts):
            turns = {self.game.turn(position) for position in playout.positions[:-1]}
            assert turns <= set(range(seats))
            result = self.game.result(playout.positions[-1])
            assert result is not None and result.winner in (None, *range(seats))

    def test_every_game_ends(self) -> None:
        lengths = [len(playout.moves) for playout in self.random_playouts(self.case.playouts)]
        assert 0 < min(lengths) <= max(lengths) <= self.case.longest, f"games of {lengths} moves"

    def test_a_record_leads_to_the_same_positions_without_dice(self) -> None:
        for playout in self.random_playouts(self.case.playouts):
            position = self.game.load(self.game.dump(playout.positions[0]))
            for move, after in zip(playout.moves, playout.positions[1:], strict=True):
                position, again = self.game.play(position, move, None)
                assert position == after, f"{move} from a record leads to {position}, not {after}"
                assert again == move, "a move from a record is in its one spelling"

    def test_a_position_survives_being_written_and_read(self) -> None:
        for position in self.random_positions():
            again = self.game.load(self.game.dump(position))
            assert again == position, f"{position} is read as {again}"
            assert hash(again) == hash(position), f"{position} has another hash when it is read"
            for ask in (self.game.turn, self.game.moves, self.game.result, self.game.dump):
                assert ask(again) == ask(position)

    def test_a_view_shows_nothing_that_the_seat_may_not_know(self) -> None:
        for number, position in enumerate(self.random_positions()):
            for seat in (None, *range(self.seats)):
                view = self.game.view(position, seat)
                assert view.isprintable()
                other = self.alike(position, seat, Random(number))
                again = self.game.view(other, seat)
                assert again == view, f"seat {seat} sees {view} or {again}: a secret"
                assert view == self.game.view(position, None) or not self.is_open

    def test_all_views_have_the_shape_of_the_first(self) -> None:
        shape = self.case.shape or (lambda view: None)
        first = shape(self.game.view(self._start(), None))
        for position in self.random_positions():
            for seat in (None, *range(self.seats)):
                view = self.game.view(position, seat)
                assert shape(view) == first, f"{shape(view)} and not {first} is the shape of {view}"

    def test_positions_that_are_alike_differ_in_a_secret(self) -> None:
        if self.is_open:
            return
        for seat in (None, *range(self.seats)):
            found = [
                self.alike(position, seat, Random(number)) != position
                for number, position in enumerate(self.random_positions())
            ]
            assert any(found), f"alike returns the same position for seat {seat}: what is secret?"

    def test_moves_with_equal_views_are_seen_alike(self) -> None:
        for position in () if self.is_open else self.random_positions():
            mover, seen = self.game.turn(position), dict[tuple[int | None, str], str]()
            for move in self.game.moves(position):
                after, made = self.game.play(position, move, Random(1))
                for seat in (None, *range(self.seats)):
                    if seat != mover and self.game.turn(after) is not None:
                        text = self.game.seen(after, made, seat)
                        known = seen.setdefault((seat, self.game.view(after, seat)), text)
                        assert text == known, f"seat {seat} sees {text} and not {known}: a secret"

    def test_turns_and_moves_show_nothing_that_a_seat_may_not_know(self) -> None:
        texts = sorted({move for p in self.random_positions() for move in self.game.moves(p)})
        for number, position in () if self.is_open else enumerate(self.random_positions()):
            turn = self.game.turn(position)
            for seat in (None, *range(self.seats)):
                other = self.alike(position, seat, Random(number))
                assert self.game.turn(other) == turn, f"seat {seat} sees a secret by the turn"
            if turn is None:
                continue
            other, moves = self.alike(position, turn, Random(number)), self.game.moves(position)
            assert [*self.game.moves(other)] == [*moves], "a seat sees a secret by its moves"
            refused = [text for text in texts if text not in moves]
            for text in Random(number).sample(refused, min(len(refused), MOST_REFUSED)):
                one, two = (
                    str(self.refused(IllegalMove, each, text, NO_RNG)) for each in (position, other)
                )
                assert one == two, f"a seat sees a secret by an error: {one} or {two}"

    def test_the_computer_knows_nothing_that_its_seat_may_not_know(self) -> None:
        levels = () if self.is_open else self.case.game_type.levels
        for level in levels:
            for number, position in enumerate(self.random_playouts(1)[0].positions[:-1]):
                other = self.alike(position, self.game.turn(position), Random(number))
                one, two = (self.choice(p, level, Random(5)) for p in (position, other))
                assert one == two, f"{level} plays {one} or {two} by what it can't know"

    def test_the_seat_that_moved_sees_the_whole_move(self) -> None:
        for playout in self.random_playouts(self.case.playouts):
            for before, after, move in zip(
                playout.positions, playout.positions[1:], playout.moves, strict=False
            ):
                for seat in (None, *range(self.seats)):
                    seen = self.game.seen(after, move, seat)
                    assert seen.isprintable()
                    assert seen == move or not (self.is_open or seat == self.game.turn(before))

    def test_only_a_record_says_what_chance_did(self) -> None:
        for playout in self.random_playouts(self.case.playouts):
            for position, move, typed in zip(
                playout.positions, playout.moves, playout.inputs, strict=False
            ):
                if move != typed:
                    self.refused(NotAMove, position, move, Random(1))
                    self.refused(NotAMove, position, typed, None)

    def test_the_others_go_on_without_a_seat_or_the_game_ends(self) -> None:
        for position in self.random_playouts(1)[0].positions:
            for seat in range(self.seats):
                dropped = self.game.drop(position, seat)
                if dropped is None:
                    continue
                after, move = dropped
                assert after != position
                assert self.game.play(position, move, None) == dropped
                self.refused(NotAMove, position, move, Random(1))
                for other in (None, *range(self.seats)):
                    seen = self.game.seen(after, move, other)
                    assert seen == move or (not self.is_open and seen.startswith(f"{move}: "))
                while (turn := self.game.turn(after)) is not None:
                    assert turn != seat
                    after = self.game.drop(after, turn).position  # type: ignore[union-attr]
                assert self.game.result(after) is not None

    def test_the_number_of_sequences_of_moves(self) -> None:
        for length, number in enumerate(self.case.lengths):
            found = self._sequences(self._start(), length)
            assert found == number, f"{found} sequences of {length} moves, not {number}"

    def test_the_number_of_games_and_positions(self) -> None:
        if self.case.games is not None:
            known: dict[Position, int] = {}
            found = self._games_from(self._start(), known)
            assert found == self.case.games, f"{found} games, not {self.case.games}"
            assert self.case.positions in (None, len(known)), f"{len(known)} positions"

    def test_the_computer_makes_moves_of_the_game(self) -> None:
        for level in self.case.game_type.levels:
            position, rng = self._start(), Random(3)
            for _ in range(30):
                if self.game.turn(position) is None:
                    break
                position, _ = self.game.play(position, self.choice(position, level, rng), rng)

    def test_the_same_dice_choose_the_same(self) -> None:
        for level in self.case.game_type.levels:
            for position in self.random_playouts(1)[0].positions[:-1][::5]:
                one, two = (self.choice(position, level, Random(5)) for _ in range(2))
                assert one == two, f"{level} plays {one}, then {two}, with the same dice"

    def test_its_text_view_shows_each_position_and_reads_each_move(self) -> None:
        view = self.case.game_type.text_view(self.case.game_type.values(self.case.options))
        assert all(isinstance(rule, str) for rule in view.rules)
        for position in self.random_playouts(1)[0].positions:
            lines = view.lines(self.game.view(position, None), lambda seat, text: text)
            assert 0 < len(lines) <= 22 and max(map(len, lines[view.board]), default=0) < 80
            assert all(view.read(view.spell(move)) == move for move in self.game.moves(position))

    # Positions

    def refused(
        self, kind: type[Refusal], position: Position, move: str, rng: Random | None
    ) -> Refusal:
        """Make an illegal move, and return the refusal, which is of that class."""
        try:
            self.game.play(position, move, rng)
        except kind as error:
            return error
        raise AssertionError(f"{move!r:.40} wasn't a {kind.__name__}")

    @property
    def is_open(self) -> bool:
        """Whether the game has no secrets."""
        return isinstance(self.game, OpenGame)

    def alike(self, position: Position, seat: int | None, rng: Random) -> Position:
        """Return another position that a seat can't distinguish from this one."""
        if self.case.alike is None:
            assert self.is_open, "a game with secrets needs `alike` in its Case; else OpenGame"
            return position
        return self.case.alike(position, seat, rng)

    def choice(self, position: Position, level: str, rng: Random) -> str:
        """Return the computer's move, without time to think."""
        assert self.case.game_type.choose is not None
        return self.case.game_type.choose(self.game, position, level, lambda: True, rng)

    def random_playouts(self, number: int) -> list[Playout]:
        """Return random games, the same at every call, for all tests of a case."""
        known = _playouts.setdefault(str(self.case), [])
        known += [self._playout(Random(seed)) for seed in range(len(known), number)]
        return known[:number]

    def random_positions(self) -> Iterator[Position]:
        """Return every position of the random games, including the last ones."""
        for playout in self.random_playouts(self.case.playouts):
            yield from playout.positions

    def _start(self) -> Position:
        return self.game.start(self.seats, Random(1))

    def _playout(self, rng: Random) -> Playout:
        playout = Playout([self.game.start(self.seats, rng)], [], [])
        while moves := self.game.moves(playout.positions[-1]):
            assert len(playout.moves) <= self.case.longest, "it doesn't end"
            playout.inputs.append(rng.choice(moves))
            played = self.game.play(playout.positions[-1], playout.inputs[-1], rng)
            playout.positions.append(played.position)
            playout.moves.append(played.move)
        return playout

    def _sequences(self, position: Position, length: int) -> int:
        if length == 0:
            return 1
        return sum(self._sequences(after, length - 1) for after in self._after(position))

    def _games_from(self, position: Position, known: dict[Position, int]) -> int:
        if position not in known:
            after = [self._games_from(after, known) for after in self._after(position)]
            known[position] = sum(after) if after else 1
        return known[position]

    def _after(self, position: Position) -> list[Position]:
        moves = self.game.moves(position)
        return [self.game.play(position, move, NO_RNG).position for move in moves]


def _typed(value: object) -> str:
    """Return the text that a person types for a value of an option."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
