"""Holding a match that comes from elsewhere to the rules of its game."""

from __future__ import annotations

from math import isfinite
from typing import Any

from tictac.archive.match import BadMatch, Match
from tictac.errors import Refusal
from tictac.game import Game
from tictac.games.all import kind as kind_of

_SEAT, _NOBODY = (int,), (int, type(None))
_SHAPES: dict[str, tuple[tuple[type, ...], ...]] = {
    "joined": ((str,), _SEAT),
    "left": ((str,), _SEAT),
    "moved": (_SEAT, (str,)),
    "offered": (_SEAT, (bool,)),
    "paused": ((str,), (bool,)),
    "said": ((str,), (str,)),
    "ended": ((str,), _NOBODY, (str, type(None))),
}
"""What each event holds behind its name (lobby.record.fields_of)."""


def check(match: Match) -> None:
    """Raise BadMatch unless it may have happened like that."""
    try:
        _check_events(match)
        _check_moves(match)
    except BadMatch:
        raise
    except (ValueError, Refusal) as error:
        raise BadMatch(f"match {match.id}: {error}") from None
    except Exception as error:  # a text may be at odds with a game in any way
        raise BadMatch(f"match {match.id}: {type(error).__name__}: {error}") from None


def _check_events(match: Match) -> None:
    before = float("-inf")
    for number, (at, fields) in enumerate(match.events, 1):
        name, *values = fields
        shape = _SHAPES.get(name, ())
        fits = len(values) == len(shape) and all(map(_is_one_of, values, shape))
        seats = [value for value in values if type(value) is int]
        if not fits or not all(seat in range(len(match.players)) for seat in seats):
            raise ValueError(f"event {number} isn't one")
        if not (isfinite(at) and before <= at):
            raise ValueError(f"event {number} is at no time after the one before it")
        before = at
    end = match.events[-1].fields
    names = [event.fields[0] for event in match.events]
    if names.count("ended") != 1 or end[:3] != ("ended", match.ending, match.winner):
        raise ValueError("its end isn't the last event")


def _is_one_of(value: object, types: tuple[type, ...]) -> bool:
    return type(value) in types


def _check_moves(match: Match) -> None:
    kind = kind_of(match.game)
    if dict(match.options) != kind.values(match.options):
        raise ValueError("an option is missing")
    seats, game = len(match.players), match.the_game()
    if seats not in kind.seats:
        raise ValueError(f"{kind.title} isn't played by {seats}")
    position = game.load(match.start)
    if game.dump(position) != match.start:
        raise ValueError("its first position isn't one")
    if game.result(position) is not None:
        raise ValueError("its first position is the end of a game")
    # A match may go on from an earlier one: then all to ask is that the position can be shown.
    kind.face(match.options).lines(game.view(position, None), lambda seat, text: text)
    for number, (_, seat, move, after) in enumerate(match.steps(), 1):
        if seat != game.turn(position) and not _is_drop(game, position, seat, move):
            raise ValueError(f"move {number} is out of turn")
        position = after
    result = game.result(position)
    told = (match.ending, match.winner)
    if result is not None and told != ("drawn" if result.winner is None else "won", result.winner):
        raise ValueError("by the rules it ended otherwise")
    if result is None and match.ending == "won":
        raise ValueError("by the rules nobody has won yet")
    if match.ending in ("agreed", "drawn") and match.winner is not None:
        raise ValueError("nobody wins a draw")


def _is_drop(game: Game[Any], position: Any, seat: int, move: str) -> bool:
    dropped = game.drop(position, seat)
    return dropped is not None and dropped.move == move
