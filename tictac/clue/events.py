"""What a game of Clue tells its seats and whoever runs it, and what the seats answer.

A game gives :class:`Told` with one of the messages for each seat, in the order in which they
must be written, and :class:`Dropped` and :class:`Over` for whoever holds the connections.
Source: clue.md, "Messages".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from tictac.clue.board import Place, State
from tictac.clue.cards import Card, Triple

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


class Due(NamedTuple):
    """The answer that the game waits for. There is never more than one."""

    seat: int
    asked: Asked


# Events.


class Told(NamedTuple):
    """``seat`` must be sent ``message``."""

    seat: int
    message: Message


class Dropped(NamedTuple):
    """``seat`` answered illegally: its connection is closed, and it is told nothing more."""

    seat: int
    why: str


Ending = Literal["won", "out", "rounds"]


class Over(NamedTuple):
    """The game has ended: every connection is closed. ``winner`` is None unless won."""

    how: Ending
    winner: int | None


Event = Told | Dropped | Over
