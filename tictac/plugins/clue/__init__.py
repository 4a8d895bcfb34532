"""The game of Clue: its board, its two network games, and its computer players (clue.md)."""

from tictac.plugin import Plugin

PLUGIN = Plugin(
    __name__,
    rank=60,
    games={"clue": "game.game:GAME_TYPE"},
    servers={"clue": "service:PLUGIN"},
    commands={"clue": "commands:add_parser"},
    suites={"clue": "check.server:SUITE", "clue-client": "check.client:SUITE"},
)
