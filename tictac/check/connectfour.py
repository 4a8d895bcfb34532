"""The cases of servers of Connect Four."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from tictac.check.cases import Case, Level, NotApplicable, Suite
from tictac.check.peer import Peer
from tictac.check.scene import Bench, Scene, direction
from tictac.errors import IllegalMove, NotAMove
from tictac.games.connectfour.game import ConnectFour, make
from tictac.games.connectfour.rules import Position

LONGEST = 30
"""Moves of the checker in a game that is to come to an end."""

MOVE = re.compile(rb"(?:DROP|POP) -?[0-9]+")
WINNERS = (b"WINNER_RED", b"WINNER_YELLOW")


@dataclass
class Board:
    """A game as both sides must know it; red is the checker."""

    game: ConnectFour
    position: Position

    def play(self, line: str) -> bool:
        """Make a move as a line says it, if it can be made."""
        try:
            move = line.replace("DROP ", "").replace("POP", "pop")
            self.position = self.game.play(self.position, move, None).position
        except (IllegalMove, NotAMove):
            return False
        return True

    @property
    def winner(self) -> bytes | None:
        """The line that says who has won; b"" is a draw."""
        result = self.game.result(self.position)
        if result is None:
            return None
        return b"" if result.winner is None else WINNERS[result.winner]

    def lines(self) -> list[str]:
        """What can be done."""
        moves = self.game.moves(self.position)
        return [m.replace("pop", "POP") if m.startswith("pop") else f"DROP {m}" for m in moves]

    def after(self, line: str) -> Board:
        """The game after a move that can be made."""
        after = Board(self.game, self.position)
        assert after.play(line)
        return after

    def height(self, column: int) -> int:
        """How many pieces are in a column, counted from 0."""
        rows = self.game.view(self.position, None).split()[0].split("/")
        return sum(row[column] != "." for row in rows)


class ConnectFourScene(Scene):
    """Each person plays a game of its own against the server."""

    end = b"\n"

    def __init__(self, bench: Bench, case: Case) -> None:
        super().__init__(bench, case)
        self.boards: dict[str, Board] = {}
        self.refuses = False

    async def say(self, peer: Peer, message: bytes) -> None:
        peer.send(message + b"\r\n")

    async def finish(self) -> None:
        """See that nothing more was said, where the server is known to refuse what can't be done."""
        for name, board in self.boards.items():
            peer = self.peers.get(name)
            if peer is None or not self.refuses:
                continue
            if board.winner is None and peer.closed is None and not peer.input_ended:
                await self.say(peer, b"DROP 99")
                await peer.expect(b"INVALID")
                await peer.expect(b"READY")

    @direction(r"(\w+) begins(?: on (\d+) by (\d+))?")
    async def begin(self, name: str, columns: str | None = None, rows: str | None = None) -> None:
        """Begin a game."""
        size = f" {columns} {rows}" if columns else ""
        await self.play(f"""
            {name}> I32CFSP_HELLO {name}
            {name}< WELCOME {name}
            {name}> AI_GAME{size}
            {name}< READY
        """)
        game = make(int(columns or 7), int(rows or 6), True, False)
        self.boards[name] = Board(game, game.start(2, Random(1)))

    @direction(r"(\w+) says both")
    async def say_both(self, name: str) -> None:
        (await self.peer(name)).send(b"I32CFSP_HELLO ann\r\nAI_GAME\r\n")

    @direction(r"(\w+) plays ([A-Z]+ -?\d+)")
    async def move(self, name: str, line: str) -> None:
        """Move, and see that the answer is right."""
        peer = self.peers[name]
        await self.say(peer, line.encode())
        await self.answer(name, line)

    async def answer(self, name: str, line: str) -> None:
        """See that the answer to a move is right."""
        peer, board = self.peers[name], self.boards[name]
        if not board.play(line):
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
                raise peer.finding(f"a move that can be made ({can})", f"{said} came")
            if board.winner is not None:
                await peer.expect(*([board.winner] if board.winner else []))
                return
        await peer.expect(b"READY")

    async def play_on(self, name: str, to_win: bool) -> None:
        """Play until somebody has won."""
        board = self.boards[name]
        for _ in range(LONGEST):
            lines = board.lines()
            wins = [line for line in lines if board.after(line).winner == WINNERS[0]]
            best = wins if to_win else [line for line in lines if line not in wins]
            drops = [line for line in best or lines if line.startswith("DROP")]
            await self.move(name, (drops or best or lines)[0])
            if board.winner is not None:
                return
        raise NotApplicable(f"the game isn't over after {LONGEST} moves")

    async def fill(self, name: str) -> int:
        """Play until a column is full, without an end of the game; its number."""
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
        raise NotApplicable("the game was over before a column was full")


async def probe(bench: Bench, peer: Peer) -> None:
    """See that the server welcomes a new client."""
    peer.end = b"\n"
    peer.send(b"I32CFSP_HELLO probe\r\n")
    await peer.expect(b"WELCOME probe")


SUITE = Suite(
    "connectfour", "a server of Connect Four", "docs/connect-four.md", ConnectFourScene, probe
)
_case = SUITE.script

_case(
    "1.1", "a name is welcomed", "The conversation",
    "To I32CFSP_HELLO and a name the server answers WELCOME and the same name, byte for byte.",
    "Answer the first line with WELCOME, a blank, and the name as it came.",
    script="""
        ann> I32CFSP_HELLO ann_B-7
        ann< WELCOME ann_B-7
    """, gate=True,
)  # fmt: skip
_case(
    "1.2", "a game begins", "The conversation",
    "To AI_GAME the server answers READY.",
    "Answer the line AI_GAME with READY: red, the client, is to move.",
    script="""
        ann> I32CFSP_HELLO ann
        ann< WELCOME ann
        ann> AI_GAME
        ann< READY
    """, needs="1.1", gate=True,
)  # fmt: skip


_case(
    "1.3", "a client that goes harms nobody", "What isn't of the protocol",
    "A connection that is lost ends its own game only.",
    "Expect recv to return nothing or to raise (ConnectionResetError) at any time, and end that game"
    " alone.",
    script="""
        (ann begins)
        (ann hangs up)
        (bob begins)
        (bob resets)
        (carl begins)
    """, needs="1.2", gate=True,
)  # fmt: skip
_case(
    "2.1", "a move is answered", "The conversation",
    "To a move the server answers OKAY, its own move, and READY; its move can be made on the board.",
    "After DROP or POP send OKAY, then your own move as DROP or POP with a column from 1, then READY.",
    script="(ann begins)\n(ann plays DROP 3)", needs="1.3", gate=True,
)  # fmt: skip
_case(
    "2.2", "two games at the same time", "The conversation",
    "Each connection plays a game of its own.",
    "Go on accepting connections during a game: with a thread or a task for each client.",
    script="(ann begins)\n(bob begins)", needs="1.3", gate=True, parallel=True,
)  # fmt: skip
_case(
    "2.3", "a column that isn't there", "The conversation",
    "To a move that can't be made the server answers INVALID and READY: the turn stays with the client.",
    "If the column isn't on the board send INVALID, then READY, and make no move of your own.",
    script="(ann begins)\n(ann plays DROP 8)\n(ann plays DROP 3)", needs="2.1", gate=True,
)  # fmt: skip
_case(
    "2.4", "a pop without a piece of one's own", "The conversation",
    "A move that can't be made, such as a pop where red has no piece at the bottom, is INVALID.",
    "Look whether the piece at the bottom of the column is red before you pop it.",
    script="(ann begins)\n(ann plays POP 1)\n(ann plays POP 8)\n(ann plays DROP 1)", needs="2.3", gate=True,
)  # fmt: skip
_case(
    "2.5", "each game has a board of its own", "The conversation",
    "Each connection plays a game of its own.",
    "Make a new board for each connection, and don't keep it in a variable of the program.",
    script="""
        (ann begins)
        (ann plays DROP 1)
        (ann hangs up)
        (bob begins)
        (bob plays POP 1)
    """, needs="2.4", gate=True,
)  # fmt: skip


@SUITE.case(
    "1.4", "lines end with CR LF", "The conversation",
    "The server ends lines with CR LF.",
    "Send \\r\\n behind each line: many clients look for both.",
    needs="1.1",
)  # fmt: skip
async def crlf(scene: ConnectFourScene) -> None:
    peer = await scene.connect("ann")
    await scene.say(peer, b"I32CFSP_HELLO ann")
    if (came := await peer.read(13)) != b"WELCOME ann\r\n":
        raise peer.finding(peer.show(b"WELCOME ann\r\n"), f"{peer.show(came)} came")


_LONG = "x" * 200
_case(
    "1.5", "a name may be anything without white space", "The conversation",
    "A name is anything without white space, and comes back byte for byte.",
    "Don't cut, change or check the name; read lines of up to 256 bytes.",
    script=f"""
        ann> I32CFSP_HELLO {_LONG}
        ann< WELCOME {_LONG}
        bob> I32CFSP_HELLO ünï!#%s;--
        bob< WELCOME ünï!#%s;--
    """, needs="1.1",
)  # fmt: skip


@SUITE.case(
    "1.6", "a line that comes in pieces", "The conversation",
    "A line ends with its end, however TCP delivers it.",
    "Collect what recv returns until there is a newline: one recv needn't return a whole line.",
    needs="1.2",
)  # fmt: skip
async def pieces(scene: ConnectFourScene) -> None:
    peer = await scene.connect("ann")
    for piece in (b"I32", b"CFSP_HELLO a", b"nn\r", b"\nAI_", b"GAME\r\n"):
        peer.send(piece)
        await scene.beat(0.05)
    await peer.expect(b"WELCOME ann")
    await peer.expect(b"READY")


_case(
    "1.7", "lines that come together", "What isn't of the protocol",
    "Lines that come in one packet are fine as long as each is in step when its turn comes.",
    "Keep what was read behind a newline: it is the beginning of the next line.",
    script="""
        (ann says both)
        ann< WELCOME ann
        ann< READY
    """, needs="1.2",
)  # fmt: skip


@SUITE.case(
    "1.8", "LF alone ends a line, too", "The conversation",
    "The server takes LF alone, too, and stray carriage returns, blanks and tabs at either end.",
    "Split at \\n and strip the line, for instance with line.strip().",
    needs="1.2", level=Level.DECIDED,
)  # fmt: skip
async def lenient(scene: ConnectFourScene) -> None:
    peer = await scene.connect("ann")
    for line, answer in (
        (b"I32CFSP_HELLO ann\n", b"WELCOME ann"),
        (b"\t AI_GAME \r\r\n", b"READY"),
    ):
        peer.send(line)
        await peer.expect(answer)


_case(
    "2.6", "column 0", "The conversation",
    "Columns are numbered from 1, and those that aren't on the board are INVALID.",
    "Refuse 0 before you subtract 1: board[-1] is the last column in Python.",
    script="(ann begins)\n(ann plays DROP 0)\n(ann plays POP 0)", needs="2.5",
)  # fmt: skip
_case(
    "2.7", "negative and large numbers", "The conversation",
    "A column is -?[0-9]+. Any such number is a move, and those that aren't on the board are INVALID.",
    "Take a minus and any number of digits for a number, and answer INVALID rather than closing.",
    script="(ann begins)\n(ann plays DROP -1)\n(ann plays DROP 99999999999999999999)", needs="2.5",
)  # fmt: skip
_case(
    "2.8", "a pop", "Rules",
    "A pop takes a piece of the mover's own from the bottom of a column, and the column falls by one.",
    "After POP remove the lowest piece of the column, and move all above it down by one.",
    script="(ann begins)\n(ann plays DROP 1)\n(ann plays POP 1)\n(ann plays POP 1)", needs="2.5",
)  # fmt: skip


@SUITE.case(
    "2.9", "a full column", "The conversation",
    "A move that can't be made, such as a drop into a full column, is INVALID.",
    "Look whether the column has room before you drop a piece into it.",
    needs="2.8",
)  # fmt: skip
async def full_column(scene: ConnectFourScene) -> None:
    await scene.begin("ann")
    await scene.move("ann", f"DROP {await scene.fill('ann')}")


_case(
    "1.9", "other boards", "The conversation",
    "AI_GAME may be followed by columns and rows, each from 4 to 20.",
    "Read two numbers behind AI_GAME, if they are there, and make a board of that size.",
    script="""
        (ann begins on 5 by 4)
        (ann plays DROP 6)
        (bob begins on 20 by 20)
        (bob plays DROP 20)
    """, needs="2.5", level=Level.DECIDED,
)  # fmt: skip


@SUITE.case(
    "3.1", "a game is played to its end", "The conversation",
    "If the client's move has ended the game WINNER_RED or WINNER_YELLOW comes in place of OKAY.",
    "Look for four in a row after red's move; if there are, send WINNER_RED alone, without OKAY.",
    needs="2.5",
)  # fmt: skip
async def to_the_end(scene: ConnectFourScene) -> None:
    await scene.begin("ann")
    await scene.play_on("ann", True)


@SUITE.case(
    "3.2", "yellow wins", "The conversation",
    "If the server's own move has ended the game, WINNER_YELLOW comes in place of READY.",
    "Look for four in a row after your own move, too; if there are, send OKAY, the move, and"
    " WINNER_YELLOW.",
    needs="2.5",
)  # fmt: skip
async def to_lose(scene: ConnectFourScene) -> None:
    await scene.begin("ann")
    await scene.play_on("ann", False)


@SUITE.case(
    "3.3", "the server closes after the game", "The conversation",
    "After WINNER_RED or WINNER_YELLOW the server closes.",
    "Close the connection when you have sent who has won.",
    needs="3.1",
)  # fmt: skip
async def closes(scene: ConnectFourScene) -> None:
    await scene.begin("ann")
    await scene.play_on("ann", True)
    await scene.peers["ann"].expect_close()


_WRONG = "What isn't of the protocol: the server closes at once, without a word"
for _number, _title, _says, _hint, _lines in (
    ("4.1", "another verb", "another verb", "Close the connection, without a message, when a line"
     " begins with no verb of the protocol.", ["HELLO 3", "MOVE 3", "3"]),
    ("4.2", "a verb in lower case", "one in lower case", "Compare verbs as they are: don't use"
     " upper() on what has come.", ["drop 3", "Drop 3", "pop 3"]),
    ("4.3", "a missing column", "a missing column", "Close when DROP or POP isn't followed by one"
     " blank and one number.", ["DROP", "POP"]),
    ("4.4", "a column that is no number", "a non-numeric column", "Close when what follows DROP"
     " isn't digits, perhaps with a minus; catch the ValueError of int().",
     ["DROP three", "DROP 3.5", "DROP 3x"]),
    ("4.5", "a step out of order", "a step out of order", "Remember which step comes next, and close"
     " when the line is one of another step.", ["AI_GAME", "I32CFSP_HELLO ann"]),
):  # fmt: skip
    _case(
        _number, _title, "What isn't of the protocol", f"{_WRONG}: {_says}.", _hint,
        script="".join(
            f"\n(p{n} begins)\np{n}> {line}\n(p{n} is disconnected)"
            for n, line in enumerate(_lines)
        ), needs="1.2",
    )  # fmt: skip
_case(
    "4.6", "a move before the game", "What isn't of the protocol", f"{_WRONG}: a step out of order.",
    "Refuse DROP before AI_GAME, and AI_GAME before I32CFSP_HELLO.",
    script="""
        ann> I32CFSP_HELLO ann
        ann< WELCOME ann
        ann> DROP 3
        (ann is disconnected)
        bob> AI_GAME
        (bob is disconnected)
    """, needs="1.2",
)  # fmt: skip
_case(
    "4.7", "a name with blanks, or none", "What isn't of the protocol", f"{_WRONG}: a name with blanks.",
    "Close when there isn't exactly one word behind I32CFSP_HELLO.",
    script="""
        ann> I32CFSP_HELLO ann smith
        (ann is disconnected)
        bob> I32CFSP_HELLO
        (bob is disconnected)
    """, needs="1.1",
)  # fmt: skip
_case(
    "4.8", "a board that is too small or too large", "What isn't of the protocol",
    f"{_WRONG}: a board outside 4 to 20.",
    "Close when columns or rows behind AI_GAME are below 4 or above 20.",
    script="".join(
        f"""
        p{n}> I32CFSP_HELLO ann
        p{n}< WELCOME ann
        p{n}> AI_GAME {size}
        (p{n} is disconnected)
        """
        for n, size in enumerate(("3 6", "7 3", "21 6", "7 21", "7"))
    ), needs="1.9", level=Level.DECIDED,
)  # fmt: skip
_case(
    "4.9", "a line that is too long", "Limits",
    "A line has at most 256 bytes, its end not counted; with one more the server closes.",
    "Close when 257 bytes have come without an end of line.",
    script=f"ann> I32CFSP_HELLO {'x' * 300}\n(ann is disconnected)", needs="1.1",
    level=Level.DECIDED,
)  # fmt: skip
_case(
    "5.1", "a client that only ends its input", "What isn't of the protocol",
    "A client that only ends its input gets the answer to its last line, and is closed then.",
    "Answer the lines that have come before you close because the input has ended.",
    script="""
        ann> I32CFSP_HELLO ann
        ann< WELCOME ann
        ann> AI_GAME
        (ann ends her input)
        ann< READY
        (ann is disconnected)
    """, needs="1.2", level=Level.DECIDED,
)  # fmt: skip
