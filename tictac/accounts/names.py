"""Rules for user names and passwords.

Sources: docs/rooms.md, "Names and passwords", and docs/lobby.md, "Requests". Every account passes
them, whether made over the wire or by the operator.
"""

from __future__ import annotations

import string
import unicodedata

from tictac.errors import BadGroup, BadPassword, BadUserName

MAX_USER_NAME = 20
"""Maximum characters of a user name."""

MAX_GROUP = 40
"""Maximum characters of a group."""

MAX_PASSWORD = 72
"""Maximum bytes of a password: bcrypt reads no more."""

COMPUTER = "computer"
"""The name of the computer player; a number follows if a match has several. Such a name is
reserved in any spelling; an account like `Computer` can exist from before that rule."""

GUEST = "guest-"
"""The beginning of a guest's name; a number follows. Such a name is reserved in any spelling."""

DELETED = "deleted"
"""The name of a removed account in matches; reserved."""

PLAIN_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Characters for text that people copy by hand, without look-alikes."""

_ALLOWED = frozenset(string.ascii_letters + string.digits + string.punctuation + " ") - set(":,")
_FIRST_PRINTABLE, _DELETE = 0x20, 0x7F


def check_user_name(name: str) -> None:
    """Accept 1 to 20 printable ASCII characters without `:` and `,`, no blank at either end.

    The computer's name passes, because this doesn't check for free names. Raises BadUserName.
    """
    fits = 0 < len(name) <= MAX_USER_NAME and name == name.strip(" ")
    if not fits or not _ALLOWED.issuperset(name):
        # The text goes to logs and terminals: escape non-ASCII characters, and cut long texts.
        shown = ascii(name[: 2 * MAX_USER_NAME])
        raise BadUserName(
            f"{shown} isn't a user name: 1 to {MAX_USER_NAME} printable ASCII characters "
            "other than ':' and ',', no blank at either end"
        )


def folded(name: str) -> str:
    """Return the spelling shared by all names that differ from `name` only in case."""
    return name.lower()


def is_reserved(name: str) -> bool:
    """Return whether `name` is reserved for the computer, guests, or removed accounts."""
    own = folded(name).startswith((f"{COMPUTER} ", GUEST))
    return own or folded(name) in (COMPUTER, DELETED)


def is_given(name: str) -> bool:
    """Return whether the server itself gives this name to players: no account can log in as it."""
    return is_computer(name) or (name.startswith(GUEST) and name.removeprefix(GUEST).isdecimal())


def is_computer(name: str) -> bool:
    """Return whether `name` is the computer's."""
    number = name.removeprefix(f"{COMPUTER} ")
    return name == COMPUTER or (number != name and number.isdecimal())


def check_group(group: str) -> str:
    """Return the group `group`, composed (NFC); an empty text means no group.

    Raises BadGroup unless it has up to 40 printable characters, no comma, no blank at either end.
    """
    group = unicodedata.normalize("NFC", group)
    if len(group) > MAX_GROUP or group != group.strip() or "," in group or not group.isprintable():
        raise BadGroup(
            f"{group[:MAX_GROUP]!a} isn't a group: up to {MAX_GROUP} printable characters "
            "other than ',', no blank at either end"
        )
    return group


def password_bytes(text: str) -> bytes:
    """Return the bytes to hash: the password in composed characters (NFC), for any keyboard."""
    return unicodedata.normalize("NFC", text).encode("utf-8", "surrogateescape")


def check_password(password: bytes) -> None:
    """Accept 1 to 72 bytes without control characters.

    Raises BadPassword for other passwords; the error doesn't show the password.
    """
    if not 0 < len(password) <= MAX_PASSWORD:
        raise BadPassword(f"a password has 1 to {MAX_PASSWORD} bytes, not {len(password)}")
    if any(b < _FIRST_PRINTABLE or b == _DELETE for b in password):
        raise BadPassword("a password has no control characters")
