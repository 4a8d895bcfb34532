"""A player of Clue (docs/reference/clue.md) that needs no map: python3 clue.py HOST PORT NAME.

It never rolls, so it only suggests where others have moved it, and it accuses when one triple is
left. Your task: read the map, roll, and walk to where a suggestion tells most.
"""

import re
import socket
import sys

WEAPONS = "knife candlestick revolver rope pipe wrench"
left = [set("012345"), set(WEAPONS.split()), set("SHUDKBCIL")]  # cards that may be in the envelope
PASSAGES = {"S": "K", "K": "S", "U": "C", "C": "U"}


def send(*words):
    server.sendall(b"%s\n" % (f"({' '.join(words)})" if words[1:] else words[0]).encode())


def rule_out(card):
    for cards in left:
        cards.discard(card)


def guess():
    return [min(cards) for cards in left]


try:
    server = socket.create_connection((sys.argv[1], int(sys.argv[2])))
except OSError as error:
    sys.exit(f"Error: {error}.")
lines = server.makefile(newline="\n")  # only to read: writing drops what is read ahead
send(sys.argv[3])
token, hand, place = "", [], []
while name := lines.readline().strip():
    words = re.findall(r"[^() ]+", lines.readline().strip())  # the data, without its parentheses
    if name == "hello":
        token, *hand = words
        for card in hand:
            rule_out(card)
    elif name == "turn":
        place = words[2 * int(token) :][:2]
        send("accuse" if sum(map(len, left)) == 3 else "no-roll")
    elif name == "rolled":
        if place[0].isalpha():
            # A passage leads into another room, where a suggestion follows.
            place = [PASSAGES.get(place[0], place[0]), "V"]
        send(*place)
    elif name == "suggest":
        send(*guess()[:2], place[0])
    elif name == "accuse":
        send(*guess())
    elif name == "counter" and words[0] != "-":
        rule_out(words[0])
    elif name == "moved" and words[-1] == token and words[-2] != "-":
        asked = words[13:16]  # after six places and the mover
        send(next(card for card in hand if card in asked))
print("The game is over.")
