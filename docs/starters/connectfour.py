"""A client of Connect Four (docs/connect-four.md): python3 connectfour.py HOST PORT NAME"""

import socket
import sys

COLUMNS, ROWS = 7, 6
board = [[] for _ in range(COLUMNS)]  # each column from its bottom


def send(line):
    server.write(f"{line}\r\n")
    server.flush()


def receive(*wanted):
    """A line; it must begin with one of these words."""
    line = server.readline().strip()
    if line.split(" ")[0] not in wanted:
        sys.exit(f"Error: the server sent {line or 'nothing any more'}.")
    return line


def play(move, piece):
    verb, column = move.split()
    pieces = board[int(column) - 1]
    if verb == "POP":
        pieces.pop(0)
    else:
        pieces.append(piece)
    print(*range(1, COLUMNS + 1))
    for row in reversed(range(ROWS)):
        print(*(pieces[row] if row < len(pieces) else "." for pieces in board))


def ask():
    print("DROP or POP, and a column: ", end="", flush=True)
    words = sys.stdin.readline().upper().split()
    if words in ([], ["QUIT"]):
        sys.exit(0)
    understood = len(words) == 2 and words[0] in ("DROP", "POP") and words[1].isdecimal()
    return " ".join(words) if understood else ask()


server = socket.create_connection((sys.argv[1], int(sys.argv[2]))).makefile("rw", newline="\n")
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
