"""The types of the lobby protocol's messages for TypeScript, made of schema.json.

``python -m tests.documents`` writes them. `tsc` reads them when it checks the page (``.ci/web``):
``Wire.Answers["lobby"]`` is the answer to the request ``lobby``, ``Wire.Place`` what ``place`` of
the schema describes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.documents import ROOT
from tests.protocols.lobby.asyncapi import addressees, requests
from tests.protocols.lobby.schema import SCHEMA

Json = dict[str, Any]

TYPES: Path = ROOT / ".ci" / "web" / "messages.d.ts"

ABOUT = """\
// The messages of the lobby protocol, made of schema.json by python -m tests.documents.
//
// Where a request has more than one answer, Answers has the fields of all of them: what was asked
// for decides which there are. An answer to HTTP has the same fields.
"""

NUMBERS = {"integer", "number"}


def described_text() -> str:
    """Return the declarations."""
    parts = json.loads(SCHEMA.read_text("utf-8"))["$defs"]
    made = [f"{ABOUT}declare namespace Wire {{"]
    for name, part in parts.items():
        if name not in ("request", "message", "answer", "event"):
            made.append(f"  type {name.title()} = {_type(part, '  ')};")
    asked = {name: _type(schema, "    ") for name, schema in requests().items()}
    made += _interface("Requests", "the name of a request", asked)
    answered = dict[str, list[Json]]()
    for answer in parts["answer"]["anyOf"]:
        for name in addressees(answer):
            answered.setdefault(name, []).append(answer)
    answers = {name: _type(_joined(found), "    ") for name, found in answered.items()}
    made += _interface("Answers", "the request", answers)
    events = [_type(event, "    ") for event in parts["event"]["oneOf"]]
    made.append("  type Event =\n" + "\n".join(f"    | {event}" for event in events) + ";")
    return "\n".join([*made, "}\n"])


def _interface(name: str, by: str, types: dict[str, str]) -> list[str]:
    fields = [f"    {key}: {kind};" for key, kind in types.items()]
    return [f"  /** By {by}. */", f"  interface {name} {{", *fields, "  }"]


def _joined(answers: list[Json]) -> Json:
    """Return one schema for answers to the same request."""
    properties = dict[str, Json]()
    for answer in answers:
        for name, field in answer["properties"].items():
            known = properties.get(name, field)
            if known != field and "enum" in known and "enum" in field:
                field = {"enum": [*dict.fromkeys(known["enum"] + field["enum"])]}
            elif known != field:
                field = {"anyOf": [known, field]}
            properties[name] = field
    required = {name for answer in answers for name in answer["required"]}
    return {
        "allOf": [part for answer in answers for part in answer.get("allOf", [])],
        "properties": properties,
        "required": [name for name in properties if name in required],
    }


def _type(schema: Json, indent: str = "") -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[1].title()
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type(each, indent) for each in schema["anyOf"]))
    kinds = schema.get("type", "object")
    found = [
        _of_kind(kind, schema, indent) for kind in ([kinds] if isinstance(kinds, str) else kinds)
    ]
    parents = [_type(each, indent) for each in schema.get("allOf", [])]
    return " | ".join(" & ".join([*parents, each]) for each in found)


def _of_kind(kind: str, schema: Json, indent: str) -> str:
    if kind == "array":
        return _array(schema, indent)
    if kind == "object":
        return _object(schema, indent)
    return "number" if kind in NUMBERS else kind


def _array(schema: Json, indent: str) -> str:
    first = [_type(each, indent) for each in schema.get("prefixItems", [])]
    items = schema.get("items", {"type": "any"})
    if not first:
        return f"({_type(items, indent)})[]"
    required = schema.get("minItems", 0)
    first = [kind + "?" * (at >= required) for at, kind in enumerate(first)]
    rest = [] if items is False else [f"...({_type(items, indent)})[]"]
    return f"[{', '.join([*first, *rest])}]"


def _object(schema: Json, indent: str) -> str:
    fields = schema.get("properties", {})
    required = schema.get("required", [])
    made = [
        f"{name}{'?' * (name not in required)}: {_type(field, indent)}"
        for name, field in fields.items()
    ]
    made += [f"{name}: any" for name in required if name not in fields]
    if isinstance(rest := schema.get("additionalProperties"), dict):
        made.append(f"[name: string]: {_type(rest, indent)}")
    elif rest is True or not fields:
        made.append("[name: string]: any")
    return "{ " + "; ".join(made) + " }"
