from tictac.plugin import Plugin

PLUGIN = Plugin(
    __name__,
    rank=16,
    games={
        "connectfour": "connectfour.game:GAME_TYPE",
        "reversi": "reversi.game:GAME_TYPE",
        "nim": "nim.game:GAME_TYPE",
    },
)
