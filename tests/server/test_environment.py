"""Every option by the command line, by the environment, and by a file, and which of them counts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from unittest.mock import patch

from tests.server.helpers import TapCase
from tictac.options import Option
from tictac.server.environment import find, mistakes
from tictac.server.settings import OPTIONS, Options

SAMPLES = (
    "1025", "1026", "1027", "5", "6", "7", "all", "invited", "none", "line", "json", "admins",
    "accounts", "yes", "no", "open", "closed", "code", "https://a.test", "https://b.test",
    "https://c.test", "10.0.0.0/8", "192.0.2.0/24", "2001:db8::/32", "127.0.0.1", "127.0.0.2",
    "::1", "a.test", "b.test", "c.test", "ada", "bob", "3,4,5", "3,5,7", "1,2,3", "2-9", "3-5",
    "6,5,4,3,2,1", "11,12,13,14,15,16", "random,sensible,leech", "sensible,leech,random",
)  # fmt: skip
"""Texts of which every option takes some."""

APART = {"config", "tls-cert", "tls-key"}
"""A file names no other file; and what needs a certificate: test_a_certificate."""


def values_of(option: Option) -> list[str]:
    """Return up to three texts with different values, none of which is the default."""
    found: dict[str, str] = {}
    for text in SAMPLES:
        try:
            value = repr(option.value(text))
        except (TypeError, ValueError):
            continue
        if value != repr(option.default):
            found.setdefault(value, text)
    return [*found.values()][:3]


class EveryOptionTests(TapCase):
    def read(
        self, in_file: Mapping[str, object], variables: dict[str, str], *arguments: str
    ) -> Options:
        path = self.directory / "options.toml"
        path.write_text("".join(f"{k} = {json.dumps(v)}\n" for k, v in in_file.items()))
        with patch.dict(os.environ, variables):
            return self.options("--config", str(path), *arguments)

    def options_with_a_value(self) -> Iterator[tuple[Option, list[str]]]:
        for name, option in OPTIONS.items():
            if option.takes and name not in APART:
                yield option, values_of(option)

    def test_by_all_three_ways_and_in_their_order(self) -> None:
        for option, texts in self.options_with_a_value():
            name, variable = option.name, option.variable
            assert texts, name
            first, second, third = (texts * 3)[:3]
            file = {name: int(third) if option.takes in ("N", "SECONDS") else third}
            ways: list[tuple[Options, str, str]] = [
                (self.read(file, {}), third, str(self.directory / "options.toml")),
                (self.read(file, {variable: second}), second, variable),
                (self.read(file, {variable: second}, f"--{name}", first), first, "option"),
            ]
            for options, text, source in ways:
                assert options.given[name] == source, name
                chosen = options.chosen[name]
                given = chosen if isinstance(chosen, list) else [chosen]
                assert [*map(str, given)] == [text], name
                if name not in options.ports:
                    assert options[name] == option.value(text), name

    def test_a_flag_by_all_three_ways(self) -> None:
        for name, option in OPTIONS.items():
            if option.takes:
                continue
            assert self.read({name: True}, {})[name] is True, name
            assert self.read({name: True}, {option.variable: "false"})[name] is False, name
            assert self.read({}, {option.variable: "true"})[name] is True, name
            last = self.read({name: False}, {option.variable: "false"}, f"--{name}")
            assert (last[name], last.given[name]) == (True, "option"), name

    def test_what_is_wrong_is_named_by_its_variable(self) -> None:
        for option in OPTIONS.values():
            try:
                option.value("\N{SNOWMAN}" if option.takes else "1")
            except (TypeError, ValueError):
                with patch.dict(os.environ, {option.variable: "\N{SNOWMAN}"}):
                    assert self.error().startswith(f"{option.variable}: "), option.name

    def test_several_values(self) -> None:
        for option, texts in self.options_with_a_value():
            if option.repeatable and option.name not in ("web",):
                options = self.read({}, {option.variable: " ".join(texts)})
                assert options.chosen[option.name] == texts, option.name

    def test_no_two_options_have_one_variable(self) -> None:
        names = [name for o in OPTIONS.values() for name in (o.variable, f"{o.variable}_FILE")]
        twice = {name for name in names if names.count(name) > 1}
        assert twice == set()


class FileTests(TapCase):
    def test_a_file_with_the_value(self) -> None:
        path = self.directory / "secret"
        path.write_text("postgresql://tictac:pass@db/tictac\n")
        with patch.dict(os.environ, {"TICTAC_DATABASE_FILE": str(path)}):
            options = self.options()
        assert options["database"] == "postgresql://tictac:pass@db/tictac"
        assert options.given["database"] == "TICTAC_DATABASE_FILE"
        assert "pass@" not in str(options.in_force()["database"])

    def test_an_option_that_ends_in_file_is_itself(self) -> None:
        path = str(self.directory / "nothing")
        with patch.dict(os.environ, {"TICTAC_XMPP_SECRET_FILE": path}):
            assert self.options()["xmpp-secret-file"] == path

    def test_what_is_wrong_is_one_line(self) -> None:
        path = self.directory / "secret"
        path.write_text("many\n")
        binary = self.directory / "binary"
        binary.write_bytes(b"\xff")
        for variables, said in (
            ({"MAX_ROOMS_FILE": str(path)}, "TICTAC_MAX_ROOMS_FILE: 'many' isn't a whole number"),
            ({"MAX_ROOMS_FILE": str(path), "MAX_ROOMS": "1"},
             "TICTAC_MAX_ROOMS and TICTAC_MAX_ROOMS_FILE exclude each other"),
            ({"MAX_ROOMS_FILE": str(path) + "x"},
             f"TICTAC_MAX_ROOMS_FILE: {path}x can't be read: No such file or directory"),
            ({"MAX_ROOMS_FILE": str(binary)},
             f"TICTAC_MAX_ROOMS_FILE: {binary} isn't a file of text"),
        ):  # fmt: skip
            with patch.dict(os.environ, {f"TICTAC_{k}": v for k, v in variables.items()}):
                assert self.error() == said

    def test_the_command_line_wins_over_it(self) -> None:
        with patch.dict(os.environ, {"TICTAC_MAX_ROOMS_FILE": "/nothing"}):
            assert self.options("--max-rooms", "3")["max-rooms"] == 3


class MistakeTests(TapCase):
    def test_a_variable_of_no_option_is_warned_about_once(self) -> None:
        with patch.dict(os.environ, {"TICTAC_MAX_ROOM": "3", "TICTAC_X\x1b": ""}):
            self.options()
        assert self.errors.getvalue().splitlines() == [
            "Warning: TICTAC_MAX_ROOM isn't an option; did you mean max-rooms?",
            r"Warning: TICTAC_X\x1b isn't an option",
        ]

    def test_those_of_others_are_no_mistakes(self) -> None:
        names = ("TEST_ALL", "XMPP_PASSWORD", "SERVICE_HOST", "SERVICE_PORT_WEB", "PORT_5000_TCP",
                 "PORT_5000_TCP_ADDR", "GAME_ENGINE", "MAX_ROOMS", "MAX_ROOMS_FILE")  # fmt: skip
        variables = {f"TICTAC_{name}": "x" for name in names}
        assert [*mistakes(OPTIONS, {**variables, "TICTACS": "", "PATH": ""})] == []

    def test_an_empty_variable_gives_nothing(self) -> None:
        option = OPTIONS["max-rooms"]
        assert find(option, {option.variable: "", f"{option.variable}_FILE": ""}) is None
