"""All refusals for a person, each with a stable code.

A :class:`Refusal` answers a request: it shows the input and the reason, and affects no other user.
Wire protocols turn the class (or its ``code``, which never changes between releases) into their own
bytes; logs count by ``code``.

A :class:`SetupError` stops a program before it starts: one line for its operator.
"""

from __future__ import annotations

from typing import ClassVar


class Refusal(Exception):
    """A refused request. ``str()`` is a sentence that shows the input."""

    code: ClassVar[str] = "refused"


# Moves


class NotAMove(Refusal):
    """The text isn't a move of this game at all."""

    code = "not-a-move"


class IllegalMove(Refusal):
    """A move of this game that is illegal in this position."""

    code = "illegal-move"


class NotYourTurn(Refusal):
    """A move by a player who isn't on turn."""

    code = "not-your-turn"


class MatchPaused(Refusal):
    """A move in a match that is paused."""

    code = "match-paused"


class StaleMove(Refusal):
    """A move for an earlier position."""

    code = "stale-move"


# Games


class NoSuchGame(Refusal):
    """No game has that name."""

    code = "no-such-game"


class BadOption(Refusal):
    """A game has no such option, or the option can't have that value."""

    code = "bad-option"


class NotOffered(Refusal):
    """There is no offer to accept or decline, or nothing can be offered now."""

    code = "not-offered"


class AlreadyPlaying(Refusal):
    """The player is already in a match."""

    code = "already-playing"


# Rooms


class BadRoomName(Refusal):
    """The name breaks the rules for room names."""

    code = "bad-room-name"


class RoomExists(Refusal):
    """A room of that name exists already."""

    code = "room-exists"


class TooManyRooms(Refusal):
    """The server has its maximum number of rooms."""

    code = "too-many-rooms"


class TooManyRoomsOfOneUser(Refusal):
    """The user is alone in the maximum number of rooms for one user."""

    code = "too-many-rooms-of-one-user"


class TooManyRoomsOfOnePeer(Refusal):
    """The guests of an address have the maximum number of rooms for one address."""

    code = "too-many-rooms-of-one-peer"


class NoSuchRoom(Refusal):
    """No room has that name."""

    code = "no-such-room"


class RoomFull(Refusal):
    """Every seat of the room is taken, or an address has its maximum number of viewers there."""

    code = "room-full"


class PrivateRoom(Refusal):
    """The room needs a key."""

    code = "private-room"


class AlreadyInRoom(Refusal):
    """A user in a room can't create or enter another."""

    code = "already-in-room"


class NotInRoom(Refusal):
    """The request needs a room, and its sender is in none."""

    code = "not-in-room"


class InTooManyRooms(Refusal):
    """A connection is in its maximum number of rooms."""

    code = "in-too-many-rooms"


class TooManyEvents(Refusal):
    """The room has so many events that it accepts only moves."""

    code = "too-many-events"


class TooMuchStored(Refusal):
    """An address stored so much in a day that only moves and logins are left to it."""

    code = "too-much-stored"


class DiskFull(Refusal):
    """The server's disk is almost full, so it takes no chat, no guests' rooms, and no accounts."""

    code = "disk-full"


# Accounts


class BadUserName(Refusal):
    """The name breaks the rules for user names."""

    code = "bad-user-name"


class BadPassword(Refusal):
    """The password breaks the rules for passwords."""

    code = "bad-password"


class BadGroup(Refusal):
    """The name breaks the rules for groups."""

    code = "bad-group"


class UserExists(Refusal):
    """An account of that name exists already, or the name is reserved."""

    code = "user-exists"


class NoSuchUser(Refusal):
    """No account has that name."""

    code = "no-such-user"


class WrongPassword(Refusal):
    """The account exists, with another password."""

    code = "wrong-password"


class BadToken(Refusal):
    """The token ended, or never was one of this account."""

    code = "bad-token"


class RegistrationClosed(Refusal):
    """Only the operator makes accounts."""

    code = "registration-closed"


class BadCode(Refusal):
    """Registration needs a code, and the given one isn't valid."""

    code = "bad-code"


class AccountRemoved(Refusal):
    """The account of a connection was removed, so the connection ends."""

    code = "account-removed"


class Kicked(Refusal):
    """An admin closed the connection."""

    code = "kicked"


class Banned(Refusal):
    """The account or address is banned."""

    code = "banned"


class NotAnAdmin(Refusal):
    """The request needs an admin."""

    code = "not-an-admin"


class NotLoggedIn(Refusal):
    """The request needs a login."""

    code = "not-logged-in"


class GuestsRefused(Refusal):
    """A guest asks to meet people, which this server doesn't allow."""

    code = "guests-refused"


# The archive of matches


class NoSuchMatch(Refusal):
    """The archive has no match of that id."""

    code = "no-such-match"


class PrivateMatch(Refusal):
    """Only the players of the match can see it."""

    code = "private-match"


class BadFilter(Refusal):
    """The filter of matches isn't valid."""

    code = "bad-filter"


class NoArchive(Refusal):
    """This server has no archive."""

    code = "no-archive"


class ArchiveAway(Refusal):
    """The archive is unavailable."""

    code = "archive-away"


# The lobby protocol


class Malformed(Refusal):
    """A message that isn't a request."""

    code = "malformed"


class BadText(Refusal):
    """The chat text isn't fit for others to read."""

    code = "bad-text"


# Engine processes


class CannotThink(Refusal):
    """The engine process can't start, or failed on this position."""

    code = "cannot-think"


class TooManyQuestions(Refusal):
    """Too many questions of the same asker wait already."""

    code = "too-many-questions"


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
