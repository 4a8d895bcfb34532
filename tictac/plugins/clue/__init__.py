"""The game of Clue: its board, its two network games, and its computer players (clue.md)."""

from tictac.plugin import Plugin

PLUGIN = Plugin(
    rank=60,
    games={"clue": "tictac.plugins.clue.game.game:GAME_TYPE"},
    servers={"clue": "tictac.plugins.clue.service:PLUGIN"},
    commands={"clue": "tictac.plugins.clue.commands:add_parser"},
    suites={
        "clue": "tictac.plugins.clue.check.server:SUITE",
        "clue-client": "tictac.plugins.clue.check.client:SUITE",
    },
)
