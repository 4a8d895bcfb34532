"""Events of tic-tac-toe as tests write them: what follows from a board isn't said again."""

from __future__ import annotations

from tictac.lobby.events import Ended, Ending, Joined, Mode, Placed
from tictac.lobby.room import Room
from tictac.lobby.terms import USUAL_TERMS

_SEATS = {"alice": 0, "ann": 0, "bob": 1, "ben": 1, "computer": 1, None: None}


def placed(number: int, board: str, cell: int) -> Placed:
    """Return the event of a move to ``cell``, which led to ``board``."""
    seat = (9 - board.count("0") - 1) % 2
    return Placed(number, None, board, seat, text_of(cell), USUAL_TERMS.game.turn(board))


def ended(
    number: int,
    board: str,
    ending: Ending,
    winner: str | None,
    cell: int | None = None,
    cut: bool = False,
) -> Ended:
    """Return the event of the end of a match, by a mark in ``cell`` if given."""
    move = None if cell is None else text_of(cell)
    return Ended(number, None, board, ending, winner, _SEATS[winner], move, cut)


def joined(
    number: int,
    to: str,
    user: str,
    mode: Mode,
    created: bool = False,
    turn: str | None = None,
    waiting: str | None = None,
    board: str | None = None,
) -> Joined:
    """Return the event of ``user`` joining den."""
    seat = _SEATS[user] if mode == "PLAYER" else None
    return Joined(number, to, "den", mode, created, turn, waiting, board, user, seat)


def text_of(cell: int) -> str:
    """Return the move that marks a cell."""
    return f"{cell % 3}:{cell // 3}"


def state(room: Room) -> list[object]:
    """Return the room's whole state, for comparisons."""
    return [repr(getattr(room, name)) for name in Room.__slots__]
