"""The outbox: at least once, at most twice, and always with the same id."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred, fail, succeed

from tests.plugins.notices.case import NoticesCase
from tictac.lobby.clock import DAY
from tictac.plugins.notices.notices import Notice, Wishes
from tictac.plugins.notices.notifier import GoneError
from tictac.plugins.notices.outbox import LONGEST, OF_USER_AT_ONCE, ROOMS_AT_ONCE, TRIES, backoff
from tictac.plugins.notices.tables import CLAIMED, KEPT, UNCONFIRMED, Due, NoticeTables

HOUR = 3600


class KillTests(NoticesCase):
    def test_killed_between_sending_and_marking_it_is_sent_once_more_with_the_same_id(self) -> None:
        self.begin()
        self.fake.answer = lambda: Deferred()  # sent, but the process is killed before it knows
        self.later(61)
        [(_, first)] = self.fake.sent
        self.restart()
        self.later(CLAIMED - 60)
        assert self.fake.sent == []
        self.later(60)
        [(_, again)] = self.fake.sent
        assert again.id == first.id
        self.later(DAY)
        assert len(self.fake.sent) == 1

    def test_what_comes_meanwhile_is_another_message(self) -> None:
        self.add("alice", "daily")
        self.begin()
        self.fake.answer = lambda: Deferred()
        self.later(61)
        [(_, first)] = self.fake.sent
        self.restart()
        self.move("alice")
        self.move("bob")
        self.later(CLAIMED + 61)
        # The first isn't true any longer, and the second has an id of its own.
        [(_, second)] = self.fake.sent
        assert second.id != first.id and len(second.lines) == 1

    def test_sent_but_the_database_is_away_when_it_is_marked(self) -> None:
        def then_away() -> Deferred[object]:
            self.store.is_away = True
            return Deferred.fromCoroutine(done())

        async def done() -> object:
            return None

        self.begin()
        self.fake.answer = then_away
        self.later(61)
        assert len(self.fake.sent) == 1
        self.later(HOUR)
        self.store.is_away = False
        self.later(HOUR)
        self.later(DAY)
        assert len(self.fake.sent) == 1 and self.waiting() == []


class TroubleTests(NoticesCase):
    def test_a_database_that_is_away_loses_no_turn_and_no_end(self) -> None:
        self.begin()
        self.store.is_away = True
        self.later(61)
        assert self.fake.take() == []
        self.store.is_away = False
        self.later(301)
        assert len(self.fake.take()) == 1
        self.store.is_away = True
        self.later(3 * DAY)
        self.later()
        self.store.is_away = False
        self.later(5)
        assert self.fake.take() == ["You have lost: Reversi, against bob: the time ran out"]

    def test_a_clock_set_back(self) -> None:
        self.begin()
        self.fake.answer = lambda: fail(OSError("later"))
        self.later(61)
        self.fake.take()
        self.set_back = 400 * DAY
        del self.fake.answer
        self.fake.answer = lambda: Deferred.fromCoroutine(nothing())
        self.later(60)
        assert len(self.fake.take()) == 1
        self.move("alice")
        self.move("bob")
        self.later(61)
        assert len(self.fake.take()) == 1  # the address seems to have got one in the future

    def test_failures_are_tried_again_and_then_given_up(self) -> None:
        self.begin()
        self.move("alice")
        self.new_process(self.add("bob", "daily"))
        self.fake.answer = lambda: fail(OSError("try later"))
        self.later(61)
        assert len(self.fake.take()) == 1
        [(user, channel, kind, *_, tries, why)] = self.ask(NoticeTables.report, 10)
        assert (user, channel, kind, tries, why) == ("bob", "fake", "turn", 1, "try later")
        for tries in range(TRIES - 1):
            self.later(backoff(tries) - 5)
            assert self.fake.take() == [], tries
            self.later(5)
            assert len(self.fake.take()) == 1, tries
        self.later(DAY)
        assert self.fake.take() == [] and self.waiting() == []
        assert self.notices.counts == {"sent": 0, "failed": TRIES, "gone": 0, "dropped": 1}

    def test_a_message_without_an_answer_fails(self) -> None:
        self.begin()
        self.fake.answer = lambda: Deferred()
        self.later(61)
        self.later(LONGEST)
        assert self.notices.counts["failed"] == 1
        assert self.ask(NoticeTables.report, 10)[0][-1] != ""

    def test_a_slow_address_delays_no_other(self) -> None:
        self.fake.answer = lambda: Deferred()
        for number in range(3):
            self.add("alice", address=f"slow{number}")
        self.begin()
        self.later(61)
        assert len(self.fake.sent) == OF_USER_AT_ONCE
        self.watch.users.add(self.add("bob"))
        self.move("alice")
        self.fake.answer = lambda: succeed(None)
        self.fake.sent = []
        self.later(61)
        assert {address for address, _ in self.fake.sent} == {"bob@x"}
        self.later(LONGEST)
        assert self.notices.counts["failed"] == OF_USER_AT_ONCE

    def test_an_address_that_is_gone_is_given_up(self) -> None:
        self.begin()
        self.fake.answer = lambda: fail(GoneError("550 no such user"))
        self.later(61)
        self.fake.take()
        [contact] = self.ask(NoticeTables.contacts, "alice")
        assert (contact.confirmed, contact.failed) == (0, "550 no such user")
        assert self.ask(NoticeTables.given_up, 10)[0][-1] == "550 no such user"
        self.later(2.3 * DAY)
        assert self.fake.take() == [] and self.waiting() == []

    def test_a_notice_that_is_no_longer_true_isnt_sent(self) -> None:
        self.begin()
        self.fake.answer = lambda: fail(OSError("later"))
        self.later(61)
        self.fake.take()
        self.move("alice")
        self.later(DAY)
        assert self.fake.take() == [] and self.notices.counts["dropped"] == 1

    def test_a_player_who_has_come_meanwhile_gets_nothing(self) -> None:
        self.begin()
        self.fake.answer = lambda: fail(OSError("later"))
        self.later(61)
        self.fake.take()
        self.stay("alice")
        self.later(HOUR)
        assert self.fake.take() == []


class FullTests(NoticesCase):
    most = 1

    def test_a_full_outbox_keeps_the_others_for_later(self) -> None:
        self.new_process(self.add("alice"), self.add("bob"))
        self.fake.answer = lambda: fail(OSError("later"))
        self.begin()
        self.later(61)
        assert len(self.waiting()) == 1
        self.fake.answer = lambda: Deferred.fromCoroutine(nothing())
        self.fake.take()
        self.later(61)
        self.later(301)
        # Alice's turn comes after the retry; Bob's "began" waited for a place.
        texts = self.fake.take()
        assert sorted(text.split(":")[0] for text in texts) == ["A match has begun", "Your turn"]


class TurnTests(NoticesCase):
    def test_each_message_has_a_turn_of_the_reactor(self) -> None:
        self.new_process(self.add("alice"), self.add("bob"))
        self.begin()
        self.clock.advance(61)
        looking = Deferred.fromCoroutine(self.watch.look())
        self.settle()
        self.successResultOf(looking)
        self.sender.look()
        assert len(self.fake.sent) == 1
        self.settle()
        assert len(self.fake.sent) == 2

    def test_a_message_about_many_matches_takes_several(self) -> None:
        self.begin()
        notice = Notice("turn", "den", -1.0, 1)
        [contact] = self.ask(NoticeTables.contacts, "alice")
        many = [notice._replace(number=number) for number in range(ROOMS_AT_ONCE)]
        due = Due(contact, Wishes(), "x", many, 0)
        describing = Deferred.fromCoroutine(self.sender._lines(due, self.utc()))
        self.assertNoResult(describing)
        self.settle()
        assert self.successResultOf(describing) == ([], float("inf"))


class PruneTests(NoticesCase):
    def test_sent_ones_are_kept_longer_than_a_move_can_take(self) -> None:
        assert KEPT > 14 * DAY
        self.begin()
        self.later(61)
        now = int(self.utc())
        self.ask(NoticeTables.prune, now + 14 * DAY)
        assert self.count("notices") == 1
        self.ask(NoticeTables.prune, now + KEPT + 1)
        assert self.count("notices") == 0

    def test_only_the_last_turn_of_a_match_is_kept(self) -> None:
        self.begin()
        for user in ("alice", "bob", "alice", "bob"):
            self.later(61)
            self.move(user)
        self.later(61)
        assert len(self.fake.take()) == 3 and self.count("notices") == 1

    def test_addresses_that_no_owner_confirms_are_forgotten(self) -> None:
        self.add("bob", confirmed=False)
        now = int(self.utc())
        self.ask(NoticeTables.prune, now + UNCONFIRMED - 1)
        assert self.count("notice_contacts") == 2
        self.ask(NoticeTables.prune, now + UNCONFIRMED + 1)
        assert self.count("notice_contacts") == 1

    def test_nothing_waits_for_an_address_that_is_forgotten(self) -> None:
        self.add("bob", confirmed=False)
        self.ask(NoticeTables.prune, int(self.utc()) + UNCONFIRMED + 1)
        assert self.count("notices") == 0

    def test_what_a_missing_channel_never_sends_doesnt_fill_the_outbox(self) -> None:
        self.store.database.execute("UPDATE notice_contacts SET channel = 'pigeon'")
        self.begin()
        self.later(61)
        assert self.count("notices") == 1
        self.ask(NoticeTables.prune, int(self.utc()) + KEPT + 1)
        assert self.count("notices") == 0

    def count(self, table: str) -> int:
        found: Any = self.store.database.execute(f"SELECT COUNT(*) FROM {table}").fetchone()
        return int(found[0])


async def nothing() -> object:
    return None
