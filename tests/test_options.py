"""Reading option values."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Any

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tictac.options import (
    Option,
    Settings,
    count,
    lobby,
    net,
    option,
    options_of,
    port,
    positive,
    repeatable,
    rounds,
    seconds,
    typed,
)


class OptionsTests(SynchronousTestCase):
    def check(
        self, read: Callable[[Any], object], good: dict[object, object], bad: list[object]
    ) -> None:
        for value, expected in good.items():
            found = read(value)
            assert found == expected and type(found) is type(expected)
        for value in bad:
            with pytest.raises(ValueError):
                read(value)

    def test_a_count(self) -> None:
        self.check(count, {"0": 0, "17": 17, 5: 5}, ["-1", -1, "", "x", "1.5", "1e3", "inf"])

    def test_a_positive_number(self) -> None:
        self.check(positive, {"1": 1, "17": 17, 5: 5}, ["0", 0, "-1", "", "x", "1.5"])

    def test_a_port(self) -> None:
        self.check(port, {"1": 1, "65535": 65535, 5000: 5000}, ["0", "-5", "70000", "http", ""])

    def test_seconds(self) -> None:
        good = {"0": 0.0, "1.5": 1.5, "1e3": 1000.0, 2: 2.0, 0.25: 0.25}
        self.check(seconds, dict(good), ["-0.1", -1, "", "x", "inf", "nan", "-inf", float("inf")])

    def test_bcrypt_rounds(self) -> None:
        self.check(rounds, {"4": 4, "16": 16, 12: 12}, ["3", "17", "0", "-4", "", "x", "4.5"])

    def test_a_network(self) -> None:
        good = ["192.0.2.0/24", "192.0.2.7", "2001:db8::/32"]
        bad = ["192.0.2.1/24", "192.0.2.0/33", "", "x", "192.0.2", "192.0.2.0/24,10.0.0.0/8"]
        self.check(net, {text: ip_network(text) for text in good}, list(bad))

    def test_a_lobby(self) -> None:
        good = {"main": "main", "5-b": "5-b", "x" * 20: "x" * 20, 5: "5"}
        self.check(lobby, dict(good), ["", "Main", "a b", "x" * 21, "é", "a\n", True])

    def test_numbers_that_are_too_large_for_anything(self) -> None:
        readers: list[Callable[[Any], object]] = [count, positive, seconds, rounds]
        for read in readers:
            for value in (float("inf"), float("nan"), "9" * 5000):
                with pytest.raises(ValueError):
                    read(value)
        for read in readers[2:]:
            with pytest.raises(ValueError):
                read(10**400)

    def test_a_number_with_a_fraction_is_no_count(self) -> None:
        # A configuration file may hold one; the command line refuses "2.5" as well.
        for read in (count, positive, rounds):
            with pytest.raises(ValueError):
                read(4.5)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Declared:
    max_cats: int = option(3, "Maximum cats.")
    cat_naps: float = option(0.5, "Seconds.", letter="n")
    loud: bool = option(False, "Purr.")
    cat: tuple[str, ...] = repeatable("A cat.", str.upper)


class DeclaredTests(SynchronousTestCase):
    def test_a_dataclass_declares_them(self) -> None:
        assert options_of(Declared) == [
            Option("max-cats", 3, "Maximum cats.", count, None, "N"),
            Option("cat-naps", 0.5, "Seconds.", seconds, "n", "SECONDS"),
            Option("loud", False, "Purr.", takes=""),
            Option("cat", (), "A cat.", str.upper),
        ]

    def test_values_of_a_command_line_and_of_a_file(self) -> None:
        cats, naps, loud, cat = options_of(Declared)
        assert (cats.value("4"), cats.value(4), naps.value(2), loud.value(True)) == (
            4,
            4,
            2.0,
            True,
        )
        assert (cat.value(["tom", 5]), cat.value("tom")) == (("TOM", "5"), ("TOM",))
        for made, bad in ((cats, True), (cats, [4]), (cats, None), (loud, "yes"), (cat, [True])):
            with pytest.raises(ValueError):
                made.value(bad)

    def test_a_variable(self) -> None:
        cats, _, loud, cat = options_of(Declared)
        assert cats.variable == "TICTAC_MAX_CATS"
        given = cats.from_variable("4"), loud.from_variable("false"), cat.from_variable("tom  kit")
        assert given == ("4", False, ["tom", "kit"])


class SettingsTests(SynchronousTestCase):
    def test_each_class_has_its_values_and_its_defaults(self) -> None:
        settings = Settings({"max-cats": 7, "cat": ("TOM",), "dogs": 1})
        assert settings[Declared] == Declared(7, 0.5, False, ("TOM",))
        assert Settings({})[Declared] == Declared()


class TypedTests(SynchronousTestCase):
    def test_argparse_shows_what_is_wrong(self) -> None:
        read = typed(count)
        assert read("17") == 17
        with pytest.raises(argparse.ArgumentTypeError, match="-1 is below 0"):
            read("-1")
