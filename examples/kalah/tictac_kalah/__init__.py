"""Kalah for tictac."""

from tictac.plugin import Plugin

PLUGIN = Plugin(__name__, games={"kalah": "game:GAME_TYPE"})
