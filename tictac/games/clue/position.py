"""A position of Clue, and its answers as moves."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple, cast

from tictac.errors import NotAMove
from tictac.games.clue.board import Board, Cell, InRoom, State, parse_board, shipped_board
from tictac.games.clue.cards import NAMES, ROOMS, Card, Triple, as_triple, read_card
from tictac.games.clue.messages import Answer, Asked, Choice, Stage

NOTHING = "-"

MOVE = re.compile(
    r"(?P<turn>roll|no-roll|accuse)|roll (?P<rolled>[2-9]|1[0-2])|go (?P<move>\d+ \d+|[A-Z])"
    r"|suggest (?P<suggest>\S+ \S+ \S+?)(?:: (?P<wrong>\S+))?|accuse (?P<accuse>\S+ \S+ \S+)"
    r"|show (?P<show>\S+)|drop (?P<drop>[0-5])",
    re.ASCII,
)
"""A move; the last group that matches is what it answers, or what chance did."""


class Turn(NamedTuple):
    """What a seat did with its turn. ``state`` is where the tokens are after it.

    ``choice`` is empty where the seat has no turns any more; ``card`` is what ``shower`` has
    shown, or in the mini-game one that is wrong. ``entered`` says that a suggestion follows.
    """

    seat: int
    state: State
    choice: str = ""
    steps: int = 0
    entered: bool = False
    suggestion: Triple | None = None
    shower: int | None = None
    card: Card | None = None
    accused: Triple | None = None


class Position(NamedTuple):
    """All of a game. ``tokens`` are those of the seats, ``turn`` the one that goes on.

    ``past`` are the rounds before this one, ``before`` the turns of this one so far. Seats in
    ``out`` have no more turns; nobody sits in those of ``gone``, whose cards the game shows. At
    the end ``asked`` is ``over``, and ``how`` says why. With a ``seed`` all dice follow from it.
    """

    board: Board
    tokens: tuple[int, ...]
    envelope: Triple
    hands: tuple[frozenset[Card], ...]
    turn: Turn
    asked: Stage = "turn"
    how: str = ""
    out: frozenset[int] = frozenset()
    gone: frozenset[int] = frozenset()
    past: tuple[tuple[Turn, ...], ...] = ()
    before: tuple[Turn, ...] = ()
    seed: str = ""

    @property
    def mini(self) -> bool:
        """Whether it is the mini-game."""
        return len(self.tokens) == 1

    @property
    def turns(self) -> int:
        """How many turns are over."""
        return len(self.past) * len(self.tokens) + len(self.before)

    def since(self, turns: int) -> list[Turn]:
        """The turns that are over, but for the first ``turns``."""
        rounds, rest = divmod(turns, len(self.tokens))
        return [turn for each in (*self.past[rounds:], self.before) for turn in each][rest:]

    def last(self) -> Turn:
        """The turn of the last suggestion, or that goes on."""
        latest = [self.turn, *reversed(self.since(max(0, self.turns - len(self.tokens))))]
        return next((turn for turn in latest if turn.suggestion), self.turn)


def dump(position: Position) -> str:
    """Everything, as JSON."""
    fields = {
        **position._asdict(),
        "board": "" if position.board is shipped_board() else "\n".join(position.board.rows),
        "hands": list(map(sorted, position.hands)),
        "out": sorted(position.out),
        "gone": sorted(position.gone),
    }
    return json.dumps(list(fields.values()), separators=(",", ":"))


def load(text: str) -> Position:
    """The position of a text."""
    position = Position(*json.loads(text))
    return position._replace(
        board=_board(position.board) if position.board else shipped_board(),
        tokens=tuple(position.tokens),
        envelope=Triple(*position.envelope),
        hands=tuple(map(frozenset, position.hands)),
        turn=_load_turn(position.turn),
        out=frozenset(position.out),
        gone=frozenset(position.gone),
        past=tuple(tuple(map(_load_turn, each)) for each in position.past),
        before=tuple(map(_load_turn, position.before)),
    )


_board = lru_cache(maxsize=8)(parse_board)


def _load_turn(fields: Iterable[object]) -> Turn:
    turn = Turn(*fields)  # type: ignore[arg-type]
    state = tuple(InRoom(*at) if isinstance(at[0], str) else Cell(*at) for at in turn.state)
    return turn._replace(
        state=state,
        suggestion=turn.suggestion and Triple(*turn.suggestion),
        accused=turn.accused and Triple(*turn.accused),
    )


# Moves as text


def write_move(asked: Stage, answer: Answer) -> str:
    """An answer as a move."""
    match answer:
        case str():
            return answer
        case int():
            return f"show {NAMES[answer]}"
        case Triple():
            return f"{asked} {' '.join(NAMES[card] for card in answer)}"
        case Cell(down, right):
            return f"go {down} {right}"
    return f"go {answer[0]}"


def read_answer(asked: Asked, text: str) -> Answer:
    """The answer in a move, without its verb. Raises NotAMove."""
    if asked == "turn":
        return cast(Choice, text)
    if asked == "move":
        if text in ROOMS:
            return InRoom(text, "V")
        cell = [int(number) for number in text.split(" ") if len(number) < 3 and number.isdecimal()]
        if " ".join(map(str, cell)) != text:
            raise NotAMove(f"go to a cell, as 17 23, or a room, as U, not {text!r:.40}")
        return Cell(*cell)
    if asked == "show":
        return read_name(text)
    try:
        return as_triple(map(read_name, text.split(" ")))
    except ValueError as wrong:
        raise NotAMove(str(wrong)) from None


def read_name(text: str) -> Card:
    """The card of that name. Raises NotAMove."""
    if text not in NAMES:
        raise NotAMove(f"{text!r:.40} is no card")
    return read_card(text)


def names(cards: Iterable[Card]) -> str:
    """The names of cards, with commas."""
    return ",".join(NAMES[card] for card in cards) or NOTHING
