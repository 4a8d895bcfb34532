"""Health and metrics."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, repeat
from typing import Any
from unittest.mock import Mock

import pytest
from prometheus_client.parser import text_string_to_metric_families
from twisted.internet.defer import Deferred
from twisted.internet.testing import MemoryReactorClock

from tests.archive.helpers import archive_of, match
from tests.helpers import Server
from tests.plugins.web.helpers import HOST, answer, hide_module, request
from tests.protocols.rooms.served import ServiceCase
from tests.server.helpers import TapCase, words
from tictac.archive.packed import pack
from tictac.archive.write_behind import WriteBehind
from tictac.options import Settings
from tictac.plugins.monitoring.metrics import Metrics
from tictac.plugins.monitoring.service import AdminService
from tictac.protocols.lobby.service import LobbyService
from tictac.server.make import makeService
from tictac.testing.connection import Caller, FakeTransport


class AdminCase(ServiceCase):
    rejoin_timeout = 0.0

    def setUp(self) -> None:
        super().setUp()
        self.rooms = self.started("tcp:1", rejoin_timeout=self.rejoin_timeout)
        self.now: Iterator[float] = count()
        self.behind = WriteBehind(archive_of(), self.reactor, self.reactor.seconds, 1)
        self.storage = Mock(trouble="", figures=lambda: {"disk_free_bytes": ("Free.", 7)})
        self.runtime.behind, self.runtime.storage = self.behind, self.storage
        metrics = Metrics(self.runtime, lambda: next(self.now))
        self.runtime.settings = Settings({"turn-budget": 10_000})
        self.admin = AdminService(("tcp:2",), self.runtime, metrics)
        self.runtime.parts.append(self.admin)
        self.admin.privilegedStartService()
        self.admin.startService()

    def connect(self, listener: int = 0) -> FakeTransport:
        """Open a connection to the rooms protocol, whichever ``listener`` is named."""
        return super().connect(0)

    def get(self, path: str, method: str = "GET") -> tuple[int, str]:
        """Return the status and the text of an answer."""
        transport = Caller(self.reactor.tcpServers[1][1], host="192.0.2.9").transport
        transport.arrive(request(path, f"Host: {HOST}", "Connection: close", method=method))
        status, headers, body = answer(transport.take())
        assert headers["cache-control"] == "no-store"
        transport.lose()
        return status, body.decode()

    def figures(self) -> dict[str, float]:
        """Return the values in /metrics, by name and labels."""
        status, text = self.get("/metrics")
        assert status == 200
        return {
            " ".join([sample.name, *sample.labels.values()]): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }


class HealthTests(AdminCase):
    def test_alive_and_ready(self) -> None:
        assert self.get("/health/live") == (200, "alive\n")
        assert self.get("/health/ready") == (200, "ready\n")

    def test_without_its_accounts_it_is_alive_but_not_ready(self) -> None:
        self.successResultOf(self.rooms.accounts.stop())
        assert self.get("/health/live") == (200, "alive\n")
        assert self.get("/health/ready") == (503, "not ready\n")
        assert self.get("/health/active") == (200, "active\n")  # a balancer keeps its players

    def test_without_the_archive_it_is_ready_and_says_so(self) -> None:
        for number in range(3):
            self.behind.keep(pack(match(f"m{number}")))
        said = "1 finished matches wait for the database, 2 are lost"
        assert self.get("/health/ready") == (200, f"ready; {said}\n")
        figures = self.figures()
        assert figures["tictac_matches_waiting"] == 1
        assert figures["tictac_matches_lost_total"] == 2
        self.successResultOf(Deferred.fromCoroutine(self.behind.stop()))

    def test_with_an_almost_full_disk_it_is_ready_and_says_so(self) -> None:
        assert self.figures()["tictac_disk_free_bytes"] == 7
        self.storage.trouble = "7 MiB of disk are free"
        assert self.get("/health/ready") == (200, "ready; 7 MiB of disk are free\n")

    def test_while_it_drains_it_is_alive_but_not_ready(self) -> None:
        for part in (self.rooms, self.admin):
            part.stop_listening()
        assert self.get("/health/live") == (200, "alive\n")
        assert self.get("/health/ready") == (503, "not ready\n")

    def test_nothing_else(self) -> None:
        assert self.get("/")[0] == self.get("/health")[0] == 404
        assert self.get("/metrics", "POST")[0] == 405

    def test_a_head_has_no_body_and_no_line_in_the_log(self) -> None:
        for path, status in (("/health/live", 200), ("/metrics", 200), ("/nope", 404)):
            with self.assertNoLogs():
                assert self.get(path, "HEAD") == (status, "")

    def test_it_leaves_nothing(self) -> None:
        stopping = [part.stopService() for part in (self.admin, self.rooms)]
        for one in stopping:
            self.successResultOf(one)
        assert not self.reactor.getDelayedCalls()


class MetricsTests(AdminCase):
    def test_a_match(self) -> None:
        before = self.figures()
        assert before["tictac_rooms"] == before["tictac_moves_total"] == 0
        alice, bob = self.begin_match()
        alice.arrive(b"PLACE:1:1\n")
        bob.arrive(b"PLACE:0:0\n")
        during = self.figures()
        assert during["tictac_connections rooms"] == 2
        assert during["tictac_logins_total"] == 2
        assert (during["tictac_rooms"], during["tictac_matches_running"]) == (1, 1)
        assert during["tictac_moves_total"] == 2
        bob.arrive(b"FORFEIT\n")
        after = self.figures()
        assert after["tictac_matches_total forfeited"] == 1
        assert (after["tictac_rooms"], after["tictac_moves_total"]) == (0, 2)

    def test_within_a_second_it_is_the_same_text(self) -> None:
        before = self.figures()
        self.now = repeat(0.9)
        self.connect()
        assert self.figures() == before
        self.now = repeat(1.0)
        assert self.figures() != before

    def test_refusals_by_their_code(self) -> None:
        stranger = self.connect()
        stranger.arrive(b"FORFEIT\nLOGIN:nobody:x\nREGISTER:carol:secret\n")
        figures = self.figures()
        assert figures["tictac_refusals_total not-logged-in rooms"] == 1
        assert figures["tictac_refusals_total no-such-user rooms"] == 1
        assert figures["tictac_registrations_total"] == 1

    def test_how_long_requests_take(self) -> None:
        stranger = self.connect()
        stranger.arrive(b"FORFEIT\n", b"FORFEIT\n")
        assert self.figures()["tictac_request_seconds_count"] == 2

    def test_how_late_the_reactor_is(self) -> None:
        self.reactor.pump([1.0, 1.0, 1.5])
        figures = self.figures()
        assert figures["tictac_reactor_lag_seconds_count"] == 3
        assert figures["tictac_reactor_lag_seconds_sum"] == pytest.approx(0.5)


class HeldSeatsTests(AdminCase):
    rejoin_timeout = 30.0

    def test_they_are_counted_and_their_matches_run(self) -> None:
        players = self.begin_match()
        assert self.figures()["tictac_seats_held"] == 0
        for held, player in enumerate(players, 1):
            player.lose()
            figures = self.figures()
            assert figures["tictac_seats_held"] == held
            assert figures["tictac_matches_running"] == 1


class PathOfAMoveTests(ServiceCase):
    def test_without_it_nothing_is_measured(self) -> None:
        server = Server()
        visitor = server.log_in("alice")
        assert "dataReceived" not in vars(visitor.protocol)


class OptionTests(TapCase):
    def make(self, *arguments: str) -> list[Any]:
        database = str(self.directory / "users.db")
        reactor: Any = MemoryReactorClock()
        service: Any = makeService(
            self.options(
                "--database", database, "--tournaments", "none", "--people", "no", *arguments
            ),
            reactor,
        )
        return list(service.services)

    def test_it_is_a_part_of_its_own(self) -> None:
        rooms, admin, *_ = self.make(
            *words("--port tcp:0:interface=127.0.0.1 --admin tcp:0:interface=127.0.0.1")
        )
        assert isinstance(rooms, LobbyService) and isinstance(admin, AdminService)

    def test_its_requests_have_the_budget_of_messages(self) -> None:
        rooms, admin, *_ = self.make(
            *words("--port tcp:0:interface=127.0.0.1 --admin tcp:0:interface=127.0.0.1"),
            *words("--budget 2 --budget-burst 4 --turn-budget 40"),
        )
        (site,) = admin.factories
        assert site.budget is rooms.factories[0].budget and site.turns.left == 2

    def test_without_its_packages_it_says_what_to_install(self) -> None:
        hide_module(self, "prometheus_client", "tictac.plugins.monitoring.metrics")
        with pytest.raises(SystemExit) as caught:
            self.make(*words("--admin tcp:0:interface=127.0.0.1"))
        line = self.failed(caught.value)
        assert line == "--admin needs packages that aren't installed: pip install '.[web]'"
