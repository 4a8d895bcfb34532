"""The lobby protocol in bytes: parses lines into requests, encodes values as lines. No state.

Source: lobby.md, "Messages".
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, get_args

from tictac.archive.match import to_json
from tictac.errors import BadOption, BadText, Malformed, Refusal
from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.events import Agreement
from tictac.lobby.terms import Terms, terms_for

MAX_SAID = 500
"""Maximum characters of a chat message."""

BIDI_CONTROL = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""The Bidi_Control characters of Unicode, which can reverse the text beside them."""

MAX_SHOWN = 200
"""Maximum characters of an error message, which may quote the request."""

REMATCH = "rematch"
AGREEMENTS = (*get_args(Agreement), REMATCH)
"""The values of ``what`` in an offer."""

ACTS = ("on", "rooms", "kick", "ban", "unban", "bans", "announce", "drain")
"""The acts of admins."""

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Request:
    """The request ``do`` with its fields, None if left out. ``id`` goes into the answer."""

    do: str
    id: Scalar
    fields: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]


class BadRequest(Malformed):
    """A line that isn't a request. ``id`` is for the answer, None if it can't be read."""

    def __init__(self, why: str, request_id: Scalar = None) -> None:
        super().__init__(why)
        self.id = request_id


# Checks of fields


def _is_text(value: object) -> bool:
    # JSON can encode lone surrogates, which aren't text.
    return isinstance(value, str) and not any("\ud800" <= each <= "\udfff" for each in value)


def _are_names(value: object) -> bool:
    return isinstance(value, list) and len(value) <= 100 and all(map(_is_text, value))


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_said(value: object) -> bool:
    return _is_text(value) and isinstance(value, str) and 0 < len(value) <= MAX_SAID


_Check = tuple[Callable[[object], bool], str]
_TEXT: _Check = _is_text, "a text"
_WHOLE: _Check = _is_whole, "a whole number"
_FLAG: _Check = (lambda value: isinstance(value, bool)), "true or false"
_SAID: _Check = _is_said, f"a text of 1 to {MAX_SAID} characters"
_WHAT: _Check = (lambda value: value in AGREEMENTS), f"one of {', '.join(AGREEMENTS)}"
_ACT: _Check = (lambda value: value in ACTS), f"one of {', '.join(ACTS)}"
_NAMES: _Check = _are_names, "a list of texts"
_OBJECT: _Check = (lambda value: isinstance(value, dict)), "an object"

_ACCOUNT = {"user": _TEXT, "password": _TEXT, "remember?": _FLAG}
_TERMS = {"game": _TEXT, "options?": _OBJECT, "clock?": _OBJECT, "rated?": _FLAG}
_SEATS = {"seats?": _WHOLE, "computers?": _WHOLE, "seat?": _WHOLE}
_FILTER = dict.fromkeys(("game?", "player?", "result?", "since?", "until?"), _TEXT)
_ENTER = {"room": _TEXT, "key?": _TEXT, "since?": _WHOLE}
_ROOM = {"room": _TEXT}

REQUESTS: dict[str, dict[str, _Check]] = {
    "hello": {"draws?": _NAMES},
    "register": {**_ACCOUNT, "code?": _TEXT},
    "login": {"user": _TEXT, "password?": _TEXT, "token?": _TEXT, "remember?": _FLAG},
    "logout": {"everywhere?": _FLAG},
    "password": {"old": _TEXT, "password": _TEXT, "remember?": _FLAG},
    "guest": {},
    "games": {},
    "rules": {"game": _TEXT, "options?": _OBJECT},
    "lobby": {"follow?": _FLAG},
    "open": {**_TERMS, **_SEATS, "room?": _TEXT, "private?": _FLAG, "computer?": _TEXT},
    "seek": _TERMS,
    "join": {**_ENTER, "take?": _FLAG},
    "watch": _ENTER,
    "move": {**_ROOM, "move": _TEXT, "at?": _WHOLE},
    "resign": _ROOM,
    "offer": {**_ROOM, "what?": _WHAT},
    "accept": {**_ROOM, "what?": _WHAT},
    "decline": {**_ROOM, "what?": _WHAT},
    "say": {**_ROOM, "text": _SAID},
    "matches": {**_FILTER, "cursor?": _TEXT, "limit?": _WHOLE},
    "match": {"match": _TEXT},
    "replay": {"match": _TEXT, "seat?": _WHOLE, "first?": _WHOLE, "draws?": _NAMES},
    "ratings": {"game?": _TEXT, "player?": _TEXT, "group?": _TEXT, "limit?": _WHOLE},
    "judge": {"match": _TEXT},
    "admin": {"act": _ACT, "user?": _TEXT, "address?": _TEXT, "seconds?": _WHOLE, "text?": _TEXT},
    "leave": {**_ROOM, "for_good?": _FLAG},
    "ping": {},
}
"""The fields of each request; those with a question mark are optional."""

UNITS = {
    "": 4,  # not a request
    **dict.fromkeys(("hello", "games", "rules", "ping"), 1),
    **dict.fromkeys(("guest", "logout", "lobby"), 2),
    **dict.fromkeys(("register", "login", "password"), 4),
    **dict.fromkeys(("offer", "accept", "decline", "say"), 4),
    "move": 6,
    **dict.fromkeys(("matches", "match", "replay", "ratings", "admin", "resign", "leave"), 8),
    **dict.fromkeys(("join", "watch"), 10),
    **dict.fromkeys(("open", "seek"), 12),
    "judge": 20,
}
"""Cost of each request in units (:mod:`tictac.net.budget`), without that of the answer."""

WITHOUT_LOGIN = {
    "hello", "register", "login", "guest", "games", "lobby", "matches", "match", "replay",
    "ratings", "rules", "ping",
}  # fmt: skip


def parse_request(line: bytes) -> Request:
    """Return the request in a line. Raises BadRequest for all other bytes."""
    message = _read_object(line)
    request_id = message.get("id")
    if not _is_scalar(request_id):
        raise BadRequest('"id" is a text, a number, true, false or null')
    do = message.get("do")
    if not isinstance(do, str) or do not in REQUESTS:
        raise BadRequest(f'"do" is one of {", ".join(REQUESTS)}', request_id)
    fields = {}
    for spelled, (fits, words) in REQUESTS[do].items():
        name = spelled.removesuffix("?")
        value = message.get(name)
        if value is None:
            if name == spelled:
                raise BadRequest(f'"{do}" needs "{name}": {words}', request_id)
        elif not fits(value):
            raise BadRequest(f'"{name}" is {words}', request_id)
        fields[name] = value
    if do == "login" and (fields["password"] is None) is (fields["token"] is None):
        raise BadRequest('"login" needs "password" or "token": a text', request_id)
    return Request(do, request_id, fields)


def _read_object(line: bytes) -> dict[str, Any]:
    try:
        message = _from_json(line.decode())
    except (ValueError, RecursionError):
        raise BadRequest("a message is a JSON object in UTF-8") from None
    if not isinstance(message, dict):
        raise BadRequest("a message is a JSON object in UTF-8")
    return message


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} isn't JSON")


# Made once: json.loads makes a decoder at each call, which takes longer than reading a move.
_from_json = json.JSONDecoder(parse_constant=_no_constant).decode


def _is_scalar(value: object) -> bool:
    if isinstance(value, float):
        return isfinite(value)  # 1e999 is JSON, and infinite here
    return value is None or isinstance(value, str | int)


def read_said(text: str) -> str:
    """Return a chat text in composed characters (NFC). Raises BadText."""
    found = BIDI_CONTROL.search(text)
    if found:
        raise BadText(f"a text has no marks of direction, such as U+{ord(found[0]):04X}")
    said = unicodedata.normalize("NFC", text)
    if len(said) > MAX_SAID:
        raise BadText(f"a text has at most {MAX_SAID} characters, not {len(said)}")
    return said


def read_terms(request: Request, computer: str | None = None, **others: Any) -> Terms:
    """Return the terms of the room that a request wants. Raises NoSuchGame or BadOption."""
    game_type = game_type_of(request["game"])
    if computer is not None and computer not in game_type.levels:
        levels = ", ".join(game_type.levels)
        raise BadOption(f"computer is one of {levels or 'none'}, not {computer!r:.40}")
    clock = request["clock"]
    others["time"] = None if clock is None else TimeControl.read(clock)
    others |= {"computer": computer, "rated": bool(request["rated"])}
    return terms_for(game_type, request["options"] or {}, computers_asked=True, **others)


# Messages of the server


def encode(message: Mapping[str, Any]) -> bytes:
    """Return a message, or a part of one, as JSON."""
    return to_json(message).encode()


def line(message: Mapping[str, Any]) -> bytes:
    """Return a message as a line to send."""
    return encode(message) + b"\n"


def answer(request_id: Scalar, **fields: Any) -> bytes:
    """Return the line of an answer."""
    return line({"answer": request_id, **fields})


def answer_with(request_id: Scalar, fields: bytes) -> bytes:
    """Return the line of an answer whose fields are a JSON object already."""
    return b"%b,%b\n" % (encode({"answer": request_id})[:-1], fields[1:])


def error(request_id: Scalar, refusal: Refusal, at: int | None = None) -> bytes:
    """Return the line of an error; ``at`` is the number of the room's last event."""
    fields: dict[str, Any] = {"error": refusal.code, "message": str(refusal)[:MAX_SHOWN]}
    if at is not None:
        fields["at"] = at
    return answer(request_id, **fields)
