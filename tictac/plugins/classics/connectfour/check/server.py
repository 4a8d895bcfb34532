"""The suite for servers of Connect Four; the cases are in server.txt."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from tictac.errors import IllegalMove, NotAMove
from tictac.plugins.check.cases import Case, Finding, NotApplicable, Suite
from tictac.plugins.check.peer import Peer
from tictac.plugins.check.rules import read_rules
from tictac.plugins.check.scene import Harness, Scene, direction
from tictac.plugins.games.connectfour.game import ConnectFour, make
from tictac.plugins.games.connectfour.rules import Position

LONGEST = 30
"""Maximum moves of the checker in a game that must come to an end."""

GAMES = 10
"""Maximum games in which a column must become full."""

MOVE = re.compile(rb"(?:DROP|POP) -?[0-9]+")
WINNERS = (b"WINNER_RED", b"WINNER_YELLOW")


@dataclass
class Board:
    """The game as the protocol defines it; the checker plays red."""

    game: ConnectFour
    position: Position

    def play(self, line: str) -> bool:
        """Make the move in a line; return whether it is legal."""
        try:
            move = line.replace("DROP ", "").replace("POP", "pop")
            self.position = self.game.play(self.position, move, None).position
        except (IllegalMove, NotAMove):
            return False
        return True

    @property
    def winner(self) -> bytes | None:
        """The line for the winner; b"" is a draw."""
        result = self.game.result(self.position)
        if result is None:
            return None
        return b"" if result.winner is None else WINNERS[result.winner]

    def lines(self) -> list[str]:
        """Return the lines of all legal moves."""
        moves = self.game.moves(self.position)
        return [m.replace("pop", "POP") if m.startswith("pop") else f"DROP {m}" for m in moves]

    def after(self, line: str) -> Board:
        """Return the game after a legal move."""
        after = Board(self.game, self.position)
        assert after.play(line)
        return after

    def height(self, column: int) -> int:
        """Return the number of pieces in a column, counted from 0."""
        rows = self.game.view(self.position, None).split()[0].split("/")
        return sum(row[column] != "." for row in rows)


class ConnectFourScene(Scene):
    """A case in which each person plays a separate game against the server."""

    end = b"\n"

    def __init__(self, harness: Harness, case: Case) -> None:
        super().__init__(harness, case)
        self.boards: dict[str, Board] = {}
        self.refuses = False

    async def send_message(self, peer: Peer, message: bytes) -> None:
        peer.send(message + b"\r\n")

    async def finish(self) -> None:
        """Check that the server sent nothing more, if it refuses impossible moves."""
        for name, board in self.boards.items():
            peer = self.peers.get(name)
            if peer is None or not self.refuses:
                continue
            if board.winner is None and peer.closed is None and not peer.input_ended:
                await self.send_message(peer, b"DROP 99")
                await peer.expect(b"INVALID")
                await peer.expect(b"READY")

    @direction(r"(\w+) begins(?: on (\d+) by (\d+))?")
    async def begin(self, name: str, columns: str | None = None, rows: str | None = None) -> None:
        """Begin a game."""
        size = f" {columns} {rows}" if columns else ""
        await self.play(f"""
            {name}> I32CFSP_HELLO {name}
            {name}< WELCOME {name} [F1.1]
            {name}> AI_GAME{size}
            {name}< READY{"" if columns else " [F1.5]"}
        """)
        game = make(int(columns or 7), int(rows or 6), True, False)
        self.boards[name] = Board(game, game.start(2, Random(1)))

    @direction(r"(\w+) writes (.+)")
    async def _writes(self, name: str, text: str) -> None:
        """Send pieces of text, separated by bars, with <CR> and <LF> for these characters."""
        data = text.replace("<CR>", "\r").replace("<LF>", "\n").encode()
        await self.send_pieces(await self.peer(name), *data.split(b"|"))

    @direction(r"(\w+) plays ([A-Z]+ -?\d+)")
    async def move(self, name: str, line: str) -> None:
        """Move, and check the answer."""
        peer = self.peers[name]
        await self.send_message(peer, line.encode())
        await self.answer(name, line)

    async def answer(self, name: str, line: str) -> None:
        """Check the answer to a move."""
        peer, board = self.peers[name], self.boards[name]
        if not board.play(line):
            # Where boards are mixed up, the move isn't invalid for the server.
            mixed = self.case.rules[0].number == "F1.8"
            with self.citing("" if mixed else "F2.3"):
                await peer.expect(b"INVALID")
            self.refuses = True
        elif board.winner is not None:
            await peer.expect(*([board.winner] if board.winner else [b"OKAY"]))
            return
        else:
            await peer.expect(b"OKAY")
            said = (await peer.expect(MOVE)).decode()
            if not board.play(said):
                can = ", ".join(board.lines())
                with self.citing("" if self.refuses else "F2.2"):
                    raise peer.finding(f"a move that can be made ({can})", f"{said} came")
            if board.winner is not None:
                await peer.expect(*([board.winner] if board.winner else []))
                return
        await peer.expect(b"READY")

    @direction(r"(\w+) is refused")
    async def refused(self, name: str) -> None:
        """Check that the server disconnects, or answers INVALID and READY. Raises Finding."""
        peer = self.peers[name]
        try:
            await peer.expect_close()
        except Finding:
            if not peer.unread:
                raise
            await peer.expect(b"INVALID")
            await peer.expect(b"READY")

    @direction(r"(\w+) plays to (win|lose)")
    async def play_on(self, name: str, end: str) -> None:
        """Play until a side wins: the checker, to ``win``. Raises NotApplicable."""
        board, to_win = self.boards[name], end == "win"
        for _ in range(LONGEST):
            lines = board.lines()
            wins = [line for line in lines if board.after(line).winner == WINNERS[0]]
            best = wins if to_win else [line for line in lines if line not in wins]
            if not (best or to_win):
                raise NotApplicable("red can't but win")
            drops = [line for line in best or lines if line.startswith("DROP")]
            await self.move(name, (drops or best or lines)[0])
            if board.winner is not None:
                return
        raise NotApplicable(f"the game isn't over after {LONGEST} moves")

    @direction(r"(\w+) drops a piece into a full column")
    async def _overfill(self, name: str) -> None:
        await self.move(name, f"DROP {await self.fill(name)}")

    async def fill(self, name: str) -> int:
        """Play until a column is full; return its number. Raises NotApplicable.

        If a game ends before, begin another one, because the server's moves can be random.
        """
        for _ in range(GAMES):
            if column := await self.fill_in_one_game(name):
                return column
            self.peers.pop(name).hang_up()
            await self.begin(name)
        raise NotApplicable(f"{GAMES} games were over before a column was full")

    async def fill_in_one_game(self, name: str) -> int:
        """Return the number of the column that becomes full, or 0 if the game ends before."""
        board = self.boards[name]
        for _ in range(LONGEST):
            full = [n for n in range(7) if board.height(n) == 6]
            if full:
                return full[0] + 1
            safe = [
                line
                for line in board.lines()
                if line.startswith("DROP")
                and (after := board.after(line)).winner is None
                and all(after.after(reply).winner is None for reply in after.lines())
            ]
            safe.sort(key=lambda line: -board.height(int(line.split()[1]) - 1))
            await self.move(name, (safe or board.lines())[0])
            if board.winner is not None:
                break
        return 0


async def probe(harness: Harness, peer: Peer) -> None:
    """Check that the server welcomes a new client."""
    peer.end = b"\n"
    peer.send(b"I32CFSP_HELLO probe\r\n")
    await peer.expect(b"WELCOME probe")


SUITE = Suite(
    "connectfour",
    "docs/reference/connect-four.md",
    read_rules(__package__),
    ConnectFourScene,
    probe,
)


async def crlf(scene: ConnectFourScene) -> None:
    peer = await scene.connect("ann")
    await scene.send_message(peer, b"I32CFSP_HELLO ann")
    if (came := await peer.read(13)) != b"WELCOME ann\r\n":
        raise peer.finding(peer.show(b"WELCOME ann\r\n"), f"{peer.show(came)} came")
    for line, answer in ((b"AI_GAME", b"READY\r\n"), (b"DROP 8", b"INVALID\r\nREADY\r\n")):
        await scene.send_message(peer, line)
        if (came := await peer.read(len(answer))) != answer:
            raise peer.finding(peer.show(answer), f"{peer.show(came)} came")


async def others_piece(scene: ConnectFourScene) -> None:
    await scene.begin("ann")
    board = scene.boards["ann"]
    for number in range(5):
        # Many servers drop into the same column, or begin at the left.
        drops = [line for line in board.lines() if line.startswith("DROP")]
        await scene.move("ann", drops[-1 - number])
        if board.winner is not None:
            break
        pops = {line for line in board.lines() if line.startswith("POP")}
        for column in range(7):
            line = f"POP {column + 1}"
            if board.height(column) and line not in pops:
                await scene.move("ann", line)
                return
    raise NotApplicable("the server leaves no piece of its own at the bottom of a column")


async def refused_piece(scene: ConnectFourScene) -> None:
    await scene.begin("ann")
    column = await scene.fill("ann")
    await scene.move("ann", f"DROP {column}")
    # If the server kept the refused piece, the piece would fall into the column.
    if f"POP {column}" not in scene.boards["ann"].lines():
        raise NotApplicable("yellow is at the bottom of the full column")
    await scene.move("ann", f"POP {column}")
    if scene.boards["ann"].winner is None:
        await scene.move("ann", f"DROP {column}")


SUITE.read_cases(__package__, "server.txt", globals())
