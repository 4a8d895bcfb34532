"""Check a match from elsewhere against the rules of its game."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from tictac.archive.match import BadMatch, Match
from tictac.errors import Refusal
from tictac.games.all import game_type_of
from tictac.lobby.record import gave_up
from tictac.plugin import Added
from tictac.text_view import unpainted

LONGEST_NAME = 200
"""Maximum characters of a player's name in the tables."""

LATEST = 253_402_214_400.0
"""The last day of the year 9999, in seconds since 1970: later times can't be written."""

Vet = Callable[[], AbstractContextManager[Callable[[Match], str]]]
"""Begins to vet matches: the function returns why one must not be replayed here, or nothing."""

VETS: Added[Vet] = Added("vets", "check of matches")

_SEAT_AT = {"joined": 2, "left": 2} | dict.fromkeys(
    ("moved", "undone", "retimed", "offered", "declined", "withdrawn", "expired"), 1
)
"""The position of the seat in an event; the end's seat is checked with the winner."""


def check(match: Match) -> None:
    """Raise BadMatch unless a loaded match follows the rules."""
    try:
        _check_events(match)
        _check_moves(match)
    except BadMatch:
        raise
    except (ValueError, Refusal) as error:
        raise BadMatch(f"match {match.id}: {error}") from None
    except Exception as error:  # a text can contradict a game in any way
        raise BadMatch(f"match {match.id}: {type(error).__name__}: {error}") from None


def _check_events(match: Match) -> None:
    for name, *_ in match.players:
        if not 0 < len(name) <= LONGEST_NAME or "\0" in name:
            raise ValueError("a player has no name")
        name.encode()  # fails for surrogates, which no database accepts
    before = float("-inf")
    for number, (at, fields) in enumerate(match.events, 1):
        seat = fields[_SEAT_AT[fields[0]]] if fields[0] in _SEAT_AT else 0
        if type(seat) is not int or seat not in range(len(match.players)):
            raise ValueError(f"event {number} is of no seat")
        if at < before:
            raise ValueError(f"event {number} is earlier than the one before it")
        before = at
    if not 0 < match.began <= match.ended < LATEST:
        raise ValueError("the match has no time of its end")


def _check_moves(match: Match) -> None:
    game_type, game = game_type_of(match.game), match.the_game()
    if dict(match.options) != game_type.values(match.options):
        raise ValueError("an option is missing")
    if len(match.players) not in game_type.seats:
        raise ValueError(f"{game_type.title} isn't played by {len(match.players)}")
    position = game.load(match.start)
    if game.dump(position) != match.start or game.result(position) is not None:
        raise ValueError("no game begins with its first position")
    # The match can go on from an earlier one: so only check that its position can be shown.
    game_type.text_view(match.options).lines(game.view(position, None), unpainted)
    for number, (_, seat, move, after) in enumerate(match.replay(), 1):
        on_turn = move is None or seat == game.turn(position)
        if not (on_turn or gave_up(game, position, seat, move)):
            raise ValueError(f"event {number} is a move out of turn")
        position = after
    result = game.result(position)
    ended = (match.ending, match.winner)
    if result is not None and ended != ("drawn" if result.winner is None else "won", result.winner):
        raise ValueError("by the rules, the match ended differently")
    if result is None and match.ending == "won":
        raise ValueError("by the rules, no player has won yet")
    if match.ending in ("agreed", "drawn") and match.winner is not None:
        raise ValueError("a draw has no winner")
