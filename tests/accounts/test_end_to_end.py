"""Whole servers on a real PostgreSQL, which is killed and comes back."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from pathlib import Path

from tests.accounts.helpers import HASH, OTHER_HASH
from tests.documents import BIN, commands, page
from tests.programs import LOCAL, Program, ServerCase
from tests.storage.postgres import PASSWORD, InPostgres, Postgres
from tictac.accounts.tables import Account, AccountTables
from tictac.storage.address import Address
from tictac.storage.databases import opened

ALICE, BOB = Account("alice", HASH), Account("bob", OTHER_HASH)


ADDRESS = "postgresql://tictac@db.example/tictac"


def test_a_backup_as_it_is_documented(postgres: Postgres, tmp_path: Path) -> None:
    postgres.execute("CREATE DATABASE kept")
    url = postgres.url("kept")
    with opened(url) as database:
        AccountTables(database).add(ALICE)
    _, save, *replace, restore = commands(page("two-servers"), "PostgreSQL in operation")
    postgres.shell(save.replace(ADDRESS, url), tmp_path)
    with opened(url) as database:
        AccountTables(database).remove("alice")
        AccountTables(database).add(BOB)
    for command in replace:
        found = re.fullmatch("su postgres -c '(.*) tictac'", command)
        assert found is not None, command
        made = found[1].replace("--owner=tictac", "--owner=postgres")
        postgres.shell(f"{made} --maintenance-db='{postgres.url()}' kept", tmp_path)
    postgres.shell(restore.replace(ADDRESS, url), tmp_path)
    with opened(url) as database:
        assert AccountTables(database).all() == [ALICE]


def test_moving_there_as_it_is_documented(postgres: Postgres, tmp_path: Path) -> None:
    with opened(str(tmp_path / "users.db")) as database:
        AccountTables(database).add_many([ALICE, BOB])
    [copy] = [c for c in commands(page("two-servers"), "Set up the servers") if "users copy" in c]
    url = postgres.new_place()
    copy = copy.replace(f"{ADDRESS}?sslmode=require", url)
    postgres.shell(copy.replace("/opt/tictac/bin", str(BIN)), tmp_path)
    with opened(url) as database:
        assert AccountTables(database).all() == [ALICE, BOB]


class PostgresTests(InPostgres, ServerCase):
    def server(self, *options: str) -> Program:
        program = self.start(
            "--database", self.url, "--admin", LOCAL, "--journal", "none", *options
        )
        program.wait_for("tictac is up")
        return program

    def health(self, program: Program) -> int:
        """Return the status code of the answer to ``/health/ready``."""
        found = re.search(r"admin: listening on \S+ port (\d+)", program.log)
        assert found is not None
        try:
            address = f"http://127.0.0.1:{found[1]}/health/ready"
            with urllib.request.urlopen(address) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            with error:
                return error.code

    def test_an_outage(self) -> None:
        program = self.server("--engine-timeout", "3")
        alice, bob = self.fill(program)
        assert self.health(program) == 200
        self.postgres.kill()
        dora, emil = (program.connect(self) for _ in range(2))
        dora.send("REGISTER:dora:secret")
        emil.send("LOGIN:alice:secret")
        assert dora.at_end() and emil.at_end()
        assert self.health(program) == 503
        self.play_example(alice, bob)
        self.postgres.start()
        program.wait_for(f"accounts in {Address.parse(self.url)} available again")
        assert self.health(program) == 200
        program.connect(self).sign_up("dora")
        program.signal()
        status, log, errors = program.finish()
        assert (status, errors) == (0, "")
        assert "Traceback" not in log and PASSWORD not in log and "sesame" not in log
        assert len(re.findall("accounts in .* unavailable", log)) == 1
        # The server may have looked for changes as it began.
        assert len(re.findall("refused requests: [23]$", log, re.MULTILINE)) == 1

    def test_a_stop_during_an_outage(self) -> None:
        program = self.server()
        self.postgres.stop()
        try:
            waiting = program.connect(self)
            waiting.send("LOGIN:alice:secret")
            program.wait_for(" unavailable: ")
            program.signal()
            status, log, errors = program.finish()
        finally:
            self.postgres.start()
        assert (status, errors) == (0, "")
        assert waiting.at_end() and "Traceback" not in log

    def test_two_servers_share_their_accounts(self) -> None:
        servers = [self.server(), self.server()]
        callers = [server.connect(self) for server in servers]
        for number in range(3):
            for caller in callers:
                caller.send(f"REGISTER:user{number}:secret")
            answers = sorted(caller.socket.recv(100) for caller in callers)
            assert answers == [b"REGISTER:ACKSTATUS:0\n", b"REGISTER:ACKSTATUS:1\n"]
        for number in range(3):
            for server in servers:
                server.connect(self).ask(f"LOGIN:user{number}:secret", "LOGIN:ACKSTATUS:0")
