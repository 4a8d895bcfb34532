"""A Nim server with a thread for each client and one for the table; its numbers have 32 bits.

``nim_threads.py -p PORT``
"""

# mypy: ignore-errors

import queue
import random
import socket
import struct
import sys
import threading

PLAY, TURN, MOVE, WIN, LOSE, EXIT = range(1, 7)
events = queue.Queue()


class Client:
    def __init__(self, sock):
        self.sock, self.is_gone = sock, False
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        """Put whole messages into the queue; None at the end or at nonsense."""
        stream = self.sock.makefile("rb")
        try:
            while kind := stream.read(1):
                if kind[0] == MOVE:
                    events.put((self, (MOVE, *struct.unpack("!BI", stream.read(5)))))
                else:
                    events.put((self, (kind[0],)))
        except (OSError, struct.error):
            pass
        events.put((self, None))

    def send(self, *data):
        try:
            self.sock.sendall(bytes(data))
        except OSError:
            pass

    def close(self):
        self.is_gone = True
        try:
            self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.sock.close()


class Table:
    def __init__(self):
        self.waiting = []  # those that have sent play
        self.winner = None
        self.players = []  # whose turn it is comes first
        self.numbers = []

    def seat(self):
        if self.players:
            return
        if self.winner is not None and self.waiting:
            self.players = [self.waiting.pop(0), self.winner]
        elif len(self.waiting) > 1:
            self.players = [self.waiting.pop(0), self.waiting.pop(0)]
            random.shuffle(self.players)
        else:
            return
        self.winner = None
        count = random.randint(3, 10)
        self.numbers = [random.randint(1, 2**32 - 1) for _ in range(count)]
        self.turn()

    def turn(self):
        listed = b"".join(struct.pack("!I", number) for number in self.numbers)
        self.players[0].send(TURN, len(self.numbers), *listed)

    def leave(self, client):
        """Handle that a client has left, or is put out."""
        client.close()
        if client in self.waiting:
            self.waiting.remove(client)
        if client is self.winner:
            self.winner = None
        if client in self.players:
            self.players.remove(client)
            self.winner = self.players.pop()
            self.winner.send(WIN)

    def play(self, client):
        if client is self.winner:
            return  # needless, but no harm
        if client in self.waiting or client in self.players:
            self.leave(client)
        else:
            self.waiting.append(client)

    def move(self, client, index, amount):
        right = client in self.players and client is self.players[0]
        if not right or index >= len(self.numbers) or not 0 < amount <= self.numbers[index]:
            self.leave(client)
            return
        self.numbers[index] -= amount
        self.numbers = [number for number in self.numbers if number > 0]
        self.players.reverse()
        if self.numbers:
            self.turn()
            return
        loser, self.winner = self.players
        self.players = []
        self.winner.send(WIN)
        loser.send(LOSE)
        loser.close()

    def run(self):
        while True:
            client, message = events.get()
            if client.is_gone:
                continue
            if message == (PLAY,):
                self.play(client)
            elif message and message[0] == MOVE:
                self.move(client, *message[1:])
            else:
                self.leave(client)
            self.seat()


threading.Thread(target=Table().run, daemon=True).start()
listener = socket.create_server(("127.0.0.1", int(sys.argv[sys.argv.index("-p") + 1])), backlog=20)
while True:
    Client(listener.accept()[0])
