"""A client of Nim (docs/reference/nim.md): python3 nim.py HOST PORT."""

import socket
import struct
import sys

PLAY, TURN, MOVE, WIN, LOSE, EXIT = range(1, 7)


def receive(count):
    """Receive `count` bytes. TCP may split a message, and join two."""
    data = b""
    while len(data) < count:
        piece = server.recv(count - len(data))
        if not piece:
            sys.exit("Error: the server has closed the connection.")
        data += piece
    return data


def ask(numbers):
    """Ask the player for a position, counted from 1, and an amount."""
    while True:
        print("Position and amount: ", end="", flush=True)
        words = sys.stdin.readline().split()
        if words in ([], ["QUIT"]):
            server.sendall(bytes([EXIT]))
            sys.exit(0)
        if len(words) == 2 and all(word.isdecimal() for word in words):
            at, amount = map(int, words)
            if 1 <= at <= len(numbers) and 1 <= amount <= numbers[at - 1]:
                return at, amount
        print("That can't be taken.")


try:
    server = socket.create_connection((sys.argv[1], int(sys.argv[2])))
except OSError as error:
    sys.exit(f"Error: {error}.")
server.sendall(bytes([PLAY]))
while True:
    kind = receive(1)[0]
    if kind == TURN:
        count = receive(1)[0]
        numbers = struct.unpack(f"!{count}I", receive(4 * count))
        if 0 in numbers or not numbers:
            sys.exit("Error: the server sent a list without an end.")
        print("Your turn:", *numbers)
        at, amount = ask(numbers)
        server.sendall(struct.pack("!BBI", MOVE, at - 1, amount))
    elif kind == WIN:
        print("You have won! Waiting for the next player...")
    elif kind == LOSE:
        print("You have lost.")
        break
    else:
        sys.exit(f"Error: the server sent type {kind}.")
