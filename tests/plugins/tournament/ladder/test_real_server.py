"""A series on a real server: made by the commands of the guide, and played by two programs."""

from __future__ import annotations

import csv
import re
import shlex
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from io import StringIO

from tests.accounts.helpers import HASH
from tests.documents import BIN, page
from tests.plugins.tournament.hosting.person import Person
from tests.programs import ServerCase
from tests.terminal.processes import PATIENCE
from tictac.accounts.tables import Account, AccountTables
from tictac.storage.databases import opened


def blocks() -> list[str]:
    return re.findall(r"```text\n(.*?)```", page("ladder").read_text("utf-8"), re.S)


class Climber(Person):
    """A program that plays in a series."""

    def climb(self, games: int) -> int:
        """Play so many games at random; return their number."""
        play = {"series": "term", "version": "1.0"}
        self.ask("play", **play)
        seats, played = dict[str, int](), 0
        for said in self.messages():
            if said.get("event") == "room":
                seats[said["room"]] = said["seat"]
            if said.get("event") == "ended":
                played += 1
                if played == games:
                    return played
                self.ask("play", **play)
            if said.get("moves") and said.get("turn") == seats.get(said.get("room", "")):
                self.ask("move", room=said["room"], move=said["moves"][0])
        raise AssertionError(f"the server has closed the connection after {played}")


class RealServerTests(ServerCase):
    def admin(self, command: str) -> str:
        """Return what a command of the guide prints."""
        words = shlex.split(command.partition(" > ")[0].removeprefix("tictac "))
        found = subprocess.run(
            [BIN / "tictac", *words], cwd=self.directory, capture_output=True, text=True,
            timeout=PATIENCE,
        )  # fmt: skip
        assert (found.returncode, found.stderr) == (0, ""), found
        return found.stdout

    def test_the_guide_from_its_first_command_to_its_last(self) -> None:
        with opened(str(self.directory / "users.db")) as database:
            AccountTables(database).add_many([Account("ann", HASH), Account("ben", HASH)])
        program = self.start("--admin-socket", "admin.sock")
        program.address()
        make, *shown = blocks()[0].splitlines()
        # Whenever the test runs, the arena is open.
        assert self.admin(f"{make} --hours 00:00-23:59 --night none") == "Done.\n"
        assert self.admin(shown[0]).startswith("term: Autumn (connectfour, 0 players), ")
        people = [Climber(self, program, name) for name in ("ann", "ben")]
        with ThreadPoolExecutor() as threads:
            assert list(threads.map(lambda each: each.climb(games=2), people)) == [2, 2]
        program.signal(signal.SIGKILL)
        program.finish()
        program = self.start("--admin-socket", "admin.sock")
        program.address()
        people = [Climber(self, program, name) for name in ("ann", "ben")]
        with ThreadPoolExecutor() as threads:
            assert list(threads.map(lambda each: each.climb(games=1), people)) == [1, 1]
        table = self.admin(shown[1])
        assert "(club)" in table and re.search(r"1\. (ann|ben) +\d+ ± \d+ ", table), table
        rows = list(csv.DictReader(StringIO(self.admin(shown[2]))))
        assert {row["name"] for row in rows} == {"ann", "ben", ""}
        assert {row["version"] for row in rows if row["name"]} == {"1.0"}
        for command in blocks()[2].splitlines():
            self.admin(command)
        assert self.admin(shown[0]) == "term: Autumn (connectfour, 2 players), over\n"
        program.signal()
        status, log, errors = program.finish()
        assert (status, errors) == (0, ""), (log, errors)
