"""What happens in a game of Clue, in sentences for a person."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tictac.doors.clue.match import Match, Outcome
from tictac.games.clue.board import Cell, Place, State
from tictac.games.clue.cards import ROOMS, TOKENS, Card, Triple, show_triple, the, title
from tictac.games.clue.messages import (
    Answer,
    AskSuggestion,
    Counter,
    Hello,
    Message,
    Moved,
    Rolled,
    Wrong,
)

ENDS: dict[Outcome, str] = {
    "won": "You have won!",
    "lost": "That was wrong. You have lost.",
    "over": "The game is over, and you haven't won it.",
}


FEW = 3
"""So many cards of a kind are worth naming."""


def tell_end(outcome: Outcome, match: Match, left: Sequence[Collection[Card]]) -> list[str]:
    """How it ended; ``left`` are the cards of each kind that may be in the envelope.

    The server says nothing of it: the seat whose turn it was when it closed has probably accused.
    """
    said = [ENDS[outcome]]
    if outcome == "over" and match.mover != match.token:
        said.append(f"It ended in {TOKENS[match.mover]}'s turn, most likely by a right accusation.")
    if outcome != "won":
        said.append(tell_envelope(left))
    return said


def tell_envelope(left: Sequence[Collection[Card]]) -> str:
    """What the notes prove of the envelope."""
    known = [title(card) for cards in left if len(cards) == 1 for card in cards]
    said = [f"In the envelope: {', '.join(known)}"] if known else []
    for kind, cards in zip(("player", "weapon", "room"), left, strict=True):
        if 1 < len(cards) <= FEW:
            said.append(f"the {kind} was {' or '.join(map(title, cards))}")
    if not said:
        return "Your notes don't tell what was in the envelope."
    return f"{said[0][0].upper()}{'; '.join(said)[1:]}."


def show_place(place: Place) -> str:
    """A place in a sentence."""
    if isinstance(place, Cell):
        return f"({place.down} {place.right})"
    return f"the {ROOMS[place.room]}"


def tell(message: Message, match: Match, before: State) -> str | None:
    """What the server has said; None when it isn't worth a word.

    ``match`` has heard it; ``before`` is the state until then.
    """
    match message:
        case Hello(token, None):
            return f"You are {TOKENS[token]}, alone, and without cards: each counter is true."
        case Hello(token, hand):
            return f"You are {TOKENS[token]}. Your cards: {', '.join(map(title, hand or ()))}."
        case Rolled(steps):
            return f"You roll {steps}." if steps else None
        case Moved():
            return tell_moved(message, before, match.token)
        case Counter(card, shower):
            return _tell_counter(card, shower, match)
        case Wrong() if not match.mini:
            return "That was wrong: you have no more turns, but you still show your cards."
    return None


def tell_moved(moved: Moved, before: State, seat: int) -> str:
    """How the turn of another seat went, as ``seat`` sees it."""
    name, place, old = TOKENS[moved.mover], moved.state[moved.mover], before[moved.mover]
    if moved.suggestion is None:
        if show_place(place) == show_place(old):
            return f"{name} stays {'at' if isinstance(place, Cell) else 'in'} {show_place(place)}."
        return f"{name} goes to {show_place(place)}."
    said = f"{name} suggests {show_triple(moved.suggestion)}: "
    if moved.disprover is None:
        return said + "nobody can disprove it!"
    if moved.disprover == seat:
        return said + "you must disprove it."
    return said + f"{TOKENS[moved.disprover]} shows a card."


def _tell_counter(card: Card | None, shower: int | None, match: Match) -> str:
    if card is None:
        return "All three are right!" if match.mini else "Nobody can disprove it."
    if match.mini:
        return f"{the(card).capitalize()} is wrong." if card > 5 else f"It isn't {the(card)}."
    return f"{TOKENS[shower] if shower is not None else 'Somebody'} shows you {the(card)}."


def tell_answer(message: Message, answer: Answer) -> str | None:
    """What the person, or who plays for it, has decided."""
    match message, answer:
        case Rolled(), tuple(place) if not isinstance(place, Triple):
            return f"You go to {show_place(place)}."
        case _, Triple() as triple:
            verb = "suggest" if isinstance(message, AskSuggestion) else "accuse:"
            return f"You {verb} {show_triple(triple)}."
        case Moved(), int(card):
            return f"You show {the(card)}."
    return None
