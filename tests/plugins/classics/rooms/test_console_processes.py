"""Whole matches: a real server, and real clients fed by scripts or a pseudo-terminal."""

from __future__ import annotations

import os
import signal
import subprocess

from tests.plugins.classics.rooms.console_helpers import (
    CREATE_ROOM,
    JOIN_MODE,
    JOIN_ROOM,
    MY_TURN,
    NOT_MY_TURN,
    PASSWORD,
    USER,
    begins,
    drawn,
)
from tests.plugins.classics.rooms.real_server import RealServerCase
from tests.terminal.processes import PATIENCE, PseudoTerminal, read_all, read_until, start

BOARDS = ["000010000", "200010000", "200010100", "220010100", "221010100"]
"""The match of rooms.md, "The match"."""

JOINED = JOIN_ROOM + JOIN_MODE + "Successfully joined room den as a {}\n"
ASKED = "Column: Row: "


class RealServerTests(RealServerCase):
    """Clients talk to it in both framings."""

    def test_a_match_and_its_viewer(self) -> None:
        alice, alice_out = self.play(
            self.login("alice") + "CREATE den PLACE 1 1 PLACE 0 2 PLACE 2 0 QUIT "
        )
        seen_by_alice = read_until(alice_out, "Waiting for other player...\n")
        carol, carol_out = self.play(self.login("carol") + "JOIN den VIEWER ")
        seen_by_carol = read_until(carol_out, "as a viewer\n")
        bob, bob_out = self.play(self.login("bob") + "JOIN den PLAYER PLACE 0 0 PLACE 1 0 QUIT ")
        self.assertEqual(
            seen_by_alice + read_all(alice_out),
            self.logged_in("alice")
            + CREATE_ROOM + "Successfully created room den\nWaiting for other player...\n"
            + begins("alice", "bob")
            + ASKED + drawn(BOARDS[0]) + NOT_MY_TURN + drawn(BOARDS[1]) + MY_TURN
            + ASKED + drawn(BOARDS[2]) + NOT_MY_TURN + drawn(BOARDS[3]) + MY_TURN
            + ASKED + drawn(BOARDS[4]) + "Congratulations, you won!\n",
        )  # fmt: skip
        self.assertEqual(
            read_all(bob_out),
            self.logged_in("bob") + JOINED.format("player") + begins("alice", "bob")
            + drawn(BOARDS[0]) + MY_TURN + ASKED + drawn(BOARDS[1]) + NOT_MY_TURN
            + drawn(BOARDS[2]) + MY_TURN + ASKED + drawn(BOARDS[3]) + NOT_MY_TURN
            + drawn(BOARDS[4]) + "Sorry you lost. Good luck next time.\n",
        )  # fmt: skip
        turns = ("bob", "alice", "bob", "alice")
        boards = (
            drawn(board) + f"It is {turn}'s turn\n"
            for board, turn in zip(BOARDS, turns, strict=False)
        )
        self.assertEqual(
            seen_by_carol + read_all(carol_out),
            self.logged_in("carol") + JOINED.format("viewer") + begins("alice", "bob")
            + "".join(boards) + drawn(BOARDS[4]) + "alice has won this game\n",
        )  # fmt: skip
        self.assertEqual([p.wait(PATIENCE) for p in (alice, bob, carol)], [0, 0, 0])

    def test_who_leaves_forfeits(self) -> None:
        _, alice_out = self.play(self.login("alice") + "CREATE den QUIT ", "--bare")
        read_until(alice_out, "Waiting for other player...\n")
        bob, bob_out = self.play(self.login("bob") + "JOIN den PLAYER QUIT ", "--bare")
        self.assertEqual(read_all(alice_out), begins("alice", "bob"))
        forfeited = "bob won due to the opposing player forfeiting\n"
        ending = begins("alice", "bob") + drawn("000000000") + forfeited
        self.assertTrue(read_all(bob_out).endswith(ending))
        self.assertEqual(bob.wait(PATIENCE), 0)

    def test_a_pipe_that_speaks_out_of_turn_and_ends(self) -> None:
        carol = start(self, self.command(), stderr=subprocess.STDOUT)
        assert carol.stdin is not None
        assert carol.stdout is not None
        script = self.login("carol") + "CREATE barn "
        carol.stdin.write(script.replace(" ", "\n").encode())
        carol.stdin.flush()
        read_until(carol.stdout.fileno(), "Waiting for other player...\n")
        carol.stdin.write(b"PLACE\n")
        carol.stdin.flush()
        alone = "Waiting for other player...\n"
        self.assertEqual(read_until(carol.stdout.fileno(), alone), alone)
        carol.stdin.close()
        self.assertEqual(carol.wait(PATIENCE), 0)

    def test_at_a_terminal(self) -> None:
        terminal = PseudoTerminal(self)
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        client = terminal.start(self, self.command(), environment | {"TERM": "xterm"})
        hint = "\x1b[2m(LOGIN, REGISTER or QUIT)\x1b[0m\r\n> "
        self.assertEqual(terminal.read_until("> "), hint)
        for command in ("REGISTER", "LOGIN"):
            terminal.type(command)
            terminal.read_until(USER)
            terminal.type("alice")
            terminal.read_until(PASSWORD)
            self.assertFalse(terminal.echoes())
            terminal.type("hush")
            self.assertTrue(terminal.read_until("> ").startswith("\r\n"))
            self.assertTrue(terminal.echoes())
        self.check_board(terminal)
        client.send_signal(signal.SIGINT)
        self.assertEqual(client.wait(PATIENCE), 130)
        self.assertTrue(terminal.echoes())

    def check_board(self, terminal: PseudoTerminal) -> None:
        terminal.type("create")
        terminal.read_until(CREATE_ROOM)
        terminal.type("den")
        terminal.read_until("Waiting for other player...")
        self.play(self.login("bob") + "JOIN den PLAYER QUIT ")
        terminal.read_until("(your turn: PLACE, FORFEIT, or QUIT)\x1b[0m\r\n> ")
        forfeited = "alice won due to the opposing player forfeiting"
        for typed, asked in (("place", "Column: "), ("1", "Row: "), ("1", forfeited)):
            terminal.type(typed)
            seen = terminal.read_until(asked)
        self.assertIn("|   | \x1b[36mX\x1b[0m |   |\r\n", seen)
        self.assertIn(NOT_MY_TURN.strip(), seen)
