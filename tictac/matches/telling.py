"""A match of the archive as the lobby protocol would have told it, and as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from tictac.archive.match import Match, Player
from tictac.client.table import Table, minutes
from tictac.games.all import kind as kind_of
from tictac.terminal.style import Style, visible

Message = dict[str, Any]


def messages(match: Match, seat: int | None = None) -> Iterator[tuple[float, Message]]:
    """The events of its room (lobby.md, "Events"), and how many seconds it had lasted then.

    ``seat`` is whose view it is; None: a viewer's. Raises BadMatch where the rules don't allow a
    move.
    """
    kind, game = kind_of(match.game), match.the_game()
    position = game.load(match.start)
    whole: Message = {"event": "room", "n": 0, "room": match.id, "seat": None, "begun": True}
    whole |= {"game": match.game, "title": kind.title, "goal": kind.goal}
    whole["options"] = match.options
    yield (
        0.0,
        whole
        | {
            "players": [spell_player(player) for player in match.players],
            "position": game.view(position, seat),
            "turn": game.turn(position),
        },
    )
    for number, ((at, fields), mover, move, after) in enumerate(match.replay(), 1):
        message: Message = {"n": number, "event": fields[0]}
        moved = {"position": game.view(after, seat), "turn": game.turn(after)}
        seen = None if move is None else game.seen(after, move, seat)
        match fields:
            case ["moved", _, _]:
                message |= moved | {"seat": mover, "move": seen}
            case ["undone", taker, count]:
                message |= moved | {"seat": taker, "count": count}
            case ["said", user, text]:
                message |= {"user": user, "text": text}
            case ["joined", user, at_seat]:
                message |= {"user": user, "seat": at_seat}
            case ["left", user, at_seat]:
                message |= {"user": user, "seat": at_seat, "held": None}
            case ["offered" | "declined" | "withdrawn" | "expired", offerer, what]:
                message |= {"seat": offerer, "what": what}
            case ["paused", user, paused]:
                message |= {"user": user, "event": "paused" if paused else "resumed"}
            case ["ended", how, winner, _]:
                message |= {"how": how, "winner": winner, "move": seen}
                message["position"] = moved["position"]
        yield at, message


def frames(match: Match, style: Style, seat: int | None = None) -> Iterator[list[str]]:
    """What a person sees: the beginning, and after each move, and at the end, the board.

    What was said or offered before a move stands above it. Raises as :func:`messages`.
    """
    table = Table(style)
    lines = [style.dim(_heading(match))]
    moves = 0
    for at, message in messages(match, seat):
        moves -= message.get("count", 0)
        if message.get("move") is not None:
            moves += 1
            lines.append(style.dim(f"Move {moves}, after {minutes(at)}."))
        lines += table.hear(message)
        if "position" in message:
            yield lines
            lines = []


def _heading(match: Match) -> str:
    """When it was, and whatever else is particular."""
    marks = {"private": match.private, "rated": match.rated, f"at {match.door}": match.door}
    words = [f"{spell_time(match.began)} UTC", *(word for word in marks if marks[word])]
    return visible(", ".join(words))


def spell_player(player: Player) -> str:
    """A player's name, with the level of a computer."""
    return visible(f"{player.name} at {player.level}" if player.level else player.name)


def spell_end(names: Sequence[str], ending: str, winner: int | None) -> str:
    """How a match has ended, in some words."""
    if winner is None:
        return "a draw was agreed" if ending == "agreed" else ending
    return f"{names[winner]} won" if ending == "won" else f"{names[winner]} won ({ending})"


def spell_time(seconds: float) -> str:
    """A time in seconds since 1970, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
