"""A session client that behaves as one with a window.

It stays open when the match is over, until it is closed, and keeps its connection so long.

``session_client_window.py HOST PORT``; one types the column and the row, in a line each.
"""

# mypy: ignore-errors

import socket
import struct
import sys


class Window:
    """The board, and a line below it; printed, for want of a screen."""

    def __init__(self, title):
        self.cells = [["."] * 3 for _ in range(3)]
        print(title)

    def mark(self, row, column, token):
        self.cells[row][column] = token
        print(*("".join(row) for row in self.cells), sep="\n")

    def caption(self, text):
        print("--", text, flush=True)

    def click(self):
        """Ask somebody for a free cell."""
        while True:
            column, row = sys.stdin.readline(), sys.stdin.readline()
            if not row:
                sys.exit()
            try:
                if self.cells[int(row)][int(column)] == ".":
                    return int(row), int(column)
            except (ValueError, IndexError):
                pass
            self.caption("There is no free cell")

    def main_loop(self):
        while sys.stdin.readline():
            pass


class Wire:
    def __init__(self, host, port):
        self.sock = socket.create_connection((host, port))

    def read(self):
        data = b""
        while len(data) < 4:
            more = self.sock.recv(4 - len(data))
            if not more:
                sys.exit("The server has gone.")
            data += more
        return struct.unpack("!i", data)[0]

    def send(self, row, column):
        self.sock.sendall(struct.pack("!ii", row, column))


wire = Wire(sys.argv[1], int(sys.argv[2]))
me = wire.read()
window = Window(f"You are player {me}, and play {'XO'[me - 1]}.")
my_turn = me == 1
if my_turn:
    wire.read()
status = 4
while status == 4:
    if my_turn:
        window.caption("It is your turn.")
        row, column = window.click()
        wire.send(row, column)
        window.mark(row, column, "XO"[me - 1])
        my_turn = False
        if all("." not in row for row in window.cells) or any(
            "".join(line) == "XO"[me - 1] * 3
            for line in (
                *window.cells,
                *zip(*window.cells, strict=True),
                [window.cells[at][at] for at in range(3)],
                [window.cells[at][2 - at] for at in range(3)],
            )
        ):
            status = wire.read()
    else:
        status = wire.read()
        if status != me:
            row, column = wire.read(), wire.read()
            window.mark(row, column, "OX"[me - 1])
        my_turn = True
texts = {me: "You have won!", 3: "No one won.", 3 - me: "You have lost."}
window.caption(texts[status])
window.main_loop()
