"""Play a tournament of `tictac tournament` on a server in the same process."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from random import Random
from typing import TextIO

from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater
from twisted.internet.threads import deferToThread

from tictac.errors import SetupError
from tictac.lobby.terms import Terms
from tictac.plugins.tournament.cup import Cup
from tictac.plugins.tournament.hosting.follower import COMMAND, Followed
from tictac.plugins.tournament.hosting.tables import KeptLine, NewLine, Row, TournamentTables
from tictac.plugins.tournament.running.contestants import Bot, Computer, Contestant
from tictac.plugins.tournament.running.progress import progress
from tictac.plugins.tournament.running.seating import Boards
from tictac.plugins.tournament.running.serving import Server, Setup, make_server
from tictac.plugins.tournament.view import head_of
from tictac.reactor import Reactor
from tictac.storage.store import StoreClosedError

LAST_LOOK = 5.0
"""Seconds after the end for which the server still serves the page."""


async def play(reactor: Reactor, setup: Setup, stream: TextIO) -> Cup:
    """Play to the end, or until the reactor stops; return the last state of the tournament.

    Print the progress to ``stream``. Raises SetupError.
    """
    server = make_server(reactor, setup)
    playing = Playing(reactor, setup, server)
    reactor.addSystemEventTrigger("before", "shutdown", playing.stop)
    server.start(reactor)

    def show_places() -> None:
        if setup.ports or setup.web:
            print("\n".join(server.places(setup.file.id)), file=stream)

    cup = await playing.run(show_places, progress(setup.cup, stream))
    if cup.phase == "over" and server.is_watched():
        await deferLater(reactor, LAST_LOOK)  # so that browsers show the end
    return cup


class Playing:
    """Plays the tournament of ``setup`` on ``server``."""

    def __init__(self, reactor: Reactor, setup: Setup, server: Server) -> None:
        self._reactor, self._setup, self._server = reactor, setup, server
        self._id, self._file, self._rng = setup.file.id, setup.file, Random()
        host = server.tournaments.host
        self._follower, self._log = host.follower, host.log
        self._boards = Boards(
            reactor, server.rooms.registry, self._follower, self._id, self._contestant,
            setup.programs, setup.jobs, self._fail,
        )  # fmt: skip
        server.seat_players(self._id, setup.accounts)
        server.rooms.registry.observers.append(self._boards)
        host.soon, host.lull = 0, 1.0
        self._follower.is_here = lambda known: known.id == self._id
        host.may_begin = self._boards.may_begin
        self._shown: Callable[[Cup], object] = lambda cup: None
        self._over: Deferred[None] = Deferred()
        self._ended: Deferred[None] | None = None
        self._file.trouble = self._fail

    async def run(
        self, ready: Callable[[], object], shown: AbstractContextManager[Callable[[Cup], object]]
    ) -> Cup:
        """Play until the tournament is over or stopped; return it. Raises SetupError.

        Call ``ready`` after the server has the tournament. ``shown`` is a context manager; its
        value is called with the tournament after each change.
        """
        self._ended = Deferred()
        self._follower.keep = self._keep
        self._follower.changed.append(self._changed)
        try:
            with suppress(StoreClosedError):  # it was stopped
                await self._put_in()
            ready()
            with shown as self._shown:
                await self._over
                await self._boards.ended()
                await self._file.written()
        finally:
            self._ended.callback(None)
        known = self._follower.known.get(self._id)
        return self._setup.cup if known is None else known.cup

    def stop(self) -> Deferred[None] | None:
        """Stop, without counting running games; return a Deferred that fires when `run` ends."""
        self._boards.stop()
        if not self._over.called:
            self._over.callback(None)
        return self._ended

    def _fail(self, error: BaseException) -> None:
        if not self._over.called:
            self._over.errback(error)
        self._boards.stop()

    async def _put_in(self) -> None:
        """Add the tournament and its missing lines to the database. Raises SetupError."""
        cup, lines = self._setup.cup, self._setup.lines
        there = await self._log.ask(TournamentTables.read, self._id)
        same = min(len(there), len(lines))
        if [each.line for each in there[:same]] != json.loads(json.dumps(lines[:same])):
            raise SetupError(f"the database has other results of the tournament {self._id}")
        now, head = round(time.time() * 1000), json.dumps(head_of(self._id, cup))
        row = Row(self._id, cup.phase, now, json.dumps(cup.plan.dump()), head, COMMAND)
        new = [NewLine(now, line, cup.phase, head) for line in lines]
        await self._log.ask(TournamentTables.fill, row, new)
        await self._follower.look()
        await self._follower.catch_up(self._id)  # look omits finished tournaments
        if self._follower.known[self._id].broken:
            raise SetupError(f"the database has lines of {self._id} that can't be read")

    async def _keep(self, tournament: str, lines: Sequence[KeptLine]) -> None:
        """Add new lines to the file before users see them, so that no shown result is lost."""
        if tournament != self._id:
            return
        for each in lines:
            if each.number > len(self._file.lines):
                self._file.add(each.line, deferToThread)
        await self._file.written()

    def _changed(self, known: Followed) -> None:
        if known.id != self._id:
            return
        self._shown(known.cup)
        if known.cup.phase == "over" and not self._over.called:
            self._over.callback(None)

    # Programs

    def _contestant(self, terms: Terms, seat: int) -> Contestant:
        assert terms.play is not None
        name, rooms = terms.play.names[seat], self._server.rooms
        player, lobby = self._setup.players[name], rooms.lobby
        if player.kind == "computer":
            return Computer(
                name, replace(terms, computer=player.what), rooms.registry, self._reactor,
                rooms.engines, self._rng, self._setup.think,
            )  # fmt: skip
        errors, title = self._setup.errors / file_name(name), f"{name}, game {terms.play.game}"
        return Bot(
            name, seat, player.command, player.protocol, lobby, self._reactor, self._setup.allowed,
            errors, title,
        )  # fmt: skip


def file_name(player: str) -> str:
    """Return a file name for a player, whose name can have slashes."""
    return re.sub(r"[^\w.-]", "_", player).lstrip(".") + ".txt"
