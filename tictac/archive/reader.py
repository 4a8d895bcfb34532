"""Requests of people and programs to the archive, in fair turns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any, TypeVar, cast

from twisted.internet.defer import CancelledError, Deferred, succeed
from twisted.logger import Logger

from tictac.analysis import is_current
from tictac.archive.event_view import messages
from tictac.archive.match import (
    EXPORTS,
    BadMatch,
    Match,
    dump_match,
    dump_player,
    is_id,
    seconds_of,
    to_json,
    utc_text,
)
from tictac.archive.pages import RESULTS, Filter, Result, Summary
from tictac.archive.tables import MatchTables
from tictac.characters import describe
from tictac.errors import (
    ArchiveAway,
    BadFilter,
    NoArchive,
    NoSuchGame,
    NoSuchMatch,
    PrivateMatch,
    Refusal,
)
from tictac.games.all import game_type_of
from tictac.logs import LIMITED
from tictac.ratings.tables import Point, RatingTables, Standing
from tictac.reactor import Work
from tictac.storage.store import Store, StoreAwayError, StoreClosedError, Stored
from tictac.storage.workers import Slots

_log = Logger(observer=LIMITED)

T = TypeVar("T")
Tables = TypeVar("Tables")

USUAL, MOST = 20, 100
"""Default and maximum matches on a page."""

LONGEST = 100_000
"""Maximum characters of a match; the chat of a longer match is left out."""

REST, LONGEST_REST = 4, 5.0
"""The rest after a request, as a multiple of its duration, and its maximum in seconds."""

EVENTS = 2000
"""Maximum events of a match in one answer; the next request continues."""

MOST_EVENTS = 1_000_000_000
"""More events than any match has."""

PIECE = 0.002
"""Maximum seconds of a replay without a rest."""


def read_filter(given: Mapping[str, str | None]) -> Filter:
    """Return the filter of the texts ``game``, ``player``, ``result``, ``since`` and ``until``.

    Any of them can be missing. Raises NoSuchGame or BadFilter.
    """
    game, result = given.get("game"), given.get("result")
    if game is not None:
        game = game_type_of(game).name
    if result is not None and result not in RESULTS:
        raise BadFilter(f"result is one of {', '.join(RESULTS)}, not {result!r:.40}")
    if "\0" in (given.get("player") or ""):  # PostgreSQL doesn't accept this character
        raise BadFilter("player is a name")
    return Filter(
        game,
        given.get("player"),
        _read_time("since", given.get("since")),
        _read_time("until", given.get("until")),
        cast(Result | None, result),
    )


def _read_time(name: str, text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return seconds_of(text)
    except (ValueError, OverflowError):
        raise BadFilter(
            f"{name} is like 2026-11-22 or 2026-11-22T08:30, not {text!r:.40}"
        ) from None


class Reader:
    """The public view of ``archive`` (None: no archive), as JSON.

    It serves one request at a time, addresses take turns, and it rests for longer than it works. So
    no address delays other readers, matches to be saved, or moves. ``seconds`` is a monotonic
    clock; ``later`` calls a function after so many seconds. Each method raises a Refusal or fails
    with one.
    """

    def __init__(
        self, archive: Store | None, seconds: Callable[[], float], later: Callable[..., object]
    ) -> None:
        self.vet: Callable[[Match], Deferred[None]] = lambda match: succeed(None)
        """Fires if this process can replay a match; fails with a Refusal if not."""
        self._archive = archive
        self._seconds = seconds
        self._later = later
        self._slots = Slots(1)
        self._rested = 0.0

    def page(
        self, address: str, wanted: Filter, cursor: str | None, limit: int | None
    ) -> Deferred[bytes]:
        """Return a page: an object with ``matches`` and ``cursor``."""
        most = _checked(limit)
        if cursor is not None and not is_id(cursor):
            raise BadFilter(f"no page begins at {cursor!r:.40}")

        async def read(matches: Stored[MatchTables]) -> bytes:
            page = await matches.ask(MatchTables.find, wanted, cursor, most)
            found = list(map(_spelled, page.matches))
            return to_json({"matches": found, "cursor": page.cursor}).encode()

        return self.ask(address, MatchTables, read)

    def match(self, address: str, match_id: str, user: str | None) -> Deferred[bytes]:
        """Return a match that an account (None: a user without one) can see, as exported."""

        async def read(matches: Stored[MatchTables]) -> bytes:
            match = await _visible(matches, match_id, user)
            line = dump_match(match)
            if len(line) > LONGEST:
                events = tuple([event for event in match.events if event.fields[0] != "said"])
                line = dump_match(match._replace(events=events))
            return line.encode()

        return self.ask(address, MatchTables, read)

    def export(
        self, address: str, match_id: str, suffix: str, user: str | None = None
    ) -> Deferred[tuple[str, str]]:
        """Return the media type, and such a match in a format of its game."""

        async def read(matches: Stored[MatchTables]) -> tuple[str, str]:
            match = await _visible(matches, match_id, user)
            export = EXPORTS.load(f"{match.game}.{suffix}")
            if export is None or export.write is None:
                raise NoSuchMatch(f"matches of {match.game} have no format {suffix!r:.40}")
            await self.vet(match)
            try:
                return export.media_type, "".join(await self._in_pieces(export.write(match)))
            except BadMatch as error:
                raise NoSuchGame(f"the match breaks the rules of this server: {error}") from None

        return self.ask(address, MatchTables, read)

    def judged(
        self, address: str, match_id: str, user: str | None
    ) -> Deferred[tuple[Match, str | None]]:
        """Return such a match, and its saved analysis, if any."""
        return self.ask(address, MatchTables, lambda matches: _judged(matches, match_id, user))

    def replay(
        self,
        address: str,
        match_id: str,
        user: str | None,
        seat: int | None = None,
        first: int = 0,
        draws: Collection[str] | None = None,
    ) -> Deferred[bytes]:
        """Return the events of such a match that a seat (None: a viewer) saw, and its analysis.

        ``first`` is the first event. Events have pictures unless ``draws`` has the game.
        """

        async def read(matches: Stored[MatchTables]) -> bytes:
            match, kept = await _judged(matches, match_id, user)
            if seat is not None and not 0 <= seat < len(match.players):
                raise BadFilter(f"seat is from 0 to {len(match.players) - 1}, not {seat}")
            if not 0 <= first < MOST_EVENTS:
                raise BadFilter(f"first is from 0 to {MOST_EVENTS - 1}, not {first}")
            await self.vet(match)
            try:
                texts = await self._in_pieces(islice(_dump(match, seat, draws), first + EVENTS + 1))
            except BadMatch as error:
                raise NoSuchGame(f"the match breaks the rules of this server: {error}") from None
            events, others = texts[first : first + EVENTS], len(texts) > first + EVENTS
            fields = _spelled(match) | {"next": first + EVENTS if others else None}
            judgement = kept if kept and is_current(kept) else "null"
            return (
                f'{to_json(fields)[:-1]},"judgement":{judgement},"events":[{",".join(events)}]}}'
            ).encode()

        return self.ask(address, MatchTables, read)

    async def _in_pieces(self, work: Iterator[T]) -> list[T]:
        """Collect the results, with a rest after each piece, because the work can be long."""
        done: list[T] = []
        until = self._seconds() + PIECE
        for each in work:
            done.append(each)
            if self._seconds() >= until:
                rested, began = Deferred[None](), self._seconds()
                self._later(REST * PIECE, rested.callback, None)
                await rested
                self._rested += self._seconds() - began
                until = self._seconds() + PIECE
        return done

    def leaders(
        self,
        address: str,
        game: str,
        limit: int | None = None,
        group: str | None = None,
        player: str | None = None,
    ) -> Deferred[bytes]:
        """Return the best players of a game (or group), the computer's levels, and rated groups.

        With ``player``, also return that player's rating, wherever it is.
        """
        name, most = game_type_of(game).name, _checked(limit)
        if "\0" in f"{group}{player}":
            raise BadFilter("group and player are names")

        async def read(ratings: Stored[RatingTables]) -> bytes:
            leaders = await ratings.ask(RatingTables.leaders, name, most, group)
            groups = await ratings.ask(RatingTables.rated_groups, name)
            players, computers = map(_dump_standing, leaders), dict(game_type_of(name).ratings)
            fields: dict[str, object] = {"players": [*players], "computers": computers}
            fields["groups"] = groups
            if player is not None:
                ranked = await ratings.ask(RatingTables.ranked, name, player, group)
                fields["player"] = ranked and _dump_standing(ranked)
            return to_json(fields).encode()

        return self.ask(address, RatingTables, read)

    def player(self, address: str, name: str) -> Deferred[bytes]:
        """Return the ratings of a player, now and after each of the last matches."""
        if "\0" in name:
            raise BadFilter("player is a name")

        async def read(ratings: Stored[RatingTables]) -> bytes:
            standings = await ratings.ask(RatingTables.standings, name)
            points = await ratings.ask(RatingTables.history, name)
            fields = {"ratings": [*map(_dump_standing, standings)]}
            return to_json(fields | {"history": [*map(_dump_point, points)]}).encode()

        return self.ask(address, RatingTables, read)

    def ask(
        self, address: str, tables: type[Tables], read: Callable[[Stored[Tables]], Work[T]]
    ) -> Deferred[T]:
        """Return what ``read`` returns of tables of the archive, in its turn."""
        if self._archive is None:
            raise NoArchive("this server keeps no matches")
        return Deferred.fromCoroutine(
            self._read(address, partial(read, Stored(self._archive, tables)))
        )

    async def _read(self, address: str, read: Callable[[], Work[T]]) -> T:
        await self._slots.enter(address)
        # A hang-up cancels this request alone: the next one still waits for the database.
        found: Deferred[T] = Deferred()
        began = self._seconds()
        Deferred.fromCoroutine(read()).addBoth(self._rest, began).chainDeferred(found)
        try:
            return await found
        except (Refusal, CancelledError):
            raise
        except Exception as error:
            if not isinstance(error, StoreAwayError | StoreClosedError):  # those have log lines
                _log.failure("cannot read finished matches")
            raise ArchiveAway("the matches can't be read now") from None

    def _rest(self, outcome: Any, began: float) -> Any:
        """Admit the next request after a rest."""
        worked, self._rested = self._seconds() - began - self._rested, 0.0
        rest = min(REST * worked, LONGEST_REST)
        if rest:
            self._later(rest, self._slots.leave)
        else:
            self._slots.leave()
        return outcome


def _checked(limit: int | None) -> int:
    """Return the number of wanted items. Raises BadFilter."""
    most = USUAL if limit is None else limit
    if not 1 <= most <= MOST:
        raise BadFilter(f"limit is from 1 to {MOST}, not {most}")
    return most


def _dump_standing(standing: Standing) -> dict[str, object]:
    rating, month_ago = standing.rating, standing.month_ago
    fields = {
        "player": standing.player,
        "game": standing.game,
        "rating": round(rating.rating),
        "deviation": round(rating.deviation),
        "provisional": rating.provisional,
        "matches": standing.matches,
        "ended": utc_text(standing.ended),
        "last": standing.last,
        "month": None if month_ago is None else round(rating.rating) - round(month_ago),
    }
    fields |= {"rank": standing.rank} if standing.rank else {}
    return fields | ({"aborts": standing.aborts} if standing.aborts else {})


def _dump_point(point: Point) -> dict[str, object]:
    return {
        "game": point.game,
        "match": point.match_id,
        "ended": utc_text(point.ended),
        "rating": round(point.rating),
        "deviation": round(point.deviation),
    }


async def _visible(matches: Stored[MatchTables], match_id: str, user: str | None) -> Match:
    """Return a match that an account (None: a user without one) can see. Raises a Refusal."""
    match = await matches.ask(MatchTables.get, match_id) if is_id(match_id) else None
    if match is None:
        raise NoSuchMatch(f"there is no match {match_id!r:.40}")
    if not match.visible_to(user):
        raise PrivateMatch("it was private: only its players see it, once they are logged in")
    return match


async def _judged(
    matches: Stored[MatchTables], match_id: str, user: str | None
) -> tuple[Match, str | None]:
    """Return such a match, and its saved analysis, if any."""
    match = await _visible(matches, match_id, user)
    return match, await matches.ask(MatchTables.judgement, match_id)


def _spelled(found: Match | Summary) -> dict[str, object]:
    """Return the JSON fields of a match without its events."""
    fields = {
        name: each for name, each in found._asdict().items() if name not in ("start", "events")
    }
    if fields.get("aborted") is False:
        del fields["aborted"]
    if computers := describe(found.game, [(p.name, p.level) for p in found.players]):
        fields["computers"] = computers
    return fields | {
        "players": [dump_player(player) for player in found.players],
        "began": utc_text(found.began),
        "ended": utc_text(found.ended),
    }


def _dump(match: Match, seat: int | None, draws: Collection[str] | None) -> Iterator[str]:
    """Yield the events of a match as JSON, each with its time."""
    for at, message in messages(match, seat, True, draws):
        yield to_json({"at": at, **message})
