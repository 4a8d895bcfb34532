"""The suite of ``tictac check`` for servers of the protocol in finger.py."""

from __future__ import annotations

from tictac.plugins.check.cases import Suite
from tictac.plugins.check.rules import parse_rules
from tictac.plugins.check.scene import Scene


class FingerScene(Scene):
    """A case: messages are lines."""

    end = b"\r\n"


RULES = parse_rules("- **G1.1** The server sends a line for each public room, and closes.")

SUITE = Suite("finger", "finger.py", RULES, FingerScene)

SUITE.script(
    "1.1",
    "It closes after the last room",
    "G1.1",
    "Close the connection when everything is sent.",
    script="""
        (alice connects)
        (alice is disconnected)
    """,
)
