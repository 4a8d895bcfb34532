"""The lobby protocol in bytes: parses lines into requests, encodes values as lines. No state.

Source: lobby.md, "Messages".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Meta
from msgspec.structs import FieldInfo, fields

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

Scalar = str | int | float | bool | None
Agreed = Literal[Agreement, "rematch"]
ServerAct = Literal["on", "rooms", "kick", "ban", "unban", "bans", "announce", "drain"]
"""The acts of admins."""

VISITORS = ("none", "invited", "all")
NONE, INVITED, ALL = range(3)
"""Places in the values of ``--visitors``: what a connection without an account can ask for."""

Names = Annotated[list[str], Meta(max_length=100, description="a list of texts")]
_said = Meta(min_length=1, max_length=MAX_SAID, description=f"a text of 1 to {MAX_SAID} characters")
Options = Annotated[dict[str, Any], Meta(extra_json_schema={"$ref": "#/$defs/options"})]
Clock = Annotated[dict[str, Any], Meta(extra_json_schema={"$ref": "#/$defs/clock"})]
_Result = Annotated[str, Meta(extra_json_schema={"enum": ["won", "lost", "drawn"]})]


class Request(msgspec.Struct, kw_only=True, gc=False, tag_field="do", tag=str.lower):
    """A request, with the name of its class in small letters. ``id`` goes into the answer.

    schema.json is made of these classes: a docstring is the description there. If fields don't fit
    together, ``__post_init__`` raises ValueError with the text of the error.
    """

    id: Scalar = None
    units: ClassVar[int] = 8
    """Cost in units (:mod:`tictac.net.budget`), without that of the answer."""
    needs_login: ClassVar[bool] = True
    visitors: ClassVar[int] = ALL
    """The least ``--visitors`` by which a connection without an account can send it."""

    @property
    def do(self) -> str:
        """The name of the request."""
        return str(self.__struct_config__.tag)


# fmt: off

class PublicRequest(Request):
    """A request that needs no login."""
    needs_login: ClassVar = False

class MatchRequest(Request, kw_only=True):
    """A request for a match on these terms."""
    units: ClassVar = 12
    game: str
    options: Options | None = None
    clock: Clock | None = None
    rated: bool | None = None

class RoomRequest(Request):
    """A request about a room."""
    room: str

class AdminRequest(Request):
    """A request of an admin."""
    act: str
    user: str | None = None
    address: str | None = None
    seconds: int | None = None
    text: str | None = None

class Hello(PublicRequest):
    """Ask for the name, version and limits of the server."""
    visitors: ClassVar = NONE
    units: ClassVar = 1
    draws: Names | None = None
    takes: Names | None = None

class Register(PublicRequest):
    """Make an account."""
    visitors: ClassVar = NONE
    units: ClassVar = 4
    user: str
    password: str
    remember: bool | None = None
    code: str | None = None

class Login(PublicRequest):
    """Log in, with a password (remember: for a token), or with a token."""
    visitors: ClassVar = NONE
    units: ClassVar = 4
    user: str
    password: str | None = None
    token: str | None = None
    remember: bool | None = None

    def __post_init__(self) -> None:
        if (self.password is None) is (self.token is None):
            raise ValueError('"login" needs "password" or "token": a text')

class Logout(Request):
    """Leave every room and log out. Ends the token, or all of the account."""
    visitors: ClassVar = NONE
    units: ClassVar = 2
    everywhere: bool | None = None

class Password(Request):
    """Change the password. All tokens of the account end (remember: for a new one)."""
    visitors: ClassVar = NONE
    units: ClassVar = 4
    old: str
    password: str
    remember: bool | None = None

class Guest(PublicRequest):
    """Play without an account. token: of an earlier answer, for the same name."""
    visitors: ClassVar = INVITED
    units: ClassVar = 2
    token: str | None = None

class Games(PublicRequest):
    """Ask for the list of games."""
    visitors: ClassVar = NONE
    units: ClassVar = 1

class Rules(PublicRequest):
    """Ask for the rules of a game with these options."""
    visitors: ClassVar = NONE
    units: ClassVar = 1
    game: str
    options: Options | None = None

class Lobby(PublicRequest):
    """List the public rooms, and follow them unless follow is false."""
    units: ClassVar = 2
    follow: bool | None = None

class Open(MatchRequest, kw_only=True):
    """Open a room."""
    seats: int | None = None
    computers: int | None = None
    seat: int | None = None
    room: str | None = None
    private: bool | None = None
    computer: str | None = None

class Seek(MatchRequest, kw_only=True):
    """Wait for an opponent who seeks the same game, and play."""
    seats: int | None = None

class Watch(RoomRequest):
    """Watch a room."""
    visitors: ClassVar = INVITED
    units: ClassVar = 10
    key: str | None = None
    since: int | None = None

class Join(Watch):
    """Take a seat. take: also from another connection of the same account."""
    take: bool | None = None

class Move(RoomRequest):
    """Make a move."""
    visitors: ClassVar = INVITED
    units: ClassVar = 6
    move: str
    at: int | None = None

class Resign(RoomRequest):
    """Resign the match; before it has begun, close the room."""
    visitors: ClassVar = INVITED

class AgreeRequest(RoomRequest):
    """A request about a proposal."""
    visitors: ClassVar = INVITED
    units: ClassVar = 4
    what: Agreed | None = None

class Offer(AgreeRequest):
    """Propose something; without what, a draw. days: for each move, with what days."""
    days: int | None = None

class Accept(AgreeRequest):
    """Accept the proposal."""

class Decline(AgreeRequest):
    """Decline the proposal, or withdraw it."""

class Say(RoomRequest):
    """Say something in the room."""
    visitors: ClassVar = INVITED
    units: ClassVar = 4
    text: Annotated[str, _said]

class Matches(PublicRequest):
    """Ask for matches that have ended, the last one first."""
    game: str | None = None
    player: str | None = None
    result: _Result | None = None
    since: str | None = None
    until: str | None = None
    cursor: str | None = None
    limit: int | None = None

class Match(PublicRequest):
    """Ask for a match by its id, perhaps as the text of a file."""
    visitors: ClassVar = INVITED
    match: str
    format: str | None = None

class Replay(PublicRequest):
    """Ask for the events of a match, as a seat or the viewers got them."""
    visitors: ClassVar = INVITED
    match: str
    seat: int | None = None
    first: int | None = None
    draws: Names | None = None

class Ratings(PublicRequest):
    """Ask for the ratings in a game, or for those of a player over time."""
    game: str | None = None
    player: str | None = None
    group: str | None = None
    limit: int | None = None

class Judge(Request):
    """Ask what each move of a match was worth."""
    visitors: ClassVar = INVITED
    units: ClassVar = 20
    match: str

class Admin(AdminRequest):
    """Do an act of an admin."""
    act: ServerAct

class Leave(RoomRequest):
    """Leave a room. A seat is held, unless for_good."""
    visitors: ClassVar = INVITED
    for_good: bool | None = None

class Ping(PublicRequest):
    """Get an answer."""
    visitors: ClassVar = NONE
    units: ClassVar = 1

# fmt: on

Requests = Mapping[str, type[Request]]


def by_name(kinds: Iterable[type[Request]]) -> dict[str, type[Request]]:
    """Return requests by their names."""
    return {str(kind.__struct_config__.tag): kind for kind in kinds}


REQUESTS: Requests = by_name((
    Hello, Register, Login, Logout, Password, Guest, Games, Rules, Lobby, Open, Seek, Join, Watch,
    Move, Resign, Offer, Accept, Decline, Say, Matches, Match, Replay, Ratings, Judge, Admin,
    Leave, Ping,
))  # fmt: skip


class BadRequest(Malformed):
    """A line that isn't a request. ``id`` is for the answer, None if it can't be read."""

    code = Malformed.code
    units = 4

    def __init__(self, why: str, request_id: Scalar = None) -> None:
        super().__init__(why)
        self.id = request_id


_from_json = msgspec.json.Decoder().decode
_to_json = msgspec.json.Encoder().encode


def parse_request(line: bytes, known: Requests = REQUESTS) -> Request:
    """Return the request in a line, one of ``known``. Raises BadRequest for all other bytes."""
    # Not decoded as a Request at once: that skips fields it doesn't know, with bytes and numbers
    # in them that aren't JSON.
    try:
        message = _from_json(line)
    except (ValueError, RecursionError):
        message = None
    if type(message) is not dict:
        raise BadRequest("a message is a JSON object in UTF-8")
    request_id = message.get("id")
    if type(request_id) in (list, dict):
        raise BadRequest('"id" is a text, a number, true, false, or null')
    do = message.get("do")
    if type(do) is not str or do not in known:
        raise BadRequest(f'"do" is one of {", ".join(known)}', request_id)
    try:
        return msgspec.convert(message, known[do])
    except msgspec.ValidationError as error:
        raise BadRequest(_fault(message, known[do]) or str(error), request_id) from None


def _fault(message: Mapping[str, Any], kind: type[Request]) -> str | None:
    """Return the fault of the first bad field of a message; None if each field is good alone."""
    for field, words in _fields(kind):
        value = message.get(field.name)
        if value is None and field.required:
            return f'"{message["do"]}" needs "{field.name}": {words}'
        try:
            msgspec.convert(value, field.type)
        except msgspec.ValidationError:
            return f'"{field.name}" is {words}'
    return None


@cache  # because strangers can send bad lines often
def _fields(kind: type[Request]) -> list[tuple[FieldInfo, str]]:
    return [(each, _words(each.type)) for each in fields(kind) if each.name != "id"]


_WORDS = {str: "a text", int: "a whole number", bool: "true or false", dict: "an object"}


def _words(kind: Any) -> str:
    """Return in words what a field of this type takes."""
    made_of, inner = get_origin(kind), get_args(kind)
    if made_of in (Union, UnionType):
        return _words(inner[0])
    if made_of is Literal:
        return f"one of {', '.join(inner)}"
    if made_of is Annotated:
        return kind.__metadata__[0].description or _words(inner[0])
    return _WORDS[made_of or kind]


def read_said(text: str) -> str:
    """Return a chat text in composed characters (NFC). Raises BadText."""
    found = BIDI_CONTROL.search(text)
    if found:
        raise BadText(f"a text can't contain direction marks such as U+{ord(found[0]):04X}")
    said = unicodedata.normalize("NFC", text)
    if len(said) > MAX_SAID:
        raise BadText(f"a text has at most {MAX_SAID} characters, not {len(said)}")
    return said


def read_terms(request: MatchRequest, computer: str | None = None, **others: Any) -> Terms:
    """Return the terms of the room that a request wants. Raises NoSuchGame or BadOption."""
    game_type = game_type_of(request.game)
    if computer is not None and computer not in game_type.levels:
        levels = ", ".join(game_type.levels)
        raise BadOption(f"computer is one of {levels or 'none'}, not {computer!r:.40}")
    clock = request.clock
    others["time"] = None if clock is None else TimeControl.read(clock)
    others |= {"computer": computer, "rated": bool(request.rated)}
    return terms_for(game_type, request.options or {}, computers_asked=True, **others)


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
