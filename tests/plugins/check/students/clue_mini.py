"""A Clue server for the mini-game that has no map: it believes where a client goes.

It hangs up at any line that isn't written exactly so, and three of its weapons have names of their
own, which clue_names.txt gives the checker.

``clue_mini.py PORT``
"""

# mypy: ignore-errors

import random
import re
import socketserver
import sys

STARTS = [(17, 24), (24, 17), (15, 0), (10, 0), (0, 6), (0, 19)]
WEAPONS = ["dagger", "candlestick", "pistol", "rope", "pipe", "spanner"]
ROOMS = "SHUDKBCIL"


class Illegal(Exception):
    pass


class Game(socketserver.StreamRequestHandler):
    def say(self, name, data):
        self.wfile.write(f"{name}\n{data}\n".encode("ascii"))

    def hear(self, pattern):
        line = self.rfile.readline().decode("ascii")
        found = re.fullmatch(pattern + "\n", line)
        if found is None:
            raise Illegal(line)
        return found.groups()

    def triple(self):
        return self.hear(rf"\(([0-5]) ({'|'.join(WEAPONS)}) ([{ROOMS}])\)")

    def board(self):
        return f"({' '.join(f'({a} {b})' for a, b in self.places)})"

    def handle(self):
        try:
            self.rfile.readline()
            self.play()
        except (Illegal, UnicodeError, OSError):
            pass

    def play(self):
        me = random.randrange(6)
        self.places = list(STARTS)
        solution = (random.choice("012345"), random.choice(WEAPONS), random.choice(ROOMS))
        self.say("hello", me)
        while True:
            self.say("turn", self.board())
            (choice,) = self.hear("(roll|no-roll|accuse)")
            if choice == "accuse":
                self.say("accuse", "?")
                if self.triple() != solution:
                    self.say("wrong", "!")
                    self.rfile.read()  # there are no other seats to wait for
                return
            dice = random.randint(1, 6) + random.randint(1, 6) if choice == "roll" else 0
            self.say("rolled", dice)
            place = self.hear(rf"\((\d+|[{ROOMS}]) (\d+|[SV])\)")
            before, self.places[me] = self.places[me], place
            entered = place[0] in ROOMS and place[0] != before[0]
            if entered or (place[0] in ROOMS and before[1] == "S" and not dice):
                self.say("suggest", "?")
                suggested = self.triple()
                who, room = suggested[0], suggested[2]
                if room != place[0]:
                    return
                if int(who) != me:
                    self.places[int(who)] = (room, "S")
                wrong = [card for card in suggested if card not in solution]
                self.say("counter", random.choice(wrong or ["-"]))


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    request_queue_size = 50


Server(("127.0.0.1", int(sys.argv[1])), Game).serve_forever()
