from tictac.plugin import Plugin

PLUGIN = Plugin(rank=15, games={"tictactoe": "tictac.games.tictactoe.game:GAME_TYPE"})
