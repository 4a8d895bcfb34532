"""The suite of ``tictac check`` for servers of the protocol in finger.py."""

from __future__ import annotations

from tictac.plugins.check.cases import Suite
from tictac.plugins.check.scene import Scene


class FingerScene(Scene):
    """A case: messages are lines."""

    end = b"\r\n"


SUITE = Suite("finger", "finger.py", FingerScene)

SUITE.script(
    "1.1",
    "It closes after the last room",
    "Rooms",
    "The server sends a line for each public room, and closes.",
    "Close the connection when everything is sent.",
    script="""
        (alice connects)
        (alice is disconnected)
    """,
)
