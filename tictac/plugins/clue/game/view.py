"""The view of a position of Clue: its text (clue.md, "Positions and moves in the lobby")."""

from __future__ import annotations

from typing import NamedTuple

from tictac.plugins.clue.game.board import Board, Place, State, as_place, parse_board, shipped_board
from tictac.plugins.clue.game.cards import Card, Triple, as_triple, read_card
from tictac.plugins.clue.game.moving import options
from tictac.plugins.clue.game.position import NOTHING


class Suggested(NamedTuple):
    """The last suggestion. ``token`` is its player's, ``shower`` that of the player who shows.

    ``card`` is the shown card, None if it is hidden or if there is none; in the mini-game, it is a
    wrong one.
    """

    token: int
    triple: Triple
    shower: int | None
    card: Card | None


class View(NamedTuple):
    """The view of a seat. ``token`` has the turn, ``asked`` is the stage, ``steps`` the roll.

    ``out`` are the tokens without turns, ``hand`` the seat's cards, ``envelope`` is empty until
    the end.
    """

    board: Board
    state: State
    token: int
    asked: str
    steps: int
    suggested: Suggested | None
    out: tuple[int, ...]
    hand: tuple[Card, ...]
    envelope: tuple[Card, ...]

    @property
    def place(self) -> Place:
        """The place of the token that has the turn."""
        return self.state[self.token]

    @property
    def reach(self) -> frozenset[Place]:
        """The possible destinations of a roll, or none in another stage."""
        if self.asked != "move" or self.steps == 0:
            return frozenset()
        return options(self.board, self.state, self.token, self.steps)


def read_view(text: str) -> View:
    """Return the view that Clue.view wrote."""
    places, token, asked, steps, suggestion, out, hand, envelope, *rows = text.split(" ")
    return View(
        parse_board(rows[0].replace("/", "\n")) if rows else shipped_board(),
        tuple(as_place(*place.split(",")) for place in places.split("/")),
        int(token),
        asked,
        int(steps),
        _read_suggestion(suggestion),
        tuple(map(int, out.replace(NOTHING, ""))),
        _read_cards(hand),
        _read_cards(envelope),
    )


def _read_suggestion(text: str) -> Suggested | None:
    if text == NOTHING:
        return None
    token, cards, shower, card = text.split(":")
    return Suggested(
        int(token),
        as_triple(_read_cards(cards)),
        None if shower == NOTHING else int(shower),
        None if card == NOTHING else read_card(card),
    )


def _read_cards(text: str) -> tuple[Card, ...]:
    return () if text == NOTHING else tuple(map(read_card, text.split(",")))
