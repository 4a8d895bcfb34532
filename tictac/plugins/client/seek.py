"""Ways to take a seat, and to rejoin: a user's wish as requests of the lobby protocol."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from tictac.characters import name_of
from tictac.errors import BadOption
from tictac.game import Option, Value
from tictac.games.all import no_such
from tictac.lobby.clock import TimeControl
from tictac.plugins.client.connection import LobbyClient, Message, Refused
from tictac.terminal.style import visible


@dataclass(frozen=True, slots=True)
class Seek:
    """A wish to play or to watch: ``watch`` names a room, or is empty for a choice from a list.

    ``computers`` is the number of computer players; None: all other seats. ``seats`` is the number
    of seats, for games that allow several numbers.
    """

    game: str | None = None
    options: tuple[str, ...] = ()
    computer: str | None = None
    room: str | None = None
    key: str | None = None
    clock: TimeControl | None = None
    seek: bool = False
    watch: str | None = None
    user: str | None = None
    guest: bool = False
    rated: bool = False
    second: bool = False
    computers: int | None = None
    seats: int | None = None

    @property
    def with_computers(self) -> bool:
        """Whether computers take all other seats."""
        return self.computer is not None and self.computers is None


class Stop(Exception):
    """A command or wish that can't be carried out; ``str()`` is the reason."""


Ask = Callable[..., Awaitable[Message]]
"""A function that sends a request, by name and fields, and returns the answer. Raises Refused."""


async def read_options(ask: Ask, wish: Seek) -> dict[str, Value]:
    """Return the options in ``wish``, read as the server describes the game. Raises Stop."""
    if wish.game is None:
        return {}
    games = {game["name"]: game for game in (await ask("games"))["games"]}
    if wish.game not in games:
        raise Stop(no_such(wish.game, list(games)))
    known = {option["name"]: _option(option) for option in games[wish.game]["options"]}
    read: dict[str, Value] = {}
    for given in wish.options:
        name, _, text = given.partition("=")
        if name not in known:
            names = ", ".join(known) or "none"
            raise Stop(f"{wish.game} has no option {name!r}; it has {names}")
        try:
            read[name] = known[name].read(text)
        except BadOption as bad:
            raise Stop(str(bad)) from None
    return read


def terms_of(wish: Seek, options: Mapping[str, Value]) -> dict[str, object]:
    """Return the fields of a request for a match."""
    terms: dict[str, object] = {"game": wish.game, "options": options}
    if wish.clock is not None:
        terms["clock"] = wish.clock.fields()
    if wish.rated:
        terms["rated"] = True
    return terms


async def sit_down(ask: Ask, wish: Seek, options: Mapping[str, Value]) -> str:
    """Take a seat; return the name of the room. Raises Stop or Refused."""
    terms = terms_of(wish, options)
    if wish.seek:
        return str((await ask("seek", **terms))["room"])
    if wish.room is not None:
        key = {} if wish.key is None else {"key": wish.key}
        try:
            await _check_game(ask, wish, wish.room)
            return str((await ask("join", room=wish.room, **key))["room"])
        except Refused as refused:
            # A new room wouldn't be private.
            if refused.code != "no-such-room" or key:
                raise
        terms["room"] = wish.room
    if wish.seats is not None:
        terms["seats"] = wish.seats
    if wish.computer is not None:
        terms["computer"] = wish.computer
        if wish.second:
            terms["seat"] = 1
        if wish.computers is not None:
            terms["computers"] = wish.computers
    return str((await ask("open", **terms))["room"])


def describe(room: Message) -> str:
    """Return a room as lists show it. Raises as ``RoomView.handle_event``."""
    computers = room.get("computers", {})
    called = (name and name_of(name, computers) for name in room["players"])
    names = " against ".join(name or "no one yet" for name in called)
    rated = ", rated" if room.get("rated") else ""
    return visible(f"{room['room']}: {room['title']}, {names}{rated}")


async def take_up(client: LobbyClient, room: str, key: str | None, plays: bool) -> list[Message]:
    """Re-enter a room; return the messages before the answer. Raises Refused."""
    fields: dict[str, object] = {"room": room, **({"key": key} if key else {})}
    if plays:
        return (await client.request("join", **fields, take=True))[1]
    return (await client.request("watch", **fields))[1]


async def _check_game(ask: Ask, wish: Seek, name: str) -> None:
    """Raise Stop if the room has another game, or is unrated against the wish."""
    rooms: list[Message] = (await ask("lobby", follow=False))["rooms"]
    for room in rooms:
        if room["room"] == name and room["game"] != wish.game:
            raise Stop(f"room {name} plays {room['title']}")
        if room["room"] == name and wish.rated and not room.get("rated"):
            raise Stop(f"the match in {name} isn't rated")


def _option(described: Message) -> Option:
    return Option(
        described["name"],
        described.get("help", ""),
        described["default"],
        described.get("lowest") or 0,
        described.get("highest") or 0,
        tuple(described.get("choices") or ()),
    )
