"""A game of OpenSpiel as a game of tictac.

A position is the history of OpenSpiel's actions, with those of chance, and the state after them,
which is only ever cloned. A move is a text of ours (boards.py), which can stand for several
actions in a row. Results of chance follow it after `` | ``, as OpenSpiel's numbers: ``roll | 4``.

The import of pyspiel takes 40 MiB and a moment, so it waits until a game is first played.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any

from tictac.errors import IllegalMove, NotAMove
from tictac.game import DRAWN, Game, OpenGame, Played, Result
from tictac_openspiel import ends

if TYPE_CHECKING:
    from tictac_openspiel.entry import Entry


class Position:
    """A history of actions, and the state after it. Equal histories are equal positions."""

    def __init__(
        self, game: Spiel, seats: int, history: tuple[int, ...], state: Any, seed: str = "",
        before: Any = None,
    ) -> None:  # fmt: skip
        self.seats, self.history, self.state, self.seed = seats, history, state, seed
        self.game, self._before = game, before

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return self.text

    @property
    def _key(self) -> tuple[int, str, tuple[int, ...]]:
        return self.seats, self.seed, self.history

    @cached_property
    def mover(self) -> int | None:
        """The seat to move; None once the game is over."""
        if self.state.is_terminal():
            return None
        return self.game.seat_of(self.state.current_player(), self.seats)

    @cached_property
    def moves(self) -> dict[str, tuple[int, ...]]:
        """The moves, each with the actions that it stands for."""
        return {} if self.mover is None else self.game.entry.board.moves(self.state)

    @cached_property
    def cells(self) -> dict[str, str]:
        """What lies on each cell, by its name."""
        return dict(self.game.entry.board.cells(self.written))

    @cached_property
    def written(self) -> str:
        """The position (boards.py)."""
        return self.game.entry.board.write(self.state, self.mover, self._before)

    @cached_property
    def text(self) -> str:
        """The position for people and programs, at the end with its reason."""
        return self.with_end(self.written)

    def with_end(self, text: str) -> str:
        """Add to a view why the game has ended (ends.py), if it has, and that is known."""
        end = "" if self.mover is not None else ends.why(self)
        return f"{text} end={end}" if end else text


class Spiel(Game[Position]):
    """A game of OpenSpiel."""

    def __init__(self, entry: Entry, options: Mapping[str, Any]) -> None:
        self.entry = entry
        self._parameters = entry.parameters(options)
        self._wrap = lambda game: entry.wrap(game, options)
        self._shape = re.compile(entry.board.steps, re.ASCII)
        self._games: dict[int, Any] = {}
        self._first = 0

    def new_state(self, seats: int) -> Any:
        """Return the state before the first action."""
        if seats not in self._games:
            import pyspiel

            more = {"players": seats} if len(self.entry.seats) > 1 else {}
            texts = (f"{name}={value}" for name, value in {**self._parameters, **more}.items())
            game = pyspiel.load_game(f"{self.entry.spiel}({','.join(texts)})")
            self._games[seats] = self._wrap(game)
            self._first = max(0, self._games[seats].new_initial_state().current_player())
        return self._games[seats].new_initial_state()

    def seat_of(self, player: int, seats: int) -> int:
        """Return the seat of a player of OpenSpiel: the first to move, as White, has seat 0."""
        return (int(player) - self._first) % seats

    def start(self, seats: int, rng: Random) -> Position:
        """Return the first position; dice may have been rolled for it."""
        state = self.new_state(seats)
        seed = str(rng.getrandbits(128)) if self.entry.hidden else ""
        rolled: list[int] = []
        while state.is_chance_node():
            rolled.append(_roll(state, _dealer(seed, rolled) if seed else rng))
        return Position(self, seats, tuple(rolled), state, seed)

    def turn(self, position: Position) -> int | None:
        """Return the seat to move."""
        return position.mover

    def moves(self, position: Position) -> Sequence[str]:
        """Return the moves in OpenSpiel's order."""
        return list(position.moves)

    def play(self, position: Position, move: str, rng: Random | None) -> Played[Position]:
        """Make a move, and let chance answer."""
        text, bar, results = move.partition(" | ")
        is_odd = bool(bar) and (rng is not None or not results)
        if is_odd or len(text) > 40 or not self._shape.fullmatch(text):
            raise NotAMove(f"a move is {self.entry.usage}, not {move!r:.40}")
        if position.mover is None:
            raise IllegalMove("the game is over")
        if text not in position.moves:
            raise IllegalMove(self.entry.board.why_not(position.cells, text))
        state = position.state.clone()
        history = [*position.history, *position.moves[text]]
        for action in position.moves[text]:
            state.apply_action(action)
        while position.seed and state.is_chance_node():
            history.append(_roll(state, _dealer(position.seed, history)))
        said = results.split(" ") if results else []
        rolled: list[str] = []
        while state.is_chance_node():
            if rng is not None:
                history.append(_roll(state, rng))
            elif len(rolled) == len(said):
                raise NotAMove(f"the result of chance after {text} is missing")
            else:
                history.append(_take(state, said[len(rolled)]))
            rolled.append(str(history[-1]))
        if rng is None and rolled != said:
            raise NotAMove(f"chance has no part in {text}")
        after = Position(self, position.seats, tuple(history), state, position.seed, position.state)
        return Played(after, " | ".join([text, *[" ".join(rolled)] * bool(rolled)]))

    def result(self, position: Position) -> Result | None:
        """Return the only seat with the best return, or a draw."""
        if position.mover is not None:
            return None
        returns = position.state.returns()
        best = [player for player, value in enumerate(returns) if value == max(returns)]
        return Result(self.seat_of(best[0], position.seats)) if len(best) == 1 else DRAWN

    def drop(self, position: Position, seat: int) -> Played[Position] | None:
        """Return None: the match is over."""
        return None

    def dump(self, position: Position) -> str:
        """Return the number of seats, the seed of hidden cards, and the history."""
        head = f"{position.seats}:{position.seed}" if position.seed else position.seats
        return " ".join(map(str, (head, *position.history)))

    def load(self, text: str) -> Position:
        """Return the position after a history. Raises ValueError if it isn't one.

        OpenSpiel crashes the process on an impossible action that isn't checked.
        """
        head, *words = text.split(" ")
        number, colon, seed = head.partition(":")
        seats, history = int(number), [int(word) for word in words]
        if bool(colon) != self.entry.hidden or (colon and not seed.isdecimal()):
            raise ValueError(f"{text!r:.40} isn't a history of {self.entry.title}")
        if seats not in self.entry.seats:
            raise ValueError(f"{self.entry.title} isn't for {seats} players")
        state, before = self.new_state(seats), None
        for made, action in enumerate(history, 1):
            if self.entry.board.takes and made == len(history):
                before = state.clone()
            if state.is_terminal() or action not in state.legal_actions():
                raise ValueError(f"{text!r:.40} isn't a history of {self.entry.title}")
            state.apply_action(action)
        if state.is_chance_node():
            raise ValueError(f"{text!r:.40} ends before chance has answered")
        return Position(self, seats, tuple(history), state, seed, before)


class OpenSpiel(Spiel, OpenGame[Position]):
    """A game in which every seat sees everything."""

    def view(self, position: Position, seat: int | None) -> str:
        """Return the position, for any seat."""
        return position.text


class HiddenSpiel(Spiel):
    """A game in which seats see their own cards.

    Chance answers by a seed that :meth:`start` draws, so that moves tell nothing of cards: also the
    seat whose move ends a round must not see the cards of the next one.
    """

    def view(self, position: Position, seat: int | None) -> str:
        """Return what a seat sees."""
        see = self.entry.board.see
        assert see is not None
        return position.with_end(see(position.state, position.mover, seat))

    def seen(self, position: Position, move: str, seat: int | None) -> str:
        """Return the move, or a word for a secret one to all seats except its own."""
        made = [step.player for step in position.state.full_history() if step.player >= 0][-1]
        if position.mover is None or seat == self.seat_of(made, position.seats):
            return move
        return self.entry.board.told(position.state, move)


def _dealer(seed: str, history: Sequence[int]) -> Random:
    """Return the Random of one answer of chance."""
    return Random(f"{seed} {len(history)}")


def _roll(state: Any, rng: Random) -> int:
    outcomes, chances = zip(*state.chance_outcomes(), strict=True)
    outcome = int(rng.choices(outcomes, chances)[0])
    state.apply_action(outcome)
    return outcome


def _take(state: Any, said: str) -> int:
    possible = {str(outcome): outcome for outcome in state.legal_actions()}
    if said not in possible:
        raise NotAMove(f"{said!r:.40} isn't a result of chance here")
    state.apply_action(possible[said])
    return int(possible[said])
