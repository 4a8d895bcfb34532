"""A rooms server with selectors that takes lines as well as bare messages.

It answers as it was asked, draws lots for who begins, sends BEGIN before the answer to JOIN, lets
whatever stands behind the second colon be the password, and an account be on one connection alone.

``rooms_selectors.py PORT DATABASE``, where each line is an account as JSON.
"""

# mypy: ignore-errors

import json
import random
import selectors
import socket
import string
import sys
from pathlib import Path

import bcrypt

sel = selectors.DefaultSelector()
path = Path(sys.argv[2])
accounts = dict(map(json.loads, path.read_text().splitlines())) if path.exists() else {}
conns = {}
rooms = {}


class Conn:
    def __init__(self, sock):
        self.sock, self.buffer, self.end = sock, b"", b""
        self.user = self.room = None

    def send(self, text):
        try:
            self.sock.send(text.encode() + self.end)
        except OSError:
            pass


class Room:
    def __init__(self, name, first):
        self.name, self.players, self.viewers = name, [first], []
        self.grid = [[0, 0, 0] for _ in range(3)]
        self.turn = 0

    def board(self):
        return "".join(str(mark) for row in self.grid for mark in row)

    def send_all(self, text):
        for conn in self.players + self.viewers:
            conn.send(text)

    def begin(self):
        random.shuffle(self.players)
        self.send_all(f"BEGIN:{self.players[0].user}:{self.players[1].user}")

    def won(self):
        g = self.grid
        lines = [*g, *zip(*g, strict=True)]
        lines += [(g[0][0], g[1][1], g[2][2]), (g[0][2], g[1][1], g[2][0])]
        return any(line[0] and line[0] == line[1] == line[2] for line in map(tuple, lines))

    def finish(self, code):
        self.send_all(f"GAMEEND:{self.board()}:{code}")
        self.remove()

    def remove(self):
        rooms.pop(self.name)
        for conn in self.players + self.viewers:
            conn.room = None


def login(conn, args):
    user, colon, password = args.partition(":")
    if not colon or conn.room:
        return "3"
    if user not in accounts:
        return "1"
    if not bcrypt.checkpw(password.encode()[:72], accounts[user].encode()):
        return "2"
    for other in conns.values():
        if other.user == user and other.room is None:
            other.user = None
    conn.user = user
    return "0"


def register(conn, args):
    user, colon, password = args.partition(":")
    if not colon:
        return "2"
    if user in accounts:
        return "1"
    accounts[user] = bcrypt.hashpw(password.encode()[:72], bcrypt.gensalt(4)).decode()
    with path.open("a") as file:
        print(json.dumps([user, accounts[user]]), file=file, flush=True)
    return "0"


def roomlist(conn, args):
    if args == "PLAYER":
        return "0:" + ",".join(room.name for room in rooms.values() if len(room.players) < 2)
    if args == "VIEWER":
        return "0:" + ",".join(rooms)
    return "1"


def create(conn, args):
    if args is None or conn.room:
        return "4"
    if not 0 < len(args) <= 20 or args.strip(string.ascii_letters + string.digits + "-_ "):
        return "1"
    if args in rooms:
        return "2"
    if len(rooms) > 255:
        return "3"
    conn.room = rooms[args] = Room(args, conn)
    return "0"


def join(conn, args):
    name, _, mode = args.partition(":")
    if mode not in ("PLAYER", "VIEWER") or conn.room:
        return "3"
    if name not in rooms:
        return "1"
    room = rooms[name]
    if mode == "PLAYER":
        if len(room.players) == 2:
            return "2"
        room.players.append(conn)
        conn.room = room
        room.begin()
        return "0"
    room.viewers.append(conn)
    conn.room = room
    if len(room.players) == 2:
        now, other = room.players[room.turn].user, room.players[1 - room.turn].user
        conn.send(f"INPROGRESS:{now}:{other}")
    return "0"


def place(conn, args):
    room = conn.room
    x, y = map(int, args.split(":"))
    if len(room.players) < 2 or room.players[room.turn] is not conn or room.grid[y][x]:
        return
    room.grid[y][x] = room.turn + 1
    room.turn = 1 - room.turn
    if room.won():
        room.finish(f"0:{conn.user}")
    elif "0" not in room.board():
        room.finish("1")
    else:
        room.send_all(f"BOARDSTATUS:{room.board()}")


def forfeit(conn):
    room = conn.room
    if conn in room.viewers:
        return
    if len(room.players) < 2:
        room.remove()
    else:
        winner = room.players[0 if conn is room.players[1] else 1]
        room.finish(f"2:{winner.user}")


def serve(conn, message):
    verb, colon, rest = message.partition(":")
    args = rest if colon else None
    if verb in ("LOGIN", "REGISTER"):
        act = login if verb == "LOGIN" else register
        conn.send(f"{verb}:ACKSTATUS:{act(conn, args or '')}")
    elif not conn.user:
        conn.send("BADAUTH")
    elif verb in ("ROOMLIST", "CREATE", "JOIN"):
        if verb == "CREATE":
            status = create(conn, args)
        else:
            status = (roomlist if verb == "ROOMLIST" else join)(conn, args or "")
        conn.send(f"{verb}:ACKSTATUS:{status}")
    elif verb in ("PLACE", "FORFEIT"):
        if conn.room is None:
            conn.send("NOROOM")
        elif verb == "FORFEIT":
            forfeit(conn)
        elif conn in conn.room.players:
            place(conn, rest)


def drop(conn):
    sel.unregister(conn.sock)
    del conns[conn.sock]
    conn.sock.close()
    if conn.room and conn in conn.room.viewers:
        conn.room.viewers.remove(conn)
    elif conn.room:
        forfeit(conn)


def readable(conn):
    try:
        data = conn.sock.recv(8192)
    except OSError:
        data = b""
    if not data:
        drop(conn)
        return
    conn.buffer += data
    if b"\n" in conn.buffer:
        conn.end = b"\n"
        *lines, conn.buffer = conn.buffer.split(b"\n")
    elif conn.end:
        return  # half a line of somebody who sends lines
    else:
        lines, conn.buffer = [conn.buffer], b""
    for line in lines:
        try:
            if line.strip():
                serve(conn, line.decode("ascii").rstrip("\r"))
        except (ValueError, IndexError):
            conn.buffer = b""  # no such message


listener = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=200)
sel.register(listener, selectors.EVENT_READ)
while True:
    for key, _ in sel.select():
        if key.fileobj is listener:
            new, _ = listener.accept()
            conns[new] = Conn(new)
            sel.register(new, selectors.EVENT_READ)
        elif key.fileobj in conns:
            readable(conns[key.fileobj])
