"""A client of the lobby protocol (docs/reference/lobby.md): python3 lobby.py HOST PORT NAME [GAME].

It plays any game with the next player who seeks the same. Type your moves as lobby.md has them.
PASSWORD in the environment is the account's password, if that isn't "secret".
"""

import json
import os
import socket
import sys

host, port, name = sys.argv[1:4]
game = sys.argv[4] if len(sys.argv) > 4 else "tictactoe"
try:
    server = socket.create_connection((host, int(port)))
except OSError as error:
    sys.exit(f"Error: {error}.")
lines = server.makefile(encoding="utf-8")  # only to read: writing drops what is read ahead


def send(do, **fields):
    server.sendall(f"{json.dumps({'do': do, **fields})}\n".encode())


def ask(event):
    """Ask the player for one of the possible moves."""
    moves = event["moves"]
    print("Your move, such as", *moves[:10], end=": ", flush=True)
    line = sys.stdin.readline()
    if not line or line.strip().lower() == "quit":
        sys.exit(0)
    return line.strip() if line.strip() in moves else ask(event)


password = os.environ.get("PASSWORD", "secret")
send("register", user=name, password=password)  # an error, if it isn't the first time
send("login", user=name, password=password, id=1)
send("seek", game=game)
seat, position, number = None, "", 0
for line in lines:
    told = json.loads(line)
    if "error" in told and told["error"] != "user-exists":
        print("Error:", told["message"], file=sys.stderr)
        if told.get("answer") == 1:
            sys.exit(1)
    seat = told.get("seat") if told.get("event") == "room" else seat
    if "position" in told:
        print(told["position"])
    if told.get("moves"):
        send("move", room=told["room"], move=ask(told), at=told["n"])
    elif told.get("event") == "ended":
        won = told["winner"] == seat
        print("You have won." if won else f"It is over: {told['how']}.")
        break
