"""Programs on a real server: pushed by the command, and run by a runner in its sandbox."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import signal
import subprocess
from pathlib import Path
from time import monotonic
from unittest import skipIf

from tests.accounts.helpers import HASH
from tests.documents import BIN, blocks, page
from tests.plugins.submissions.sandboxes import why_none
from tests.programs import LOCAL, ServerCase
from tests.terminal.processes import PATIENCE, end, read_until
from tictac.accounts.tables import Account, AccountTables
from tictac.bot import Result, play
from tictac.storage.databases import opened

BOT = """
import sys
from tictac.bot import play
print("hello from", sys.argv[3], file=sys.stderr, flush=True)
{more}
play(lambda turn: {choose}, sys.argv[1], int(sys.argv[2]), sys.argv[3], game="nim", games={games})
"""


def series_bot() -> str:
    """Return the program of the guide."""
    (found,) = blocks(page("programs"), "Push a program", "python")
    return found.text


def bot(choose: str = "turn.moves[0]", games: str = "None", more: str = "") -> str:
    return BOT.format(choose=choose, games=games, more=more)


def commands() -> list[str]:
    """Return the commands of the guide."""
    found = re.findall(r"```text\n(.*?)```", page("programs").read_text("utf-8"), re.S)
    return [line for block in found for line in block.splitlines() if line.startswith("tictac ")]


class Runner:
    """``tictac runner`` in a process of its own, until the end of the test."""

    def __init__(self, case: ServerCase, token: str, web: str, lobby: str) -> None:
        words = [str(BIN / "tictac"), "runner", web, "--lobby", lobby, "--gates", "4"]
        self.process = subprocess.Popen(
            words, cwd=case.directory, env={**os.environ, "TICTAC_RUNNER_TOKEN": token},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        case.addCleanup(end, self.process)
        self.log = ""

    def wait_for(self, text: str) -> None:
        assert self.process.stdout is not None
        self.log = read_until(self.process.stdout.fileno(), text, self.log)


@skipIf(bool(why_none()), why_none())
class RealServerTests(ServerCase):
    def setUp(self) -> None:
        super().setUp()
        self.names = ["anna", "ben"]

    def serve(self, time: str) -> None:
        """Start a server with the accounts, a series with this time, and the token of a runner."""
        with opened(str(self.directory / "users.db")) as database:
            AccountTables(database).add_many([Account(name, HASH, "7b") for name in self.names])
        program = self.start("--admin-socket", "admin.sock", "--web", LOCAL, "--runner-lease", "10")
        host, port = program.address()
        self.lobby = f"{host}:{port}"
        found = re.search(r"web: listening on (\S+) port (\d+)", program.log)
        assert found is not None
        self.web = f"http://{found[1]}:{found[2]}"
        self.run_words("admin", "series", "create", "term", "--game", "nim", "--time", time,
                       "--hours", "00:00-23:59", "--night", "none")  # fmt: skip
        self.token = self.run_words("admin", "runners", "add", "one").strip()

    def begin(self, *words: str, **more: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [BIN / "tictac", *words], cwd=self.directory,
            env={**os.environ, "XDG_CONFIG_HOME": str(self.directory), **more},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self.addCleanup(end, process)
        return process

    def finish(self, process: subprocess.Popen[bytes], status: int = 0) -> str:
        """Return all that it printed."""
        told = process.communicate(timeout=5 * PATIENCE)[0].decode()
        assert process.returncode == status, (process.args, told)
        return told

    def run_words(self, *words: str) -> str:
        return self.finish(self.begin(*words))

    def runner(self) -> Runner:
        return Runner(self, self.token, self.web, self.lobby)

    def push(self, user: str, code: str) -> subprocess.Popen[bytes]:
        """Push a program, and wait for what becomes of it, in a process of its own."""
        folder = self.directory / user
        folder.mkdir()
        (folder / "main.py").write_text(code)
        return self.begin("bot", "push", str(folder), self.web, "--user", user, "--wait",
                          PASSWORD="secret")  # fmt: skip

    def wait_for_entries(self, series: str) -> None:
        """Wait until the programs of all have entered a series, some time after their starts."""
        until = monotonic() + PATIENCE
        while not all(
            name in self.run_words("admin", "series", "show", series) for name in self.names
        ):
            assert monotonic() < until, "they never entered"

    def rows(self) -> dict[str, dict[str, object]]:
        found = json.loads(self.run_words("admin", "--json", "submissions"))
        return {each["user"]: each for each in found["submissions"]}

    def test_two_programs_reach_the_ladder_and_survive_their_runner(self) -> None:
        self.serve("60+1")
        first = self.runner()
        first.wait_for("Running programs of")
        for pushing in [self.push("anna", bot()), self.push("ben", bot(games="1"))]:
            assert "ladder: it is on the ladder" in self.finish(pushing)
        for name in self.names:
            first.wait_for(f"'{name}' 1: started, state ladder")
        second = self.runner()
        second.wait_for("Running programs of")
        first.process.kill()
        # The second one gets both when their leases have ended.
        for name in self.names:
            second.wait_for(f"'{name}' 1: started, state ladder")
        self.wait_for_entries("term")
        second.process.send_signal(signal.SIGTERM)
        assert second.process.wait(PATIENCE) == 0
        for name, row in self.rows().items():
            assert row["state"] == "ladder", row
            assert "of 4 points against beginner" in str(row["report"]), (name, row)
        sheet = self.run_words("admin", "submissions", "--group", "7b", "--csv")
        found = [(each["user"], each["state"]) for each in csv.DictReader(sheet.splitlines())]
        assert found == [("anna", "ladder"), ("ben", "ladder")]
        self.run_words("admin", "desk", "rule", "7b", "check")
        desk = self.run_words("admin", "desk", "show", "7b")
        assert desk.count("[1: 1/1 passed]") == 2, desk

    def test_people_play_a_program_of_the_ladder(self) -> None:
        self.serve("60+1")
        self.runner().wait_for("Running programs of")
        pushing = self.push("anna", series_bot())
        assert "ladder: it is on the ladder" in self.finish(pushing)
        results: list[Result] = []
        host, port = self.lobby.rsplit(":", 1)
        play(lambda turn: turn.moves[0], host, int(port), "gina", game="nim", challenge="anna",
             games=1, ended=results.append)  # fmt: skip
        assert results[0].how == "won"
        assert self.rows()["anna"]["games"] == 0, "it doesn't count for the ladder"

    def test_each_bad_program_is_refused_with_its_reason(self) -> None:
        programs = {
            "crash": ("raise KeyError('oh')", "it fails tictac check lobby-client"),
            "silent": (
                "import socket, sys, signal\n"
                "s = socket.create_connection((sys.argv[1], int(sys.argv[2])))\nsignal.pause()",
                "it fails tictac check lobby-client",
            ),
            "slow": (
                # It moves in the check, whose room is den, but not against the computer.
                bot("turn.moves[0] if turn.room == 'den' else __import__('signal').pause()"),
                "timed out",
            ),
            "dies": (
                bot("turn.moves[0] if turn.room == 'den' else sys.exit('no plan')"),
                "in game 1 against the computer, it ended with exit status 1: no plan",
            ),
        }
        self.names = list(programs)
        self.serve("10")
        self.runner().wait_for("Running programs of")
        pushing = {name: self.push(name, code) for name, (code, _) in programs.items()}
        for name, (_, why) in programs.items():
            told = self.finish(pushing[name], status=1)
            assert "refused: it was refused" in told and why in told, (name, told)

    def test_a_wrong_token_ends_a_runner(self) -> None:
        self.serve("60")
        self.token = "wrong"
        runner = self.runner()
        runner.wait_for("no runner has this token")
        assert runner.process.wait(PATIENCE) == 2


def test_the_guide_has_only_commands_that_exist() -> None:
    for command in commands():
        words = shlex.split(command)[1:]
        words = words[: 3 if words[0] == "admin" else 2 if words[0] == "bot" else 1]
        words = [word for word in words if not word.startswith("-")]
        done = subprocess.run(
            [BIN / "tictac", *words, "--help"], capture_output=True, timeout=PATIENCE
        )
        assert done.returncode == 0, command


def test_without_a_sandbox_nothing_runs(tmp_path: Path) -> None:
    """An empty PATH has no bubblewrap."""
    words = [str(BIN / "tictac"), "runner", "http://127.0.0.1:1"]
    environment = {"PATH": str(tmp_path), "TICTAC_RUNNER_TOKEN": "x", "HOME": str(tmp_path)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2
    assert done.stderr == "Error: programs can't run without a sandbox: install bubblewrap.\n"
