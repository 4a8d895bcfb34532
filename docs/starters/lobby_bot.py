"""A bot for any game: python3 lobby_bot.py HOST PORT NAME [WISH]. Copy tictac/bot.py beside it.

It plays one match of Reversi at random. WISH is another request for a room, such as
'{"do":"open","game":"nim","computer":"club"}'. PASSWORD in the environment is the password of its
account; the default is "secret".
"""

import json
import random
import sys
from pathlib import Path

# In a clone of tictac, it finds bot.py there.
sys.path.append(str(Path(__file__).parent / ".." / ".." / "tictac"))
from bot import BotError, play


def choose(turn):
    """Return one of turn.moves. Your task: a better one."""
    return random.choice(turn.moves)


def ended(result):
    print(result.how, result.winner, result.position)


host, port, name = sys.argv[1:4]
wish = json.loads(sys.argv[4]) if len(sys.argv) > 4 else {"do": "seek", "game": "reversi"}
try:
    play(choose, host, int(port), name, wish=wish, games=1, ended=ended)
except BotError as error:
    sys.exit(f"Error: {error}.")
