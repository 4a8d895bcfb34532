"""The events of a game of Clue as sentences for a person."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tictac.plugins.clue.game.board import State, at, show_place
from tictac.plugins.clue.game.cards import TITLES, TOKENS, Card, Triple, show_triple, the
from tictac.plugins.clue.game.messages import (
    AskSuggestion,
    Counter,
    Hello,
    Message,
    Moved,
    Rolled,
    Wrong,
)
from tictac.plugins.clue.game.position import Answer
from tictac.plugins.clue.match import Outcome, SeatState

ENDS: dict[Outcome, str] = {
    "won": "You have won!",
    "lost": "That was wrong. You have lost.",
    "over": "The game is over, and you haven't won it.",
}

FEW = 3
"""The maximum number of possible cards of a kind to name."""


def describe_end(outcome: Outcome, match: SeatState) -> list[str]:
    """Describe the end of the game.

    The server sends no reason. The seat that had the turn at the end has probably accused.
    """
    news = [ENDS[outcome]]
    if outcome == "over" and match.mover != match.token:
        news.append(f"It ended in {TOKENS[match.mover]}'s turn, most likely by a right accusation.")
    if outcome != "won":
        news.append(describe_envelope(match.notes.left()))
    return news


def describe_envelope(left: Sequence[Collection[Card]]) -> str:
    """Describe the known cards of the envelope; ``left`` are the possible ones."""
    known = [TITLES[card] for cards in left if len(cards) == 1 for card in cards]
    parts = [f"In the envelope: {', '.join(known)}"] if known else []
    for kind, cards in zip(("player", "weapon", "room"), left, strict=True):
        if 1 < len(cards) <= FEW:
            parts.append(f"the {kind} was {' or '.join(TITLES[card] for card in cards)}")
    if not parts:
        return "Your notes don't show what was in the envelope."
    return f"{parts[0][0].upper()}{'; '.join(parts)[1:]}."


def describe(message: Message, match: SeatState, before: State) -> str:
    """Describe a message of the server; return an empty text if it has no news.

    ``match`` has observed it; ``before`` is the state before it.
    """
    match message:
        case Hello(token, None):
            return f"You are {TOKENS[token]}, alone, and without cards: each counter is true."
        case Hello(token, hand):
            cards = ", ".join(TITLES[card] for card in hand or ())
            return f"You are {TOKENS[token]}. Your cards: {cards}."
        case Rolled(steps) if steps:
            return f"You roll {steps}."
        case Moved():
            return _describe_moved(message, before, match.token)
        case Counter(None, _):
            return "All three are right!" if match.mini else "No one can disprove it."
        case Counter(int(card), _) if match.mini:
            return f"{the(card).capitalize()} is wrong." if card > 5 else f"It isn't {the(card)}."
        case Counter(int(card), shower):
            who = "A player" if shower is None else TOKENS[shower]
            return f"{who} shows you {the(card)}."
        case Wrong() if not match.mini:
            return "That was wrong: you have no more turns, but you still show your cards."
    return ""


def _describe_moved(moved: Moved, before: State, seat: int) -> str:
    """Describe the turn of another seat from the view of ``seat``."""
    name, place, old = TOKENS[moved.mover], moved.state[moved.mover], before[moved.mover]
    if moved.suggestion is None:
        stays = show_place(place) == show_place(old)
        return f"{name} stays {at(place)}." if stays else f"{name} goes to {show_place(place)}."
    text = f"{name} suggests {show_triple(moved.suggestion)}: "
    if moved.disprover is None:
        return text + "no one can disprove it!"
    if moved.disprover == seat:
        return text + "you must disprove it."
    return text + f"{TOKENS[moved.disprover]} shows a card."


def describe_answer(message: Message, answer: Answer) -> str:
    """Describe the answer of the person, or of the strategy."""
    match answer:
        case Triple():
            verb = "suggest" if isinstance(message, AskSuggestion) else "accuse:"
            return f"You {verb} {show_triple(answer)}."
        case tuple():
            return f"You go to {show_place(answer)}."
        case int():
            return f"You show {the(answer)}."
    return ""
