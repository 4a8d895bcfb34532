"""Which notices players get, and when."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.archive.helpers import match
from tests.lobby.any_game import Knowing
from tests.lobby.days import over_days
from tests.plugins.notices.case import NoticesCase
from tictac.archive.tables import MatchTables
from tictac.lobby.clock import DAY, TimeControl
from tictac.plugins.notices.notices import Wishes, check_wishes, quiet_until
from tictac.plugins.notices.refusals import BadSetting
from tictac.plugins.notices.tables import NoticeTables
from tictac.plugins.notices.texts import TEXTS, duration
from tictac.plugins.notices.watch import OVERLAP

HOUR = 3600


class TurnTests(NoticesCase):
    def test_a_turn_after_a_quiet_minute(self) -> None:
        self.begin()
        self.move("alice")
        self.move("bob")
        self.later(59)
        assert self.fake.take() == []
        self.later(2)
        assert self.fake.take() == ["Your turn: Reversi, against bob, 2 days 23 hours left"]
        self.later(DAY)
        assert self.fake.take() == []

    def test_none_for_a_fast_answer(self) -> None:
        self.begin()
        self.move("alice")
        self.move("bob")
        self.later(30)
        self.move("alice")
        self.later(DAY)
        assert self.fake.take() == []

    def test_none_for_a_player_in_the_room_until_they_leave(self) -> None:
        self.begin()
        alice = self.stay("alice")
        self.later(HOUR)
        assert self.fake.take() == []
        self.does.leave(alice)
        self.later(300)
        assert len(self.fake.take()) == 1

    def test_none_without_an_address(self) -> None:
        self.begin()
        self.move("alice")
        self.later(DAY)
        assert self.waiting() == [] and self.fake.take() == []

    def test_none_twice_for_one_turn_after_restarts(self) -> None:
        self.begin()
        self.later(61)
        assert len(self.fake.take()) == 1
        for _ in range(3):
            self.restart()
            self.later(HOUR)
            assert self.fake.take() == []

    def test_a_turn_whose_process_was_killed_before_the_notice(self) -> None:
        self.begin()
        self.restart()
        self.later(61)
        assert len(self.fake.take()) == 1

    def test_a_reminder_at_a_quarter(self) -> None:
        self.begin()
        self.later(61)
        self.fake.take()
        self.later(2.25 * DAY)
        [text] = self.fake.take()
        assert text.startswith("Your time runs out: Reversi, against bob, only 17 hours")
        self.restart()
        self.later(HOUR)
        assert self.fake.take() == []

    def test_the_end(self) -> None:
        self.begin()
        self.later(61)
        self.later(2.5 * DAY)
        self.fake.take()
        self.later(DAY)
        self.later()
        assert self.fake.take() == ["You have lost: Reversi, against bob: the time ran out"]

    def keep(self, clock: TimeControl) -> None:
        """Keep a match that has just ended, as the archive of a killed process."""
        kept = match(f"m{clock.days}", began=self.utc(), clock=clock, winner=1)
        MatchTables(self.store.database).add_all([kept])

    def test_an_end_whose_process_was_killed_before_the_notice(self) -> None:
        self.keep(TimeControl.of_days(3))
        self.restart()
        self.later(1)
        assert self.fake.take() == ["You have lost: Tic-tac-toe, against bob"]
        self.restart()
        self.later(1)
        assert self.fake.take() == []

    def test_none_after_a_restart_of_ends_that_were_seen_and_of_live_matches(self) -> None:
        self.begin()
        self.keep(TimeControl.of_days(3))
        self.later(OVERLAP + 10)
        self.does.forfeit(self.stay("alice"))
        self.later(1)
        self.keep(TimeControl(300, 0))
        self.restart()
        self.later(1)
        assert [text for text in self.fake.take() if "You have" in text] == []

    def test_no_end_for_a_player_who_was_there(self) -> None:
        self.begin()
        alice = self.stay("alice")
        self.does.forfeit(alice)
        self.later(HOUR)
        assert self.fake.take() == []

    def test_an_offer_in_the_turn_of_the_other(self) -> None:
        self.begin()
        self.move("alice")
        bob = self.stay("bob")
        self.does.offer(bob, "draw")
        self.later(61)
        assert self.fake.take() == ["An offer: Reversi, against bob; bob offers a draw"]

    def test_an_offer_whose_process_was_killed_before_the_notice(self) -> None:
        self.begin()
        self.move("alice")
        self.does.offer(self.sit("bob"), "draw")
        self.restart()
        self.later(61)
        assert self.fake.take() == ["An offer: Reversi, against bob; bob offers a draw"]

    def test_no_offer_that_was_withdrawn(self) -> None:
        self.begin()
        self.move("alice")
        bob = self.stay("bob")
        self.does.offer(bob, "draw")
        self.does.answer(bob, "draw", False)
        self.later(61)
        assert self.fake.take() == []

    def test_a_match_that_begins_with_the_turn_of_the_other(self) -> None:
        self.new_process(self.add("bob"))
        self.begin()
        self.later(61)
        assert self.fake.take() == ["A match has begun: Reversi, against alice, whose turn it is"]

    def challenge(self) -> Knowing:
        """Let Bob challenge Alice, who isn't there, in a private room."""
        bob = Knowing(self.served, "bob")
        self.does.create(bob, "den", over_days(key="hush"))
        self.watch.invite("alice", self.room())
        return bob

    def test_a_challenge(self) -> None:
        assert self.watch.reaches("alice") and not self.watch.reaches("bob")
        self.challenge()
        self.later(1)
        [(_, letter)] = self.fake.sent
        [line] = letter.lines
        assert (line.kind, line.path) == ("challenge", "/room/den/hush")
        assert line.body == "bob wants to play with 3 days for each move"
        self.restart()
        self.later(1)
        assert self.fake.take() == []

    def test_no_challenge_that_was_withdrawn_or_taken(self) -> None:
        bob = self.challenge()
        self.does.leave(bob, for_good=True)
        self.later(1)
        self.challenge()
        self.does.leave(self.sit("alice", key="hush"))
        self.later(1)
        assert [text for text in self.fake.take() if "challenge" in text] == []

    def test_an_address_that_is_new_gets_the_turns_that_are_on(self) -> None:
        self.begin()
        self.move("alice")
        self.later(DAY)
        self.new_process(self.add("bob"))
        self.later(61)
        assert self.fake.take() == ["Your turn: Reversi, against alice, 1 day 23 hours left"]


class WishTests(NoticesCase):
    def test_only_a_reminder(self) -> None:
        self.add("alice", "late")
        self.begin()
        self.later(61)
        assert self.fake.take() == []
        self.later(2.3 * DAY)
        assert len(self.fake.take()) == 1

    def test_once_a_day_and_a_reminder_at_once(self) -> None:
        self.add("alice", "daily")
        self.begin()
        self.later(61)
        assert len(self.fake.take()) == 1
        self.move("alice")
        self.move("bob")
        self.later(HOUR)
        assert self.fake.take() == [] and len(self.waiting()) == 1
        self.later(DAY)
        assert len(self.fake.take()) == 1
        self.later(1.5 * DAY)
        assert len(self.fake.take()) == 1

    def test_an_unconfirmed_address_gets_nothing(self) -> None:
        self.new_process(self.add("bob", confirmed=False))
        self.begin()
        self.move("alice")
        self.later(61)
        assert self.fake.take() == [] and len(self.fake.asked) == 1
        [contact] = self.ask(NoticeTables.contacts, "bob")
        assert contact.reached == 0  # the confirmation delays no message

    def test_the_language_of_the_account(self) -> None:
        self.wishes("alice", language="de")
        self.begin()
        self.later(61)
        assert self.fake.take() == ["Du bist am Zug: Reversi, gegen bob, noch 2 Tage 23 Stunden"]

    def test_quiet_hours(self) -> None:
        self.wishes("alice", quiet="14:00-20:00")
        self.begin()
        self.later(61)
        assert self.fake.take() == []
        self.later(6 * HOUR)
        assert self.fake.take() == ["Your turn: Reversi, against bob, 2 days 17 hours left"]

    def test_a_reminder_in_quiet_hours_if_it_were_too_late_after_them(self) -> None:
        self.wishes("alice", quiet="08:00-14:30")
        self.add("alice", "late")
        self.begin()
        self.later(2 * DAY + 23.5 * HOUR)
        assert len(self.fake.take()) == 1

    def test_quiet_hours_of_a_zone(self) -> None:
        def until(wishes: Wishes, *now: int) -> datetime:
            seconds = datetime(*now, tzinfo=UTC).timestamp()  # type: ignore[misc, arg-type]
            return datetime.fromtimestamp(quiet_until(wishes, seconds), UTC)

        night = Wishes(zone="Europe/Berlin", quiet="22:00-07:00")
        assert until(night, 2026, 7, 1, 23, 0) == datetime(2026, 7, 2, 5, 0, tzinfo=UTC)
        assert until(night, 2026, 12, 1, 3, 0) == datetime(2026, 12, 1, 6, 0, tzinfo=UTC)
        assert until(night, 2026, 12, 1, 12, 0) == datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
        assert until(Wishes(), 2026, 12, 1, 3, 0) == datetime(2026, 12, 1, 3, 0, tzinfo=UTC)

    def test_one_message_for_all_matches(self) -> None:
        self.add("alice", "daily")
        self.begin()
        self.later(61)
        self.fake.take()
        self.move("alice")
        self.move("bob")
        for room in ("hut", "inn"):
            self.begin_in(room)
        self.later(61)
        assert self.fake.sent == []
        self.later(DAY)
        [(_, letter)] = self.fake.sent
        assert sorted(line.room for line in letter.lines) == ["den", "hut", "inn"]
        assert letter.turns == 3

    def begin_in(self, room: str) -> None:
        from tests.lobby.any_game import Knowing

        alice, bob = Knowing(self.served, "alice"), Knowing(self.served, "bob")
        self.does.create(alice, room, over_days())
        self.does.leave(alice)
        self.does.join(bob, room, "PLAYER")
        self.does.leave(bob)


@pytest.mark.parametrize(
    "wrong",
    [
        {"language": "the usual"},
        {"quiet": "22-7"},
        {"quiet": "25:00-07:00"},
        {"zone": "Mars/Base"},
        {"zone": "../../etc/passwd"},
        {"zone": ""},
        {"zone": "Europe"},
        {"zone": "A" * 5000},
    ],
)
def test_settings_that_are_wrong(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadSetting):
        check_wishes(Wishes(**wrong))


def test_texts_are_complete_in_every_language() -> None:
    for language, texts in TEXTS.items():
        assert texts.keys() == TEXTS["en"].keys(), language
        assert all(texts.values())


def test_times_as_people_say_them() -> None:
    assert duration(2 * DAY + 4 * HOUR + 59, "en") == "2 days 4 hours"
    assert duration(DAY + 59 * 60, "de") == "1 Tag"
    assert duration(DAY + 59 * 60, "de-AT") == "1 Tag"
    assert duration(HOUR + 61, "en") == "1 hour 1 minute"
    assert duration(59, "en") == "0 minutes"


def test_a_language_without_texts_gets_english() -> None:
    assert duration(DAY, "la") == "1 day"


class AccountTests(NoticesCase):
    def test_all_goes_with_the_account(self) -> None:
        from tictac.accounts.tables import AccountTables

        self.wishes("alice", language="de")
        self.begin()
        self.later(61)
        AccountTables(self.store.database).remove("alice")
        for table in ("notices", "notice_contacts", "notice_settings"):
            count = self.store.database.execute(f"SELECT COUNT(*) FROM {table}").fetchone()
            assert count == (0,), table
        assert self.ask(NoticeTables.users) == set()
