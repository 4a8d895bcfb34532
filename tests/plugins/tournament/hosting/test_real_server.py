"""A tournament on a real server: made by `tictac admin`, killed in between, played to its end."""

from __future__ import annotations

import shlex
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.accounts.helpers import HASH
from tests.documents import BIN, page
from tests.plugins.tournament.hosting.person import CUP, Person
from tests.programs import ServerCase
from tests.terminal.processes import PATIENCE
from tictac.accounts.tables import Account, AccountTables
from tictac.archive.tables import MatchTables
from tictac.plugins.tournament.hosting.tables import TournamentTables
from tictac.storage.databases import opened


class RealServerTests(ServerCase):
    def admin(self, *arguments: str) -> str:
        """Return what a command prints to either output."""
        found = subprocess.run(
            [BIN / "tictac", "admin", "tournament", *arguments],
            cwd=self.directory, capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip
        assert (found.returncode == 0) is not found.stderr.startswith("Error: "), found
        return found.stdout or found.stderr

    def test_the_first_example_of_the_guide(self) -> None:
        program = self.start("--admin-socket", "admin.sock")
        program.address()
        example = page("tournament").read_text("utf-8").split("```text\n")[1].split("```")[0]
        for command in example.splitlines():
            said = self.admin(*shlex.split(command.removeprefix("tictac admin tournament ")))
        assert said.startswith("friday-cup: Friday Cup (round-robin, Reversi, 2 players)"), said

    def test_a_tournament_outlives_a_killed_server(self) -> None:
        pytest.importorskip("py4swiss", reason="there is no py4swiss for this machine")
        with opened(str(self.directory / "users.db")) as database:
            AccountTables(database).add_many([Account("ann", HASH), Account("ben", HASH)])
        program = self.start("--admin-socket", "admin.sock")
        program.address()
        plan = ["--system", "swiss", "--game", "nim", "--time", "60+1", "--rounds", "2"]
        plan += ["--rest", "1"]
        assert self.admin("create", CUP, *plan) == "Done.\n"
        assert self.admin("create", CUP, *plan).startswith("Error: there is a tournament")
        assert self.admin("create", "Friday", *plan).startswith("Error: an id has")
        assert self.admin("add", CUP, "ann") == "ann takes part.\n"
        assert self.admin("add", CUP, "--computer", "beginner") == "computer takes part.\n"
        people = [Person(self, program, name) for name in ("ann", "ben")]
        people[1].ask("enter", tournament=CUP)
        assert self.admin("add", CUP, "--computer", "beginner") == "computer 2 takes part.\n"
        assert self.admin("list").startswith(f"{CUP}: {CUP} (swiss, Nim, ")
        assert self.admin("begin", CUP) == "Done.\n"
        with ThreadPoolExecutor() as threads:
            first = [*threads.map(lambda person: person.play(games=1), people)]
        program.signal(signal.SIGKILL)
        program.finish()
        program = self.start("--admin-socket", "admin.sock")
        program.address()
        people = [Person(self, program, name) for name in ("ann", "ben")]
        with ThreadPoolExecutor() as threads:
            list(threads.map(Person.play, people))
        shown = self.admin("show", CUP)
        assert "over" in shown.splitlines()[0] and "ann" in shown
        program.signal()
        status, log, errors = program.finish()
        assert (status, errors) == (0, ""), (log, errors)
        with opened(str(self.directory / "users.db")) as database:
            lines = [each.line for each in TournamentTables(database).read(CUP)]
            matches = {each.id for each in MatchTables(database).all()}
            assert TournamentTables(database).outcomes(CUP) == []
        ended = {line[1]: line[4] for line in lines if line[0] == "ended"}
        assert sorted(ended) == [1, 2, 3, 4] and set(first[0]) <= set(ended)
        assert set(ended.values()) == matches
