"""The suite for clients of Nim."""

from __future__ import annotations

import struct

from tictac.plugins.check.cases import Case, Finding, NotApplicable
from tictac.plugins.check.clients.scene import QUIET, SETTLE, ClientScene, client_suite
from tictac.plugins.check.peer import Peer
from tictac.plugins.check.rules import read_rules
from tictac.plugins.check.scene import POLL_INTERVAL, Harness, direction
from tictac.plugins.classics.nim.check.server import Types
from tictac.plugins.games.nim.rules import Move, Numbers, moves_between, take


class NimClientScene(ClientScene):
    """A case for a Nim client."""

    complains_on = (2,)
    typed = "{position} {amount}"
    parts = ("position", "index", "amount")
    numbers: Numbers = ()
    _has_won = False

    def __init__(self, harness: Harness, case: Case) -> None:
        super().__init__(harness, case)
        self.types = Types.of(harness)
        self.show = self.types.shown

    @direction("it takes part")
    async def takes_part(self) -> None:
        """Read the client's ``play``."""
        await (await self.peer()).expect(self.types.play)

    @direction(r"of ([\d ]+) it takes (\d+) from index (\d+)")
    async def takes(self, numbers: str, amount: str, at: str) -> None:
        """Send the client a list, and read its answer."""
        listed = tuple(map(int, numbers.split(" ")))
        if self.numbers and not moves_between(self.numbers, listed):
            listed = take(self.numbers, Move(0, 1))  # The client plays without a user.
        (await self.peer()).send(self.types.a_turn(listed))
        await self.moves(listed, int(at), int(amount))

    async def moves(self, numbers: tuple[int, ...], at: int, amount: int) -> None:
        """Make the client play a move; if it plays by itself, accept any legal move."""
        peer = await self.peer()
        self.type_move(position=at + 1, index=at, amount=amount)
        if self._has_won and await self._asks_to_go_on(peer):
            self.type("y")
            self.type_move(position=at + 1, index=at, amount=amount)
        move = self.show(self.types.a_move(at, amount))
        data = await peer.read(1, move)
        if data == self.types.play:
            data = await peer.read(1, move)  # The client can send `play` again after a win.
        if data == self.types.exit:
            raise NotApplicable("it withdraws after a win, which the protocol allows")
        data += await peer.read(5, f"the rest of {move}")
        kind, index, taken = struct.unpack("!cBI", data)
        legal = kind == self.types.move and index < len(numbers) and 0 < taken <= numbers[index]
        if not legal or (not self.plays_itself and (index, taken) != (at, amount)):
            expected = self.show(self.types.a_move(at, amount))
            if self.plays_itself:
                expected = "move, an index of the list, and an amount that can be taken"
            raise Finding(f"server to get {expected}", f"{self.show(data)} came")
        self.numbers = take(numbers, Move(index, taken))

    async def _asks_to_go_on(self, peer: Peer) -> bool:
        """Return whether the client sends nothing after a typed move, which it took as an answer.

        After a win, it can ask whether its user plays on.
        """
        self._has_won, late = False, self.harness.clock.seconds() + QUIET
        while not peer.is_readable and self.harness.clock.seconds() < late:
            await self.wait(POLL_INTERVAL)
        return not peer.is_readable

    @direction("the server sends (.+)")
    async def _sends(self, data: str) -> None:
        message = self.types.read_hex(data)
        self._has_won = message == self.types.win
        (await self.peer()).send(message)

    @direction("a list comes byte by byte")
    async def _a_list_comes_byte_by_byte(self) -> None:
        await self.takes_part()
        pieces = (bytes([byte]) for byte in self.types.a_turn((24, 17, 3)))
        await self.send_pieces(await self.peer(), *pieces, seconds=0.02)
        await self.moves((24, 17, 3), 0, 6)

    @direction("win comes with the next list")
    async def _win_comes_with_the_next_list(self) -> None:
        await self.takes_part()
        await self.takes("1 1 1", "1", "0")
        await self.takes("1", "1", "0")
        self._has_won = True
        (await self.peer()).send(self.types.win + self.types.a_turn((24, 17, 3)))
        await self.moves((24, 17, 3), 0, 6)

    @direction("too much is typed")
    async def _too_much_is_typed(self) -> None:
        if self.plays_itself:
            raise NotApplicable("no user types its moves")
        await self.takes_part()
        (await self.peer()).send(self.types.a_turn((24, 17, 3)))
        self.type_move(position=3, index=2, amount=4)
        await self.wait(SETTLE)
        await self.moves((24, 17, 3), 2, 3)


SUITE = client_suite(
    "nim",
    "docs/reference/nim.md",
    read_rules(__package__),
    NimClientScene,
    __package__,
    types=Types.read,
)
