"""tictac: a game server on Twisted that speaks documented wire protocols."""

__version__ = "0.1.0.dev0"
