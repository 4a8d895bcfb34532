"""What a stranger adds to tictac, and what can't be used of it."""

from tictac.plugin import Plugin

SUITES = {"finger": "tictac_outside.check:SUITE"}

PLUGIN = Plugin(
    games={"nim": "tictac_outside.broken:GAME_TYPE", "broken": "tictac_outside.broken:GAME_TYPE"},
    servers={"finger": "tictac_outside.finger:PLUGIN", "broken": "tictac_outside.missing:PLUGIN"},
    commands={
        "finger": "tictac_outside.finger:add_parser",
        "broken": "tictac_outside.finger:nothing",
    },
    suites=SUITES,
)
