"""What an earlier release wrote, and the names that others depend on."""

from __future__ import annotations

import json
import socket
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.compatibility import FOLDER, NAMES, describe
from tests.documents import BIN
from tests.plugins.classics.rooms.real_server import RealServerCase
from tests.terminal.processes import PATIENCE

SAME_TOURNAMENT = (
    "--player=a=computer:beginner", "--player=b=computer:best", "--seed=1", "--games=4",
)  # fmt: skip


def tictac(folder: Path, *arguments: str) -> str:
    """Run the command in a folder, and return what it prints."""
    run = subprocess.run(
        [BIN / "tictac", *arguments], cwd=folder, text=True, capture_output=True, timeout=PATIENCE
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_names_that_others_depend_on() -> None:
    """Which changes on purpose is written by ``python -m tests.compatibility``."""
    assert describe() == NAMES.read_text("utf-8")


def test_a_backup_of_accounts(tmp_path: Path) -> None:
    tictac(tmp_path, "users", "import", "--create", str(FOLDER / "users.json"))
    tictac(tmp_path, "users", "export", "again.json")
    again = json.loads((tmp_path / "again.json").read_text("utf-8"))
    assert again == json.loads((FOLDER / "users.json").read_text("utf-8"))


def test_lines_of_an_archive(tmp_path: Path) -> None:
    tictac(tmp_path, "matches", "import", "--create", str(FOLDER / "matches.jsonl"))
    tictac(tmp_path, "matches", "export", "again.jsonl")
    assert (tmp_path / "again.jsonl").read_text("utf-8") == (FOLDER / "matches.jsonl").read_text()


@pytest.mark.parametrize("games", [0, 1, 3, 4])
def test_a_tournament_goes_on(tmp_path: Path, games: int) -> None:
    text = (FOLDER / "tournament.jsonl").read_text("utf-8")
    kept = "".join(text.splitlines(keepends=True)[: 8 + games])
    results = tmp_path / "results"
    results.write_text(kept, "utf-8")
    said = tictac(tmp_path, "tournament", *SAME_TOURNAMENT, str(results))
    assert "4 of 4 games" in said
    after = results.read_text("utf-8")
    assert after.startswith(kept)
    assert [json.loads(line)[0] for line in after.splitlines()[1:]].count("ended") == 4


class DatabaseTests(RealServerCase):
    """A database of a server that was killed while matches ran."""

    options = ("--journal", "sqlite", "--rejoin-timeout", "60")

    def start_server(self, port: str) -> None:
        dump = (FOLDER / "database.sql").read_text("utf-8")
        with closing(sqlite3.connect(Path(self.directory) / "users.db")) as database:
            database.executescript(dump)
        super().start_server(port)

    def ask(self, user: str, *requests: dict[str, Any]) -> list[dict[str, Any]]:
        """Log in, ask, and return the answers; the connection is closed at the end of the test."""
        host, port = self.address
        connection = socket.create_connection((host, int(port)), PATIENCE)
        self.addCleanup(connection.close)
        lines = connection.makefile("rb")
        self.addCleanup(lines.close)
        login = {"do": "login", "user": user, "password": "secret12"}
        answers = []
        for number, request in enumerate((login, *requests)):
            connection.sendall(json.dumps({**request, "id": number}).encode() + b"\n")
            while (message := json.loads(lines.readline())).get("answer") != number:
                pass
            assert "error" not in message, message
            answers.append(message)
        return answers[1:]

    def test_a_match_that_ran_goes_on(self) -> None:
        self.ask("alice", {"do": "join", "room": "running"})
        self.ask(
            "bob",
            {"do": "join", "room": "running"},
            {"do": "move", "room": "running", "move": "c5"},
        )

    def test_rooms_matches_and_ratings_are_there(self) -> None:
        lobby, matches, ratings = self.ask(
            "alice", {"do": "lobby"}, {"do": "matches"}, {"do": "ratings", "game": "tictactoe"}
        )
        rooms = ["clue", "running", "flipped", "waiting"]
        assert [room["room"] for room in lobby["rooms"]] == rooms
        assert [match["game"] for match in matches["matches"]] == ["connectfour", "tictactoe"]
        assert {each["player"] for each in ratings["players"]} == {"alice", "bob"}


def test_a_database_can_be_read_by_commands(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "users.db")) as database:
        database.executescript((FOLDER / "database.sql").read_text("utf-8"))
    assert tictac(tmp_path, "users", "list") == "alice\nbob\n"
    assert tictac(tmp_path, "matches", "export") == (FOLDER / "matches.jsonl").read_text("utf-8")
