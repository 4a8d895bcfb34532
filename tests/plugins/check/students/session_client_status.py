"""A session client whose exit status tells what has become of the match.

It is 0 for won, 3 for lost, 4 for drawn. It asks for the row and the column in one line.

``session_client_status.py HOST PORT``
"""

# mypy: ignore-errors

import socket
import sys


def number():
    data = stream.read(4)
    if len(data) < 4:
        print("The server is lost.", file=sys.stderr)
        sys.exit(5)
    return int.from_bytes(data, "big", signed=True)


def show():
    for row in range(3):
        print(" ".join(board.get((row, column), "-") for column in range(3)))


def turn():
    """Send a move; the status, if it ends the match."""
    while True:
        typed = input("Row and column: ").split()
        if len(typed) == 2 and all(word in ("0", "1", "2") for word in typed):
            row, column = map(int, typed)
            if (row, column) not in board:
                break
        print("No.")
    stream.write(row.to_bytes(4, "big") + column.to_bytes(4, "big"))
    stream.flush()
    board[row, column] = token
    show()


def wins():
    mine = {cell for cell, mark in board.items() if mark == token}
    lines = [{(n, k) for k in range(3)} for n in range(3)]
    lines += [{(k, n) for k in range(3)} for n in range(3)]
    lines += [{(k, k) for k in range(3)}, {(k, 2 - k) for k in range(3)}]
    return any(line <= mine for line in lines)


def listen():
    """Show what the other one has done; return the status."""
    print("The other player thinks.")
    status = number()
    board[number(), number()] = "O" if token == "X" else "X"
    show()
    return status


board = {}
stream = socket.create_connection((sys.argv[1], int(sys.argv[2]))).makefile("rwb")
me = number()
token = " XO"[me]
print("You play", token)
if me == 1:
    number()
    turn()
while True:
    status = listen()
    if status == 4:
        turn()
        if wins() or len(board) == 9:
            status = number()
    if status != 4:
        break
result = 0 if status == me else 4 if status == 3 else 3
print({0: "Player", 3: "Lost to player", 4: "A draw:"}[result], status)
sys.exit(result)
