"""From a match at a server in a process of its own to another database."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

from tests.programs import LOCAL, Program, ServerCase, address_in
from tests.protocols.lobby.helpers import Message
from tests.protocols.lobby.observer import RoomObserver
from tests.terminal.processes import PATIENCE

TICTAC = str(Path(sys.executable).with_name("tictac"))


class WholeTests(ServerCase):
    def play(self, program: Program, **room: object) -> None:
        """Play a match in which bob joins alice's room by its key, and she resigns after a move."""
        alice, bob = RoomObserver(program), RoomObserver(program)
        for person, name in ((alice, "alice"), (bob, "bob")):
            self.addCleanup(person.close)
            person.send(do="register", user=name, password="secret")
            person.send(do="login", user=name, password="secret")
        alice.send(do="open", game="connectfour", room="den", **room)
        while "room" not in (answer := alice.read()):
            """Of the login."""
        bob.send(do="join", room="den", key=answer.get("key"))
        alice.until("began")
        alice.send(do="move", room="den", move="4")
        alice.send(do="resign", room="den")
        alice.until("ended")

    def found(self, program: Program, *options: str) -> tuple[Program, list[Message]]:
        """Start the server again, which has then written what it had: it, and what alice sees."""
        program.signal()
        assert program.finish()[0] == 0
        again = self.start(*options)
        alice = RoomObserver(again)
        self.addCleanup(alice.close)
        alice.send(do="login", user="alice", password="secret")
        alice.send(do="matches")
        while "matches" not in (answer := alice.read()):
            """Of the login."""
        return again, answer["matches"]

    def run_tictac(self, *arguments: str) -> str:
        done = subprocess.run(
            [TICTAC, "matches", *arguments],
            cwd=self.directory, capture_output=True, text=True, timeout=PATIENCE, check=True,
        )  # fmt: skip
        return done.stdout

    def test_a_match(self) -> None:
        program = self.start()
        self.play(program)
        program, (found,) = self.found(program, "--web", LOCAL)
        _, port = address_in(program.log[program.log.index("web: listening") :])
        with urlopen(f"http://127.0.0.1:{port}/api/matches/{found['id']}", timeout=PATIENCE) as got:
            told = json.loads(got.read())
        assert [event[1:] for event in told["events"]] == [
            ["moved", 0, "4"],
            ["ended", "forfeited", 1, None],
        ]
        assert self.run_tictac("list").startswith(f"{found['id']}  20")
        assert self.run_tictac("show", found["id"]).endswith("alice resigned.\nbob has won.\n")
        self.run_tictac("export", "all.jsonl")
        self.run_tictac("import", "--create", "-d", "new.db", "all.jsonl")
        assert json.loads(self.run_tictac("export", "-d", "new.db")) == told

    def test_a_private_one(self) -> None:
        program = self.start()
        self.play(program, private=True)
        program, found = self.found(program)
        assert [each["private"] for each in found] == [True]
        stranger = RoomObserver(program)
        self.addCleanup(stranger.close)
        stranger.send(do="matches")
        assert stranger.read()["matches"] == []
