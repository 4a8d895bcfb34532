"""Series over HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from tests.plugins.tournament.ladder.term import SERIES, Term
from tictac.accounts.keepers import remove
from tictac.plugins.tournament.ladder.pages import SeriesPages
from tictac.plugins.tournament.ladder.refusals import NoSuchSeries
from tictac.plugins.web.api import Document

DAY = "term-270115"


class Site:
    """A term whose series is shown."""

    def __init__(self, *names: str, **plan: Any) -> None:
        self.term = Term(*names, **plan)
        self.term.settle()
        self.pages = SeriesPages(self.term.keeper, self.term.stage.follower)

    def play(self, *names: str, rounds: int) -> None:
        """Let the first player by name win so many rounds."""
        self.term.enter(*(each for each in names if self.number_of(each) is None))
        for _ in range(rounds):
            self.term.settle()
            assert self.term.end_games(lambda one, other: float(one < other))

    def number_of(self, name: str) -> int | None:
        known = self.term.stage.follower.known[self.term.known.current or ""]
        return known.cup.number_of(name)

    def get(self, *path: str, **given: str) -> Any:
        """Return an answer, or a Failure."""
        found: list[Document | Failure] = []
        self.pages.answer(path, given).addBoth(found.append)
        self.term.stage.clock.pump([0.01] * 20)
        [answer] = found
        return answer if isinstance(answer, Failure) else json.loads(answer.content)


def test_the_list_says_what_is_played_now() -> None:
    site = Site("ann", "bob")
    [head] = site.get()["series"]
    assert (head["id"], head["title"], head["kind"], head["tournament"]) == (
        SERIES, "Nim", "day", DAY,
    )  # fmt: skip
    assert head["until"] == "2027-01-15T23:30:00Z" and head["opens"] == "2027-01-16T06:00:00Z"


def test_at_night_no_arena_closes() -> None:
    site = Site("ann", "bob", night="none")
    site.term.go_to("2027-01-15 23:40")
    [head] = site.get()["series"]
    assert (head["tournament"], head["kind"], head["until"]) == (None, None, None)
    assert head["opens"] == "2027-01-16T06:00:00Z"


def test_standings_have_the_record_and_the_form() -> None:
    site = Site("ann", "bob", "cat")
    site.play("ann", "bob", rounds=12)
    ann, bob, cat = site.get(SERIES)["standings"]
    assert [ann["user"], bob["user"], cat["user"]] == ["ann", "bob", "cat"]
    assert (ann["won"], ann["drawn"], ann["lost"], ann["games"]) == (12, 0, 0, 12)
    assert (ann["form"], bob["form"], cat["form"]) == ("w" * 10, "l" * 10, "")
    assert site.get(SERIES, first="2")["standings"] == [bob, cat]


def test_a_player_has_opponents_and_matches() -> None:
    site = Site("ann", "bob", "cat")
    site.play("ann", "bob", rounds=3)
    found = site.get(SERIES, "players", "bob")
    assert found["against"] == [{"user": "ann", "level": None, "won": 0, "drawn": 0, "lost": 3}]
    assert [(each["user"], each["score"], each["how"]) for each in found["matches"]] == [
        ("ann", 0, "won")
    ] * 3
    assert sorted(each["seat"] for each in found["matches"]) in ([0, 0, 1], [0, 1, 1])
    cat = site.get(SERIES, "players", "cat")
    assert cat["matches"] == [] and cat["history"] == []
    site.get(SERIES, "players", "eve").trap(NoSuchSeries)


def test_a_level_is_a_player() -> None:
    site = Site("ann", levels=["best"])
    site.play("ann", rounds=2)
    [against] = site.get(SERIES, "players", ":best")["against"]
    assert against["user"] == "ann" and against["won"] + against["lost"] == 2


@pytest.mark.parametrize("is_killed", [False, True])
def test_the_last_matches_survive_the_night_and_the_process(is_killed: bool) -> None:
    site = Site("ann", "bob", night="none")
    site.play("ann", "bob", rounds=3)
    site.get(SERIES)
    site.term.go_to("2027-01-16 06:00")
    if is_killed:
        site.term.kill()
        site.term.settle()
        site.pages = SeriesPages(site.term.keeper, site.term.stage.follower)
    site.play("ann", "bob", rounds=1)
    bob = site.get(SERIES)["standings"][-1]
    assert (bob["games"], bob["form"]) == (4, "llll")
    assert len(site.get(SERIES, "players", "bob")["matches"]) == 4


def test_a_week_has_a_change_of_rating_and_rank() -> None:
    site = Site("ann", "bob", "cat", night="none")
    site.play("ann", "bob", rounds=3)
    [ann, *_] = site.get(SERIES)["standings"]
    assert (ann["user"], ann["week"], ann["climbed"]) == ("ann", None, None)
    site.term.go_to("2027-01-16 06:00")  # the day before is counted
    history = [{"day": "2027-01-16", "rating": ann["rating"]}]
    assert site.get(SERIES, "players", "ann")["history"] == history
    site.term.go_to("2027-01-22 12:00")
    assert site.get(SERIES)["standings"][0]["week"] is None
    site.term.go_to("2027-01-23 12:00")
    assert [each["week"] for each in site.get(SERIES)["standings"]] == [0, 0, None]
    site.term.enter("ann", "bob")
    for _ in range(6):
        site.term.settle()
        assert site.term.end_games(lambda one, other: float(one > other))
    bob, now, cat = site.get(SERIES)["standings"]
    assert [bob["user"], cat["user"]] == ["bob", "cat"]
    assert (bob["climbed"], now["climbed"], cat["climbed"]) == (1, -1, None)
    assert bob["week"] > 0 and now["week"] == now["rating"] - ann["rating"] < 0
    site.term.go_to("2027-01-24 06:00")
    assert [each["day"] for each in site.get(SERIES, "players", "ann")["history"]] == [
        "2027-01-16", "2027-01-24",
    ]  # fmt: skip


def test_an_answer_is_made_once_for_all() -> None:
    site = Site("ann", "bob")
    first, second = (site.pages.answer([SERIES], {}) for _ in range(2))
    site.term.stage.clock.pump([0.01] * 20)
    assert first.result is second.result


@pytest.mark.parametrize("path", [["none"], [SERIES, "games"], [SERIES, "players"]])
def test_of_what_there_is_not_it_says_so(path: list[str]) -> None:
    Site("ann").get(*path).trap(NoSuchSeries)


def test_a_removed_account_is_forgotten_at_once() -> None:
    site = Site("ann", "bob", "eve")
    site.play("ann", "bob", "eve", rounds=2)
    site.term.go_to("2027-01-16 07:00")  # that is counted, and today has games, too
    site.play("ann", "bob", "eve", rounds=2)
    assert "ann" in json.dumps([site.get(SERIES), site.get(SERIES, "players", "bob")])
    database = site.term.store.database
    remove(database, "ann")
    site.term.keeper.removed("ann")
    for tournament in site.term.known.tournaments:
        site.term.stage.pass_time(1)
        Deferred.fromCoroutine(site.term.stage.follower.read_again(tournament))
    assert "ann" not in json.dumps([site.get(SERIES), site.get(SERIES, "players", "bob")])
