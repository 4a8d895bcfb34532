"""A Connect Four client that asks for all it needs and checks moves itself.

It ends with status 1 whatever has happened.

``connectfour_client_checks.py``
"""

# mypy: ignore-errors

import socket
import sys

COLUMNS, ROWS = 7, 6
MARKS = {1: "R", 2: "Y", 0: "."}


class ProtocolError(Exception):
    pass


class Board:
    def __init__(self):
        self.cells = [[0] * ROWS for _ in range(COLUMNS)]  # columns from the top down

    def show(self):
        print(*range(1, COLUMNS + 1))
        for y in range(ROWS):
            print(*(MARKS[self.cells[x][y]] for x in range(COLUMNS)))

    def possible(self, verb, column, player):
        if not 0 < column <= COLUMNS:
            return False
        pieces = self.cells[column - 1]
        return pieces[0] == 0 if verb == "DROP" else pieces[-1] == player

    def make(self, verb, column, player):
        pieces = self.cells[column - 1]
        if verb == "DROP":
            empty = pieces.count(0)
            pieces[empty - 1] = player
        else:
            pieces.pop()
            pieces.insert(0, 0)


class Connection:
    def __init__(self, host, port):
        self.stream = socket.create_connection((host, port)).makefile("rwb")

    def write(self, line):
        self.stream.write(f"{line}\r\n".encode())
        self.stream.flush()

    def read(self):
        line = self.stream.readline()
        if not line.endswith(b"\r\n"):
            raise ProtocolError("the server has hung up")
        return line.decode().rstrip()

    def expect(self, *choices):
        line = self.read()
        if line not in choices:
            raise ProtocolError(f"{line} isn't what I expected")
        return line


def name():
    while True:
        typed = input("What is your username? ")
        if typed and len(typed.split()) == 1 and typed == typed.strip():
            return typed
        print("Without blanks, please.")


def choose(board):
    while True:
        verb, _, column = input("DROP or POP, and a column: ").upper().partition(" ")
        if verb in ("DROP", "POP") and column.isdecimal():
            if board.possible(verb, int(column), 1):
                return verb, int(column)
        print("You can't do that. An example: DROP 3")


def game(wire, user):
    wire.write(f"I32CFSP_HELLO {user}")
    wire.expect(f"WELCOME {user}")
    wire.write("AI_GAME")
    wire.expect("READY")
    board = Board()
    while True:
        board.show()
        verb, column = choose(board)
        wire.write(f"{verb} {column}")
        answer = wire.expect("OKAY", "INVALID", "WINNER_RED", "WINNER_YELLOW")
        if answer == "INVALID":
            wire.expect("READY")
            print("The server doesn't like that one.")
            continue
        board.make(verb, column, 1)
        if answer == "OKAY":
            line = wire.read()
            verb, _, column = line.partition(" ")
            legal = verb in ("DROP", "POP") and column.isdecimal()
            if not legal or not board.possible(verb, int(column), 2):
                raise ProtocolError(f"{line} is no move that yellow can make")
            board.make(verb, int(column), 2)
            answer = wire.expect("READY", "WINNER_RED", "WINNER_YELLOW")
        if answer != "READY":
            board.show()
            print("The winner is", answer.removeprefix("WINNER_"))
            return


user = name()
host = input("Where is the server? ")
port = input("And its port? ")
try:
    game(Connection(host, int(port)), user)
except (OSError, ValueError, EOFError, ProtocolError) as error:
    print("The game is over:", error)
sys.exit(1)
