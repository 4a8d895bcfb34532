"""A player's client of the rooms protocol (docs/reference/rooms.md): python3 rooms.py HOST PORT."""

import socket
import sys

ACCOUNT, MODE = ["Enter username: ", "Enter password: "], "(Player/Viewer) "
PROMPTS = {
    "LOGIN": ACCOUNT, "REGISTER": ACCOUNT, "PLACE": ["Column: ", "Row: "],
    "ROOMLIST": ["Do you want to have a room list as player or viewer? " + MODE],
    "CREATE": ["Enter room name you want to create: "],
    "JOIN": ["Enter room name you want to join: ", "You wish to join the room as: " + MODE],
}  # fmt: skip
AGREED = {  # your task: say what other answers mean, check what is typed, and let people watch
    "LOGIN": "Welcome {}", "REGISTER": "Successfully created user account {}",
    "ROOMLIST": "Room available to join as {}: {}",
    "CREATE": "Successfully created room {}\nWaiting for other player...",
    "JOIN": "Successfully joined room {} as a player",
}  # fmt: skip


def ask(prompt=""):
    print(prompt, end="", flush=True)
    line = sys.stdin.readline().strip()
    if line.upper() in ("", "QUIT"):
        sys.exit(0)
    return line.upper() if prompt.endswith(MODE) else line


def show(board):
    rows = (" | ".join(" XO"[int(cell)] for cell in board[at : at + 3]) for at in (0, 3, 6))
    print("-" * 13, *(f"| {row} |\n{'-' * 13}" for row in rows), sep="\n")


server = socket.create_connection((sys.argv[1], int(sys.argv[2])))
lines = server.makefile(newline="\n")  # only to read: writing drops what is read ahead
me, turn, names = 0, 0, ["", ""]
while True:
    if turn == me:
        words = [verb := ask().upper(), *map(ask, PROMPTS.get(verb, []))]
        server.sendall(f"{':'.join(words)}\n".encode())
    line = lines.readline() or sys.exit("Error: the server has closed the connection.")
    kind, *said = line.strip().split(":")
    if said[:2] == ["ACKSTATUS", "0"]:
        print(AGREED[kind].format(words[1], *said[2:]))
        me, turn = int(kind == "JOIN"), None if kind in ("CREATE", "JOIN") else 0
    elif kind == "BEGIN":
        names, turn = said, 0
        print("match between {0} and {1} will commence, it is currently {0}'s turn.".format(*said))
    elif kind == "BOARDSTATUS":
        show(said[0])
        turn = said[0].count("1") - said[0].count("2")
        print("It is the", "current" if turn == me else "opposing", "player's turn")
    elif kind == "GAMEEND":
        show(said[0])
        turn = me
        mine = "Congratulations, you won!", "Sorry you lost. Good luck next time."
        given_up = f"{said[-1]} won due to the opposing player forfeiting"
        print([mine[said[-1] != names[me]], "Game ended in a draw", given_up][int(said[1])])
    else:
        print("Error:", line.strip(), file=sys.stderr)
