"""All refusals for a person, each with a stable code.

A :class:`Refusal` answers a request: it shows the input and the reason, and affects no other user.
Wire protocols turn the class (or its ``code``, which never changes between releases) into their own
bytes; logs count by ``code``.

A :class:`SetupError` stops a program before it starts: one line for its operator.
"""

from __future__ import annotations

import re
from typing import ClassVar


class Refusal(Exception):
    """A refused request. ``str()`` is a sentence that shows the input.

    ``code`` is the name of the class in small letters, like "not-a-move" of NotAMove, unless the
    class sets another one.
    """

    code: ClassVar[str] = "refused"

    def __init_subclass__(cls) -> None:
        if "code" not in vars(cls):
            cls.code = re.sub("(?<!^)(?=[A-Z])", "-", cls.__name__).lower()


# Moves


class NotAMove(Refusal):
    """The text isn't a move of this game at all."""


class IllegalMove(Refusal):
    """A move of this game that is illegal in this position."""


class NotYourTurn(Refusal):
    """A move by a player who isn't on turn."""


class MatchPaused(Refusal):
    """A move in a match that is paused."""


class StaleMove(Refusal):
    """A move for an earlier position."""


# Games


class NoSuchGame(Refusal):
    """No game has that name."""


class BadOption(Refusal):
    """A game has no such option, or the option can't have that value."""


class NotOffered(Refusal):
    """There is no offer to accept or decline, or nothing can be offered now."""


class AlreadyPlaying(Refusal):
    """The player is already in a match."""


# Rooms


class BadRoomName(Refusal):
    """The name breaks the rules for room names."""


class RoomExists(Refusal):
    """A room of that name exists already."""


class TooManyRooms(Refusal):
    """The server has its maximum number of rooms."""


class TooManyRoomsOfOneUser(Refusal):
    """The user is alone in the maximum number of rooms for one user."""


class TooManyRoomsOfOnePeer(Refusal):
    """The guests of an address have the maximum number of rooms for one address."""


class NoSuchRoom(Refusal):
    """No room has that name."""


class RoomFull(Refusal):
    """Every seat of the room is taken, or an address has its maximum number of viewers there."""


class PrivateRoom(Refusal):
    """The room needs a key."""


class AlreadyInRoom(Refusal):
    """A user in a room can't create or enter another."""


class NotInRoom(Refusal):
    """The request needs a room, and its sender is in none."""


class InTooManyRooms(Refusal):
    """A connection is in its maximum number of rooms."""


class TooManyEvents(Refusal):
    """The room has so many events that it accepts only moves."""


class TooMuchStored(Refusal):
    """An address stored so much in a day that only moves and logins are left to it."""


class DiskFull(Refusal):
    """The server's disk is almost full, so it takes no chat, no guests' rooms, and no accounts."""


# Accounts


class BadUserName(Refusal):
    """The name breaks the rules for user names."""


class BadPassword(Refusal):
    """The password breaks the rules for passwords."""


class BadGroup(Refusal):
    """The name breaks the rules for groups."""


class UserExists(Refusal):
    """An account of that name exists already, or the name is reserved."""


class NoSuchUser(Refusal):
    """No account has that name."""


class WrongPassword(Refusal):
    """The password is wrong, or, in the lobby protocol, the name."""


class BadToken(Refusal):
    """The token ended, or never was one of this account."""


class RegistrationClosed(Refusal):
    """Only the operator makes accounts."""


class BadCode(Refusal):
    """Registration needs a code, and the given one isn't valid."""


class AccountRemoved(Refusal):
    """The account of a connection was removed, so the connection ends."""


class Kicked(Refusal):
    """An admin closed the connection."""


class Banned(Refusal):
    """The account or address is banned."""


class NotAnAdmin(Refusal):
    """The request needs an admin."""


class NotLoggedIn(Refusal):
    """The request needs a login."""


class GuestsRefused(Refusal):
    """A guest asks to meet people, which this server doesn't allow."""


# The archive of matches


class NoSuchMatch(Refusal):
    """The archive has no match of that id."""


class PrivateMatch(Refusal):
    """Only the players of the match can see it."""


class BadFilter(Refusal):
    """The filter of matches isn't valid."""


class NoArchive(Refusal):
    """This server has no archive."""


class ArchiveAway(Refusal):
    """The archive is unavailable."""


# The lobby protocol


class Malformed(Refusal):
    """A message that isn't a request."""


class BadText(Refusal):
    """The chat text isn't fit for others to read."""


# Engine processes


class CannotThink(Refusal):
    """The engine process can't start, or failed on this position."""


class TooManyQuestions(Refusal):
    """Too many questions of the same asker wait already."""


class SetupError(Exception):
    """A program can't start or an operator's command failed.

    ``str()`` is one line, ready to follow ``Error:``. It is safe to show on a terminal, though
    parts can come from a file or another program.
    """

    def __str__(self) -> str:
        return visible(super().__str__())


JOINERS = frozenset("\u200c\u200d")
"""Characters without a width that change the letters beside them, as many names need."""


def visible(text: str) -> str:
    """Return ``text`` with control characters spelled out, so that it is safe to show."""
    return "".join(
        c if c.isprintable() or c in JOINERS else c.encode("unicode_escape").decode() for c in text
    )
