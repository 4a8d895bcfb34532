"""Puzzles by request and in the API: what is public, and the check of moves."""

from __future__ import annotations

import json

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.puzzles.examples import POSITION, TODAY, TOMORROW, example, kept
from tests.protocols.lobby.case import LobbyCase
from tests.protocols.lobby.helpers import Message, Person
from tests.storage.memory import MemoryStore
from tictac.errors import IllegalMove, Refusal
from tictac.plugins.puzzles.puzzles import NoSuchPuzzle, dump_puzzle, load_puzzle, streak_of
from tictac.plugins.puzzles.tables import PuzzleTables, Solved
from tictac.plugins.puzzles.tries import LEAST
from tictac.plugins.web.api import Given


class CheckTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.puzzles = kept()

    def test_the_list_has_no_solution(self) -> None:
        (listed,) = self.puzzles.list(TODAY)["puzzles"]
        assert listed == {
            "game": "connectfour", "title": "Connect Four", "options": example().options,
            "seats": 2, "seat": 1, "position": POSITION, "moves": 2, "wins": True, "match": None,
            "tries": None,
        }  # fmt: skip

    def test_a_right_move_is_answered(self) -> None:
        found = self.puzzles.check(TODAY, "connectfour", ["3"], "alice")
        assert (found["right"], found["solved"], found["replies"]) == (True, False, ["1"])
        assert found["position"] == example().steps[1].position

    def test_all_right_moves_solve_it(self) -> None:
        found = self.puzzles.check(TODAY, "connectfour", ["3", "5"], "alice")
        assert (found["right"], found["solved"], found["move"]) == (True, True, 2)

    def test_a_wrong_move_gets_its_refutation(self) -> None:
        found = self.puzzles.check(TODAY, "connectfour", ["3", "7"], "alice")
        assert (found["right"], found["solved"], found["move"]) == (False, False, 2)
        assert (found["replies"], found["position"]) == (
            [example().steps[1].others["7"][0]],
            example().steps[1].others["7"][1],
        )

    def test_a_wrong_move_has_a_reason(self) -> None:
        assert self.puzzles.check(TODAY, "connectfour", ["7"], "alice")["why"] == "holds"
        assert self.puzzles.check(TODAY, "connectfour", ["3"], "alice")["why"] is None

    def test_the_whole_solution(self) -> None:
        steps = self.puzzles.solution(TODAY, "connectfour")["steps"]
        assert [(each["best"], each["hint"]) for each in steps] == [("3", "twice"), ("5", "wins")]
        assert steps[0]["others"]["7"] == example().steps[0].others["7"]
        with pytest.raises(NoSuchPuzzle):
            self.puzzles.solution(TOMORROW, "connectfour")

    def test_the_first_wrong_move_counts(self) -> None:
        found = self.puzzles.check(TODAY, "connectfour", ["7", "5"], "alice")
        assert (found["right"], found["move"]) == (False, 1)

    def test_no_move_of_the_game(self) -> None:
        for moves in (["8"], [], ["3", "5", "1"]):
            with pytest.raises(IllegalMove):
                self.puzzles.check(TODAY, "connectfour", moves, "alice")

    def test_tomorrows_puzzle_is_secret(self) -> None:
        assert self.puzzles.list(TOMORROW)["puzzles"] == []
        with pytest.raises(NoSuchPuzzle):
            self.puzzles.check(TOMORROW, "connectfour", ["3"], "alice")

    def test_a_game_that_is_no_longer_installed_has_none(self) -> None:
        self.puzzles.add("2026-11-01", example()._replace(game="removed"))
        assert self.puzzles.list("2026-11-01") == {
            "day": "2026-11-01", "puzzles": [], "days": [TODAY],
        }  # fmt: skip

    def test_forgotten_days(self) -> None:
        self.puzzles.forget(TOMORROW)
        assert self.puzzles.list(TODAY)["puzzles"] == []
        assert self.puzzles.has(TOMORROW, "connectfour")

    def test_text(self) -> None:
        content = dump_puzzle(example())
        assert dump_puzzle(load_puzzle(content)) == content


class ApiTests(SynchronousTestCase):
    def get(self, *path: str, **given: str) -> object:
        document = self.successResultOf(kept().answer(path, Given(given)))
        return json.loads(document.content)

    def test_today(self) -> None:
        assert self.get() == self.get(TODAY) == kept().list(TODAY)
        assert self.get(TODAY, "connectfour") == kept().list(TODAY)

    def test_moves(self) -> None:
        found = self.get(TODAY, "connectfour", moves="3,5")
        assert found == kept().check(TODAY, "connectfour", ["3", "5"], "alice")

    def test_the_whole_solution(self) -> None:
        found = self.get(TODAY, "connectfour", whole="1")
        assert found == json.loads(json.dumps(kept().solution(TODAY, "connectfour")))

    def test_nothing_there(self) -> None:
        for path in ((TODAY, "reversi"), (TODAY, "connectfour", "more"), (TOMORROW, "connectfour")):
            with pytest.raises(Refusal) as refused:
                kept().answer(path, Given())
            assert getattr(refused.value, "is_missing", False)

    def test_an_address_counts_once(self) -> None:
        puzzles = kept()
        for host in ("192.0.2.1", "192.0.2.1", "2001:db8::1", "2001:db8::2", "192.0.2.2"):
            given = Given(moves="3,5")
            given.host = host
            self.successResultOf(puzzles.answer((TODAY, "connectfour"), given))
        for who in range(LEAST - 3):
            assert puzzles.list(TODAY)["puzzles"][0]["tries"] is None
            puzzles.check(TODAY, "connectfour", ["7"], f"another {who}")
        assert puzzles.list(TODAY)["puzzles"][0]["tries"] == {"tried": LEAST, "solved": 3}


class EarlierTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.puzzles = kept()
        self.puzzles.add("2026-11-01", example())

    def test_the_newest_day_comes_first_and_tomorrow_is_secret(self) -> None:
        assert self.puzzles.list(TODAY)["days"] == [TODAY, "2026-11-01"]

    def test_nobody_is_counted(self) -> None:
        for who in range(LEAST):
            self.puzzles.check(TODAY, "connectfour", ["3", "5"], f"account {who}")
            found = self.puzzles.check("2026-11-01", "connectfour", ["3", "5"], f"account {who}")
        assert found["solved"] and found["tries"] is None
        assert self.puzzles.list("2026-11-01")["puzzles"][0]["tries"] is None
        assert self.puzzles.list(TODAY)["puzzles"][0]["tries"] is not None


class StreakTests(SynchronousTestCase):
    def streak(self, *days: str) -> Message:
        return streak_of([Solved(day, "connectfour") for day in days], "2026-03-02")

    def test_days_in_a_row_over_the_end_of_a_month(self) -> None:
        found = self.streak("2026-03-02", "2026-03-01", "2026-02-28")
        assert (found["days"], found["best"], found["today"]) == (3, 3, ["connectfour"])

    def test_it_lasts_until_the_end_of_the_next_day(self) -> None:
        assert self.streak("2026-03-01", "2026-02-28")["days"] == 2
        assert self.streak("2026-02-28", "2026-02-27")["days"] == 0

    def test_the_best_one_stays(self) -> None:
        found = self.streak("2026-03-02", "2026-01-03", "2026-01-02")
        assert (found["days"], found["best"], found["last"]) == (1, 2, ["2026-03-02"])

    def test_two_games_of_a_day_are_a_day(self) -> None:
        solved = [Solved("2026-03-02", "connectfour"), Solved("2026-03-02", "reversi")]
        assert streak_of(solved, "2026-03-02")["days"] == 1

    def test_none(self) -> None:
        assert self.streak() == {"days": 0, "best": 0, "last": [], "today": []}


class RequestTests(LobbyCase):
    def setUp(self) -> None:
        super().setUp()
        self.store = MemoryStore()
        self.store.start()
        self.server.lobby.extend(kept(self.store))

    def test_without_a_login(self) -> None:
        (answer,) = Person(self.server).ask("puzzle")
        assert answer["puzzles"] == kept().list(TODAY)["puzzles"]

    def test_a_move(self) -> None:
        (answer,) = self.alice.ask("puzzle", game="connectfour", moves=["3"])
        assert answer["right"] is True

    def test_a_solution_counts_for_an_account(self) -> None:
        (listed,) = self.alice.ask("puzzle")
        assert listed["streak"]["days"] == 0
        (solved,) = self.alice.ask("puzzle", game="connectfour", moves=["3", "5"])
        again = self.alice.ask("puzzle", game="connectfour", moves=["3", "5"])
        assert solved["streak"] == again[0]["streak"]
        assert (solved["streak"]["days"], solved["streak"]["today"]) == (1, ["connectfour"])

    def test_a_part_of_a_solution_and_the_look_at_it_count_for_nothing(self) -> None:
        self.alice.ask("puzzle", game="connectfour", moves=["3"])
        self.alice.ask("puzzle", game="connectfour", whole=True)
        assert PuzzleTables(self.store.database).solved("alice") == []

    def test_a_stranger_has_no_streak(self) -> None:
        (answer,) = Person(self.server).ask("puzzle", game="connectfour", moves=["3", "5"])
        assert answer["solved"] is True and "streak" not in answer

    def test_an_account_is_counted_once_and_its_guests_by_their_address(self) -> None:
        names = ("carol", "vera")
        people = [self.alice, self.bob, *(Person(self.server, name) for name in names)]
        for person in (*people, self.alice, Person(self.server), Person(self.server)):
            (answer,) = person.ask("puzzle", game="connectfour", moves=["7"])
            assert answer["tries"] is None
        (answer,) = self.alice.ask("puzzle", game="connectfour", moves=["3", "5"])
        assert answer["tries"] == {"tried": 5, "solved": 1}

    def test_an_earlier_puzzle_counts_for_no_streak(self) -> None:
        puzzles = kept(self.store)
        puzzles.add("2026-11-28", example())
        self.server.lobby.extend(puzzles)
        asked = {"day": "2026-11-28", "game": "connectfour", "moves": ["3", "5"]}
        (answer,) = self.alice.ask("puzzle", **asked)
        assert answer["solved"] and "streak" not in answer
        assert PuzzleTables(self.store.database).solved("alice") == []

    def test_a_database_that_is_away(self) -> None:
        self.store.close()
        assert self.alice.error("puzzle") == "archive-away"

    def test_the_whole_solution_of_no_game(self) -> None:
        assert self.alice.error("puzzle", whole=True) == "malformed"

    def test_moves_of_no_game(self) -> None:
        assert self.alice.error("puzzle", moves=["3"]) == "malformed"

    def test_another_day(self) -> None:
        asked = {"day": "2026-11-28", "game": "connectfour"}
        assert self.alice.error("puzzle", **asked) == "no-such-puzzle"
