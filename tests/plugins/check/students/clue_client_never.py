"""A Clue client that stays where it is, never accuses, and plays on until the server closes.

``clue_client_never.py HOST PORT``
"""

# mypy: ignore-errors

import re
import socket
import sys

connection = socket.create_connection((sys.argv[1], int(sys.argv[2])))
stream = connection.makefile(encoding="utf-8", newline="\n")


def say(text):
    connection.sendall(text.encode() + b"\n")


def words(data):
    return re.findall(r"[^\s()]+", data)


say("Anna-Lena, Gruppe 7 (äöü)")
me, cards = None, []
while name := stream.readline().strip():
    data = stream.readline().strip()
    if name == "hello":
        me, *cards = words(data)
    elif name == "turn":
        place = words(data)[2 * int(me) : 2 * int(me) + 2]
        say("no-roll")
    elif name == "rolled":
        say(f"({place[0]} {'V' if place[0].isalpha() else place[1]})")
    elif name == "suggest":
        say(f"(3 rope {place[0]})")
    elif name == "moved" and words(data)[-1] == me:
        asked = words(data)[-4:-1]
        say(next(card for card in cards if card in asked))
sys.exit(2)
