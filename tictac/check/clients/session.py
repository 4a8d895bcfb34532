"""The cases of a client of the two-player session."""

from __future__ import annotations

import struct

from tictac.check.cases import Finding, NotApplicable
from tictac.check.clients.scene import SETTLE, ClientScene, ClientSuite
from tictac.check.peer import shown_hex
from tictac.check.scene import direction
from tictac.games.tictactoe.rules import EMPTY, Rules

RULES = Rules()
_LINE = [(0, 2), (0, 1), (0, 0), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]
_ZIGZAG = [(1, 0), (2, 2), (2, 1), (1, 2), (1, 1), (2, 0), (0, 0), (0, 1), (0, 2)]
_FIRST, _SECOND = (
    [(0, 0), (0, 1), (1, 2), (1, 0), (2, 1)],
    [(0, 2), (1, 1), (2, 0), (2, 2)],
)
WISHES = {"wins": (_LINE, _ZIGZAG), "loses": (_ZIGZAG, _LINE), "draws": (_FIRST, _SECOND)}
"""Where the client and the other player move first, by row and column, and by how it ends."""


class SessionClientScene(ClientScene):
    """A case of a session client; the board is looked after here."""

    show = staticmethod(shown_hex)
    typed = "{column}\n{row}"
    board = RULES.initial()

    async def tell(self, *numbers: int) -> None:
        """Send integers."""
        (await self.peer()).send(struct.pack(f"!{len(numbers)}i", *numbers))

    async def moves(self, row: int, column: int) -> None:
        """Have it make this move; any that is legal, if it plays by itself."""
        peer = await self.peer()
        self.type_move(row=row, column=column)
        data = await peer.read(8)
        came = struct.unpack("!ii", data)
        legal = all(0 <= number <= 2 for number in came) and self.is_free(*came)
        if not legal or (not self.plays_itself and came != (row, column)):
            expected = shown_hex(struct.pack("!ii", row, column))
            if self.plays_itself:
                expected = "the row and the column of a free cell, four bytes each"
            raise Finding(f"server to get {expected}", f"{shown_hex(data)} came")
        self.place(*came)

    def is_free(self, row: int, column: int) -> bool:
        """Whether a cell is empty."""
        return self.board[3 * row + column] == EMPTY

    def place(self, row: int, column: int) -> None:
        """Make a move on the board."""
        self.board = RULES.play(self.board, RULES.cell(column, row))

    @property
    def status(self) -> int:
        """How the match stands, as the server says it."""
        outcome = RULES.outcome(self.board)
        return 4 if outcome is None else int(outcome.winner or 3)

    @direction("as player ([12]) it (wins|loses|draws)")
    async def whole_match(self, seat: str, end: str) -> None:
        """Play to the end, each side by its wishes."""
        own, others = WISHES[end]
        if end == "draws" and seat == "2":
            own, others = others, own
        await self.tell(*([1, 1] if seat == "1" else [2]))
        mine = seat == "1"
        while self.status == 4:
            wish = next(cell for cell in (own if mine else others) if self.is_free(*cell))
            if mine:
                await self.moves(*wish)
                if self.status != 4:
                    await self.tell(self.status)
            else:
                self.place(*wish)
                await self.tell(self.status, *wish)
            mine = not mine
        (await self.peer()).hang_up()

    @direction("it begins with (\\d) (\\d)")
    async def begins(self, row: str, column: str) -> None:
        """A first move of player 1."""
        await self.tell(1, 1)
        await self.moves(int(row), int(column))

    @direction("it ends")
    async def _ends_somehow(self) -> None:
        await self.ends()

    @direction("player 2 waits")
    async def _waits(self) -> None:
        """Be sent a move, and before it see that nothing comes."""
        await self.tell(2)
        await self.wait(SETTLE)
        (await self.peer()).expect_nothing_unread("player 1's move before it moves")
        await self.answered()

    async def answered(self) -> None:
        """Player 1 moves, then player 2."""
        await self.tell(4, 1, 1)
        self.place(1, 1)
        await self.moves(0, 2)

    @direction("integers come byte by byte")
    async def _come_in_pieces(self) -> None:
        for byte in struct.pack("!iiii", 2, 4, 1, 1):
            (await self.peer()).send(bytes([byte]))
            await self.wait(0.02)
        self.place(1, 1)
        await self.moves(0, 2)

    @direction("integers come at once")
    async def _come_at_once(self) -> None:
        await self.tell(2, 4, 1, 1)
        self.place(1, 1)
        await self.moves(0, 2)


SUITE = ClientSuite(
    "session-client", "a client of the two-player session", "docs/session.md", SessionClientScene
)


@SUITE.special("""
1.1 it connects to the host and port of its command [gate]
The client: tictac session HOST PORT
Connect to the host and port that are given on the command line as soon as the program starts.
""")
async def connects(scene: SessionClientScene) -> None:
    await scene.peer()


SUITE.read("""
1.2 a move is two integers of four bytes, big-endian [gate, needs 1.1]
Messages: Integers of four bytes, signed, big-endian, and nothing around them.
Send the row and the column as four bytes each, the highest byte first (struct.pack("!ii", row,
column), DataOutputStream.writeInt, htonl), and flush them.
(it begins with 1 1)

1.3 the row comes first [needs 1.2]
Messages: player 1 sends row column
Send the row before the column; both count from 0, at the top left.
(it begins with 0 2)

2.1 player 2 moves when player 1 has moved [needs 1.2]
Messages: player 1 sends row column, play goes on: to player 2: 4 row column
After the 2 read three integers: 4 and player 1's row and column. Only then it is your turn.
(player 2 waits)

2.2 integers may come in pieces [needs 1.2]
Messages: Integers of four bytes
Read until there are four bytes: TCP may bring one at a time.
(integers come byte by byte)

2.3 integers may come at once [needs 1.2]
Messages: Integers of four bytes
Keep what is left when you have taken four bytes: TCP may bring many at once.
(integers come at once)

3.1 player 1 wins [needs 1.2]
Messages: player 1's move wins: to player 1: 1
After a move that wins the status comes alone: don't read a row and a column behind it.
(as player 1 it wins)
(it ends)

3.2 player 1 loses [needs 1.2]
Messages: player 2's move wins: to player 1: 2 row column
Read the row and the column that come behind the 2, then end.
(as player 1 it loses)
(it ends)

3.3 player 1 draws [needs 1.2]
Messages: player 1's move fills the board: to player 1: 3
A draw is 3, and player 1 gets it alone.
(as player 1 it draws)
(it ends)

3.4 player 2 wins [needs 2.1]
Messages: player 2's move wins: to player 2: 2
After a move that wins the status comes alone: don't read a row and a column behind it.
(as player 2 it wins)
(it ends)

3.5 player 2 loses [needs 2.1]
Messages: player 1's move wins: to player 2: 1 row column
To player 2 the status 1 is that player 1 has won: don't take it for a win of your own.
(as player 2 it loses)
(it ends)

3.6 player 2 draws [needs 2.1]
Messages: player 1's move fills the board: to player 2: 3 row column
A draw is 3; for player 2 the last move comes behind it.
(as player 2 it draws)
(it ends)

3.7 after a match the exit status is 0 [decided, needs 3.1]
The client: The exit status is 0 after a match and for leaving.
Exit with status 0 when the match is over, also when it is lost.
(as player 1 it loses)
(it ends with 0)

4.1 a server that goes away [decided, needs 1.2]
The client: The exit status is 1 with a line on standard error when the server is lost.
When recv gives nothing, or readInt an EOFException, the server has closed: exit then.
(it begins with 1 1)
(the server hangs up)
(it ends with an error)

4.2 there is no server [decided, needs 1.1]
The client: The exit status is 1 with a line on standard error when the server can't be reached.
When connecting fails, say so and exit with status 1.
(there is no server)
""")


@SUITE.special("""
4.3 a cell that is taken isn't sent [decided, needs 2.1]
Errors: The server closes the connection of whoever sends a move on a cell that is taken.
Keep the board, the other player's marks too, and ask again for a cell that isn't empty.
""")
async def taken_cell(scene: SessionClientScene) -> None:
    if scene.plays_itself:
        raise NotApplicable("nobody types its moves")
    await scene.tell(2, 4, 1, 1)
    scene.place(1, 1)
    scene.type_move(row=1, column=1)
    await scene.wait(SETTLE)
    await scene.moves(0, 2)
