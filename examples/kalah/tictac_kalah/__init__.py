"""Kalah for tictac."""

from tictac.plugin import Plugin

PLUGIN = Plugin(games={"kalah": "tictac_kalah.game:GAME_TYPE"})
