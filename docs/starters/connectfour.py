"""A client of Connect Four (connect-four.md): python3 connectfour.py HOST PORT NAME."""

import socket
import sys

COLUMNS, ROWS = 7, 6
board = [[] for _ in range(COLUMNS)]  # each column from its bottom


def send(line):
    server.sendall(line.encode() + b"\r\n")


def receive(*wanted):
    line = lines.readline().strip()
    if not line.startswith(wanted):
        sys.exit(f"Error: the server sent {line or 'nothing any more'}.")
    return line


def play(move, piece):
    verb, column = move.split()
    pieces = board[int(column) - 1] if column in list("1234567") else None
    if pieces is None or (len(pieces) == ROWS if verb == "DROP" else pieces[:1] != [piece]):
        sys.exit(f"Error: {piece} can't play {move}.")
    pieces[:] = pieces[1:] if verb == "POP" else [*pieces, piece]


def ask():
    print(*range(1, COLUMNS + 1))
    for row in reversed(range(ROWS)):
        print(*(pieces[row] if row < len(pieces) else "." for pieces in board))
    print("DROP or POP, and a column: ", end="", flush=True)
    words = sys.stdin.readline().upper().split()
    if words in ([], ["QUIT"]):
        sys.exit(0)
    return " ".join(words) if words[0] in ("DROP", "POP") and len(words) == 2 else ask()


try:
    server = socket.create_connection((sys.argv[1], int(sys.argv[2])))
except OSError as error:
    sys.exit(f"Error: {error}.")
lines = server.makefile(newline="\n")  # only to read: writing drops what is read ahead
send(f"I32CFSP_HELLO {sys.argv[3]}")
receive(f"WELCOME {sys.argv[3]}")
send("AI_GAME")
answer = receive("READY")
while not answer.startswith("WINNER"):
    send(move := ask())
    answer = receive("OKAY", "INVALID", "WINNER_RED", "WINNER_YELLOW")
    if answer == "INVALID":
        print("The server says that this can't be done.")
        receive("READY")
        continue
    play(move, "R")
    if answer == "OKAY":
        play(receive("DROP", "POP"), "Y")
        answer = receive("READY", "WINNER_RED", "WINNER_YELLOW")
print(f"\n{answer}")
