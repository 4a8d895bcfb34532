"""The games of tictac as environments of PettingZoo: ``env("connectfour", columns=8)``."""

from tictac_env.coding import CODINGS, Coding
from tictac_env.environment import TictacEnv, bot, env, parallel_env

__all__ = ["CODINGS", "Coding", "TictacEnv", "bot", "env", "parallel_env"]
