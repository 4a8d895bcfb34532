"""The suite for servers of the two-player session; the cases are in server.txt."""

from __future__ import annotations

import re

from tictac.plugins.check.cases import Finding, NotApplicable, OtherRuleBroken, Suite
from tictac.plugins.check.peer import MAX_SHOWN, Peer, more
from tictac.plugins.check.rules import read_rules
from tictac.plugins.check.scene import Harness, Scene, direction

OTHER_BYTES = (b"1", b"1\n", b"1\r\n", b"\x01", b"\x01\0\0\0", b"\0\x01")
"""Other forms in which some servers send the number 1 to player 1."""


def shown_numbers(data: bytes) -> str:
    """Return the integers as text, with their bytes."""
    omitted, data = more(data), data[:MAX_SHOWN]
    whole = len(data) - len(data) % 4
    numbers = [str(int.from_bytes(data[n : n + 4], "big", signed=True)) for n in range(0, whole, 4)]
    rest = [f"{len(data) - whole} of the 4 bytes of an integer"] if whole < len(data) else []
    return f"{' '.join(numbers + rest)} ({data.hex(' ', -4)}){omitted}"


class SessionScene(Scene):
    """A case of a session server. Messages are integers; a script has them as ``4 0 2``."""

    show = staticmethod(shown_numbers)

    def encode(self, text: str) -> bytes:
        return b"".join(int(number).to_bytes(4, "big", signed=True) for number in text.split())

    def wanted(self, text: str) -> bytes | re.Pattern[bytes]:
        return re.compile(rb"(?s).{4}") if text == "*" else self.encode(text)

    async def finish(self) -> None:
        """Do nothing: the server can send other messages early or late."""

    @direction(r"(\w+) is the first")
    async def first(self, name: str) -> Peer:
        """Connect as player 1; repeat if a player of an earlier case still waits."""
        for _ in range(3):
            peer = await self.connect(name)
            try:
                seat = await peer.expect(self.encode("1"), self.encode("2"))
            except Finding as finding:
                if peer.unread in OTHER_BYTES:
                    raise OtherRuleBroken("S1.4", finding.expected, finding.came) from None
                raise
            if seat == self.encode("1"):
                return peer
            peer.hang_up()
            await peer.wait_closed()
        raise peer.finding(self.show(self.encode("1")), "2 came, again and again")

    @direction(r"(\w+) and (\w+) play")
    async def begin(self, one: str, two: str) -> None:
        """Begin a match."""
        with self.citing("S1.1"):
            first = await self.first(one)
        second = await self.connect(two)
        with self.citing("S1.2"):
            await second.expect(self.encode("2"))
        # Any number is the signal to start.
        with self.citing("S1.3"):
            await first.read(4)

    @direction(r"(\w+) waits, and reads nothing")
    async def _waits(self, name: str) -> None:
        await self.wait(1)
        self.peers[name].expect_nothing_unread("no signal to start before player 2 is there")

    @direction(r"(\w+) tries (.+), and is (refused|disconnected)")
    async def _tries(self, name: str, move: str, how: str) -> None:
        """Send an illegal move. The server must disconnect, or accept a legal move after it."""
        peer = self.peers[name]
        other = self.peers["bob" if name == "alice" else "alice"]
        peer.send(self.encode(move))
        await self.pause(0.5)
        if peer.closed is None and not peer.input_ended:
            other.expect_nothing_unread("no word of a move that can't be made")
            if how == "disconnected":
                raise NotApplicable("it waits for another move")
            peer.send(self.encode("2 2"))
            await other.expect(self.encode("4 2 2"))

    @direction(r"(\w+) is let go")
    async def _is_let_go(self, name: str) -> None:
        """Wait for the end of the connection, perhaps after a last status and a move."""
        peer = self.peers[name]
        for _ in range(3):
            try:
                await peer.expect_close()
                return
            except Finding:
                if len(peer.unread) < 4:
                    raise
                peer.unread = peer.unread[4:]
        await peer.expect_close()

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

    @direction(r"(\w+) comes when (\w+) has left")
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


SUITE = Suite(
    "session",
    "docs/reference/session.md",
    read_rules(__package__),
    SessionScene,
    probe,
    probe_disturbs=True,
)

SUITE.read_cases(__package__, "server.txt", {})
