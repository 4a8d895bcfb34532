"""Requests for the analysis of matches: an engine analyzes each match once and it is saved."""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from tictac import analysis
from tictac.archive.match import Match
from tictac.archive.reader import Reader
from tictac.archive.tables import MatchTables
from tictac.engines.pool import EnginePool
from tictac.engines.worker import AnalysisJob
from tictac.errors import CannotThink
from tictac.storage.store import Store, Stored
from tictac.storage.workers import Slots


class Judging:
    """Analyses from ``matches``, or from ``engine`` and then saved in ``archive``.

    The engine analyzes one match at a time, and addresses take turns, so that other processes are
    free for moves. Canceling an answer withdraws the request.
    """

    def __init__(self, matches: Reader, archive: Store, engine: EnginePool) -> None:
        self._matches = matches
        self._archive = Stored(archive, MatchTables)
        self._engine = engine
        self._slots = Slots(1)
        self._asked: dict[str, tuple[Deferred[str], list[Deferred[bytes]]]] = {}

    def judge(self, match_id: str, user: str | None, line: str) -> Deferred[bytes]:
        """Return the analysis, as JSON, of a match that an account (None: a stranger) can see.

        Requests for the same match share one analysis. Fails with a Refusal.
        """
        return Deferred.fromCoroutine(self._judge(match_id, user, line))

    async def _judge(self, match_id: str, user: str | None, line: str) -> bytes:
        match, kept = await self._matches.judged(line, match_id, user)
        if kept is not None and analysis.is_current(kept):
            return kept.encode()
        return await self._wait(match, line)

    def _wait(self, match: Match, line: str) -> Deferred[bytes]:
        answer: Deferred[bytes] = Deferred(lambda canceled: self._cancel(match.id, canceled))
        if match.id in self._asked:
            self._asked[match.id][1].append(answer)
        else:
            thinking = Deferred.fromCoroutine(self._think(match, line))
            self._asked[match.id] = thinking, [answer]
            thinking.addBoth(self._found, match.id)
        return answer

    async def _think(self, match: Match, line: str) -> str:
        await self._slots.enter(line)
        try:
            found = await self._engine.think(AnalysisJob.of(match), line)
        finally:
            self._slots.leave()
        if not found:
            raise CannotThink("this server doesn't know the rules of that match")
        return found

    def _cancel(self, match_id: str, canceled: Deferred[bytes]) -> None:
        """Forget a request, and stop the engine if no other request waits for it."""
        thinking, waiting = self._asked[match_id]
        waiting.remove(canceled)
        if not waiting:
            del self._asked[match_id]
            thinking.cancel()

    def _found(self, found: str | Failure, match_id: str) -> None:
        """Save an analysis, and answer all waiting requests with it or with the failure."""
        if match_id not in self._asked:
            return  # All requests were canceled.
        _, waiting = self._asked.pop(match_id)
        if isinstance(found, str):
            keeping = self._archive.ask(MatchTables.keep_judgement, match_id, found)
            keeping.addErrback(lambda _: None)
        for answer in waiting:
            answer.callback(found.encode() if isinstance(found, str) else found)
