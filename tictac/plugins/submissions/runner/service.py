"""A runner: claims programs from the server as long as it has free places for them."""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater
from twisted.logger import Logger

from tictac.logs import LIMITED
from tictac.plugins.submissions.runner.api import Api, AwayError
from tictac.plugins.submissions.runner.work import Place, Running
from tictac.reactor import Reactor

_log = Logger(observer=LIMITED)

ASKS_EVERY = 2.0
"""Seconds between two claims."""


class Runner:
    """Runs up to ``gates`` new programs, and up to ``plays`` programs on the ladder."""

    def __init__(self, reactor: Reactor, api: Api, place: Place, gates: int, plays: int) -> None:
        self._reactor, self._api, self._place = reactor, api, place
        self._gates, self._plays = gates, plays
        self.running: dict[Running, Deferred[None]] = {}
        self._is_over = False

    async def run(self) -> None:
        """Claim and run programs until :meth:`stop`. Raises RefusedError for a wrong token."""
        is_away = False
        while not self._is_over:
            busy = [each.job.state == "ladder" for each in self.running]
            gates, plays = self._gates - busy.count(False), self._plays - busy.count(True)
            try:
                jobs, lease = await self._api.claim(max(0, gates), max(0, plays))
            except AwayError as error:
                if not is_away:
                    _log.warn("the server is unavailable: {why}", why=str(error))
                is_away = True
            else:
                if is_away:
                    _log.info("the server is available again")
                is_away = False
                for job in jobs:
                    self._start(Running(self._reactor, self._api, job, lease, self._place))
            await deferLater(self._reactor, ASKS_EVERY)

    def _start(self, running: Running) -> None:
        job = running.job
        named = {"user": job.user, "number": job.number}
        _log.info("{user!r} {number}: started, state {state}", state=job.state, **named)
        going = Deferred.fromCoroutine(running.run())

        def over(_: object) -> None:
            self.running.pop(running, None)
            _log.info("{user!r} {number}: ended", **named)

        self.running[running] = going
        going.addBoth(over)

    async def stop(self) -> None:
        """End all programs, and give their leases back."""
        self._is_over = True
        for running in list(self.running):
            running.stop()
        for going in list(self.running.values()):
            await going
