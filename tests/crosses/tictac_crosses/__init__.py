"""Games of a stranger with parts of the page."""

from tictac.plugin import Plugin

_GAMES = {
    "crosses": "GAME_TYPE",
    "cells": "CELLS",
    "empty": "EMPTY",
    "left": "LEFT",
    "right": "RIGHT",
}

PLUGIN = Plugin(__name__, games={name: f"game:{each}" for name, each in _GAMES.items()})
