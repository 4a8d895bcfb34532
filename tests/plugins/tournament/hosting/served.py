"""A server of tests.helpers with tournaments, in its own simulated time."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any, cast

from tests.helpers import Server
from tests.plugins.tournament.hosting.stage import NOW, pair_at_once
from tictac.accounts.tables import AccountTables
from tictac.archive.write_behind import WriteBehind
from tictac.engines.computer import Computer
from tictac.net.plugin import ProtocolService
from tictac.plugins.tournament.hosting.admin_acts import Acts
from tictac.plugins.tournament.hosting.follower import Follower
from tictac.plugins.tournament.hosting.host import Host
from tictac.plugins.tournament.hosting.request_handlers import Desk
from tictac.plugins.tournament.hosting.tables import TournamentTables
from tictac.protocols.lobby.admin import Admin
from tictac.storage.store import Stored


class Tournaments:
    """The tournaments of ``server``, where ``admins`` look after them; ``who`` makes some."""

    def __init__(
        self,
        server: Server,
        *admins: str,
        who: str = "admins",
        most: int = 20,
        decides: bool = True,
    ) -> None:
        self.server, clock = server, server.clock
        part = cast(ProtocolService, SimpleNamespace(what="rooms", factories=[server.factory]))
        server.lobby.admin = Admin(
            server.accounts, server.registry, lambda: [part], server.lobby.day_time, self.utc
        )
        for admin in admins:
            AccountTables(server.store.database).set_admin(admin, True)
        if server.registry.archivist is None:
            server.registry.archivist = WriteBehind(
                server.store, clock, clock.seconds, utc=self.utc
            )
        computer = Computer(server.registry, clock, None, Random(1), cast(Any, None), by_name=False)
        server.registry.observers.append(computer)
        self.log = Stored(server.store, TournamentTables)
        self.follower = Follower(self.log, self.utc)
        if not decides:
            self.follower.decides = False
        self.host = Host(
            self.log, self.follower, server.registry, pair_at_once, clock, Random(1),
        )  # fmt: skip
        acts = Acts(
            self.log, self.follower, server.registry, who, most, True, Random(1),
            server.lobby.guests,
        )  # fmt: skip
        self.follower.changed.append(lambda _: self.host.look_soon())
        self.desk = Desk(self.log, self.follower, server.registry, acts, clock)
        server.lobby.extend(self.desk)
        server.lobby.guest_list.waits.append(self.desk.keeps)
        self.host.start()

    def utc(self) -> float:
        return NOW + self.server.clock.seconds()

    def pass_time(self, seconds: float) -> None:
        """Let time pass in small steps, in which all of its work is done."""
        for _ in range(round(seconds * 4)):
            self.server.clock.advance(0.25)
        self.server.registry.expire(600, 3600)
        self.server.clock.advance(0.25)
