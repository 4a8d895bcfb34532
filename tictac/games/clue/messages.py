"""What the seats of a game of Clue are told, and what they answer. Source: clue.md, "Messages"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from tictac.games.clue.board import Place, State
from tictac.games.clue.cards import Card, Triple

# Messages, by the name that each has on the wire.


class Hello(NamedTuple):
    """``hello``: the token, and the hand in the order of the deck; None in the mini-game."""

    token: int
    hand: tuple[Card, ...] | None


class Turn(NamedTuple):
    """``turn``: answer with a :data:`Choice`."""

    state: State


class Rolled(NamedTuple):
    """``rolled``: 2 to 12, or 0 after no-roll; answer with a place."""

    steps: int


@dataclass(frozen=True)
class AskSuggestion:
    """``suggest``: answer with a triple whose room is the one just entered."""


@dataclass(frozen=True)
class AskAccusation:
    """``accuse``: answer with a triple."""


class Counter(NamedTuple):
    """``counter``: the card that disproves the suggestion and whose it is; None for nobody.

    In the mini-game, and in the older form, there is a card and no ``shower``.
    """

    card: Card | None
    shower: int | None


class Moved(NamedTuple):
    """``moved``: how another seat's turn went.

    ``suggestion`` is None when there was none, ``disprover`` when there was none or nobody
    could; when it is the seat that reads this, that seat answers with a card.
    """

    state: State
    mover: int
    suggestion: Triple | None
    disprover: int | None


@dataclass(frozen=True)
class Wrong:
    """``wrong``: the accusation was; there is no further turn."""


Message = Hello | Turn | Rolled | AskSuggestion | AskAccusation | Counter | Moved | Wrong

# Answers.

Choice = Literal["roll", "no-roll", "accuse"]
Answer = Choice | Place | Triple | Card
Asked = Literal["turn", "move", "suggest", "accuse", "show"]
"""What an answer is to: a Choice, a Place, a Triple, a Triple, a Card."""
Stage = Asked | Literal["over"]
"""What is asked in a game, which may be over."""
