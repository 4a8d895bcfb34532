"""A session server after the flow chart, with a thread for each session.

It reads from whoever is to move alone, and trusts them. Its start signal is 4.

``session_blocking.py PORT``
"""

# mypy: ignore-errors

import socket
import struct
import sys
import threading

PLAYER1_WON, PLAYER2_WON, DRAW, CONTINUE = 1, 2, 3, 4
LINES = ["012", "345", "678", "036", "147", "258", "048", "246"]


def tell(player, *numbers):
    player.sendall(struct.pack(f"!{len(numbers)}i", *numbers))


def read_int(player):
    data = b""
    while len(data) < 4:
        more = player.recv(4 - len(data))
        if not more:
            raise ConnectionError("a player has left")
        data += more
    return int.from_bytes(data, "big", signed=True)


def status_after(cells, mark):
    for line in LINES:
        if all(cells[int(cell)] == mark for cell in line):
            return PLAYER1_WON if mark == "X" else PLAYER2_WON
    return CONTINUE if " " in cells else DRAW


def session(players):
    cells = [" "] * 9
    try:
        tell(players[0], 4)
        status, turn = CONTINUE, 0
        while status == CONTINUE:
            mover, other = players[turn], players[1 - turn]
            row, column = read_int(mover), read_int(mover)
            cells[3 * row + column] = "XO"[turn]
            status = status_after(cells, "XO"[turn])
            if status != CONTINUE:
                tell(mover, status)
            tell(other, status, row, column)
            turn = 1 - turn
    except (OSError, IndexError) as error:
        print("the session is over:", error, file=sys.stderr)
    finally:
        for player in players:
            player.close()


listener = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=20)
while True:
    players = []
    for number in (1, 2):
        players.append(listener.accept()[0])
        tell(players[-1], number)
    threading.Thread(target=session, args=(players,), daemon=True).start()
