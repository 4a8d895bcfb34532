from tictac.plugin import Plugin

PLUGIN = Plugin(
    rank=16,
    games={
        "connectfour": "tictac.plugins.games.connectfour.game:GAME_TYPE",
        "reversi": "tictac.plugins.games.reversi.game:GAME_TYPE",
        "nim": "tictac.plugins.games.nim.game:GAME_TYPE",
    },
)
