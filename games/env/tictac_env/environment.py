"""A game of tictac as an environment of PettingZoo.

The agents are ``player_0`` and so on, by seat. An observation has the numbers of the game's coding
(coding.py) and an ``action_mask``. The winner gets 1, the others -1, and a draw 0. An illegal
action ends the game, and its agent gets -1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper

from tictac.bot import Turn
from tictac.games.all import game_type_of
from tictac.text_view import unpainted
from tictac_env.coding import Array, coding_of

LONGEST = 1000
"""Moves after which a game is cut off."""

Observation = dict[str, Any]
Policy = Callable[[Observation], int]


class TictacEnv(AECEnv, EzPickle):  # type: ignore[misc]
    """A game with these ``options``, and with ``seats`` players if it has several numbers.

    After ``longest`` moves, the game is truncated. ``render_mode`` is None or ``ansi``.
    """

    def __init__(
        self,
        game: str = "tictactoe",
        *,
        seats: int = 0,
        render_mode: str | None = None,
        longest: int = LONGEST,
        **options: Any,
    ) -> None:
        EzPickle.__init__(
            self, game, seats=seats, render_mode=render_mode, longest=longest, **options
        )
        AECEnv.__init__(self)
        self._type = game_type_of(game)
        self._values = self._type.values(options)
        self._game, self._coding = self._type.game(options), coding_of(game, self._values)
        usual = 2 if 2 in self._type.seats else next(iter(self._type.seats))
        self._seats, self._longest = seats or usual, longest
        if self._seats not in self._type.seats:
            raise ValueError(f"{self._type.title} has no {seats} seats")
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode is None or 'ansi', not {render_mode!r:.40}")
        self.metadata = {
            "name": f"tictac_{game}_v1", "render_modes": ["ansi"], "is_parallelizable": True,
        }  # fmt: skip
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(self._seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.agents = self.possible_agents[:]
        coded = self._coding.moves
        self._numbers = (
            None if isinstance(coded, int) else {move: at for at, move in enumerate(coded)}
        )
        self._count = coded if isinstance(coded, int) else len(coded)
        self._observations = {each: self._space() for each in self.agents}
        self._actions = {each: spaces.Discrete(self._count) for each in self.agents}
        self._rng = Random()
        self._position: Any = None
        self._turn: int | None = None
        self.agent_selection = self.agents[0]
        self.truncations = dict.fromkeys(self.agents, False)

    def _space(self) -> spaces.Dict:
        seen = spaces.Box(0, self._coding.highest, self._coding.shape, np.int8)
        return spaces.Dict(
            {"observation": seen, "action_mask": spaces.Box(0, 1, (self._count,), np.int8)}
        )

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations."""
        return self._observations[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the numbers of all moves."""
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. A ``seed`` repeats its chances."""
        if seed is not None:
            self._rng = Random(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {each: {} for each in self.agents}
        self._position, self._moved = self._game.start(self._seats, self._rng), 0
        self._next_turn()

    def observe(self, agent: str) -> Observation:
        """Return an agent's observation. The mask of an agent that isn't to move has zeros."""
        seat = self._seat_of[agent]
        mask = np.zeros(self._count, np.int8)
        if seat == self._turn:
            mask[self._legal] = 1
        seen = self._coding.see(self._game.view(self._position, seat), seat)
        return {"observation": seen, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Make the move of the agent that is to move. Raises RuntimeError before ``reset``."""
        agent = self.agent_selection
        if self._turn is None or self.truncations[agent]:
            self._step_after_end(action)
            return
        self._cumulative_rewards[agent] = 0.0
        move = self.move_of(action)
        if move is None:
            self._end({agent: -1.0})
            return
        self._position = self._game.play(self._position, move, self._rng).position
        self._moved += 1
        self._next_turn()
        if self._turn is None:
            result = self._game.result(self._position)
            winner = None if result is None else result.winner
            points = {} if winner is None else dict.fromkeys(self.agents, -1.0)
            if winner is not None:
                points[self.possible_agents[winner]] = 1.0
            self._end(points)
        elif self._moved >= self._longest:
            self.truncations = dict.fromkeys(self.agents, True)

    def move_of(self, action: int | None) -> str | None:
        """Return the move with this number; None if it is illegal now."""
        if action is None or action not in self._legal:
            return None
        if self._numbers is None:
            return self._moves[action]
        assert not isinstance(self._coding.moves, int)
        return self._coding.moves[action]

    def render(self) -> str | None:
        """Return the position as lines of text, if ``render_mode`` is ``ansi``."""
        if self.render_mode is None:
            return None
        view = self._type.text_view(self._values)
        return "\n".join(view.lines(self._game.view(self._position, None), unpainted))

    def close(self) -> None:
        """Do nothing, because nothing is open."""

    def _next_turn(self) -> None:
        self._turn = self._game.turn(self._position)
        if self._turn is None:
            return
        self._moves = self._game.moves(self._position)[: self._count]
        numbers = self._numbers
        self._legal = (
            [*range(len(self._moves))] if numbers is None else [numbers[m] for m in self._moves]
        )
        if not self._legal:
            raise NotImplementedError(f"{self._type.title} doesn't list its moves here")
        self.agent_selection = self.possible_agents[self._turn]

    def _end(self, points: dict[str, float]) -> None:
        self._turn = None
        self.rewards = dict.fromkeys(self.agents, 0.0) | points
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()

    def _step_after_end(self, action: int | None) -> None:
        if self._position is None:
            raise RuntimeError("call reset() before step()")
        self._was_dead_step(action)


def env(game: str = "tictactoe", **options: Any) -> TictacEnv:
    """Return a game as an environment of agents that move in turn (AEC)."""
    return TictacEnv(game, **options)


def parallel_env(game: str = "tictactoe", **options: Any) -> ParallelEnv:
    """Return a game as an environment that takes the actions of all agents at once.

    In each step, it makes the move of the agent that is to move. The ``infos`` name this agent as
    ``active_agent``.
    """
    return turn_based_aec_to_parallel_wrapper(TictacEnv(game, **options))


def bot(policy: Policy) -> Callable[[Turn], str]:
    """Return a policy as a function for :func:`tictac.bot.play`."""
    coding = cache(lambda game, values: coding_of(game, dict(values)))

    def choose(turn: Turn) -> str:
        coded = coding(turn.game, tuple(sorted(turn.options.items())))
        moves = list(turn.moves if isinstance(coded.moves, int) else coded.moves)
        mask: Array = np.zeros(coded.moves if isinstance(coded.moves, int) else len(moves), np.int8)
        mask[[moves.index(move) for move in turn.moves]] = 1
        seen = {"observation": coded.see(turn.position, turn.seat), "action_mask": mask}
        return moves[int(policy(seen))]

    return choose
