"""A rooms server with a thread for each client, where a message is what one recv brings.

It sends without newlines, and trusts its clients in a match, as 3.3.4 allows.

``rooms_threads.py CONFIG``, a JSON file with ``port`` and ``userDatabase``.
"""

# mypy: ignore-errors

import json
import socket
import sys
import threading
from pathlib import Path

import bcrypt

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
ALLOWED = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_ ")

config = json.loads(Path(sys.argv[1]).read_text())
database = Path(config["userDatabase"])
lock = threading.Lock()
rooms = {}


class Room:
    def __init__(self, name, creator):
        self.name = name
        self.players = [creator]
        self.viewers = []
        self.board = ["0"] * 9
        self.turn = 0

    def state(self):
        return "".join(self.board)

    def everybody(self):
        return self.players + self.viewers

    def tell(self, *words):
        for client in self.everybody():
            client.send(*words)

    def end(self, code, winner=None):
        self.tell("GAMEEND", self.state(), code, *([winner.user] if winner else []))
        self.delete()

    def delete(self):
        for client in self.everybody():
            client.room = None
        del rooms[self.name]


class Client(threading.Thread):
    def __init__(self, sock):
        super().__init__(daemon=True)
        self.sock = sock
        self.user = None
        self.room = None

    def send(self, *words):
        try:
            self.sock.sendall(":".join(words).encode("ascii"))
        except OSError:
            pass  # its own thread will notice

    def run(self):
        try:
            while message := self.sock.recv(8192):
                with lock:
                    self.handle(*message.decode("ascii", "replace").split(":"))
        except OSError:
            pass
        finally:
            with lock:
                self.leave()
            self.sock.close()

    def leave(self):
        room = self.room
        if room is None:
            return
        if self in room.viewers:
            room.viewers.remove(self)
            return
        room.players.remove(self)
        if room.players:
            room.end("2", room.players[0])
        else:
            room.delete()

    def handle(self, verb, *args):
        if verb == "LOGIN":
            self.send("LOGIN", "ACKSTATUS", self.login(args))
        elif verb == "REGISTER":
            self.send("REGISTER", "ACKSTATUS", self.register(args))
        elif verb in ("ROOMLIST", "CREATE", "JOIN"):
            if self.user is None:
                self.send("BADAUTH")
            elif verb == "ROOMLIST":
                self.roomlist(args)
            elif verb == "CREATE":
                self.send("CREATE", "ACKSTATUS", self.create(args))
            else:
                self.join_room(args)
        elif verb in ("PLACE", "FORFEIT"):
            if self.user is None:
                self.send("BADAUTH")
            elif self.room is None:
                self.send("NOROOM")
            elif self in self.room.players:
                if verb == "PLACE":
                    self.place(int(args[0]), int(args[1]))
                else:
                    self.forfeit()

    def login(self, args):
        if len(args) != 2:
            return "3"
        for user in json.loads(database.read_text()):
            if user["username"] == args[0]:
                if not bcrypt.checkpw(args[1].encode()[:72], user["password"].encode()):
                    return "2"
                self.user = args[0]
                return "0"
        return "1"

    def register(self, args):
        if len(args) != 2:
            return "2"
        users = json.loads(database.read_text())
        if args[0] in [user["username"] for user in users]:
            return "1"
        hashed = bcrypt.hashpw(args[1].encode()[:72], bcrypt.gensalt(4)).decode()
        users.append({"username": args[0], "password": hashed})
        database.write_text(json.dumps(users))
        return "0"

    def roomlist(self, args):
        if len(args) != 1 or args[0] not in ("PLAYER", "VIEWER"):
            self.send("ROOMLIST", "ACKSTATUS", "1")
            return
        names = [name for name in rooms if args[0] == "VIEWER" or len(rooms[name].players) < 2]
        self.send("ROOMLIST", "ACKSTATUS", "0", ",".join(names))

    def create(self, args):
        if len(args) != 1 or self.room:
            return "4"
        name = args[0]
        if not 1 <= len(name) <= 20 or not set(name) <= ALLOWED:
            return "1"
        if name in rooms:
            return "2"
        if len(rooms) == 256:
            return "3"
        rooms[name] = self.room = Room(name, self)
        return "0"

    def join_room(self, args):
        status = self.joined(args)
        self.send("JOIN", "ACKSTATUS", status)
        if status != "0":
            return
        room = self.room
        names = [player.user for player in room.players]
        if args[1] == "PLAYER":
            room.tell("BEGIN", *names)
        elif len(names) == 2:
            self.send("INPROGRESS", names[room.turn], names[1 - room.turn])

    def joined(self, args):
        if len(args) != 2 or args[1] not in ("PLAYER", "VIEWER") or self.room:
            return "3"
        room = rooms.get(args[0])
        if room is None:
            return "1"
        if args[1] == "PLAYER":
            if len(room.players) == 2:
                return "2"
            room.players.append(self)
        else:
            room.viewers.append(self)
        self.room = room
        return "0"

    def place(self, x, y):
        room = self.room
        mark = str(room.players.index(self) + 1)
        room.board[3 * y + x] = mark
        room.turn = 2 - int(mark)
        if any(all(room.board[cell] == mark for cell in line) for line in LINES):
            room.end("0", self)
        elif "0" not in room.board:
            room.end("1")
        else:
            room.tell("BOARDSTATUS", room.state())

    def forfeit(self):
        players = self.room.players
        self.room.end("2", players[1 - players.index(self)])


listener = socket.create_server(("127.0.0.1", config["port"]), backlog=128)
while True:
    Client(listener.accept()[0]).start()
