"""A bot for the lobby protocol (lobby.md): python3 lobby_bot.py HOST PORT NAME [WISH].

It plays Reversi at random, with the next player who seeks the same. WISH is another request for a
room, such as '{"do":"open","game":"nim","computer":"club"}'. PASSWORD in the environment is its
password, where the account has another one than "secret".
"""

import json
import os
import random
import socket
import sys

host, port, name = sys.argv[1:4]
wish = json.loads(sys.argv[4]) if len(sys.argv) > 4 else {"do": "seek", "game": "reversi"}
try:
    server = socket.create_connection((host, int(port)))
except OSError as error:
    sys.exit(f"Error: {error}.")
lines = server.makefile(encoding="utf-8")  # only to read: writing drops what is read ahead


def send(message):
    server.sendall(f"{json.dumps(message)}\n".encode())


password = os.environ.get("PASSWORD", "secret")
send({"do": "register", "user": name, "password": password})  # an error after the first time
send({"do": "login", "user": name, "password": password, "id": 1})
send(wish)
for line in lines:
    told = json.loads(line)
    if told.get("answer") == 1 and "error" in told:
        sys.exit(f"Error: {told['message']}.")
    if told.get("moves"):
        move = random.choice(told["moves"])
        send({"do": "move", "room": told["room"], "move": move, "at": told["n"]})
    elif told.get("event") == "ended":
        print(told["how"], told["winner"], told["position"])
        break
