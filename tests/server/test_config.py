"""The configuration file, in JSON and TOML: its keys, its errors and their order."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tictac.errors import SetupError
from tictac.server.config import read_config

NAMES = ("port", "database", "max-rooms", "framing", "budget")


class JsonTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.path = temporary_directory(self) / "config.json"

    def read(self, content: object) -> dict[str, Any]:
        """Read a file with this in it."""
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.path.write_bytes(data)
        return read_config(str(self.path), NAMES)

    def error(self, content: object) -> str:
        """Return the error for a file with this content, without its path."""
        with pytest.raises(SetupError) as caught:
            self.read(content)
        assert "\n" not in str(caught.value)
        return str(caught.value).removeprefix(f"{self.path} ")

    def test_the_keys_of_the_source(self) -> None:
        for port in (1024, 8080, 65535):
            found = self.read({"port": port, "userDatabase": "users.db"})
            assert found == {"port": port, "database": "users.db"}

    def test_other_options_stand_beside_them(self) -> None:
        others = {"port": 2000, "max-rooms": 5, "framing": "line"}
        found = self.read({**others, "userDatabase": "users.db"})
        assert found == {**others, "database": "users.db"}

    def test_the_home_directory(self) -> None:
        home = temporary_directory(self)
        self.patch(os, "environ", {**os.environ, "HOME": str(home)})
        config = self.read({"port": 2000, "userDatabase": "~/users.db"})
        assert config["database"] == str(home / "users.db")
        (home / "c.json").write_text(self.path.read_text())
        assert read_config("~/c.json", NAMES)["port"] == 2000

    def test_the_address_of_a_database_stays_as_it_is(self) -> None:
        for url in ("postgresql://~bob:~x@h//games", "postgres:///games"):
            assert self.read({"port": 2000, "userDatabase": url})["database"] == url

    def test_a_home_directory_that_nobody_has(self) -> None:
        with pytest.raises(SetupError):
            self.read({"port": 2000, "userDatabase": "~nobody-by-this-name/users.db"})
        with pytest.raises(SetupError):
            read_config("~nobody-by-this-name/c.json", NAMES)

    def test_a_file_that_isnt_there(self) -> None:
        for path in (self.path, self.path.parent / "x" / "y"):
            with pytest.raises(SetupError) as caught:
                read_config(str(path), NAMES)
            assert str(caught.value) == f"{path} doesn't exist."

    def test_a_folder(self) -> None:
        with pytest.raises(SetupError) as caught:
            read_config(str(self.path.parent), NAMES)
        assert str(caught.value) == f"{self.path.parent} can't be read: Is a directory."

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
        for port in (1023, 65536, 0, -1, 80, 8080.5, 8080.0, None, True, [80], [[8080]], 10**100):
            content = {"port": port, "userDatabase": "users.db"}
            assert self.error(content) == "port number out of range"

    def test_endpoint_strings_and_several_ports(self) -> None:
        for port in ("unix:/run/tictac", [8080, "tcp:80"], "80"):
            assert self.read({"port": port, "userDatabase": "users.db"})["port"] == port

    def test_an_unknown_key_is_told_with_the_one_that_is_near(self) -> None:
        for name, said in (
            ("max_rooms", "max_rooms isn't an option; did you mean max-rooms?"),
            ("Budgets", "Budgets isn't an option; did you mean budget?"),
            ("nonsense", "nonsense isn't an option"),
        ):
            content = {"port": 2000, "userDatabase": "users.db", name: 1}
            assert self.error(content).endswith(f": {said}")

    def test_a_database_that_is_no_path(self) -> None:
        databases: list[object] = [1, None, [], ""]
        for database in databases:
            assert "userDatabase" in self.error({"port": 2000, "userDatabase": database})

    def test_text_that_the_system_doesnt_take(self) -> None:
        for text in ("\ud800", "a\0b"):
            for name in ("userDatabase", "port", "nim"):
                content = {"port": 2000, "userDatabase": "users.db"} | {name: ["x", text]}
                said = f"{name}: {text!a} can't be a path or an address"
                assert self.error(content).endswith(f": {said}")

    def test_a_terminal_obeys_nothing_in_an_error(self) -> None:
        content = {"port": 2000, "userDatabase": "users.db", "a\x1b[31mb": 1}
        assert self.error(content).endswith(r": a\x1b[31mb isn't an option")

    def test_a_file_that_cant_be_read(self) -> None:
        if os.geteuid() == 0:
            fifo: Path | str = "/proc/self/mem"  # even root can't read its beginning
        else:
            self.path.touch(0)
            fifo = self.path
        with pytest.raises(SetupError, match="can't be read"):
            read_config(str(fifo), NAMES)


class TomlTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.path = temporary_directory(self) / "tictac.toml"

    def read(self, text: str) -> dict[str, Any]:
        """Read a file with this in it."""
        self.path.write_text(text)
        return read_config(str(self.path), NAMES)

    def error(self, text: str) -> str:
        """Return the error for a file with this content, without its path."""
        with pytest.raises(SetupError) as caught:
            self.read(text)
        return str(caught.value).removeprefix(str(self.path))

    def test_options_by_their_names_and_comments(self) -> None:
        text = '# ours\nport = ["tcp:5000", 5001]  # two\ndatabase = "users.db"\nbudget = 5\n'
        found = {"port": ["tcp:5000", 5001], "database": "users.db", "budget": 5}
        assert self.read(text) == found

    def test_it_needs_nothing(self) -> None:
        assert self.read("") == {}

    def test_what_is_wrong(self) -> None:
        for text, said in (
            ("port = 80", "port number out of range"),
            ("database = 5", ": database isn't a path"),
            ('userDatabase = "users.db"', ": userDatabase isn't an option; did you mean database?"),
            ("port =", " is not in a valid TOML format: Invalid value (at end of document)."),
        ):
            assert self.error(text) == said
        self.path.write_bytes(b"\xff")
        with pytest.raises(SetupError, match="is not in a valid TOML format"):
            read_config(str(self.path), NAMES)
