"""The description of the lobby protocol by AsyncAPI, made of schema.json and of transcripts.

``python -m tests.documents`` writes it. schema.json says which requests an answer is for: its
description begins with their names, such as "To open and seek.".
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tests.documents import ROOT, blocks, json_text, page
from tests.protocols.lobby.exchange import Operations
from tests.protocols.lobby.schema import SCHEMA

Json = dict[str, Any]

ASYNCAPI: Path = ROOT / "tictac" / "plugins" / "web" / "asyncapi.json"

PAGES = [
    page("lobby"), page("moves"), page("people"), page("days"), page("notices"), page("puzzles"),
]  # fmt: skip
"""The documents with transcripts."""

REFUSED, DONE = "refused", "done"
"""The messages that can answer each request, and those without an answer of their own."""

ABOUT = """\
A program plays or watches games by JSON messages, as docs/reference/lobby.md describes. Each \
request gets one answer, with its id as answer, in the order of the requests; only the answer to \
play can be late. Events come at any time. Over TCP, a message is a line that ends with a newline, \
on the port of the rooms protocol, whose first byte is {. Over WebSocket, a message is a text \
frame. Both sides ignore unknown fields, except in a clock. Requests of plug-ins that a server \
doesn't have get the error malformed."""


def _schema() -> Json:
    return _parsed(SCHEMA.read_text("utf-8"))


@cache
def _parsed(text: str) -> Json:
    """Return what a text means. It is asked for at each word of the descriptions."""
    found: Json = json.loads(text)
    return found


def requests() -> dict[str, Json]:
    """Return the schemas of requests by their names."""
    return {s["properties"]["do"]["const"]: s for s in _schema()["$defs"]["request"]["oneOf"]}


def addressees(answer: Json) -> list[str]:
    """Return the names of the requests that an answer of schema.json is for; none: for all."""
    words = re.match(r"To (the act )?([^.:]*)", answer["description"])
    if words is None:
        return []
    return ["admin"] if words[1] else [w for w in re.findall(r"\w+", words[2]) if w in requests()]


def answers() -> dict[str, Json]:
    """Return the schemas of answers by the names of their messages."""
    found: dict[str, Json] = {}
    for answer in _schema()["$defs"]["answer"]["anyOf"]:
        names = addressees(answer)
        name = f"to-{names[0]}" if names else REFUSED
        if {*answer["properties"]} == {"answer"}:
            name = DONE
        count = sum(re.sub(r"-\d+$", "", known) == name for known in found)
        found[f"{name}-{count + 1}" if count else name] = answer
    return found


def events() -> dict[str, Json]:
    """Return the schemas of events by the names of their messages."""
    found: dict[str, Json] = {}
    for event in _schema()["$defs"]["event"]["oneOf"]:
        about = event["properties"]["event"]
        name = f"event-{about.get('const') or about['enum'][0]}"
        found[f"{name}-2" if name in found else name] = event
    return found


def _in_draft_7(schema: Any) -> Any:
    """Return a schema of JSON Schema 2020-12 in the older words that AsyncAPI has."""
    if isinstance(schema, list):
        return [_in_draft_7(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: _in_draft_7(value) for name, value in schema.items()}
    if "prefixItems" in schema:
        if "items" in made:
            made["additionalItems"] = made.pop("items")
        made["items"] = made.pop("prefixItems")
    if "dependentRequired" in schema:
        made["dependencies"] = made.pop("dependentRequired")
    return made


def exchanged() -> Iterator[tuple[str | None, Json]]:
    """Yield the messages of all transcripts that are whole, and the request of an answer."""
    for document in PAGES:
        for block in blocks(document, language="transcript"):
            asked: dict[tuple[str, Any], list[str]] = defaultdict(list)
            for line in block.lines:
                said = re.fullmatch(r"(\w+)([<>]) ({.*})", line)
                if said is None or "…" in said[3]:
                    continue
                message = json.loads(said[3])
                if said[2] == ">" and message["do"] not in requests():
                    continue  # an example of a bad request
                if said[2] == ">":
                    asked[said[1], message.get("id")].append(message["do"])
                    yield None, message
                elif "answer" not in message:
                    yield None, message
                elif known := asked[said[1], message["answer"]]:
                    yield known.pop(0), message


def _ref(name: str) -> Json:
    return {"$ref": f"#/channels/lobby/messages/{name}"}


def _message(name: str, schema: Json, fields: Json, examples: Mapping[str, list[Json]]) -> Json:
    payload = {"type": "object", **schema}
    made = {"name": name, "summary": payload.pop("description"), "payload": payload, **fields}
    if examples.get(name):
        made["examples"] = [{"payload": each} for each in examples[name][:2]]
    return made


def described() -> Json:
    """Return the description of the lobby protocol."""
    made = _described({})
    known = Operations(made)
    examples: dict[str, list[Json]] = defaultdict(list)
    for request, message in exchanged():
        for name in known.names_of(message, request):
            examples[name].append(message)
    return _described(examples)


def _described(examples: Mapping[str, list[Json]]) -> Json:
    asked, answered, sent = requests(), answers(), events()
    of_request = {"correlationId": {"location": "$message.payload#/id"}}
    of_answer = {"correlationId": {"location": "$message.payload#/answer"}}
    messages = {
        **{n: _message(n, s, of_request, examples) for n, s in asked.items()},
        **{n: _message(n, s, of_answer, examples) for n, s in answered.items()},
        **{n: _message(n, s, {}, examples) for n, s in sent.items()},
    }
    channel = {"$ref": "#/channels/lobby"}
    operations: Json = {
        do: {
            "action": "receive",
            "channel": channel,
            "summary": schema["description"],
            "messages": [_ref(do)],
            "reply": {
                "channel": channel,
                "messages": [
                    _ref(name)
                    for name, answer in answered.items()
                    if do in (addressees(answer) or [do])
                ],
            },
        }
        for do, schema in asked.items()
    }
    operations["notify"] = {
        "action": "send",
        "channel": channel,
        "summary": "Events, which no request answers.",
        "messages": [_ref(name) for name in sent],
    }
    others = ("request", "message", "answer", "event")
    schemas = {n: s for n, s in _schema()["$defs"].items() if n not in others}
    made = {
        "asyncapi": "3.0.0",
        "info": {
            "title": "The lobby protocol of tictac",
            "version": "1",
            "description": ABOUT,
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {
            "tcp": {
                "host": "localhost:5000",
                "protocol": "tcp",
                "description": "A --port: a line for each message, also over TLS.",
            },
            "websocket": {
                "host": "localhost:8080",
                "protocol": "ws",
                "pathname": "/ws",
                "description": "A port of --web: a text frame for each message, also over wss.",
            },
        },
        "channels": {
            "lobby": {
                "address": "/",
                "description": "The connection.",
                "messages": {n: {"$ref": f"#/components/messages/{n}"} for n in messages},
            }
        },
        "operations": operations,
        "components": {"messages": messages, "schemas": schemas},
    }
    text = json.dumps(_in_draft_7(made)).replace("#/$defs/", "#/components/schemas/")
    found: Json = json.loads(text)
    return found


def described_text() -> str:
    """Return the text of asyncapi.json."""
    return json_text(described()) + "\n"
