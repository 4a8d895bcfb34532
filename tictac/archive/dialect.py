"""How a database takes many rows at once: one JSON text, an array of arrays."""

from __future__ import annotations

from typing import NamedTuple


class Dialect(NamedTuple):
    """``each`` is the table of the elements of a text, ``field`` one of an element's fields."""

    each: str
    field: str

    def fields(self, *types: str) -> list[str]:
        """The fields of an element, as those types."""
        return [f"CAST({self.field.format(number)} AS {each})" for number, each in enumerate(types)]

    def insertions(self) -> tuple[str, str]:
        """What puts matches that aren't there into the tables, and then their players
        (content.match_row, content.player_row).
        """
        match = ", ".join(self.fields("TEXT", "BIGINT", "TEXT", "INTEGER", "INTEGER", "TEXT"))
        name, match_id, seat, account = self.fields("TEXT", "TEXT", "INTEGER", "INTEGER")
        return (
            "INSERT INTO matches (id, ended, game, private, winner, content)"
            f" SELECT {match} FROM {self.each}",
            "INSERT INTO match_players (player, ended, match, seat, account)"
            f" SELECT {name}, m.ended, m.number, {seat}, {account}"
            f" FROM {self.each} JOIN matches m ON m.id = {match_id}",
        )


SQLITE = Dialect("json_each(?) each", "json_extract(each.value, '$[{}]')")
POSTGRESQL = Dialect("json_array_elements(CAST(? AS json)) each (value)", "(each.value->>{})")
