"""What a room is called, what it is made for, and who may come in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tictac.errors import BadOption, BadRoomName
from tictac.game import Game, GameType, Value
from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.events import Position

_NAME = re.compile(r"[A-Za-z0-9_ -]{1,20}", re.ASCII)


def check_room_name(name: str) -> None:
    """Raise :class:`~tictac.errors.BadRoomName` unless ``name`` may name a room."""
    if not _NAME.fullmatch(name):
        raise BadRoomName(f"{name!r} can't name a room")


@dataclass(frozen=True, slots=True)
class Terms:
    """What a room is made for: a game with its options, and who may come in.

    ``key`` opens a private room; None: it is public. ``time`` is that of each player;
    None: each move has the server's time. ``seats`` are as many as players. ``computer`` is the
    level of the one that takes ``computers`` of them; None: persons are waited for. ``door`` is the
    one whose own seating fills the seats, so that others may only watch; None: whoever comes takes
    one. ``move_timeout`` is the seconds for a move, and for a pause; 0: any; None: the server's.
    A room that isn't ``kept`` is in no journal: it ends with the process. ``score`` are the points
    by seat that the players have from matches before this one, in a series. So many
    ``computers_first`` have the first seats, and the creator the next one. A ``rated`` match
    counts. With ``computers_asked`` no computer comes that ``computer`` doesn't name.
    """

    game_type: GameType
    values: Mapping[str, Value]
    game: Game[Position]
    key: str | None = None
    time: TimeControl | None = None
    seats: int = 2
    computer: str | None = None
    computers: int = 0
    door: str | None = None
    move_timeout: float | None = None
    kept: bool = True
    score: tuple[float, ...] | None = None
    computers_first: int = 0
    rated: bool = False
    computers_asked: bool = False

    @property
    def plain(self) -> bool:
        """Whether the rooms protocol can tell of it: its game, open to all, no clock, not rated."""
        mine = self.game is USUAL_TERMS.game and self.door is None
        return mine and self.key is None and self.time is None and not self.rated


def terms_for(
    game_type: GameType,
    options: Mapping[str, object],
    seats: int | None = None,
    computers: int | None = None,
    **others: Any,
) -> Terms:
    """The terms for a game with these options. Raises BadOption.

    Without ``seats`` it has two, or the fewest; without ``computers`` a computer takes all but one.
    """
    values = game_type.values(options)
    if seats is None:
        seats = 2 if 2 in game_type.seats else game_type.seats[0]
    elif seats not in game_type.seats:
        numbers = " or ".join(map(str, sorted(game_type.seats)))
        raise BadOption(f"{game_type.title} has {numbers} seats, not {seats}")
    if others.get("computer") is not None:
        most = seats - 1
        others["computers"] = most if computers is None else computers
        if not 1 <= others["computers"] <= most:
            raise BadOption(f"the computer takes from 1 to {most} seats, not {computers}")
    first = others.get("computers_first", 0)
    if not 0 <= first <= others.get("computers", 0):
        raise BadOption(f"who has seat {first} has computers in those before it")
    if values == USUAL_TERMS.values and game_type is USUAL_TERMS.game_type:
        return replace(USUAL_TERMS, **others) if others else USUAL_TERMS
    return Terms(game_type, values, game_type.make(**values), seats=seats, **others)


_USUAL = game_type_of("tictactoe")
USUAL_TERMS = Terms(_USUAL, _USUAL.values({}), _USUAL.game())
"""Those of rooms that name none: the game of the rooms protocol."""
