"""The environments pass PettingZoo's own tests, and a policy of theirs is a bot."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from pettingzoo.test import api_test, parallel_api_test, seed_test
from tictac_env import CODINGS, TictacEnv, bench, bot, env, parallel_env
from tictac_env.coding import coding_of
from twisted.trial.unittest import SynchronousTestCase

from tictac.bot import Turn
from tictac.games.all import GAMES

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "tictactoe_of_another_size": ("tictactoe", {"rows": 5, "columns": 7, "strike": 4}),
    "connectfour_with_pops": ("connectfour", {"pops": True, "longest": 200}),
    "small_reversi": ("reversi", {"size": "6"}),
    "clue_of_one": ("clue", {"seats": 1}),
    **{name: (name, {"longest": 60}) for name in GAMES},
}
"""Every game that is installed, and some with other options."""


class ApiTests(SynchronousTestCase):
    """Of PettingZoo; a test for each case."""

    def check(self, game: str, options: dict[str, Any]) -> None:
        with warnings.catch_warnings():
            # A mask of zeros, and an observation that isn't a picture, are as they should be.
            warnings.simplefilter("ignore", UserWarning)
            api_test(env(game, **options), num_cycles=40)
            seed_test(lambda: env(game, **options), num_cycles=20)
            parallel_api_test(parallel_env(game, **options), num_cycles=40)


def _test(game: str, options: dict[str, Any]) -> Callable[[ApiTests], None]:
    return lambda case: case.check(game, options)


for _name, (_game, _options) in CASES.items():
    setattr(ApiTests, f"test_{_name}", _test(_game, _options))


class EveryGameTests(SynchronousTestCase):
    def test_all_moves_and_views_fit(self) -> None:
        for name in GAMES:
            game_type, rng = GAMES[name], Random(2)
            rules, coding = game_type.game(), coding_of(name, game_type.values({}))
            count = coding.moves if isinstance(coding.moves, int) else len({*coding.moves})
            seats = 2 if 2 in game_type.seats else next(iter(game_type.seats))
            position = rules.start(seats, rng)
            for _ in range(60):
                if (seat := rules.turn(position)) is None:
                    break
                view, moves = rules.view(position, seat), rules.moves(position)
                seen = coding.see(view, seat)
                assert seen.shape == coding.shape and seen.dtype == np.int8, name
                assert 0 <= seen.min() <= seen.max() <= coding.highest, name
                assert 0 < len(moves) <= count, (name, len(moves))
                if not isinstance(coding.moves, int):
                    assert {*moves} <= {*coding.moves}
                elif name not in CODINGS:
                    assert len(view) < coding.shape[0], (name, len(view))
                position = rules.play(position, rng.choice(moves), rng).position

    def test_a_random_game_of_each_ends_or_is_cut_off(self) -> None:
        for name in GAMES:
            game, rng = env(name, longest=50), Random(1)
            game.reset(seed=1)
            rewards = dict.fromkeys(game.agents, 0.0)
            for agent in game.agent_iter():
                seen, reward, over, cut, _ = game.last()
                rewards[agent] = float(reward)
                moves = np.flatnonzero(seen["action_mask"]).tolist()
                game.step(None if over or cut else rng.choice(moves))
            assert not game.agents and sorted(rewards.values()) in (
                [0.0] * len(rewards), [-1.0] * (len(rewards) - 1) + [1.0]
            ), name  # fmt: skip


class EnvironmentTests(SynchronousTestCase):
    def test_the_winner_gets_one_and_the_other_loses_one(self) -> None:
        game = env("tictactoe")
        game.reset()
        for cell in (0, 3, 1, 4, 2):
            game.step(cell)
        assert game.rewards == {"player_0": 1, "player_1": -1}
        assert all(game.terminations.values())

    def test_an_illegal_action_loses(self) -> None:
        game = env("connectfour")
        game.reset()
        for _ in range(6):
            game.step(0)
        mover = game.agent_selection
        game.step(0)
        assert game.rewards == {"player_0": 0.0, "player_1": 0.0, mover: -1.0}
        assert all(game.terminations.values())
        for _ in range(2):
            game.step(None)
        assert game.agents == []

    def test_a_long_game_is_cut_off(self) -> None:
        game = env("tictactoe", longest=2)
        game.reset()
        game.step(0)
        assert not any(game.truncations.values())
        game.step(1)
        assert all(game.truncations.values()) and not any(game.terminations.values())

    def test_an_agent_sees_its_own_pieces_first_and_acts_in_its_turn(self) -> None:
        game = env("tictactoe")
        game.reset()
        game.step(4)
        mine, theirs = game.observe("player_0"), game.observe("player_1")
        assert not mine["action_mask"].any() and theirs["action_mask"].sum() == 8
        assert mine["observation"][0, 1, 1] == theirs["observation"][1, 1, 1] == 1

    def test_agents_see_no_secrets(self) -> None:
        game = env("clue")
        game.reset(seed=1)
        views = [game.observe(agent)["observation"].tobytes() for agent in game.agents]
        assert len({*views}) == len(views) > 2

    def test_a_seed_repeats_the_chances(self) -> None:
        games = [env("nim"), env("nim"), env("nim")]
        for game, seed in zip(games, (1, 1, 2), strict=True):
            game.reset(seed=seed)
        seen = [game.observe("player_0")["observation"].tolist() for game in games]
        assert seen[0] == seen[1] != seen[2]

    def test_it_can_be_copied_to_another_process(self) -> None:
        game = pickle.loads(pickle.dumps(env("reversi", size="4", longest=9)))
        game.reset(seed=1)
        assert game.observe("player_0")["action_mask"].sum() == 4

    def test_it_can_be_shown(self) -> None:
        game = env("tictactoe", render_mode="ansi")
        game.reset()
        game.step(4)
        assert "X" in (game.render() or "") and env("tictactoe").render() is None

    def test_what_there_is_not_is_refused(self) -> None:
        self.assertRaises(ValueError, TictacEnv, "tictactoe", seats=3)
        self.assertRaises(ValueError, TictacEnv, "tictactoe", render_mode="human")
        self.assertRaises(RuntimeError, env("tictactoe").step, 0)

    def test_in_the_parallel_one_the_agent_to_move_moves(self) -> None:
        game = parallel_env("tictactoe")
        game.reset()
        seen, _, _, _, infos = game.step({"player_0": 4, "player_1": 0})
        assert seen["player_0"]["observation"].sum() == 1
        assert infos["player_0"]["active_agent"] == "player_1"


class BotTests(SynchronousTestCase):
    def test_a_policy_is_a_bot(self) -> None:
        choose = bot(lambda seen: int(np.flatnonzero(seen["action_mask"])[-1]))
        options = {"rows": 3, "columns": 3, "strike": 3, "first": "X"}
        turn = Turn("120000000", ["2:0", "0:1"], 0, None, "tictactoe", options)
        assert choose(turn) == "0:1"
        assert choose(Turn("x", ["roll", "accuse"], 0, None, "clue", {"rounds": 9})) == "accuse"

    def test_it_sees_on_a_server_what_it_saw_in_the_environment(self) -> None:
        seen: list[Any] = []

        def policy(observation: dict[str, Any]) -> int:
            seen.append(observation)
            return int(observation["action_mask"].argmax())

        for name in GAMES:
            game_type, game = GAMES[name], env(name)
            game.reset(seed=3)
            rules = game_type.game()
            position, values = rules.start(len(game.agents), Random(3)), game_type.values({})
            seat = rules.turn(position) or 0
            turn = Turn(
                rules.view(position, seat), [*rules.moves(position)], seat, None, name, values
            )
            bot(policy)(turn)
            here = game.observe(game.agent_selection)
            assert all((seen[-1][key] == here[key]).all() for key in here), name


class BenchTests(SynchronousTestCase):
    def test_it_prints_the_steps_per_second(self) -> None:
        self.patch(bench, "STEPS", 50)
        self.patch(bench, "ROUNDS", 1)
        bench.main(["nim"])
