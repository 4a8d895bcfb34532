"""GNU Backgammon as the computer: a run of the program for each move.

The program fills its output before it sends it, so that a running one couldn't be asked again.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from time import monotonic

from tictac.game import ShouldStop
from tictac_openspiel.adapter import Position
from tictac_openspiel.cube import Match

LEVELS = {"club": "noise 0.05", "best": "plies 1"}
"""What GNU Backgammon's evaluation is set to."""

MOST = 20
"""Moves of a hint that are looked through for one that is a move here."""

# The board is that of the player whose turn it is, which the program decides by dice at first.
SETUP = """\
set sound enable off
set automatic game off
set automatic roll off
set automatic move off
set automatic bearoff off
set player 0 human
set player 1 human
set output rawboard on
new match {length}
set evaluation chequerplay evaluation {level}
{score}set turn 1
set board simple {board}
{asked}
"""
SCORE = """\
set evaluation cubedecision evaluation {level}
set score {theirs} {mine}
set crawford {crawford}
set cube value {cube}
set cube {owner}
"""
PROPER = re.compile(r"^Proper cube action: (.+)", re.M)
HINT = re.compile(r"^ *\d+\. \S+ \S+ +(.+?) +Eq\.:", re.M)
STEP = re.compile(r"(bar|\d+)((?:/(?:off|\d+)\*?)+)(?:\((\d)\))?")


class Gnubg:
    """GNU Backgammon, at a path."""

    def __init__(self, path: str, poll: float, grace: float) -> None:
        self._path, self._poll, self._grace = path, poll, grace

    def move(self, position: Position, level: str, stop: ShouldStop) -> str:
        """Return the program's move; an empty text if it has none, or is too late."""
        if isinstance(position.state, Match) and not position.state.is_rolled:
            return _answer(PROPER.search(self._ask(script(position, level), stop)), position.state)
        hint = self._ask(script(position, level), stop)
        return next(filter(None, (_ours(each, position) for each in HINT.findall(hint))), "")

    def close(self) -> None:
        """Do nothing: no program runs between two moves."""

    def _ask(self, text: str, stop: ShouldStop) -> str:
        """Return the output of a run; an empty text if it is too late. Raises OSError."""
        with subprocess.Popen(
            [self._path, "--tty", "--quiet", "--no-rc"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace",
        ) as process:  # fmt: skip
            late: float | None = None
            sent: str | None = text
            while True:
                try:
                    return process.communicate(sent, timeout=self._poll)[0]
                except subprocess.TimeoutExpired:
                    sent = None
                    if late is None and stop():
                        late = monotonic() + self._grace
                    if late is not None and monotonic() >= late:
                        process.kill()
                        return ""


def script(position: Position, level: str) -> str:
    """Return what asks for a move: the board as its player sees it.

    Who is to answer a double asks whether its player should have doubled.
    """
    match = position.state if isinstance(position.state, Match) else None
    rows, side, *notes = position.text.split(" ")
    upper, lower = (row.split(",") for row in rows.split("/"))
    told = dict(note.partition("=")[::2] for note in notes)
    if match and match.answers is not None:
        side = "xo"["ox".index(side)]
    points = [*reversed(lower), *upper]  # from 1 to 24, as x sees them
    bars = [int(each) for each in told["bar"].split("-")]
    if side == "o":
        points, bars = points[::-1], bars[::-1]
    numbers = [
        0 if each == "." else int(each[1:]) * (1 if each[0] == side else -1) for each in points
    ]
    board = " ".join(map(str, [bars[0], *numbers, bars[1]]))
    asked = "hint"
    if not match or match.is_rolled:
        asked = f"set dice {told['dice'].replace('-', ' ')}\nhint {MOST}"
    score = _score(match, "xo".index(side), LEVELS[level]) if match else ""
    length = match.length if match else 1
    return SETUP.format(level=LEVELS[level], length=length, score=score, board=board, asked=asked)


def _score(match: Match, player: int, level: str) -> str:
    owner = "centre" if match.owner is None else f"owner {int(match.owner == player)}"
    return SCORE.format(
        level=level, mine=match.points[player], theirs=match.points[1 - player],
        crawford="on" if match.crawford == "now" else "off", cube=match.cube, owner=owner,
    )  # fmt: skip


def _answer(proper: re.Match[str] | None, match: Match) -> str:
    """Return the word for a proper cube action, such as "No double, take" or "Redouble, pass"."""
    if proper is None:
        return ""
    said = proper[1].lower()
    if match.answers is not None:
        return "drop" if "pass" in said else "take"
    return "double" if said.startswith(("double", "redouble")) else "roll"


def _ours(hinted: str, position: Position) -> str | None:
    """Return the move here that does what a hint says; of a double, its first half."""
    _, side, dice, *_ = position.text.split(" ")
    one, other = map(int, dice.removeprefix("dice=").split("-"))
    wanted = _steps(hinted)
    own = {move: _steps(move, flip=side == "o") for move in position.moves}
    if one == other:
        halves = Counter(part for step in wanted for part in _parts(*step, one))
        return next((move for move, steps in own.items() if Counter(steps) <= halves), None)
    same = [move for move, steps in own.items() if _net(steps) == _net(wanted)]
    # A hint names a point on the way only if something is hit there.
    ways = {point for step in wanted for point in step}
    return max(same, key=lambda move: len(ways & {*sum(own[move], ())}), default=None)


def _steps(text: str, flip: bool = False) -> list[tuple[int, int]]:
    """Return the steps of a move as its player counts points, with the bar as 25."""
    found = []
    for begin, then, times in STEP.findall(text):
        names = [begin, *then.replace("*", "").split("/")[1:]]
        points = [_point(name, flip) for name in names]
        found += [*pairwise(points)] * int(times or 1)
    return found


def _point(name: str, flip: bool) -> int:
    if name in ("bar", "off"):
        return 25 if name == "bar" else 0
    return 25 - int(name) if flip else int(name)


def _parts(begin: int, end: int, die: int) -> Iterator[tuple[int, int]]:
    """Yield the steps of a die on the way between two points."""
    while begin > end:
        yield begin, max(end, begin - die)
        begin -= die


def _net(steps: list[tuple[int, int]]) -> dict[int, int]:
    """Return by how many checkers each point changes."""
    changes: Counter[int] = Counter()
    for begin, end in steps:
        changes[begin] -= 1
        changes[end] += 1
    return {point: change for point, change in changes.items() if change}
