"""A rooms server after the listing of section 4: select, and a recv for each message.

It ends what it answers to requests with a newline, and BADAUTH, NOROOM and all of a match with
nothing. It looks at the form of a request before the login, and at the room before the form.

``rooms_select.py PORT DATABASE``, a text file.
"""

# mypy: ignore-errors

import hashlib
import re
import select
import socket
import sys
from pathlib import Path

import bcrypt

WINS = ["012", "345", "678", "036", "147", "258", "048", "246"]
database = Path(sys.argv[2])
database.touch()
users = dict(line.split(":") for line in database.read_text().split())
logged_in = {}  # socket -> user name
rooms = {}  # name -> {"players": sockets, "viewers": sockets, "board": list, "turn": 0 or 1}


def hashed(name, password):
    salt = f"$2b$04${hashlib.sha256(name.encode()).hexdigest()[:21]}."
    return bcrypt.hashpw(password.encode()[:72], salt.encode()).decode()


def send(sock, text):
    try:
        sock.sendall(text.encode("ascii"))
    except OSError:
        pass


def ack(sock, verb, status):
    send(sock, f"{verb}:ACKSTATUS:{status}\n")


def room_of(sock):
    for name, room in rooms.items():
        if sock in room["players"] or sock in room["viewers"]:
            return name, room
    return None, None


def broadcast(room, text):
    for sock in room["players"] + room["viewers"]:
        send(sock, text)


def login(sock, args):
    if len(args) != 2:
        return ack(sock, "LOGIN", 3)
    if args[0] not in users:
        return ack(sock, "LOGIN", 1)
    if users[args[0]] != hashed(*args):
        return ack(sock, "LOGIN", 2)
    logged_in[sock] = args[0]
    return ack(sock, "LOGIN", 0)


def register(sock, args):
    if len(args) != 2 or not re.fullmatch(r"[!-~]+", args[0]):
        return ack(sock, "REGISTER", 2)
    if args[0] in users:
        return ack(sock, "REGISTER", 1)
    users[args[0]] = hashed(*args)
    with database.open("a") as file:
        file.write(f"{args[0]}:{users[args[0]]}\n")
        file.flush()
    return ack(sock, "REGISTER", 0)


def roomlist(sock, args):
    if args not in (["PLAYER"], ["VIEWER"]):
        return ack(sock, "ROOMLIST", 1)
    if sock not in logged_in:
        return send(sock, "BADAUTH")
    found = []
    for name, room in rooms.items():
        if args == ["VIEWER"] or len(room["players"]) == 1:
            found.append(name)
    return ack(sock, "ROOMLIST", "0:" + ",".join(found))


def create(sock, args):
    if len(args) != 1:
        return ack(sock, "CREATE", 4)
    if sock not in logged_in:
        return send(sock, "BADAUTH")
    if room_of(sock)[0]:
        return ack(sock, "CREATE", 4)
    if not re.fullmatch(r"[a-zA-Z0-9_ -]{1,20}", args[0]):
        return ack(sock, "CREATE", 1)
    if args[0] in rooms:
        return ack(sock, "CREATE", 2)
    if len(rooms) >= 256:
        return ack(sock, "CREATE", 3)
    rooms[args[0]] = {"players": [sock], "viewers": [], "board": ["0"] * 9, "turn": 0}
    return ack(sock, "CREATE", 0)


def join(sock, args):
    if sock not in logged_in:
        return send(sock, "BADAUTH")
    if args and args[0] not in rooms:
        return ack(sock, "JOIN", 1)
    if len(args) != 2 or args[1] not in ("PLAYER", "VIEWER") or room_of(sock)[0]:
        return ack(sock, "JOIN", 3)
    room = rooms[args[0]]
    if args[1] == "PLAYER" and len(room["players"]) == 2:
        return ack(sock, "JOIN", 2)
    room["players" if args[1] == "PLAYER" else "viewers"].append(sock)
    ack(sock, "JOIN", 0)
    names = [logged_in[player] for player in room["players"]]
    if args[1] == "PLAYER":
        return broadcast(room, f"BEGIN:{names[0]}:{names[1]}")
    if len(names) == 2:
        now = room["turn"]
        send(sock, f"INPROGRESS:{names[now]}:{names[1 - now]}")
    return None


def place(sock, args):
    name, room = room_of(sock)
    players, board = room["players"], room["board"]
    if sock not in players or len(players) < 2 or players[room["turn"]] is not sock:
        return
    x, y = args
    cell = int(x) + int(y) * 3
    mark = "12"[room["turn"]]
    board[cell] = mark
    room["turn"] = 1 - room["turn"]
    text = "".join(board)
    if any(board[int(a)] == board[int(b)] == board[int(c)] == mark for a, b, c in WINS):
        broadcast(room, f"GAMEEND:{text}:0:{logged_in[sock]}")
        del rooms[name]
    elif "0" not in board:
        broadcast(room, f"GAMEEND:{text}:1")
        del rooms[name]
    else:
        broadcast(room, f"BOARDSTATUS:{text}")


def give_up(sock):
    name, room = room_of(sock)
    if sock in room["viewers"]:
        return
    if len(room["players"]) == 2:
        first, second = room["players"]
        winner = logged_in[second if sock is first else first]
        broadcast(room, f"GAMEEND:{''.join(room['board'])}:2:{winner}")
    del rooms[name]


def forfeit(sock, args):
    _, room = room_of(sock)
    if room["players"][room["turn"]] is sock:
        give_up(sock)


def disconnected(sock):
    _, room = room_of(sock)
    if room:
        give_up(sock)
        if sock in room["viewers"]:
            room["viewers"].remove(sock)
    logged_in.pop(sock, None)
    read_socks.remove(sock)
    sock.close()


def handle(sock, text):
    verb, *args = text.split(":")
    if verb in ("LOGIN", "REGISTER", "ROOMLIST", "CREATE", "JOIN"):
        globals()[verb.lower()](sock, args)
    elif sock not in logged_in:
        send(sock, "BADAUTH")
    elif verb in ("PLACE", "FORFEIT"):
        if room_of(sock)[0] is None:
            send(sock, "NOROOM")
        else:
            globals()[verb.lower()](sock, args)


server_sock = socket.socket()
server_sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server_sock.bind(("127.0.0.1", int(sys.argv[1])))
server_sock.listen(300)
server_sock.setblocking(False)
read_socks = {server_sock}
while True:
    ready, _, _ = select.select(read_socks, (), ())
    for sock in ready:
        if sock is server_sock:
            client_sock, _ = sock.accept()
            client_sock.setblocking(False)
            read_socks.add(client_sock)
            continue
        try:
            client_msg = sock.recv(8192)
        except OSError:
            client_msg = b""
        if not client_msg:
            disconnected(sock)
            continue
        try:
            handle(sock, client_msg.decode("ascii").strip("\r\n"))
        except ValueError as error:  # no ASCII, or no numbers
            print("bad message:", error, file=sys.stderr)
