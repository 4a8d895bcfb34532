"""The suite for clients of Connect Four."""

from __future__ import annotations

import re

from tictac.errors import IllegalMove
from tictac.plugins.check.cases import Case, Finding, NotApplicable
from tictac.plugins.check.clients.scene import (
    NAME,
    SETTLE,
    ClientScene,
    client_suite,
    first_difference,
)
from tictac.plugins.check.rules import read_rules
from tictac.plugins.check.scene import Harness, direction
from tictac.plugins.games.connectfour.rules import RED, Move, Rules


def board_of(rows: str) -> re.Pattern[bytes]:
    """Return the pattern of a printed board; ``rows`` are its last rows, separated by slashes."""
    return re.compile(
        b"".join(rb"(?:^|\n)?%s[ \t]*\r?\n" % re.escape(each.encode()) for each in lines_of(rows))
    )


def lines_of(rows: str) -> list[str]:
    """Return the lines of a printed board; ``rows`` are its last rows, separated by slashes."""
    last = rows.split("/")
    return ["1 2 3 4 5 6 7", *[". . . . . . ."] * (6 - len(last)), *last]


_MOVE = re.compile(rb"(DROP|POP) (-?\d+)")


class ConnectFourClientScene(ClientScene):
    """A case for a Connect Four client, with the board of the game."""

    end = b"\n"
    wants = ("host", "port", "name")
    typed = "{verb} {column}"
    parts = ("verb", "letter", "column")

    def __init__(self, harness: Harness, case: Case) -> None:
        super().__init__(harness, case)
        self.rules = Rules()
        self.position = self.rules.initial()

    async def send_lines(self, *lines: str) -> None:
        """Send lines in one write."""
        (await self.peer()).send("".join(f"{line}\r\n" for line in lines).encode())

    @direction("the server says (.*)")
    async def _says_lines(self, lines: str) -> None:
        await self.send_lines(*lines.split(", "))

    @direction("it introduces itself")
    async def introduces_itself(self) -> None:
        """Expect the client's first line, without an answer yet. Raises Finding."""
        await (await self.peer()).expect(f"I32CFSP_HELLO {NAME}".encode())

    @direction("it has begun")
    async def begins(self) -> None:
        """Play up to the first READY."""
        await self.introduces_itself()
        await self.send_lines(f"WELCOME {NAME}")
        await (await self.peer()).expect(b"AI_GAME", b"AI_GAME 7 6")
        await self.send_lines("READY")

    @direction(r"it moves (DROP|POP) (\d)")
    async def moves(self, verb: str, column: str) -> None:
        """Make the client play this move; if it plays by itself, accept any legal move."""
        self.type_verb(verb, column)
        await self.expect_move(verb, column)

    def type_verb(self, verb: str, column: str) -> None:
        """Type a move, with the letter D or P if the form wants it."""
        self.type_move(verb=verb, letter=verb[0], column=column)

    async def expect_move(self, verb: str, column: str) -> None:
        """Expect the typed move, or any legal move of a client that plays without a user."""
        wish, peer = Move("POP" if verb == "POP" else "DROP", int(column)), await self.peer()
        line = await peer.expect(_MOVE if self.plays_itself else f"{verb} {column}".encode())
        if found := _MOVE.fullmatch(line):
            wish = Move("POP" if found[1] == b"POP" else "DROP", int(found[2]))
        try:
            self.position = self.rules.play(self.position, wish)
        except IllegalMove as error:
            raise Finding("a move that can be made", f"{wish} came: {error}") from None

    @direction(r"it is answered ((?:DROP|POP) \d)")
    async def answered(self, move: str) -> None:
        """Send yellow's move if it is legal; otherwise another one."""
        await self.send_lines("OKAY", self._answer(move), "READY")

    def _answer(self, wish: str) -> str:
        verb, column = wish.split(" ")
        legal = list(self.rules.legal_moves(self.position))
        wanted = Move("POP" if verb == "POP" else "DROP", int(column))
        move = wanted if wanted in legal else legal[0]
        self.position = self.rules.play(self.position, move)
        return str(move)

    @direction("they play to the end: ([^;]*); ([^;]*)")
    async def whole_game(self, own: str, others: str) -> None:
        """Play a game to its end; each side repeats its list of moves."""
        mine, yours, ready = own.split(", "), others.split(", "), True
        for turn in range(500):
            verb, column = mine[turn % len(mine)].split(" ")
            await self.moves(verb, column)
            if await self._ended():
                return
            reply = ["OKAY", self._answer(yours[turn % len(yours)])]
            ready = self.rules.outcome(self.position) is None
            await self.send_lines(*reply, *(["READY"] if ready else []))
            if await self._ended():
                return

    async def _ended(self) -> bool:
        outcome = self.rules.outcome(self.position)
        if outcome is not None:
            if outcome.winner is not None:
                await self.send_lines("WINNER_RED" if outcome.winner == RED else "WINNER_YELLOW")
            (await self.peer()).hang_up()
        return outcome is not None

    @direction("its line ends with CR LF")
    async def _its_line_ends_with_cr_lf(self) -> None:
        peer = await self.peer()
        peer.end = b""
        await peer.expect(f"I32CFSP_HELLO {NAME}\r\n".encode())

    @direction("READY comes late")
    async def _ready_comes_late(self) -> None:
        await self.begins()
        await self.moves("DROP", "3")
        await self.send_lines("OKAY", "DROP 4")
        self.position = self.rules.play(self.position, Move("DROP", 4))
        self.type_verb("DROP", "3")
        await self.wait(SETTLE)
        (await self.peer()).expect_nothing_unread("no move before READY")
        await self.send_lines("READY")
        await self.expect_move("DROP", "3")

    @direction("its move is INVALID")
    async def _its_move_is_invalid(self) -> None:
        if self.plays_itself:
            raise NotApplicable("the client chooses its moves itself")
        await self.begins()
        peer = await self.peer()
        self.type_verb("DROP", "8")
        await self.wait(SETTLE)
        if peer.is_readable:
            await peer.expect(b"DROP 8")
            await self.send_lines("INVALID", "READY")
        await self.moves("DROP", "5")

    @direction("its name has a blank")
    async def _its_name_has_a_blank(self) -> None:
        """Give the client a name with a blank, which the client must not send. Raises Finding."""
        self.name_given = "al ice"
        self.start(self.listen())
        limit = self.harness.patience.limit
        try:
            line = await (await self.peer()).expect(re.compile(b".*"), limit=limit)
        except Finding:
            return  # It refused the name: it asks again, or has ended.
        if line.count(b" ") > 1:
            came = f"{self.show(line)} came"
            raise Finding("a name with a blank to be refused", came)

    @direction("it must not move before READY")
    async def _no_move_before_ready(self) -> None:
        await self.introduces_itself()
        await self.send_lines(f"WELCOME {NAME}")
        peer = await self.peer()
        await peer.expect(b"AI_GAME", b"AI_GAME 7 6")
        self.type_verb("DROP", "3")
        await self.wait(SETTLE)
        peer.expect_nothing_unread("no move before READY")
        await self.send_lines("READY")
        await self.expect_move("DROP", "3")

    @direction(r"it shows ([. RY/]+)")
    async def _shows(self, rows: str) -> None:
        """Check that the client prints the board with these rows at the bottom."""
        if self.plays_itself:
            raise NotApplicable("the client chooses its moves itself")
        if not await self.wait_for_output(board_of(rows)):
            came = first_difference(self.new_output(), lines_of(rows))
            raise Finding("the board as in docs/reference/connect-four.md", came)

    @direction(r"red drops ([\d ]+) and pops (\d), yellow drops ([\d ]+)")
    async def _pops_for_yellow(self, red: str, pop: str, yellow: str) -> None:
        if self.plays_itself:
            raise NotApplicable("the client chooses its moves itself")
        for own, other in zip(red.split(" "), yellow.split(" "), strict=True):
            await self.moves("DROP", own)
            await self.answered(f"DROP {other}")
        await self.moves("POP", pop)
        await self._ended()

    @direction(r"it closes after each of (.*)")
    async def _closes_after_each(self, moves: str) -> None:
        """Answer the client's first move with an illegal move, in a new game for each."""
        for move in moves.split(", "):
            if self.client is not None:
                await self.start_again()
                self.position = self.rules.initial()
            await self.begins()
            await self.moves("DROP", "3")
            await self.send_lines("OKAY", move, "READY")
            await (await self.peer()).expect_close()

    @direction("lines come in pieces")
    async def _lines_come_in_pieces(self) -> None:
        await self.begins()
        await self.moves("DROP", "3")
        self.position = self.rules.play(self.position, Move("DROP", 4))
        pieces = (b"OK", b"AY\r\nDRO", b"P 4\r", b"\nREA", b"DY\r\n")
        await self.send_pieces(await self.peer(), *pieces)
        await self.moves("DROP", "3")


SUITE = client_suite(
    "connectfour",
    "docs/reference/connect-four.md",
    read_rules(__package__),
    ConnectFourClientScene,
    __package__,
)
