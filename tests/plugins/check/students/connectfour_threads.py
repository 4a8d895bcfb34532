"""A Connect Four server of socketserver that sends each line in a write of its own.

It takes CR LF alone and no sizes, and answers every DROP and POP that can't be made with INVALID.

``connectfour_threads.py PORT``
"""

# mypy: ignore-errors

import socketserver
import sys

COLUMNS, ROWS = 7, 6


class Board:
    def __init__(self):
        self.columns = [[] for _ in range(COLUMNS)]  # from the bottom up

    def can(self, verb, column, colour):
        if not 0 <= column < COLUMNS:
            return False
        pieces = self.columns[column]
        if verb == "DROP":
            return len(pieces) < ROWS
        return pieces[:1] == [colour]

    def do(self, verb, column, colour):
        if verb == "DROP":
            self.columns[column].append(colour)
        else:
            self.columns[column].pop(0)

    def at(self, x, y):
        if 0 <= x < COLUMNS and 0 <= y < len(self.columns[x]):
            return self.columns[x][y]
        return None

    def four(self, colour):
        for x in range(COLUMNS):
            for y in range(ROWS):
                for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                    if all(self.at(x + n * dx, y + n * dy) == colour for n in range(4)):
                        return True
        return False

    def winner(self, mover, other):
        return mover if self.four(mover) else other if self.four(other) else None


class Handler(socketserver.StreamRequestHandler):
    def say(self, line):
        self.wfile.write(line.encode() + b"\r\n")

    def hear(self):
        line = self.rfile.readline(8192)
        return line[:-2].decode() if line.endswith(b"\r\n") else ""

    def handle(self):
        try:
            self.converse()
        except (OSError, ValueError):
            pass

    def converse(self):
        hello, _, name = self.hear().partition(" ")
        if hello != "I32CFSP_HELLO" or not name or name.split() != [name]:
            return
        self.say(f"WELCOME {name}")
        if self.hear() != "AI_GAME":
            return
        self.say("READY")
        board = Board()
        while line := self.hear():
            verb, _, column = line.partition(" ")
            if verb not in ("DROP", "POP"):
                return
            number = int(column) - 1 if column.isdecimal() else -1
            if not board.can(verb, number, "RED"):
                self.say("INVALID")
                self.say("READY")
                continue
            board.do(verb, number, "RED")
            if winner := board.winner("RED", "YELLOW"):
                self.say(f"WINNER_{winner}")
                return
            self.say("OKAY")
            can = [n for n in range(COLUMNS) if board.can("DROP", n, "YELLOW")]
            if not can:
                return  # a draw: nobody has a word for it
            board.do("DROP", can[0], "YELLOW")
            self.say(f"DROP {can[0] + 1}")
            if winner := board.winner("YELLOW", "RED"):
                self.say(f"WINNER_{winner}")
                return
            self.say("READY")


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 50


Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
