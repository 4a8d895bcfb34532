"""The name of a room and its terms: the game, its options, and the rules for joining."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tictac.errors import BadOption, BadRoomName
from tictac.game import Game, GameType, Value
from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.events import Position

_NAME = re.compile(r"[A-Za-z0-9_ -]{1,20}", re.ASCII)
_CONVENED = re.compile(r"[a-z0-9-]{1,13}\.[0-9]{1,6}", re.ASCII)


def check_room_name(name: str, convened: bool = False) -> None:
    """Raise :class:`~tictac.errors.BadRoomName` unless ``name`` can name a room.

    Only rooms that were ``convened`` can have names like ``friday-cup.17``.
    """
    if not (_NAME.fullmatch(name) or (convened and _CONVENED.fullmatch(name))):
        raise BadRoomName(f"{name!r} can't name a room")


class Play(NamedTuple):
    """A game of a tournament, to which the players in ``names`` are expected, by their seats.

    ``levels`` has the level of each computer among them. A player who doesn't come within ``grace``
    seconds is absent. ``called`` are the names of the computers in the tournament; empty: of the
    game.
    """

    tournament: str
    game: int
    round: int
    names: tuple[str, ...]
    levels: tuple[str | None, ...]
    grace: float = 60.0
    called: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a room: a game with its options, and the rules for joining.

    ``key`` opens a private room; None: the room is public. ``time`` is the time control; None: the
    server's time for each move. ``seats`` is the number of players. ``computer`` is the level of
    the computer, which takes ``computers`` seats; None: the room waits for persons.
    ``computers_first`` of them have the first seats, and the creator has the next one. With
    ``computers_asked``, the computer joins only if ``computer`` names a level. In a *direct room*,
    ``protocol`` is set: the protocol of that name assigns the seats, and others can only watch.
    ``move_timeout`` is the maximum time for a move or a pause, in seconds; 0: no limit; None: the
    server's. A room that isn't ``kept`` is in no journal and ends with the process. ``score`` has
    the points of each seat from earlier matches of a series. A ``rated`` match changes ratings. The
    seats of a game in ``play`` wait for its players alone.
    """

    game_type: GameType
    values: Mapping[str, Value]
    game: Game[Position]
    key: str | None = None
    time: TimeControl | None = None
    seats: int = 2
    computer: str | None = None
    computers: int = 0
    protocol: str | None = None
    move_timeout: float | None = None
    kept: bool = True
    score: tuple[float, ...] | None = None
    computers_first: int = 0
    rated: bool = False
    computers_asked: bool = False
    play: Play | None = None
    lasting: bool = field(init=False)
    """Whether the match takes days, so that accounts keep their seats without a connection."""

    def __post_init__(self) -> None:
        lasting = self.time is not None and self.time.days > 0
        object.__setattr__(self, "lasting", lasting)  # every event of a room asks

    def levels_of(self, users: Sequence[str]) -> list[tuple[str, str | None]]:
        """Return users by seat, each with the level of a computer there; None: it isn't known."""
        if self.play is not None:
            levels = dict(zip(self.play.names, self.play.levels, strict=True))
            return [(user, levels.get(user)) for user in users]
        # Other protocols have levels of their own; elsewhere the computer plays its best.
        usual = self.game_type.levels[-1:] if self.protocol is None else ()
        return [(user, self.computer or next(iter(usual), None)) for user in users]

    @property
    def plain(self) -> bool:
        """Whether the rooms protocol can show it: its game, open to all, no clock, not rated."""
        mine = self.game is USUAL_TERMS.game and self.protocol is None and self.play is None
        return mine and self.key is None and self.time is None and not self.rated


def terms_for(
    game_type: GameType,
    options: Mapping[str, object],
    seats: int | None = None,
    computers: int | None = None,
    **others: Any,
) -> Terms:
    """Return the terms for a game with these options. Raises BadOption.

    The default for ``seats`` is two, or the fewest of the game. The default for ``computers`` is
    all seats except one.
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
        raise BadOption(f"seat {first} needs computers in the seats before it")
    usual = values == USUAL_TERMS.values and game_type is USUAL_TERMS.game_type
    if usual and not others:
        return USUAL_TERMS
    game = USUAL_TERMS.game if usual else game_type.make(**values)
    return Terms(game_type, values, game, seats=seats, **others)


_USUAL = game_type_of("tictactoe")
USUAL_TERMS = Terms(_USUAL, _USUAL.values({}), _USUAL.game())
"""The terms of rooms that name none: the game of the rooms protocol."""
