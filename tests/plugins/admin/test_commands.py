"""`tictac admin` against a server, over its Unix socket."""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import stat
import subprocess
from typing import IO

import pytest

from tests.accounts.helpers import HASH
from tests.documents import BIN
from tests.programs import ServerCase
from tests.terminal.processes import PATIENCE
from tictac.accounts.tables import Account, AccountTables
from tictac.plugins.admin import commands
from tictac.storage.databases import opened


class AdminTests(ServerCase):
    def admin(self, *arguments: str) -> str:
        """Return what a command prints: its output or its error."""
        found = subprocess.run(
            [BIN / "tictac", "admin", *arguments],
            cwd=self.directory, capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip
        assert (found.returncode == 0) is not found.stderr.startswith("Error: "), found
        return found.stdout or found.stderr

    def test_a_server_is_looked_after_and_told_to_stop(self) -> None:
        with opened(str(self.directory / "users.db")) as database:
            AccountTables(database).add_many([Account("alice", HASH), Account("bob", HASH)])
        program = self.start("--admin-socket", "admin.sock")
        alice, bob = (program.connect(self) for _ in range(2))
        for name, person in (("alice", alice), ("bob", bob)):
            person.ask(f"LOGIN:{name}:secret", "LOGIN:ACKSTATUS:0")
        assert stat.S_IMODE((self.directory / "admin.sock").stat().st_mode) == 0o600
        alice.ask("CREATE:den", "CREATE:ACKSTATUS:0")
        listed = [line.split()[:3] for line in self.admin("on").splitlines()]
        assert sorted(listed)[:2] == [[name, "127.0.0.1", "rooms"] for name in ("alice", "bob")]
        assert re.search(r"^guest-\d+ +this machine +admin ", self.admin("on"), re.M)
        assert self.admin("rooms") == "den: tictactoe, alice against no one yet\n"
        watching = subprocess.Popen(
            [BIN / "tictac", "admin", "watch", "den"],
            cwd=self.directory, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.addCleanup(watching.communicate)
        self.addCleanup(watching.kill)
        assert watching.stdout is not None
        assert self.event(watching.stdout)["event"] == "room"
        bob.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:alice:bob")
        assert [self.event(watching.stdout)["event"] for _ in range(2)] == ["joined", "began"]
        assert self.admin("kick", "alice") == "Connections closed here: 1.\n"
        assert self.event(watching.stdout)["how"] == "left"
        assert self.admin("ban", "bob", "--for", "2h") == "Done.\n"
        assert self.admin("bans").startswith("bob, until ")
        assert json.loads(self.admin("--json", "unban", "bob")) == {}
        assert self.admin("unban", "bob") == "Error: 'bob' isn't banned\n"
        assert self.admin("drain") == "Done.\n"
        status, log, errors = program.finish()
        assert (status, errors) == (0, "")
        assert "admin: the operator at UNIXAddress: ban, user 'bob', seconds 7200" in log

    def test_a_ban_outlasts_the_server_and_a_removed_account_is_out_at_once(self) -> None:
        place = str(self.directory / "users.db")
        with opened(place) as database:
            AccountTables(database).add_many([Account("alice", HASH), Account("bob", HASH)])
        first = self.start("--admin-socket", "admin.sock")
        first.wait_for("tictac is up")
        self.admin("ban", "alice")
        first.signal()
        first.finish()
        program = self.start()
        program.connect(self).ask("LOGIN:alice:secret", "LOGIN:ACKSTATUS:3")
        bob = program.connect(self)
        bob.ask("LOGIN:bob:secret", "LOGIN:ACKSTATUS:0")
        with opened(place) as database:
            AccountTables(database).remove("bob")
        assert bob.at_end()

    def test_who_reads_only_the_beginning_is_told_of_no_error(self) -> None:
        self.start("--admin-socket", "admin.sock").wait_for("tictac is up")
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "wb") as stdout:
            found = subprocess.run(
                [BIN / "tictac", "admin", "on"],
                cwd=self.directory, stdout=stdout, stderr=subprocess.PIPE, timeout=PATIENCE,
            )  # fmt: skip
        assert (found.returncode, found.stderr) == (1, b"")

    def test_where_no_server_is(self) -> None:
        assert self.admin("-s", "no.sock", "on") == (
            "Error: no server at no.sock: No such file or directory;"
            " run it in the server's folder, or give -s PATH\n"
        )

    @staticmethod
    def event(stream: IO[str]) -> dict[str, object]:
        found: dict[str, object] = json.loads(stream.readline())
        return found


def answered(act: str, *lines: bytes) -> int:
    """Return the exit status of a command that receives these lines."""
    args = argparse.Namespace(act=act, admin_socket="admin.sock", json=False)
    return commands._print_answers(args, io.BytesIO(b"\n".join([*lines, b""])))


@pytest.mark.parametrize("line", [b"220 mail.example.org ESMTP", b"3", b"\xff"])
def test_a_socket_of_something_else(line: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    assert answered("on", line) == 1
    assert capsys.readouterr().err == "Error: no tictac server answers at admin.sock\n"


def test_what_is_said_in_a_room_is_harmless_to_a_terminal_and_still_json(
    capsys: pytest.CaptureFixture[str],
) -> None:
    event = {"event": "said", "text": "\x9b31m M\xfcller \u202e"}
    answered("watch", json.dumps(event, ensure_ascii=False).encode())
    printed = capsys.readouterr().out
    assert printed.rstrip("\n").isprintable() and "M\xfcller" in printed
    assert json.loads(printed) == event
