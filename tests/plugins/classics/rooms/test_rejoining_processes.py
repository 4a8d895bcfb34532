"""Players who are cut off and come back: real processes, real sockets."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence

from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.classics.rooms.console_helpers import MY_TURN, NOT_MY_TURN, begins, drawn
from tests.plugins.classics.rooms.real_server import RealServerCase
from tests.protocols.rooms.proxy import Proxy
from tests.terminal.processes import PATIENCE, PseudoTerminal, read_all, read_until

LOST = "The connection to the server was lost. Coming back, for up to 30 seconds...\n"
BACK = "Back on the server as {}.\n"
JOINED = "Successfully joined room den as a player\n"
IN_PROGRESS = "Match between {} and {} is currently in progress, it is {}'s turn\n"
FORFEITED = "{} won due to the opposing player forfeiting\n"


class Typist:
    """Somebody at a terminal without colours."""

    def __init__(self, case: SynchronousTestCase, command: list[str]) -> None:
        self._terminal = PseudoTerminal(case)
        self._unread = ""
        self.process = self._terminal.start(case, command, os.environ | {"NO_COLOR": "1"})

    def type(self, words: str) -> None:
        """Type each word as a line."""
        for word in words.split():
            self._terminal.type(word)

    def sees(self, text: str) -> None:
        """Wait until ``text`` has appeared, after what has been seen before."""
        shown = text.replace("\n", "\r\n")
        self._unread = read_until(self._terminal.far, shown, self._unread).partition(shown)[2]


class HeldSeatsCase(RealServerCase):
    """A server that holds seats for 30 seconds."""

    options: Sequence[str] = ("--rejoin-timeout", "30")

    def typist(self, user: str, *, port: int | None = None) -> Typist:
        """Log in a player at a terminal, by way of ``port``."""
        host, direct = self.address
        command = [*self.command()[:2], host, direct if port is None else str(port)]
        typist = Typist(self, command)
        typist.type(self.login(user))
        typist.sees(f"Welcome {user}\n")
        return typist

    def begin(self, alice: Typist, bob: Typist) -> None:
        """Play den until it is bob's turn."""
        alice.type("CREATE den")
        alice.sees("Waiting for other player...\n")
        bob.type("JOIN den PLAYER")
        alice.sees(begins("alice", "bob"))
        alice.type("PLACE 1 1")
        alice.sees(NOT_MY_TURN)
        bob.sees(MY_TURN)


class HeldSeatsTests(HeldSeatsCase):
    def test_a_client_is_killed_and_another_takes_its_seat(self) -> None:
        alice, bob = self.typist("alice"), self.typist("bob")
        self.begin(alice, bob)
        alice.process.send_signal(signal.SIGKILL)
        self.assertEqual(alice.process.wait(PATIENCE), -signal.SIGKILL)
        bob.type("PLACE 0 0")
        bob.sees(NOT_MY_TURN)
        again, out = self.play("LOGIN alice secret JOIN den PLAYER PLACE 0 2 QUIT ")
        board, placed = drawn("200010000"), drawn("200010100")
        shown = JOINED + IN_PROGRESS.format("alice", "bob", "alice") + board + MY_TURN
        read_until(out, shown + "Column: Row: " + placed + NOT_MY_TURN)
        bob.sees(MY_TURN)
        bob.type("PLACE 1 0")
        # It is her turn, and she leaves: bob needn't wait.
        read_all(out)
        self.assertEqual(again.wait(PATIENCE), 0)
        bob.sees(FORFEITED.format("bob"))

    def test_a_client_whose_connection_is_cut_comes_back_by_itself(self) -> None:
        proxy = Proxy(self.addCleanup, int(self.address[1]))
        alice, bob = self.typist("alice", port=proxy.port), self.typist("bob")
        self.begin(alice, bob)
        proxy.cut()
        alice.sees(LOST + BACK.format("alice") + JOINED)
        bob.type("PLACE 0 0")
        alice.sees(drawn("200010000") + MY_TURN)
        alice.type("PLACE 0 2")
        bob.sees(drawn("200010100") + MY_TURN)
        bob.type("QUIT")
        alice.sees(FORFEITED.format("alice"))

    def test_a_loss_that_the_server_notices_late(self) -> None:
        proxy = Proxy(self.addCleanup, int(self.address[1]))
        alice, bob = self.typist("alice"), self.typist("bob", port=proxy.port)
        self.begin(alice, bob)
        proxy.cut_near()
        bob.sees(LOST)
        proxy.wait_for(2)
        proxy.cut_far(1)
        bob.sees(BACK.format("bob") + JOINED)
        bob.sees(IN_PROGRESS.format("bob", "alice", "bob") + drawn("000010000") + MY_TURN)
        bob.type("PLACE 0 0")
        alice.sees(drawn("200010000") + MY_TURN)

    def test_who_is_told_to_end_forfeits(self) -> None:
        for number in (signal.SIGTERM, signal.SIGHUP):
            alice, bob = self.typist("alice"), self.typist("bob")
            self.begin(alice, bob)
            alice.process.send_signal(number)
            bob.sees(FORFEITED.format("bob"))
            self.assertEqual(alice.process.wait(PATIENCE), 128 + number)


class UnsavedRoomsTests(HeldSeatsCase):
    """A server that holds seats, but saves no rooms."""

    options = ("--journal", "none", "--rejoin-timeout", "30")

    def test_a_server_that_stops_waits_for_nobody(self) -> None:
        alice, bob = self.typist("alice"), self.typist("bob")
        self.begin(alice, bob)
        alice.process.kill()
        bob.type("PLACE 0 0")
        bob.sees(NOT_MY_TURN)
        self.server.send_signal(signal.SIGTERM)
        bob.sees(FORFEITED.format("bob"))
        self.assertEqual(self.server.wait(PATIENCE), 0)


class KeptRoomsTests(HeldSeatsCase):
    """One without options: it saves its rooms."""

    options = ()

    def test_a_server_is_killed_and_the_match_goes_on_at_the_next(self) -> None:
        alice, bob = self.typist("alice"), self.typist("bob")
        self.begin(alice, bob)
        self.server.kill()
        alice.sees(LOST)
        bob.sees(LOST)
        self.server.wait(PATIENCE)
        self.start_server(self.address[1])
        alice.sees(BACK.format("alice") + JOINED)
        bob.sees(BACK.format("bob") + JOINED)
        bob.sees(IN_PROGRESS.format("bob", "alice", "bob") + drawn("000010000") + MY_TURN)
        bob.type("PLACE 0 0")
        alice.sees(drawn("200010000") + MY_TURN)

    def test_a_server_that_is_stopped_costs_nobody_a_match(self) -> None:
        alice, bob = self.typist("alice"), self.typist("bob")
        self.begin(alice, bob)
        self.server.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.wait(PATIENCE), 0)
        self.start_server(self.address[1])
        bob.sees(IN_PROGRESS.format("bob", "alice", "bob") + drawn("000010000") + MY_TURN)
        bob.type("PLACE 0 0")
        alice.sees(drawn("200010000") + MY_TURN)

    def test_a_lost_connection_is_a_forfeit(self) -> None:
        alice, bob = self.typist("alice"), self.typist("bob")
        self.begin(alice, bob)
        alice.process.kill()
        bob.sees(FORFEITED.format("bob"))
