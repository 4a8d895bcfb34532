"""An active server and its standby, in processes of their own, with a real PostgreSQL."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
from unittest import skipUnless

import psycopg

from tests.plugins.postgres.two_processes import LEASE, TwoCase
from tests.programs import LOCAL, TWISTD, Program
from tests.terminal.processes import PATIENCE, ROOT, start
from tictac.net.service import LOST
from tictac.plugins.check.target import free_port
from tictac.storage.upgrades import shipped_steps


class StandbyTests(TwoCase):
    def test_it_says_why_it_waits_and_listens_nowhere(self) -> None:
        self.serve()
        b = self.standby()
        status, why = self.health(b)
        assert status == 503 and why.startswith("not ready: standby: ") and "is active" in why
        assert self.health(b, "active") == (503, why.removeprefix("not ready: "))
        assert self.health(b, "live") == (200, "alive")
        assert "rooms: listening" not in b.log

    def test_the_active_process_is_killed(self) -> None:
        a, b = self.serve(), self.standby()
        alice, _ = self.begin_match(a)
        a.signal(signal.SIGKILL)
        assert alice.at_end()
        b.wait_for("is silent: restoring its rooms")
        self.check_goes_on(b)
        assert self.health(b) == (200, "ready")

    def test_it_stops_in_order_and_all_seats_are_held(self) -> None:
        """Also of this protocol, whose players lose when they are cut off."""
        a, b = self.serve(), self.standby()
        self.begin_match(a)
        a.signal()
        status, log, errors = a.finish()
        assert (status, errors) == (0, "") and "the turn of this process is over" in log
        b.wait_for("has ended: restoring its rooms")
        self.check_goes_on(b)

    def test_it_sleeps_and_ends_when_it_wakes(self) -> None:
        a = self.serve()
        self.begin_match(a)
        b = self.standby()
        a.signal(signal.SIGSTOP)
        self.check_goes_on(b)
        a.signal(signal.SIGCONT)
        status, log, _ = a.finish()
        assert "another process has taken over; this process ends with status 75" in log
        assert status == LOST

    def test_both_can_have_one_port(self) -> None:
        port = f"tcp:{free_port()}:interface=127.0.0.1"
        a, b = self.serve("--port", port), self.standby("--port", port)
        a.signal()
        b.wait_for("rooms: listening")

    def test_it_stops_while_it_waits(self) -> None:
        self.serve()
        b = self.standby()
        b.signal()
        status, log, errors = b.finish()
        assert (status, errors) == (0, "") and "tictac has stopped" in log

    def test_of_three_standbys_one_takes_over(self) -> None:
        a, *others = self.serve(), *(self.standby() for _ in range(3))
        self.begin_match(a)
        a.signal(signal.SIGKILL)
        former = active = a.process.pid
        while active == former:
            [(process,)] = self.postgres.execute("SELECT process FROM active", self.url)
            active = int(process.partition(" pid ")[2].partition("/")[0])
        [successor] = [each for each in others if each.process.pid == active]
        self.check_goes_on(successor)
        for standby in others:
            if standby is not successor:
                standby.wait_for(f"pid {active} is active")
                assert f"pid {active} is active" in self.health(standby)[1]
                assert "restored" not in standby.log

    def test_it_stops_while_it_restores_the_rooms(self) -> None:
        """The rooms' table is locked, so it waits for them; then it gives the turn back."""
        patient = ("--engine-timeout", "60")
        a, b, c = self.serve(*patient), self.standby(*patient), self.standby(*patient)
        self.begin_match(a)
        with psycopg.connect(self.url) as locking:
            locking.execute("LOCK TABLE rooms")
            c.signal(signal.SIGSTOP)
            a.signal(signal.SIGKILL)
            b.wait_for("restoring its rooms")
            assert self.health(b) == (503, "not ready: the rooms are restored")
            b.signal()
        status, log, errors = b.finish()
        assert (status, errors) == (0, "") and "the turn of this process is over" in log
        c.signal(signal.SIGCONT)
        c.wait_for("has ended: restoring its rooms")
        self.check_goes_on(c)

    def test_its_port_is_taken_at_its_turn(self) -> None:
        """It gives the turn back, and ends; systemd starts it again, until the port is free."""
        a = self.serve()
        self.begin_match(a)
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = f"tcp:{taken.getsockname()[1]}:interface=127.0.0.1"
            b = self.start("--database", self.url, "--lease", LEASE, port=port)
            b.wait_for("standby: ")
            a.signal(signal.SIGKILL)
            status, log, errors = b.finish()
            why = f"cannot listen on {port}:backlog=4096: Address already in use"
            [line] = [line for line in log.splitlines() if "cannot" in line]
            assert line.endswith(f"{why}; this process ends with status 75")
            assert (status, errors) == (LOST, "") and "Traceback" not in log
            assert "active: " not in log
            assert "the turn of this process is over" in log
        b = self.start("--database", self.url, "--lease", LEASE, port=port)
        b.wait_for("has ended: restoring its rooms")
        self.check_goes_on(b)

    def test_a_newer_version_upgrades_the_database(self) -> None:
        """The active server plays on, an older standby ends, and the newer one continues."""
        newer = self.directory / "newer"
        for folder in ("tictac", "twisted"):
            shutil.copytree(ROOT / folder, newer / folder)
        schema = newer / "tictac" / "storage" / "schema"
        name = f"{len(shipped_steps()) + 1:04}_newer.sql"
        (schema / name).write_text("CREATE TABLE newer (id INTEGER);\n", "utf-8")
        a, b = self.serve(), self.standby()
        options = ("--port", LOCAL, "--database", self.url, "--lease", LEASE)
        c = Program(self, self.directory, *options, path=str(newer))
        c.wait_for("standby: ")
        status, log, _ = b.finish()
        why = "a newer version of tictac has upgraded the database"
        assert status == LOST and f"{why}; this process ends with status 75" in log
        self.begin_match(a)
        a.signal()
        assert a.finish()[0] == 0
        self.check_goes_on(c)

    @skipUnless(os.getuid() == 0, "needs root, whose rights the server gives up")
    def test_a_port_that_needs_rights_which_it_gives_up(self) -> None:
        """It would listen at its turn only, and then it can't."""
        self.directory.chmod(0o777)
        nobody = pwd.getpwnam("nobody")
        who = ("--uid", str(nobody.pw_uid), "--gid", str(nobody.pw_gid))
        port = "tcp:997:interface=127.0.0.1"
        command = [TWISTD, "-n", "--pidfile=", *who, "tictac", "--port", port]
        program = start(self, [*command, "--database", self.url], cwd=self.directory)
        out, errors = program.communicate(timeout=PATIENCE)
        assert (program.returncode, errors) == (1, b"")
        why = f"Error: cannot listen on {port}:backlog=4096: Permission denied"
        assert out.decode().splitlines()[-1].endswith(why)


class OutageTests(TwoCase):
    def test_moves_wait_for_the_database(self) -> None:
        a, b = self.serve(), self.standby()
        alice, bob = self.begin_match(a)
        self.postgres.kill()
        try:
            a.wait_for(" unavailable: ")
            assert self.health(a)[0] == 503
            assert self.health(a, "active") == (200, "active")  # HAProxy leaves the players alone
            bob.send("PLACE:0:0")
        finally:
            self.postgres.start()
        for caller in (alice, bob):
            caller.expect("BOARDSTATUS:200010000")
        # The accounts have a connection of their own, which may come back later.
        self.call(a).ask("LOGIN:nobody:secret", "LOGIN:ACKSTATUS:1")
        assert self.health(a)[0] == 200 and "restoring" not in b.log

    def test_who_waits_too_long_is_disconnected_and_has_a_seat(self) -> None:
        a = self.serve("--engine-timeout", "2")
        alice, bob = self.begin_match(a)
        self.postgres.kill()
        try:
            bob.send("PLACE:0:0")
            assert alice.at_end() and bob.at_end()
            a.wait_for("the ports closed")
            assert self.health(a, "active") == (503, "the database doesn't answer")
            with self.assertRaises(OSError):
                self.call(a)
        finally:
            self.postgres.start()
        a.wait_for("the database answers again")
        alice, bob = (self.log_in(a, user) for user in ("alice", "bob"))
        for caller in (alice, bob):
            caller.send("JOIN:den:PLAYER")
            caller.expect("JOIN:ACKSTATUS:0")
