"""Games of a stranger with parts of the page."""

from tictac.plugin import Plugin

_GAMES = {"crosses": "GAME_TYPE", "cells": "CELLS", "empty": "EMPTY"}

PLUGIN = Plugin(games={name: f"tictac_crosses.game:{each}" for name, each in _GAMES.items()})
