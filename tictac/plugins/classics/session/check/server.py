"""The checker for a server of the two-player session; the cases are in server.txt."""

from __future__ import annotations

from tictac.plugins.check.cases import Suite
from tictac.plugins.check.peer import MAX_SHOWN, Peer, more
from tictac.plugins.check.scene import Harness, Scene, direction


def shown_numbers(data: bytes) -> str:
    """Return the integers as text, with their bytes."""
    omitted, data = more(data), data[:MAX_SHOWN]
    whole = len(data) - len(data) % 4
    numbers = [str(int.from_bytes(data[n : n + 4], "big", signed=True)) for n in range(0, whole, 4)]
    rest = [f"{len(data) - whole} of the 4 bytes of an integer"] if whole < len(data) else []
    return f"{' '.join(numbers + rest)} ({data.hex(' ', -4)}){omitted}"


class SessionScene(Scene):
    """A case whose messages are integers, ``4 0 2`` in a script."""

    show = staticmethod(shown_numbers)

    def encode(self, text: str) -> bytes:
        return b"".join(int(number).to_bytes(4, "big", signed=True) for number in text.split())

    async def finish(self) -> None:
        """Do nothing: the server may send other messages early or late."""

    @direction(r"(\w+) is the first")
    async def first(self, name: str) -> Peer:
        """Connect as player 1; a player of an earlier case may still wait in the server."""
        for _ in range(3):
            peer = await self.connect(name)
            if await peer.expect(self.encode("1"), self.encode("2")) == self.encode("1"):
                return peer
            peer.hang_up()
            await peer.wait_closed()
        raise peer.finding(self.show(self.encode("1")), "2 came, again and again")

    @direction(r"(\w+) and (\w+) play")
    async def begin(self, one: str, two: str) -> None:
        """Begin a match."""
        first = await self.first(one)
        second = await self.connect(two)
        await second.expect(self.encode("2"))
        await first.expect(self.encode("1"))

    @direction(r"alice and bob play ([\d ]+) to (\d)")
    async def whole_match(self, moves: str, status: str) -> None:
        """Play a match that ends with ``status``; a move is two digits."""
        await self.begin("alice", "bob")
        *before, last = [" ".join(move) for move in moves.split()]
        names = ["alice", "bob"]
        for move in before:
            await self.play(f"{names[0]}> {move}\n{names[1]}< 4 {move}")
            names.reverse()
        await self.play(f"""
            {names[0]}> {last}
            {names[0]}< {status}
            {names[1]}< {status} {last}
        """)

    @direction(r"(\w+) sends (.+) in pieces")
    async def _in_pieces(self, name: str, text: str) -> None:
        data = self.encode(text)
        await self.send_pieces(self.peers[name], data[:1], data[1:6], data[6:])

    @direction(r"(\w+) comes when (\w+) has gone")
    async def come_after(self, name: str, gone: str) -> None:
        """Become player 1; a server that hasn't noticed a disconnect closes the match at once."""
        self.peers[gone].hang_up()
        await self.peers[gone].wait_closed()
        for _ in range(3):
            peer = await self.connect(name)
            if await peer.expect(self.encode("1"), self.encode("2")) == self.encode("1"):
                return
            await peer.expect_close()
        raise peer.finding(self.show(self.encode("1")), "2 came, again and again")


async def probe(harness: Harness, peer: Peer) -> None:
    """Check that the server greets a new connection."""
    await peer.read(4)


SUITE = Suite("session", "docs/session.md", SessionScene, probe)

SUITE.read_cases(__package__, "server.txt", {})
