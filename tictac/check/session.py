"""The cases of servers of the two-player session."""

from __future__ import annotations

from functools import partial

from tictac.check.cases import Level, Suite
from tictac.check.peer import Peer
from tictac.check.scene import Bench, Scene, direction

PIECES = 4
"""How often a move is sent in pieces, so that some of them are read one by one on any machine."""


def shown_numbers(data: bytes) -> str:
    """Integers and the bytes that they came in."""
    whole = len(data) - len(data) % 4
    numbers = [str(int.from_bytes(data[n : n + 4], "big", signed=True)) for n in range(0, whole, 4)]
    rest = [f"{len(data) - whole} of the 4 bytes of an integer"] if whole < len(data) else []
    return f"{' '.join(numbers + rest)} ({data.hex(' ', -4)})"


class SessionScene(Scene):
    """Messages are integers, ``4 0 2`` in a script."""

    show = staticmethod(shown_numbers)

    def encode(self, text: str) -> bytes:
        return b"".join(int(number).to_bytes(4, "big", signed=True) for number in text.split())

    async def finish(self) -> None:
        """Nothing: what else the server may have sent comes early or late."""

    @direction(r"(\w+) is the first")
    async def first(self, name: str) -> Peer:
        """Connect as player 1; somebody may still wait who has gone."""
        for _ in range(3):
            peer = await self.connect(name)
            if await peer.expect(self.encode("1"), self.encode("2")) == self.encode("1"):
                return peer
            peer.hang_up()
            await peer.gone()
        raise peer.finding(self.show(self.encode("1")), "2 came, again and again")

    @direction(r"(\w+) and (\w+) play")
    async def begin(self, one: str, two: str) -> None:
        """Begin a match."""
        first = await self.first(one)
        second = await self.connect(two)
        await second.expect(self.encode("2"))
        await first.expect(self.encode("1"))

    @direction(r"(\w+) sends (.+) in pieces")
    async def send_pieces(self, name: str, text: str) -> None:
        data = self.encode(text)
        for cut in (data[:1], data[1:6], data[6:]):
            self.peers[name].send(cut)
            await self.beat(0.03)

    @direction("a moment passes")
    async def wait(self) -> None:
        await self.beat(0.1)

    @direction(r"(\w+) comes when (\w+) has gone")
    async def come_after(self, name: str, gone: str) -> None:
        """Become player 1; a server that hadn't seen the other one go closes the match at once."""
        self.peers[gone].hang_up()
        await self.peers[gone].gone()
        for _ in range(3):
            peer = await self.connect(name)
            if await peer.expect(self.encode("1"), self.encode("2")) == self.encode("1"):
                return
            await peer.expect_close()
        raise peer.finding(self.show(self.encode("1")), "2 came, again and again")


async def probe(bench: Bench, peer: Peer) -> None:
    """See that the server greets a new connection."""
    await peer.read(4)


SUITE = Suite(
    "session", "a server of the two-player session", "docs/session.md", SessionScene, probe
)

# A server has one player who waits: what one case does is seen by the next.
_case = partial(SUITE.script, alone=True)


def _match(status: str, moves: str) -> str:
    """The script of a match that ends with ``status``; a move is two digits."""
    script = ["(alice and bob play)"]
    *before, last = [" ".join(move) for move in moves.split()]
    names = ["alice", "bob"]
    for move in before:
        script += [f"{names[0]}> {move}", f"{names[1]}< 4 {move}"]
        names.reverse()
    script += [f"{names[0]}> {last}", f"{names[0]}< {status}", f"{names[1]}< {status} {last}"]
    return "\n".join(script)


_case(
    "1.1", "two connect, and begin", "Messages",
    "Player 1 is sent 1 at once; when player 2 connects, player 2 is sent 2, and player 1 1 again:"
    " begin. Integers have four bytes, the highest first.",
    "Write 1 to the first client, 2 to the second, and then 1 once more to the first; 1 is"
    " 00 00 00 01 (in C htonl, in Python struct.pack('>i', 1)).",
    script="(alice and bob play)", gate=True, alone=False,
)  # fmt: skip
_case(
    "1.2", "the next two have the next match", "The two-player session",
    "Each further pair has a match of its own.",
    "Go on accepting connections after the first two.",
    script="(alice and bob play)", needs="1.1", gate=True, alone=False,
)  # fmt: skip
_case(
    "2.1", "player 1's move is told to player 2", "Messages",
    "When player 1 sends a row and a column and play goes on, player 2 is sent 4, row, column.",
    "Send the other player 4 (play goes on), then the row and the column as they came:"
    " both from 0, the row first.",
    script="(alice and bob play)\nalice> 0 2\nbob< 4 0 2", needs="1.2",
)  # fmt: skip
_case(
    "2.2", "player 2's move is told to player 1, and nothing else is", "Messages",
    "When player 2 sends a row and a column and play goes on, player 1 is sent 4, row, column;"
    " whoever has made a move is sent nothing.",
    "Send a move to the other player alone, not back to the one who has made it.",
    script="""
        (alice and bob play)
        alice> 1 0
        bob< 4 1 0
        bob> 2 1
        alice< 4 2 1
        alice> 1 1
        bob< 4 1 1
    """, needs="2.1",
)  # fmt: skip
_case(
    "1.3", "two matches at the same time", "The two-player session",
    "Each further pair has a match of its own.",
    "Go on accepting connections while a match runs, for instance with a thread for each match.",
    script="(alice and bob play)\n(carol and dave play)", needs="1.2",
)  # fmt: skip
_case(
    "1.4", "each match has a board of its own", "The two-player session",
    "Each further pair has a match of its own.",
    "Keep the board and the two sockets in an object of the match, not in variables of the program.",
    script="""
        (alice and bob play)
        alice> 0 0
        bob< 4 0 0
        (carol and dave play)
        carol> 0 0
        dave< 4 0 0
        dave> 2 2
        carol< 4 2 2
        bob> 2 2
        alice< 4 2 2
    """, needs="1.3 2.2",
)  # fmt: skip
_case(
    "2.3", "integers that come in pieces are put together", "Messages",
    "A message is made of integers of four bytes, and TCP may deliver them byte by byte.",
    "Read until all bytes of a move are there (readInt, recv in a loop): one read needn't return"
    " all that was sent in one write.",
    script="(alice and bob play)" + "".join(
        f"\n({'alice' if n % 2 == 0 else 'bob'} sends {n // 2} {n % 2 * 2} in pieces)"
        f"\n{'bob' if n % 2 == 0 else 'alice'}< 4 {n // 2} {n % 2 * 2}"
        for n in range(PIECES)
    ), needs="1.4",
)  # fmt: skip
_case(
    "2.4", "moves that come together are told apart", "Moves out of turn",
    "TCP may deliver several messages at once; a move that is sent out of turn waits for its turn.",
    "Keep what was read beyond a move: it is the beginning of the next one.",
    script="""
        (alice and bob play)
        alice> 0 0 1 1
        bob< 4 0 0
        bob> 2 2
        alice< 4 2 2
        bob< 4 1 1
    """, needs="1.4",
)  # fmt: skip
_case(
    "2.5", "a move out of turn waits for its turn", "Moves out of turn",
    "Moves out of turn wait for their turn.",
    "Don't read from a player who isn't to move, or keep what you read until it is that player's"
    " turn.",
    script="(alice and bob play)" + "".join(
        f"\nbob> 1 {n}\n(a moment passes)\nalice> {n} {2 - n}\nbob< 4 {n} {2 - n}\nalice< 4 1 {n}"
        for n in (0, 2)
    ), needs="1.4",
)  # fmt: skip
_case(
    "2.6", "player 1 may move before player 2 is there", "Moves out of turn",
    "Moves wait for their turn, also those that player 1 sends before there is an opponent.",
    "Don't throw away what player 1 has sent while waiting.",
    script="""
        (alice is the first)
        alice> 2 0
        (a moment passes)
        (bob connects)
        bob< 2 4 2 0
        alice< 1
    """, needs="1.4",
)  # fmt: skip
_case(
    "3.1", "a match that is won", "Messages",
    "When player 1's move wins, player 1 is sent 1, and player 2 is sent 1, row, column.",
    "When a move has made three in a row send the status 1 (player 1 has won) to both, and the row"
    " and the column of that move, too, to the player who hasn't made it.",
    script=_match("1", "00 10 01 11 02"), needs="1.4",
)  # fmt: skip
for _number, _line, _matches in (
    ("3.2", "row", ["10 20 11 21 12", "20 00 21 01 22"]),
    ("3.3", "column", ["00 01 10 11 20", "01 02 11 12 21", "02 00 12 10 22"]),
    ("3.4", "diagonal", ["00 01 11 02 22", "02 01 11 00 20"]),
):
    _case(
        _number, f"every {_line} wins", "Messages",
        "The status tells who has won, as soon as somebody has three in a row.",
        f"Look at every {_line} after each move, not only at one.",
        script="\n".join(_match("1", moves) for moves in _matches), needs="3.1",
    )  # fmt: skip
_case(
    "3.5", "player 2 wins", "Messages",
    "When player 2's move wins, player 1 is sent 2, row, column, and player 2 is sent 2.",
    "The status says who has won: 1 for player 1, 2 for player 2.",
    script=_match("2", "00 10 01 11 22 12"), needs="1.4",
)  # fmt: skip
_case(
    "3.6", "a full board is a draw", "Messages",
    "When player 1's move fills the board, player 1 is sent 3, and player 2 is sent 3, row, column.",
    "After the ninth move, if nobody has won, send 3 in place of 4.",
    script=_match("3", "00 01 02 11 10 12 21 20 22"), needs="3.1",
)  # fmt: skip
_case(
    "3.7", "the ninth move may win", "Messages",
    "A move that wins is told as 1 or 2, also if it fills the board.",
    "Look for three in a row before you look whether the board is full.",
    script=_match("1", "00 02 22 10 01 20 12 21 11"), needs="3.1 3.6",
)  # fmt: skip
_case(
    "3.8", "the server closes after the match", "Messages",
    "After the last status the server closes both connections.",
    "Close both sockets when the last status has been sent.",
    script=_match("1", "00 10 01 11 02") + "\n(alice is disconnected)\n(bob is disconnected)",
    needs="3.1", level=Level.DECIDED,
)  # fmt: skip
_case(
    "4.1", "who has left is forgotten", "Messages",
    "Somebody who has left before an opponent came is forgotten.",
    "Read from the player who waits, so that you notice when that connection ends.",
    script="""
        (alice is the first)
        (bob comes when alice has gone)
        (carol connects)
        carol< 2
        bob< 1
    """, needs="1.4", level=Level.DECIDED,
)  # fmt: skip
_case(
    "4.2", "a cell that is taken", "Errors",
    "The server closes the connection of whoever moves on a cell that is taken, and then its"
    " opponent's.",
    "Look whether the cell is empty before you mark it; if not, close both connections.",
    script="""
        (alice and bob play)
        alice> 1 1
        bob< 4 1 1
        bob> 1 1
        (bob is disconnected)
    """, needs="1.4", level=Level.DECIDED,
)  # fmt: skip
_case(
    "4.3", "a cell off the board", "Errors",
    "The server closes the connection of whoever sends a row or a column that isn't 0, 1 or 2.",
    "Look whether row and column are 0, 1 or 2 (not below 0 either) before you use them as an index.",
    script="\n".join(
        f"(alice and bob play)\nalice> {move}\n(alice is disconnected)"
        for move in ("3 0", "0 3", "-1 0", "1218791660 1329738752")
    ), needs="1.4", level=Level.DECIDED,
)  # fmt: skip
_case(
    "4.4", "the opponent of who has moved wrongly is let go", "Errors",
    "The server closes the connection of whoever sends what can't be a move, and then its opponent's.",
    "When you close the connection of a player, close the opponent's too: nobody moves there any"
    " more.",
    script="(alice and bob play)\nalice> 7 7\n(alice is disconnected)\n(bob is disconnected)",
    needs="4.3", level=Level.DECIDED,
)  # fmt: skip
_case(
    "4.5", "the opponent of who has gone is let go", "Errors",
    "The server closes the connection of a player whose opponent's is lost.",
    "Read from both players all the time, or you won't notice that the one who isn't to move has gone;"
    " then close the other's connection.",
    script="""
        (alice and bob play)
        alice> 1 1
        bob< 4 1 1
        (alice hangs up)
        (bob is disconnected)
        (alice and bob play)
        (alice hangs up)
        (bob is disconnected)
    """, needs="1.4", level=Level.DECIDED,
)  # fmt: skip
