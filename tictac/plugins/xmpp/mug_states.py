"""States of a match in Multi-User Gaming: what they show, and custom initial ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from twisted.words.xish.domish import Element, SerializedXML

from tictac.errors import BadOption
from tictac.game import GameType, Value
from tictac.lobby.events import Position
from tictac.lobby.terms import Terms, terms_for
from tictac.plugins.xmpp.mug_elements import Role, view_of
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.xml import first, tag, text_of

_LISTING = ("connectfour", "reversi")  # the games that list all moves in each position


class Standing(NamedTuple):
    """The content of a state: the view of the position, or None before the first one.

    ``turn`` is the role that moves next, ``number`` the id of that move. ``result`` is the winning
    role, ``draw``, or empty.
    """

    view: str | None
    turn: Role
    number: int
    result: str


class Start(NamedTuple):
    """A custom initial state: the terms of the match, and its first position."""

    terms: Terms
    position: Position


def next_role(state: Element) -> str:
    found = first(state, state.uri or "", "next")
    return "" if found is None else text_of(found).strip()


def checked(terms: Terms, position: Position) -> Position:
    """Return the position if a match can begin with it. Raises Refused."""
    is_over = terms.game.turn(position) is None
    if is_over or (terms.game_type.name in _LISTING and not terms.game.moves(position)):
        raise Refused("not-acceptable", "no match can continue from that position")
    return position


def new_terms(game_type: GameType, values: Mapping[str, object], seats: int | None = None) -> Terms:
    """Return the terms of a match. Raises Refused."""
    try:
        return terms_for(game_type, values, seats)
    except BadOption as refusal:
        raise Refused("not-acceptable", str(refusal)) from None


def result(result: str) -> SerializedXML | None:
    return tag("draw") if result == "draw" else tag("won", None, result) if result else None


def as_text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def refuse_other_options(state: Element, options: Mapping[str, Value]) -> None:
    """Refuse a custom state whose options aren't those of the room, or which is over."""
    for each in state.elements():
        if each.name in ("won", "draw"):
            raise Refused("not-acceptable", "no match can begin with a result")
        if each.name in options and text_of(each).strip() != as_text(options[each.name]):
            raise Refused("not-acceptable", f"{each.name} isn't that of the room")


def steps(terms: Terms, view: str, move: str) -> Sequence[str]:
    """Return the moves that a text stands for, in order. Raises Refusal."""
    return view_of(terms).steps(view, move)
