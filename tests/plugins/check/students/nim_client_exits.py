"""A Nim client that withdraws with exit after its first win.

``nim_client_exits.py -h HOST -p PORT``; one types the index, from 1, and the amount.
"""

# mypy: ignore-errors

import argparse
import socket
import struct
import sys

parser = argparse.ArgumentParser(add_help=False)
parser.add_argument("-h", dest="host")
parser.add_argument("-p", dest="port", type=int)
args = parser.parse_args()


def fail(why):
    sock.close()
    print("Error:", why, file=sys.stderr)
    sys.exit(1)


def read(count):
    data = b""
    while len(data) < count:
        more = sock.recv(count - len(data))
        if not more:
            fail("the server has disconnected")
        data += more
    return data


def choose(numbers):
    while True:
        typed = input("Which one, and how much? ").split()
        if len(typed) == 2 and all(word.isdecimal() for word in typed):
            position, amount = map(int, typed)
            if 1 <= position <= len(numbers) and 1 <= amount <= numbers[position - 1]:
                return position - 1, amount
        print("That can't be.")


try:
    sock = socket.create_connection((args.host, args.port))
except OSError as error:
    sys.exit(f"Error: {error}")
sock.sendall(b"\x01")
left = ()
mine = True  # may a list come now?
while True:
    (kind,) = read(1)
    if kind == 2:
        (count,) = read(1)
        numbers = struct.unpack(f"!{count}I", read(4 * count))
        if not mine and sum(numbers) >= sum(left):
            fail("a list has come out of turn")
        if not numbers or 0 in numbers:
            fail("the list has no numbers, or a zero")
        print(*numbers)
        index, amount = choose(numbers)
        left = [number - amount * (at == index) for at, number in enumerate(numbers)]
        sock.sendall(struct.pack("!BBI", 3, index, amount))
        mine = False
    elif kind == 4:
        print("You have won!")
        sock.sendall(b"\x06")
        break
    elif kind == 5 and not mine:
        print("You have lost.")
        break
    else:
        fail(f"a message of type {kind} has come")
