"""The notes that a person has: who holds which card, as far as that follows from what is told."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Protocol

from tictac.doors.clue.match import Match
from tictac.games.clue.cards import DECK, KINDS, NAMES, SEATS, Card, Triple, title
from tictac.games.clue.deduction import ENVELOPE, as_cards
from tictac.games.clue.messages import Counter, Hello, Message, Moved, Wrong
from tictac.games.clue.notes import Notes
from tictac.games.clue.screen import SHORT, Ink

HAS, HAS_NOT, MAY_HAVE, UNKNOWN = "x", "-", "?", " "


class Notebook(Protocol):
    """The notes of a game."""

    def note(self, message: Message, match: Match) -> None:
        """Keep them up with a message that ``match`` has heard."""

    def marks(self) -> dict[Card, Sequence[str]]:
        """The marks of each card, as many for each."""

    def solved(self) -> Collection[Card]:
        """The cards that are known to be in the envelope."""

    def left(self) -> list[Collection[Card]]:
        """The cards of each kind that may be in the envelope."""


def open_notebook(hello: Hello) -> Notebook:
    """Empty notes for the kind of game that has begun."""
    return MiniNotes() if hello.hand is None else FullNotes(hello.token, hello.hand)


class FullNotes:
    """What a seat with that hand can know in the full game: a mark for each seat."""

    def __init__(self, seat: int, hand: Collection[Card]) -> None:
        self._notes = Notes(seat, hand, Random())
        self._disproved: list[tuple[int, Triple]] = []

    def note(self, message: Message, match: Match) -> None:
        match message:
            case Moved():
                self._note_moved(message)
            case Counter():
                assert match.suggested is not None
                self._notes.countered(match.suggested, message)
            case Wrong():
                assert match.accused is not None
                self._notes.wrong(match.accused)

    def marks(self) -> dict[Card, Sequence[str]]:
        return {card: [self._mark(seat, card) for seat in range(SEATS)] for card in DECK}

    def solved(self) -> Collection[Card]:
        return [card for card in DECK if self._notes.deduction.holder(card) == ENVELOPE]

    def left(self) -> list[Collection[Card]]:
        deduction = self._notes.deduction
        solution = deduction.solution()
        envelopes = deduction.hands[ENVELOPE] if solution is None else [as_cards(solution)]
        return [[card for card in kind if any(e >> card & 1 for e in envelopes)] for kind in KINDS]

    def _note_moved(self, moved: Moved) -> None:
        if moved.suggestion is not None:
            self._notes.suggestion(moved.mover, moved.suggestion, moved.disprover)
            if moved.disprover is not None:
                self._disproved.append((moved.disprover, moved.suggestion))

    def _mark(self, seat: int, card: Card) -> str:
        has = [hand >> card & 1 for hand in self._notes.deduction.hands[seat]]
        if not any(has):
            return HAS_NOT
        if all(has):
            return HAS
        return MAY_HAVE if self._may_have_shown(seat, card) else UNKNOWN

    def _may_have_shown(self, seat: int, card: Card) -> bool:
        """Whether the seat disproved something with this card, of which it surely has none."""
        hands = self._notes.deduction.hands[seat]
        return any(
            disprover == seat
            and card in triple
            and not any(all(hand >> other & 1 for hand in hands) for other in triple)
            for disprover, triple in self._disproved
        )


class MiniNotes:
    """What is known to be wrong in the mini-game: one mark."""

    def __init__(self) -> None:
        self._left = set(DECK)

    def note(self, message: Message, match: Match) -> None:
        if isinstance(message, Counter) and match.suggested is not None:
            if message.card is None:
                self._left = set(match.suggested)
            else:
                self._left.discard(message.card)

    def marks(self) -> dict[Card, Sequence[str]]:
        return {card: [UNKNOWN if card in self._left else HAS_NOT] for card in DECK}

    def solved(self) -> Collection[Card]:
        return [card for cards in self.left() if len(cards) == 1 for card in cards]

    def left(self) -> list[Collection[Card]]:
        return [[card for card in kind if card in self._left] for kind in KINDS]


# Drawing them


def draw_notes(
    marks: Mapping[Card, Sequence[str]], solved: Collection[Card], style: Ink
) -> list[str]:
    """A table of the cards, each with a mark for each seat or, in the mini-game, with one.

    ``solved`` are known to be hidden.
    """
    full = all(len(row) == SEATS for row in marks.values())
    lines = [f"{'':15}{''.join(f' {name}' for name in SHORT)}"] if full else []
    for card in DECK:
        name = f"{NAMES[card] if len(NAMES[card]) == 1 else ' '} {title(card):<13}"
        row = "".join(f" {mark:<2}" for mark in marks[card])
        lines.append(style.winning(f"{name}{row} <") if card in solved else f"{name}{row}".rstrip())
    legend = "x has, - hasn't, ? maybe, < hidden" if full else "- wrong, < hidden"
    return [*lines, style.dim(legend)]


def beside(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """Two pictures side by side; all lines of the left one are equally wide."""
    padded = [*right, *[""] * (len(left) - len(right))]
    return [f"{one}  {other}".rstrip() for one, other in zip(left, padded, strict=True)]
