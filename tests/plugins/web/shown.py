"""A position and the moves of each game, as the server tells of them."""

from __future__ import annotations

from typing import Any

STARTED = "......../......../......../...OX.../...XO.../......../......../........ X"
FIRST_MOVES = ["d3", "c4", "f5", "e6"]

SHOWN: dict[str, dict[str, Any]] = {
    "tictactoe": {"position": "100020000", "moves": ["1:0"]},
    "connectfour": {"position": "/".join(["......."] * 5 + ["RY....."]) + " R", "moves": ["1"]},
    "reversi": {"position": STARTED, "moves": FIRST_MOVES},
    "nim": {"position": "0:10,12,9,11"},
}
