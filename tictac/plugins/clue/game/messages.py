"""What the seats of a game of Clue are told: as values, and when. Source: clue.md, "Messages"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, cast

from tictac.plugins.clue.game.board import State
from tictac.plugins.clue.game.cards import Card, Triple
from tictac.plugins.clue.game.position import Answer, Choice, Position
from tictac.plugins.clue.game.position import Turn as Played

# By the name that each has on the wire.


class Hello(NamedTuple):
    """``hello``: the token, and the hand in the order of the deck; None in the mini-game."""

    token: int
    hand: tuple[Card, ...] | None


class Turn(NamedTuple):
    """``turn``: answer with a Choice."""

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
Heard = tuple[Message, Answer | None]
"""A message, and what it was answered, if anything."""


def heard(position: Position, seat: int, turns: int = 0) -> Iterator[Heard]:
    """What a seat was told since ``turns`` turns were over, the turn that goes on included.

    With ``turns`` 0 that begins with its token and its cards.
    """
    if turns == 0:
        hand = None if position.mini else tuple(sorted(position.hands[seat]))
        yield Hello(position.tokens[seat], hand), None
    before = position.past[turns - 1].state if turns else position.board.starts
    for turn in position.past[turns:]:
        yield from _heard(turn, position.tokens[seat], before, seat, "")
        before = turn.state
    yield from _heard(position.turn, position.tokens[seat], before, seat, position.asked)


def _heard(turn: Played, token: int, before: State, seat: int, asked: str) -> Iterator[Heard]:
    """What ``seat`` is told of a turn; ``asked`` is empty once that is over."""
    if turn.seat != seat:
        if turn.suggestion is not None or not asked:
            moved = Moved(turn.state, turn.seat, turn.suggestion, turn.shower)
            yield moved, turn.card if turn.shower == seat else None
        return
    if turn.choice or asked == "turn":
        yield Turn(before), cast(Choice, turn.choice) or None
    if turn.choice == "accuse":
        yield AskAccusation(), turn.accused
        if turn.accused is not None and not asked:
            yield Wrong(), None
    elif turn.choice:
        yield Rolled(turn.steps), None if asked == "move" else turn.state[token]
        if turn.entered:
            yield AskSuggestion(), turn.suggestion
        if turn.suggestion is not None and not asked:
            yield Counter(turn.card, turn.shower), None


class Hearing:
    """What ``seat`` is told while a game goes on: each message once."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self._turns = 0  # that were over when something was last told
        self._told = 0  # messages since then

    def news(self, position: Position) -> list[Message]:
        """What wasn't told yet. Every position has to be passed, in their order."""
        told = [message for message, _ in heard(position, self.seat, self._turns)]
        new = told[self._told :]
        self._told = len(told)
        if len(position.past) != self._turns:
            self._turns = len(position.past)
            self._told = sum(1 for _ in heard(position, self.seat, self._turns))
        return new
