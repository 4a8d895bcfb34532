"""The requests of schema.json, made of their classes; ``python -m tests.documents`` writes them."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from tests.helpers import Server
from tests.plugins.days.case import follow_games
from tests.plugins.desk.served import add_desk
from tests.plugins.people.served import People
from tests.plugins.tournament.hosting.served import Tournaments
from tests.plugins.tournament.ladder.served import add_series
from tests.plugins.xmpp.helpers import World
from tests.storage.memory import MemoryStore
from tictac.plugins.notices.desk import Desk as Notices
from tictac.plugins.notices.tables import NoticeTables
from tictac.plugins.privacy.desk import Desk as Privacy
from tictac.plugins.puzzles.puzzles import Puzzles
from tictac.plugins.submissions.desk import Desk as Programs
from tictac.plugins.submissions.desk import Limits as ProgramLimits
from tictac.protocols.lobby import wire
from tictac.storage.store import Stored

SCHEMA = Path(wire.__file__).with_name("schema.json")
MADE = re.compile(r'(?<="oneOf": \[\n).*?(?=\n  \]\},\n  "message")', re.S)

# Login.__post_init__ and Play.__post_init__
_ONE_OF = {
    "play": [
        {"required": ["tournament"], "properties": {"series": {"type": "null"}}},
        {"required": ["series"], "properties": {"series": {"type": "string"}}},
    ],
    "login": [
        {"required": ["password"], "properties": {"token": {"type": "null"}}},
        {"required": ["token"], "properties": {"password": {"type": "null"}}},
    ],
}


def extend(server: Server) -> None:
    """Give a server the requests of all bundled plug-ins."""
    add_series(Tournaments(server)), People(server)
    follow_games(server)
    server.lobby.extend(Privacy(MemoryStore(), server.lobby, server.accounts))
    store = Stored(MemoryStore(), NoticeTables)
    server.lobby.extend(Notices(store, {}, str, server.clock.seconds, server.clock.seconds))
    server.lobby.extend(World().link_desk)
    server.lobby.extend(Puzzles(str))
    reactor: Any = server.clock
    limits = ProgramLimits(1, 1, 1.0)
    server.lobby.extend(Programs(MemoryStore(), server.accounts, limits, reactor))
    add_desk(server)


@cache
def all_requests() -> wire.Requests:
    """Return the requests of a server with all bundled plug-ins."""
    extend(server := Server())
    return server.lobby.requests


def requests_part() -> str:
    """Return the schemas of all requests, a paragraph each."""
    return ",\n".join(map(_paragraph, _schemas(all_requests())))


def _schemas(requests: wire.Requests) -> Iterable[dict[str, Any]]:
    _, found = msgspec.json.schema_components(requests.values())
    for do, kind in requests.items():
        made = found[kind.__name__]
        about: dict[str, Any] = {
            "description": " ".join(made["description"].split()),
            "required": made.get("required", ["do"]),
        }
        if do in _ONE_OF:
            about["oneOf"] = _ONE_OF[do]
        fields = {name: _simple(field) for name, field in made["properties"].items()}
        fields |= {"do": {"const": do}, "id": {"$ref": "#/$defs/id"}}
        yield {**about, "properties": fields}


def _simple(field: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a field in the form that schema.json has, without the words."""
    if "anyOf" in field:
        first, *others = map(_simple, field["anyOf"])
        if others == [{"type": "number"}]:  # each integer is a number
            return others[0]
        if "enum" in first:
            return {"enum": [*first["enum"], None]}
        if "type" in first:
            return {**first, "type": [first["type"], "null"]}
        return {"anyOf": [first, *others]}
    for name in ("enum", "$ref"):
        if name in field:
            return {name: field[name]}
    made = {name: part for name, part in field.items() if name not in ("description", "default")}
    return {**made, "items": _simple(made["items"])} if "items" in made else made


def _paragraph(schema: dict[str, Any]) -> str:
    # Lines end before names only.
    kept = re.sub(r' (?!"\w+":)', "\0", json.dumps(schema))
    lines = textwrap.wrap(
        kept, 100, initial_indent=" " * 3, subsequent_indent=" " * 4,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return "\n".join(lines).replace("\0", " ")


def schema_text() -> str:
    """Return the text of schema.json with these requests."""
    return MADE.sub(lambda _: requests_part(), SCHEMA.read_text("utf-8"))
