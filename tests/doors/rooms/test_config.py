"""The configuration file: its keys, its errors and their order."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tictac.doors.rooms.config import read_config
from tictac.errors import SetupError


class ConfigTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.path = temporary_directory(self) / "config.json"

    def read(self, content: object) -> dict[str, Any]:
        """Read a file with this in it."""
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.path.write_bytes(data)
        return read_config(str(self.path))

    def error(self, content: object) -> str:
        """What is said of a file with this in it; its path is left out."""
        with pytest.raises(SetupError) as caught:
            self.read(content)
        assert "\n" not in str(caught.value)
        return str(caught.value).removeprefix(f"{self.path} ")

    def test_the_keys_of_the_source(self) -> None:
        for port in (1024, 8080, 65535):
            config = {"port": port, "userDatabase": "users.db"}
            assert self.read(config) == config

    def test_other_options_stand_beside_them(self) -> None:
        config = {"port": 2000, "userDatabase": "users.db", "max-rooms": 5, "framing": "line"}
        assert self.read(config) == config

    def test_the_home_directory(self) -> None:
        home = temporary_directory(self)
        self.patch(os, "environ", {**os.environ, "HOME": str(home)})
        config = self.read({"port": 2000, "userDatabase": "~/users.db"})
        assert config["userDatabase"] == str(home / "users.db")
        (home / "c.json").write_text(self.path.read_text())
        assert read_config("~/c.json")["port"] == 2000

    def test_the_address_of_a_database_stays_as_it_is(self) -> None:
        for url in ("postgresql://~bob:~x@h//games", "postgres:///games"):
            assert self.read({"port": 2000, "userDatabase": url})["userDatabase"] == url

    def test_a_home_directory_that_nobody_has(self) -> None:
        with pytest.raises(SetupError):
            self.read({"port": 2000, "userDatabase": "~nobody-by-this-name/users.db"})
        with pytest.raises(SetupError):
            read_config("~nobody-by-this-name/c.json")

    def test_a_file_that_isnt_there(self) -> None:
        for path in (self.path, self.path.parent, self.path.parent / "x" / "y"):
            with pytest.raises(SetupError) as caught:
                read_config(str(path))
            assert str(caught.value) == f"{path} doesn't exist."

    def test_what_isnt_json(self) -> None:
        for content in (b"", b"{", b"port: 80", b"\xff\xfe\x00", b"[" * 100_000, b"{'port': 80}"):
            assert self.error(content) == "is not in a valid JSON format."

    def test_what_is_json_but_no_object(self) -> None:
        contents: list[object] = [[], "port", 80, None]
        for content in contents:
            assert self.error(content) == "is not in a valid JSON format."

    def test_missing_keys(self) -> None:
        for content, missing in [
            ({}, "port, userDatabase"),
            ({"Port": 1, "userdatabase": ""}, "port, userDatabase"),
            ({"port": "80"}, "userDatabase"),
            ({"userDatabase": 1}, "port"),
        ]:
            assert self.error(content) == f"missing key(s): {missing}"

    def test_the_range_of_ports(self) -> None:
        for port in (1023, 65536, 0, -1, 80, "8080", 8080.5, 8080.0, None, True, [8080], 10**100):
            content = {"port": port, "userDatabase": "users.db"}
            assert self.error(content) == "port number out of range"

    def test_a_database_that_is_no_path(self) -> None:
        databases: list[object] = [1, None, [], ""]
        for database in databases:
            assert "userDatabase" in self.error({"port": 2000, "userDatabase": database})

    def test_a_file_that_cant_be_read(self) -> None:
        if os.geteuid() == 0:
            fifo: Path | str = "/proc/self/mem"  # even root can't read its beginning
        else:
            self.path.touch(0)
            fifo = self.path
        with pytest.raises(SetupError, match="can't be read"):
            read_config(str(fifo))
