"""Rules for user names and passwords.

Sources: rooms.md, "Names and passwords", and lobby.md, "Requests". Every account passes
them, whether made over the wire or by the operator.
"""

from __future__ import annotations

import re
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

ENCODED = "xn--"
"""The beginning of the ASCII form of a name of another script; reserved in any spelling."""

_ALLOWED = frozenset(string.ascii_letters + string.digits + string.punctuation + " ") - set(":,")
_ALSO_ALLOWED = "\u00b7\u2019"  # the middle dot of Catalan, and the apostrophe
# Letters and marks that nobody sees: two names would look alike.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_FIRST_PRINTABLE, _DELETE = 0x20, 0x7F


def check_user_name(name: str) -> str:
    """Return the name `name`, composed (NFC).

    A name has 1 to 20 letters, marks and digits of any script, ASCII punctuation except `:` and
    `,`, and blanks that aren't at either end. It begins with no mark. The computer's name passes,
    because this doesn't check for free names. Raises BadUserName.
    """
    shown = name[: 2 * MAX_USER_NAME]
    name = composed(name)
    fits = 0 < len(name) <= MAX_USER_NAME and name == name.strip(" ")
    if fits and (_ALLOWED.issuperset(name) or _is_of_a_script(name)):
        return name
    if not shown.isprintable():
        shown = ascii(shown)[1:-1]  # The text goes to logs and terminals.
    raise BadUserName(
        f"'{shown}' isn't a user name: 1 to {MAX_USER_NAME} letters and digits of any script, "
        "or ASCII punctuation other than ':' and ',', no blank at either end"
    )


def _is_of_a_script(name: str) -> bool:
    """Return whether all characters are allowed, and none is invisible."""
    of_letters = all(
        char in _ALLOWED or char in _ALSO_ALLOWED or unicodedata.category(char) in _CATEGORIES
        for char in name
    )
    return of_letters and unicodedata.category(name[0])[0] != "M" and not _INVISIBLE.search(name)


_CATEGORIES = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd"))


def folded(name: str) -> str:
    """Return the spelling shared by all names that differ from `name` only in case or width.

    Source: Unicode, section 3.13.5, "toNFKC_Casefold".
    """
    if name.isascii():
        return name.lower()
    spelling = unicodedata.normalize("NFKD", name).casefold()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", spelling).casefold())


def ascii_form(name: str) -> str:
    """Return `name` in ASCII, for protocols that know nothing else; no two names share one.

    It is the name itself, or Punycode (RFC 3492) after ``xn--``, as in the names of hosts.
    """
    return name if name.isascii() else ENCODED + name.encode("punycode").decode("ascii")


def is_reserved(name: str) -> bool:
    """Return whether `name` is reserved for the server, or is the ASCII form of another."""
    own = folded(name).startswith((f"{COMPUTER} ", GUEST, ENCODED))
    return own or folded(name) in (COMPUTER, DELETED)


def is_given(name: str) -> bool:
    """Return whether the server itself gives this name to players: no account can log in as it."""
    return is_computer(name) or (name.startswith(GUEST) and name.removeprefix(GUEST).isdecimal())


def is_computer(name: str) -> bool:
    """Return whether `name` is the computer's."""
    number = name.removeprefix(f"{COMPUTER} ")
    return name == COMPUTER or (number != name and number.isdecimal())


def composed(text: str) -> str:
    """Return the first 400 characters of `text`, composed (NFC), for any keyboard."""
    return unicodedata.normalize("NFC", text[:400])


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
    if len(text) > 4 * MAX_PASSWORD:
        # Too long however it is composed, and composing takes the square of its length.
        return text.encode("utf-8", "surrogateescape")
    return unicodedata.normalize("NFC", text).encode("utf-8", "surrogateescape")


def check_password(password: bytes, shortest: int = 1) -> None:
    """Accept 1 to 72 bytes without control characters, and at least `shortest` characters.

    Raises BadPassword for other passwords; the error doesn't show the password.
    """
    if not 0 < len(password) <= MAX_PASSWORD:
        raise BadPassword(f"a password has 1 to {MAX_PASSWORD} bytes, not {len(password)}")
    if len(password.decode("utf-8", "replace")) < shortest:
        raise BadPassword(f"a password has at least {shortest} characters here")
    if any(b < _FIRST_PRINTABLE or b == _DELETE for b in password):
        raise BadPassword("a password has no control characters")
