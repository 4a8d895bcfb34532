"""A whole client of the rooms protocol, to be made faulty (../test_client_mutants.py)."""

# mypy: ignore-errors

import socket
import sys

AS = "(Player/Viewer) "
PROMPTS = {
    "LOGIN": ["Enter username: ", "Enter password: "],
    "REGISTER": ["Enter username: ", "Enter password: "],
    "ROOMLIST": ["Do you want to have a room list as player or viewer? " + AS],
    "CREATE": ["Enter room name you want to create: "],
    "JOIN": ["Enter room name you want to join: ", "You wish to join the room as: " + AS],
}
SAID = {
    "LOGIN:0": "Welcome {0}",
    "LOGIN:1": "Error: User {0} not found",
    "LOGIN:2": "Error: Wrong password for user {0}",
    "REGISTER:0": "Successfully created user account {0}",
    "REGISTER:1": "Error: User {0} already exists",
    "ROOMLIST:0": "Room available to join as {0}: {1}",
    "ROOMLIST:1": "Error: Please input a valid mode.",
    "CREATE:0": "Successfully created room {0}\nWaiting for other player...",
    "CREATE:1": "Error: Room {0} is invalid",
    "CREATE:2": "Error: Room {0} already exists",
    "CREATE:3": "Error: Server already contains a maximum of 256 rooms",
    "JOIN:0": "Successfully joined room {0} as a {2}",
    "JOIN:1": "Error: No room named {0}",
    "JOIN:2": "Error: The room {0} already has 2 players",
}
rest = b""


def say(text):
    print(text, file=sys.stderr if text.startswith("Error") else sys.stdout, flush=True)


def leave(text, status=1):
    say(text)
    sys.exit(status)


def ask(prompt=""):
    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    if not line or line.strip().upper() == "QUIT":
        sys.exit(0)
    return line.strip()


def tell(*fields):
    server.sendall((":".join(map(str, fields)) + "\n").encode())


def hear():
    global rest
    while b"\n" not in rest:
        data = server.recv(8192)
        if not data:
            leave("Error: the server has closed the connection.")
        rest += data
    line, _, rest = rest.partition(b"\n")
    return line.decode().split(":")


def unknown():
    leave("Unknown message received from server. Exiting...")


def command():
    typed = ask()
    verb = typed.upper()
    if verb not in PROMPTS:
        return say(f"Unknown command: {typed}")
    words = [ask(prompt) for prompt in PROMPTS[verb]]
    if PROMPTS[verb][-1].endswith(AS):
        words[-1] = words[-1].upper()
        while words[-1] not in ("PLAYER", "VIEWER"):
            if verb == "ROOMLIST":
                return say("Error: Please input a valid mode.")
            say("Unknown input.")
            words[-1] = ask(PROMPTS[verb][-1]).upper()
    tell(verb, *words)
    kind, *said = hear()
    if kind == "BADAUTH":
        return say("Error: You must be logged in to perform this action")
    if kind != verb or f"{verb}:{said[1]}" not in SAID:
        unknown()
    listed = said[2] if len(said) > 2 else ""
    say(SAID[f"{verb}:{said[1]}"].format(words[0], listed, words[-1].lower()))
    if verb in ("CREATE", "JOIN") and said[1] == "0":
        mine = 0 if verb == "CREATE" else 1
        match(None if words[-1] == "VIEWER" and verb == "JOIN" else mine)
    return None


def match(mine):
    players, board, began = [], "0" * 9, False
    while True:
        kind, *said = hear()
        if kind == "BEGIN":
            players, began = said, True
            first, second = said
            say(
                f"match between {first} and {second} will commence, it is currently {first}'s turn."
            )
        elif kind == "INPROGRESS":
            players = said
            say(
                f"Match between {said[0]} and {said[1]} is currently in progress, "
                f"it is {said[0]}'s turn"
            )
        elif kind in ("BOARDSTATUS", "GAMEEND"):
            board = said[0]
            draw(board)
        else:
            unknown()
        turn = board.count("1") - board.count("2")
        if kind == "GAMEEND":
            return end(mine, players, *said[1:])
        if kind == "BOARDSTATUS":
            if mine is None and not began:
                players, began = (players if turn else players[::-1]), True
            say(whose_turn(mine, players, turn))
        if began and turn == mine:
            move(board)


def whose_turn(mine, players, turn):
    if mine is None:
        return f"It is {players[turn]}'s turn"
    return f"It is the {'current' if turn == mine else 'opposing'} player's turn"


def end(mine, players, code, winner=""):
    if code == "1":
        say("Game ended in a draw")
    elif code == "2":
        say(f"{winner} won due to the opposing player forfeiting")
    elif mine is None:
        say(f"{winner} has won this game")
    else:
        won = winner == players[mine]
        say("Congratulations, you won!" if won else "Sorry you lost. Good luck next time.")


def draw(board):
    rule = "-" * 13
    say(rule)
    for row in range(3):
        cells = [" XO"[int(board[3 * row + column])] for column in range(3)]
        say("| " + " | ".join(cells) + " |\n" + rule)


def number(prompt):
    while (typed := ask(prompt)) not in ("0", "1", "2"):
        say("(Column/Row) values must be an integer between 0 and 2")
    return int(typed)


def move(board):
    while (verb := ask().upper()) not in ("PLACE", "FORFEIT"):
        say(f"Unknown command: {verb}")
    if verb == "FORFEIT":
        return tell("FORFEIT")
    while True:
        column, row = number("Column: "), number("Row: ")
        mark = board[3 * row + column]
        if mark == "0":
            return tell("PLACE", column, row)
        say(f"({column}, {row}) is occupied by {' XO'[int(mark)]}.")


if len(sys.argv) != 3:
    leave("Error: Expecting 2 arguments: <server address> <port>")
host, port = sys.argv[1:]
try:
    server = socket.create_connection((host, int(port)))
except OSError:
    leave(f"Error: cannot connect to server at {host} and {port}.")
while True:
    command()
