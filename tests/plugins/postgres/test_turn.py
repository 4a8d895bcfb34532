"""Whose turn it is, with a journal in memory: who waits, for how long, and what then."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any, cast

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from tictac.lobby.events import Ended
from tictac.lobby.journal import Batch, KeptRoom, Opened
from tictac.lobby.outbox import Journaled
from tictac.lobby.record import RecordLine, dump_terms
from tictac.lobby.registry import Registry
from tictac.lobby.terms import USUAL_TERMS
from tictac.plugins.postgres.journal import Sign
from tictac.plugins.postgres.libpq import QueryError
from tictac.plugins.postgres.turn import GRACE, PostgresTurn
from tictac.storage.store import StoreAwayError
from tictac.testing.server import Guest, raise_fault

LEASE, PATIENCE = 2.0, 5.0

EMPTY = USUAL_TERMS.game.start(2, Random(1))

DEN = KeptRoom(7, Opened("den", dump_terms(USUAL_TERMS), USUAL_TERMS.game.dump(EMPTY)), [
    RecordLine(number, 0, text)
    for number, text in enumerate(
        ('["joined","alice",0]', '["joined","bob",1]', '["began"]', '["moved",0,"1:1"]'), 1
    )
])  # fmt: skip


class MemoryJournal:
    """The database of several processes, as one of them sees it."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.epoch = 0.0
        self.sign = Sign("other pid 1/x", 1, 1, LEASE)
        self.rooms: list[KeptRoom | int] = []
        self.aside: list[int] = []
        self.waiting: list[Deferred[None]] = []
        self.renewed_at = 0.0
        self.is_away = self.is_mine = self.is_stopped = self.is_released = False
        self.everything: Any = None
        self.lost: Any = None
        self.held: list[Any] = []
        self.refuses: QueryError | None = None
        self.next_page: Deferred[None] | None = None

    def connect(self, process: str) -> None:
        self.process = process

    async def whose(self) -> Sign:
        await self._answer()
        return self.sign

    async def take(self, last: Sign) -> bool:
        await self._answer()
        if self.refuses is not None:
            raise self.refuses
        if self.sign == last:
            self.sign, self.is_mine = Sign(self.process, last.term + 1, 1, LEASE), True
            self.renewed_at = self.clock.seconds()
        return self.is_mine

    async def _answer(self) -> None:
        waited = 0.0
        while self.is_away:
            if waited >= PATIENCE:
                raise StoreAwayError
            waited += 0.25
            soon: Deferred[None] = Deferred()
            self.clock.callLater(0.25, soon.callback, None)
            await soon

    async def read(self, after: int) -> list[KeptRoom | int]:
        await self._answer()
        self.renewed_at = self.clock.seconds()
        if self.next_page is not None:
            await self.next_page

        def id_of(each: KeptRoom | int) -> int:
            return each.room_id if isinstance(each, KeptRoom) else each

        return [each for each in self.rooms if id_of(each) > after]

    async def set_aside(self, room_id: int) -> None:
        self.aside.append(room_id)

    async def release(self) -> None:
        self.is_released = True

    def start(self) -> list[KeptRoom]:
        return []

    def new_id(self) -> int:
        return 1000

    def ready(self) -> bool:
        return self.is_mine and not self.is_away

    def commit(self, batch: Batch, done: Any) -> None:
        if self.is_away:
            self.held.append(done)
        else:
            done(())

    def stop(self) -> None:
        self.is_stopped = True


class Server:
    """What is asked of the server (net.plugin.Served)."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.stands = 0

    def stands_by(self) -> None:
        self.stands += 1

    def begin(self) -> bool:
        self.calls.append("begin")
        return True

    def pause(self) -> None:
        self.calls.append("pause")

    def go_on(self) -> None:
        self.calls.append("go on")

    def lost(self, why: str) -> None:
        self.calls.append(why)


class TurnCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.journal = MemoryJournal(self.clock)
        outbox = partial(Journaled, self.journal, self.clock.callLater)
        self.registry = Registry(
            9, self.clock.seconds, raise_fault, 30, rng=Random(1), outbox=cast(Any, outbox)
        )
        self.outbox = cast(Journaled, self.registry.outbox)
        self.turn = PostgresTurn(
            self.clock, cast(Any, self.journal), self.registry, self.outbox, LEASE, PATIENCE
        )
        self.server = Server()
        self.logs = self.enterContext(capturedLogs())

    def wait(self) -> None:
        self.turn.wait(self.server)

    def pass_time(self, seconds: float, alive: bool = False) -> None:
        for _ in range(round(seconds / 0.25)):
            self.clock.advance(0.25)
            if alive:
                self.journal.sign = self.journal.sign._replace(beat=self.journal.sign.beat + 1)
            if self.journal.is_mine and not self.journal.is_away:
                self.journal.renewed_at = self.clock.seconds()

    def said(self) -> list[str]:
        return [str(formatEvent(event)) for event in self.logs]


class WaitingTests(TurnCase):
    def test_it_waits_as_long_as_there_are_signs_of_life(self) -> None:
        self.wait()
        self.pass_time(60, alive=True)
        assert self.server.calls == [] and self.said() == ["standby: other pid 1 is active"]
        assert self.turn.why_not() == "standby: other pid 1 is active" and self.server.stands == 1
        self.pass_time(LEASE - 0.5)
        assert self.server.calls == []
        self.pass_time(1)
        assert self.server.calls == ["begin"] and self.turn.why_not() == ""

    def test_who_has_ended_in_order_isnt_waited_for(self) -> None:
        self.wait()
        self.pass_time(3, alive=True)
        self.journal.sign = self.journal.sign._replace(process="")
        self.pass_time(LEASE / 4)
        assert self.server.calls == ["begin"]

    def test_after_an_outage_the_active_process_can_come_back_first(self) -> None:
        self.wait()
        self.pass_time(3, alive=True)
        self.journal.is_away = True
        self.pass_time(3 * PATIENCE)
        self.journal.is_away = False
        self.pass_time(GRACE - 0.5)
        assert self.server.calls == []
        self.pass_time(2)
        assert self.server.calls == ["begin"]

    def test_also_to_an_older_database_in_which_no_process_is_active(self) -> None:
        self.wait()
        self.pass_time(3, alive=True)
        active, self.journal.is_away = self.journal.sign, True
        self.pass_time(3 * PATIENCE)
        self.journal.sign, self.journal.is_away = Sign("", 0, 0, 0.0), False
        self.pass_time(GRACE - 0.5)
        self.journal.sign = active  # it has written its rooms again
        self.pass_time(LEASE - 0.5)
        assert self.server.calls == []
        self.journal.sign = active._replace(process="")
        self.pass_time(LEASE / 4)
        assert self.server.calls == ["begin"]

    def test_it_stops_while_it_waits(self) -> None:
        self.wait()
        self.successResultOf(Deferred.fromCoroutine(self.turn.stop()))
        self.pass_time(60)
        assert self.server.calls == [] and self.journal.is_stopped
        assert self.clock.getDelayedCalls() == []

    def test_a_take_over_that_the_database_refuses_is_tried_again(self) -> None:
        """The row is locked for too long, as by a batch of the active process."""
        self.journal.refuses = QueryError("55P03", "canceling statement due to lock timeout")
        self.wait()
        self.pass_time(4 * LEASE)
        assert self.server.calls == []
        why = "can't take over: canceling statement due to lock timeout"
        assert self.said()[1:] == [f"standby: this process {why}"]
        self.journal.refuses = None
        self.pass_time(2 * LEASE)
        assert self.server.calls == ["begin"]

    def test_an_outage_at_the_take_over_ends_nobody(self) -> None:
        self.wait()
        self.pass_time(LEASE - 0.25)
        self.journal.is_away = True
        self.pass_time(3 * PATIENCE)
        self.journal.is_away = False
        self.pass_time(LEASE + GRACE)
        assert self.server.calls == ["begin"]

    def test_who_took_over_without_an_answer_goes_on_at_once(self) -> None:
        self.wait()
        self.pass_time(1, alive=True)
        self.journal.sign = Sign(self.journal.process, 2, 1, LEASE)
        self.pass_time(LEASE / 4)
        assert self.server.calls == ["begin"] and "is active" in self.said()[0]
        assert not any(self.journal.process.partition("/")[0] in line for line in self.said())


class RestoringTests(TurnCase):
    """Between the beginning of a turn and the opening of the ports."""

    def setUp(self) -> None:
        super().setUp()
        self.journal.sign = self.journal.sign._replace(process="")
        self.journal.rooms = [DEN]

    def test_the_database_may_be_away_meanwhile(self) -> None:
        self.journal.next_page = Deferred()
        self.wait()
        self.journal.is_away = True
        self.journal.next_page.errback(StoreAwayError())
        self.journal.next_page = None
        self.pass_time(3 * PATIENCE)
        assert self.server.calls == []
        self.journal.is_away = False
        self.pass_time(1)
        assert self.server.calls == ["begin"] and self.registry.room("den") is not None

    def test_it_sleeps_meanwhile_and_another_process_takes_over(self) -> None:
        self.journal.next_page = page = Deferred[None]()
        self.wait()
        self.journal.sign = Sign("third pid 3/x", 3, 1, LEASE)
        self.journal.next_page = None
        page.callback(None)
        assert self.server.calls == ["another process has taken over"] and self.outbox.shut

    def test_the_oldest_room_comes_first(self) -> None:
        """Whatever its id: each process has begun with a random one."""
        self.journal.rooms = [
            KeptRoom(room_id, DEN.opened._replace(name=name), [
                line._replace(at=at + line.number) for line in DEN.lines
            ])
            for room_id, name, at in ((1, "new", -10.0), (2, "old", -90.0), (3, "middle", -50.0))
        ]  # fmt: skip
        self.wait()
        names = [room.name for room in self.registry.known_rooms()]
        assert names == ["old", "middle", "new"]

    def test_it_stops_and_gives_the_turn_back(self) -> None:
        self.journal.next_page = page = Deferred[None]()
        self.wait()
        self.successResultOf(Deferred.fromCoroutine(self.turn.stop()))
        assert self.journal.is_released and self.journal.is_stopped
        page.callback(None)
        self.pass_time(60)
        assert self.server.calls == [] and self.outbox.shut


class ServingTests(TurnCase):
    def setUp(self) -> None:
        super().setUp()
        self.journal.sign = self.journal.sign._replace(process="")

    def begin(self) -> tuple[Guest, Guest]:
        """Continue the den with both players, of whom a lost connection is a forfeit."""
        self.journal.rooms = [DEN]
        self.wait()
        alice, bob = Guest(self.registry, "alice"), Guest(self.registry, "bob")
        for guest in (alice, bob):
            guest.rejoins = False  # type: ignore[attr-defined]
            self.registry.join(guest, "den", "PLAYER")
        self.pass_time(0.5)
        return alice, bob

    def test_rooms_are_there_before_the_ports(self) -> None:
        self.journal.rooms = [DEN, KeptRoom(8, Opened("attic", "{", ""), []), 9]
        self.wait()
        assert self.server.calls == ["begin"] and self.journal.aside == [8]
        room = self.registry.room("den")
        assert room is not None and room.moves == 1
        assert "active: 1 rooms restored" in self.said()[-1]

    def test_who_waits_too_long_is_put_off_and_keeps_the_seat(self) -> None:
        alice, bob = self.begin()
        self.journal.is_away = True
        self.registry.place(bob, "0:0")
        self.pass_time(PATIENCE + 1)
        assert alice.closed and bob.closed and "pause" in self.server.calls
        assert self.turn.why_not() == "the database doesn't answer"
        for guest in (alice, bob):
            self.registry.leave(guest)
        assert self.registry.seats_held() == 2
        self.journal.is_away = False
        self.journal.held.pop()(())
        self.pass_time(1)
        assert self.server.calls[-1] == "go on" and self.turn.why_not() == ""
        assert self.registry.room("den") is not None

    def test_a_turn_that_is_over_commits_nothing(self) -> None:
        alice, bob = self.begin()
        self.journal.lost("another process has taken over")
        self.journal.lost("another process has taken over")
        assert self.server.calls == ["begin", "another process has taken over"]
        bob.news()
        self.registry.place(bob, "0:0")
        self.pass_time(1)
        assert bob.news() == []
        assert not any(isinstance(event, Ended) for event in alice.news())

    def test_it_says_goodbye_after_the_last_commit(self) -> None:
        _, bob = self.begin()
        self.registry.place(bob, "0:0")
        stopping = Deferred.fromCoroutine(self.registry.stop())
        self.pass_time(0.5)
        self.successResultOf(stopping)
        assert self.journal.is_released and self.journal.is_stopped
        assert self.turn.why_not() == "the turn of this process is over"
        assert len(bob.news()) > 0
