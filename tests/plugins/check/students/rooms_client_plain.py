"""A rooms client without threads or select: it is in input() or in recv, one of the two.

It sends bare messages and takes a recv for a message. It prints the texts as the source has them,
so without names, wants upper case, and ends after a match. What it ends with is the other way
round.

``rooms_client_plain.py HOST PORT``
"""

# mypy: ignore-errors

import socket
import sys

QUESTIONS = {
    "LOGIN": ("Username? ", "Password? "),
    "REGISTER": ("Username? ", "Password? "),
    "ROOMLIST": ("Mode? ",),
    "CREATE": ("Room? ",),
    "JOIN": ("Room? ", "Mode? "),
}
ANSWERS = {
    ("LOGIN", "0"): "Welcome",
    ("LOGIN", "1"): "Error: User not found",
    ("LOGIN", "2"): "Error: Wrong password for user",
    ("REGISTER", "0"): "Successfully created user account",
    ("REGISTER", "1"): "Error: User already exists",
    ("ROOMLIST", "0"): "Room available to join as : ",
    ("ROOMLIST", "1"): "Error: Please input a valid mode.",
    ("CREATE", "0"): "Successfully created room\nWaiting for other player...",
    ("CREATE", "1"): "Error: Room is invalid",
    ("CREATE", "2"): "Error: Room already exists",
    ("CREATE", "3"): "Error: Server already contains a maximum of 256 rooms",
    ("JOIN", "0"): "Successfully joined room as a ",
    ("JOIN", "1"): "Error: No room named",
    ("JOIN", "2"): "Error: The room already has 2 players",
}


def show(text):
    print(text, file=sys.stderr if text.startswith("Error") else sys.stdout, flush=True)


def ask(prompt):
    try:
        return input(prompt)
    except EOFError:
        sock.close()
        sys.exit(0)


def receive():
    data = sock.recv(8192)
    if not data:
        sys.exit("The server has gone.")
    return data.decode("ascii").strip().split(":")


def request(verb):
    args = [ask(question) for question in QUESTIONS[verb]]
    if "" in args or (verb == "JOIN" and args[1] not in ("PLAYER", "VIEWER")):
        return
    sock.sendall(":".join([verb, *args]).encode("ascii"))
    answer = receive()
    if answer == ["BADAUTH"]:
        show("Error: You must be logged in to perform this action")
        return
    status = answer[2]
    text = ANSWERS.get((verb, status), "The server doesn't like that")
    if (verb, status) == ("ROOMLIST", "0"):
        text += ":".join(answer[3:])
    if (verb, status) == ("JOIN", "0"):
        text += args[1].lower()
    show(text)
    if status == "0":
        if verb == "LOGIN":
            me.append(args[0])
        if verb == "CREATE" or (verb == "JOIN" and args[1] == "PLAYER"):
            play(me[-1])
        if verb == "JOIN":
            watch()


def board(cells):
    for row in (cells[:3], cells[3:6], cells[6:]):
        show(" ".join(".XO"[int(cell)] for cell in row))


def finished(code, winner=None, me=None):
    if code == "0" and winner == me:
        show("Congratulations, you won!")
    elif code == "0":
        show("Sorry you lost. Good luck next time." if me else "has won this game")
    elif code == "1":
        show("Game ended in a draw")
    else:
        show("won due to the opposing player forfeiting")
    sys.exit(0)


def place(cells):
    while True:
        command = ask("PLACE or FORFEIT? ")
        if command == "FORFEIT":
            return "FORFEIT"
        if command != "PLACE":
            continue
        x, y = ask("x? "), ask("y? ")
        if x in ("0", "1", "2") and y in ("0", "1", "2") and cells[3 * int(y) + int(x)] == "0":
            return f"PLACE:{x}:{y}"
        show("That is no free place.")


def play(me):
    placed = False
    while True:
        kind, *args = receive()
        mine = False
        if kind == "BEGIN":
            show("match between and will commence, it is currently 's turn.")
            cells, mine = "000000000", args[0] == me
        elif kind == "BOARDSTATUS":
            cells, mine = args[0], not placed
            board(cells)
            placed = False
            whose = "current" if mine else "opposing"
            show(f"It is the {whose} player's turn")
        elif kind == "GAMEEND":
            board(args[0])
            finished(*args[1:], me=me)
        if mine:
            sock.sendall(place(cells).encode("ascii"))
            placed = True


def watch():
    players = None
    while True:
        kind, *args = receive()
        if kind == "BEGIN":
            show("match between and will commence, it is currently 's turn.")
            players = args
        elif kind == "INPROGRESS":
            show("Match between and is currently in progress, it is 's turn")
            players = args
        elif kind == "BOARDSTATUS":
            players.reverse()
            board(args[0])
            show(f"It is {players[0]}'s turn")
        elif kind == "GAMEEND":
            board(args[0])
            finished(*args[1:])


me = []
try:
    sock = socket.create_connection((sys.argv[1], int(sys.argv[2])))
except (OSError, IndexError):
    print("Usage: rooms_client_plain.py HOST PORT, where a server is")
    sys.exit(0)
while True:
    command = ask("> ")
    if command == "QUIT":
        sys.exit(1)
    if command in QUESTIONS:
        request(command)
    else:
        show("LOGIN, REGISTER, ROOMLIST, CREATE, JOIN or QUIT?")
