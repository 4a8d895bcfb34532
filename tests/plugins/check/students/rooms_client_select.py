"""A rooms client with select that checks what it can: the login, names, modes and cells.

It sends nothing that the server would refuse, prints what the refusal would have brought, and
drops the command.

``rooms_client_select.py HOST PORT``
"""

# mypy: ignore-errors

import os
import re
import select
import socket
import sys


def error(text):
    print("Error: " + text, file=sys.stderr, flush=True)


def say(text):
    print(text, flush=True)


def send(*words):
    state["asked"] = words[0] not in ("PLACE", "FORFEIT")
    server.sendall(":".join(words).encode("ascii") + b"\r\n")


def credentials(verb):
    say("Your name, please")
    user = yield
    say("Your password, please")
    password = yield
    if not user or not password or ":" in user + password:
        error("That can't be")
        return
    send(verb, user, password)
    status = yield
    if verb == "LOGIN":
        if status == "0":
            state["user"] = user
            say(f"Welcome {user}")
        elif status == "1":
            error(f"User {user} not found")
        else:
            error(f"Wrong password for user {user}")
    elif status == "0":
        say(f"Successfully created user account {user}")
    else:
        error(f"User {user} already exists")


def list_rooms():
    say("Do you want to play or to watch (PLAYER, VIEWER)?")
    mode = (yield).upper()
    if mode not in ("PLAYER", "VIEWER"):
        error("Please input a valid mode.")
        return
    send("ROOMLIST", mode)
    status = yield
    if status == "0":
        say(f"Room available to join as {mode}: {state['list']}")
    else:
        error("Please input a valid mode.")


def create_room():
    say("What is its name?")
    name = yield
    if not re.fullmatch(r"[a-zA-Z0-9 _-]{1,20}", name):
        error(f"Room {name} is invalid")
        return
    send("CREATE", name)
    status = yield
    if status == "0":
        state["mode"] = "PLAYER"
        say(f"Successfully created room {name}")
        say("Waiting for other player...")
    elif status == "1":
        error(f"Room {name} is invalid")
    elif status == "2":
        error(f"Room {name} already exists")
    else:
        error("Server already contains a maximum of 256 rooms")


def join_room():
    say("Which one?")
    name = yield
    say("Do you want to play or to watch (PLAYER, VIEWER)?")
    mode = (yield).upper()
    if mode not in ("PLAYER", "VIEWER"):
        error("There is no such mode")
        return
    send("JOIN", name, mode)
    status = yield
    if status == "0":
        state["mode"] = mode
        say(f"Successfully joined room {name} as a {mode.lower()}")
    elif status == "1":
        error(f"No room named {name}")
    else:
        error(f"The room {name} already has 2 players")


def place():
    say("x?")
    x = yield
    say("y?")
    y = yield
    if not (re.fullmatch("[012]", x) and re.fullmatch("[012]", y)):
        say("There is no such place")
    elif state["board"][int(y) * 3 + int(x)] != "0":
        say("There is a marker already")
    else:
        state["turn"] = "opposing"
        send("PLACE", x, y)


def typed(line):
    """Give a line to whoever waits for one, or begin what it says."""
    waiting = state["waiting"]
    if waiting is not None:
        go_on(waiting, line)
        return
    command = line.upper()
    if command == "QUIT":
        server.close()
        sys.exit(0)
    if command in ("PLACE", "FORFEIT"):
        if state["turn"] == "opposing":
            say("It is the opposing player's turn")
        elif state["turn"] is None:
            error("You aren't in a match")
        elif command == "PLACE":
            begin(place())
        else:
            send("FORFEIT")
    elif state["mode"] is not None:
        say("Be patient: you are in a room")
    elif command in ("LOGIN", "REGISTER"):
        begin(credentials(command))
    elif command in ("ROOMLIST", "CREATE", "JOIN"):
        if state["user"] is None:
            error("You must be logged in to perform this action")
        else:
            begin({"ROOMLIST": list_rooms, "CREATE": create_room, "JOIN": join_room}[command]())
    elif command:
        say("What do you mean?")


def begin(dialogue):
    next(dialogue)
    state["waiting"] = dialogue


def go_on(dialogue, line):
    try:
        dialogue.send(line)
    except StopIteration:
        state["waiting"] = None


def heard(kind, *args):
    if kind in ("LOGIN", "REGISTER", "ROOMLIST", "CREATE", "JOIN"):
        state["list"] = args[2] if len(args) > 2 else ""
        state["asked"] = False
        go_on(state["waiting"], args[1])
    elif kind == "BADAUTH":
        error("You must be logged in to perform this action")
        state["waiting"], state["asked"] = None, False
    elif kind == "NOROOM":
        error("You aren't in a room")
    elif kind == "BEGIN":
        state["players"] = args
        if state["mode"] == "PLAYER":
            state["turn"] = "current" if args[0] == state["user"] else "opposing"
        say(
            f"match between {args[0]} and {args[1]} will commence,"
            f" it is currently {args[0]}'s turn."
        )
    elif kind == "INPROGRESS":
        state["players"] = args
        say(
            f"Match between {args[0]} and {args[1]} is currently in progress,"
            f" it is {args[0]}'s turn"
        )
    elif kind == "BOARDSTATUS":
        state["board"] = args[0]
        moves = 9 - args[0].count("0")
        if state["mode"] == "PLAYER":
            state["turn"] = "current" if my_number() == moves % 2 else "opposing"
        draw()
        if state["mode"] == "PLAYER":
            say(f"It is the {state['turn']} player's turn")
        else:
            state["players"] = state["players"][::-1]
            say(f"{state['players'][0]} has the turn now.")
    elif kind == "GAMEEND":
        state["board"] = args[0]
        draw()
        match args[1:]:
            case ["0", winner] if state["mode"] == "VIEWER":
                say(f"{winner} has won this game")
            case ["0", winner] if winner == state["user"]:
                say("Congratulations, you won!")
            case ["0", _]:
                say("Sorry you lost. Good luck next time.")
            case ["1", *_]:
                say("Game ended in a draw")
            case ["2", winner]:
                say(f"{winner} won due to the opposing player forfeiting")
        state.update(mode=None, turn=None, waiting=None, board="000000000")


def my_number():
    return state["players"].index(state["user"])


def draw():
    cells = [" XO"[int(cell)] for cell in state["board"]]
    rows = [f" {a} | {b} | {c} " for a, b, c in (cells[:3], cells[3:6], cells[6:])]
    say("\n---+---+---\n".join(rows))


def lines_of(name, data):
    *lines, rest[name] = (rest[name] + data).split(b"\n")
    return [line.decode().strip() for line in lines]


if len(sys.argv) != 3:
    sys.exit("I need a host and a port.")
state = dict.fromkeys(("user", "mode", "turn", "waiting", "asked", "players", "list"))
state["board"] = "000000000"
typed_ahead = []
rest = {"typed": b"", "heard": b""}
try:
    server = socket.create_connection((sys.argv[1], int(sys.argv[2])))
except OSError as reason:
    sys.exit(f"No server there: {reason}")
while True:
    for source in select.select([server, sys.stdin], [], [])[0]:
        if source is server:
            data = server.recv(8192)
            if not data:
                sys.exit("The server has left us.")
            for line in lines_of("heard", data):
                heard(*line.split(":"))
        else:
            data = os.read(0, 4096)
            if not data:
                sys.exit(3)
            typed_ahead += lines_of("typed", data)
    while typed_ahead and not state["asked"]:
        typed(typed_ahead.pop(0))
