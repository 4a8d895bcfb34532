"""What a stranger adds to tictac, and what can't be used of it."""

from tictac.plugin import Plugin

SUITES = {"finger": "check:SUITE"}

PLUGIN = Plugin(
    __name__,
    games={"nim": "broken:GAME_TYPE", "broken": "broken:GAME_TYPE"},
    servers={"finger": "finger:PLUGIN", "broken": "missing:PLUGIN"},
    commands={"finger": "finger:add_parser", "broken": "finger:nothing"},
    suites=SUITES,
)
