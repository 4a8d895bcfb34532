"""The suites there are: a module each, with a ``SUITE``, loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module

from tictac.check.cases import Suite

SUITES = ("rooms",)
"""Their names, as they are typed. The module has underscores where the name has dashes."""


def suite(name: str) -> Suite:
    """The suite of that name."""
    found: Suite = import_module(f"tictac.check.{name.replace('-', '_')}").SUITE
    return found
