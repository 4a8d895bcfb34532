"""The tables of ratings: they count rated matches and store the ratings of players.

The transaction that archives a rated match also notes it as uncounted. One further transaction
deletes the note and changes the ratings. So each match counts once, whichever process dies.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from tictac.archive.match import Match, aborted_by, loser_of, moved_in
from tictac.archive.tables import MatchTables
from tictac.ratings.glicko import PROVISIONAL, Rating, after_match
from tictac.storage.database import Database

CHUNK = 100
"""Matches that are counted in one piece: the lock is released soon."""

A_DAY = 10
"""Maximum rated matches that count within a day: of the same two accounts, and of one account
against others whose rating in the game is provisional."""

FREE_ABORTS = 3
"""Rated matches in a row that a player can abort within an hour. Each further one is a loss."""

HOUR_MS, DAY_MS = 3_600_000, 86_400_000

LAST, MONTH, KEPT = 10, 30, 730
"""Maximum results beside a rating; days of a month; and days before a player's last match for which
points are kept. Older matches don't count: whether they counted before isn't known any more."""

_RATING = "game, player, rating, deviation, volatility, matches, ended, last"
_POINT = "game, player, rating, deviation, ended, id, met_provisional"


class Standing(NamedTuple):
    """A player's rating in a game, after so many matches.

    ``ended`` is the end of the last one, in seconds since 1970. ``aborts`` are the player's aborts
    in a row within the last hour, in any game; 0: within the limit. ``last`` has the last results,
    the newest last: ``w``, ``d``, or ``l``. ``month_ago`` is the rating of 30 days ago, if known.
    ``rank`` is the place in a leaderboard, which players with the same whole rating share.
    """

    player: str
    game: str
    rating: Rating
    matches: int
    ended: float
    aborts: int = 0
    last: str = ""
    month_ago: float | None = None
    rank: int | None = None


class Point(NamedTuple):
    """A player's rating after a match, and the end of that match (seconds since 1970)."""

    game: str
    match_id: str
    ended: float
    rating: float
    deviation: float


def counts(match: Match) -> bool:
    """Return whether a match counts for ratings.

    It must be rated and between accounts, and all have moved, or one of two resigned, left, or
    timed out. The tables decide whether an aborted match counts. A private one doesn't count,
    because ratings would reveal it.
    """
    accounts = {player.name for player in match.players if player.kind == "account"}
    seats = len(match.players)
    if match.private or not match.rated:
        return False
    played = len(moved_in(match)) >= seats or loser_of(match) is not None
    return seats > 1 and len(accounts) == seats and played


class RatingTables:
    """The ratings of players, counted from rated matches."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._execute = database.execute

    def count(self, a_day: int = A_DAY) -> int:
        """Count some of the uncounted rated matches, the first to end first; return their number.

        Repeat until it is 0. Matches beyond ``a_day`` a day are left out (0: none; see A_DAY).
        """
        some = f"""SELECT u.id, m.id FROM uncounted_matches u LEFT JOIN matches m ON m.id = u.id
 ORDER BY m.ended, m.number LIMIT {CHUNK}"""
        if self._execute("SELECT 1 FROM uncounted_matches LIMIT 1").fetchone() is None:
            return 0
        with self._database.transaction():
            # A process that counts at the same moment waits here, then sees the rest.
            self._execute("UPDATE rating_turn SET held = 0")
            rows, matches = self._execute(some).fetchall(), MatchTables(self._database)
            for match_id, kept in rows:
                match = matches.get(match_id) if kept else None
                if match is not None:
                    self._count(match, a_day)
                self._execute("DELETE FROM uncounted_matches WHERE id = ?", (match_id,))
        return len(rows)

    def _count(self, match: Match, a_day: int) -> None:
        names, ended = [player.name for player in match.players], round(match.ended * 1000)
        accounts = (self._number("users WHERE name = ?", name) > 0 for name in names)
        if not (counts(match) and all(accounts)):
            return
        aborter = aborted_by(match)
        if any(self._was_counted(name, match.id, ended) for name in names):
            self._end_rows(match, aborter, ended)
            return  # deleted from the archive, and imported again
        if aborter is not None and self._aborted(aborter, match.id, ended) <= FREE_ABORTS:
            return
        if a_day and any(self._met(*two, ended) >= a_day for two in combinations(names, 2)):
            return
        before = [self.standing(match.game, name) for name in names]
        if any(was and match.ended < was.ended - 86400 * KEPT for was in before):
            return
        aged = [s.rating.after((match.ended - s.ended) / 86400) if s else Rating() for s in before]
        provisional = {seat for seat, rating in enumerate(aged) if rating.provisional}
        met = [bool(provisional - {seat}) for seat in range(len(names))]
        for name, limited in zip(names, met, strict=True):
            if a_day and limited and self._met_provisional(match.game, name, ended) >= a_day:
                return
        for seat, now in enumerate(after_match(aged, match.winner)):
            whose = match.game, names[seat]
            was = before[seat] or Standing(names[seat], match.game, Rating(), 0, 0.0)
            latest = max(ended, round(was.ended * 1000))
            letter = "d" if match.winner is None else "w" if match.winner == seat else "l"
            last = (was.last + letter)[-LAST:]
            self._execute("DELETE FROM ratings WHERE game = ? AND player = ?", whose)
            self._insert("ratings", _RATING, *whose, *now, was.matches + 1, latest, last)
            forget = "DELETE FROM rating_points WHERE game = ? AND player = ? AND ended < ?"
            self._execute(forget, (*whose, latest - DAY_MS * KEPT))
            point = *whose, now.rating, now.deviation, ended, match.id, int(met[seat])
            self._insert("rating_points", _POINT, *point)
        self._end_rows(match, aborter, ended)

    def _insert(self, table: str, columns: str, *values: object) -> None:
        marks = ", ".join("?" * len(values))
        self._execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", values)

    def _number(self, query: str, *values: object) -> int:
        return int(self._execute(f"SELECT COUNT(*) FROM {query}", values).fetchone()[0])

    def _end_rows(self, match: Match, aborter: str | None, ended: int) -> None:
        """End the abort rows of all who neither won nor aborted this match.

        A win ends none, or a player could win half of the matches and abort the others.
        """
        for seat, (name, *_) in enumerate(match.players):
            if seat != match.winner and name != aborter:
                self._forget_aborts(name, ended)

    def _aborted(self, name: str, match_id: str, ended: int) -> int:
        """Note that a player aborted a match; return how many in a row within the hour before."""
        self._forget_aborts(name, ended - HOUR_MS)
        self._execute(
            "INSERT INTO rating_aborts (player, ended, id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (name, ended, match_id),
        )
        return self._number("rating_aborts WHERE player = ? AND ended <= ?", name, ended)

    def _forget_aborts(self, name: str, until: int) -> None:
        forget = "DELETE FROM rating_aborts WHERE player = ? AND ended <= ?"
        self._execute(forget, (name, until))

    def _was_counted(self, name: str, match_id: str, ended: int) -> bool:
        where = "player = ? AND ended = ? AND id = ?"
        return self._number(f"rating_points WHERE {where}", name, ended, match_id) > 0

    def _met(self, one: str, other: str, ended: int) -> int:
        """Return how many matches of two players counted within the day before."""
        both = """rating_points a JOIN rating_points b ON b.player = ? AND b.ended = a.ended
 AND b.id = a.id WHERE a.player = ? AND a.ended > ? AND a.ended <= ?"""
        return self._number(both, other, one, ended - DAY_MS, ended)

    def _met_provisional(self, game: str, player: str, ended: int) -> int:
        """Return how many matches against provisional ratings counted in the day before."""
        where = "player = ? AND ended > ? AND ended <= ? AND game = ? AND met_provisional = 1"
        return self._number(f"rating_points WHERE {where}", player, ended - DAY_MS, ended, game)

    def standing(self, game: str, player: str) -> Standing | None:
        """Return the rating of a player in a game."""
        where = "game = ? AND player = ?"
        return next(self._standings(where, (game, player)), None)

    def standings(self, player: str) -> list[Standing]:
        """Return the ratings of a player, in the order of the games' names."""
        return sorted(self._standings("player = ?", (player,)), key=lambda each: each.game)

    def leaders(self, game: str, limit: int = 20, group: str | None = None) -> list[Standing]:
        """Return the best of a game or group; provisional ratings come last."""
        which, values = _those_of(game, group)
        order = f"{which} ORDER BY deviation >= ?, rating DESC, player LIMIT ?"
        ranks: dict[tuple[bool, int], int] = {}
        return [
            each._replace(rank=ranks.setdefault(_worth(each), nth))
            for nth, each in enumerate(self._standings(order, (*values, PROVISIONAL, limit)), 1)
        ]

    def ranked(self, game: str, player: str, group: str | None = None) -> Standing | None:
        """Return a player's rating with its rank in a game or group, if the player has one."""
        which, values = _those_of(game, group)
        found = next(self._standings(f"{which} AND player = ?", (*values, player)), None)
        if found is None:
            return None
        is_provisional, rating = _worth(found)
        better = f"(deviation < ? {'OR' if is_provisional else 'AND'} rating >= ?)"
        query = f"ratings WHERE {which} AND {better}"
        return found._replace(rank=self._number(query, *values, PROVISIONAL, rating + 0.5) + 1)

    def rated_groups(self, game: str) -> list[str]:
        """Return the groups of the rated players of a game."""
        rows = self._execute(
            "SELECT DISTINCT u.group_name FROM ratings r JOIN users u ON u.name = r.player"
            " WHERE r.game = ? AND u.group_name <> ''",
            (game,),
        ).fetchall()
        return sorted(group for (group,) in rows)

    def _standings(self, which: str, values: Sequence[object]) -> Iterator[Standing]:
        columns = f"""{_RATING},
 (SELECT COUNT(*) FROM rating_aborts a WHERE a.player = ratings.player AND a.ended > ?),
 (SELECT p.rating FROM rating_points p WHERE p.player = ratings.player AND p.game = ratings.game
 AND p.ended <= ? ORDER BY p.ended DESC LIMIT 1) AS month_ago"""
        since = [round(time.time() * 1000) - age for age in (HOUR_MS, DAY_MS * MONTH)]
        rows = self._execute(f"SELECT {columns} FROM ratings WHERE {which}", (*since, *values))
        for game, player, *rating, matches, ended, last, aborts, month_ago in rows.fetchall():
            more = ended / 1000, aborts if aborts > FREE_ABORTS else 0, last, month_ago
            yield Standing(player, game, Rating(*rating), matches, *more)

    def history(self, player: str, limit: int = 200) -> list[Point]:
        """Return a player's ratings after each of the last counted matches, the latest last."""
        rows = self._execute(
            "SELECT game, id, ended, rating, deviation FROM rating_points WHERE player = ?"
            " ORDER BY ended DESC, id DESC LIMIT ?",
            (player, limit),
        ).fetchall()
        return [Point(game, id_, ended / 1000, *now) for game, id_, ended, *now in reversed(rows)]

    def forget(self, player: str) -> None:
        """Delete the ratings of a player."""
        for table in ("ratings", "rating_points", "rating_aborts"):
            self._execute(f"DELETE FROM {table} WHERE player = ?", (player,))


def _those_of(game: str, group: str | None) -> tuple[str, tuple[str, ...]]:
    """Return the condition for ratings of a game or group, and its values."""
    if group is None:
        return "game = ?", (game,)
    return "game = ? AND player IN (SELECT name FROM users WHERE group_name = ?)", (game, group)


def _worth(standing: Standing) -> tuple[bool, int]:
    """Return what makes a rank: whether the rating is provisional, and its whole number."""
    return standing.rating.provisional, round(standing.rating.rating)
