"""Options of a command line or a file, the services they make, and the line of a failure."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tictac.net.service import MainService
from tictac.options import Settings
from tictac.protocols.rooms.service import PLUGIN
from tictac.runtime import Runtime
from tictac.server.make import Options, makeService
from tictac.server.settings import LOBBIES


def words(text: str) -> list[str]:
    """Return the words of a command line."""
    return text.split()


class TapCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.directory = temporary_directory(self)
        self.errors, self.output = io.StringIO(), io.StringIO()
        self.patch(sys, "stderr", self.errors)
        self.patch(sys, "stdout", self.output)

    def options(self, *arguments: str) -> Options:
        options = Options()
        options.parseOptions(arguments)
        return options

    def rooms_of(self, *arguments: str) -> Any:
        """Return the part of the lobby, with the port of the rooms protocol, of these options."""
        made = self.runtime("--port", "0", "--journal", "none", *arguments)
        nothing: Any = None
        made.accounts = made.behind = nothing
        return PLUGIN.make(self.options("--port", "0", *arguments).ports["port"], made)

    def runtime(self, *arguments: str) -> Runtime:
        """Return the runtime of these options, which has made nothing."""
        return Runtime(Settings(self.options(*arguments)), MemoryReactorClock(), LOBBIES.values())

    def config(self, **content: object) -> str:
        """Write a configuration file with this and the required content; return its path."""
        path = self.directory / "config.json"
        needed = {"port": 2000, "userDatabase": str(self.directory / "users.db")}
        path.write_text(
            json.dumps({**needed, **{k.replace("_", "-"): v for k, v in content.items()}})
        )
        return str(path)

    def error(self, *arguments: str) -> str:
        """Return the line with which these options end the program."""
        with pytest.raises(SystemExit) as caught:
            self.options(*arguments)
        return self.failed(caught.value)

    def failed(self, ended: SystemExit) -> str:
        """Return the line with which the program ended."""
        assert ended.code == 1
        assert self.output.getvalue() == ""
        line = self.errors.getvalue()
        self.errors.seek(self.errors.truncate(0))
        assert line.startswith("Error: ") and line.endswith("\n") and line.count("\n") == 1
        return line.removeprefix("Error: ").removesuffix("\n")


class ServiceCase(TapCase):
    def setUp(self) -> None:
        super().setUp()
        self.reactor: Any = MemoryReactorClock()
        self.database = str(self.directory / "users.db")

    def make(self, *arguments: str) -> MainService:
        service = makeService(self.options(*arguments), self.reactor)
        assert isinstance(service, MainService)
        return service

    def failure(self, *arguments: str) -> str:
        with pytest.raises(SystemExit) as caught:
            self.make(*arguments)
        return self.failed(caught.value)
