from tictac.plugin import Plugin

PLUGIN = Plugin(__name__, rank=15, games={"tictactoe": "tictactoe.game:GAME_TYPE"})
