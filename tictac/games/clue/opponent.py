"""What a seat has been told so far, and the computer, which decides by no more than that."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tictac.game import Stop
from tictac.games.clue.board import State
from tictac.games.clue.eliminator import Eliminator
from tictac.games.clue.messages import (
    Answer,
    AskAccusation,
    AskSuggestion,
    Counter,
    Hello,
    Message,
    Moved,
    Rolled,
    Wrong,
)
from tictac.games.clue.messages import Turn as YourTurn
from tictac.games.clue.player import Player
from tictac.games.clue.players import PLAYERS
from tictac.games.clue.position import Position, Turn, write_move
from tictac.games.clue.rules import Clue

Heard = tuple[Message, Answer | None]
"""A message, and what it was answered, if anything."""


def hello(position: Position, seat: int) -> Hello:
    """The token and the cards of a seat."""
    hand = None if position.mini else tuple(sorted(position.hands[seat]))
    return Hello(position.tokens[seat], hand)


def heard(position: Position, seat: int, turns: int = 0) -> Iterator[Heard]:
    """What a seat was told since ``turns`` turns were over, the turn that goes on included."""
    before = position.since(turns - 1)[0].state if turns else position.board.initial()
    for turn in position.since(turns):
        yield from _heard(position, turn, before, seat, "")
        before = turn.state
    yield from _heard(position, position.turn, before, seat, position.asked)


def _heard(position: Position, turn: Turn, before: State, seat: int, asked: str) -> Iterator[Heard]:
    """What ``seat`` is told of a turn; ``asked`` is empty once that is over."""
    if turn.seat != seat:
        if turn.suggestion is not None or not asked:
            moved = Moved(turn.state, turn.seat, turn.suggestion, turn.shower)
            yield moved, turn.card if turn.shower == seat else None
        return
    if turn.choice or asked == "turn":
        yield YourTurn(before), turn.choice or None  # type: ignore[misc]
    if turn.choice == "accuse":
        yield AskAccusation(), turn.accused
        if turn.accused is not None and not asked:
            yield Wrong(), None
    elif turn.choice:
        place = None if asked == "move" else turn.state[position.tokens[seat]]
        yield Rolled(turn.steps), place
        if turn.entered:
            yield AskSuggestion(), turn.suggestion
        if turn.suggestion is not None and not asked:
            yield Counter(turn.card, turn.shower), None


class Hearing:
    """What ``seat`` is told while a game goes on: each message once."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self._turns = 0  # that were over when something was last told
        self._told = -1  # messages about the turn after them; at first there is hello, too

    def news(self, position: Position) -> list[Message]:
        """What wasn't told yet. Every position has to be passed, in their order."""
        told = [message for message, _ in heard(position, self.seat, self._turns)]
        new = [hello(position, self.seat), *told] if self._told < 0 else told[self._told :]
        if position.turns != self._turns:
            self._turns = position.turns
            told = [message for message, _ in heard(position, self.seat, self._turns)]
        self._told = len(told)
        return new


def choose(game: Clue, position: Position, level: str, stop: Stop, dice: Random) -> str:
    """The computer's answer. It hears all that its seat was told, as if it had played since.

    With a seed its dice follow from that, so it decides again what it has decided.
    """
    seat = game.turn(position)
    assert seat is not None and position.asked != "over"
    if position.seed:
        dice = Random(f"{position.seed} {seat}")
    kind: type[Player] = Eliminator if position.mini else PLAYERS[level]
    player = kind(position.board, dice)
    player.note(hello(position, seat))
    told = list(heard(position, seat))
    for message, answer in told[:-1]:
        player.note(message)
        if position.seed:
            player.decide(message)
        player.answered(message, answer)
    player.note(told[-1][0])
    decided = player.decide(told[-1][0])
    assert decided is not None
    return write_move(position.asked, decided)
