"""Two servers on one database file, as processes: one has the rooms, whatever happens."""

from __future__ import annotations

import re
import shutil
import signal
import sqlite3
import subprocess
from contextlib import closing
from functools import cache
from pathlib import Path
from unittest import skipUnless

from tests.documents import blocks
from tests.helpers import needs_linux
from tests.programs import LOCAL, TWISTD, Caller, Program, ServerCase
from tests.terminal.processes import PATIENCE, ROOT

REFUSED = (
    r"Error: \S*users.db: another server has the saved rooms: pid (\d+) on (\S+) since"
    r" [-\d]+ [:\d]+ UTC; stop it, or add --journal none\n"
)

CONTAINER = ("unshare", "--pid", "--uts", "--fork", "--kill-child", "--mount-proc")


@cache
def has_containers() -> bool:
    """Return whether the tests may start a process that sees no other one."""
    program = shutil.which("unshare")
    return program is not None and not subprocess.call(
        [*CONTAINER, "true"], stderr=subprocess.DEVNULL
    )


class OwnerCase(ServerCase):
    def refused(self, *options: str) -> re.Match[str]:
        """Start another server, and check that it ends with one line about the owner."""
        status, log, errors = self.start(*options).finish()
        found = re.fullmatch(REFUSED, errors)
        assert status == 1 and found and "listening" not in log, (status, log, errors)
        return found

    def log_in(self, program: Program, user: str) -> Caller:
        caller = program.connect(self)
        caller.ask(f"LOGIN:{user}:secret", "LOGIN:ACKSTATUS:0")
        return caller

    def go_on(self, program: Program, turn: str, board: str) -> tuple[Caller, Caller]:
        """Let both players come back to den, where it is this one's turn."""
        program.address()
        alice, bob = (self.log_in(program, user) for user in ("alice", "bob"))
        other = "bob" if turn == "alice" else "alice"
        for caller in (alice, bob):
            come_back = f"INPROGRESS:{turn}:{other}", f"BOARDSTATUS:{board}"
            caller.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", *come_back)
        return alice, bob

    def move(self, alice: Caller, bob: Caller, move: str, board: str) -> None:
        alice.send(f"PLACE:{move}")
        for caller in (alice, bob):
            caller.expect(f"BOARDSTATUS:{board}")

    def saved(self) -> list[tuple[str]]:
        """Return the events of all saved rooms."""
        with closing(sqlite3.connect(self.directory / "users.db")) as connection:
            return connection.execute("SELECT event FROM room_events ORDER BY number").fetchall()

    def run_command(self, *arguments: str) -> str:
        done = subprocess.run(
            [Path(TWISTD).with_name("tictac"), *arguments],
            cwd=self.directory, capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip
        assert done.returncode == 0, done
        return done.stdout


class TwoServersTests(OwnerCase):
    def test_the_second_one_is_refused_and_the_first_one_plays_on(self) -> None:
        first = self.start()
        alice, bob = self.fill(first)
        self.move(alice, bob, "1:1", "000010000")
        saved = self.saved()
        assert self.refused()[1] == str(first.process.pid)
        (self.directory / "link.db").symlink_to(self.directory / "users.db")
        status, _, errors = self.start("--database", "link.db").finish()
        assert status == 1 and "another server has the saved rooms" in errors
        assert self.saved() == saved
        self.move(bob, alice, "0:0", "200010000")
        first.signal(signal.SIGKILL)
        first.finish()
        second = self.start()
        alice, bob = self.go_on(second, "alice", "200010000")
        self.move(alice, bob, "0:2", "200010100")

    def test_who_starts_it_in_the_background_reads_it_too(self) -> None:
        first = self.start()
        first.address()
        done = subprocess.run(
            [TWISTD, "--logfile=log", "--pidfile=pid", "tictac", "--port", LOCAL],
            cwd=self.directory, capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (1, "") and re.fullmatch(REFUSED, done.stderr)

    def test_without_the_lock_file_the_second_one_takes_over_and_nothing_is_lost(self) -> None:
        first = self.start()
        alice, bob = self.fill(first)
        self.move(alice, bob, "1:1", "000010000")
        (self.directory / "users.db.rooms.lock").unlink()
        second = self.start()
        second.wait_for("tictac is up")
        bob.send("PLACE:0:0")
        status, log, errors = first.finish()
        assert (status, errors) == (75, "")
        lines = [line for line in log.splitlines() if "taken over" in line]
        assert len(lines) == 1 and "this process ends with status 75" in lines[0], log
        assert "Traceback" not in log and alice.at_end() and bob.at_end()
        alice, bob = self.go_on(second, "bob", "000010000")
        self.move(bob, alice, "0:0", "200010000")

    def test_a_copy_that_is_restored_meanwhile(self) -> None:
        first = self.start()
        alice, bob = self.fill(first)
        self.move(alice, bob, "1:1", "000010000")
        file, copy = self.directory / "users.db", self.directory / "copy"
        with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        file.rename(self.directory / "former")
        copy.rename(file)
        bob.send("PLACE:0:0")
        first.wait_for("users.db was replaced")
        self.refused()
        file.unlink()
        (self.directory / "former").rename(file)
        for caller in (alice, bob):
            caller.expect("BOARDSTATUS:200010000")

    @needs_linux
    def test_a_deleted_file_is_rescued_as_the_guide_says(self) -> None:
        first = self.start()
        alice, bob = self.fill(first)
        self.move(alice, bob, "1:1", "000010000")
        for ending in ("", "-wal", "-shm"):
            (self.directory / f"users.db{ending}").unlink()
        bob.send("PLACE:0:0")
        first.wait_for("users.db is missing")
        (rescue,) = blocks(ROOT / "docs" / "guides" / "monitor.md", "Database problems", "sh")
        commands = rescue.text.replace("PID", str(first.process.pid))
        subprocess.run(["sh", "-ec", commands], cwd=self.directory, check=True, timeout=PATIENCE)
        status, log, _ = first.finish()
        assert status == 0 and "Traceback" not in log and log.count("cannot save moves") == 1
        for ending in ("-wal", "-shm"):
            (self.directory / f"users.db{ending}").unlink(missing_ok=True)
        for ending in ("", "-wal"):
            file = self.directory / f"users.rescued.db{ending}"
            file.rename(self.directory / f"users.db{ending}")
        alice, bob = self.go_on(self.start(), "bob", "000010000")
        self.move(bob, alice, "0:0", "200010000")

    def test_servers_without_a_journal_and_commands_leave_the_rooms_alone(self) -> None:
        first = self.start()
        alice, bob = self.fill(first)
        self.move(alice, bob, "1:1", "000010000")
        saved = self.saved()
        others = [self.start("--journal", "none") for _ in range(2)]
        for other in others:
            self.log_in(other, "alice").ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:1")
        assert "alice" in self.run_command("users", "list")
        self.run_command("matches", "list")
        self.run_command(
            "tournament", "file.jsonl", "-d", "users.db", "--game", "nim", "--games", "1",
            "--player", "a=computer:beginner", "--player", "b=computer:beginner",
        )  # fmt: skip
        others[0].signal(signal.SIGKILL)
        others[1].signal()
        assert others[1].finish()[0] == 0
        assert self.saved() == saved
        self.move(bob, alice, "0:0", "200010000")

    def test_one_of_several_servers_decides_tournaments(self) -> None:
        """The first one, if rooms are in its journal or not; a restart gives them back to it."""
        first = self.start()
        first.address()
        second = self.start("--journal", "none")
        second.wait_for("another server decides the tournaments: pid")
        second.address()
        first.signal(signal.SIGKILL)
        first.finish()
        first = self.start()
        first.address()
        assert "another server decides" not in first.log

    @needs_linux
    @skipUnless(has_containers(), "needs unshare and its rights")
    def test_two_containers_with_one_volume(self) -> None:
        """Their process ids mean nothing to each other."""
        first = self.boxed("one")
        alice, bob = self.fill(first)
        self.move(alice, bob, "1:1", "000010000")
        status, _, errors = self.boxed("two").finish()
        found = re.fullmatch(REFUSED, errors)
        assert status == 1 and found and found.groups() == ("1", "one"), errors
        self.move(bob, alice, "0:0", "200010000")
        first.signal(signal.SIGKILL)
        first.finish()
        self.go_on(self.boxed("two"), "alice", "200010000")

    def boxed(self, name: str) -> Program:
        """Start a server as the only process of a container, whose host name that is."""
        command = 'hostname "$0"; exec "$@"'
        within = (*CONTAINER, "sh", "-c", command, name)
        return Program(self, self.directory, "--port", LOCAL, within=within)
