"""The suite for clients of the rooms protocol; the cases are in rooms.txt."""

from __future__ import annotations

import re
from contextlib import suppress

from tictac.plugins.check.cases import Case, Finding, NotApplicable, OtherRuleBroken
from tictac.plugins.check.clients.scene import (
    QUIET,
    SETTLE,
    ClientScene,
    client_suite,
    describe_output,
    first_difference,
)
from tictac.plugins.check.peer import Peer
from tictac.plugins.check.rooms.scene import FORMS
from tictac.plugins.check.rules import read_rules
from tictac.plugins.check.scene import Harness, direction
from tictac.plugins.check.target import free_port

BARE_GAP = 0.06
"""Seconds between two messages to a client for which each read is one message."""

REQUESTS = {
    "LOGIN": "RC2.1", "REGISTER": "RC2.1", "ROOMLIST": "RC3.8", "CREATE": "RC3.8", "JOIN": "RC3.8",
}  # fmt: skip
"""The rule about the form of each request."""

_ALONE = rb"(?<![A-Za-z])%b(?![A-Za-z])"
"""Matches a mark that isn't a letter of a word."""


def _between(pattern: bytes, marks: str) -> bytes:
    """Return a pattern of marks that allows no other marks between them."""
    no_mark = rb"(?:(?!(?<![A-Za-z])[XO](?![A-Za-z])).)*?"
    return pattern.replace(rb".*?", no_mark) if len(marks) > 1 else pattern


def drawn(board: str) -> str:
    """Return the drawing of a board, as the assignment has it."""
    rule = "-" * 13
    rows = (" | ".join(" XO"[int(cell)] for cell in board[at : at + 3]) for at in (0, 3, 6))
    return rule + "".join(f"\n| {row} |\n{rule}" for row in rows)


class RoomsClientScene(ClientScene):
    """A case of a rooms client. Its user is alice; bob and carol are other users.

    ``harness.found`` is the end of the server's messages: a newline, or nothing.
    """

    forms = FORMS

    def __init__(self, harness: Harness, case: Case) -> None:
        super().__init__(harness, case)
        self.end = b"" if harness.found is None else harness.found

    async def send_message(self, peer: Peer, message: bytes) -> None:
        if not self.end:
            await self.pause_after(peer, BARE_GAP)
        peer.send(message + self.end)

    @direction("(.+?) => (.+?) => (.+?)(?: => (.+))?")
    async def asks(self, typed: str, request: str, answer: str, said: str | None = None) -> None:
        """Type a command, expect its request, send the answer, and expect the output."""
        peer = await self.peer()
        self.type(*typed.split("|"))
        try:
            await peer.expect(request.encode())
        except Finding as finding:
            if not finding.silent:
                finding.breaks = REQUESTS[request.partition(":")[0]]
            raise
        await self.send_message(peer, answer.encode())
        if said:
            await self.expect_output(*said.split("|"))

    @direction("it logs in")
    async def _logs_in(self) -> None:
        with self.preparing():
            await self.asks("LOGIN|alice|secret", "LOGIN:alice:secret", "LOGIN:ACKSTATUS:0")
        await self.allow_output("Welcome alice")

    @direction("it has a room")
    async def _has_a_room(self) -> None:
        await self._logs_in()
        with self.preparing():
            await self.asks("CREATE|den", "CREATE:den", "CREATE:ACKSTATUS:0")
        await self.allow_output("Successfully created room den", "Waiting for other player...")

    @direction("it plays ([XO])")
    async def _plays(self, mark: str) -> None:
        """Begin a match of alice, who uses the client, against bob."""
        if mark == "X":
            await self._has_a_room()
        else:
            await self._logs_in()
            with self.preparing():
                await self.asks("JOIN|den|PLAYER", "JOIN:den:PLAYER", "JOIN:ACKSTATUS:0")
        first, second = ("alice", "bob") if mark == "X" else ("bob", "alice")
        await self.send_message(await self.peer(), f"BEGIN:{first}:{second}".encode())
        await self.allow_output(f"it is currently {first}'s turn.")

    @direction("it has placed")
    async def _has_placed(self) -> None:
        await self._plays("X")
        self.type("PLACE", "1", "1")
        await (await self.peer()).expect(b"PLACE:1:1")

    @direction(r"they mark ([0-8 ]+)")
    async def _mark(self, cells: str) -> None:
        """Let alice and bob mark cells in turn, and send the boards, but none after the last one.

        The last cell is alice's.
        """
        board = "000000000"
        for number, cell in enumerate(map(int, cells.split(" "))):
            if number:
                await self.send_message(await self.peer(), f"BOARDSTATUS:{board}".encode())
                await self.wait(SETTLE)
            board = f"{board[:cell]}{number % 2 + 1}{board[cell + 1 :]}"
            if number % 2 == 0:
                column, row = cell % 3, cell // 3
                self.type("PLACE", str(column), str(row))
                with self.citing("RC4.3"):
                    await (await self.peer()).expect(f"PLACE:{column}:{row}".encode())

    @direction("it watches")
    async def _watches(self) -> None:
        """Let alice watch a match in which bob has the turn against carol."""
        await self._watches_a_room()
        await self.send_message(await self.peer(), b"INPROGRESS:bob:carol")

    @direction("it draws ([012]{9})")
    async def _draws(self, board: str) -> None:
        lines = drawn(board).split("\n")
        wanted = rb"[ \t]*\n".join(re.escape(line).encode() for line in lines)
        if not await self.wait_for_output(re.compile(wanted)):
            came = first_difference(self.new_output(), lines)
            raise Finding("the board between lines of 13 dashes", came)

    @direction("it shows ([012]{9})")
    async def _shows(self, board: str) -> None:
        """Check that the client prints the marks in their order, in any drawing.

        The marks can be X and O, or the digits of the message in three rows.
        """
        wanted = "".join(" XO"[int(cell)] for cell in board).replace(" ", "")
        pattern = rb"(?s)" + rb".*?".join(_ALONE % mark.encode() for mark in wanted)
        rows = [
            rb"[^\d\n]*".join(b"%c" % cell for cell in board[at : at + 3].encode())
            for at in (0, 3, 6)
        ]
        digits = rb"(?<!\d)%b(?!\d)" % rb"[^\d\n]*\n\D*".join(rows)
        drawing = rb"%b|%b" % (_between(pattern, wanted), digits)
        if not await self.wait_for_output(re.compile(drawing)):
            came = describe_output(self.new_output())
            raise Finding(f"the client to draw the board {board}", came)

    @direction(r"it names (\w+)'s turn")
    async def _prints_turn(self, name: str) -> None:
        other = "carol" if name == "bob" else "bob"
        between = rf"(?:(?!\b{other}\b)[^\n])*"
        pattern = rf"\b{name}\b{between}turn|turn{between}\b{name}\b"
        if not await self.wait_for_output(re.compile(pattern.encode())):
            came = describe_output(self.new_output())
            raise Finding(f"the client to print that it is {name}'s turn", came)

    @direction("it sends ([A-Z].*)")
    async def _sends(self, request: str) -> None:
        """Expect a request. Raises OtherRuleBroken if the client sends nothing."""
        peer = await self.peer()
        try:
            await peer.expect(request.encode())
        except Finding as finding:
            if peer.unread or peer.closed is not None:
                raise
            raise OtherRuleBroken("RC1.2", finding.expected, finding.came) from None

    @direction("its connection ends")
    async def connection_ends(self) -> None:
        """Wait until the client closes the connection; a FORFEIT can come first."""
        try:
            await super().connection_ends()
        except Finding:
            peer = await self.peer()
            if peer.unread.strip() != b"FORFEIT":
                raise
            peer.unread = b""
            await super().connection_ends()

    @direction("it watches a room")
    async def _watches_a_room(self) -> None:
        await self._logs_in()
        with self.preparing():
            await self.asks("JOIN|den|VIEWER", "JOIN:den:VIEWER", "JOIN:ACKSTATUS:0")

    @direction("it sends LOGIN")
    async def _it_sends_login(self) -> None:
        """Expect LOGIN, and find out which end of a message the client expects.

        Try the end that the client's own request has, and then the other one.
        """
        answer, end = b"LOGIN:ACKSTATUS:0", await self._send_login()
        self.harness.found = end
        if await self._understands(answer + end):
            return
        with suppress(Finding):
            if end:
                await self.start_again()
                await self._send_login()
            # If its request had no newline, the client can still expect one.
            if await self._understands(answer if end else b"\n"):
                self.harness.found = b"" if end else b"\n"

    async def _send_login(self) -> bytes:
        """Make the client send LOGIN, and return the end of that message."""
        peer = await self.peer()
        self.type("LOGIN", "alice", "secret")
        await peer.expect(re.compile(rb"[^\r\n]+"))
        await self.pause(SETTLE / 2)
        return b"\n" if b"\n" in peer.unread else b""

    async def _understands(self, answer: bytes) -> bool:
        """Send an answer, and return whether the client then welcomes its user."""
        (await self.peer()).send(answer)
        client, late = self._running(), self.harness.clock.seconds() + QUIET
        while not any(self.printed("Welcome", stream) for stream in (1, 2)):
            left = late - self.harness.clock.seconds()
            if client.status is not None or left <= 0:
                return False
            await client.wait_for_change(self.harness.clock, left)
        return True

    @direction("it can't connect")
    async def _it_cant_connect(self) -> None:
        port = self.target.port or free_port(self.target.host)
        self.start(port)
        await self.expect_output(
            f"Error: cannot connect to server at {self.target.host} and {port}."
        )
        await self.expect_end()

    @direction("it gets no arguments")
    async def _it_gets_no_arguments(self) -> None:
        if "{port}" not in (self.target.command or ""):
            raise NotApplicable("its command has no {port}")
        self.start(without_arguments=True)
        await self.expect_output("Error: Expecting 2 arguments: <server address> <port>")
        await self.expect_end()

    @direction("errors differ")
    async def _errors_differ(self) -> None:
        if self.target.terminal:
            raise NotApplicable("a terminal shows both")
        for status, text in ((1, "Error: User {alice} not found"), (0, "Welcome {alice}")):
            answer = f"LOGIN:ACKSTATUS:{status}"
            await self.asks("LOGIN|alice|secret", "LOGIN:alice:secret", answer)
            await self.expect_output(text)
            right, wrong = ("error", "output") if status else ("output", "error")
            if not self.printed(text, 2 if status else 1):
                words = text.replace("{", "").replace("}", "")
                raise Finding(f'"{words}" on standard {right}', f"it came on standard {wrong}")

    @direction("it is asked for a list of KING")
    async def _it_is_asked_for_a_list_of_king(self) -> None:
        """Check the error for a wrong mode, which the client or the server can detect.

        A client that detects it can ask again.
        """
        await self.play("(it logs in)\n(you type ROOMLIST|KING)\n(it has settled)")
        text, peer = "Error: Please input a valid mode.", await self.peer()
        if peer.unread.strip():
            await peer.expect(re.compile(rb"ROOMLIST:(?i:KING)"))
            await self.send_message(peer, b"ROOMLIST:ACKSTATUS:1")
        await self.expect_output(text)
        self.type("PLAYER")
        await self.wait(SETTLE)
        if peer.unread.strip():
            await peer.expect(b"ROOMLIST:PLAYER")
            await self.send_message(peer, b"ROOMLIST:ACKSTATUS:0:")
            await self.wait(SETTLE)

    @direction("there are 256 rooms")
    async def _there_are_256_rooms(self) -> None:
        rooms = ",".join(f"room number {number:03}" for number in range(256))
        await self.play("(it logs in)")
        answer = f"ROOMLIST:ACKSTATUS:0:{rooms}"
        await self.asks("ROOMLIST|PLAYER", "ROOMLIST:PLAYER", answer)
        await self.expect_output(f"Room available to join as {{PLAYER}}: {rooms}")

    @direction("messages come at once")
    async def _messages_come_at_once(self) -> None:
        self._require_lines()
        await self.play("(it logs in)")
        answers = "JOIN:ACKSTATUS:0\nBEGIN:bob:alice\nBOARDSTATUS:100000000"
        await self.asks("JOIN|den|PLAYER", "JOIN:den:PLAYER", answers)
        await self.play("(it has settled)\n(you type PLACE|1|1)\nserver< PLACE:1:1")

    @direction("a message comes in pieces")
    async def _a_message_comes_in_pieces(self) -> None:
        self._require_lines()
        await self.play("(it has a room)")
        await self.send_pieces(await self.peer(), b"BEG", b"IN:", b"alice:bob\n", seconds=0.1)
        await self.play("(it has settled)\n(you type PLACE|1|1)\nserver< PLACE:1:1")

    @direction("an answer has no newline")
    async def _an_answer_has_no_newline(self) -> None:
        self.end, text = b"", "Welcome alice"
        answer = "LOGIN:ACKSTATUS:0"
        await self.asks("LOGIN|alice|secret", "LOGIN:alice:secret", answer, text)

    def _require_lines(self) -> None:
        if not self.end:
            raise NotApplicable("it doesn't end its messages, so a read is a message")


SUITE = client_suite(
    "rooms", "docs/reference/rooms-client.md", read_rules(__package__, "rooms-rules.txt"),
    RoomsClientScene, __package__, "rooms.txt",
)  # fmt: skip
