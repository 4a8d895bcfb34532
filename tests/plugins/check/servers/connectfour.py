"""A server of Connect Four (docs/reference/connect-four.md). It stacks pieces at the right."""

from __future__ import annotations

import asyncio
import re

from tests.plugins.check.servers import Faulty, Link, main

Columns = list[str]


class Game:
    """Columns from the left, each a text from its bottom."""

    def __init__(self, width: int, height: int) -> None:
        self.columns: Columns = [""] * width
        self.height, self.more, self.keeps = height, 0, False

    def play(self, side: str, verb: str, column: int) -> bool:
        """Make a move, if it can be made."""
        if column not in range(len(self.columns)):
            return False
        if verb == "POP":
            if not self.columns[column].startswith(side):
                return False
            self.columns[column] = self.columns[column][1:]
        elif len(self.columns[column]) >= self.height + self.more:
            self.columns[column] += side * self.keeps
            return False
        else:
            self.columns[column] += side
        return True

    def has_won(self, side: str) -> bool:
        """Whether a side has four in a row."""

        def at(x: int, y: int) -> str:
            return self.columns[x][y : y + 1] if x in range(len(self.columns)) and y >= 0 else ""

        return any(
            all(at(x + n * dx, y + n * dy) == side for n in range(4))
            for x in range(len(self.columns))
            for y in range(self.height)
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
        )


class ConnectFour(Faulty):
    """Each connection has a game of its own."""

    FAULTS = {
        "upper-cases names": "connectfour-1.1",
        "cuts names": "connectfour-1.10",
        "ends lines with LF alone": "connectfour-1.4",
        "needs a line in one read": "connectfour-1.6",
        "takes one read for one line": "connectfour-1.7",
        "wants CR LF": "connectfour-1.8",
        "knows one board alone": "connectfour-1.9",
        "says READY before its move": "connectfour-2.1",
        "moves where there is no column": "connectfour-2.1",
        "takes column 8": "connectfour-2.3",
        "takes column 0 for the last one": "connectfour-2.6",
        "closes at -1": "connectfour-2.7",
        "says no READY after INVALID": "connectfour-2.3",
        "pops what isn't there": "connectfour-2.4",
        "pops nothing": "connectfour-2.8",
        "gives the turn away after INVALID": "connectfour-2.3",
        "drops into full columns": "connectfour-2.9",
        "keeps a piece that it refuses": "connectfour-2.11",
        "doesn't see a win": "connectfour-3.1",
        "says OKAY before WINNER_RED": "connectfour-3.1",
        "doesn't close": "connectfour-3.3",
        "calls its own win red's": "connectfour-3.2",
        "explains": "connectfour-4.1",
        "asks again": "connectfour-4.1",
        "understands small letters": "connectfour-4.2",
        "moves before AI_GAME": "connectfour-4.6",
        "takes DROP alone for column 1": "connectfour-4.3",
        "takes any board": "connectfour-4.8",
        "hangs at a word for a column": "connectfour-4.4",
        "has one board for all": "connectfour-2.5",
        "serves one after the other": "connectfour-2.2",
        "dies with a client": "connectfour-1.3",
        "closes before it has answered": "connectfour-5.1",
    }

    def __init__(self, fault: str = "") -> None:
        super().__init__(fault)
        self.game: Game | None = None
        self.busy = asyncio.Lock()

    async def talk(self, link: Link) -> None:
        if self.fault == "serves one after the other":
            async with self.busy:
                await self.serve_client(link)
        else:
            await self.serve_client(link)

    async def serve_client(self, link: Link) -> None:
        conversation = Conversation(self, link)
        buffer = b""
        ended = False
        while not ended and (data := await link.reader.read(1000)):
            if self.fault == "needs a line in one read" and not data.endswith(b"\n"):
                break
            if self.fault == "takes one read for one line":
                data = data.partition(b"\n")[0] + b"\n"
            buffer += data
            while b"\n" in buffer and not ended:
                line, _, buffer = buffer.partition(b"\n")
                if self.fault == "closes before it has answered":
                    await asyncio.sleep(0.05)
                    if link.reader.at_eof():
                        return
                ended = len(line) > 257 or conversation.take(line)
        if not ended and conversation.game and self.fault == "dies with a client":
            self.block()


class Conversation:
    """What was said with one client."""

    def __init__(self, server: ConnectFour, link: Link) -> None:
        self.server, self.fault, self.link = server, server.fault, link
        self.named = False
        self.game: Game | None = None

    def say(self, *lines: str) -> None:
        end = "\n" if self.fault == "ends lines with LF alone" else "\r\n"
        self.link.send("".join(line + end for line in lines).encode("utf-8", "surrogateescape"))

    def take(self, data: bytes) -> bool:
        """Heed a line; whether it was the last."""
        if self.fault == "wants CR LF" and not data.endswith(b"\r"):
            return True
        line = data.decode("utf-8", "surrogateescape").strip(" \t\r")
        if self.fault == "understands small letters" and self.game:
            line = line.upper()
        if not self.named:
            return self.greet(line)
        if self.game is None:
            return self.begin(line)
        if self.fault == "takes DROP alone for column 1" and line == "DROP":
            line = "DROP 1"
        if self.fault == "hangs at a word for a column" and re.fullmatch("DROP [a-z]+", line):
            return False
        found = re.fullmatch(r"(DROP|POP) (-?[0-9]+)", line)
        if not found:
            if self.fault == "explains":
                self.say("ERROR")
            if self.fault == "asks again":
                self.say("INVALID", "READY")
            return self.fault != "asks again"
        return self.move(found[1], int(found[2]))

    def greet(self, line: str) -> bool:
        found = re.fullmatch(r"I32CFSP_HELLO (\S+)", line)
        if found:
            name = found[1].upper() if self.fault == "upper-cases names" else found[1]
            self.say(f"WELCOME {name[:20] if self.fault == 'cuts names' else name}")
        self.named = True
        return not found

    def begin(self, line: str) -> bool:
        if line.startswith("DROP") and self.fault == "moves before AI_GAME":
            line = "AI_GAME"
        found = re.fullmatch(r"AI_GAME(?: (\d+) (\d+))?", line)
        if not found:
            return True
        width, height = int(found[1] or 7), int(found[2] or 6)
        if self.fault == "knows one board alone" and found[1]:
            return True
        any_size = self.fault == "takes any board"
        if not any_size and not (4 <= width <= 20 and 4 <= height <= 20):
            return True
        self.game = Game(width, height)
        self.game.keeps = self.fault == "keeps a piece that it refuses"
        self.game.more = self.fault == "drops into full columns"
        if self.fault == "has one board for all":
            self.game = self.server.game = self.server.game or self.game
        self.say("READY")
        return False

    def move(self, verb: str, number: int) -> bool:
        game, column = self.game, number - 1
        assert game is not None
        if column == -2 and self.fault == "closes at -1":
            return True
        if column == -1 and self.fault == "takes column 0 for the last one":
            column = len(game.columns) - 1
        if column == len(game.columns) and self.fault == "takes column 8":
            column -= 1
        if verb == "POP" and self.fault == "pops nothing":
            found = game.columns[column : column + 1] or [""]
            done = found[0].startswith("R")
        elif verb == "POP" and self.fault == "pops what isn't there":
            done = True
        else:
            done = game.play("R", verb, column)
        if not done:
            if self.fault == "gives the turn away after INVALID":
                self.say("INVALID", self.answer(game), "READY")
            elif self.fault == "says no READY after INVALID":
                self.say("INVALID")
            else:
                self.say("INVALID", "READY")
            return False
        if over := self.winner(game, "RY"):
            self.say(*(["OKAY"] if self.fault == "says OKAY before WINNER_RED" else []), over)
            return self.fault != "doesn't close"
        answer = self.answer(game)
        if over := self.winner(game, "YR"):
            self.say("OKAY", answer, over)
            return self.fault != "doesn't close"
        if self.fault == "says READY before its move":
            self.say("OKAY", "READY", answer)
        else:
            self.say("OKAY", answer, "READY")
        return False

    def winner(self, game: Game, sides: str) -> str:
        """Return the line that says who has won; the side that has moved is asked first."""
        if self.fault == "doesn't see a win":
            return ""
        for side in sides:
            if game.has_won(side):
                red = side == "R" or self.fault == "calls its own win red's"
                return "WINNER_RED" if red else "WINNER_YELLOW"
        return ""

    def answer(self, game: Game) -> str:
        """Make the server's move."""
        if self.fault == "moves where there is no column":
            return f"DROP {len(game.columns) + 1}"
        free = [n for n, column in enumerate(game.columns) if len(column) < game.height]
        # On red's pieces, so that a column can become full.
        chosen = free[0 if game.keeps else -1]
        game.play("Y", "DROP", chosen)
        return f"DROP {chosen + 1}"


if __name__ == "__main__":
    main(ConnectFour)
