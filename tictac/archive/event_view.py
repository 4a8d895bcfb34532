"""A finished match as events of the lobby protocol."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from tictac.archive.match import BadMatch, Match, aborted_by
from tictac.characters import describe
from tictac.games.all import game_type_of
from tictac.lobby.events import Position
from tictac.text_view import unpainted

Message = dict[str, Any]


def messages(
    match: Match,
    seat: int | None = None,
    secrets: bool = False,
    draws: Collection[str] | None = None,
) -> Iterator[tuple[float, Message]]:
    """Return the events of its room (lobby.md, "Events"), each with the seconds since the start.

    ``seat`` sees the events; None: a viewer. With ``secrets``, moves are whole, whichever seats
    could see them. ``draws`` are the games that the reader draws without pictures; None: all.
    Raises BadMatch if the rules don't allow a move.
    """
    game_type, game = game_type_of(match.game), match.the_game()
    text_view = None if draws is None or match.game in draws else game_type.text_view(match.options)

    def seen_position(after: Position) -> Message:
        view = game.view(after, seat)
        message: Message = {"position": view, "turn": game.turn(after)}
        return (
            message
            if text_view is None
            else message | {"picture": text_view.lines(view, unpainted)}
        )

    try:
        position = game.load(match.start)
        first = seen_position(position)
    except ValueError as error:  # of another version of the game, for example
        raise BadMatch(f"match {match.id}: {error}") from None
    players = [{"user": player.name, "away": False} for player in match.players]
    whole: Message = {"event": "room", "n": 0, "room": match.id, "seat": None, "begun": True}
    whole |= {"game": match.game, "title": game_type.title, "goal": game_type.goal}
    whole |= {"options": match.options, "players": players}
    if computers := describe(match.game, [(p.name, p.level) for p in match.players]):
        whole["computers"] = computers
    yield 0.0, whole | first
    for number, ((at, fields), mover, move, after) in enumerate(match.replay(), 1):
        message: Message = {"n": number, "event": fields[0]}
        moved = seen_position(after)
        seen = move if move is None or secrets else game.seen(after, move, seat)
        match fields:
            case ["moved", _, _]:
                message |= moved | {"seat": mover, "move": seen}
            case ["undone", taker, count]:
                message |= moved | {"seat": taker, "count": count}
            case ["said", user, text]:
                message |= {"user": user, "text": text}
            case ["joined", user, at_seat]:
                message |= {"user": user, "seat": at_seat, "players": players}
            case ["left", user, at_seat]:
                message |= {"user": user, "seat": at_seat, "held": None}
            case ["offered" | "declined" | "withdrawn" | "expired", offerer, what, *days]:
                message |= {"seat": offerer, "what": what}
                message |= {"days": days[0]} if days else {}
            case ["retimed", offerer, days]:
                message |= {"seat": offerer, "clock": {"days": days}, "clocks": None}
            case ["paused", user, paused]:
                message |= {"user": user, "event": "paused" if paused else "resumed"}
            case ["ended", how, winner, _]:
                message |= {"how": how, "winner": winner, "move": seen}
                message |= {name: moved[name] for name in moved if name != "turn"}
                if match.rated and aborted_by(match) is not None:
                    message["aborted"] = True
        yield at, message
