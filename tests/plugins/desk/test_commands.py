"""The commands of a group at the operator's terminal."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from tictac.server.cli import main


@contextmanager
def serving(path: str, parts: dict[int | None, tuple[str, int | None]]) -> Iterator[None]:
    """Answer one connection with the parts of an export, by the `first` that asks for each."""

    def serve(listening: socket.socket) -> None:
        taken = listening.accept()[0]
        with taken, taken.makefile("rwb") as file:
            for line in file:
                csv, following = parts[json.loads(line).get("first")]
                answer = {"answer": 0, "csv": csv, "next": following}
                file.write(json.dumps(answer).encode() + b"\n")
                file.flush()

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        server = Thread(target=serve, args=(listening,), daemon=True)
        server.start()
        yield
        server.join()


def test_an_export_has_all_pupils(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An answer has up to 100 of them."""
    path = str(tmp_path / "admin.sock")
    parts = {None: ("name\r\nalice\r\n", 100), 100: ("bob\r\n", 200), 200: ("carol\r\n", None)}
    with serving(path, parts):
        assert main(["admin", "-s", path, "desk", "export", "7b"]) == 0
    assert capsys.readouterr().out.split() == ["name", "alice", "bob", "carol"]


def test_a_gradebook_begins_with_the_class_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, listed = str(tmp_path / "admin.sock"), tmp_path / "class.csv"
    listed.write_text("name,email\nalice,a@b\nbob,b@b\n")
    command = ["admin", "-s", path, "desk", "export", "7b", "--list", str(listed)]
    head = "name,group,last_login,matches,Nim,Nim: passed\n"
    with serving(path, {None: (f"{head}alice,7b,,1,1,yes\n", 1), 1: ("bob,7b,,0,0,no\n", None)}):
        assert main(command) == 0
    found = capsys.readouterr().out
    assert found == "name,email,Nim,Total\nalice,a@b,100,100\nbob,b@b,0,0\n"
    Path(path).unlink()
    with serving(path, {None: ("name,group,last_login,matches\n", None)}):
        assert main(command) == 1
    assert capsys.readouterr().err.startswith("Error: the group has no rules")


def test_canvas_needs_a_class_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["admin", "desk", "export", "7b", "--canvas"]) == 1
    assert capsys.readouterr().err == "Error: --canvas needs the class list: --list FILE\n"
