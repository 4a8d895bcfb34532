"""A Nim server with select and small numbers, whose lists can have one number to begin with.

``nim_select.py -p PORT``
"""

# mypy: ignore-errors

import random
import select
import socket
import sys


class Player:
    def __init__(self, sock):
        self.sock, self.data = sock, b""
        self.is_ready = self.is_gone = False


players = []  # in the order of connecting
at_table = []  # the two who play
to_move = 0
numbers = []
champion = None


def send(player, *parts):
    try:
        player.sock.sendall(b"".join(bytes([p]) if isinstance(p, int) else p for p in parts))
    except OSError:
        pass


def put_out(player):
    """Disconnect somebody; if they play, the other one has won."""
    global at_table, champion
    player.is_gone = True
    player.sock.close()
    players.remove(player)
    if player is champion:
        champion = None
    if player in at_table:
        other = at_table[1 - at_table.index(player)]
        at_table, champion = [], other
        send(other, 4)


def show_list():
    send(at_table[to_move], 2, len(numbers), *(number.to_bytes(4, "big") for number in numbers))


def start():
    global at_table, champion, numbers, to_move
    if at_table:
        return
    ready = [player for player in players if player.is_ready and player is not champion]
    if champion is not None and ready:
        at_table, to_move = [champion, ready[0]], 1
    elif len(ready) >= 2:
        at_table, to_move = ready[:2], random.randrange(2)
    else:
        return
    champion = None
    numbers = [random.randint(1, 1000) for _ in range(random.randint(1, 7))]
    show_list()


def move(player, index, amount):
    global at_table, champion, numbers, to_move
    if at_table and player is at_table[to_move] and index < len(numbers):
        if 1 <= amount <= numbers[index]:
            numbers[index] -= amount
            numbers = [number for number in numbers if number]
            to_move = 1 - to_move
            if numbers:
                show_list()
                return
            loser, champion, at_table = at_table[to_move], player, []
            send(champion, 4)
            send(loser, 5)
            put_out(loser)
            return
    put_out(player)


def take(player):
    """Take messages from what a player has sent."""
    while player.data and not player.is_gone:
        kind = player.data[0]
        if kind == 1 and not player.is_ready:
            player.is_ready, player.data = True, player.data[1:]
        elif kind == 3:
            if len(player.data) < 6:
                return
            message, player.data = player.data[:6], player.data[6:]
            move(player, message[1], int.from_bytes(message[2:], "big"))
        else:
            put_out(player)
        start()


listener = socket.create_server(("127.0.0.1", int(sys.argv[2])), backlog=20)
while True:
    for sock in select.select([listener, *(player.sock for player in players)], [], [])[0]:
        if sock is listener:
            players.append(Player(listener.accept()[0]))
            continue
        player = next((each for each in players if each.sock is sock), None)
        if player is None:
            continue
        try:
            data = sock.recv(4096)
        except OSError:
            data = b""
        if data:
            player.data += data
            take(player)
        else:
            put_out(player)
            start()
