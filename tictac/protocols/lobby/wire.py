"""The lobby protocol in bytes: parses lines into requests, encodes values as lines. No state.

Source: lobby.md, "Messages".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, get_args

import msgspec

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
"""Maximum characters of an error message, which can quote the request."""

REMATCH = "rematch"
AGREEMENTS = (*get_args(Agreement), REMATCH)
"""The values of ``what`` in an offer."""

ACTS = ("on", "rooms", "kick", "ban", "unban", "bans", "announce", "drain")
"""The acts of admins."""

Scalar = str | int | float | bool | None


class Request(msgspec.Struct, frozen=True):
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


class Check(NamedTuple):
    """The type of a field, its description, and what else must hold."""

    type: type
    words: str
    fits: Callable[[Any], bool] | None = None


def _are_names(value: list[Any]) -> bool:
    return len(value) <= 100 and all(isinstance(each, str) for each in value)


TEXT = Check(str, "a text")
WHOLE = Check(int, "a whole number")
FLAG = Check(bool, "true or false")
OBJECT = Check(dict, "an object")
_SAID = Check(str, f"a text of 1 to {MAX_SAID} characters", lambda text: 0 < len(text) <= MAX_SAID)
_WHAT = Check(str, f"one of {', '.join(AGREEMENTS)}", AGREEMENTS.__contains__)
_ACT = Check(str, f"one of {', '.join(ACTS)}", ACTS.__contains__)
_NAMES = Check(list, "a list of texts", _are_names)

_ACCOUNT = {"user": TEXT, "password": TEXT, "remember?": FLAG}
_TERMS = {"game": TEXT, "options?": OBJECT, "clock?": OBJECT, "rated?": FLAG}
_SEATS = {"seats?": WHOLE, "computers?": WHOLE, "seat?": WHOLE}
_FILTER = dict.fromkeys(("game?", "player?", "result?", "since?", "until?"), TEXT)
_ENTER = {"room": TEXT, "key?": TEXT, "since?": WHOLE}
_ROOM = {"room": TEXT}

REQUESTS: dict[str, dict[str, Check]] = {
    "hello": {"draws?": _NAMES, "takes?": _NAMES},
    "register": {**_ACCOUNT, "code?": TEXT},
    "login": {"user": TEXT, "password?": TEXT, "token?": TEXT, "remember?": FLAG},
    "logout": {"everywhere?": FLAG},
    "password": {"old": TEXT, "password": TEXT, "remember?": FLAG},
    "guest": {"token?": TEXT},
    "games": {},
    "rules": {"game": TEXT, "options?": OBJECT},
    "lobby": {"follow?": FLAG},
    "open": {**_TERMS, **_SEATS, "room?": TEXT, "private?": FLAG, "computer?": TEXT},
    "seek": _TERMS,
    "join": {**_ENTER, "take?": FLAG},
    "watch": _ENTER,
    "move": {**_ROOM, "move": TEXT, "at?": WHOLE},
    "resign": _ROOM,
    "offer": {**_ROOM, "what?": _WHAT},
    "accept": {**_ROOM, "what?": _WHAT},
    "decline": {**_ROOM, "what?": _WHAT},
    "say": {**_ROOM, "text": _SAID},
    "matches": {**_FILTER, "cursor?": TEXT, "limit?": WHOLE},
    "match": {"match": TEXT},
    "replay": {"match": TEXT, "seat?": WHOLE, "first?": WHOLE, "draws?": _NAMES},
    "ratings": {"game?": TEXT, "player?": TEXT, "group?": TEXT, "limit?": WHOLE},
    "judge": {"match": TEXT},
    "admin": {"act": _ACT, "user?": TEXT, "address?": TEXT, "seconds?": WHOLE, "text?": TEXT},
    "leave": {**_ROOM, "for_good?": FLAG},
    "ping": {},
}
"""The fields of each request; those with a question mark are optional."""

Field = tuple[str, bool, type, str, Callable[[Any], bool] | None]
"""Name, whether it is needed, and its Check."""

Fields = Mapping[str, Sequence[Field]]


def fields_of(requests: Mapping[str, Mapping[str, Check]]) -> dict[str, list[Field]]:
    """Return the fields of ``requests``, ready to use."""
    return {
        do: [(name.removesuffix("?"), name[-1] != "?", *check) for name, check in each.items()]
        for do, each in requests.items()
    }


FIELDS = fields_of(REQUESTS)

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


_from_json = msgspec.json.Decoder().decode
_to_json = msgspec.json.Encoder().encode


def parse_request(line: bytes, known: Fields = FIELDS) -> Request:
    """Return the request in a line, one of ``known``. Raises BadRequest for all other bytes."""
    try:
        message = _from_json(line)
    except (ValueError, RecursionError):
        message = None
    if type(message) is not dict:
        raise BadRequest("a message is a JSON object in UTF-8")
    request_id = message.get("id")
    if type(request_id) in (list, dict):
        raise BadRequest('"id" is a text, a number, true, false or null')
    do = message.get("do")
    if type(do) is not str or do not in known:
        raise BadRequest(f'"do" is one of {", ".join(known)}', request_id)
    fields = {}
    for name, needed, kind, words, fits in known[do]:
        value = message.get(name)
        if value is None:
            if needed:
                raise BadRequest(f'"{do}" needs "{name}": {words}', request_id)
        elif type(value) is not kind or not (fits is None or fits(value)):
            raise BadRequest(f'"{name}" is {words}', request_id)
        fields[name] = value
    if do == "login" and (fields["password"] is None) is (fields["token"] is None):
        raise BadRequest('"login" needs "password" or "token": a text', request_id)
    return Request(do, request_id, fields)


def read_said(text: str) -> str:
    """Return a chat text in composed characters (NFC). Raises BadText."""
    found = BIDI_CONTROL.search(text)
    if found:
        raise BadText(f"a text can't contain direction marks such as U+{ord(found[0]):04X}")
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
    return _to_json(message)


def line(message: Mapping[str, Any]) -> bytes:
    """Return a message as a line to send."""
    return _to_json(message) + b"\n"


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
