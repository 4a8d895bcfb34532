"""A rooms server with asyncio and SQLite, of lines that end with CR LF.

For viewers it lists rooms whose match runs, and an empty list without its colon. A new viewer gets
the board behind INPROGRESS, and all but the mover the last board before GAMEEND.

``rooms_asyncio.py PORT DATABASE``
"""

# mypy: ignore-errors

import asyncio
import re
import sqlite3
import sys
from dataclasses import dataclass, field

import bcrypt

STRAIGHT = [{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}]


@dataclass(eq=False)
class Game:
    name: str
    players: list
    viewers: list = field(default_factory=list)
    moves: list = field(default_factory=list)

    def board(self):
        marks = {cell: "12"[number % 2] for number, cell in enumerate(self.moves)}
        return "".join(marks.get(cell, "0") for cell in range(9))

    def mover(self):
        return self.players[len(self.moves) % 2]

    def other(self, player):
        return next(each for each in self.players if each is not player)


class Server:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.execute("CREATE TABLE IF NOT EXISTS users (name TEXT PRIMARY KEY, hash BLOB)")
        self.games = {}

    def find(self, name):
        found = self.db.execute("SELECT hash FROM users WHERE name = ?", (name,)).fetchone()
        return found and found[0]

    def tell(self, game, text, but=None):
        for user in [*game.players, *game.viewers]:
            if user is not but:
                user.say(text)

    def over(self, game, result, mover=None):
        if mover:
            self.tell(game, f"BOARDSTATUS:{game.board()}", but=mover)
        self.tell(game, f"GAMEEND:{game.board()}:{result}")
        self.close(game)

    def close(self, game):
        del self.games[game.name]
        for user in [*game.players, *game.viewers]:
            user.game = None


class User:
    def __init__(self, server, writer):
        self.server, self.writer = server, writer
        self.name = self.game = None

    def say(self, text):
        self.writer.write(text.encode("ascii") + b"\r\n")

    def on_login(self, *args):
        if len(args) != 2 or self.game:
            return 3
        name, password = args
        found = self.server.find(name)
        if found is None:
            return 1
        if not bcrypt.checkpw(password.encode()[:72], found):
            return 2
        self.name = name
        return 0

    def on_register(self, *args):
        if len(args) != 2:
            return 2
        name, password = args
        if self.server.find(name):
            return 1
        secret = bcrypt.hashpw(password.encode()[:72], bcrypt.gensalt(4))
        with self.server.db:
            self.server.db.execute("INSERT INTO users VALUES (?, ?)", (name, secret))
        return 0

    def on_roomlist(self, *args):
        if args not in (("PLAYER",), ("VIEWER",)):
            return 1
        seats = 1 if args[0] == "PLAYER" else 2
        names = [game.name for game in self.server.games.values() if len(game.players) == seats]
        return "0:" + ",".join(names) if names else 0

    def on_create(self, *args):
        if len(args) != 1 or self.game:
            return 4
        (name,) = args
        if not re.fullmatch(r"[\w -]{1,20}", name, re.A):
            return 1
        if name in self.server.games:
            return 2
        if len(self.server.games) == 256:
            return 3
        self.game = self.server.games[name] = Game(name, [self])
        return 0

    def on_join(self, *args):
        if len(args) != 2 or args[1] not in ("PLAYER", "VIEWER") or self.game:
            return 3
        game = self.server.games.get(args[0])
        if game is None:
            return 1
        if args[1] == "VIEWER":
            game.viewers.append(self)
        elif len(game.players) == 2:
            return 2
        else:
            game.players.append(self)
        self.game = game
        return 0

    def after_join(self):
        game = self.game
        if self in game.players:
            self.server.tell(game, "BEGIN:" + ":".join(each.name for each in game.players))
        elif len(game.players) == 2:
            mover = game.mover()
            self.say(f"INPROGRESS:{mover.name}:{game.other(mover).name}")
            self.say(f"BOARDSTATUS:{game.board()}")

    def place(self, column, row):
        game, cell = self.game, int(column) + 3 * int(row)
        if len(game.players) < 2 or self is not game.mover():
            return
        game.moves.append(cell)
        if any(line <= set(game.moves[(len(game.moves) + 1) % 2 :: 2]) for line in STRAIGHT):
            self.server.over(game, f"0:{self.name}", self)
        elif len(game.moves) == 9:
            self.server.over(game, "1", self)
        else:
            self.server.tell(game, f"BOARDSTATUS:{game.board()}")

    def leave(self):
        game = self.game
        if game is None:
            return
        if self in game.viewers:
            game.viewers.remove(self)
        elif len(game.players) == 1:
            self.server.close(game)
        else:
            winner = game.other(self)
            self.server.over(game, f"2:{winner.name}")

    def request(self, text):
        verb, *args = text.split(":")
        if verb in ("LOGIN", "REGISTER"):
            self.say(f"{verb}:ACKSTATUS:{getattr(self, f'on_{verb.lower()}')(*args)}")
        elif self.name is None:
            self.say("BADAUTH")
        elif verb in ("ROOMLIST", "CREATE", "JOIN"):
            status = getattr(self, f"on_{verb.lower()}")(*args)
            self.say(f"{verb}:ACKSTATUS:{status}")
            if verb == "JOIN" and status == 0:
                self.after_join()
        elif verb in ("PLACE", "FORFEIT"):
            if self.game is None:
                self.say("NOROOM")
            elif self in self.game.players:
                if verb == "PLACE":
                    self.place(*args)
                else:
                    self.leave()


async def main(port, path):
    server = Server(path)

    async def connected(reader, writer):
        user = User(server, writer)
        try:
            while line := await reader.readline():
                user.request(line.decode("ascii").strip("\r\n"))
        except (ConnectionError, ValueError):
            pass  # gone, or no such message: 3.3 lets me assume that there is none
        finally:
            user.leave()
            writer.close()

    listening = await asyncio.start_server(connected, "127.0.0.1", port, backlog=256)
    await listening.serve_forever()


asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
