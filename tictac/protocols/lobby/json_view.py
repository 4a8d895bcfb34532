"""Messages about a room, as a whole and for each event. Values to values, no state.

Source: lobby.md, "Events".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

from tictac.archive.match import to_json
from tictac.characters import characters, describe
from tictac.game import GameType
from tictac.games.all import GAMES
from tictac.lobby.events import (
    Began,
    Ended,
    Happened,
    Joined,
    Left,
    Offered,
    Paused,
    Placed,
    Position,
    Retimed,
    Said,
    Undone,
)
from tictac.lobby.room import Room
from tictac.names import is_computer
from tictac.text_view import unpainted

SAID = 20
"""The number of chat messages that a newcomer receives."""

Message = dict[str, Any]
Pages = tuple[tuple[str, str, str], ...]
"""Games by name, with the paths of their files for the web client, and of their icons, or ""."""


def game_json(game_type: GameType, pages: Pages = ()) -> Message:
    """Return the description of a game, as lists of games show it."""
    options = [{**asdict(option), "kind": option.kind} for option in game_type.options]
    for each in options:
        if not each["suggested"]:
            del each["suggested"]
    fields: Message = {"name": game_type.name, "title": game_type.title, "goal": game_type.goal}
    paths = {name: {"page": page, "icon": icon} for name, page, icon in pages}
    more = {**paths.get(game_type.name, {}), "group": game_type.group, "hue": game_type.hue}
    fields |= {key: value for key, value in more.items() if value not in ("", None)}
    levels = {"levels": list(game_type.levels), "characters": characters(game_type.levels)}
    return {**fields, "seats": list(game_type.seats), **levels, "options": options}


@cache
def games_json(pages: Pages = ()) -> bytes:
    """Return the answer to ``games`` as JSON, built once."""
    games = [game_json(game_type, pages) for game_type in GAMES.values()]
    return to_json({"games": games}).encode()


def summary(room: Room, opened: str, rating: Callable[[str, str], object]) -> Message:
    """Return a room's entry in the lobby: opened at ``opened``, with each user's ``rating``."""
    terms = room.terms
    users = [member.user for member in room.players]
    ratings = [rating(user, terms.game_type.name) for user in users]
    people = [user for user in users if not is_computer(user)]
    message: Message = {
        "room": room.name,
        "game": terms.game_type.name,
        "title": terms.game_type.title,
        "options": dict(terms.values),
        "owner": people[0] if people and terms.protocol is None else None,
        "opened": opened,
        "players": filled(room, users),
        "viewers": len(room.viewers),
        "begun": room.begun,
        "clock": terms.time and terms.time.fields(),
    }
    message |= computers(room)
    if any(ratings):
        message["ratings"] = filled(room, ratings)
    if given_up := [seat for seat, member in enumerate(room.players) if member.gone]:
        message["given_up"] = given_up
    return message | ({"rated": True} if terms.rated else {})


def whole(
    room: Room, seat: int | None, now: float, held: float, muted: Collection[str] = ()
) -> Message:
    """Return the whole room as ``seat`` (None: a viewer) can see it, without ``muted`` users' chat.

    ``held`` is in seconds.
    """
    game_type, game = room.terms.game_type, room.game
    changes = [event for _, event in room.record if isinstance(event, Placed | Undone)]
    texts = [event for _, event in room.record if isinstance(event, Said)]
    said = [each for each in texts if each.user not in muted]
    message = {
        "event": "room",
        "room": room.name,
        "n": room.number,
        "game": game_type.name,
        "title": game_type.title,
        "goal": game_type.goal,
        "options": dict(room.terms.values),
        "seat": seat,
        "players": _players(room, now, held),
        "viewers": list(room.viewers.values()),
        "position": game.view(room.position, seat),
        "turn": room.turn if room.begun else None,
        "moves": _moves(room, room.position, seat),
        "begun": room.begun,
        "paused": room.paused,
        "clocks": clocks(room, now),
        "offer": offered(room),
        "score": room.terms.score and list(room.terms.score),
        "record": [
            [each.number, "moved", each.seat, game.seen(each.position, each.move, seat)]
            if isinstance(each, Placed)
            else [each.number, "undone", each.seat, each.moves]
            for each in changes
        ],
        "said": [[each.number, each.user, each.text] for each in said[-SAID:]],
    }
    message |= computers(room)
    if room.terms.time is not None and not room.terms.time.plain:
        message["clock"] = room.terms.time.fields()
    if (play := room.terms.play) is not None:
        message |= {"tournament": play.tournament, "round": play.round}
    return message | ({"rated": True} if room.terms.rated else {})


def event_json(event: Happened, room: Room, seat: int | None, now: float, held: float) -> Message:
    """Return an event as ``seat`` can see it. ``held`` is how long a seat is held, in seconds."""
    message: Message = {"event": "", "room": room.name, "n": event.number}
    view, seen = room.game.view, room.game.seen
    match event:
        case Placed():  # the most frequent
            message["event"] = "moved"
            message["seat"], message["move"] = event.seat, seen(event.position, event.move, seat)
            message |= _standing(room, event.position, event.turn, seat, now)
        case Joined():
            message |= {"event": "joined", "user": event.user, "seat": event.seat}
            message |= {"players": _players(room, now, held), **computers(room)}
        case Left():
            message["event"] = "left"
            seconds = None if event.seat is None or room.terms.lasting else held
            message |= {"user": event.user, "seat": event.seat, "held": seconds}
        case Began():
            message |= {"event": "began", "players": list(event.users)}
            message |= _standing(room, room.start, room.game.turn(room.start), seat, now)
        case Offered():
            message["event"] = event.state
            message |= {"seat": event.seat, "what": event.what}
            message |= {"days": event.days} if event.days else {}
        case Retimed():
            message["event"] = "retimed"
            clock = room.terms.time and room.terms.time.fields()
            message |= {"seat": event.seat, "clock": clock, "clocks": clocks(room, now)}
        case Undone():
            message["event"] = "undone"
            message |= {"seat": event.seat, "count": event.moves}
            message |= _standing(room, event.position, event.turn, seat, now)
        case Paused():
            message["event"] = "paused" if event.paused else "resumed"
            message |= {"user": event.user, "clocks": clocks(room, now)}
        case Said():
            message["event"] = "said"
            message |= {"user": event.user, "text": event.text}
        case Ended():
            message["event"] = "ended"
            message |= end(event, room)
            move = event.move and seen(event.position, event.move, seat)
            message |= {"move": move, "position": view(event.position, seat)}
            if room.clock is not None:
                message["clocks"] = clocks(room, now)
    return message


def end(event: Ended, room: Room) -> Message:
    """Return how the match in ``room`` ended."""
    message: Message = {
        "how": event.ending,
        "winner": event.seat,
        "result": points(event, room.terms.seats),
    }
    if event.cut:
        message["disconnected"] = True
    if room.is_aborted(event):
        message["aborted"] = True
    if event.match:
        message["match"] = event.match
    message.update(room.decided or {})
    return message


def seat(room: Room, seat: int) -> Message:
    """Return the facts of a match for the absent player of ``seat``."""
    return {
        "options": dict(room.terms.values),
        "players": filled(room, [member.user for member in room.players]),
        **computers(room),
        "turn": room.turn if room.begun else None,
        "position": room.game.view(room.position, seat) if room.begun else None,
    }


def offered(room: Room) -> Message | None:
    """Return the open offer."""
    offer = room.offer
    if offer is None:
        return None
    days = {"days": offer.days} if offer.days else {}
    return {"seat": offer.seat, "what": offer.what, **days}


def why_over(name: str, ended: Ended) -> str:
    """Return how the match in the room ``name`` ended, for an error that comes after the end."""
    how = ended.ending if ended.winner is None else f"{ended.winner} won"
    how += f" ({ended.ending})" if ended.winner is not None and ended.ending != "won" else ""
    return f"the match in room {name} is over: {how}"


def with_picture(message: Message, room: Room) -> Message:
    """Add a drawing of the position, in lines, to a message that has a position."""
    if "position" in message:
        text_view = room.terms.game_type.text_view(room.terms.values)
        message["picture"] = text_view.lines(message["position"], unpainted)
    return message


def can_follow(room: Room, since: int) -> bool:
    """Return whether a client that knows the room up to event ``since`` needs only later events."""
    began = next((event.number for _, event in room.record if isinstance(event, Began)), None)
    return began is not None and began <= since <= room.number


def _standing(
    room: Room, position: Position, turn: int | None, seat: int | None, now: float
) -> Message:
    """Return the state of the match in ``position``, in which the seat ``turn`` is to move."""
    return {
        "position": room.game.view(position, seat),
        "turn": turn,
        "moves": _moves(room, position, seat),
        "clocks": clocks(room, now),
    }


def _moves(room: Room, position: Position, seat: int | None) -> list[str]:
    """Return the moves of ``seat``; none unless ``position`` is current and ``seat`` to move."""
    if seat is None or seat != room.turn or position is not room.position or not room.begun:
        return []
    return list(room.game.moves(position))


def _players(room: Room, now: float, held: float) -> list[object]:
    players: list[Message] = []
    if room.awaited and room.terms.play is not None:
        held = room.terms.play.grace
    for member in room.players:
        away = member.away
        players.append({"user": member.user, "away": member.gone or away is not None})
        if away is not None and not room.terms.lasting:
            players[-1]["held"] = round(max(0.0, held - (now - away)), 1)
    return filled(room, players)


def computers(room: Room) -> Message:
    """Return the field ``computers`` with what people call them, and ``names`` of guests."""
    users, play = room.terms.levels_of([member.user for member in room.players]), room.terms.play
    found, names = describe(room.terms.game_type.name, users), dict[str, str]()
    for user, name in zip(play.names, play.called, strict=False) if play else ():
        if user in found and name:
            found[user]["name"] = name
        elif name:
            names[user] = name
    return ({"computers": found} if found else {}) | ({"names": names} if names else {})


def filled(room: Room, players: Sequence[object]) -> list[object]:
    """Return an entry for each seat, with None for a free one."""
    return [*players, *[None] * (room.terms.seats - len(players))]


def clocks(room: Room, now: float) -> list[float] | None:
    """Return the seconds that each seat has left; None without clocks."""
    clock = room.clock
    return None if clock is None else [round(left, 2) for left in clock.remaining(now)]


def points(event: Ended, seats: int) -> list[float] | None:
    """Return the points of each seat at the end of a match. None: the room was closed."""
    if event.seat is not None:
        return [int(seat == event.seat) for seat in range(seats)]
    if event.ending == "absent":
        return [0] * seats
    return None if event.ending == "closed" else [1 / seats] * seats
