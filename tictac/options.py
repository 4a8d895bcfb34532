"""The options of the server, and readers of their values.

A part declares its options once, as the fields of a frozen dataclass. The command line, the
configuration file, the environment, the help, and the documents come from such classes::

    nim_tables: int = option(1, "Parallel games of Nim.", positive)

A reader takes the text of a value, or a number of a file, and returns the value or raises
ValueError. The ``tictac`` command has the same readers.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any, TypeVar

T = TypeVar("T")


def count(text: str | int) -> int:
    """Return a whole number from 0."""
    value = _whole(text)
    if value < 0:
        raise ValueError(f"{value} is below 0")
    return value


def positive(text: str | int) -> int:
    """Return a whole number from 1."""
    value = count(text)
    if value == 0:
        raise ValueError("0 is too small")
    return value


def port(text: str | int) -> int:
    """Return the number of a TCP port, to which a client connects: 1 to 65535."""
    value = _whole(text)
    if not 1 <= value <= 65535:
        raise ValueError(f"a port is from 1 to 65535, not {value}")
    return value


def message_size(text: str | int) -> int:
    """Return the maximum bytes of a message, from 100: enough for a name and a password."""
    value = _whole(text)
    if value < 100:
        raise ValueError(f"{value} is below 100, which a LOGIN can need")
    return value


def seconds(text: str | float) -> float:
    """Return a time in seconds, from 0."""
    try:
        value = float(text)
    except (OverflowError, TypeError, ValueError):
        value = math.inf
    if not math.isfinite(value) or value < 0:
        raise ValueError(f"{text!r:.40} isn't a time in seconds")
    return value


def interval(text: str | float) -> float:
    """Return a time in seconds for what a busy process must do in time: from 0.1."""
    value = seconds(text)
    if value < 0.1:
        raise ValueError(f"{value:g} is below 0.1")
    return value


def net(text: str) -> IPv4Network | IPv6Network:
    """Return a network, as an address and the number of its bits, or one address."""
    try:
        return ip_network(text)
    except ValueError:
        raise ValueError(
            f"{text!r:.60} isn't a network like 192.0.2.0/24 or 2001:db8::/32"
        ) from None


def rounds(text: str | int) -> int:
    """Return a bcrypt cost that is neither unsafe nor too slow: 4 to 16."""
    return _within(4, 16, text)


def password_length(text: str | int) -> int:
    """Return a least length of passwords, in characters: 1 to 72."""
    return _within(1, 72, text)


MAIN = "main"
"""The lobby of a server without ``--lobby``."""


def lobby(text: str | int) -> str:
    """Return the name of a lobby: 1 to 20 of a-z, 0-9 and -."""
    name = str(text)
    if not re.fullmatch("[a-z0-9-]{1,20}", name):
        raise ValueError(f"a name has 1 to 20 of a-z, 0-9, and -, unlike {name!a:.40}")
    return name


def typed(read: Callable[[str], T]) -> Callable[[str], T]:
    """Adapt ``read`` for argparse, which shows the text only of its own type of error."""

    def read_argument(text: str) -> T:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read_argument


def _whole(text: str | float) -> int:
    # A configuration file can contain 2.5, which int() would turn into 2.
    if isinstance(text, float):
        raise ValueError(f"{text} isn't a whole number")
    try:
        return int(text)
    except (TypeError, ValueError):
        raise ValueError(f"{text!r:.40} isn't a whole number") from None


def _within(least: int, most: int, text: str | int) -> int:
    value = _whole(text)
    if not least <= value <= most:
        raise ValueError(f"{value} isn't from {least} to {most}")
    return value


def address(text: str) -> str:
    """Read an IP address, or an empty text. Raises ValueError."""
    return text and str(ip_address(text))


def one_of(*words: str) -> Callable[[str], str]:
    """Return a reader of one of these words; it raises ValueError for another."""

    def read(text: str) -> str:
        if text not in words:
            raise ValueError(f"{text} isn't one of {', '.join(words)}")
        return text

    return read


@dataclass(frozen=True, slots=True)
class Option:
    """An option of the server.

    ``read`` is the reader of a value, and ``takes`` a word for it; a flag has none. The value of an
    option with the ``default`` () is a tuple, with an item for each time that the option is given.
    """

    name: str
    default: Any
    help: str
    read: Callable[[Any], object] = str
    letter: str | None = None
    takes: str = "VALUE"

    @property
    def repeatable(self) -> bool:
        """Whether the option can be given several times."""
        return isinstance(self.default, tuple) and not self.default

    @property
    def variable(self) -> str:
        """The name of its environment variable."""
        return f"TICTAC_{self.name.upper().replace('-', '_')}"

    def from_variable(self, text: str) -> object:
        """Return what the text of the environment variable gives, as a file would give it."""
        given = text.split() if self.repeatable else text
        return given if self.takes else {"true": True, "false": False}.get(text, text)

    def value(self, given: object) -> object:
        """Return the value of a text, or of what a file gives. Raises ValueError or TypeError."""
        if self.repeatable:
            items = given if isinstance(given, list) else [given]
            return tuple(self.read(str(_plain(each))) for each in items)
        if not self.takes and not isinstance(given, bool):
            raise ValueError("it is true or false")
        return self.read(_plain(given)) if self.takes else given


def _plain(value: object) -> int | float | str:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("it is a number or a text")
    return value


def option(
    default: T, help: str, read: Callable[[Any], T] | None = None, letter: str | None = None
) -> T:
    """Return the field of an option: a flag, if its ``default`` is False.

    Without ``read``, a whole number is read by :func:`count`, and another by :func:`seconds`.
    """
    kinds: dict[type, Any] = {bool: ("", str), int: ("N", count), float: ("SECONDS", seconds)}
    takes, usual = kinds.get(type(default), ("VALUE", str))
    made = Option("", default, help, read or usual, letter, takes)
    found: T = field(default=default, metadata={"option": made})
    return found


def repeatable(help: str, read: Callable[[str], T]) -> tuple[T, ...]:
    """Return the field of an option that can be given several times."""
    found: tuple[T, ...] = field(default=(), metadata={"option": Option("", (), help, read)})
    return found


class Settings:
    """The values of all options, by the class that declares them.

    ``settings[NimOptions].nim_tables`` is the value of ``--nim-tables``. ``values`` are those of
    options by their names; each other option has its default.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def __getitem__(self, declared: type[T]) -> T:
        options: type[Any] = declared
        return declared(**{
            each.name: self._values.get(each.name.replace("_", "-"), each.default)
            for each in fields(options)
        })  # fmt: skip


def options_of(declared: type[Any] | None) -> list[Option]:
    """Return the options that a dataclass declares; none without a class."""
    return [
        replace(each.metadata["option"], name=each.name.replace("_", "-"))
        for each in (fields(declared) if declared else ())
    ]
