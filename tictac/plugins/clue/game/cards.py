"""The 21 cards of Clue: their names, and the deal. Source: clue.md, "Names"."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import NamedTuple

Card = int
"""A card: 0 to 5 are players (the numbers of their tokens), 6 to 11 weapons, 12 to 20 rooms."""

Hands = tuple[frozenset[Card], ...]
"""The cards of each seat."""

Room = str
"""The upper-case letter of a room."""

SEATS = 6
HAND = 3
TOKENS = ("Scarlet", "Mustard", "White", "Green", "Peacock", "Plum")
WEAPONS = ("knife", "candlestick", "revolver", "rope", "pipe", "wrench")
ROOMS: dict[Room, str] = {
    "S": "study",
    "H": "hall",
    "U": "lounge",
    "D": "dining room",
    "K": "kitchen",
    "B": "ballroom",
    "C": "conservatory",
    "I": "billiard room",
    "L": "library",
}
PASSAGES: dict[Room, Room] = {"S": "K", "K": "S", "U": "C", "C": "U"}

NAMES = (*"012345", *WEAPONS, *ROOMS)
"""The name of each card on the wire."""
TITLES = (*TOKENS, *WEAPONS, *ROOMS.values())
"""The name of each card for a person."""
KINDS = PLAYER_CARDS, WEAPON_CARDS, ROOM_CARDS = range(6), range(6, 12), range(12, 21)
DECK = range(21)

_CARDS = {name: card for card, name in enumerate(NAMES)} | {"lead-pipe": 10, "leadpipe": 10}


class Triple(NamedTuple):
    """One card of each kind: a suggestion, an accusation, or the envelope."""

    player: Card
    weapon: Card
    room: Card


def read_card(word: str) -> Card:
    """Return the card with the name ``word`` on the wire. Raises ValueError."""
    card = _CARDS.get(word)
    if card is None:
        raise ValueError(f"{word!r:.40} isn't a card")
    return card


def the(card: Card) -> str:
    """Return the name of a card for a sentence."""
    return TITLES[card] if card in PLAYER_CARDS else f"the {TITLES[card]}"


def show_triple(triple: Triple) -> str:
    """Return the cards of a suggestion for a sentence."""
    player, weapon, room = map(the, triple)
    return f"{player} with {weapon} in {room}"


def as_triple(cards: Iterable[Card]) -> Triple:
    """Return these cards as a triple of player, weapon and room. Raises ValueError."""
    cards = tuple(cards)
    if len(cards) != 3 or any(card not in kind for card, kind in zip(cards, KINDS, strict=True)):
        names = " ".join(NAMES[card] for card in cards)
        raise ValueError(f"({names}) isn't a player, a weapon, and a room")
    return Triple(*cards)


def draw_envelope(dice: Random) -> Triple:
    """Draw one card of each kind."""
    return Triple(*(dice.choice(kind) for kind in KINDS))


def deal(dice: Random) -> tuple[Triple, Hands]:
    """Deal one card of each kind to the envelope, and three cards to each of the six seats."""
    envelope = draw_envelope(dice)
    rest = [card for card in DECK if card not in envelope]
    dice.shuffle(rest)
    return envelope, tuple(frozenset(rest[seat::SEATS]) for seat in range(SEATS))
