"""What a room is called, what it is made for, and who may come in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tictac.errors import BadRoomName
from tictac.game import Game, Kind, Value
from tictac.games.all import kind as kind_of
from tictac.lobby.clock import Clock
from tictac.lobby.events import Position

_NAME = re.compile(r"[A-Za-z0-9_ -]{1,20}", re.ASCII)


def check_room_name(name: str) -> None:
    """Raise :class:`~tictac.errors.BadRoomName` unless ``name`` may name a room."""
    if not _NAME.fullmatch(name):
        raise BadRoomName(f"{name!r} can't name a room")


@dataclass(frozen=True, slots=True)
class Terms:
    """What a room is made for: a game with its options, and who may come in.

    ``key`` opens a private room; None: it is public. ``clock`` is one that hasn't begun to run;
    None: each move has the server's time. ``computer`` is the level of the one that takes the
    second seat; None: a person is waited for. ``door`` is the one whose own seating fills the
    seats, so that others may only watch; None: whoever comes takes one. ``move_timeout`` is the
    seconds for a move; None: the server's.
    """

    kind: Kind
    values: Mapping[str, Value]
    game: Game[Position]
    key: str | None = None
    clock: Clock | None = None
    computer: str | None = None
    door: str | None = None
    move_timeout: float | None = None

    @property
    def plain(self) -> bool:
        """Whether the rooms protocol can tell of it: its game, open to all, and without a clock."""
        mine = self.game is USUAL_TERMS.game and self.door is None
        return mine and self.key is None and self.clock is None


def terms_for(kind: Kind, options: Mapping[str, object], **others: Any) -> Terms:
    """The terms for a game with these options. Raises BadOption."""
    values = kind.values(options)
    if values == USUAL_TERMS.values and kind is USUAL_TERMS.kind:
        return replace(USUAL_TERMS, **others) if others else USUAL_TERMS
    return Terms(kind, values, kind.make(**values), **others)


_USUAL = kind_of("tictactoe")
USUAL_TERMS = Terms(_USUAL, _USUAL.values({}), _USUAL.game())
"""Those of rooms that name none: the game of the rooms protocol."""
