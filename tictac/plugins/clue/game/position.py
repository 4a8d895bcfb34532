"""A position of Clue, and its moves: the answers of its seats."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from tictac.errors import NotAMove
from tictac.plugins.clue.game.board import (
    Board,
    Cell,
    InRoom,
    Place,
    State,
    parse_board,
    shipped_board,
)
from tictac.plugins.clue.game.cards import NAMES, ROOMS, Card, Hands, Triple, as_triple, read_card

Choice = Literal["roll", "no-roll", "accuse"]
Answer = Choice | Place | Triple | Card
Asked = Literal["turn", "move", "suggest", "accuse", "show"]
"""The stages that need an answer: a Choice, a Place, a Triple, a Triple, a Card."""
Stage = Asked | Literal["over"]
"""The stage of a game, which can be over."""

CHOICES: tuple[Choice, ...] = ("roll", "no-roll", "accuse")
NOTHING = "-"


class Turn(NamedTuple):
    """The turn of a seat. ``state`` has the tokens' places after it.

    ``choice`` is empty for a seat without turns. ``card`` is the card that ``shower`` showed, or a
    wrong one in the mini-game. ``entered`` is whether a suggestion follows.
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
    """All of a game. ``tokens`` are those of the seats, ``turn`` is the current turn.

    ``past`` are the turns before it. Seats in ``out`` have no more turns. Seats in ``gone`` are
    empty, and the game shows their cards. At the end, ``asked`` is ``over`` and ``how`` is the
    reason. With a ``seed``, all rolls and deals follow from it.
    """

    board: Board
    tokens: tuple[int, ...]
    envelope: Triple
    hands: Hands
    turn: Turn
    asked: Stage = "turn"
    how: str = ""
    out: frozenset[int] = frozenset()
    gone: frozenset[int] = frozenset()
    past: tuple[Turn, ...] = ()
    seed: str = ""

    @property
    def mini(self) -> bool:
        """Whether this is the mini-game."""
        return len(self.tokens) == 1

    @property
    def rounds(self) -> int:
        """The number of rounds so far, with the current one."""
        return len(self.past) // len(self.tokens) + 1

    @property
    def token(self) -> int:
        """The token of the seat that has the turn."""
        return self.tokens[self.turn.seat]

    def last(self) -> Turn:
        """Return the turn of the last suggestion, or the current turn."""
        latest = (self.turn, *reversed(self.past[-len(self.tokens) :]))
        return next((turn for turn in latest if turn.suggestion), self.turn)


def dump(position: Position) -> str:
    """Return the position as JSON."""
    fields = {
        **position._asdict(),
        "board": "" if position.board is shipped_board() else "\n".join(position.board.rows),
        "hands": list(map(sorted, position.hands)),
        "out": sorted(position.out),
        "gone": sorted(position.gone),
    }
    return json.dumps(list(fields.values()), separators=(",", ":"))


def load(text: str) -> Position:
    """Return the position that :func:`dump` wrote."""
    fields = json.loads(text)
    # Records of older versions begin with a position that has one more empty field.
    position = Position(*[*fields[:10], fields[-1]])
    return position._replace(
        board=_board(position.board) if position.board else shipped_board(),
        tokens=tuple(position.tokens),
        envelope=Triple(*position.envelope),
        hands=tuple(map(frozenset, position.hands)),
        turn=_load_turn(position.turn),
        out=frozenset(position.out),
        gone=frozenset(position.gone),
        past=tuple(map(_load_turn, position.past)),
    )


_board = lru_cache(maxsize=8)(parse_board)


def _load_turn(fields: Iterable[Any]) -> Turn:
    turn = Turn(*fields)
    return turn._replace(
        state=tuple(InRoom(*at) if isinstance(at[0], str) else Cell(*at) for at in turn.state),
        suggestion=turn.suggestion and Triple(*turn.suggestion),
        accused=turn.accused and Triple(*turn.accused),
    )


# Moves as text

NUMBERS = {str(number): number for number in range(100)}


def format_move(asked: Stage, answer: Answer) -> str:
    """Return an answer as the text of a move."""
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


def read_move(move: str) -> tuple[str, Any, str | None]:
    """Return the stage that a move answers, the answer, and the result of chance.

    The stage is an Asked, or ``drop`` for an empty seat. Raises NotAMove.
    """
    text, colon, chance = move.partition(": ")
    wrong: object = f"a move is roll, go 17 23 or suggest 5 rope U, not {move!r:.40}"
    try:
        match text.split(" "):
            case ["roll" | "no-roll" | "accuse" as choice] if not colon:
                return "turn", choice, None
            case ["roll", steps] if 2 <= NUMBERS.get(steps, 0) <= 12 and not colon:
                return "turn", "roll", steps
            case ["go", room] if room in ROOMS and not colon:
                return "move", InRoom(room, "V"), None
            case ["go", down, right] if down in NUMBERS and right in NUMBERS and not colon:
                return "move", Cell(NUMBERS[down], NUMBERS[right]), None
            case ["suggest" | "accuse" as verb, *names]:
                return verb, as_triple(map(read_card, names)), chance if colon else None
            case ["show" | "drop" as verb, name] if not colon:
                return verb, read_card(name), None
    except ValueError as error:
        wrong = error
    raise NotAMove(str(wrong))


def names(cards: Iterable[Card]) -> str:
    """Return the names of cards, with commas."""
    return ",".join(NAMES[card] for card in cards) or NOTHING
