"""Two lobbies with one database, each with a standby, in processes of their own."""

from __future__ import annotations

import json
import signal
import socket
from typing import Any

from tests.plugins.postgres.two_processes import TwoCase, rooms_of
from tests.programs import Program, address_in
from tests.terminal.processes import PATIENCE
from tictac.server.cli import main


class Player:
    """A connection that speaks the lobby protocol."""

    def __init__(self, case: TwoCase, program: Program, user: str) -> None:
        connection = socket.create_connection(address_in(rooms_of(program)), PATIENCE)
        case.addCleanup(connection.close)
        self._socket, self._file = connection, connection.makefile(encoding="utf-8")
        case.addCleanup(self._file.close)
        self.ask("hello")
        self.ask("login", user=user, password="secret")

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        """Send a request; return its answer."""
        self._socket.sendall(f"{json.dumps({'do': do, 'id': 1, **fields})}\n".encode())
        return self.read("answer")

    def read(self, what: str, value: object = None) -> dict[str, Any]:
        """Return the next answer, or the next event of a kind."""
        for line in self._file:
            said: dict[str, Any] = json.loads(line)
            if what in said and value in (None, said[what]):
                assert "error" not in said, said
                return said
        raise AssertionError("closed")


class LobbiesTests(TwoCase):
    def open(self, lobby: str) -> tuple[Program, Program]:
        """Start the active process of a lobby, and a standby."""
        return self.serve("--lobby", lobby), self.standby("--lobby", lobby)

    def begin(self, program: Program) -> tuple[Player, Player]:
        """Begin a rated match of alice and bob, and make a move each."""
        alice, bob = (Player(self, program, user) for user in ("alice", "bob"))
        alice.ask("open", game="tictactoe", room="den", rated=True)
        bob.ask("join", room="den")
        for player, move in ((alice, "1:1"), (bob, "0:0")):
            player.ask("move", room="den", move=move)
        return alice, bob

    def test_a_ban_ends_connections_in_all_lobbies(self) -> None:
        socket_ = str(self.directory / "admin.sock")
        north = self.serve("--lobby", "north", "--admin-socket", socket_)
        south = self.serve("--lobby", "south")
        alice = self.call(north).sign_up("alice")
        there = self.log_in(south, "alice")
        assert main(["admin", "-s", socket_, "ban", "alice"]) == 0
        assert alice.at_end() and there.at_end()

    def test_the_end_of_one_process_is_nothing_to_the_other_lobby(self) -> None:
        """Nor is a match counted twice, though two processes count."""
        (north, standby), (south, _) = self.open("north"), self.open("south")
        for user in ("alice", "bob"):
            self.call(north).sign_up(user)
        alice, _ = self.begin(north)
        others = self.begin(south)
        north.signal(signal.SIGKILL)
        standby.wait_for("1 rooms restored")
        others[0].ask("move", room="den", move="2:2")
        others[0].ask("resign", room="den")
        assert others[1].read("event", "ended")["winner"] == 1
        alice = Player(self, standby, "alice")
        alice.ask("join", room="den")
        alice.ask("resign", room="den")
        assert alice.read("event", "ended")["winner"] == 1
        south.signal()
        south.finish()
        # A process counts at its start, before it answers anybody.
        again = self.serve("--lobby", "west")
        told = Player(self, again, "alice").ask("ratings", player="alice")
        assert [each["matches"] for each in told["ratings"]] == [2]
        assert len(told["history"]) == 2
        assert self.postgres.execute("SELECT * FROM uncounted_matches", self.url) == []
