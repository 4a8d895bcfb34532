"""The commands of a group at the operator's terminal."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from threading import Thread

import pytest

from tictac.server.cli import main


def test_an_export_has_all_pupils(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An answer has up to 100 of them."""
    parts = {None: ("name\r\nalice\r\n", 100), 100: ("bob\r\n", 200), 200: ("carol\r\n", None)}

    def serve(listening: socket.socket) -> None:
        taken = listening.accept()[0]
        with taken, taken.makefile("rwb") as file:
            for line in file:
                csv, following = parts[json.loads(line).get("first")]
                answer = {"answer": 0, "csv": csv, "next": following}
                file.write(json.dumps(answer).encode() + b"\n")
                file.flush()

    path = str(tmp_path / "admin.sock")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        server = Thread(target=serve, args=(listening,), daemon=True)
        server.start()
        assert main(["admin", "-s", path, "desk", "export", "7b"]) == 0
        server.join()
    assert capsys.readouterr().out.split() == ["name", "alice", "bob", "carol"]
