"""A Connect Four client that sends what is typed and lets the server judge it.

It says on standard output what goes wrong.

``connectfour_client_sends.py HOST PORT USERNAME``
"""

# mypy: ignore-errors

import socket
import sys


def leave(text):
    sock.close()
    print(text)
    sys.exit(0)


def send(text):
    sock.sendall(text.encode("utf-8") + b"\r\n")


def receive():
    global unread
    while b"\r\n" not in unread:
        data = sock.recv(1000)
        if not data:
            leave("ERROR: no server any more")
        unread += data
    line, unread = unread.split(b"\r\n", 1)
    return line.decode("utf-8")


def want(*lines):
    line = receive()
    if line not in lines:
        leave(f"ERROR: the server says {line}")
    return line


def play(board, move, mark):
    """Change the board; False if that can't be done."""
    verb, number = move.split()
    column = board[int(number) - 1]
    if verb == "DROP":
        column.append(mark)
        return len(column) <= 6
    return bool(column) and column.pop(0) == mark


def show(board):
    print("1 2 3 4 5 6 7")
    for height in range(5, -1, -1):
        print(" ".join(column[height] if len(column) > height else "." for column in board))


def is_move(text):
    words = text.split(" ")
    return len(words) == 2 and words[0] in ("DROP", "POP") and words[1] in list("1234567")


try:
    sock = socket.create_connection((sys.argv[1], int(sys.argv[2])))
except OSError as error:
    print("ERROR:", error)
    sys.exit(0)
unread = b""
user = sys.argv[3]
if user.split() != [user]:
    leave("ERROR: a username has no blanks")
send("I32CFSP_HELLO " + user)
want("WELCOME " + user)
send("AI_GAME")
want("READY")
board = [[] for _ in range(7)]
while True:
    show(board)
    print("Type DROP or POP and a number from 1 to 7:")
    typed = sys.stdin.readline().strip()
    if not typed:
        leave("ERROR: nothing typed")
    send(typed)
    answer = want("OKAY", "INVALID", "WINNER_RED", "WINNER_YELLOW")
    if answer == "INVALID":
        want("READY")
        print("That can't be done.")
        continue
    if is_move(typed):
        play(board, typed, "R")
    if answer == "OKAY":
        move = receive()
        if not is_move(move) or not play(board, move, "Y"):
            leave(f"ERROR: the server plays {move}")
        answer = want("READY", "WINNER_RED", "WINNER_YELLOW")
    if answer != "READY":
        show(board)
        leave(answer.replace("_", ": "))
