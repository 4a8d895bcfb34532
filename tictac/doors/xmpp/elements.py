"""What several stanzas are made of. Strict: as the proposals say, and nothing else."""

from __future__ import annotations

from tictac.doors.xmpp.match import ROLE_OF, Move, State
from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.xml import COMPONENT, MUG, STANZAS, TTT, USER, Element, element
from tictac.games.tictactoe.rules import EMPTY


def answer(asked: Element, kind: str, *children: Element | str) -> Element:
    """A stanza that goes back to who has asked."""
    attributes = {"from": asked.get("to"), "to": asked.get("from"), "type": kind}
    return element(COMPONENT, asked.name, {**attributes, "id": asked.get("id")}, *children)


def error(refused: Refused) -> Element:
    """An ``<error>``."""
    return element(
        COMPONENT,
        "error",
        {"type": refused.kind},
        element(STANZAS, refused.condition),
        element(STANZAS, "text", {"xml:lang": "en"}, str(refused)),
        element(MUG, "invalid-turn") if refused.invalid_turn else None,
    )


def turn(move: Move) -> Element:
    """A ``<turn>``."""
    attributes = {"row": move.row, "col": move.col, "id": move.number}
    return element(USER, "turn", None, element(TTT, "move", attributes))


def state(value: State) -> Element:
    """A ``<state>``: the fields that are marked, row by row."""
    rules, result = value.rules, value.result
    fields = []
    for cell, mark in enumerate(value.board):
        if mark != EMPTY:
            where = {"row": cell // rules.cols + 1, "col": cell % rules.cols + 1}
            fields.append(element(TTT, "field", where, ROLE_OF[mark]))
    sizes = {"rows": rules.rows, "cols": rules.cols, "strike": rules.strike, "next": value.next}
    won = element(TTT, "won", None, result) if result else None
    return element(
        TTT,
        "state",
        None,
        *(element(TTT, name, None, str(size)) for name, size in sizes.items()),
        element(TTT, "board", None, *fields),
        element(TTT, "draw") if result == "draw" else won,
    )


def message(sender: str, to: str, kind: str, body: str) -> Element:
    """A message that a person reads."""
    attributes = {"from": sender, "to": to, "type": kind or None}
    return element(COMPONENT, "message", attributes, element(COMPONENT, "body", None, body))


def with_reason(name: str, attributes: dict[str, str | int | None], reason: str) -> Element:
    """What people say around an invitation, with a ``<reason>`` if there is one."""
    return element(
        USER, name, attributes, element(USER, "reason", None, reason) if reason else None
    )
