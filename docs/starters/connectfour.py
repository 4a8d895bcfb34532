"""A client of Connect Four (docs/connect-four.md): python3 connectfour.py HOST PORT NAME."""

import socket
import sys

COLUMNS, ROWS = 7, 6
board = [[] for _ in range(COLUMNS)]  # each column from its bottom


def send(line):
    print(line, end="\r\n", file=server, flush=True)


def receive(*wanted):
    line = server.readline().strip()
    if line.split(" ")[0] not in wanted:
        sys.exit(f"Error: the server sent {line or 'nothing any more'}.")
    return line


def play(move, piece):
    verb, column = move.split()
    if not column.isdecimal() or not 1 <= int(column) <= COLUMNS:
        sys.exit(f"Error: the server can't play {move}.")
    pieces = board[int(column) - 1]
    pieces[:] = pieces[1:] if verb == "POP" else [*pieces, piece]
    print(*range(1, COLUMNS + 1))
    for row in reversed(range(ROWS)):
        print(*(pieces[row] if row < len(pieces) else "." for pieces in board))


def ask():
    print("DROP or POP, and a column: ", end="", flush=True)
    words = sys.stdin.readline().upper().split()
    if words in ([], ["QUIT"]):
        sys.exit(0)
    return " ".join(words) if words[0] in ("DROP", "POP") and len(words) == 2 else ask()


try:
    server = socket.create_connection((sys.argv[1], int(sys.argv[2]))).makefile("rw", newline="\n")
except OSError as error:
    sys.exit(f"Error: {error}.")
send(f"I32CFSP_HELLO {sys.argv[3]}")
receive("WELCOME")
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
print(answer)
