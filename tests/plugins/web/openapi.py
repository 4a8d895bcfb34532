"""The description of ``/api/`` by OpenAPI, made of the classes of requests and of schema.json.

``python -m tests.documents`` writes it, and the list of paths in api.md.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from tests.documents import ROOT, json_text
from tests.protocols.lobby.schema import SCHEMA, all_requests
from tictac.archive.reader import MOST, USUAL
from tictac.plugins.web.visitors import level_of
from tictac.protocols.lobby.wire import NONE, VISITORS, Requests

Json = dict[str, Any]

OPENAPI: Path = ROOT / "tictac" / "plugins" / "web" / "openapi.json"

_TEXT, _NUMBER, _FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
ABOUT = """\
Every path answers GET and HEAD with the data that anyone can see. No path changes anything: \
programs play by the lobby protocol (/api/asyncapi.json). Clients ignore fields that they don't \
know. A request with more than the limits of docs/reference/web.md gets the status 414 or 431, \
and one to another name than those of --web-host gets 421, as plain text. Requests beyond the \
budget of an address wait: no answer has the status 429."""

OWN: Json = {
    "error": {
        "description": "A refusal. error is a stable code (docs/reference/messages.md).",
        "type": "object",
        "required": ["error", "message"],
        "properties": {"error": {"type": "string", "pattern": "^[a-z-]+$"}, "message": _TEXT},
    },
    "boards": {
        "description": "Positions, as viewers see them, by room.",
        "type": "object",
        "additionalProperties": False,
        "required": ["boards"],
        "properties": {"boards": {"type": "object", "additionalProperties": _TEXT}},
    },
    "show": {
        "description": "A match of two computers to watch, or null; levels and turn are by seat.",
        "type": "object",
        "additionalProperties": False,
        "required": ["show"],
        "properties": {
            "show": {
                "type": ["object", "null"],
                "additionalProperties": False,
                "required": ["game", "options", "levels", "position", "moves", "turn", "winner"],
                "properties": {
                    "game": _TEXT,
                    "options": {"type": "object"},
                    "levels": {"type": "array", "items": _TEXT},
                    "position": _TEXT,
                    "moves": {"type": "integer"},
                    "turn": {"type": ["integer", "null"]},
                    "winner": {"type": ["integer", "null"]},
                },
            }
        },
    },
    "formats": {
        "description": "The file formats of matches, by game; other pages can have them in frames.",
        "type": "object",
        "additionalProperties": False,
        "required": ["formats", "frames"],
        "properties": {
            "formats": {
                "type": "object",
                "additionalProperties": {"type": "array", "items": _TEXT},
            },
            "frames": {"type": "boolean"},
        },
    },
    "listing": {
        "description": "The public rooms, and the plug-ins that answer below /api/.",
        "type": "object",
        "additionalProperties": False,
        "required": ["rooms", "parts"],
        "properties": {
            "rooms": {"type": "array", "items": {"$ref": "#/$defs/summary"}},
            "parts": {"type": "array", "items": _TEXT},
        },
    },
    "channels": {
        "description": "How the server can notify absent players, by the name of the channel.",
        "type": "object",
        "additionalProperties": False,
        "required": ["channels"],
        "properties": {"channels": {"type": "object", "additionalProperties": {"type": "object"}}},
    },
    "privacy": {
        "description": "What the server keeps, and for how many days; null: until it is deleted.",
        "type": "object",
        "additionalProperties": False,
        "required": ["contact", "visitors", "days", "logs", "notices"],
        "properties": {
            "contact": {"type": ["string", "null"]},
            "visitors": {"enum": [*VISITORS]},
            "days": {
                "type": "object",
                "additionalProperties": False,
                "required": ["token", "match", "tournament"],
                "properties": {
                    name: {"type": ["integer", "null"], "minimum": 0}
                    for name in ("token", "match", "tournament")
                },
            },
            "logs": {"type": "integer", "minimum": 0},
            "notices": _FLAG,
        },
    },
    "chat-link": {
        "description": "The address of a room for a chat client.",
        "type": "object",
        "additionalProperties": False,
        "required": ["link"],
        "properties": {"link": {"type": "string", "format": "uri"}},
    },
    "crosstable": {
        "description": "The scores of each player against each other one; null: no game yet.",
        "type": "object",
        "additionalProperties": False,
        "required": ["names", "scores"],
        "properties": {
            "names": {"type": "array", "items": _TEXT},
            "scores": {
                "type": "array",
                "items": {"type": "array", "items": {"type": ["number", "null"]}},
            },
        },
    },
}
"""Schemas of answers that only HTTP has."""

FIELDS: Json = {
    "limit": {"minimum": 1, "maximum": MOST, "default": USUAL},
    "first": {"minimum": 0},
    "seat": {"minimum": 0},
    "rooms": {"maxItems": 6},
}
"""What the classes of requests don't have."""

MEANINGS = {
    "match": "The ID of a match",
    "player": "The name of a player",
    "game": "The name of a game",
    "room": "The name of a room",
    "key": "The key of a private room",
    "tournament": "The ID of a tournament",
    "series": "The ID of a ladder",
    "day": "A day in UTC, such as 2026-11-29",
    "moves": "The player's own moves of the solution, with commas",
    "whole": "1: the solution",
    "round": "The number of a round, from 1",
    "number": "The number of a game, from 1",
    "format": "The ending of a format that /api/formats lists",
    "result": "The result of that player",
    "since": "The earliest start, such as 2026-11-22 or 2026-11-22T08:30+01:00",
    "until": "The time before which matches began",
    "cursor": "The cursor of the page before",
    "limit": "The maximum number of entries",
    "group": "The name of a group of accounts",
    "seat": "The seat whose view the events are; without it, that of viewers",
    "first": "The number of the first event, or the first place of the standings",
    "draws": "The games of which the client needs no pictures as text, with commas",
    "state": "The state of the tournaments",
    "matches": "Up to 20 IDs of matches, with commas: the answer has only their games",
    "rooms": "The names of up to 6 rooms, with commas",
}


@dataclass(frozen=True)
class Operation:
    """A path: what it returns, and the ``query`` from the fields of the request ``asks``.

    ``found`` is the key of its schema; or, for another kind of content, ``kind``. ``errors`` are
    its own statuses in addition to those of all paths.
    """

    path: str
    name: str
    summary: str
    found: str = ""
    asks: str = ""
    query: tuple[str, ...] = ()
    errors: tuple[int, ...] = ()
    kind: str = "application/json"
    part: str = ""

    @property
    def in_path(self) -> list[str]:
        """The names in braces."""
        return re.findall(r"{(\w+)}", self.path)

    @property
    def level(self) -> int:
        """The least ``--visitors`` of the path."""
        return level_of(self.path.split("/")[1:])


_FILTER = "game", "player", "result", "since", "until", "cursor", "limit"
_CSV, _PLAIN = "text/csv", "text/plain"
_CUP = "/api/tournaments/{tournament}"

OPERATIONS = (
    Operation("/api/matches", "list_matches", "Finished matches, the last one first",
              "matches", "matches", _FILTER, (400, 404)),
    Operation("/api/matches/{match}", "get_match", "A finished match", "match",
              errors=(404, 403)),
    Operation("/api/matches/{match}.{format}", "export_match", "A finished match as a file",
              errors=(404, 403), kind="*/*"),
    Operation("/api/matches/{match}/replay", "replay_match", "The events of a finished match",
              "replay", "replay", ("seat", "first", "draws"), (400, 404, 403)),
    Operation("/api/players/{player}", "list_matches_of_player", "Finished matches of a player",
              "matches", "matches", tuple(n for n in _FILTER if n != "player"), (400, 404)),
    Operation("/api/players/{player}/ratings", "get_ratings_of_player",
              "The ratings of a player in each game, now and before", "player-ratings",
              errors=(400, 404)),
    Operation("/api/ratings/{game}", "get_ratings", "The leaderboard of a game", "game-ratings",
              "ratings", ("group", "limit", "player"), (400, 404)),
    Operation("/api/games", "list_games", "The games", "games"),
    Operation("/api/games/{game}", "get_game", "A game; for Clue also its map and cards",
              "game-details", errors=(400,)),
    Operation("/api/lobby", "list_rooms", "The public rooms", "listing"),
    Operation("/api/rooms/{room}", "get_room", "A public room, before the visitor joins it",
              "invitation", errors=(404,)),
    Operation("/api/rooms/{room}/{key}", "get_private_room",
              "A private room, before the visitor joins it", "invitation", errors=(404,)),
    Operation("/api/formats", "list_formats", "The file formats of matches", "formats",
              part="formats"),
    Operation("/api/boards", "list_boards", "Positions of up to 6 public rooms", "boards", "",
              ("rooms",), part="boards"),
    Operation("/api/shows/{game}", "get_show", "A match of two computers, which a read continues",
              "show", errors=(404,), part="shows"),
    Operation("/api/notices", "list_channels", "The channels of notices", "channels",
              part="notices"),
    Operation("/api/privacy", "get_privacy", "What the server keeps of an account", "privacy",
              part="privacy"),
    Operation("/api/xmpp/{room}", "get_chat_link", "The address of a room for a chat client",
              "chat-link", part="xmpp"),
    Operation("/api/xmpp/{room}/{key}", "get_private_chat_link",
              "The address of a private room for a chat client", "chat-link", part="xmpp"),
    Operation("/api/tournaments", "list_tournaments", "Tournaments, the latest first",
              "tournaments", "tournaments", ("state", "cursor", "limit", "matches"), (400,),
              part="tournaments"),
    Operation(_CUP, "get_tournament", "A tournament, its first 50 places, and its open games",
              "tournament-whole", errors=(404,), part="tournaments"),
    Operation(f"{_CUP}/standings", "get_standings", "50 places of the standings",
              "tournament-whole", "tournament", ("first",), (400, 404), part="tournaments"),
    Operation(f"{_CUP}/rounds/{{round}}", "get_round", "The games of a round", "tournament-whole",
              errors=(404,), part="tournaments"),
    Operation(f"{_CUP}/rounds", "get_rounds", "The games of 50 players", "tournament-rounds",
              "tournament", ("first",), (400, 404), part="tournaments"),
    Operation(f"{_CUP}/games/{{number}}", "get_board", "The board of a running game",
              "tournament-board", errors=(404,), part="tournaments"),
    Operation(f"{_CUP}/players/{{player}}", "get_games_of_player", "The games of a player",
              "tournament-whole", errors=(400, 404), part="tournaments"),
    Operation(f"{_CUP}/crosstable", "get_crosstable", "The crosstable of a round robin of two",
              "crosstable", errors=(400, 404), part="tournaments"),
    Operation(f"{_CUP}/results.csv", "get_results", "The standings as a spreadsheet",
              errors=(404,), kind=_CSV, part="tournaments"),
    Operation(f"{_CUP}/results.trf", "get_report", "A Swiss system as a report file of FIDE",
              errors=(400, 404), kind=_PLAIN, part="tournaments"),
    Operation("/api/series", "list_series", "Ladders", "series-list", part="series"),
    Operation("/api/series/{series}", "get_series", "A ladder with its standings", "series-whole",
              "series", ("first",), (404,), part="series"),
    Operation("/api/series/{series}/players/{player}", "get_player_of_series",
              "The last matches of a player of a ladder", "series-player", errors=(404,),
              part="series"),
    Operation("/api/puzzle", "list_puzzles_of_today", "Today's puzzles", "puzzles", part="puzzle"),
    Operation("/api/puzzle/{day}", "list_puzzles", "The puzzles of a day", "puzzles",
              part="puzzle"),
    Operation("/api/puzzle/{day}/{game}", "get_puzzle",
              "The puzzle of a game, with moves the check of them, or whole: its solution",
              "puzzle", "puzzle", ("moves", "whole"), (404,), part="puzzle"),
    Operation("/api/openapi.json", "get_openapi", "This description", "description"),
    Operation("/api/asyncapi.json", "get_asyncapi", "The lobby protocol, by AsyncAPI",
              "description"),
)  # fmt: skip


def answer_of(schema: Json, *fields: str) -> Json:
    """Return the one answer of schema.json that has these required fields, and no other ones."""
    wanted = {"answer", *fields}
    found = [each for each in schema["$defs"]["answer"]["anyOf"] if {*each["required"]} == wanted]
    assert len(found) == 1, fields
    made: Json = copy.deepcopy(found[0])
    return made


def schemas() -> Json:
    """Return the schemas of answers by name: those of schema.json, and those that HTTP adds."""
    schema = json.loads(SCHEMA.read_text("utf-8"))
    known = {n: s for n, s in schema["$defs"].items() if n not in ("request", "message", "answer")}

    def body(*fields: str, without: tuple[str, ...] = ()) -> Json:
        made = answer_of(schema, *fields)
        for name in ("answer", *without):
            made["properties"].pop(name, None)
        made["required"] = [each for each in made["required"] if each in made["properties"]]
        made["description"] = re.sub(r"^To (?:the )?[^.:]*[.:] *", "", made["description"])
        return {name: part for name, part in made.items() if part != ""}

    def more(name: str, description: str, **fields: Json) -> Json:
        old = known[name]
        required = [each for each in fields if fields[each].pop("required", True)]
        return {
            **old,
            "description": description,
            "required": [*old["required"], *required],
            "properties": {**old["properties"], **fields},
        }

    texts = {"$ref": "#/$defs/texts"}
    cup = body("tournament", "n", "games", "left", "you", without=("rights", "you"))
    made = {
        "matches": body("matches", "cursor"),
        "replay": body("replay")["properties"]["replay"],
        "game-ratings": body("players", "computers"),
        "player-ratings": body("ratings", "history"),
        "games": body("games"),
        "game-details": more(
            "game", "A game; the last fields are those of Clue.",
            map={**texts, "required": False},
            cards={"type": "array", "items": texts, "required": False},
            passages={"type": "object", "additionalProperties": _TEXT, "required": False},
        ),
        "invitation": more(
            "summary", "A room, and whether guests can join it.",
            goal={**_TEXT}, private={**_FLAG}, guests={**_FLAG},
        ),
        "tournaments": body("tournaments", "cursor", without=("rights",)),
        "tournament-whole": cup,
        "tournament-rounds": cup | {"properties": {**cup["properties"], "byes": {
            "description": "Rounds with the names of players who have a bye in them.",
            "type": "array", "items": {"type": "array", "prefixItems": [_NUMBER, _TEXT],
                                       "items": False, "minItems": 2, "maxItems": 2},
        }}},
        "tournament-board": {
            "description": "The room of a game as its viewers see it; null: it isn't played now.",
            "type": "object", "additionalProperties": False, "required": ["board"],
            "properties": {"board": {"anyOf": [{"type": "null"}, next(
                each for each in known["event"]["oneOf"]
                if each["properties"]["event"] == {"const": "room"}
            )]}},
        },
        "series-list": {
            "type": "object", "additionalProperties": False, "required": ["series"],
            "properties": {"series": {"type": "array", "items": {"$ref": "#/$defs/series"}}},
        },
        "series-whole": body(
            "id", "name", "game", "state", "players", "title", "tournament", "kind", "opens",
            "until", "plan", "standings", "you", without=("you",),
        ),
        "series-player": {"type": "object"},
        "puzzles": body("day", "puzzles", "days"),
        "puzzle-check": body(
            "day", "game", "move", "right", "solved", "replies", "position", "why", "tries"
        ),
        "puzzle-whole": body("day", "game", "steps"),
        "puzzle": {
            "anyOf": [
                {"$ref": f"#/$defs/{name}"}
                for name in ("puzzles", "puzzle-check", "puzzle-whole")
            ]
        },
        "description": {"type": "object"},
    }  # fmt: skip
    made["replay"]["description"] = "The events of a match, as a seat or the viewers got them."
    return {**known, **OWN, **made}


def _for_generators(schema: Any) -> Any:
    """Return a schema without what makers of clients refuse, although it adds nothing."""
    if isinstance(schema, list):
        return [_for_generators(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: _for_generators(value) for name, value in schema.items()}
    if made.get("items") is False and made.get("maxItems") == len(made["prefixItems"]):
        del made["items"]
    return made


def _reachable(roots: set[str], all_schemas: Mapping[str, Json]) -> dict[str, Json]:
    """Return these schemas and those that they refer to."""
    found: dict[str, Json] = {}
    while roots:
        name = roots.pop()
        found[name] = all_schemas[name]
        names = re.findall(r'"#/\$defs/([\w-]+)"', json.dumps(all_schemas[name]))
        roots |= {*names} - found.keys()
    return dict(sorted(found.items()))


def _parameter(name: str, where: str, requests: Requests, asks: str) -> Json:
    schema: Json = {**_TEXT}
    if asks and name != "matches":
        _, made = msgspec.json.schema_components([kind := requests[asks]])
        field = made[kind.__name__]["properties"][name]
        for each in field.get("anyOf", [field]):
            if each.get("type") != "null":
                schema = {k: v for k, v in each.items() if k not in ("description", "default")}
    if name in ("rooms", "matches"):
        schema = {"type": "array", "items": {**_TEXT}}
    parameter: Json = {"name": name, "in": where, "description": MEANINGS[name]}
    if where == "path":
        parameter["required"] = True
        schema = {**_NUMBER, "minimum": 0} if name in ("round", "number") else schema
    if schema.get("type") == "array":
        parameter |= {"style": "form", "explode": False}
    bounds = FIELDS.get(name, {})
    if (name, asks) == ("first", "tournament"):
        bounds = {"minimum": 1}
    if (name, asks) == ("limit", "ratings"):
        bounds = {**bounds}
    return {**parameter, "schema": {**schema, **bounds}}


def statuses(operation: Operation) -> list[int]:
    """Return the statuses of an operation, in addition to 503."""
    hidden = (403,) if operation.level > NONE else ()
    return sorted({200, 304, 405, *operation.errors, *hidden})


WORDS = {
    304: "Unchanged, by If-None-Match.",
    400: "The request is wrong.",
    403: "Hidden: a private match, or the server shows this only to accounts (--visitors).",
    404: "There is no such thing, or the server keeps no matches.",
    405: "Another method than GET and HEAD.",
    503: "The database is unavailable, or the address has too many connections (text).",
}


def _operation(operation: Operation, requests: Requests) -> Json:
    places = [(name, "path") for name in operation.in_path]
    places += [(name, "query") for name in operation.query]
    parameters = [
        _parameter(n, where, requests, operation.asks if where == "query" else "")
        for n, where in places
    ]
    content = operation.kind
    schema = {"$ref": f"#/$defs/{operation.found}"} if operation.found else {**_TEXT}
    answers: Json = {
        "200": {
            "description": f"{operation.summary}.",
            "headers": {
                name: {"$ref": f"#/components/headers/{name}"} for name in ("ETag", "Cache-Control")
            },
            "content": {content: {"schema": schema} if content != "*/*" else {}},
        }
    }
    for status in [*statuses(operation)[1:], 503]:
        answers[str(status)] = {"$ref": f"#/components/responses/{status}"}
    made: Json = {"operationId": operation.name, "summary": operation.summary}
    if operation.part:
        made["tags"] = [operation.part]
    made["parameters"] = [*parameters, {"$ref": "#/components/parameters/If-None-Match"}]
    if operation.level > NONE:
        made["security"] = [{}, {"pass": []}]
    else:
        made["security"] = []
    return {**made, "responses": answers}


def described() -> Json:
    """Return the description of ``/api/``."""
    requests = all_requests()
    error = {"application/json": {"schema": {"$ref": "#/$defs/error"}}}
    responses: Json = {
        str(status): {"description": text, **({"content": error} if status != 304 else {})}
        for status, text in WORDS.items()
    }
    responses["405"]["headers"] = {"Allow": {"schema": {"const": "GET, HEAD"}}}
    responses["503"]["content"] = {**error, _PLAIN: {"schema": {**_TEXT}}}
    used = {each.found for each in OPERATIONS if each.found} | {"error"}
    parts = sorted({each.part for each in OPERATIONS if each.part})
    made = {
        "openapi": "3.1.0",
        "info": {
            "title": "The HTTP API of tictac",
            "version": "1",
            "description": ABOUT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "A port of --web."}],
        "tags": [
            {"name": part, "description": f'Only servers whose /api/lobby has "{part}" in parts.'}
            for part in parts
        ],
        "paths": {each.path: {"get": _operation(each, requests)} for each in OPERATIONS},
        "components": {
            "schemas": _reachable(used, schemas()),
            "responses": responses,
            "parameters": {
                "If-None-Match": {
                    "name": "If-None-Match",
                    "in": "header",
                    "description": "The ETag of an earlier answer.",
                    "schema": {**_TEXT},
                }
            },
            "headers": {
                "ETag": {"description": "Changes with the body.", "schema": {**_TEXT}},
                "Cache-Control": {"schema": {**_TEXT}},
            },
            "securitySchemes": {
                "pass": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "pass",
                    "description": "On a server with --visitors none or invited: the pass in the"
                    " answer to login, of the lobby protocol. Others need none.",
                }
            },
        },
    }
    text = json.dumps(_for_generators(made)).replace("#/$defs/", "#/components/schemas/")
    with_places: Json = json.loads(text)
    return with_places


def described_text() -> str:
    """Return the text of openapi.json."""
    return json_text(described()) + "\n"


def path_list() -> str:
    """Return the lists of paths for api.md: the server's own, and those of plug-ins."""
    own = _paths(each for each in OPERATIONS if not each.part)
    parts = sorted((each for each in OPERATIONS if each.part), key=lambda each: each.part)
    return f"{own}\nOf plug-ins:\n\n{_paths(parts)}\n"


def _paths(operations: Iterable[Operation]) -> str:
    """Return a list with an entry for each word after /api/."""
    alike = dict[str, list[str]]()
    for each in operations:
        alike.setdefault(re.split(r"[/.]", each.path)[2], []).append(f"`{each.path}`")
    return "".join(f"- {', '.join(paths)}\n" for paths in alike.values())
