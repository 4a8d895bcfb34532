"""The messages to the seats of a game of Clue, and their order. Source: clue.md, "Messages"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, cast

from tictac.plugins.clue.game.board import State
from tictac.plugins.clue.game.cards import Card, Triple
from tictac.plugins.clue.game.position import Answer, Choice, Position
from tictac.plugins.clue.game.position import Turn as Played

# Named as on the wire.


class Hello(NamedTuple):
    """The message ``hello``: the token, and the hand in the order of the deck.

    The hand is None in the mini-game.
    """

    token: int
    hand: tuple[Card, ...] | None


class Turn(NamedTuple):
    """The message ``turn``, answered by a Choice."""

    state: State


class Rolled(NamedTuple):
    """The message ``rolled``: 2 to 12, or 0 after no-roll. Its answer is a place."""

    steps: int


@dataclass(frozen=True)
class AskSuggestion:
    """The message ``suggest``, answered by a triple with the room just entered."""


@dataclass(frozen=True)
class AskAccusation:
    """The message ``accuse``, answered by a triple."""


class Counter(NamedTuple):
    """The message ``counter``: the card that disproves the suggestion, and the seat that shows it.

    Both are None if no seat can disprove the suggestion. In the mini-game, and in the older form,
    there is a card but no ``shower``.
    """

    card: Card | None
    shower: int | None


class Moved(NamedTuple):
    """The message ``moved``: the turn of another seat.

    ``suggestion`` is None if there was none. ``disprover`` is None if there was no suggestion, or
    no seat could disprove it. If it is the reading seat, that seat answers with a card.
    """

    state: State
    mover: int
    suggestion: Triple | None
    disprover: int | None


@dataclass(frozen=True)
class Wrong:
    """The message ``wrong``: the accusation was wrong, and the seat has no further turns."""


Message = Hello | Turn | Rolled | AskSuggestion | AskAccusation | Counter | Moved | Wrong


def name_of(kind: type) -> str:
    """Return the name of a type of messages on the wire."""
    names: dict[type, str] = {AskSuggestion: "suggest", AskAccusation: "accuse"}
    return names.get(kind, kind.__name__.lower())


Heard = tuple[Message, Answer | None]
"""A message, and its answer, if any."""


def heard(position: Position, seat: int, turns: int = 0) -> Iterator[Heard]:
    """Yield the messages to a seat since the end of turn ``turns``, with those of the current turn.

    With ``turns`` 0, the first message is ``hello``.
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
    """Yield the messages to ``seat`` about a turn; ``asked`` is empty for a finished turn."""
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
    """The messages to ``seat`` in a running game, each once."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self._turns = 0  # finished turns at the last message
        self._count = 0  # messages since then

    def news(self, position: Position) -> list[Message]:
        """Return the new messages. The caller must pass every position in order."""
        messages = [message for message, _ in heard(position, self.seat, self._turns)]
        new = messages[self._count :]
        self._count = len(messages)
        if len(position.past) != self._turns:
            self._turns = len(position.past)
            self._count = sum(1 for _ in heard(position, self.seat, self._turns))
        return new
