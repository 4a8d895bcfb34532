"""The names that others depend on, as text: ``python -m tests.compatibility`` writes names.txt.

Files, scripts, clients, dashboards and databases of earlier releases hold these names. A line that
goes from names.txt breaks one of them.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.imports import MODULES
from tictac import errors
from tictac.server.cli import COMMANDS
from tictac.server.settings import GROUPS
from tictac.storage.sqlite import SqliteDatabase

FOLDER = Path(__file__).parent
NAMES = FOLDER / "names.txt"
PACKAGE = Path(errors.__file__).parent
LEVELS = {"debug", "info", "warn", "error", "critical", "failure"}


def options() -> Iterator[str]:
    """Yield the options of the server, by their group."""
    for group, rows in GROUPS.items():
        for row in rows:
            yield f"[{group}] --{row.name}" + (f" -{row.letter}" if row.letter else "")


def commands() -> Iterator[str]:
    """Yield the commands, with their arguments and options."""
    parser = argparse.ArgumentParser(prog="tictac")
    subparsers = parser.add_subparsers()
    for add_parser in dict.fromkeys(each for _, each in COMMANDS.all()):
        add_parser(subparsers)
    yield from _parser("tictac", parser)


def _parser(name: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, inner in action.choices.items():
                yield from _parser(f"{name} {word}", inner)
        elif action.help is not argparse.SUPPRESS:
            metavar = action.metavar or action.dest
            yield f"{name} {' '.join(action.option_strings) or f'<{metavar}>'}"


def codes() -> Iterator[str]:
    """Yield the codes of refusals."""
    for each in vars(errors).values():
        if isinstance(each, type) and issubclass(each, errors.Refusal):
            yield each.code


def json_names() -> Iterator[str]:
    """Yield the fields of messages of the lobby protocol, and their fixed values in quotes."""
    (path,) = PACKAGE.rglob("lobby/schema.json")
    yield from _names_in(json.loads(path.read_text("utf-8")))


def _names_in(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for each in schema:
            yield from _names_in(each)
    elif isinstance(schema, dict):
        yield from schema.get("properties", {})
        constants = [schema["const"]] if "const" in schema else schema.get("enum", [])
        yield from (json.dumps(each) for each in constants)
        for each in schema.values():
            yield from _names_in(each)


def metrics() -> Iterator[str]:
    """Yield the metrics, with their labels."""
    for call in _calls():
        called, name = ast.unparse(call.func), call.args[0] if call.args else None
        is_metric = called.endswith("MetricFamily") or called in ("Histogram", "_counter")
        if is_metric and isinstance(name, ast.Constant):
            labels = (each.value for each in call.keywords if each.arg == "labels")
            found = (name, *(word for label in labels for word in ast.walk(label)))
            yield " ".join(str(each.value) for each in found if isinstance(each, ast.Constant))


def log_fields() -> Iterator[str]:
    """Yield the fields of log events."""
    for call in _calls():
        match call:
            case ast.Call(
                func=ast.Attribute(attr=level), args=[ast.Constant(value=str(text)), *_]
            ) if level in LEVELS:
                yield from re.findall(r"\{(\w+)", text)


def _calls() -> Iterator[ast.Call]:
    for module in MODULES:
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                yield node


def texts() -> Iterator[str]:
    """Yield the keys of the texts of the web client, and of games there."""
    for path in PACKAGE.rglob("texts/en.json"):
        yield from _keys_in(json.loads(path.read_text("utf-8")))


def _keys_in(found: dict[str, Any]) -> Iterator[str]:
    for key, value in found.items():
        if isinstance(value, dict):
            yield from (f"{key}.{inner}" for inner in _keys_in(value))
        else:
            yield key


def columns() -> Iterator[str]:
    """Yield the columns of the database, with their types."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "users.db"
        SqliteDatabase.open(path).close()
        with closing(sqlite3.connect(path)) as database:
            tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            for (table,) in tables.fetchall():
                for column in database.execute(f"PRAGMA table_info({table})"):
                    yield f"{table}.{column[1]} {column[2]}"


SECTIONS: tuple[Callable[[], Iterable[str]], ...] = (
    options, commands, codes, json_names, metrics, log_fields, texts, columns,
)  # fmt: skip


def describe() -> str:
    """Return all names, a line each, below the section that each belongs to."""
    lines = (line for each in SECTIONS for line in (f"# {each.__name__}", *sorted(set(each()))))
    return "".join(f"{line}\n" for line in lines)
