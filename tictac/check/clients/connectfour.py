"""The cases of a client of Connect Four."""

from __future__ import annotations

import re

from tictac.check.cases import Case, Finding
from tictac.check.clients.scene import NAME, SETTLE, ClientScene, ClientSuite
from tictac.check.scene import Bench, direction
from tictac.errors import IllegalMove
from tictac.games.connectfour.rules import RED, Move, Rules

_MOVE = re.compile(rb"(DROP|POP) (-?\d+)")


class ConnectFourClientScene(ClientScene):
    """A case of a Connect Four client; the board is looked after here."""

    end = b"\n"
    wants = ("host", "port", "name")
    typed = "{verb} {column}"

    def __init__(self, bench: Bench, case: Case) -> None:
        super().__init__(bench, case)
        self.rules = Rules()
        self.position = self.rules.initial()

    async def tell(self, *lines: str) -> None:
        """Send lines in one write."""
        (await self.peer()).send("".join(f"{line}\r\n" for line in lines).encode())

    @direction("the server says (.*)")
    async def _says_lines(self, lines: str) -> None:
        await self.tell(*lines.split(", "))

    @direction("it introduces itself")
    async def introduces_itself(self) -> None:
        """The first line, which isn't answered yet."""
        await (await self.peer()).expect(f"I32CFSP_HELLO {NAME}".encode())

    @direction("it has begun")
    async def begins(self) -> None:
        """Up to the first READY."""
        await self.introduces_itself()
        await self.tell(f"WELCOME {NAME}")
        await (await self.peer()).expect(b"AI_GAME", b"AI_GAME 7 6")
        await self.tell("READY")

    @direction(r"it moves (DROP|POP) (\d)")
    async def moves(self, verb: str, column: str) -> None:
        """Have it make this move; any that is legal, if it plays by itself."""
        wish, peer = Move("POP" if verb == "POP" else "DROP", int(column)), await self.peer()
        self.type_move(verb=verb, column=column)
        line = await peer.expect(_MOVE if self.plays_itself else f"{verb} {column}".encode())
        if found := _MOVE.fullmatch(line):
            wish = Move("POP" if found[1] == b"POP" else "DROP", int(found[2]))
        try:
            self.position = self.rules.play(self.position, wish)
        except IllegalMove as error:
            raise Finding("a move that can be made", f"{wish} came: {error}") from None

    @direction(r"it is answered ((?:DROP|POP) \d)")
    async def answered(self, move: str) -> None:
        """Yellow's move, if it can be made; otherwise another one."""
        await self.tell("OKAY", self._answer(move), "READY")

    def _answer(self, wish: str) -> str:
        verb, column = wish.split(" ")
        legal = list(self.rules.legal_moves(self.position))
        wanted = Move("POP" if verb == "POP" else "DROP", int(column))
        move = wanted if wanted in legal else legal[0]
        self.position = self.rules.play(self.position, move)
        return str(move)

    @direction("they play to the end: ([^;]*); ([^;]*)")
    async def whole_game(self, own: str, others: str) -> None:
        """Play to the end, each side by its wishes, over and over again."""
        mine, yours, ready = own.split(", "), others.split(", "), True
        for turn in range(500):
            verb, column = mine[turn % len(mine)].split(" ")
            await self.moves(verb, column)
            if await self._ended():
                return
            reply = ["OKAY", self._answer(yours[turn % len(yours)])]
            ready = self.rules.outcome(self.position) is None
            await self.tell(*reply, *(["READY"] if ready else []))
            if await self._ended():
                return

    async def _ended(self) -> bool:
        outcome = self.rules.outcome(self.position)
        if outcome is not None:
            if outcome.winner is not None:
                await self.tell("WINNER_RED" if outcome.winner == RED else "WINNER_YELLOW")
            (await self.peer()).hang_up()
        return outcome is not None

    @direction("it ends")
    async def _ends_somehow(self) -> None:
        await self.ends()


SUITE = ClientSuite(
    "connectfour-client",
    "a client of Connect Four",
    "docs/connect-four.md",
    ConnectFourClientScene,
)


@SUITE.special("""
1.1 it connects to the host and port that it is told [gate]
Playing against a server: tictac connectfour HOST PORT --username NAME. What isn't given is asked for.
Connect to the host and port of the command line, or ask for host, port and name in this order.
""")
async def connects(scene: ConnectFourClientScene) -> None:
    await scene.peer()


SUITE.read("""
1.2 it introduces itself [gate, needs 1.1]
The conversation: client: I32CFSP_HELLO <name>
Send I32CFSP_HELLO and the name as soon as you are connected, with one blank between, and flush it.
(it introduces itself)
""")


@SUITE.special("""
1.3 lines end with CR LF [needs 1.2]
The conversation: The server ends lines with CR LF. It takes LF alone, too.
End each line with "\\r\\n", not with println or "\\n".
""")
async def carriage_returns(scene: ConnectFourClientScene) -> None:
    peer = await scene.peer()
    peer.end = b""
    await peer.expect(f"I32CFSP_HELLO {NAME}\r\n".encode())


SUITE.read("""
1.4 it asks for a game after WELCOME [gate, needs 1.2]
The conversation: client: AI_GAME, or AI_GAME <columns> <rows>
Read WELCOME before you send AI_GAME: a step out of order ends the conversation.
(it introduces itself)
(nothing more comes)
(the server says WELCOME alice)
server< AI_GAME | AI_GAME 7 6

2.1 a move is DROP or POP and a column [gate, needs 1.4]
The conversation: client: DROP <column> or POP <column>
After READY send DROP or POP in upper case, a blank, and the column, counted from 1.
(it has begun)
(it moves DROP 3)

2.2 after the server's move comes the next one [needs 2.1]
The conversation: server: OKAY, its own move, READY
After a move read three lines: OKAY, the server's move and READY.
(it has begun)
(it moves DROP 3)
(it is answered DROP 4)
(it moves DROP 3)

2.3 a piece may be popped [needs 2.1]
Rules: A pop: the mover takes a piece of their own from the bottom of a column.
Let the person type POP and a column, too.
(it has begun)
(it moves DROP 3)
(it is answered DROP 4)
(it moves POP 3)
""")


@SUITE.special("""
2.4 it waits for READY [needs 2.2]
What isn't of the protocol: Any line is out of step then, so a client has to wait for READY.
Read OKAY, the server's move and READY before you send the next move.
""")
async def waits(scene: ConnectFourClientScene) -> None:
    await scene.begins()
    await scene.moves("DROP", "3")
    await scene.tell("OKAY", "DROP 4")
    scene.position = scene.rules.play(scene.position, Move("DROP", 4))
    await scene.wait(SETTLE)
    (await scene.peer()).expect_nothing_unread("no move before READY")
    await scene.tell("READY")
    await scene.moves("DROP", "3")


@SUITE.special("""
2.5 after INVALID it asks for another move [needs 2.1]
The conversation: INVALID, READY, if that move can't be made: the turn stays with the client
At INVALID read READY, take the move back on your board, and ask again.
""")
async def invalid(scene: ConnectFourClientScene) -> None:
    await scene.begins()
    before = scene.position
    await scene.moves("DROP", "3")
    scene.position = before
    await scene.tell("INVALID", "READY")
    await scene.moves("DROP", "5")


@SUITE.special("""
2.6 lines may come in pieces [needs 2.1]
The conversation: The server ends lines with CR LF.
Read until a line is whole: TCP may bring a part of it, or several at once.
""")
async def pieces(scene: ConnectFourClientScene) -> None:
    await scene.begins()
    await scene.moves("DROP", "3")
    scene.position = scene.rules.play(scene.position, Move("DROP", 4))
    for piece in ("OK", "AY\r\nDRO", "P 4\r", "\nREA", "DY\r\n"):
        (await scene.peer()).send(piece.encode())
        await scene.wait(0.05)
    await scene.moves("DROP", "3")


RED_WINS = "DROP 3; DROP 4"
YELLOW_WINS = "DROP 1, DROP 2, DROP 1, DROP 6; DROP 4"
SUITE.read(f"""
3.1 red wins [needs 2.2]
The conversation: WINNER_RED or WINNER_YELLOW, if the client's move has ended the game; it closes
Where OKAY may come WINNER_RED may come, too: say who has won, and end.
(it has begun)
(they play to the end: {RED_WINS})
(it ends)

3.2 yellow wins [needs 2.2]
The conversation: OKAY, its own move, WINNER_RED or WINNER_YELLOW; it closes
Where READY may come WINNER_YELLOW may come, too: say who has won, and end.
(it has begun)
(they play to the end: {YELLOW_WINS})
(it ends)

3.3 the exit status is 0 when the game has ended [decided, needs 3.2]
Playing here: The exit status is 0 when the game has ended.
Exit with status 0 when there is a winner, whoever it is.
(it has begun)
(they play to the end: {YELLOW_WINS})
(it ends with 0)

4.1 a word that can't come [needs 2.1]
Playing against a server: The exit status is 1 when the server sends what it can't say then.
Compare each line with what may come; print an error with what came, and exit with status 1.
(it has begun)
(it moves DROP 3)
(the server says HELLO)
(it ends with an error)

4.2 a move that can't be made [needs 2.1]
Playing against a server: The exit status is 1 at an impossible move of the server.
Make the server's moves on your own board, and check them as you check the person's.
(it has begun)
(it moves DROP 3)
(the server says OKAY, DROP 9, READY)
(it ends with an error)

4.3 a server that goes away [decided, needs 2.1]
Playing against a server: The exit status is 1 when the connection is lost.
When readline gives nothing the server has closed: exit then.
(it has begun)
(it moves DROP 3)
(the server hangs up)
(it ends with an error)

4.4 there is no server [needs 1.1]
Playing against a server: The exit status is 1 when the server can't be reached.
When connecting fails, say why and exit with status 1.
(there is no server)
""")
