"""The desk as a part of the server: options, start, and stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from tictac import options as read
from tictac.net.plugin import ProtocolService, sweep_interval
from tictac.net.running_time import running_time
from tictac.options import option
from tictac.reactor import Reactor
from tictac.runtime import AddOn, Runtime
from tictac.storage.store import Store, StoreAwayError, StoreClosedError

if TYPE_CHECKING:
    from tictac.plugins.desk.presence import Connection
    from tictac.plugins.desk.request_handlers import DeskRequests
    from tictac.plugins.desk.rules import Rule
    from tictac.plugins.submissions.service import ProgramService
    from tictac.plugins.tournament.ladder.service import LadderService

_log = Logger()

SAVES_EVERY = 10.0
"""Seconds between two times at which logins are noted."""


@dataclass(frozen=True)
class DeskOptions:
    """Teachers, and codes that log an account in once."""

    slip_days: int = option(14, "Days until the code of a slip ends.", read.positive)
    max_group: int = option(1000, "Accounts of a group to which a teacher adds.", read.positive)


class DeskService(ProtocolService):
    """The requests of ``desk``."""

    def __init__(self, reactor: Reactor, store: Store, desk: DeskRequests) -> None:
        self._store, self._desk = store, desk
        self._saving = LoopingCall(self._save)
        self._saving.clock = reactor
        super().__init__(reactor, "desk", [], lambda proxied: None, sweep_interval())

    def begin(self) -> None:
        self._store.start()
        self._saving.start(SAVES_EVERY)

    async def _save(self) -> None:
        try:
            await self._desk.save()
        except (StoreAwayError, StoreClosedError):
            pass  # the store has logged it; later logins are noted
        except Exception:
            _log.failure("desk: cannot save the last logins of pupils")

    async def end(self) -> None:
        if self._saving.running:
            self._saving.stop()
        await self._save()
        await self._store.close()


def _connections(runtime: Runtime) -> Callable[[], Iterator[Connection]]:
    def connections() -> Iterator[Connection]:
        for part in runtime.parts:
            for factory in part.factories:
                yield from factory.connections

    return connections


async def _ranks(ladder: LadderService, rule: Rule, names: Sequence[str]) -> Mapping[str, int]:
    return await ladder.ranks(rule.series)


async def _passed(programs: ProgramService, rule: Rule, names: Sequence[str]) -> Mapping[str, int]:
    return await programs.passed(names)


def _make(runtime: Runtime) -> ProtocolService:
    from tictac.plugins.desk.marks import Marks
    from tictac.plugins.desk.presence import Presence
    from tictac.plugins.desk.request_handlers import DeskRequests
    from tictac.plugins.desk.tables import DeskTables
    from tictac.storage.store import Stored

    lobby, store, options = runtime.lobby, runtime.store("desk"), runtime.settings[DeskOptions]
    marks = Marks(Stored(store, DeskTables))
    for part in runtime.parts:
        if part.what == "ladder":
            marks.sources["rank"] = partial(_ranks, cast("LadderService", part))
        elif part.what == "programs":
            marks.sources["check"] = partial(_passed, cast("ProgramService", part))
    presence = Presence(lobby, _connections(runtime), running_time.seconds)
    desk = DeskRequests(
        store, runtime.accounts, lobby, presence, marks, options.slip_days, options.max_group
    )
    lobby.extend(desk)
    return DeskService(runtime.reactor, store, desk)


ADD_ON = AddOn(_make, DeskOptions)
"""The desk is a part of every server with a lobby."""
