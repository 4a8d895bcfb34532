"""A Nim client that waits until the server closes when it has lost, and ends with status 2.

After a win it sends play once more.

``nim_client_waits.py HOST PORT``; one types the position and the amount.
"""

# mypy: ignore-errors

import socket
import sys


class Wrong(Exception):
    pass


class Game:
    def __init__(self, stream):
        self.stream = stream
        self.numbers = None  # what is left after my last move

    def read(self, count):
        data = self.stream.read(count)
        if len(data) != count:
            raise Wrong("the connection is lost")
        return data

    def send(self, data):
        self.stream.write(data)
        self.stream.flush()

    def turn(self):
        numbers = [int.from_bytes(self.read(4), "big") for _ in range(self.read(1)[0])]
        if not numbers or min(numbers) < 1:
            raise Wrong(f"{numbers} is no list")
        if self.numbers is not None and sum(numbers) >= sum(self.numbers):
            raise Wrong("it isn't my turn")
        print("The numbers are", numbers)
        while True:
            try:
                position, amount = map(int, input("Your move: ").split())
                left = numbers[position - 1] - amount
            except (ValueError, IndexError):
                continue
            if position > 0 and amount > 0 and left >= 0:
                break
        self.send(bytes([3, position - 1]) + amount.to_bytes(4, "big"))
        numbers[position - 1] = left
        self.numbers = numbers

    def run(self):
        self.send(bytes([1]))
        while True:
            kind = self.read(1)[0]
            if kind == 2:
                self.turn()
            elif kind == 4:
                print("I have won. Who is next?")
                self.numbers = None
                self.send(bytes([1]))
            elif kind == 5 and self.numbers is not None:
                print("I have lost.")
                while self.stream.read(1):
                    pass
                return 2
            else:
                raise Wrong(f"{kind} is no type that can come now")


try:
    sock = socket.create_connection((sys.argv[1], int(sys.argv[2])))
    status = Game(sock.makefile("rwb")).run()
except (Wrong, OSError) as error:
    print("Sorry:", error, file=sys.stderr)
    status = 1
sys.exit(status)
