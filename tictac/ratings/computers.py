"""What the computer is rated at each of its levels: fixed, and measured by bench/ratings.py."""

from __future__ import annotations

from collections.abc import Mapping

COMPUTERS: Mapping[str, Mapping[str, int]] = {
    "tictactoe": {"beginner": 1158, "club": 1665, "best": 1677},
    "connectfour": {"beginner": 1116, "club": 1612, "best": 1772},
    "reversi": {"beginner": 1054, "club": 1500, "best": 1946},
    "clue": {"random": 1159, "sensible": 1500, "detective": 1841},
    "nim": {"beginner": 1092, "club": 1278, "best": 2130},
}
"""By game and level, for the usual options; the mean of a game is 1500."""
