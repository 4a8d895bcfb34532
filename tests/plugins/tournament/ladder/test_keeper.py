"""The tournaments of a series, made at their times, and the sums of their games."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from unittest.mock import patch

from twisted.internet.defer import Deferred

from tests.plugins.tournament.ladder.term import SERIES, Term
from tictac.plugins.tournament.cup import Cup, CupGame
from tictac.plugins.tournament.cup_plan import MOST_PLAYERS
from tictac.plugins.tournament.ladder.keeper import (
    RANKED_FOR,
    Keeper,
    games_of,
    losses_of,
    tally_of,
)
from tictac.plugins.tournament.ladder.ranking import Sums

DAY, NIGHT, NEXT = "term-270115", "term-270115n", "term-270116"


def of(term: Term, tournament: str) -> list[str]:
    """Return the names of those who have entered a tournament."""
    return [entry.name for entry in term.stage.follower.known[tournament].cup.entries.values()]


def play(term: Term, *names: str, rounds: int = 4) -> None:
    """Let players come to the arena of now, and play some games."""
    term.enter(*names)
    for _ in range(rounds):
        term.settle()
        assert term.end_games()


# Days


def test_the_arena_of_a_day_opens_in_its_hours() -> None:
    term = Term("ann", "bob")
    term.settle()
    cup = term.stage.follower.known[DAY].cup
    assert cup.plan.is_arena and cup.plan.game == "nim" and not cup.entries
    assert term.known.current == DAY


def test_an_arena_waits_for_players_until_its_end() -> None:
    term = Term("ann", "bob")
    term.settle()
    term.go_to("2027-01-15 20:00")
    play(term, "ann", "bob", rounds=1)
    assert term.stage.follower.known[DAY].cup.phase == "running"


def test_an_arena_without_players_is_counted_too() -> None:
    term = Term("ann", "bob")
    term.settle()
    term.go_to("2027-01-15 23:30:30")
    assert term.tables().tournaments(SERIES) == {DAY: ("day", True)}
    assert term.known.current is None


def test_levels_take_part_from_the_beginning() -> None:
    term = Term("ann", levels=["beginner", "best"])
    term.settle()
    assert of(term, DAY) == ["computer", "computer 2"]
    levels = [each.level for each in term.stage.follower.known[DAY].cup.players]
    assert levels == ["beginner", "best"]


def test_after_days_without_a_server_only_the_current_one_is_made() -> None:
    term = Term("ann", "bob")
    term.settle()
    term.go_to("2027-01-20 12:00")
    assert list(term.tables().tournaments(SERIES)) == [DAY, "term-270120"]


# Nights


def test_a_night_has_those_who_played_by_day() -> None:
    term = Term("ann", "bob", "eve")
    term.settle()
    play(term, "ann", "bob")
    term.go_to("2027-01-15 23:31")
    assert sorted(of(term, NIGHT)) == ["ann", "bob"]
    assert term.stage.follower.known[NIGHT].cup.plan.system == "round-robin"


def test_a_night_waits_for_the_last_game_of_the_day() -> None:
    term = Term("ann", "bob", clock={"initial": 600})
    term.go_to("2027-01-15 23:28")
    play(term, "ann", "bob")
    term.settle()
    for room, names in term.stage.rooms().items():
        for name in names:
            term.stage.come(name, room)
    term.go_to("2027-01-15 23:31")
    assert NIGHT not in term.stage.follower.known
    term.end_games()
    term.settle()
    assert term.known.current == NIGHT


def test_a_night_is_over_when_the_next_arena_opens() -> None:
    term = Term("ann", "bob", games=20)
    term.settle()
    play(term, "ann", "bob")
    term.go_to("2027-01-15 23:31")
    term.settle()
    term.go_to("2027-01-16 06:01")
    assert term.stage.follower.known[NIGHT].cup.phase == "over"
    assert term.known.current == NEXT
    assert term.tables().tournaments(SERIES)[NIGHT] == ("night", True)


def test_pairs_that_have_not_changed_rest_at_night() -> None:
    term = Term("ann", "bob", "eve", enough=3)
    term.settle()
    play(term, "ann", "bob", rounds=6)
    play(term, "eve", rounds=2)
    term.go_to("2027-01-15 23:31")
    for _ in range(20):
        term.settle(30)
        term.end_games()
    games = term.stage.follower.known[NIGHT].cup.games.values()
    names = term.stage.follower.known[NIGHT].cup.names
    met = {tuple(sorted(names(game))) for game in games}
    assert met and ("ann", "bob") not in met


def test_a_new_version_plays_its_pairs_again() -> None:
    term = Term("ann", "bob", enough=3)
    term.settle()
    play(term, "ann", "bob", rounds=6)
    term.go_to("2027-01-15 23:31")
    assert term.known.current is None
    assert term.tables().pairs(SERIES)["ann", "bob"].fresh >= 3
    term.tables().enter(SERIES, "ann", "2", 1)
    assert term.tables().pairs(SERIES)["ann", "bob"].fresh == 0
    term.kill()
    term.settle()
    assert term.known.current == NIGHT


def test_levels_do_not_play_each_other() -> None:
    term = Term("ann", "bob", levels=["beginner", "best"])
    term.settle()
    play(term, "ann", "bob", rounds=8)
    term.go_to("2027-01-15 23:31")
    for _ in range(30):
        term.settle(30)
        term.end_games()
    assert term.known.tally and not any(
        one.startswith(":") and other.startswith(":") for one, other in term.sums()
    )
    night = term.stage.follower.known[NIGHT].cup
    pairs = [
        [night.entries[number].level for number in game.seats] for game in night.games.values()
    ]
    assert pairs and all(None in pair for pair in pairs)


# Sums


def test_games_count_while_their_tournament_is_played() -> None:
    term = Term("ann", "bob")
    term.settle()
    play(term, "ann", "bob")
    done: list[object] = []
    Deferred.fromCoroutine(term.keeper.rank(term.known)).addBoth(done.append)
    term.settle(1)
    assert done == [None] and set(term.known.estimates) == {"ann", "bob"}
    assert not term.tables().pairs(SERIES)


def test_many_who_ask_for_standings_cost_one_ranking() -> None:
    term, read = Term("ann", "bob"), list[Cup]()
    term.settle()
    play(term, "ann", "bob")

    def counted(cup: Cup) -> Iterator[tuple[CupGame, list[str]]]:
        read.append(cup)
        return games_of(cup)

    with patch(f"{Keeper.__module__}.games_of", counted):
        for _ in range(20):
            Deferred.fromCoroutine(term.keeper.rank(term.known))
        term.stage.clock.pump([0.01] * 20)
        assert len(read) == 1 and set(term.known.estimates) == {"ann", "bob"}
        term.stage.clock.advance(RANKED_FOR)
        Deferred.fromCoroutine(term.keeper.rank(term.known))
        term.stage.clock.pump([0.01] * 20)
        assert len(read) == 2


def test_absences_are_no_games() -> None:
    term = Term("ann", "bob")
    term.settle()
    term.enter("ann", "bob")
    term.settle()
    term.stage.append_line(["ended", 1, [1, 0], "absent", None], DAY)
    cup = term.stage.follower.known[DAY].cup
    assert tally_of(cup) == {} and losses_of(cup) in (
        {"bob": {"absent": 1}},
        {"ann": {"absent": 1}},
    )


def test_a_tournament_counts_once_however_often_the_process_is_killed() -> None:
    term = Term("ann", "bob")
    term.settle()
    play(term, "ann", "bob")
    term.go_to("2027-01-15 23:30:10")
    counted = term.sums()
    assert counted == term.folded()
    cup = term.stage.follower.known[DAY].cup
    term.tables().count(SERIES, DAY, tally_of(cup), losses_of(cup), {}, 0)
    assert term.sums() == counted


def test_removed_accounts_leave_no_sums() -> None:
    term = Term("ann", "bob", "eve")
    term.settle()
    play(term, "ann", "bob", "eve", rounds=6)
    term.go_to("2027-01-15 23:31")
    assert any("ann" in pair for pair in term.sums())
    term.store.database.execute("DELETE FROM users WHERE name = ?", ("ann",))
    assert not any("ann" in pair for pair in term.sums())
    assert [player.name for player in term.tables().players(SERIES)] == ["bob", "eve"]


def test_a_term_of_killed_processes_counts_each_game_once() -> None:
    """Two weeks, 24 bots, and a process that is killed at random, in each state of a day."""
    names = [f"bot{number:02}" for number in range(24)]
    term, rng = Term(*names, levels=["beginner"], enough=6), Random(2)
    killed = played = 0
    for day in range(15, 29):
        for clock in ("08:00", "15:00", "23:29:50", "23:30:20"):
            term.go_to(f"2027-01-{day} {clock}")
            for _ in range(3):
                if rng.random() < 0.3:
                    term.kill()
                    killed += 1
                    term.settle(rng.choice([0.5, 5, 12]))
                current = term.stage.follower.known.get(term.known.current or "")
                if current is not None and current.cup.plan.is_arena:
                    there = [
                        each for each in rng.sample(names, 8) if current.cup.number_of(each) is None
                    ]
                    if current.cup.phase != "over":
                        term.enter(*there)
                term.settle()
                played += term.end_games()
    term.go_to("2027-02-01 12:00")
    term.settle()
    assert killed > 20 and played > 500
    assert term.sums() == term.folded()
    assert sum(map(sum, term.sums().values())) > 500


# The end


def finish(term: Term, strength: dict[str, float]) -> None:
    rng = Random(3)

    def decide(one: str, other: str) -> float:
        gap = strength[one] - strength[other]
        return float(rng.random() < 1 / (1 + 10 ** (-gap / 400)))

    for _ in range(500):
        term.settle(25)
        term.end_games(decide)
        if term.known.state == "over":
            return


def test_after_the_end_of_a_series_only_finals_are_played() -> None:
    term = Term("ann", "bob", ends="2027-01-15T12:00:00Z")
    term.settle()
    play(term, "ann", "bob")
    term.go_to("2027-01-15 12:00:30")
    assert term.known.state == "frozen"
    term.settle(30)
    assert term.known.current == "term-f1"
    assert term.tables().tournaments(SERIES)[DAY] == ("day", True)


def test_finals_end_when_the_errors_separate_the_ranks() -> None:
    term = Term("ann", "bob", "eve", ends="2027-01-15T12:00:00Z", games=10)
    term.settle()
    play(term, "ann", "bob", "eve", rounds=6)
    term.go_to("2027-01-15 12:00:30")
    finish(term, {"ann": 0, "bob": 400, "eve": 800})
    assert term.known.state == "over"
    found = term.known.estimates
    assert found["eve"].rating > found["bob"].rating > found["ann"].rating


def test_finals_of_equals_end_after_the_most_games() -> None:
    term = Term("ann", "bob", ends="2027-01-15T12:00:00Z", most=30)
    term.settle()
    play(term, "ann", "bob")
    term.go_to("2027-01-15 12:00:30")
    finish(term, {"ann": 0, "bob": 0})
    assert term.known.state == "over"
    games = term.tables().pairs(SERIES)["ann", "bob"].games
    assert games <= 30 + 4


def test_a_series_that_is_ended_counts_its_last_games() -> None:
    term = Term("ann", "bob")
    term.settle()
    play(term, "ann", "bob")
    Deferred.fromCoroutine(term.keeper.change(term.known, "over", term.known.plan))
    term.settle()
    assert term.sums() == term.folded() and term.sums()
    assert term.known.current is None


def test_finals_without_players_end() -> None:
    term = Term("ann", "bob", ends="2027-01-15T12:00:00Z")
    term.settle()
    play(term, "ann", "bob")
    term.go_to("2027-01-15 12:00:30")
    for _ in range(60):
        term.settle(120)
    assert term.known.state == "over"


def test_more_players_than_a_round_robin_takes() -> None:
    names = [f"bot{number:03}" for number in range(MOST_PLAYERS["round-robin"] + 10)]
    term = Term(*names)
    term.settle()
    play(term, *names, rounds=3)
    term.go_to("2027-01-15 23:31")
    for _ in range(3):
        term.end_games()
        term.settle()
    night = term.stage.follower.known[NIGHT].cup
    assert night.plan.system == "swiss" or len(night.entries) == MOST_PLAYERS["round-robin"]


def test_sums_of_a_pair_are_in_alphabetical_order() -> None:
    term = Term("ann", "bob")
    term.settle()
    term.enter("bob", "ann")
    term.settle()
    term.end_games(lambda one, other: float(one == "bob"))
    assert tally_of(term.stage.follower.known[DAY].cup) == {("ann", "bob"): Sums(0, 0, 1, 1)}
