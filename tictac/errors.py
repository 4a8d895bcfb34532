"""Everything that can be refused to a person, each with a stable code.

A :class:`Refusal` answers a request: it names what was asked for and why it can't be
had, and costs nobody else anything. Wire protocols turn the class (or its ``code``,
which never changes between releases) into their own bytes; logs count by ``code``.

A :class:`SetupError` stops a program before it starts: one line for its operator.
"""

from __future__ import annotations

from typing import ClassVar


class Refusal(Exception):
    """A request that can't be granted. ``str()`` is a sentence that shows the input."""

    code: ClassVar[str] = "refused"


# Moves: three refusals, three names.


class NotAMove(Refusal):
    """What was sent isn't a move of this game at all."""

    code = "not-a-move"


class IllegalMove(Refusal):
    """A move of this game, but not one that can be made in this position."""

    code = "illegal-move"


class NotYourTurn(Refusal):
    """A move by somebody whose turn it isn't."""

    code = "not-your-turn"


class MatchPaused(Refusal):
    """A move in a match that is paused."""

    code = "match-paused"


class StaleMove(Refusal):
    """A move for a position that isn't the present one any more."""

    code = "stale-move"


# Games.


class NoSuchGame(Refusal):
    """No game has that name."""

    code = "no-such-game"


class BadOption(Refusal):
    """A game has no such option, or the option can't be set to that."""

    code = "bad-option"


class NotOffered(Refusal):
    """There is nothing to accept or decline, or nothing that can be offered now."""

    code = "not-offered"


class AlreadyPlaying(Refusal):
    """Somebody who takes part asks to take part."""

    code = "already-playing"


# Rooms.


class BadRoomName(Refusal):
    """The name breaks the rules for room names."""

    code = "bad-room-name"


class RoomExists(Refusal):
    """A room of that name exists already."""

    code = "room-exists"


class TooManyRooms(Refusal):
    """The server holds as many rooms as it may."""

    code = "too-many-rooms"


class TooManyRoomsOfOneUser(Refusal):
    """The user is without another person in as many rooms as one may."""

    code = "too-many-rooms-of-one-user"


class NoSuchRoom(Refusal):
    """No room has that name."""

    code = "no-such-room"


class RoomFull(Refusal):
    """Every seat of the room is taken."""

    code = "room-full"


class PrivateRoom(Refusal):
    """The room opens only to who knows its key."""

    code = "private-room"


class AlreadyInRoom(Refusal):
    """Somebody in a room can't create or enter another."""

    code = "already-in-room"


class NotInRoom(Refusal):
    """The request needs a room, and its sender is in none."""

    code = "not-in-room"


class InTooManyRooms(Refusal):
    """A connection is in as many rooms as one may."""

    code = "in-too-many-rooms"


class TooManyEvents(Refusal):
    """So much has happened in the room that only moves are taken."""

    code = "too-many-events"


# Accounts.


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
    """The account exists; the password isn't its own."""

    code = "wrong-password"


class BadToken(Refusal):
    """What was given in place of a password has ended, or never was a token of this account."""

    code = "bad-token"


class RegistrationClosed(Refusal):
    """Accounts are made by the operator alone."""

    code = "registration-closed"


class BadCode(Refusal):
    """An account needs a code, and what was given is none that holds."""

    code = "bad-code"


class AccountRemoved(Refusal):
    """The account of a connection is gone, and so the connection ends."""

    code = "account-removed"


class Kicked(Refusal):
    """Somebody who looks after the server has ended the connection."""

    code = "kicked"


class Banned(Refusal):
    """An account, or an address, may not come for now."""

    code = "banned"


class NotAnAdmin(Refusal):
    """The request is for those who look after the server."""

    code = "not-an-admin"


class NotLoggedIn(Refusal):
    """The request needs a login."""

    code = "not-logged-in"


class GuestsRefused(Refusal):
    """Somebody without an account asks to meet people, which this server doesn't allow."""

    code = "guests-refused"


# The archive of matches.


class NoSuchMatch(Refusal):
    """The archive has no match of that id."""

    code = "no-such-match"


class PrivateMatch(Refusal):
    """Only those who have played the match may see it."""

    code = "private-match"


class BadFilter(Refusal):
    """Matches can't be asked for in this way."""

    code = "bad-filter"


class NoArchive(Refusal):
    """This server keeps no matches."""

    code = "no-archive"


class ArchiveAway(Refusal):
    """The matches can't be read now."""

    code = "archive-away"


# The lobby protocol.


class Malformed(Refusal):
    """A message that is no request."""

    code = "malformed"


class BadText(Refusal):
    """What is to be said isn't fit for others to read."""

    code = "bad-text"


# What thinks for games.


class CannotThink(Refusal):
    """What thinks can't be started, or has failed at the question."""

    code = "cannot-think"


class TooManyQuestions(Refusal):
    """Too many questions of the same asker wait already."""

    code = "too-many-questions"


class SetupError(Exception):
    """A program can't start or an operator's command can't be done.

    ``str()`` is one line, ready to follow ``Error: ``. A terminal obeys nothing in it, though some
    of it may come from a file or another program.
    """

    def __str__(self) -> str:
        return visible(super().__str__())


def visible(text: str) -> str:
    """``text`` with control characters spelled out, so that showing it is all that it does."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
