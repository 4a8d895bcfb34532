"""A bot for the lobby protocol (docs/lobby.md): python3 lobby_bot.py HOST PORT NAME [WISH].

It plays Reversi with whoever seeks the same, at random. WISH is another request for a room, such as
'{"do":"open","game":"nim","computer":"club"}'.
"""

import json
import random
import socket
import sys

host, port, name = sys.argv[1:4]
wish = json.loads(sys.argv[4]) if len(sys.argv) > 4 else {"do": "seek", "game": "reversi"}
try:
    link = socket.create_connection((host, int(port))).makefile("rw", encoding="utf-8")
except OSError as error:
    sys.exit(f"Error: {error}.")


def send(message):
    print(json.dumps(message), file=link, flush=True)


send({"do": "register", "user": name, "password": "secret"})
send({"do": "login", "user": name, "password": "secret"})
send(wish)
for line in link:
    told = json.loads(line)
    if told.get("moves"):
        move = random.choice(told["moves"])
        send({"do": "move", "room": told["room"], "move": move, "at": told["n"]})
    elif told.get("event") == "ended":
        print(told["how"], told["winner"], told["position"])
        break
