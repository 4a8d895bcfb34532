"""A client of the two-player session (docs/reference/session.md): python3 session.py HOST PORT."""

import socket
import struct
import sys

ENDS = {1: "player 1 has won", 2: "player 2 has won", 3: "a draw"}


def receive():
    """Return the next integer. TCP may bring its four bytes one by one."""
    data = b""
    while len(data) < 4:
        piece = server.recv(4 - len(data))
        if not piece:
            sys.exit("Error: the server has closed the connection.")
        data += piece
    return struct.unpack("!i", data)[0]


def ask(prompt):
    print(prompt, end="", flush=True)
    line = sys.stdin.readline().strip()
    if line.upper() in ("", "QUIT"):
        sys.exit(0)
    return int(line) if line in ("0", "1", "2") else ask(prompt)


def show():
    for row in board:
        print(" ".join(row))


def move():
    column, row = ask("Column: "), ask("Row: ")
    while board[row][column] != ".":
        print("That cell is taken.")
        column, row = ask("Column: "), ask("Row: ")
    board[row][column] = "XO"[me - 1]
    server.sendall(struct.pack("!ii", row, column))


board = [["."] * 3 for _ in range(3)]
try:
    server = socket.create_connection((sys.argv[1], int(sys.argv[2])))
except OSError as error:
    sys.exit(f"Error: {error}.")
me = receive()
print("You are player", me)
if me == 1:
    receive()  # another 1, when player 2 is there
    move()
while (status := receive()) == 4:
    row, column = receive(), receive()
    board[row][column] = "OX"[me - 1]
    show()
    move()
print("It is over:", ENDS[status])
