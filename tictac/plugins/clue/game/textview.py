"""The text view of Clue: positions as text, and typed moves.

The functions that read typed text raise ValueError with a sentence for the person.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tictac.errors import NotAMove
from tictac.plugins.clue.game.board import Cell, InRoom, Place, as_place, parse_board, shipped_board
from tictac.plugins.clue.game.cards import (
    DECK,
    NAMES,
    ROOM_CARDS,
    TITLES,
    TOKENS,
    Card,
    Triple,
    as_triple,
    read_card,
    show_triple,
)
from tictac.plugins.clue.game.position import CHOICES, NOTHING, write_move
from tictac.plugins.clue.game.screen import Ink, draw_board
from tictac.textview import Paint, TextView

_FILLERS = {"the", "with", "in", "a", "and", "room"}


def words(text: str) -> list[str]:
    """Return the words in lower case, without commas, parentheses and small words."""
    found = re.sub(r"[(),]", " ", text).lower().split()
    return [word for word in found if word not in _FILLERS]


def read_place(text: str) -> Place:
    """Return a cell such as ``17 23``, or a room by its letter or name."""
    match words(text):
        case [down, right] if down.isdecimal() and right.isdecimal():
            if max(len(down), len(right)) <= 3:
                return Cell(int(down), int(right))
        case [word] | [word, "v"] if any(_is_called(card, word) for card in ROOM_CARDS):
            return InRoom(NAMES[find_card(word, ROOM_CARDS)], "V")
    raise ValueError("Type a room, or down and right of a cell, such as 17 23.")


def read_suggestion(text: str, here: Card) -> Triple:
    """Return a triple from a player and a weapon, such as ``plum rope``; the room is optional."""
    cards = [find_card(word) for word in words(text)]
    rooms = [card for card in cards if card in ROOM_CARDS]
    if rooms and rooms != [here]:
        raise ValueError(f"You can only suggest the room that you are in, the {TITLES[here]}.")
    return _as_triple([*cards, *([] if rooms else [here])], "a player and a weapon", "plum rope")


def read_accusation(text: str) -> Triple:
    """Return a triple from a player, a weapon and a room, such as ``plum rope lounge``."""
    cards = [find_card(word) for word in words(text)]
    return _as_triple(cards, "a player, a weapon and a room", "plum rope lounge")


def find_card(word: str, cards: Sequence[Card] = DECK) -> Card:
    """Return the card with this name, or the only one whose name begins with it."""
    exact = [card for card in cards if word in (NAMES[card].lower(), TITLES[card].lower())]
    found = exact or [card for card in cards if _is_called(card, word)]
    if len(found) > 1:
        raise ValueError(f"{word!r:.30} may be {' or '.join(TITLES[card] for card in found)}.")
    if not found:
        names = " or ".join(TITLES[card] for card in cards)
        raise ValueError(f"{word!r:.30} isn't {'a card' if cards == DECK else names}.")
    return found[0]


def _is_called(card: Card, word: str) -> bool:
    """Return whether ``word`` is the name of a card on the wire, or the beginning of its title."""
    try:
        return read_card(word.upper() if len(word) == 1 else word) == card
    except ValueError:
        return TITLES[card].lower().startswith(word)


def _as_triple(cards: Sequence[Card], what: str, example: str) -> Triple:
    try:
        return as_triple(sorted(cards))
    except ValueError:
        raise ValueError(f"Name {what}, such as {example}.") from None


# A position


HEIGHT = 17
"""The height of the board, which leaves out unneeded rows."""

_ASKED = {
    "turn": "{} may roll, stay or accuse.",
    "move": "{} {} goes.",
    "suggest": "{} suggests a player, a weapon and the room.",
    "accuse": "{} accuses.",
    "show": "{} must be shown a card.",
    "over": "The game is over, in {}'s turn.",
}


_PROMPTS = {
    "turn": "roll, stay, or an accusation such as accuse plum rope lounge",
    "move": "a place: go lounge, or go 17 23, down and right",
    "suggest": "a suggestion: suggest plum rope lounge",
    "accuse": "an accusation: accuse plum rope lounge",
    "show": "one of your cards: show rope",
}


class ClueTextView(TextView):
    """The text view of Clue. Names of players, weapons and rooms can be shortened."""

    sides = TOKENS
    board = slice(0)
    usage = (
        "roll, stay or accuse; go lounge, or go 17 23, down and right;"
        " suggest plum rope lounge; accuse plum rope lounge; show rope"
    )

    def __init__(self, options: Mapping[str, Any]) -> None:
        """Take the options, which don't change the view."""

    def lines(self, position: str, paint: Paint) -> list[str]:
        """Draw the board, with a line for each further fact."""
        places, seat, asked, steps, suggestion, out, cards, envelope, *rows = position.split(" ")
        board = parse_board(rows[0].replace("/", "\n")) if rows else shipped_board()
        state = tuple(as_place(*place.split(",")) for place in places.split("/"))
        rolled = f"has rolled {steps} and" if steps != "0" else "doesn't roll, and"
        said = [_ASKED[asked].format(TOKENS[int(seat)], rolled)]
        if suggestion != NOTHING:
            said.insert(0, _tell(suggestion, asked))
        if out != NOTHING:
            said.append(f"Without turns: {', '.join(TOKENS[int(each)] for each in out)}.")
        for what, names in (("Your cards", cards), ("In the envelope", envelope)):
            if names != NOTHING:
                said.append(f"{what}: {_titles(names.split(','))}.")

        def ink(of: Ink, text: str) -> str:
            return paint(of, text) if isinstance(of, int) else text

        return [line.rstrip() for line in draw_board(board, state, ink, height=HEIGHT)] + said

    def after_move(self, position: str, lines: list[str], is_mine: bool) -> list[str]:
        """Return the board to a moving player; for others it would hide earlier events."""
        if is_mine and _asked(position) == "move":
            return lines
        return lines[HEIGHT:] if is_mine else []

    def prompt(self, position: str) -> str:
        """Describe the expected answer."""
        return _PROMPTS.get(_asked(position), self.usage)

    def told(self, position: str, seat: int, move: str) -> str:
        """Describe a move; the game continues only after a wrong accusation."""
        is_wrong = move.startswith("accuse") and str(seat) in position.split(" ")[5]
        return f"{self.spell(move)}: wrong, and out" if is_wrong else self.spell(move)

    def steps(self, position: str, move: str) -> tuple[str, ...]:
        """Return two moves for an accusation instead of a roll."""
        accuses = _asked(position) == "turn" and move.startswith("accuse ")
        return ("accuse", move) if accuses else (move,)

    def lists(self, position: str) -> bool:
        """Return whether the moves are destinations."""
        return _asked(position) == "move"

    def sides_of(self, position: str, seats: int) -> tuple[str, ...]:
        """Return the tokens; in the mini-game only the token of its player."""
        if seats > 1 or not position:
            return self.sides
        return (TOKENS[int(position.split(" ")[1])],)

    def note(self, position: str, seat: int | None) -> str:
        """Describe the card that a player showed to ``seat``."""
        suggestion = position.split(" ")[4]
        if suggestion == NOTHING:
            return ""
        asker, _, shower, card = suggestion.split(":")
        if NOTHING in (shower, card) or int(asker) != seat:
            return ""
        return f"{TOKENS[int(shower)]} showed you {_card(card)}"

    def read(self, typed: str) -> str:
        """Return the move of a verb and names, or of a place alone."""
        verb, *names = words(typed) or [""]
        rest = " ".join(names)
        try:
            if verb in ("stay", *CHOICES) and not names:
                return "no-roll" if verb == "stay" else verb
            if verb == "suggest":
                return write_move("suggest", read_accusation(rest))
            if verb == "accuse":
                return write_move("accuse", read_accusation(rest))
            if verb == "show":
                return write_move("show", find_card(rest))
            if verb != "go" and len(names) == 2 and not typed[:1].isdecimal():
                read_accusation(typed)
                raise ValueError("Say suggest or accuse first, such as accuse plum rope lounge.")
            return write_move("move", read_place(rest if verb == "go" else typed))
        except ValueError as wrong:
            raise NotAMove(str(wrong)) from None

    def spell(self, move: str) -> str:
        """Return the move with the names of cards."""
        said, colon, told = move.partition(":")
        verb, _, rest = said.partition(" ")
        if verb == "no-roll":
            return "stay"
        if verb == "drop":
            said = "out of the game"
        if verb == "go" and rest.isalpha():
            return f"go {_titles([rest])}"
        if verb in ("suggest", "accuse", "show") and rest:
            said = f"{verb} {_titles(rest.split(' '))}"
        if told.count(" ") < 2:
            return said + colon + told
        shower, card = told.split()
        return f"{said}: {TOKENS[int(shower)]} shows {_card(card)}"


def _asked(position: str) -> str:
    return position.split(" ")[2]


def _card(name: str) -> str:
    return "a card" if name == NOTHING else TITLES[read_card(name)]


def _titles(names: Sequence[str]) -> str:
    return ", ".join(TITLES[read_card(name)] for name in names)


def _tell(suggestion: str, asked: str) -> str:
    """Describe the last suggestion in a sentence."""
    seat, cards, shower, card = suggestion.split(":")
    triple = as_triple(map(read_card, cards.split(",")))
    said = f"{TOKENS[int(seat)]} suggested {show_triple(triple)}: "
    if shower != NOTHING:
        who = TOKENS[int(shower)]
        if asked == "show":
            return f"{said}{who} must show a card."
        return f"{said}{who} showed {_card(card)}."
    return said + ("nobody could disprove it." if card == NOTHING else f"{card} is wrong.")
