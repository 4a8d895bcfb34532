"""Pairs of those who wait."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

from tictac.plugins.desk.pairing import NEVER, pair


def least(names: list[str], costs: dict[frozenset[str], int]) -> int:
    """Return the lowest total cost, by trying all."""
    if len(names) % 2:
        return min(
            costs[frozenset({one})] + least([each for each in names if each != one], costs)
            for one in names
        )
    if not names:
        return 0
    first, *others = names
    return min(
        costs[frozenset({first, other})] + least([each for each in others if each != other], costs)
        for other in others
    )


def test_the_cost_is_the_lowest_one() -> None:
    rng = Random(1)
    for _ in range(300):
        names = list("abcdefgh"[: rng.randrange(1, 9)])
        keys = [frozenset(each) for n in (1, 2) for each in combinations(names, n)]
        costs = {key: rng.choice((0, 0, 1, 1, 2, 5)) for key in keys}
        pairs, left = pair(names, lambda one, other: costs[frozenset({one, other} - {""})])  # noqa: B023
        assert sorted([*left, *(name for both in pairs for name in both)]) == names
        assert len(left) == len(names) % 2
        found = [*pairs, *([name] for name in left)]
        assert sum(costs[frozenset(each)] for each in found) == least(names, costs)


def test_in_a_class_no_pair_meets_twice_in_an_hour() -> None:
    names, met = [f"pupil {n}" for n in range(30)], Counter[frozenset[str]]()
    for _ in range(12):
        pairs, left = pair(names, lambda one, other: met[frozenset({one, other})])
        assert len(pairs) == 15 and not left
        met.update(map(frozenset, pairs))
    assert set(met.values()) == {1}


def test_everyone_is_left_over_once_before_one_is_twice() -> None:
    names, met = list("abcdefg"), Counter[frozenset[str]]()
    found = []
    for _ in range(7):
        pairs, left = pair(names, lambda one, other: met[frozenset({one, other} - {""})])
        found += left
        met.update([*map(frozenset, pairs), *map(frozenset, left)])
    assert sorted(found) == names


def test_a_pair_that_must_not_play_is_left_over() -> None:
    assert pair(["a", "b"], lambda one, other: NEVER) == ([], ["a", "b"])
    assert pair([], lambda one, other: 0) == ([], [])


def test_a_large_group_is_paired_at_once() -> None:
    calls = Counter[str]()

    def cost(one: str, other: str) -> int:
        calls["cost"] += 1
        return 1

    names = [f"pupil {n}" for n in range(100)]
    pairs, _ = pair(names, cost)
    assert len(pairs) == 50 and calls["cost"] == 100 * 99
