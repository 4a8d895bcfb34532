"""The computer as somebody who can be invited: takes a free role, and thinks.

Pure: dice are passed in; when it moves is decided in ``house.py``.
"""

from __future__ import annotations

from random import Random

from tictac.games.tictactoe import opponent
from tictac.mug.board import MARK_OF
from tictac.mug.events import Declined, Event, Session
from tictac.mug.occupants import Occupant
from tictac.mug.room import Room

NAME = "computer"


def invite_computer(room: Room, domain: str, to: tuple[Session, ...]) -> list[Event]:
    """Let the computer in and take a free role, or decline in its name."""
    person = f"{NAME}@{domain}"
    why = _why_not(room)
    if why:
        return [Declined(room.address, to, person, why)]
    nick = NAME
    while room.occupants.named(nick) is not None:
        nick += "_"
    newcomer = Occupant(nick, person, [], room.free_roles()[0], ready=True, computer=True)
    room.match.starts.clear()
    return room.let_in(newcomer) + room.start_the_ready()


def _why_not(room: Room) -> str:
    if room.occupants.computer() is not None:
        return "I am here already"
    if not room.free_roles():
        return "there is no role for me"
    return "there is no place for me" if room.is_full else ""


def is_to_move(room: Room) -> bool:
    """Whether the computer is waited for."""
    computer = room.occupants.computer()
    if computer is None or room.match.status != "active" or room.saved:
        return False
    return computer.role == room.match.turn


def move(room: Room, dice: Random) -> list[Event]:
    """Let the computer make its move, if it is waited for."""
    if not is_to_move(room):
        return []
    computer, match = room.occupants.computer(), room.match
    assert computer is not None and MARK_OF[match.turn] == match.rules.to_move(match.board)
    row, col = divmod(opponent.choose(match.rules, match.board, dice), match.rules.cols)
    return room.play_as(computer, row + 1, col + 1)
