"""The rooms server as a service: what runs while it does, and how it says goodbye."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from unittest import mock

from twisted.internet.testing import MemoryReactorClock
from twisted.logger import eventAsText

from tests.accounts.helpers import temporary_directory
from tests.lobby.registry_suite import Guest
from tests.logs import log, texts
from tests.protocols.rooms.served import ServiceCase
from tictac.accounts.accounts import LOOKS_EVERY
from tictac.accounts.tables import AccountTables
from tictac.lobby.registry import Registry
from tictac.lobby.terms import USUAL_TERMS


class LobbyTests(ServiceCase):
    def test_the_computer_comes_where_a_level_is_asked_for_and_no_sooner(self) -> None:
        self.started()
        old = self.connect()
        old.arrive(b"LOGIN:alice:secret\nCREATE:computer\n")
        new = self.connect()
        new.arrive(
            b'{"do":"login","user":"bob","password":"secret"}\n'
            b'{"do":"open","game":"nim","computer":"best"}\n'
        )
        self.reactor.advance(0)
        assert b"BEGIN" not in old.take()
        assert b'"event":"began"' in new.take()

    def test_nothing_is_pushed_after_the_stop(self) -> None:
        service = self.started(guests=True)
        visitor = self.connect()
        visitor.arrive(b'{"do":"guest"}\n{"do":"lobby"}\n{"do":"open","game":"nim"}\n')
        self.lost(service.stopService(), visitor)
        assert self.reactor.getDelayedCalls() == []


class RemovedTests(ServiceCase):
    """An account is removed, by this process or another."""

    def test_its_connections_end_and_nobody_waits_for_it(self) -> None:
        self.started(rejoin_timeout=30.0)
        alice, bob = self.begin_match()
        other = self.connect()
        other.arrive(b'{"do":"login","user":"alice","password":"secret"}\n')
        other.take()
        AccountTables(self.store.database).remove("alice")
        self.reactor.advance(LOOKS_EVERY)
        said = (
            b'{"event":"closing","reason":"account-removed","message":"the account was removed"}\n'
        )
        assert other.take() == said
        assert alice.disconnecting and other.disconnecting and not bob.disconnecting
        alice.lose()
        assert bob.take() == b"GAMEEND:000000000:2:bob\n"

    def test_a_seat_at_a_table_of_the_lobby_is_given_up_as_well(self) -> None:
        self.started(rejoin_timeout=30.0)
        people = {}
        for user in ("alice", "bob"):
            people[user] = self.connect()
            people[user].arrive(
                b'{"do":"login","user":"%b","password":"secret"}\n' % user.encode()
                + b'{"do":"seek","game":"nim"}\n'
            )
            people[user].take()
        AccountTables(self.store.database).remove("alice")
        self.reactor.advance(LOOKS_EVERY)
        people["alice"].lose()
        assert b'"how":"left"' in people["bob"].take()


class RegistrationTests(ServiceCase):
    def test_in_the_rooms_protocol_it_is_refused_as_not_allowed(self) -> None:
        self.started(registration="closed")
        visitor = self.connect()
        visitor.arrive(b"REGISTER:carol:secret\n")
        assert visitor.take() == b"REGISTER:ACKSTATUS:2\n"

    def test_the_codes_are_read_again_with_the_certificates(self) -> None:
        path = temporary_directory(self) / "codes"
        path.write_text("sesame")
        service = self.started(registration=f"code:{path}")
        path.write_text("mustard")
        service.reload()
        visitor = self.connect()
        register = b'{"do":"register","user":"carol","password":"x","code":"%b"}\n'
        visitor.arrive(b'{"do":"hello"}\n', register % b"sesame", register % b"mustard")
        said = visitor.take()
        assert b'"registration":"code"' in said and b'"error":"bad-code"' in said
        assert said.endswith(b'{"answer":null,"user":"carol"}\n')
        path.unlink()
        with log() as events:
            service.reload()
        assert "registration codes not reloaded: --registration: " in texts(events)[-1]


class RunningTests(ServiceCase):
    def test_it_listens_on_every_port_with_the_same_rooms(self) -> None:
        service = self.started("tcp:1", "tcp:2")
        assert [server[0] for server in self.reactor.tcpServers] == [1, 2]
        alice, bob = self.begin_match()
        assert service.matches_running() == 1
        bob.arrive(b"FORFEIT\n")
        assert alice.take() == b"GAMEEND:000000000:2:alice\n"
        assert service.matches_running() == 0

    def test_seats_are_held_and_given_up(self) -> None:
        service = self.started(rejoin_timeout=1e-9)
        alice, bob = self.begin_match()
        bob.lose()
        assert alice.take() == b""
        assert service.matches_running() == 1
        self.reactor.advance(0.05)
        assert alice.take() == b"GAMEEND:000000000:2:alice\n"

    def test_limits_hold_for_each_listener(self) -> None:
        self.started("tcp:1", "tcp:2", max_connections=1)
        refused = [self.connect(listener).disconnecting for listener in (0, 0, 1, 1)]
        assert refused == [False, True, False, True]

    def test_limits_that_clash_are_said(self) -> None:
        settings: Any
        for settings, ends in [
            ({}, []),
            ({"max_connections": 0, "max_connections_per_peer": 0}, []),
            ({"max_connections": 511}, ["--max-connections 511"]),
            ({"max_connections_per_peer": 100}, ["--max-connections-per-peer 100"]),
        ]:
            with log() as events:
                self.started(**settings)
            said = [text for text in texts(events) if "reached" in text]
            begins = "--max-rooms 256 can't be reached with"
            assert said == [f"{begins} {end}" for end in ends]

    def test_the_computer_comes_only_when_it_is_asked(self) -> None:
        for computer, comes in [(None, False), (3.0, True)]:
            self.reactor = MemoryReactorClock()
            self.started(computer=computer)
            alice = self.connect()
            alice.arrive(b"LOGIN:alice:secret\nCREATE:den\n")
            self.reactor.advance(3)
            assert alice.take().endswith(b"BEGIN:alice:computer\n") is comes

    def test_it_looks_for_what_timed_out_as_often_as_its_limits_ask_for(self) -> None:
        names = ("login", "idle", "move", "wait", "rejoin")
        for changed in names:
            times = dict.fromkeys(names, 3600.0) | {changed: 10.0}
            self.reactor = MemoryReactorClock()
            settings: Any = {f"{name}_timeout": time for name, time in times.items()}
            service = self.started(**settings)
            with mock.patch.object(service, "expire") as expire:
                self.reactor.pump([0.5] * 8)
            assert expire.call_count == 4


class StoppingTests(ServiceCase):
    def test_it_stops_listening_and_keeps_its_connections(self) -> None:
        service = self.started()
        alice, bob = self.begin_match()
        service.stop_listening()
        bob.arrive(b"PLACE:0:0\n")
        alice.arrive(b"PLACE:1:1\n")
        assert alice.take() == b"BOARDSTATUS:000010000\nBOARDSTATUS:200010000\n"
        assert not alice.disconnecting

    def test_who_speaks_the_lobby_protocol_is_told(self) -> None:
        service = self.started(drain=3.0)
        old, new = self.connect(), self.connect()
        new.arrive(b'{"do":"ping"}\n')
        service.stop_listening()
        assert new.take().endswith(b'{"event":"stopping","seconds":3.0}\n')
        assert old.take() == b""

    def test_nobody_is_waited_for_who_was_cut_off(self) -> None:
        service = self.started(rejoin_timeout=30.0)
        alice, bob = self.begin_match()
        bob.lose()
        assert service.matches_running() == 1
        assert alice.take() == b""
        service.stop_listening()
        assert alice.take() == b"GAMEEND:000000000:2:alice\n"
        assert service.matches_running() == 0

    def test_who_is_cut_off_after_that_forfeits(self) -> None:
        service = self.started(rejoin_timeout=30.0)
        alice, bob = self.begin_match()
        service.stop_listening()
        bob.lose()
        assert alice.take() == b"GAMEEND:000000000:2:alice\n"

    def test_it_closes_every_connection_and_leaves_nothing(self) -> None:
        service = self.started("tcp:1", "tcp:2", computer=5.0)
        players = self.begin_match()
        others = [self.connect(), self.connect(1)]
        stopping = service.stopService()
        self.assertNoResult(stopping)
        assert not any(transport.disconnected for transport in players + others)
        self.lost(stopping, *players, *others)
        assert not self.reactor.getDelayedCalls()

    def test_who_doesnt_take_the_end_is_cut(self) -> None:
        service = self.started()
        stubborn = self.connect()
        stopping = service.stopService()
        self.reactor.pump([0.05] * 18)
        assert stubborn.disconnecting and not stubborn.disconnected
        self.reactor.pump([0.05] * 4)
        assert stubborn.disconnected
        self.successResultOf(stopping)

    def test_without_connections_it_stops_at_once(self) -> None:
        self.successResultOf(self.started().stopService())
        assert not self.reactor.getDelayedCalls()


class MatchLogTests(ServiceCase):
    def finished(self, **settings: Any) -> list[str]:
        """Return the lines logged for two matches and the end of the service."""
        with log() as events:
            service = self.started(**settings)
            for _ in range(2):
                players = self.begin_match()
                players[0].arrive(b"FORFEIT\n")
            stranger = self.connect()
            stranger.arrive(b"FORFEIT\nFORFEIT\n")
            stopping = service.stopService()
            connections = [c.transport for f in service.factories for c in list(f.connections)]
            self.lost(stopping, *connections)
        return [eventAsText(e, includeTimestamp=False, includeSystem=False) for e in events]

    def test_matches_and_refusals_are_counted(self) -> None:
        lines = self.finished()
        assert lines[-1] == "matches: {'forfeited': 2}; refusals: {'not-logged-in': 2}"
        assert not [line for line in lines if line.startswith("room 'den'")]

    def test_each_match_is_logged_when_that_was_asked(self) -> None:
        lines = self.finished(log_matches=True)
        matches = [line for line in lines if line.startswith("room 'den'")]
        assert matches == ["room 'den': forfeited ('alice' against 'bob')"] * 2

    def test_a_direct_match_is_counted_by_its_protocol(self) -> None:
        service = self.started()
        registry = service.registry
        assert isinstance(registry, Registry)
        players = [Guest(registry, name) for name in ("guest-1", "guest-2")]
        registry.create(players[0], "den", replace(USUAL_TERMS, protocol="session"))
        registry.join(players[1], "den", "PLAYER", seated_by="session")
        assert service.matches_running() == 0
        registry.forfeit(players[0])
        self.begin_match()[0].arrive(b"FORFEIT\n")
        assert service.matches.counts == {"forfeited": 1}
