"""A rooms client of two threads: one prints what the server says, one reads what is typed.

It draws boards in a way of its own, prints typographic apostrophes and no full stops, and takes
commands in any case.

``rooms_client_threads.py HOST PORT``
"""

# mypy: ignore-errors

import os
import socket
import sys
import threading

changed = threading.Condition()


class Client:
    def __init__(self, host, port):
        self.sock = socket.create_connection((host, port))
        self.file = self.sock.makefile("r", encoding="ascii", newline="\n")
        self.user = ""
        self.asked = None  # the request that isn't answered yet
        self.room = None  # "PLAYER" or "VIEWER" in a room
        self.players = []
        self.cells = "0" * 9
        self.mine = False  # is it my turn?
        self.placed = False

    # What the server says

    def listen(self):
        for line in self.file:
            with changed:
                self.hear(*line.strip().split(":"))
                changed.notify()
        print("The server has closed the connection", file=sys.stderr)
        os._exit(1)

    def hear(self, kind, *args):
        if kind == "BADAUTH":
            self.error("You must be logged in to perform this action")
            self.asked = None
        elif kind == "NOROOM":
            self.error("You are in no room")
        elif len(args) > 1 and args[0] == "ACKSTATUS":
            words, self.asked = self.asked, None
            getattr(self, kind.lower())(int(args[1]), words, ":".join(args[2:]))
        elif kind == "BEGIN":
            self.players = list(args)
            self.mine = self.room == "PLAYER" and args[0] == self.user
            print(
                f"match between {args[0]} and {args[1]} will commence,"
                f" it is currently {args[0]}’s turn"
            )
        elif kind == "INPROGRESS":
            self.players = list(args)
            print(
                f"Match between {args[0]} and {args[1]} is currently in progress,"
                f" it is {args[0]}’s turn"
            )
        elif kind == "BOARDSTATUS":
            self.cells = args[0]
            self.mine, self.placed = self.room == "PLAYER" and not self.placed, False
            self.draw()
            if self.room == "VIEWER":
                self.players.reverse()
                print(f"It is now {self.players[0]}’s turn!")
            else:
                print(f"It is the {'current' if self.mine else 'opposing'} player’s turn")
        elif kind == "GAMEEND":
            self.cells = args[0]
            self.draw()
            self.over(*args[1:])
        else:
            print("I don't understand", kind)
            os._exit(7)

    def error(self, text):
        print(f"Error: {text}", file=sys.stderr)

    def login(self, status, words, _):
        if status == 0:
            self.user = words[1]
            print("Welcome", words[1])
        elif status == 1:
            self.error(f"User {words[1]} not found")
        elif status == 2:
            self.error(f"Wrong password for user {words[1]}")

    def register(self, status, words, _):
        if status == 0:
            print("Successfully created user account", words[1])
        elif status == 1:
            self.error(f"User {words[1]} already exists")

    def roomlist(self, status, words, rooms):
        if status == 0:
            print(f"Room available to join as {words[1].lower()}: {rooms}")
        else:
            self.error("Please input a valid mode.")

    def create(self, status, words, _):
        if status == 0:
            self.room = "PLAYER"
            print("Successfully created room", words[1])
            print("Waiting for other player...")
        elif status == 1:
            self.error(f"Room {words[1]} is invalid")
        elif status == 2:
            self.error(f"Room {words[1]} already exists")
        elif status == 3:
            self.error("Server already contains a maximum of 256 rooms")

    def join(self, status, words, _):
        if status == 0:
            self.room = words[2]
            print(f"Successfully joined room {words[1]} as a {words[2].lower()}")
        elif status == 1:
            self.error(f"No room named {words[1]}")
        elif status == 2:
            self.error(f"The room {words[1]} already has 2 players")

    def draw(self):
        marks = ["_XO"[int(cell)] for cell in self.cells]
        print("", *("|".join(marks[row : row + 3]) for row in (0, 3, 6)), "", sep="\n")

    def over(self, code, winner=""):
        if code == "0" and self.room == "VIEWER":
            print(winner, "has won this game")
        elif code == "0" and winner == self.user:
            print("Congratulations, you won!")
        elif code == "0":
            print("Sorry you lost. Good luck next time.")
        elif code == "1":
            print("Game ended in a draw")
        else:
            print(winner, "won due to the opposing player forfeiting")
        self.room, self.players, self.cells = None, [], "0" * 9
        self.mine = self.placed = False

    # What is typed

    def send(self, *words):
        self.sock.sendall((":".join(words) + "\n").encode("ascii"))

    def request(self, *words):
        """Send a request and wait for its answer; who has a room waits for the match as well."""
        with changed:
            self.asked = words
            self.send(*words)
            changed.wait_for(lambda: self.asked is None)
            if words[0] == "CREATE":
                changed.wait_for(lambda: self.room is None or self.players)

    def place(self):
        x, y = ask("Column: "), ask("Row: ")
        if x not in list("012") or y not in list("012"):
            print("Columns and rows are 0, 1 or 2")
        elif self.cells[int(x) + 3 * int(y)] != "0":
            print("That one is taken")
        else:
            with changed:
                self.mine, self.placed = False, True
                self.send("PLACE", x, y)

    def obey(self, command):
        if command in ("LOGIN", "REGISTER"):
            self.request(command, ask("Name: "), ask("Password: "))
        elif command == "ROOMLIST":
            self.request(command, ask("Player or viewer? ").upper())
        elif command == "CREATE":
            self.request(command, ask("Room: "))
        elif command == "JOIN":
            name, mode = ask("Room: "), ""
            while mode not in ("PLAYER", "VIEWER"):
                mode = ask("Player or viewer? ").upper()
            self.request(command, name, mode)
        elif command in ("PLACE", "FORFEIT"):
            if self.room is None:
                self.error("There is no match")
            elif not self.mine:
                print("It is the opposing player’s turn")
            elif command == "PLACE":
                self.place()
            else:
                self.send("FORFEIT")
        elif command == "QUIT":
            sys.exit(0)
        else:
            print("No such command:", command)


def ask(prompt):
    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return line.strip()


client = Client(sys.argv[1], int(sys.argv[2]))
threading.Thread(target=client.listen, daemon=True).start()
while True:
    client.obey(ask("").upper())
