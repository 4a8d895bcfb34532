"""The keys that lead through a match."""

from __future__ import annotations

import pytest

from tictac.plugins.matches.stepping import keys_in, step


@pytest.mark.parametrize(
    ("at", "key", "then"),
    [
        (0, "n", 1), (4, " ", 5), (5, "n", 5), (1, "b", 0), (0, "\x1b[D", 0), (3, "f", 0),
        (3, "\x1b[F", 5), (3, "q", None), (3, "", None), (3, "\x04", None), (3, "x", 3),
    ],
)  # fmt: skip
def test_a_key(at: int, key: str, then: int | None) -> None:
    assert step(at, key, 5) == then


def test_keys_that_come_together() -> None:
    assert keys_in("nn\x1b[C\x1bq\x1b[4~") == ["n", "n", "\x1b[C", "\x1b", "q", "\x1b[4~"]
    assert keys_in("") == [""]
