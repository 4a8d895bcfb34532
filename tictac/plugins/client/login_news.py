"""The fields of a login about the user's seats and matches that ended meanwhile, as lines.

Source: people.md, "Your seats"; days.md, "Your games".
"""

from __future__ import annotations

from collections.abc import Collection

from tictac.plugins.client.connection import Message
from tictac.plugins.client.seek import Seek
from tictac.terminal.room_view import DECIDED
from tictac.terminal.style import visible


def describe_seats(seats: Message, known: Collection[str] = ()) -> list[str]:
    """Return lines about seats, except in ``known`` rooms, and about ends."""
    held = [seat for seat in seats.get("held", ()) if seat["room"] not in known]
    return [*map(_held, held), *map(_ended, seats.get("ended", ()))]


def describe_turns(mine: Message) -> list[str]:
    """Return a line about the matches over days in which it is the user's turn."""
    count = int(mine.get("turns", 0))
    matches = f"{count} matches" if count > 1 else "a match"
    return [f"It is your turn in {matches}: type games mine, or next."] if count else []


def room_to_resume(seats: Message, wish: Seek) -> str | None:
    """Return the room of a held seat that a program started again has wished for; None: none."""
    held = [seat for seat in seats.get("held", ()) if seat["seconds"] is not None]
    found = [
        str(seat["room"])
        for seat in held
        if seat["game"] == wish.game and wish.room in (None, seat["room"])
    ]
    return found[0] if len(found) == 1 else None


def _held(seat: Message) -> str:
    room, seconds = visible(str(seat["room"])), seat["seconds"]
    if seconds is None:
        return f"You play in {room} at another connection: join {room} takes the seat over."
    return f"Your seat in {room} is held for {float(seconds):.0f} s: type join {room}."


def _ended(end: Message) -> str:
    won = "you won" if end["winner"] == end["seat"] else "you lost"
    result = "no one won" if end["winner"] is None else won
    if end.get("aborted"):
        result = "aborted"
    how = visible(str(end["how"]))
    more = f" To look at it, type replay {visible(str(end['match']))}." if "match" in end else ""
    room = visible(str(end["room"]))
    if "decided" in end:
        words = DECIDED.get(str(end["decided"]), "Others decided it")
        counts = f": {result}" if end["result"] else ""
        return f"The match in {room} ended while you were away{counts}. {words}."
    if end["result"] is None:
        return f"Your seat in {room} was taken while you were away. The other players continue."
    return f"The match in {room} ended while you were away: {result} ({how}).{more}"
