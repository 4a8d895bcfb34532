"""All columns of the schema, in each database, and what is in them."""

from __future__ import annotations

from collections.abc import Iterator

from tictac.storage.database import Database
from tictac.storage.sqlite import SqliteDatabase


def text_columns(database: Database) -> set[tuple[str, str]]:
    """Return the table and the name of each column that can have a text."""
    if isinstance(database, SqliteDatabase):
        query = (
            "SELECT m.name, c.name, c.type FROM sqlite_master m JOIN pragma_table_info(m.name) c"
            " WHERE m.type = 'table'"
        )
    else:
        query = (
            "SELECT table_name, column_name, data_type FROM information_schema.columns"
            " WHERE table_schema = current_schema()"
        )
    words = ("CHAR", "TEXT", "BLOB", "BYTEA", "JSON")
    return {
        (table, name)
        for table, name, kind in database.execute(query).fetchall()
        if _has(kind, words)
    }


def _has(kind: str, words: tuple[str, ...]) -> bool:
    return any(word in kind.upper() for word in words)


def places_of(database: Database, name: str) -> Iterator[str]:
    """Yield each column that has a name in it, as TABLE.COLUMN."""
    for table, column in sorted(text_columns(database)):
        for (value,) in database.execute(f"SELECT {column} FROM {table}").fetchall():
            text = bytes(value).decode() if isinstance(value, bytes | memoryview) else str(value)
            if name in text:
                yield f"{table}.{column}"
                break
