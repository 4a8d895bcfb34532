"""The suites there are: a module each, with a ``SUITE``, loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module

from tictac.check.cases import Suite

SUITES = (
    "rooms",
    "session",
    "nim",
    "connectfour",
    "clue",
    "mug",
    "lobby",
    "rooms-client",
    "session-client",
    "nim-client",
    "connectfour-client",
    "clue-client",
    "lobby-client",
)
"""Their names, as they are typed."""


def suite(name: str) -> Suite:
    """The suite of that name."""
    folder = "tictac.check.clients" if name.endswith("-client") else "tictac.check"
    found: Suite = import_module(f"{folder}.{name.removesuffix('-client')}").SUITE
    return found
