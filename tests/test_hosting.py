"""Hosting a class, as docs/tutorials/hosting-a-class.md tells it: every command, in its order."""

from __future__ import annotations

import csv
import json
import os
import re
import select
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from tests.documents import BIN, ROOT, blocks, commands, make_certificate, page
from tests.helpers import needs_linux
from tests.terminal.processes import PATIENCE

PAGE = page("hosting-a-class")


class Teacher:
    """Somebody who types the commands of the page, in the folder of the class."""

    def __init__(self, clone: Path) -> None:
        self.folder = clone / "class"
        self.folder.mkdir()
        shutil.copytree(ROOT / "docs" / "starters", clone / "docs" / "starters")
        self._environment = os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"}

    def write(self, name: str, heading: str, language: str) -> str:
        """Write a file as the page shows it; its text."""
        (block,) = blocks(PAGE, heading, language)
        (self.folder / name).write_text(block.text)
        return block.text

    def types(self, command: str) -> str:
        """Run a command; what it prints."""
        ran = subprocess.run(
            ["sh", "-c", command], cwd=self.folder, env=self._environment, capture_output=True,
            text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, (command, ran.stdout, ran.stderr)
        return ran.stdout


def log_in(port: int, name: str, password: str) -> socket.socket:
    """Log in a student's program."""
    connection = socket.create_connection(("127.0.0.1", port), PATIENCE)
    request = {"do": "login", "user": name, "password": password}
    connection.sendall(json.dumps(request).encode() + b"\n")
    answer = connection.recv(4096)
    assert b'"error"' not in answer, answer
    return connection


@needs_linux
def test_it(tmp_path: Path) -> None:
    pytest.importorskip("autobahn")
    teacher = Teacher(tmp_path)
    install, activate, enter = commands(PAGE, "Install (3 minutes)")
    assert install == "python3 -m venv .venv && .venv/bin/pip install ."
    assert (activate, enter) == (". .venv/bin/activate", "mkdir class && cd class")

    names = teacher.write("class.csv", "Give every student an account (2 minutes)", "csv")
    for command in commands(PAGE, "Give every student an account (2 minutes)"):
        teacher.types(f"{command} --bcrypt-rounds 4")
    with (teacher.folder / "passwords.csv").open(newline="") as file:
        passwords = {row["name"]: row["password"] for row in csv.DictReader(file)}
    assert list(passwords) == [line.split(",")[0] for line in names.splitlines()[1:]]

    text = teacher.write("class.toml", "Start the server (1 minute)", "toml")
    here = re.sub(r"= (5000|8080) ", '= "tcp:0:interface=127.0.0.1" ', text)
    (teacher.folder / "class.toml").write_text(here)
    (serve,) = commands(PAGE, "Start the server (1 minute)")
    said = re.search(r"rooms at 127\.0\.0\.1 port (\d+).* kill (\d+)", teacher.types(serve))
    assert said is not None
    running = os.pidfd_open(int(said[2]))
    try:
        with log_in(int(said[1]), "ben", passwords["ben"]) as ben:
            look_on(teacher, ben)
        compete(teacher)
        for command in commands(PAGE, "Afterwards"):
            teacher.types(command)
        assert "ben" in (teacher.folder / "7b.csv").read_text()
        assert select.select([running], [], [], PATIENCE)[0], "it runs on"
    finally:
        if not select.select([running], [], [], 0)[0]:
            os.kill(int(said[2]), 9)
        os.close(running)


@needs_linux
def test_encryption(tmp_path: Path) -> None:
    pytest.importorskip("autobahn")
    teacher = Teacher(tmp_path)
    heading = "Encrypt the connections (2 minutes)"
    (block,) = blocks(PAGE, heading, "sh")
    address = "127.0.0.1"
    if shutil.which("openssl"):
        teacher.types(block.text.replace("192.0.2.7", address))
    else:
        make_certificate(teacher.folder)
        address = "localhost"
    text = teacher.write("class.toml", heading, "toml")
    here = text.replace("5000", '"tcp:0:interface=127.0.0.1"')
    here = re.sub(r"ssl:\d+", "ssl:0:interface=127.0.0.1", here)
    (teacher.folder / "class.toml").write_text(here)
    said = teacher.types("tictac serve --config class.toml")
    ports = re.findall(r"rooms at 127\.0\.0\.1 port (\d+)", said)
    (pid,) = re.findall(r"kill (\d+)", said)
    try:
        assert "web at https://127.0.0.1:" in said
        assert "`tictac play tls://192.0.2.7:5443 --ca cert.pem`" in PAGE.read_text("utf-8")
        for server in (f"tls://{address}:{ports[1]} --ca cert.pem", f"localhost {ports[0]}"):
            assert "Welcome guest-" in teacher.types(f"tictac play {server} --guest </dev/null")
    finally:
        os.kill(int(pid), 9)


def look_on(teacher: Teacher, ben: socket.socket) -> None:
    """List the students, send them a line, and remove one."""
    on, rooms, announce, kick, *ban = commands(PAGE, "Watch the class (at any time)")
    assert "ben" in teacher.types(on)
    teacher.types(rooms)
    teacher.types(announce)
    assert b"Five more minutes" in ben.recv(4096)
    teacher.types(kick)
    while ben.recv(4096):
        pass
    for command in ban:
        teacher.types(command)


def compete(teacher: Teacher) -> None:
    """Let programs and the computer compete, and check the table."""
    teacher.write("players.txt", "Let programs compete (3 minutes)", "text")
    (command,) = commands(PAGE, "Let programs compete (3 minutes)")
    printed = teacher.types(command)
    assert all(re.search(rf"^\d +{name} ", printed, re.M) for name in ("anna", "ben", "club"))
    assert (teacher.folder / "cup.html").exists()
