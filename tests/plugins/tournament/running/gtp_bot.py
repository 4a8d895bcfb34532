"""A GTP program for Reversi with a fault: python3 gtp_bot.py FAULT. It plays the first move."""

from __future__ import annotations

import sys
from random import Random

from tictac.games.all import game_type_of

fault = sys.argv[1]
game = game_type_of("reversi").game({"size": "4"})
position = game.start(2, Random(0))
for line in sys.stdin:
    word, *rest = line.split()
    answer = "="
    if word == "boardsize" and rest != ["4"]:
        answer = "? unacceptable size"
    elif word == "play":
        position = game.play(position, rest[1].lower(), None).position
    elif word == "genmove" and fault == "crash":
        sys.exit(3)
    elif word == "genmove":
        move = game.moves(position)[0] if fault != "cheat" else "A1"
        answer = "I move" if fault == "nonsense" else f"= {move.upper()}"
        position = game.play(position, game.moves(position)[0], None).position
    print(f"{answer}\n", flush=True)
