"""Asking an archive for matches: what people and programs may ask, and whose turn it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar, cast, get_args

from twisted.internet.defer import Deferred

from tictac.accounts.store import StoreAwayError, StoreClosedError
from tictac.accounts.workers import Slots
from tictac.archive.match import Match
from tictac.archive.store import Archive, BadCursor, Filter, Page, Result
from tictac.errors import ArchiveAway, BadFilter, NoArchive, NoSuchMatch
from tictac.games.all import kind

T = TypeVar("T")

USUAL, MOST = 20, 100
"""Matches on a page."""

RESULTS = get_args(Result)


def read_filter(given: Mapping[str, str | None]) -> Filter:
    """The filter in texts: ``game``, ``player``, ``result``, ``since`` and ``until``, or some of
    them. Raises NoSuchGame or BadFilter."""
    game, result = given.get("game"), given.get("result")
    if game is not None:
        game = kind(game).name
    if result is not None and result not in RESULTS:
        raise BadFilter(f"result is one of {', '.join(RESULTS)}, not {result!r:.40}")
    times = {name: _read_time(name, given.get(name)) for name in ("since", "until")}
    return Filter(game, given.get("player"), **times, result=cast(Result | None, result))


def _read_time(name: str, text: str | None) -> float | None:
    if text is None:
        return None
    try:
        time = datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise BadFilter(f"{name} is like 2026-11-22 or 2026-11-22T08:30, not {text!r:.40}") from None


class Reader:
    """What strangers may see of ``archive`` (None: nothing is kept).

    It is asked one thing at a time, and addresses take turns: nobody fills up the way of others,
    or of the matches that are to be kept.
    """

    def __init__(self, archive: Archive | None) -> None:
        self._archive = archive
        self._slots = Slots(1)

    def find(
        self, address: str, wanted: Filter, cursor: str | None, limit: int | None
    ) -> Deferred[Page]:
        """A page of matches. Raises a Refusal, or fails with one."""
        most = USUAL if limit is None else limit
        if not 1 <= most <= MOST:
            raise BadFilter(f"limit is from 1 to {MOST}, not {limit}")
        return self._ask(address, lambda archive: archive.find(wanted, cursor, most))

    def get(self, address: str, match_id: str, user: str | None) -> Deferred[Match]:
        """A match that an account (None: a stranger) may see. Likewise."""

        def check(match: Match | None) -> Match:
            if match is None or not match.visible_to(user):
                raise NoSuchMatch(f"there is no match {match_id!r:.40}")
            return match

        asked = self._ask(address, lambda archive: archive.get(match_id))
        return asked.addCallback(check)

    def _ask(self, address: str, ask: Callable[[Archive], Deferred[T]]) -> Deferred[T]:
        if self._archive is None:
            raise NoArchive("this server keeps no matches")
        return Deferred.fromCoroutine(self._wait_and_ask(address, self._archive, ask))

    async def _wait_and_ask(
        self, address: str, archive: Archive, ask: Callable[[Archive], Deferred[T]]
    ) -> Any:
        await self._slots.enter(address)
        try:
            return await ask(archive)
        except BadCursor as error:
            raise BadFilter(str(error)) from None
        except (StoreAwayError, StoreClosedError):
            raise ArchiveAway("the matches can't be read now") from None
        finally:
            self._slots.leave()
