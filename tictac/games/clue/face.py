"""Clue at a terminal: the board, the own cards, and what is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tictac.errors import NotAMove
from tictac.face import Face, Paint
from tictac.games.clue.board import Cell, InRoom, Place, parse_board, shipped_board
from tictac.games.clue.cards import TOKENS, Triple, as_triple, read_card, show_triple, title
from tictac.games.clue.entries import find_card, read_accusation, read_place, words
from tictac.games.clue.position import NOTHING, write_move
from tictac.games.clue.rules import CHOICES
from tictac.games.clue.screen import draw_board

HEIGHT = 17
"""The lines of the board, of which rows are left out that nobody needs."""

_ASKED = {
    "turn": "{} may roll, stay or accuse.",
    "move": "{} {} goes.",
    "suggest": "{} suggests a player, a weapon and the room.",
    "accuse": "{} accuses.",
    "show": "{} must be shown a card.",
    "over": "The game is over, in {}'s turn.",
}


class ClueFace(Face):
    """Players, weapons and rooms have names, which may be shortened."""

    sides = TOKENS
    usage = (
        "roll, stay or accuse; go lounge, or go 17 23, down and right;"
        " suggest plum rope lounge; accuse plum rope lounge; show rope"
    )

    def __init__(self, options: Mapping[str, Any]) -> None:
        """Nothing looks different by options."""

    def lines(self, position: str, paint: Paint) -> list[str]:
        """The board, and a line for whatever there is besides."""
        places, seat, asked, steps, suggestion, out, cards, envelope, *rows = position.split(" ")
        board = parse_board(rows[0].replace("/", "\n")) if rows else shipped_board()
        state = tuple(_place(*place.split(",")) for place in places.split("/"))
        rolled = f"has rolled {steps} and" if steps != "0" else "doesn't roll, and"
        said = [_ASKED[asked].format(TOKENS[int(seat)], rolled)]
        if suggestion != NOTHING:
            said.insert(0, _tell(suggestion, asked))
        if out != NOTHING:
            said.append(f"Without turns: {', '.join(TOKENS[int(each)] for each in out)}.")
        for what, names in (("Your cards", cards), ("In the envelope", envelope)):
            if names != NOTHING:
                titles = (title(read_card(name)) for name in names.split(","))
                said.append(f"{what}: {', '.join(titles)}.")
        drawn = draw_board(board, state, _Ink(paint), height=HEIGHT)
        return [line.rstrip() for line in drawn] + said

    def read(self, typed: str) -> str:
        """A verb and names; a place is where to go, and another card to be shown."""
        verb, *names = words(typed) or [""]
        rest = " ".join(names)
        try:
            if verb in ("stay", *CHOICES) and not names:
                return "no-roll" if verb == "stay" else verb
            if verb in ("suggest", "accuse"):
                return write_move(
                    "accuse" if verb == "accuse" else "suggest", read_accusation(rest)
                )
            if verb == "show":
                return write_move("show", find_card(rest))
            return write_move("move", read_place(rest if verb == "go" else typed))
        except ValueError as wrong:
            raise NotAMove(str(wrong)) from None

    def spell(self, move: str) -> str:
        """Names in words."""
        verb, _, rest = move.partition(" ")
        if verb == "go" and rest.isalpha():
            return f"go {title(read_card(rest))}"
        if verb not in ("suggest", "accuse", "show") or not rest:
            return move
        asked, colon, wrong = rest.partition(":")
        cards = ", ".join(title(read_card(name)) for name in asked.split(" "))
        return f"{verb} {cards}{colon}{wrong}"


class _Ink:
    """Paints tokens, and nothing else."""

    def __init__(self, paint: Paint) -> None:
        self.token = paint
        self.dim = self.bright = self.winning = str


def _place(one: str, other: str) -> Place:
    if one.isdecimal():
        return Cell(int(one), int(other))
    return InRoom(one, "S" if other == "S" else "V")


def _tell(suggestion: str, asked: str) -> str:
    """The last suggestion in a sentence."""
    seat, cards, shower, card = suggestion.split(":")
    triple: Triple = as_triple(read_card(name) for name in cards.split(","))
    said = f"{TOKENS[int(seat)]} suggested {show_triple(triple)}: "
    if shower != NOTHING:
        who = TOKENS[int(shower)]
        if asked == "show":
            return f"{said}{who} must show a card."
        return f"{said}{who} showed {'a card' if card == NOTHING else title(read_card(card))}."
    return said + ("nobody could disprove it." if card == NOTHING else f"{card} is wrong.")
