"""Round robin: all players meet, by the Berger tables, or in groups for more than two seats."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations


def berger(count: int) -> Iterator[list[tuple[int, int]]]:
    """Yield the rounds of FIDE's tables (Handbook C.05, annex 1): pairs of 1 to ``count``.

    Each player has the first seat as often as the second, or once more. If ``count`` is odd, one
    player of each round is free.
    """
    even = count + count % 2
    for number in range(even - 1):
        moved = number * (even // 2)
        pairs = []
        for low in range(1, even // 2 + 1):
            one = (low - 1 + moved) % (even - 1) + 1
            if low == 1:
                pairs.append((one, even) if number % 2 == 0 else (even, one))
            else:
                pairs.append((one, (even - low + moved) % (even - 1) + 1))
        yield [pair for pair in pairs if max(pair) <= count]


def groups(count: int, seats: int) -> Iterator[list[tuple[int, ...]]]:
    """Yield each group of ``seats`` of 1 to ``count``, one per round, moved on by one seat each."""
    for number, group in enumerate(combinations(range(1, count + 1), seats)):
        turn = number % seats
        yield [group[turn:] + group[:turn]]
