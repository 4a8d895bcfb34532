"""The tables of series, in the database of the accounts (storage/schema: series)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import ClassVar, NamedTuple

from tictac.archive.match import utc_text
from tictac.plugins.tournament.ladder.ranking import Sums
from tictac.storage.database import Database
from tictac.storage.store import reading

Tally = dict[tuple[str, str], Sums]
"""Sums by pairs of names, in alphabetical order."""

Losses = dict[str, dict[str, int]]
"""For each player, how many games were lost for each reason."""

Rated = dict[str, tuple[int, int]]
"""The rating and the place of each player with games."""

Curve = list[tuple[int, int]]
"""Days since 1970, and a player's rating at the end of each."""

DAY = 86_400
"""Seconds of a day."""

KEPT, CURVE = 730, 200
"""Days for which ratings of days are kept, and the maximum of a player's in an answer."""

_ROW = "id, state, made, plan"


def day_text(day: int) -> str:
    """Return a day, in days since 1970, as ``YYYY-MM-DD``."""
    return utc_text(day * DAY)[:10]


class SeriesRow(NamedTuple):
    """A series: ``plan`` is JSON, ``made`` is in seconds since 1970."""

    id: str
    state: str
    made: int
    plan: str


class Player(NamedTuple):
    """A player of a series; times are seconds since 1970."""

    name: str
    version: str
    entered: int
    seen: int
    losses: Mapping[str, int]


class SeriesTables:
    """Series, their players and tournaments, and the sums of their games."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._execute = database.execute

    def make(self, row: SeriesRow) -> bool:
        """Add a series; return False if the id is taken."""
        try:
            self._execute(f"INSERT INTO series ({_ROW}) VALUES (?, ?, ?, ?)", row)
        except self._database.taken:
            there = self._execute(f"SELECT {_ROW} FROM series WHERE id = ?", (row.id,)).fetchone()
            return self._database.unsure and tuple(there) == row
        return True

    def change(self, series: str, state: str, plan: str) -> None:
        """Replace the state and the plan of a series."""
        self._execute("UPDATE series SET state = ?, plan = ? WHERE id = ?", (state, plan, series))

    def remove(self, series: str) -> None:
        """Delete a series, but not its tournaments."""
        with self._database.transaction():
            for table in ("players", "tournaments", "pairs", "ratings"):
                self._execute(f"DELETE FROM series_{table} WHERE series = ?", (series,))
            self._execute("DELETE FROM series WHERE id = ?", (series,))

    @reading
    def all(self) -> list[SeriesRow]:
        """Return all series, the latest first."""
        rows = self._execute(f"SELECT {_ROW} FROM series ORDER BY made DESC, id").fetchall()
        return [SeriesRow(*row) for row in rows]

    @reading
    def players(self, series: str) -> list[Player]:
        """Return the players of a series, in the order in which they entered."""
        rows = self._execute(
            "SELECT name, version, entered, seen, losses FROM series_players WHERE series = ?"
            " ORDER BY entered, name",
            (series,),
        ).fetchall()
        return [
            Player(name, version, entered, seen, json.loads(losses))
            for name, version, entered, seen, losses in rows
        ]

    @reading
    def group_of(self, name: str) -> str | None:
        """Return the group of an account; None if there is no such account."""
        row = self._execute("SELECT group_name FROM users WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    @reading
    def pairs(self, series: str) -> Tally:
        """Return the sums of the tournaments that are counted."""
        rows = self._execute(
            "SELECT one, other, won, drawn, lost, fresh FROM series_pairs WHERE series = ?",
            (series,),
        ).fetchall()
        return {(row[0], row[1]): Sums(*row[2:]) for row in rows}

    def enter(self, series: str, name: str, version: str, now: int) -> None:
        """Add a player, or note a visit, perhaps with another version."""
        with self._database.transaction():
            before = self._execute(
                "SELECT version FROM series_players WHERE series = ? AND name = ?", (series, name)
            ).fetchone()
            if before is None:
                self._execute(
                    "INSERT INTO series_players (series, name, version, entered, seen, losses)"
                    " SELECT ?, name, ?, ?, ?, '{}' FROM users WHERE name = ?",
                    (series, version, now, now, name),
                )
                return
            self._execute(
                "UPDATE series_players SET version = ?, seen = ? WHERE series = ? AND name = ?",
                (version, now, series, name),
            )
            if before[0] != version:
                for column in ("one", "other"):
                    self._execute(
                        f"UPDATE series_pairs SET fresh = 0 WHERE series = ? AND {column} = ?",
                        (series, name),
                    )

    # Tournaments

    def open_tournament(self, series: str, tournament: str, kind: str) -> None:
        """Note that a tournament belongs to a series."""
        self._execute(
            "INSERT INTO series_tournaments (tournament, series, kind, counted)"
            " VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING",
            (tournament, series, kind),
        )

    @reading
    def tournaments(self, series: str) -> dict[str, tuple[str, bool]]:
        """Return the kind of each tournament of a series, and whether it is counted."""
        rows = self._execute(
            "SELECT tournament, kind, counted FROM series_tournaments WHERE series = ?"
            " ORDER BY tournament",
            (series,),
        ).fetchall()
        return {row[0]: (row[1], bool(row[2])) for row in rows}

    def count(
        self, series: str, tournament: str, tally: Tally, losses: Losses, rated: Rated, day: int
    ) -> None:
        """Add the games of a tournament to the sums, unless they were added before.

        ``rated`` has the ratings with these games, at the end of ``day``, in days since 1970.
        """
        with self._database.transaction():
            marked = self._execute(
                "UPDATE series_tournaments SET counted = 1 WHERE tournament = ? AND series = ?"
                " AND counted = 0",
                (tournament, series),
            )
            if marked.rowcount != 1:
                return
            kept = {player.name: player for player in self.players(series)}

            def is_kept(name: str) -> bool:  # the account of a player can be removed
                return name in kept or name.startswith(":")

            for (one, other), sums in tally.items():
                if is_kept(one) and is_kept(other):
                    self._add(series, one, other, sums)
            for name, reasons in losses.items():
                if name in kept:
                    both = dict(kept[name].losses)
                    for reason, number in reasons.items():
                        both[reason] = both.get(reason, 0) + number
                    self._execute(
                        "UPDATE series_players SET losses = ? WHERE series = ? AND name = ?",
                        (json.dumps(both), series, name),
                    )
            before = self.rated(series, day)
            for name, now in rated.items():
                if name in kept and before.get(name) != now:
                    self._execute(
                        "INSERT INTO series_ratings (series, name, day, rating, place)"
                        " VALUES (?, ?, ?, ?, ?) ON CONFLICT (series, name, day) DO UPDATE SET"
                        " rating = excluded.rating, place = excluded.place",
                        (series, name, day, *now),
                    )
            forget = "DELETE FROM series_ratings WHERE series = ? AND day < ?"
            self._execute(forget, (series, day - KEPT))

    @reading
    def rated(self, series: str, day: int) -> Rated:
        """Return the ratings and places at the end of a day, of all who had games by then."""
        rows = self._execute(
            "SELECT r.name, r.rating, r.place FROM series_ratings r JOIN (SELECT name,"
            " MAX(day) AS day FROM series_ratings WHERE series = ? AND day <= ? GROUP BY name) l"
            " ON l.name = r.name AND l.day = r.day WHERE r.series = ?",
            (series, day, series),
        ).fetchall()
        return {name: (rating, place) for name, rating, place in rows}

    @reading
    def curve(self, series: str, name: str) -> Curve:
        """Return the last days on which a player's rating or place changed, and the ratings."""
        rows = self._execute(
            "SELECT day, rating FROM series_ratings WHERE series = ? AND name = ?"
            " ORDER BY day DESC LIMIT ?",
            (series, name, CURVE),
        ).fetchall()
        return [(day, rating) for day, rating in reversed(rows)]

    def _add(self, series: str, one: str, other: str, sums: Sums) -> None:
        self._execute(
            "INSERT INTO series_pairs (series, one, other, won, drawn, lost, fresh)"
            " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (series, one, other) DO UPDATE SET"
            " won = series_pairs.won + excluded.won, drawn = series_pairs.drawn + excluded.drawn,"
            " lost = series_pairs.lost + excluded.lost,"
            " fresh = series_pairs.fresh + excluded.fresh",
            (series, one, other, *sums),
        )


class SeriesKeeper:
    """The entries of an account in series (accounts.keepers.Keeper), which go with the account."""

    columns: ClassVar = {
        "series_players": ("name",), "series_pairs": ("one", "other"), "series_ratings": ("name",),
    }  # fmt: skip

    def __init__(self, database: Database) -> None:
        self._database = database

    def export(self, name: str) -> Mapping[str, object]:
        """Return what each series has of the account, its results, and its ratings by day."""
        execute = self._database.execute
        rows = execute(
            "SELECT series, version, entered, seen, losses FROM series_players WHERE name = ?"
            " ORDER BY series",
            (name,),
        ).fetchall()
        pairs = execute(
            "SELECT series, one, other, won, drawn, lost FROM series_pairs"
            " WHERE one = ? OR other = ? ORDER BY series, one, other",
            (name, name),
        ).fetchall()
        rated = execute(
            "SELECT series, day, rating, place FROM series_ratings WHERE name = ?"
            " ORDER BY series, day",
            (name,),
        ).fetchall()
        if not rows:
            return {}
        return {
            "entered": [
                {
                    "series": series, "version": version, "entered": utc_text(entered),
                    "seen": utc_text(seen), "losses": json.loads(losses),
                }
                for series, version, entered, seen, losses in rows
            ],
            "against": [
                {"series": series, "user": other, "won": won, "drawn": drawn, "lost": lost}
                if one == name
                else {"series": series, "user": one, "won": lost, "drawn": drawn, "lost": won}
                for series, one, other, won, drawn, lost in pairs
            ],
            "ratings": [
                {"series": series, "day": day_text(day), "rating": rating, "rank": place}
                for series, day, rating, place in rated
            ],
        }  # fmt: skip

    def remove(self, name: str) -> None:
        """Delete the entries."""
        with self._database.transaction():
            for table, columns in self.columns.items():
                for column in columns:
                    self._database.execute(f"DELETE FROM {table} WHERE {column} = ?", (name,))
