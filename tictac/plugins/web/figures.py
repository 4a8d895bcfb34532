"""How often games are played here, and how many minutes a match takes. Source: web.md.

The archive says so. Two bounds keep that cheap: only the last WINDOW matches of WINDOW_DAYS days
count, and of each game only SAMPLE of them are read, a game at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import median

from tictac.archive.match import Match
from tictac.archive.packed import unpack
from tictac.archive.reader import Reader
from tictac.storage.database import Database
from tictac.storage.store import Stored, reading

WINDOW_DAYS, WINDOW = 30, 10_000
"""The age in days, and the number, of the matches that count at most."""

LEAST, SAMPLE = 5, 50
"""Matches from which a game has figures, and of which the lengths are read at most."""

PACE = 0.5
"""Seconds for each move of a match below which programs played it, which says nothing to people."""

LINE = "figures"
"""The place of these requests among those of addresses (Reader.ask)."""

Figures = Mapping[str, Mapping[str, int]]
"""Facts about games, by name: ``rank`` of the most played, and the usual ``minutes``."""

_RECENT = """SELECT game, played, number FROM (SELECT game, number,
 COUNT(*) OVER (PARTITION BY game) AS played,
 ROW_NUMBER() OVER (PARTITION BY game ORDER BY ended DESC) AS place
 FROM (SELECT game, number, ended FROM matches WHERE ended >= ? ORDER BY ended DESC LIMIT ?)
 AS latest) AS placed WHERE played >= ? AND place <= ? ORDER BY played DESC, game"""


class FigureTables:
    """The matches that the figures are made of, in both databases."""

    def __init__(self, database: Database) -> None:
        self._execute = database.execute

    @reading
    def recent(self, since: int) -> dict[str, list[int]]:
        """Return the numbers of some last matches of each game, the most played one first.

        ``since`` is milliseconds since 1970. Games with too few matches are left out.
        """
        found: dict[str, list[int]] = {}
        rows = self._execute(_RECENT, (since, WINDOW, LEAST, SAMPLE)).fetchall()
        for game, _, number in rows:
            found.setdefault(game, []).append(number)
        return found

    @reading
    def minutes(self, numbers: Sequence[int]) -> int | None:
        """Return the usual minutes of these matches; None: too few were played to their end."""
        rows = self._execute(
            "SELECT id, ended, game, private, winner, content FROM matches"
            f" WHERE number IN ({', '.join('?' * len(numbers))})",
            numbers,
        ).fetchall()
        seconds = [match.events[-1].at for row in rows if _has_length(match := unpack(*row))]
        return max(1, round(median(seconds) / 60)) if len(seconds) >= LEAST else None


def _has_length(match: Match) -> bool:
    """Return whether people played it at once, until the rules ended it."""
    is_slow = match.clock is not None and match.clock.days
    is_full = match.ending in ("won", "drawn") and not is_slow
    return is_full and match.events[-1].at >= PACE * len(match.moves())


async def read_figures(reader: Reader, utc: float) -> Figures:
    """Return what the archive says at a time, in seconds since 1970. Raises a Refusal."""
    since = round((utc - WINDOW_DAYS * 86_400) * 1000)
    recent = await reader.ask(LINE, FigureTables, partial(_ask_recent, since))
    figures: dict[str, dict[str, int]] = {}
    for rank, (game, numbers) in enumerate(recent.items(), start=1):
        minutes = await reader.ask(LINE, FigureTables, partial(_ask_minutes, numbers))
        figures[game] = {"rank": rank} | ({} if minutes is None else {"minutes": minutes})
    return figures


async def _ask_recent(since: int, tables: Stored[FigureTables]) -> Mapping[str, Sequence[int]]:
    return await tables.ask(FigureTables.recent, since)


async def _ask_minutes(numbers: Sequence[int], tables: Stored[FigureTables]) -> int | None:
    return await tables.ask(FigureTables.minutes, numbers)
