"""Rules for user names and passwords.

Sources: accounts.md, "Names", and rooms.md, "Names and passwords". Every account passes them,
whether made over the wire or by the operator.
"""

from __future__ import annotations

import re
import string
import unicodedata

from tictac.errors import JOINERS, BadGroup, BadPassword, BadUserName, visible

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

_SIGNS = {
    "'": "\u2019\u2018\u02bc\u02bb\u02b9\u055a\u05f3\ua78b\ua78c",
    '"': "\u05f4",
    "-": "\u2010\u2011\u058a\u05be\u1806\u1400\u30a0",
    "\u00b7": "\u2027\u30fb\u0f0b\u1361",
}
"""Signs that names have in their own scripts, by what they look like and count as.

They are apostrophes (also of Hawaiian, Ukrainian, Armenian, and Hebrew), hyphens (Armenian,
Hebrew, Mongolian, Cree, and Japanese), and dots between syllables or words (Catalan, Tibetan,
Ethiopic, and Japanese).
"""

_ALSO_ALLOWED = frozenset("".join([*_SIGNS, *_SIGNS.values(), "\u3007"]))  # the Chinese zero

_JOINING = frozenset((
    "ARABIC", "SYRIAC", "NKO", "MANDAIC", "ADLAM", "MONGOLIAN", "DEVANAGARI", "BENGALI", "GURMUKHI",
    "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "KHMER", "MYANMAR",
    "TIBETAN", "LAO", "THAI",
))  # fmt: skip
"""The scripts in which letters take another form before a joiner."""

_MONGOLIAN = frozenset("\u180b\u180c\u180d\u180e\u180f")

# Forms of an ideograph, which Japanese names choose by a mark after it.
_VARIANT = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")

# Letters and marks that nobody sees: two names would look alike.
_INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]")

# What changes only the look of its neighbors: a name is the same without it.
_LOOKS_ONLY = re.compile(
    f"[{''.join(JOINERS)}\u0640\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)

_ALIKE = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u04cf"
    "\u03b1\u03bf\u03bd\u03b9\u03c1\u03c5\u03c7\u03ba"
    "\u0432\u043a\u043c\u043d\u0442\u03b2\u03b5\u03b6\u03b7\u03bc\u03c4",
    "aeopcyxijshdqwlaovipuxkbkmhtbezhmt",
) | {ord(sign): kept for kept, signs in _SIGNS.items() for sign in signs}
"""Small letters of Cyrillic and Greek, and signs, with what they look like (UTS 39, section 4).

The last letters look like Latin ones only as capitals. Two letters look like others as capitals
than as small ones: they count as the small ones, v and u.
"""

_MIXABLE = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC")
"""Scripts whose letters look like one another's."""

_FIRST_PRINTABLE, _DELETE = 0x20, 0x7F


def check_user_name(name: str) -> str:
    """Return the name `name`, composed (NFC).

    A name has 1 to 20 letters, marks and digits of any script, signs that names have in their
    scripts, ASCII punctuation except `:` and `,`, and blanks that aren't at either end. It begins
    with no mark. Joiners follow letters that they change. The computer's name passes, because this
    doesn't check for free names. Raises BadUserName.
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


def check_new_name(name: str) -> str:
    """Return the name of a new account, as :func:`check_user_name` does.

    It isn't made of dots alone: no address of a page can have those of ASCII (RFC 3986, section
    5.2.4). No word of it mixes letters of scripts that look alike. Raises BadUserName.
    """
    name = check_user_name(name)
    if not folded(name).strip(".\u00b7 "):
        raise BadUserName("a user name has more than dots")
    letters = [char if unicodedata.category(char)[0] in "LMN" else " " for char in name]
    for word in "".join(letters).split():
        found = {unicodedata.name(char, "").split(" ")[0] for char in word}
        if len(mixed := [script for script in _MIXABLE if script in found]) > 1:
            scripts = " and ".join(script.capitalize() for script in mixed)
            raise BadUserName(f"'{visible(word)}' mixes letters of {scripts}, which look alike")
    return name


def _is_of_a_script(name: str) -> bool:
    """Return whether all characters are allowed, and none is invisible."""
    before = ""
    for char in name:
        category = unicodedata.category(char)
        if char in JOINERS or char in _MONGOLIAN or _VARIANT.match(char):
            if not _takes(before, char):
                return False
        elif not (char in _ALLOWED or char in _ALSO_ALLOWED or category in _CATEGORIES):
            return False
        before = char
    return unicodedata.category(name[0])[0] != "M" and not _INVISIBLE.search(name)


def _takes(before: str, char: str) -> bool:
    """Return whether a joiner or variant can follow a character."""
    script = unicodedata.name(before or " ", "").split(" ")[0]
    if char in _MONGOLIAN:
        return script == "MONGOLIAN" and before not in _MONGOLIAN
    return script in (_JOINING if char in JOINERS else {"CJK"})


_CATEGORIES = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd"))


def folded(name: str) -> str:
    """Return the spelling shared by all names that look like `name`, whatever their case.

    Signs of all scripts are one each, blanks in a row are one, joiners don't matter, and letters of
    Cyrillic and Greek count as the Latin ones that they look like.
    """
    spelling = re.sub("  +", " ", caseless(name))
    if spelling.isascii():
        return spelling
    return unicodedata.normalize("NFKC", _LOOKS_ONLY.sub("", spelling).translate(_ALIKE))


def caseless(name: str) -> str:
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
    if not name.startswith(COMPUTER):
        return False
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
    if len(group) > MAX_GROUP or group != group.strip() or "," in group or visible(group) != group:
        raise BadGroup(
            f"'{visible(group[:MAX_GROUP])}' isn't a group: up to {MAX_GROUP} printable characters "
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
