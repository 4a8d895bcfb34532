"""A server of Clue (clue.md): the mini-game, or one client against five who stay put."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from tests.plugins.check.servers import Faulty, Link, main

BOARD = (
    (Path(__file__).parents[4] / "tictac/plugins/clue/game/clue-board.txt")
    .read_text("ascii")
    .split()
)
CELLS = {
    (y, x): mark
    for y, row in enumerate(BOARD)
    for x, mark in enumerate(row)
    if mark == "-" or mark.islower() or mark.isdigit()
}
STARTS = [cell for digit in "012345" for cell, mark in CELLS.items() if mark == digit]
WEAPONS = ["knife", "candlestick", "revolver", "rope", "pipe", "wrench"]
PASSAGES = {"S": "K", "K": "S", "U": "C", "C": "U"}
HANDS = ["5 rope L", "0 knife S", "1 candlestick H", "2 revolver D", "3 pipe K", "B C I"]
ENVELOPE = ["4", "wrench", "U"]
ROUNDS = 60

Place = tuple[int, int] | tuple[str, str]


class Out(Exception):
    """The client has said what it can't say, or has gone."""


class Clue(Faulty):
    """Each connection has a game of its own."""

    FAULTS = {
        "says it all in one line": "clue-1.1",
        "deals four cards": "clue-1.1",
        "puts down before right": "clue-1.3",
        "rolls one die": "clue-2.1",
        "always rolls": "clue-2.2",
        "leaves tokens where they are": "clue-2.3",
        "wants an exact roll for a room": "clue-2.4",
        "asks for no suggestion": "clue-3.1",
        "counters with anything": "clue-3.2",
        "doesn't call who is named": "clue-3.3",
        "calls with V": "clue-3.3",
        "asks for a suggestion after staying": "clue-3.4",
        "leaves somebody out": "clue-4.1",
        "tells of one's own turn": "clue-2.3",
        "passes a holder over": "clue-4.1",
        "takes no card": "clue-4.2",
        "says nothing of a wrong accusation": "clue-5.1",
        "wants LF alone": "clue-6.1",
        "wants single blanks": "clue-6.2",
        "takes one read for one line": "clue-6.3",
        "needs a line in one read": "clue-6.4",
        "knows pipe alone": "clue-6.5",
        "dies of a blank line": "clue-6.6",
        "starts somewhere else": "clue-1.3",
        "lets nobody stay at the start": "clue-2.5",
        "asks by another word": "clue-3.1",
        "has no dashes": "clue-4.3",
        "a wrong accusation costs nothing": "clue-5.1",
        "forgets who has accused wrongly": "clue-5.3",
        "keeps who shows a wrong card": "clue-7.5",
        "lets anybody go anywhere": "clue-7.2",
        "takes a suggestion for another room": "clue-7.3",
        "takes any weapon": "clue-7.4",
        "takes any card": "clue-7.5",
        "waits for a long line": "clue-7.6",
        "hangs when somebody goes": "clue-1.2",
    }

    NO_FAULTS = ("asks again", "doesn't say who showed a card")

    def __init__(self, fault: str = "", mini: bool = False) -> None:
        super().__init__(fault)
        self.mini = mini

    async def talk(self, link: Link) -> None:
        try:
            await Game(self, link).play()
        except Out:
            if self.fault == "hangs when somebody goes" and link.reader.at_eof():
                self.block()


class MiniClue(Clue):
    """The mini-game."""

    FAULTS = {
        "congratulates": "clue-5.2",
        "doesn't close": "clue-5.2",
        "says nothing of a wrong accusation": "clue-5.1",
        "counters with anything": "clue-3.2",
        "doesn't call who is named": "clue-3.3",
    }

    def __init__(self, fault: str = "") -> None:
        super().__init__(fault, True)


class Game:
    """A game with one client."""

    def __init__(self, server: Clue, link: Link) -> None:
        self.fault, self.mini, self.link = server.fault, server.mini, link
        self.me = random.randrange(6) if self.mini else 0
        self.places: list[Place] = list(STARTS)
        if self.fault == "starts somewhere else":
            self.places[1], self.places[2] = self.places[2], self.places[1]
        self.buffer = b""

    # Lines

    def say(self, name: str, data: str) -> None:
        between = " " if self.fault == "says it all in one line" else "\n"
        self.link.send(f"{name}{between}{data}\n".encode())

    async def line(self) -> str:
        while True:
            while b"\n" not in self.buffer:
                data = await self.link.reader.read(4096)
                if self.fault == "takes one read for one line":
                    data = data.partition(b"\n")[0] + b"\n" if data else b""
                if not data or (self.fault == "needs a line in one read" and b"\n" not in data):
                    raise Out
                self.buffer += data
                long = len(self.buffer.partition(b"\n")[0]) > 1025
                if long and self.fault != "waits for a long line":
                    raise Out
            line, _, self.buffer = self.buffer.partition(b"\n")
            if self.fault == "wants LF alone" and line.endswith(b"\r"):
                raise Out
            if line.strip() or self.fault == "dies of a blank line":
                return line.decode("utf-8", "replace").strip()

    async def words(self) -> list[str]:
        line = await self.line()
        if self.fault == "wants single blanks" and ("  " in line or "( " in line):
            raise Out
        words = line.replace("(", " ").replace(")", " ").split()
        lead = {} if self.fault == "knows pipe alone" else {"lead-pipe": "pipe", "leadpipe": "pipe"}
        return [lead.get(word, word) for word in words]

    def show(self) -> str:
        flip = self.fault == "puts down before right"
        shown = [
            place[::-1] if flip and place[0] not in PASSAGES else place for place in self.places
        ]
        return f"({' '.join(f'({one} {two})' for one, two in shown)})"

    # The game

    async def play(self) -> None:
        await self.line()
        more = " K" if self.fault == "deals four cards" else ""
        self.say("hello", str(self.me) if self.mini else f"(0 ({HANDS[0]}{more}))")
        mine = True
        for number in range(500 if self.mini else ROUNDS):
            if mine:
                mine = await self.turn()
            if not self.mini:
                if self.fault == "tells of one's own turn":
                    self.say("moved", f"({self.show()} 0 - -)")
                if mine or self.fault != "forgets who has accused wrongly":
                    await self.others(number)

    async def turn(self) -> bool:
        """Play the client's turn; return whether it may have another."""
        self.say("turn", self.show())
        while (choice := await self.line()) not in ("roll", "no-roll", "accuse"):
            if self.fault != "asks again":
                raise Out
            self.say("turn", self.show())
        if choice == "accuse":
            self.say("accuse", "?")
            right = self.triple(await self.words()) == ENVELOPE
            if not right and self.fault != "says nothing of a wrong accusation":
                self.say("wrong", "!")
            if right and self.fault == "congratulates":
                self.say("won", "!")
            if right and self.fault == "doesn't close":
                await self.line()
            if right or self.mini:
                raise Out
            return self.fault == "a wrong accusation costs nothing"
        rolled = random.randint(1, 6) + random.randint(1, 6)
        if self.fault == "rolls one die":
            rolled = 1
        if choice == "no-roll" and self.fault != "always rolls":
            rolled = 0
        self.say("rolled", str(rolled))
        goal, before = self.goal(await self.words()), self.places[self.me]
        if goal == before == STARTS[self.me] and self.fault == "lets nobody stay at the start":
            raise Out
        if goal not in self.goals(rolled) and self.fault != "lets anybody go anywhere":
            raise Out
        self.places[self.me] = goal
        entered = isinstance(goal[0], str) and (
            goal[0] != before[0] or (before[1] == "S" and not rolled)
        )
        if self.fault == "asks for a suggestion after staying" and isinstance(goal[0], str):
            entered = True
        if entered and self.fault != "asks for no suggestion":
            await self.suggest(str(goal[0]))
        if self.fault == "leaves tokens where they are":
            self.places = [*STARTS]
        return True

    async def suggest(self, room: str) -> None:
        self.say("guess" if self.fault == "asks by another word" else "suggest", "?")
        suggested = self.triple(await self.words())
        if suggested[2] != room and self.fault != "takes a suggestion for another room":
            raise Out
        self.call(self.me, suggested)
        if self.mini:
            wrong = [card for card in suggested if card not in ENVELOPE]
            if self.fault == "counters with anything":
                wrong = ["rope" if suggested[1] != "rope" else "knife"]
            self.say("counter", random.choice(wrong or ["-"]))
            return
        shower, cards = self.disprover(0, suggested)
        if self.fault == "counters with anything":
            cards = ["rope"]
        if self.fault == "doesn't say who showed a card":
            self.say("counter", cards[0] if cards else "-")
            return
        self.say("counter", f"({cards[0]} {shower})" if cards else "(- -)")

    def call(self, mover: int, suggested: list[str]) -> None:
        if int(suggested[0]) != mover and self.fault != "doesn't call who is named":
            mark = "V" if self.fault == "calls with V" else "S"
            self.places[int(suggested[0])] = (suggested[2], mark)

    def disprover(self, mover: int, suggested: list[str]) -> tuple[int, list[str]]:
        found = [
            (seat % 6, cards)
            for seat in range(mover + 1, mover + 6)
            if (cards := [card for card in HANDS[seat % 6].split() if card in suggested])
        ]
        return found[0] if found else (0, [])

    async def others(self, number: int) -> None:
        """Play the turns of the five others, of whom Mustard makes a suggestion."""
        for seat in range(1, 6):
            if seat == 3 and self.fault == "leaves somebody out":
                continue
            if number % 3 or seat != 1:
                none = "none" if self.fault == "has no dashes" else "- -"
                self.say("moved", f"({self.show()} {seat} {none})")
                continue
            suggested = ["5", "wrench", "U"]
            self.places[1] = ("U", "V")
            self.call(1, suggested)
            if self.fault == "passes a holder over":
                self.say("moved", f"({self.show()} 1 (5 wrench U) -)")
                continue
            self.say("moved", f"({self.show()} 1 (5 wrench U) 0)")
            if self.fault != "takes no card":
                card = (await self.words())[0]
                if card != "5" and self.fault == "keeps who shows a wrong card":
                    await self.line()
                if card != "5" and self.fault != "takes any card":
                    raise Out

    def triple(self, words: list[str]) -> list[str]:
        if len(words) != 3 or words[0] not in "012345" or words[2] not in "SHUDKBCIL":
            raise Out
        if words[1] not in WEAPONS and self.fault != "takes any weapon":
            raise Out
        return words

    # Moves

    def goal(self, words: list[str]) -> Place:
        if len(words) != 2:
            raise Out
        if all(word.isdigit() for word in words):
            return int(words[0]), int(words[1])
        return words[0], words[1]

    def goals(self, rolled: int) -> set[Place]:
        place = self.places[self.me]
        stay: Place = (place[0], "V") if isinstance(place[0], str) else place
        if not rolled:
            away: Place = (PASSAGES.get(str(place[0]), ""), "V")
            return {stay, away}
        return set(self.walks(rolled)) or {stay}

    def walks(self, rolled: int) -> Iterator[Place]:
        place = self.places[self.me]
        others = {*self.places[: self.me], *self.places[self.me + 1 :]}
        if not isinstance(place[0], str):
            yield from self.walk([place], "", others, rolled)
            return
        for cell, mark in CELLS.items():
            if mark.upper() == place[0] and cell not in others:
                yield from self.walk([cell], place[0], others, rolled - 1)

    def walk(self, path: list[Place], left: str, others: set[Place], steps: int) -> Iterator[Place]:
        mark = CELLS[path[-1]]  # type: ignore[index]
        exact = self.fault == "wants an exact roll for a room"
        if mark.islower() and mark.upper() != left and (steps == 1 if exact else steps > 0):
            yield mark.upper(), "V"
        if not steps:
            if not mark.isdigit():
                yield path[-1]
            return
        y, x = path[-1]
        assert isinstance(y, int) and isinstance(x, int)
        for near in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
            if CELLS.get(near, "0").isdigit() or near in others or near in path:
                continue
            yield from self.walk([*path, near], left, others, steps - 1)


if __name__ == "__main__":
    main(Clue)
