"""Small pieces of stanzas, read in one place."""

from __future__ import annotations

import re

from tictac.mug.match import Move
from tictac.mug.refusals import Refused
from tictac.mug.xml import COMPONENT, TTT, USER, Element

LONGEST_REASON = 500

_NUMBER = re.compile(r"[+-]?[0-9]{1,9}", re.ASCII)


def read_move(turn: Element) -> Move:
    """The one move in a ``<turn>``. Raises Refused when there isn't one, or it isn't whole."""
    moves = list(turn.elements(TTT, "move"))
    if len(moves) != 1 or len(list(turn.elements())) != 1:
        raise Refused("bad-request", "a turn has exactly one move")
    row, col, number = (_number(moves[0].get(name)) for name in ("row", "col", "id"))
    return Move(row, col, number)


def reason_of(invitation: Element) -> str:
    """The ``<reason>`` in it, cut where it becomes a novel."""
    for uri in (USER, invitation.uri, COMPONENT):
        reason = invitation.first(uri, "reason")
        if reason is not None:
            return reason.text()[:LONGEST_REASON]
    return ""


def _number(text: str | None) -> int:
    stripped = (text or "").strip()
    if not _NUMBER.fullmatch(stripped):
        raise Refused("bad-request", "row, col and id of a move must be numbers")
    return int(stripped)
