"""A code logs a real `tictac play` in beside a real server; a bot then takes its token."""

from __future__ import annotations

import json
import os
import re
import socket
from unittest.mock import patch

from tests.documents import BIN
from tests.programs import Program, ServerCase
from tests.terminal.processes import PATIENCE, PseudoTerminal
from tictac.bot import Result, play


class CodeTests(ServerCase):
    def code_of(self, program: Program, user: str) -> str:
        """Return a code for an account, which a page would show."""
        with socket.create_connection(program.address(), PATIENCE) as page:
            account = {"user": user, "password": "secret"}
            for request in (
                {"do": "register", **account},
                {"do": "login", **account},
                {"do": "code"},
            ):
                page.sendall(json.dumps(request).encode() + b"\n")
            with page.makefile("rb") as lines:
                answers = [json.loads(lines.readline()) for _ in range(3)]
        return str(answers[-1]["code"])

    def test_a_terminal_and_then_a_bot_play_without_a_password(self) -> None:
        program = self.start()
        code = self.code_of(program, "anna")
        host, port = program.address()
        config = {"XDG_CONFIG_HOME": str(self.directory)}
        terminal = PseudoTerminal(self)
        command = [str(BIN / "tictac"), "play", "--plain", host, str(port)]
        started = terminal.start(self, command, {**os.environ, **config, "TERM": "dumb"})
        terminal.read_until("help for all commands")
        terminal.type(f"code {code}")
        terminal.read_until("Welcome anna")
        terminal.type("quit")
        assert started.wait(PATIENCE) == 0
        kept = json.loads((self.directory / "tictac" / "servers.json").read_text())
        [login] = kept["servers"].values()
        assert login["user"] == "anna" and re.fullmatch(r"[\w-]{43}", login["token"])
        results: list[Result] = []
        with patch.dict(os.environ, config):
            os.environ.pop("PASSWORD", None)
            play(
                lambda turn: turn.moves[0], host, port, "anna",
                computer="beginner", games=1, ended=results.append,
            )  # fmt: skip
        assert len(results) == 1
