"""Why a game has ended, as far as its last position tells that.

An end is a key of the texts of the page (``ends`` in page/texts), after some of them with the
numbers that have decided, the best first: ``checkmate``, or ``points:102,93``. If three or more
play, and some share the best number, their seats follow: ``points:9,9,4;0,2``. A game has some
ends, and the first one that holds is its reason; if none holds, nothing is said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tictac_openspiel.adapter import Position

Holds = Callable[["Position", "int | None"], "bool | Iterable[float]"]
"""Whether it is the reason, by the last position and the winner (None: nobody has won); or the
numbers that have decided."""
End = tuple[str, Holds]


def why(position: Position) -> str:
    """Return the reason for the end of a game that is over; "" if it isn't known."""
    result = position.game.result(position)
    assert result is not None
    for key, holds in ENDS[position.game.entry.name]:
        found = holds(position, result.winner)
        if not isinstance(found, bool):
            given = [*found]
            numbers = sorted(given, reverse=key not in LOWEST)
            first = [str(seat) for seat, number in enumerate(given) if number == numbers[0]]
            is_shared = result.winner is None and len(given) > 2
            shared = f";{','.join(first)}" if is_shared and len(first) > 1 else ""
            return f"{key}:{','.join(f'{number:g}' for number in numbers)}{shared}"
        if found:
            return key
    return ""


@cache
def texts() -> dict[str, str]:
    """Return the ends in English."""
    page = files("tictac_openspiel").joinpath("page", "texts", "en.json").read_text("utf-8")
    found: dict[str, str] = json.loads(page)["ends"]
    return found


def in_words(end: str) -> str:
    """Return an end as a sentence in English."""
    key, _, numbers = end.partition(";")[0].partition(":")
    return texts()[key].replace("{numbers}", numbers.replace(",", " : "))


# When an end holds


def won(position: Position, winner: int | None) -> bool:
    """Return whether somebody has won."""
    return winner is not None


def drawn(position: Position, winner: int | None) -> bool:
    """Return whether nobody has won."""
    return winner is None


def is_long(position: Position, winner: int | None) -> bool:
    """Return whether nobody has won in as many moves as OpenSpiel allows."""
    if winner is not None:
        return False
    most = int(position.state.get_game().max_game_length())
    return [step.player >= 0 for step in position.state.full_history()].count(True) >= most


def is_seen(position: Position, winner: int | None) -> bool:
    """Return whether nobody has won, and the board was the same before."""
    rows, state = position.game.entry.board.rows, position.game.new_state(position.seats)
    last = rows(position.state)
    for action in position.history if winner is None else ():
        if rows(state) == last:
            return True
        state.apply_action(action)
    return False


def few(least: int, of: str = "loser") -> Holds:
    """Return whether a side of two has fewer pieces on the board than ``least``."""

    def holds(position: Position, winner: int | None) -> bool:
        seat = winner if winner is None or of == "winner" else 1 - winner
        signs = position.game.entry.board.signs
        seats = [signs[sign][0] for sign in position.cells.values() if sign in signs]
        return seat is not None and seats.count(seat) < least

    return holds


def is_repeated(position: Position, winner: int | None) -> bool:
    """Return whether the rule about repetitions has ended chess or shogi."""
    state = position.state
    asked = getattr(state, "is_repetition_draw", None) or getattr(state, "is_repetition_end", None)
    return bool(asked and asked())


def is_stuck(position: Position, winner: int | None) -> bool:
    """Return whether chess is drawn because there is no move."""
    return winner is None and not position.state.board().has_legal_moves()


def is_bare(position: Position, winner: int | None) -> bool:
    """Return whether at most one knight or bishop is left beside the kings."""
    pieces = [sign.lower() for sign in position.cells.values() if sign not in ".kK"]
    return winner is None and len(pieces) < 2 and {*pieces} <= {*"nb"}


def is_slow(position: Position, winner: int | None) -> bool:
    """Return whether chess is drawn by fifty moves without progress."""
    return winner is None and int(position.written.split(" ")[4]) >= 100


def is_in_check(position: Position, winner: int | None) -> bool:
    """Return whether the king of the loser of shogi is attacked."""
    return winner is not None and bool(position.state.in_check())


def is_free(position: Position, winner: int | None) -> bool:
    """Return whether nobody has won although there are free cells."""
    return winner is None and "." in position.cells.values()


def is_off(position: Position, winner: int | None) -> bool:
    """Return whether all checkers of the winner of backgammon are off."""
    return winner is not None and _note(position, "off").split("-")[winner] == "15"


def ring_bridge_fork(kind: str) -> Holds:
    """Return whether the winner of Havannah has a group of that kind, and of none before it."""

    def holds(position: Position, winner: int | None) -> bool:
        ends = {end for group in _groups(position, winner) for end in group}
        return winner is not None and (kind in ends or (kind == "ring" and not ends))

    return holds


NEAR = (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)
"""The neighbors of a cell of Havannah."""


def _groups(position: Position, winner: int | None) -> Iterator[set[str]]:
    """Yield what each group of the winner of Havannah is, besides perhaps a ring."""
    board = position.game.entry.board
    last = len(board.grid(position.written)) - 1
    half = last // 2
    places = {
        (board.files.index(name[0]), int(name[1:]) - 1)
        for name, sign in position.cells.items()
        if sign in board.signs and board.signs[sign][0] == winner
    }
    corners = {(0, 0), (half, 0), (last, half), (last, last), (half, last), (0, half)}
    while places:
        group = [places.pop()]
        for x, y in group:
            near = places & {(x + dx, y + dy) for dx, dy in NEAR}
            places -= near
            group += near
        sides = set()
        for x, y in {*group} - corners:
            on = (x == 0, y == 0, x == last, y == last, x - y == half, y - x == half)
            sides |= {side for side, is_there in enumerate(on) if is_there}
        yield {*["bridge"] * (len(corners & {*group}) > 1), *["fork"] * (len(sides) > 2)}


def is_empty_hand(position: Position, winner: int | None) -> bool:
    """Return whether the winner of a game of cards has none left."""
    hands = _note(position, "hand").split(",")
    return winner is not None and hands[winner] == "-"


# What is counted


def _note(position: Position, name: str) -> str:
    """Return the value of a note of the last position; "" without one."""
    found = re.search(rf" {name}=(\S+)", position.written)
    return found[1] if found else ""


def noted(name: str) -> Holds:
    """Return the numbers of a note."""

    def numbers(position: Position, winner: int | None) -> Iterable[float] | bool:
        # A sign after a number parts them: "41,-41" and "18-67.5".
        note = _note(position, name)
        return bool(note) and [float(number) for number in re.split(r",|(?<=\d)-", note)]

    return numbers


def earned(best: int = 0, sign: int = 1) -> Holds:
    """Return OpenSpiel's returns as points."""
    return lambda position, winner: [best + sign * value for value in position.state.returns()]


def gained(position: Position, winner: int | None) -> Iterable[float]:
    """Return the points of the winner."""
    return [max(position.state.returns())]


def boxes(position: Position, winner: int | None) -> Iterable[float]:
    """Return how many boxes each player has."""
    cells = [*position.cells.values()]
    return [cells.count(sign) for sign in position.game.entry.board.sides]


def sunk(position: Position, winner: int | None) -> Iterable[float]:
    """Return how many of the five ships of the other each player has sunk."""
    waters = _note(position, "waters").split(",")
    return [5 - len({*re.sub("[^a-e]", "", half)}) for half in waters[::-1]]


LOWEST = frozenset(("penalties",))
"""Those in which the lowest number is the best."""

CHESS: tuple[End, ...] = (
    ("repetition", is_repeated), ("stalemate", is_stuck), ("fifty", is_slow),
)  # fmt: skip
POINTS: tuple[End, ...] = (("points", noted("score")),)

ENDS: dict[str, tuple[End, ...]] = {
    "chess": (("checkmate", won), ("repetition", is_repeated), ("stalemate", is_stuck),
              ("material", is_bare), ("fifty", is_slow)),
    "antichess": (("taken", few(1, "winner")), ("stuck", won), ("fifty", is_slow)),
    "crazyhouse": (("checkmate", won), *CHESS),
    "xiangqi": (("stuck", won), ("limit", is_long)),
    "shogi": (("repetition", is_repeated), ("checkmate", is_in_check)),
    "checkers": (("taken", few(1)), ("stuck", won), ("slow", drawn)),
    "breakthrough": (("taken", few(1)), ("across", won)),
    "linesofaction": (("group", won), ("again", is_seen)),
    "clobber": (("stuck", won),),
    "go": (("area", noted("count")),),
    "gomoku": (("five", won), ("full", drawn)),
    "hex": (("joined", won),),
    "havannah": (("bridge", ring_bridge_fork("bridge")), ("fork", ring_bridge_fork("fork")),
                 ("ring", ring_bridge_fork("ring")), ("full", drawn)),
    "y": (("sides", won),),
    "amazons": (("stuck", won),),
    "ninemensmorris": (("men", few(3)), ("stuck", won), ("limit", drawn)),
    "dotsandboxes": (("boxes", boxes),),
    "ultimate": (("boards", won), ("over", drawn)),
    "pentago": (("five", won), ("both", is_free), ("full", drawn)),
    "oware": (("seeds", noted("score")),),
    "chinesecheckers": (("pegs", won), ("limit", is_long)),
    "einstein": (("taken", few(1)), ("corner", won)),
    "backgammon": (("points", noted("points")), ("off", is_off)),
    "quoridor": (("across", won), ("limit", is_long)),
    "hive": (("queen", won), ("limit", is_long), ("queens", drawn)),
    "banqi": (("taken", few(1)), ("stuck", won), ("slow", drawn)),
    "ludo": (("home", won), ("limit", is_long)),
    "pig": POINTS,
    "yacht": POINTS,
    "ginrummy": (("stock", drawn), ("hand", gained)),
    "hearts": (("penalties", earned(26, -1)),),
    "ohhell": (("points", earned()),),
    "crazyeights": (("cards", is_empty_hand), ("penalties", earned(0, -1))),
    "cribbage": POINTS,
    "holdem": (("chips", noted("chips")),),
    "battleship": (("ships", sunk),),
}  # fmt: skip
"""The ends of each game, by its name."""
