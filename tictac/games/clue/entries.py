"""What a person types in a game of Clue: words to places and cards.

Each function takes text and gives a value, or raises ValueError with a sentence for the person.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tictac.games.clue.board import Cell, InRoom, Place
from tictac.games.clue.cards import DECK, KINDS, NAMES, Card, Room, Triple, read_card, title

_FILLERS = {"the", "with", "in", "a", "and", "room"}


def words(text: str) -> list[str]:
    """The words of an entry in lower case, without commas, parentheses and small words."""
    found = re.sub(r"[(),]", " ", text).lower().split()
    return [word for word in found if word not in _FILLERS]


def read_place(text: str) -> Place:
    """A cell such as ``17 23``, or a room by its letter or name."""
    match words(text):
        case [down, right] if down.isdecimal() and right.isdecimal():
            if max(len(down), len(right)) <= 3:
                return Cell(int(down), int(right))
        case [word] | [word, "v"]:
            room = [card for card in KINDS[2] if _is_called(card, word)]
            if room:
                return InRoom(NAMES[find_card(word, room)], "V")
    raise ValueError("Type a room, or down and right of a cell, such as 17 23.")


def read_suggestion(text: str, room: Room) -> Triple:
    """A player and a weapon, such as ``plum rope``; ``room`` may be named, too."""
    cards = _read_cards(text)
    here = next(card for card in KINDS[2] if NAMES[card] == room)
    rooms = [card for card in cards if card in KINDS[2]]
    if rooms and rooms != [here]:
        raise ValueError(f"You can only suggest the room that you are in, the {title(here)}.")
    return _as_triple([*cards, *([] if rooms else [here])], "a player and a weapon")


def read_accusation(text: str) -> Triple:
    """A player, a weapon and a room, such as ``plum rope lounge``."""
    return _as_triple(_read_cards(text), "a player, a weapon and a room")


def find_card(word: str, cards: Sequence[Card] = DECK) -> Card:
    """The card with this name, or the only one whose name begins so."""
    exact = [card for card in cards if word in (NAMES[card].lower(), title(card).lower())]
    found = exact or [card for card in cards if _is_called(card, word)]
    if len(found) > 1:
        raise ValueError(f"{word!r:.30} may be {' or '.join(map(title, found))}.")
    if not found:
        choices = "a card" if len(cards) == len(DECK) else " or ".join(map(title, cards))
        raise ValueError(f"{word!r:.30} isn't {choices}.")
    return found[0]


def _is_called(card: Card, word: str) -> bool:
    """Whether ``word`` is the name of a card on the wire, or how its name begins."""
    try:
        return read_card(word.upper() if len(word) == 1 else word) == card
    except ValueError:
        return title(card).lower().startswith(word)


def _read_cards(text: str) -> list[Card]:
    return [find_card(word) for word in words(text)]


def _as_triple(cards: Sequence[Card], what: str) -> Triple:
    by_kind = [[card for card in cards if card in kind] for kind in KINDS]
    if len(cards) != 3 or any(len(kind) != 1 for kind in by_kind):
        example = "plum rope" if what.count(",") == 0 else "plum rope lounge"
        raise ValueError(f"Name {what}, such as {example}.")
    return Triple(*(card for [card] in by_kind))
