"""The results of an account by game and level, from its archive."""

from __future__ import annotations

from tests.archive.helpers import ALICE, BOB, COMPUTER, archive_of, match
from tests.plugins.days.case import follow_games
from tests.protocols.lobby.case import LobbyCase
from tests.protocols.lobby.helpers import Message, Person
from tests.storage.memory import MemoryStore
from tictac.archive.match import Match, Player
from tictac.plugins.days.record import LAST, record_of

PIP = Player("computer", "computer", "beginner")
OTHER = Player("computer 2", "computer", "club")


def record(*matches: Match) -> list[Message]:
    """Return the record of alice, who has the first seat; the last match is the newest."""
    return record_of([(each, 0) for each in reversed(matches)])


def test_results_are_counted_by_level() -> None:
    best, pip = record(
        match("m1", ALICE, PIP), match("m2", ALICE, PIP, winner=1),
        match("m3", ALICE, COMPUTER, winner=None, ending="agreed"),
    )  # fmt: skip
    assert (pip["level"], pip["won"], pip["lost"], pip["drawn"]) == ("beginner", 1, 1, 0)
    assert pip["last"] == ["lost", "won"]
    assert (best["level"], best["drawn"], best["best"]) == ("best", 1, None)


def test_people_and_levels_that_differ_have_none() -> None:
    people, mixed = match("m1"), match("m2", ALICE, PIP, OTHER)
    (found,) = record(people, mixed)
    assert (found["level"], found["won"]) == (None, 2)


def test_the_best_is_the_shortest_win_that_was_played_out() -> None:
    short = match("m2", ALICE, PIP)._replace(ending="forfeited", events=match().events[-1:])
    (found,) = record(match("m1", ALICE, PIP), short)
    assert (found["won"], found["best"]) == (2, 5)


def test_the_last_results_are_few() -> None:
    (found,) = record(*[match(f"m{number}") for number in range(LAST + 3)])
    assert (found["won"], len(found["last"])) == (LAST + 3, LAST)


class RequestTests(LobbyCase):
    def open_archive(self, archive: MemoryStore | None) -> Person:
        self.serve(archive=archive)
        follow_games(self.server)
        return self.alice

    def ask(self, person: Person, **fields: str) -> list[Message]:
        (answer,) = person.ask("record", **fields)
        found: list[Message] = answer["record"]
        return found

    def test_the_games_of_an_account(self) -> None:
        later = match("m2", BOB, ALICE, game="connectfour", began=1_800_000_000.0)
        alice = self.open_archive(archive_of(match(), later))
        four, toe = self.ask(alice)
        assert (four["game"], four["lost"], toe["game"], toe["won"]) == (
            "connectfour", 1, "tictactoe", 1,
        )  # fmt: skip
        assert toe["played"] == "2023-11-14T22:13:22.625Z"
        assert self.ask(alice, game="tictactoe") == [toe]

    def test_a_guest_is_no_account(self) -> None:
        self.open_archive(archive_of(match("m1", Player("alice", "guest"), BOB)))
        assert self.ask(self.alice) == []

    def test_without_an_archive(self) -> None:
        assert self.open_archive(None).error("record") == "no-archive"
