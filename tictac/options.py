"""Readers of option values: each function takes text and returns a value or raises ValueError.

twistd's parser, the configuration file and the ``tictac`` command share them.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import TypeVar

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
        raise ValueError(f"{value} is below 100, which a LOGIN may need")
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
    value = _whole(text)
    if not 4 <= value <= 16:
        raise ValueError(f"{value} isn't from 4 to 16")
    return value


def password_length(text: str | int) -> int:
    """Return a least length of passwords, in characters: 1 to 72."""
    value = _whole(text)
    if not 1 <= value <= 72:
        raise ValueError(f"{value} isn't from 1 to 72")
    return value


MAIN = "main"
"""The lobby of a server without ``--lobby``."""


def lobby(text: str | int) -> str:
    """Return the name of a lobby: 1 to 20 of a-z, 0-9 and -."""
    name = str(text)
    if not re.fullmatch("[a-z0-9-]{1,20}", name):
        raise ValueError(f"a name has 1 to 20 of a-z, 0-9 and -, unlike {name!a:.40}")
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


def one_of(*words: str) -> Callable[[str], str]:
    """Return a reader of one of these words; it raises ValueError for another."""

    def read(text: str) -> str:
        if text not in words:
            raise ValueError(f"{text} isn't one of {', '.join(words)}")
        return text

    return read
