"""The suite for clients of the two-player session."""

from __future__ import annotations

import re
import struct

from tictac.games.tictactoe.rules import EMPTY, Rules
from tictac.plugins.check.cases import Finding, NotApplicable
from tictac.plugins.check.clients.scene import SETTLE, ClientScene, client_suite
from tictac.plugins.check.peer import shown
from tictac.plugins.check.rules import read_rules
from tictac.plugins.check.scene import direction
from tictac.plugins.classics.session.check.server import shown_numbers

RULES = Rules()

_WORDS = re.compile(rb"[^\n]*[A-Za-z]{3}[^\n]*")
_LINE = [(0, 2), (0, 1), (0, 0), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]
_ZIGZAG = [(1, 0), (2, 2), (2, 1), (1, 2), (1, 1), (2, 0), (0, 0), (0, 1), (0, 2)]
_FIRST = [(0, 0), (0, 2), (1, 0), (2, 1), (2, 2)]
_SECOND = [(0, 1), (1, 1), (1, 2), (2, 0)]
WISHES = {"wins": (_LINE, _ZIGZAG), "loses": (_ZIGZAG, _LINE), "draws": (_FIRST, _SECOND)}
"""The cells that the client and the other player prefer, as row and column, by result."""


class SessionClientScene(ClientScene):
    """A case for a session client, with the board of the match."""

    show = staticmethod(shown_numbers)
    typed = "{column}\n{row}"
    parts = ("row", "column")
    board = RULES.initial()
    _printed = 0
    """Number of bytes that the client printed before the end of the match."""

    async def send_numbers(self, *numbers: int) -> None:
        """Send integers."""
        (await self.peer()).send(struct.pack(f"!{len(numbers)}i", *numbers))

    async def meet(self) -> None:
        """Make the client player 1; the other player connects a little later, as people do."""
        await self.send_numbers(1)
        await self.pause(0.25)
        await self.send_numbers(1)

    async def moves(self, row: int, column: int) -> None:
        """Make the client play this move; if it plays by itself, accept any legal move."""
        peer = await self.peer()
        self.type_move(row=row, column=column)
        data = await peer.read(8)
        came = struct.unpack("!ii", data)
        legal = all(0 <= number <= 2 for number in came) and self.is_free(*came)
        if not legal or (not self.plays_itself and came != (row, column)):
            expected = self.show(struct.pack("!ii", row, column))
            if self.plays_itself:
                expected = "the row and the column of a free cell, four bytes each"
            raise Finding(f"server to get {expected}", f"{self.show(data)} came")
        self.place(*came)

    def is_free(self, row: int, column: int) -> bool:
        """Return whether a cell is empty."""
        return self.board[3 * row + column] == EMPTY

    def place(self, row: int, column: int) -> None:
        """Make a move on the board."""
        self.board = RULES.play(self.board, RULES.cell(column, row))

    @property
    def status(self) -> int:
        """The state of the match, as the server's status value."""
        outcome = RULES.outcome(self.board)
        return 4 if outcome is None else int(outcome.winner or 3)

    @direction("as player ([12]) it (wins|loses|draws)")
    async def whole_match(self, seat: str, end: str) -> None:
        """Play a match to its end; each side follows its first choices."""
        own, others = WISHES[end]
        if end == "draws" and seat == "2":
            own, others = others, own
        await (self.meet() if seat == "1" else self.send_numbers(2))
        mine = seat == "1"
        while self.status == 4:
            wish = next(
                cell for cell in [*(own if mine else others), *_LINE] if self.is_free(*cell)
            )
            if mine:
                await self.moves(*wish)
                numbers: tuple[int, ...] = () if self.status == 4 else (self.status,)
            else:
                self.place(*wish)
                numbers = (self.status, *wish)
            if numbers and self.status != 4:
                # Wait, so that output for the client's own move doesn't count as the result.
                await self.wait(SETTLE)
                self._printed = len(b"".join(self._running().printed.values()))
            if numbers:
                await self.send_numbers(*numbers)
            mine = not mine

    @direction("it shows the end")
    async def _shows_the_end(self) -> None:
        """Check that the client prints the result, disconnects, or ends, and sends no move."""
        peer, client = await self.peer(), self._running()
        late = self.harness.clock.seconds() + self.harness.patience.limit
        while not (peer.is_readable or client.status is not None or self._has_printed()):
            left = late - self.harness.clock.seconds()
            if left <= 0 or not await client.wait_for_change(self.harness.clock, left):
                break
        if not (peer.closed or peer.input_ended or client.status is not None):
            if not (self._printed or self._has_printed()):
                raise NotApplicable("it prints nothing that the checker could see")
            if not self._has_printed():
                raise Finding("the client to show the result, or to end", "it did neither")
        with self.citing("SC3.3"):
            peer.expect_nothing_unread("no further move")
        # A client that still reads notices only now that no message follows.
        before = len(client.printed[2])
        peer.hang_up()
        while client.status is None and await client.wait_for_change(self.harness.clock, SETTLE):
            pass
        if said := client.printed[2][before:]:
            expected = "the client to read nothing after the last status"
            with self.citing("SC3.2"):
                raise Finding(expected, f"when the server closed it printed {shown(said)}")
        if client.status is not None:
            await self.expect_end()

    @direction("a win and a loss look different")
    async def _look_different(self) -> None:
        """Check that the words after a win and after a loss differ. Raises Finding."""
        ends = []
        for end in ("wins", "loses"):
            if self.client is not None:
                await self.start_again()
                self.board, self._printed = RULES.initial(), 0
            await self.whole_match("1", end)
            await self._shows_the_end()
            printed = b"".join(self._running().printed.values())[self._printed :]
            ends.append(_WORDS.findall(printed))
        if ends[0] == ends[1]:
            if not ends[0]:
                raise NotApplicable("it prints no words at the end")
            raise Finding("other words after a loss", f"it printed {shown(ends[0][-1])} both times")

    def _has_printed(self) -> bool:
        return len(b"".join(self._running().printed.values())) > self._printed

    @direction("a move is typed before the start")
    async def _typed_before_the_start(self) -> None:
        await self.send_numbers(1)
        self.type_move(row=0, column=2)
        await self.wait(SETTLE)
        (await self.peer()).expect_nothing_unread("no move before the signal to start")

    @direction("it begins with (\\d) (\\d)")
    async def begins(self, row: str, column: str) -> None:
        """Read a first move of player 1."""
        await self.meet()
        await self.moves(int(row), int(column))

    @direction("player 2 waits")
    async def _waits(self) -> None:
        """Check that nothing comes before a move is sent, then send one."""
        await self.send_numbers(2)
        await self.wait(SETTLE)
        (await self.peer()).expect_nothing_unread("player 1's move before it moves")
        await self.answered()

    async def answered(self) -> None:
        """Move as player 1 and read the move of player 2, twice."""
        for wish in (1, 1), (2, 1):
            # A client that plays without a user might have taken the cell.
            row, column = next(cell for cell in [wish, *_LINE] if self.is_free(*cell))
            await self.send_numbers(4, row, column)
            self.place(row, column)
            await self.moves(*next(cell for cell in _LINE if self.is_free(*cell)))

    @direction("integers come byte by byte")
    async def _come_in_pieces(self) -> None:
        pieces = (bytes([byte]) for byte in struct.pack("!iiii", 2, 4, 1, 1))
        await self.send_pieces(await self.peer(), *pieces, seconds=0.02)
        self.place(1, 1)
        await self.moves(0, 2)

    @direction("integers come at once")
    async def _come_at_once(self) -> None:
        await self.send_numbers(2, 4, 1, 1)
        self.place(1, 1)
        await self.moves(0, 2)

    @direction("a taken cell is typed")
    async def _a_taken_cell_is_typed(self) -> None:
        if self.plays_itself:
            raise NotApplicable("no user types its moves")
        await self.send_numbers(2, 4, 1, 1)
        self.place(1, 1)
        self.type_move(row=1, column=1)
        await self.wait(SETTLE)
        await self.moves(0, 2)


SUITE = client_suite(
    "session", "docs/reference/session.md", read_rules(__package__), SessionClientScene, __package__
)
