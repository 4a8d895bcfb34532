"""What a user name and a password may look like.

The rules are those of docs/rooms.md, "Names and passwords", and of docs/lobby.md, "Requests"; every
way to make an account, over the wire or by the operator, goes through them.
"""

from __future__ import annotations

import string
import unicodedata

from tictac.errors import BadGroup, BadPassword, BadUserName

MAX_USER_NAME = 20
"""Characters."""

MAX_GROUP = 40
"""Characters."""

MAX_PASSWORD = 72
"""Bytes: bcrypt reads no more of a password."""

COMPUTER = "computer"
"""What the server's own player is called; a number follows where there are several. Nobody makes
an account under such a name, in any spelling; one like `Computer` may be there since before that
was so."""

GUEST = "guest-"
"""What the names of those begin with who play without an account; a number follows. Nobody makes
an account under a name that begins so, in any spelling."""

DELETED = "deleted"
"""What matches call a player whose account was removed; nobody makes an account of that name."""

PLAIN_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""For what people copy by hand: without those that look like another."""

_ALLOWED = frozenset(string.ascii_letters + string.digits + string.punctuation + " ") - set(":,")
_FIRST_PRINTABLE, _DELETE = 0x20, 0x7F


def check_user_name(name: str) -> None:
    """Accept 1 to 20 printable ASCII characters without `:` and `,`, no blank at either end.

    The computer's name passes: whether a name is free is another question.

    Raises:
        BadUserName: for anything else.
    """
    fits = 0 < len(name) <= MAX_USER_NAME and name == name.strip(" ")
    if not fits or not _ALLOWED.issuperset(name):
        # The text goes to logs and terminals: what isn't ASCII is escaped, and no novel gets in.
        shown = ascii(name[: 2 * MAX_USER_NAME])
        raise BadUserName(
            f"{shown} isn't a user name: 1 to {MAX_USER_NAME} printable ASCII characters "
            "other than ':' and ',', no blank at either end"
        )


def folded(name: str) -> str:
    """The spelling that stands for all that differ from `name` only in case."""
    return name.lower()


def is_reserved(name: str) -> bool:
    """Whether the server keeps `name` for its own player, a guest, or who is gone."""
    own = folded(name).startswith((f"{COMPUTER} ", GUEST))
    return own or folded(name) in (COMPUTER, DELETED)


def is_given(name: str) -> bool:
    """Whether the server itself calls a player so: nobody logs in under that name."""
    return is_computer(name) or (name.startswith(GUEST) and name.removeprefix(GUEST).isdecimal())


def is_computer(name: str) -> bool:
    """Whether the server's own player is called so."""
    number = name.removeprefix(f"{COMPUTER} ")
    return name == COMPUTER or (number != name and number.isdecimal())


def check_group(group: str) -> str:
    """Accept up to 40 printable characters without a comma, no blank at either end; empty: no
    group. Give them composed (NFC), as they are kept.

    Raises:
        BadGroup: for anything else.
    """
    group = unicodedata.normalize("NFC", group)
    if len(group) > MAX_GROUP or group != group.strip() or "," in group or not group.isprintable():
        raise BadGroup(
            f"{group[:MAX_GROUP]!a} isn't a group: up to {MAX_GROUP} printable characters "
            "other than ',', no blank at either end"
        )
    return group


def password_bytes(text: str) -> bytes:
    """A password as it is hashed: in composed characters (NFC), whatever keyboard it comes from."""
    return unicodedata.normalize("NFC", text).encode("utf-8", "surrogateescape")


def check_password(password: bytes) -> None:
    """Accept 1 to 72 bytes without control characters.

    Raises:
        BadPassword: for anything else. Its text doesn't show the password.
    """
    if not 0 < len(password) <= MAX_PASSWORD:
        raise BadPassword(f"a password has 1 to {MAX_PASSWORD} bytes, not {len(password)}")
    if any(b < _FIRST_PRINTABLE or b == _DELETE for b in password):
        raise BadPassword("a password has no control characters")
