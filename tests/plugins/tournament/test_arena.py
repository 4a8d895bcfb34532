"""Who meets whom in an arena: nobody waits for long, and nobody plays the same player at once."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import pairwise
from math import inf
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.plugins.tournament.cups import absent, cup_of, due, go_on
from tictac.plugins.tournament.arena import AGAIN, Form, Pair, pairings
from tictac.plugins.tournament.cup import CupGame, Line
from tictac.plugins.tournament.deciding import PATIENCE, WAVE, decide

LULL = 10.0

Wave = tuple[dict[int, Form], dict[int, float]]


# A wave


@some.composite
def waves(draw: some.DrawFn) -> Wave:
    """Free players after any games that could have been, with their points."""
    count = draw(some.integers(2, 14))
    players = range(1, count + 3)
    forms = {each: Form(since=each) for each in players}
    both = some.tuples(some.sampled_from(players), some.sampled_from(players))
    for game, (one, other) in enumerate(draw(some.lists(both)), 1):
        if one != other:
            first, second, line = forms[one], forms[other], len(players) + game
            forms[one] = first.after(second, game, other, 1, line)
            forms[other] = second.after(first, game, one, -1, line)
    free = draw(some.permutations(players))[:count]
    points = {each: draw(some.integers(0, 20)) / 2 for each in players}
    return {each: forms[each] for each in free}, points


@given(waves())
def test_all_who_can_be_paired_are(wave: Wave) -> None:
    free, points = wave
    pairs = pairings(free, points)
    paired = [each for pair in pairs for each in pair]
    assert len(set(paired)) == len(paired) and set(paired) <= free.keys()
    assert not any(free[one].has_just_met(free[other]) for one, other in pairs)
    one, other, *more = free.values()
    assert len(pairs) == (len(free) // 2 if more or not one.has_just_met(other) else 0)


@given(waves())
def test_who_became_free_last_sits_out(wave: Wave) -> None:
    free, points = wave
    pairs = pairings(free, points)
    if len(free) % 2:
        (out,) = free.keys() - {each for pair in pairs for each in pair}
        latest = max(free, key=lambda each: (free[each].since, free[each].before))
        if (free[out].since, free[out].before) != (free[latest].since, free[latest].before):
            # Only if the two others of three have just met, another one sits out.
            one, other = free.keys() - {latest}
            assert free[one].has_just_met(free[other])


@given(waves())
def test_pairs_are_the_nearest(wave: Wave) -> None:
    free, points = wave
    free = {each: free[each] for each in [*free][: len(free) // 2 * 2][:8]}
    if found := pairings(free, points):
        assert far(found, free, points) <= best([*free], free, points) + 0.01


def far(pairs: list[Pair], free: dict[int, Form], points: dict[int, float]) -> float:
    total = 0.0
    for one, other in pairs:
        again = (free[one].opponent == other) + (free[other].opponent == one)
        total += abs(points[one] - points[other]) + AGAIN * again
        total += inf if free[one].has_just_met(free[other]) else 0
    return total


def best(left: list[int], free: dict[int, Form], points: dict[int, float]) -> float:
    """Return how far the nearest pairs are apart, by trying all."""
    if not left:
        return 0
    first, *others = left
    return min(
        far([(first, each)], free, points)
        + best([other for other in others if other != each], free, points)
        for each in others
    )


def test_a_wave_takes_linear_time() -> None:
    """Each player is compared with the five next ones, so that 200 take a few milliseconds."""

    class Points(dict[int, float]):
        looked_at = 0

        def __getitem__(self, number: int) -> float:
            self.looked_at += 1
            return super().__getitem__(number)

    points = Points({number: number % 7 / 2 for number in range(200)})
    assert len(pairings({number: Form(since=number) for number in points}, points)) == 100
    assert points.looked_at <= 200 * (1 + 2 * 5)


# An arena


class Arena:
    """An arena of players whose games last ``seconds``; the machine looks once a second, as a host.

    ``waits`` has for each player how long each wait took, and how many games others began meanwhile
    and ended: at most so many.
    """

    def __init__(self, count: int, seed: int, seconds: Callable[[CupGame], float]) -> None:
        self.rng, self.seconds, self.now = Random(seed), seconds, 0.0
        self.cup = cup_of("arena", count)
        self.ats = [0.0] * self.cup.lines
        self.ends: list[tuple[float, int]] = []
        self.free = dict.fromkeys(self.cup.entries, 0.0)
        self.began: dict[int, list[float]] = {each: [] for each in self.cup.entries}
        self.waits: dict[int, list[tuple[float, int]]] = {each: [] for each in self.cup.entries}

    def append_line(self, line: Line) -> None:
        self.cup = self.cup.add(line)
        self.ats.append(self.now)

    def lulls(self, line: int) -> float:
        return (self.now - self.ats[line - 1]) / LULL

    def frees(self, number: int) -> None:
        self.free[number] = self.now
        self.began.setdefault(number, [])
        self.waits.setdefault(number, [])

    def waited(self, number: int) -> None:
        since = self.free.pop(number)
        others = [
            sum(at > since for at in began)
            for other, began in self.began.items() if other != number
        ]  # fmt: skip
        self.waits[number].append((self.now - since, max(others)))

    def look(self) -> None:
        while line := decide(self.cup, False, self.lulls):
            self.append_line(line)
            if line[0] == "ended":  # a player was removed
                self.ended(line[1])
                continue
            paired = [each for _, seats in line[2] for each in seats]
            for each in paired:
                self.waited(each)
            for each in paired:
                self.began[each].append(self.now)
            for number, _ in line[2]:
                heappush(self.ends, (self.now + self.seconds(self.cup.games[number]), number))
        forms = [self.cup.forms[each] for each in self.free]
        if len(forms) > 2 or (len(forms) == 2 and not forms[0].has_just_met(forms[1])):
            # Whenever some can be paired, they are after a lull at the latest.
            assert self.now - min(self.free.values()) <= LULL + 1

    def pass_time(self, seconds: float) -> None:
        until = self.now + seconds
        while self.now < until:
            self.look()
            next_end = self.ends[0][0] if self.ends else inf
            self.now = min(next_end, int(self.now) + 1.0)
            if self.now == next_end:
                self.end(heappop(self.ends)[1])

    def end(self, number: int) -> None:
        if number not in self.cup.open:
            return
        seats = self.cup.games[number].seats
        won = self.rng.random() < 0.5 + 0.01 * (seats[1] - seats[0])
        self.append_line(["ended", number, [float(won), float(not won)], "won", None])
        self.ended(number)

    def ended(self, number: int) -> None:
        for each in self.cup.games[number].seats:
            if self.cup.entries[each].state == "in":
                self.frees(each)

    def games(self) -> dict[int, int]:
        """Return the number of games of each player."""
        found = dict.fromkeys(self.cup.entries, 0)
        for game in self.cup.games.values():
            for each in game.seats:
                found[each] += 1
        return found

    def check(self) -> None:
        """Nobody waited longer than two games of the others, and nobody waits so long now."""
        for each in [*self.free]:
            self.waited(each)
        assert max(games for each in self.waits.values() for _, games in each) <= 2

    # What players do

    def enter(self, name: str) -> None:
        self.append_line(["entered", name, None, None])
        self.frees(len(self.cup.entries))

    def pause(self, number: int) -> None:
        self.append_line(["paused", number, "self"])
        self.free.pop(number, None)

    def resume(self, number: int) -> None:
        self.append_line(["resumed", number])
        if number not in self.cup.busy():
            self.frees(number)

    def withdraw(self, number: int) -> None:
        self.append_line(["withdrew", number, "removed"])
        self.free.pop(number, None)


@pytest.mark.parametrize("count", range(2, 41))
def test_nobody_waits_longer_than_two_games_of_others(count: int) -> None:
    arena = Arena(count, count, lambda game: 0.0)
    arena.seconds = lambda game: arena.rng.uniform(20, 60)
    arena.pass_time(600)
    arena.check()
    games = arena.games().values()
    assert min(games) >= 0.5 * max(games)
    assert max(seconds for each in arena.waits.values() for seconds, _ in each) <= 60 + LULL


@pytest.mark.parametrize("count", range(2, 41))
def test_games_of_very_different_length(count: int) -> None:
    """The games of every third player last up to ten minutes, those of programs no second."""
    arena = Arena(count, count, lambda game: 0.0)

    def seconds(game: CupGame) -> float:
        kinds = {each % 3 for each in game.seats}
        long = 600.0 if 0 in kinds else 60.0 if 1 in kinds else 0.5
        return arena.rng.uniform(long / 5, long)

    arena.seconds = seconds
    arena.pass_time(800)
    arena.check()


@pytest.mark.parametrize("count", range(3, 41))
def test_players_come_late_pause_come_back_and_leave(count: int) -> None:
    arena = Arena(count, count, lambda game: 0.0)
    rng = arena.rng
    arena.seconds = lambda game: rng.uniform(5, 60)
    for late in range(30):
        arena.pass_time(rng.uniform(1, 40))
        entry = arena.cup.entries[rng.randrange(len(arena.cup.entries)) + 1]
        if len(arena.cup.available) > 2 and entry.state == "in":
            (arena.pause if rng.random() < 0.8 else arena.withdraw)(entry.number)
        elif entry.state == "paused":
            arena.resume(entry.number)
        if rng.random() < 0.3:
            arena.enter(f"late {late}")
    arena.pass_time(120)
    arena.check()


def test_many_newcomers_do_not_overtake_who_waits() -> None:
    arena = Arena(3, 1, lambda game: 30.0)
    for nth in range(40):
        arena.pass_time(5)
        arena.enter(f"a{nth}")
        arena.enter(f"b{nth}")
    arena.check()


def test_an_arena_of_three_rotates() -> None:
    arena = Arena(3, 1, lambda game: 30.0)
    arena.pass_time(600)
    pairs = [frozenset(game.seats) for game in arena.cup.games.values()]
    assert len(pairs) == 20
    assert all(len({*pairs[nth : nth + 3]}) == 3 for nth in range(18))


@pytest.mark.parametrize("count", [5, 10, 20])
def test_few_play_the_same_player_twice_in_a_row(count: int) -> None:
    arena = Arena(count, 1, lambda game: 0.0)
    arena.seconds = lambda game: arena.rng.uniform(20, 60)
    arena.pass_time(1200)
    for each in arena.cup.entries:
        mine = [game for game in arena.cup.games.values() if each in game.seats]
        both = [set(one.seats) == set(other.seats) for one, other in pairwise(mine)]
        assert sum(both) <= len(both) // 5


def test_four_whose_games_end_apart_meet_each_other() -> None:
    """The pause before the same two play again grows, until the two others are free, too."""
    arena = Arena(4, 1, lambda game: 50.0 + 15.0 * (game.number == 2))
    arena.pass_time(1200)
    pairs = {frozenset(game.seats) for game in arena.cup.games.values()}
    assert len(pairs) == 6


def test_two_of_four_play_on_while_the_others_play_a_long_game() -> None:
    arena = Arena(4, 1, lambda game: 3000.0 if game.number == 2 else 30.0)
    arena.pass_time(900)
    assert len(arena.cup.games) > 900 // (30 + PATIENCE * LULL)


def test_two_alone_play_on() -> None:
    arena = Arena(2, 1, lambda game: 30.0)
    arena.pass_time(600)
    assert len(arena.cup.games) == 20


def test_half_of_the_players_or_ten_make_a_wave() -> None:
    cup = go_on(cup_of("arena", 60))
    for number in range(1, 6):
        assert decide(cup) is None
        cup = cup.add(["ended", number, [1, 0], "won", None])
    assert len(due(go_on(cup))) == 30


def test_after_a_lull_few_are_paired() -> None:
    cup = go_on(cup_of("arena", 60))
    for number in (1, 2):
        cup = cup.add(["ended", number, [1, 0], "won", None])
    assert decide(cup) is None
    line = decide(cup, lulls=lambda line: 1)
    assert line is not None and {*map(tuple, (seats for _, seats in line[2]))} == {(1, 3), (2, 4)}


def test_a_large_arena_is_paired_in_parts() -> None:
    line = decide(cup_of("arena", WAVE + 10))
    assert line is not None and len(line[2]) == WAVE // 2
    assert {each for _, seats in line[2] for each in seats} == set(range(1, WAVE + 1))
    assert len(due(go_on(cup_of("arena", WAVE + 10)))) == WAVE // 2 + 5


def test_who_waited_for_an_absent_player_waits_on() -> None:
    cup = go_on(cup_of("arena", 3))  # p1 and p2 play, p3 waits
    cup = cup.add(["ended", 1, [1, 0], "won", None])
    cup = go_on(cup)
    assert due(cup) == [("p3", "p1")]
    cup = go_on(absent(cup, "p1"))
    assert due(cup) in ([("p2", "p3")], [("p3", "p2")])


def test_who_plays_elsewhere_is_not_paired() -> None:
    line = decide(cup_of("arena", 5), elsewhere=[1, 2])
    assert line is not None and [seats for _, seats in line[2]] == [[3, 4]]
