"""A client of the lobby protocol (docs/lobby.md): python3 lobby.py HOST PORT NAME [GAME].

Every game, with whoever seeks the same; what is typed in one's turn is a move, as lobby.md has it.
"""

import json
import socket
import sys

host, port, name = sys.argv[1:4]
game = sys.argv[4] if len(sys.argv) > 4 else "tictactoe"
try:
    link = socket.create_connection((host, int(port))).makefile("rw", encoding="utf-8")
except OSError as error:
    sys.exit(f"Error: {error}.")


def send(do, **fields):
    print(json.dumps({"do": do, **fields}), file=link, flush=True)


def ask(event):
    """Ask the player for one of the possible moves."""
    moves = event["moves"]
    print("Your move, such as", *moves[:10], end=": ", flush=True)
    line = sys.stdin.readline()
    if not line or line.strip().lower() == "quit":
        sys.exit(0)
    return line.strip() if line.strip() in moves else ask(event)


send("register", user=name, password="secret")  # an error, if it isn't the first time
send("login", user=name, password="secret")
send("seek", game=game)
seat, position, number = None, "", 0
for line in link:
    told = json.loads(line)
    if "error" in told and told["error"] != "user-exists":
        print("Error:", told["message"], file=sys.stderr)
    seat = told.get("seat") if told.get("event") == "room" else seat
    if "position" in told:
        print(told["position"])
    if told.get("moves"):
        send("move", room=told["room"], move=ask(told), at=told["n"])
    elif told.get("event") == "ended":
        won = told["winner"] == seat
        print("You have won." if won else f"It is over: {told['how']}.")
        break
