"""How Multi-User Gaming writes a game: its namespace, roles, options, states, and moves.

Tic-tac-toe has the elements of its proposal (:class:`TicTacToe`). All other games have namespaces
of our own, and elements in the same form (:class:`LobbyGame`): Connect Four and Reversi have boards
of fields, Nim has numbers, and each other game has its text view. Source: docs/reference/mug.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Protocol

from twisted.words.xish.domish import Element, SerializedXML

from tictac.errors import BadOption, Refusal
from tictac.game import GameType
from tictac.games.all import GAMES
from tictac.lobby.events import Position
from tictac.lobby.terms import Terms, terms_for
from tictac.plugins.xmpp.fields import Field, Fields, one, option_field
from tictac.plugins.xmpp.mug_elements import AsText, BoardOfFields, Elements, Heaps, Role, view_of
from tictac.plugins.xmpp.mug_states import (
    Standing,
    Start,
    as_text,
    checked,
    new_terms,
    next_role,
    refuse_other_options,
    result,
)
from tictac.plugins.xmpp.mug_tictactoe import TICTACTOE, TicTacToe
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.xml import OURS, TTT, tag
from tictac.text_view import unpainted

_SEATS = "seats"


class MugGame(Protocol):
    """A game as MUG writes it."""

    @property
    def uri(self) -> str:
        """The namespace."""

    @property
    def game_type(self) -> GameType:
        """The game in the lobby."""

    @property
    def category(self) -> str:
        """The category in searches."""

    @property
    def terms(self) -> Terms:
        """The default terms of a match."""

    def roles(self, terms: Terms) -> tuple[Role, ...]:
        """Return the roles, in the order of their seats."""

    def fields(self, terms: Terms) -> list[Field]:
        """Return the fields of the form, with the present options."""

    def changed(self, terms: Terms, fields: Fields) -> Terms:
        """Return the terms with the values of a form. Raises Refused."""

    def following(self, terms: Terms) -> Terms:
        """Return the terms of the next match."""

    def initial(self, terms: Terms) -> Position | None:
        """Return the first position, or None if each match begins with another one."""

    def played(self, position: Position) -> int:
        """Return the number of moves before a custom or first position."""

    def describe(self, terms: Terms) -> str:
        """Return the game with its options, in a line."""

    def label(self, terms: Terms) -> str:
        """Return the game for a list of rooms."""

    def state(self, terms: Terms, standing: Standing) -> SerializedXML:
        """Return the ``<state>``."""

    def read_start(self, terms: Terms, state: Element) -> Start:
        """Return the custom initial state in a ``<state>``. Raises Refused."""

    def move(self, terms: Terms, move: str, number: int) -> SerializedXML:
        """Return a ``<move>``."""

    def read_move(self, terms: Terms, move: Element) -> str:
        """Return the move in a ``<move>``, as the game's rules read it. Raises Refused."""

    def typed(self, terms: Terms, text: str) -> str:
        """Return the move that a person typed. Raises Refused."""

    def drawn(self, terms: Terms, view: str) -> list[str]:
        """Return a view of a position as lines."""

    def prompt(self, terms: Terms, view: str) -> str:
        """Return how to type a move."""

    def describe_move(self, terms: Terms, view: str, seat: int, move: str) -> str:
        """Return what a player does with a move, such as ``marks 2 3``."""

    def explain(self, move: str, refusal: Refusal) -> str:
        """Return why a move is impossible."""


@dataclass(frozen=True)
class LobbyGame:
    """A game of the lobby in a namespace of our own."""

    game_type: GameType
    elements: Elements
    category: str = "other"

    @property
    def uri(self) -> str:
        """The namespace."""
        return OURS + self.game_type.name

    @property
    def terms(self) -> Terms:
        """The default terms."""
        return terms_for(self.game_type, {})

    def roles(self, terms: Terms) -> tuple[Role, ...]:
        """Return the roles, in the order of their seats."""
        return self.elements.roles(terms)

    def fields(self, terms: Terms) -> list[Field]:
        """Return the fields of the form: one for each option, and for the number of players."""
        prefix, game_type = f"{short_name(self)}#config_", self.game_type
        fields = [
            option_field(option, prefix + _written(option.name), terms.values[option.name])
            for option in game_type.options
        ]
        if len(game_type.seats) > 1:
            numbers = tuple(map(str, game_type.seats))
            seats = (str(terms.seats),)
            fields.append(Field(prefix + _SEATS, "list-single", "Players", seats, numbers))
        return fields

    def changed(self, terms: Terms, fields: Fields) -> Terms:
        """Return the terms with the values of a form. Raises Refused."""
        prefix = f"{short_name(self)}#config_"
        values, seats = dict[str, object](terms.values), terms.seats
        try:
            for option in self.game_type.options:
                if (text := one(fields, prefix + _written(option.name))) is not None:
                    values[option.name] = option.read(text)
            if (text := one(fields, prefix + _SEATS)) is not None:
                seats = int(text) if re.fullmatch("[0-9]{1,3}", text) else 0
        except BadOption as refusal:
            raise Refused("not-acceptable", str(refusal)) from None
        return new_terms(self.game_type, values, seats)

    def following(self, terms: Terms) -> Terms:
        """Return the same terms."""
        return terms

    def initial(self, terms: Terms) -> Position | None:
        """Return the first position if fields show it."""
        shown = isinstance(self.elements, BoardOfFields)
        return terms.game.start(terms.seats, Random(0)) if shown else None

    def played(self, position: Position) -> int:
        """Return 0."""
        return 0

    def describe(self, terms: Terms) -> str:
        """Return the game with the options that aren't the default."""
        return describe_terms(terms)

    def label(self, terms: Terms) -> str:
        """Return the same."""
        return describe_terms(terms)

    def state(self, terms: Terms, standing: Standing) -> SerializedXML:
        """Return the ``<state>``."""
        values = {_written(o.name): as_text(terms.values[o.name]) for o in self.game_type.options}
        if len(self.game_type.seats) > 1:
            values[_SEATS] = str(terms.seats)
        if isinstance(self.elements, AsText):  # whose options can have any name
            options = [tag("option", {"name": name}, text) for name, text in values.items()]
        else:
            options = [tag(name, None, text) for name, text in values.items()]
        turn = tag("next", {"id": standing.number}, standing.turn) if standing.turn else None
        board = None if standing.view is None else self.elements.board(terms, standing.view)
        return tag("state", {"xmlns": self.uri}, *options, turn, board, result(standing.result))

    def read_start(self, terms: Terms, state: Element) -> Start:
        """Return the custom initial state in a ``<state>``."""
        options = self.game_type.options
        refuse_other_options(state, {_written(o.name): terms.values[o.name] for o in options})
        roles = self.roles(terms)
        turn = next_role(state) or roles[0]
        if turn not in roles:
            raise Refused("not-acceptable", f"next is one of {', '.join(roles)}")
        position = terms.game.load(self.elements.read_board(terms, state, turn))
        return Start(terms, checked(terms, position))

    def move(self, terms: Terms, move: str, number: int) -> SerializedXML:
        """Return a ``<move>``."""
        attributes, text = self.elements.move(terms, move)
        return tag("move", {"xmlns": self.uri, **attributes, "id": number}, text or None)

    def read_move(self, terms: Terms, move: Element) -> str:
        """Return the move in a ``<move>``. Raises Refused."""
        return self.elements.read_move(terms, move)

    def typed(self, terms: Terms, text: str) -> str:
        """Return the move that a person typed. Raises Refused."""
        try:
            return view_of(terms).read(text)
        except Refusal as refusal:
            raise Refused("not-acceptable", str(refusal)) from None

    def drawn(self, terms: Terms, view: str) -> list[str]:
        """Return a view of a position as lines."""
        return view_of(terms).lines(view, unpainted)

    def prompt(self, terms: Terms, view: str) -> str:
        """Return how to type a move."""
        return view_of(terms).prompt(view)

    def describe_move(self, terms: Terms, view: str, seat: int, move: str) -> str:
        """Return a player's move in words."""
        return f"moves: {view_of(terms).describe_move(view, seat, move)}"

    def explain(self, move: str, refusal: Refusal) -> str:
        """Return why a move is impossible."""
        return str(refusal)


# All games

_OWN: Mapping[str, tuple[Elements, str]] = {
    "connectfour": (
        BoardOfFields(("red", "yellow"), "RY", lambda v: (int(v["rows"]), int(v["columns"]))),
        "board",
    ),
    "reversi": (
        BoardOfFields(("x", "o"), "XO", lambda v: (int(v["size"]), int(v["size"])), letters=True),
        "board",
    ),
    "nim": (Heaps(), "other"),
}
_AS_TEXT = AsText()

MUG_TICTACTOE: MugGame = TicTacToe()


def short_name(game: MugGame) -> str:
    """Return the name of a game in searches and fields, such as ``mug/tictactoe``."""
    return f"mug/{game.game_type.name}"


def form_type(game: MugGame) -> str:
    """Return the FORM_TYPE of a game's options."""
    return f"{game.uri}#{game.game_type.name}config"


def known_roles() -> tuple[Role, ...]:
    """Return the roles of all games, with the most players of each."""
    found = set[Role]()
    for mug in filter(None, map(mug_game, uris())):
        found.update(*map(mug.roles, (replace(mug.terms, seats=n) for n in mug.game_type.seats)))
    return tuple(sorted(found))


def uris() -> list[str]:
    """Return the namespaces of all games; tic-tac-toe's is the first."""
    return [TTT, *(OURS + name for name in GAMES if name != TICTACTOE.name)]


def mug_game(uri: str) -> MugGame | None:
    """Return the game of a namespace, or None."""
    name = uri.removeprefix(OURS)
    if uri == TTT:
        return MUG_TICTACTOE
    if name == uri or name == TICTACTOE.name or name not in {*GAMES}:
        return None
    return LobbyGame(GAMES[name], *_OWN.get(name, (_AS_TEXT, "other")))


def describe_terms(terms: Terms) -> str:
    """Return a game with the options that aren't the default."""
    options = "".join(
        f" {option.name}={terms.values[option.name]}"
        for option in terms.game_type.options
        if terms.values[option.name] != option.default
    )
    return f"{terms.game_type.title}{options}"


def _written(name: str) -> str:
    return "cols" if name == "columns" else name
