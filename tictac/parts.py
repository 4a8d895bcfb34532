"""The parts that tictac is made of: one line for each.

A part is a folder. ``service.py`` in it has a ``PART`` (net.part.PartMaker) that
``twistd tictac`` can start, ``commands.py`` an ``add_parser`` for the ``tictac`` command;
a part may have one of them, or both.
"""

from __future__ import annotations

from typing import NamedTuple


class PartName(NamedTuple):
    """Where a part is, what its command is called (None: it has none), and whether it can
    be served."""

    folder: str
    command: str | None = None
    served: bool = True


PARTS = (
    PartName("rooms", "play"),
    PartName("connectfour", "connectfour"),
    PartName("nim", "nim"),
    PartName("session", "session"),
    PartName("clue", "clue"),
    PartName("accounts", "users", served=False),
    PartName("web"),
    PartName("admin"),
    PartName("mug"),
)
