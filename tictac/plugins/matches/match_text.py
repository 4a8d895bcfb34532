"""A match of the archive as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from tictac.archive.event_view import messages
from tictac.archive.match import Match
from tictac.archive.pages import Summary
from tictac.characters import describe, kind_of, name_of
from tictac.lobby.clock import minutes
from tictac.terminal.room_view import RoomView
from tictac.terminal.style import Style, visible


def frames(match: Match, style: Style, seat: int | None = None) -> Iterator[list[str]]:
    """Return the boards: at the beginning, after each move, and at the end.

    Chat and offers before a move stand above it. Raises as
    :func:`~tictac.archive.event_view.messages`.
    """
    table = RoomView(style)
    lines = [style.dim(_heading(match))]
    moves = 0
    for at, message in messages(match, seat):
        moves -= message.get("count", 0)
        if message.get("move") is not None:
            moves += 1
            lines.append(style.dim(f"Move {moves}, after {minutes(at)}."))
        lines += table.handle_event(message)
        if "position" in message:
            yield lines
            lines = []


def moves_of(match: Match) -> list[str]:
    """Return the moves and the end of a match as text, without the rules of its game."""
    names = spell_players(match)
    moves = (f"{number}. {visible(move)}" for number, move in enumerate(match.moves(), 1))
    missing = f"There is no game '{visible(match.game)}' here, so only the moves are shown."
    end = f"{' against '.join(names)}: {spell_end(names, match.ending, match.winner)}."
    return [_heading(match), end, missing, *moves]


def _heading(match: Match) -> str:
    """Return the time and the special properties of a match."""
    marks = {"private": match.private, "rated": match.rated, f"at {match.door}": match.door}
    words = [f"{spell_time(match.began)} UTC", *(word for word in marks if marks[word])]
    return visible(", ".join(words))


def spell_players(match: Match | Summary) -> list[str]:
    """Return the names of the players of a match, with the level of a computer."""
    computers = describe(match.game, [(each.name, each.level) for each in match.players])
    called = [(name_of(p.name, computers), kind_of(p.name, computers)) for p in match.players]
    return [visible(f"{name} ({kind})" if kind else name) for name, kind in called]


def spell_end(names: Sequence[str], ending: str, winner: int | None, aborted: bool = False) -> str:
    """Return how a match ended, in a few words."""
    if aborted:
        return f"aborted ({ending})"
    if winner is None:
        return "a draw was agreed" if ending == "agreed" else ending
    return f"{names[winner]} won" if ending == "won" else f"{names[winner]} won ({ending})"


def spell_time(seconds: float) -> str:
    """Return a time in seconds since 1970 as text, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
