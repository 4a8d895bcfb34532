"""The suite for the assignment's first program: two players of Connect Four at one keyboard."""

from __future__ import annotations

import re

from tictac.plugins.check.cases import Case, Finding, Suite
from tictac.plugins.check.clients.scene import SETTLE, ClientScene
from tictac.plugins.check.peer import shown
from tictac.plugins.check.rules import read_rules
from tictac.plugins.check.scene import Harness, direction
from tictac.plugins.games.connectfour.game import make

_BOARD = re.compile(rb"1 2 3 4 5 6 7[ \t]*((?:\r?\n[.RY](?: [.RY]){6}[ \t]*){6})(?:\r?\n|\Z)")

_OTHER = str.maketrans("RY", "YR")


class ConsoleScene(ClientScene):
    """A case of a console program, with the game that it must print."""

    wants = ()
    typed = "{verb} {column}"
    parts = ("verb", "letter", "column")

    def __init__(self, harness: Harness, case: Case) -> None:
        super().__init__(harness, case)
        self.game = make(7, 6, True, False)
        self.position = self.game.start(2, self.dice)
        self.red_begins = True

    @direction("it begins")
    async def begins(self) -> None:
        """Check that the program prints the empty board."""
        self.start()
        await self.shows_board()

    async def shows_board(self) -> None:
        """Check that the program prints the board. Either color can begin. Raises Finding."""
        before = self.new_output()
        if not await self.wait_for_output(_BOARD):
            before = self.new_output() or before
            came = f"it printed {shown(before)}" if before else "it printed nothing"
            raise Finding("the board, as docs/reference/connect-four.md draws it", came)
        printed = self._running().printed
        drawn = [found for stream in (1, 2) for found in _BOARD.finditer(printed[stream])]
        rows = drawn[-1][1].decode().replace(" ", "").replace("\t", "").split()
        wanted = self.game.view(self.position, None).split()[0].split("/")
        if rows in (wanted, _exchanged(wanted)) and self._is_known(rows, wanted):
            return
        lines = ", ".join(wanted if self.red_begins else _exchanged(wanted))
        raise Finding(f"a board with the rows {lines}", f"{', '.join(rows)} came")

    def _is_known(self, rows: list[str], wanted: list[str]) -> bool:
        """Return whether the board has the same colors as before; the first piece fixes them."""
        if "".join(wanted).replace(".", "") == "R":
            self.red_begins = rows == wanted
        return rows == (wanted if self.red_begins else _exchanged(wanted))

    @direction("in turn they play (.*)")
    async def play_in_turn(self, moves: str) -> None:
        """Type moves, and check the printed board after each."""
        for move in moves.split(", "):
            verb, column = move.split(" ")
            self.type_move(verb=verb, column=column, letter=verb[0])
            text = column if verb == "DROP" else f"pop {column}"
            self.position = self.game.play(self.position, text, self.dice).position
            await self.shows_board()

    async def read_output(self) -> bytes:
        """Return the new output without boards, after a wait of ``SETTLE`` seconds.

        Blank lines around it don't count: the last line of a board can arrive in two pieces.
        """
        await self.wait(SETTLE)
        said = _BOARD.sub(b"", self.new_output()).strip()
        for stream, printed in self._running().printed.items():
            self._seen[stream] = len(printed)
        return said

    @direction("red's turn isn't announced as yellow's")
    async def _says_whose_turn(self) -> None:
        red = await self.read_output()
        await self.play_in_turn("DROP 3")
        yellow = await self.read_output()
        if red == yellow:
            came = f"it printed {shown(red)} both times" if red else "it printed nothing"
            raise Finding("other words for red's turn than for yellow's", came)

    @direction("it asks again after each of (.*)")
    async def _asks_again(self, lines: str) -> None:
        """Type invalid moves, and check that each gets an error message. Raises Finding."""
        asked = await self.read_output()
        for line in lines.split(", "):
            if found := re.fullmatch(r"(DROP|POP) (\S+)", line):
                self.type_move(verb=found[1], letter=found[1][0], column=found[2])
            else:
                self.type(line.replace("nothing", ""))
            said = await self.read_output()
            if self._running().status is not None:
                raise Finding(f'another question after "{line}"', self._running().how_it_ended())
            if not said or said == asked:
                came = f"it printed {shown(said)}, as always" if said else "it printed nothing"
                raise Finding(f'an error message after "{line}"', came)


def _exchanged(rows: list[str]) -> list[str]:
    return [row.translate(_OTHER) for row in rows]


SUITE = Suite(
    "connectfour-console",
    "docs/reference/connect-four.md",
    read_rules(__package__),
    ConsoleScene,
    checks_clients=True,
)
SUITE.read_cases(__package__, "console.txt", {})
