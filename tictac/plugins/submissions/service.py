"""Submitted programs as a part of the server: options, start, and stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tictac import options as read
from tictac.net.plugin import ProtocolService, sweep_interval
from tictac.options import option
from tictac.plugins.submissions.tables import ProgramTables
from tictac.reactor import Reactor
from tictac.runtime import AddOn, Runtime
from tictac.storage.store import Store, Stored

KIB = 1 << 10


@dataclass(frozen=True)
class ProgramOptions:
    """Submitted programs."""

    programs_a_day: int = option(10, "Versions of an account in 24 hours; 0: no programs.")
    max_program_size: int = option(1024, "KiB of the archive of a program.", read.positive)
    runner_lease: float = option(
        60.0, "Seconds of a silent runner before others get its programs.", read.interval
    )


class ProgramService(ProtocolService):
    """The programs of a server, whose rows are in ``store``."""

    def __init__(self, reactor: Reactor, store: Store) -> None:
        self._store, self._tables = store, Stored(store, ProgramTables)
        super().__init__(reactor, "programs", [], lambda proxied: None, sweep_interval())

    def begin(self) -> None:
        self._store.start()

    async def passed(self, names: Sequence[str]) -> Mapping[str, int]:
        """Return 1 for each account whose latest program has passed its check."""
        return await self._tables.ask(ProgramTables.passed, names)

    async def end(self) -> None:
        await self._store.close()


def _make(runtime: Runtime) -> ProtocolService | None:
    options = runtime.settings[ProgramOptions]
    web = next((part for part in runtime.parts if part.what == "web"), None)
    if web is None or not options.programs_a_day:
        return None
    from tictac.plugins.submissions.desk import Desk, Limits
    from tictac.plugins.submissions.pages import ProgramPages, RunnerPages

    store, accounts = runtime.store("programs"), runtime.accounts
    size = options.max_program_size * KIB
    limits = Limits(size, options.programs_a_day, options.runner_lease)
    desk = Desk(store, accounts, limits, runtime.reactor)
    runtime.lobby.extend(desk)
    pages, runners = ProgramPages(desk, accounts), RunnerPages(desk)
    web.add(b"/programs/", pages, pages.longest)  # type: ignore[attr-defined]
    web.add(b"/runner/", runners, runners.longest)  # type: ignore[attr-defined]
    return ProgramService(runtime.reactor, store)


ADD_ON = AddOn(_make, ProgramOptions)
"""Take programs of accounts, and give them to runners."""
