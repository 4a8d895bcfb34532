"""Files of format 1, which have a line for each finished game and none for the pairings."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tictac.errors import SetupError
from tictac.plugins.tournament.cup import Cup, CupGame, Line
from tictac.plugins.tournament.deciding import decide
from tictac.plugins.tournament.plan import Fault, System, fault_of_loser

End = Sequence[Any]
"""The end of a game: its round or None, the players by seats, and the rest of an ``ended`` line."""


class Earlier:
    """The ends of games that are to be paired yet."""

    def __init__(self, ends: Iterable[End]) -> None:
        self._ends: dict[tuple[int | None, tuple[str, ...]], deque[Sequence[Any]]]
        self._ends = defaultdict(deque)
        for round_, names, rest in ends:
            self._ends[round_, tuple(names)].append(rest)

    def left(self) -> list[End]:
        """Return the ends that haven't been taken."""
        return [[*key, rest] for key, rests in self._ends.items() for rest in rests]

    def take(self, cup: Cup, game: CupGame) -> Line | None:
        """Take the end of a game, if it has ended before; return the line."""
        if not self._ends:
            return None
        names = cup.names(game)
        for key in ((game.round, names), (None, names)):
            if self._ends.get(key):
                return ["ended", game.number, *self._ends[key].popleft()]
        return None


def ends_of(games: Iterable[Mapping[str, Any]], system: System) -> list[End]:
    """Return the ends in a file's lines. Raises SetupError for a line that has none."""
    has_rounds = system in ("swiss", "knock-out")
    return [_end_of(game, has_rounds) for game in games]


def replay(cup: Cup, ends: Sequence[End]) -> tuple[list[Line], list[End]]:
    """Return the lines to which the ends lead, and the ends of games that aren't paired yet.

    Raises SetupError if there are games that will never be paired.
    """
    lines = list[Line]()

    def add(line: Line) -> None:
        nonlocal cup
        cup = cup.add(line)
        lines.append(line)

    if cup.plan.is_arena:
        for _, names, rest in ends:
            number, seats = len(cup.games) + 1, [cup.number_of(name) for name in names]
            if None in seats or len(seats) != 2:
                raise _another(names)
            add(["paired", cup.round + 1, [[number, seats]], []])
            add(["ended", number, *rest])
        return lines, []
    earlier, seen = Earlier(ends), 0
    while line := decide(cup):
        add(line)
        for number in range(seen + 1, len(cup.games) + 1):
            if found := earlier.take(cup, cup.games[number]):
                add(found)
        seen = len(cup.games)
    left = earlier.left()
    is_early = cup.plan.system == "knock-out" and cup.phase != "over"
    if left and not (is_early and all(names_in(cup, each[1]) for each in left)):
        raise _another(left[0][1])
    return lines, left


def names_in(cup: Cup, names: Sequence[str]) -> bool:
    """Return whether all names are those of players."""
    return all(cup.number_of(name) for name in names)


def _another(names: Sequence[str]) -> SetupError:
    return SetupError(f"the tournament's file has a game that it can't have: {', '.join(names)}")


def _end_of(line: Mapping[str, Any], has_rounds: bool) -> End:
    try:
        seats, scores = [str(each) for each in line["seats"]], [*map(float, line["scores"])]
        round_, how, match = line["round"], line["how"], line["match"]
        if len(scores) != len(seats) or type(round_) is not int or type(how) is not str:
            raise ValueError
        faults = {name: list(fault) for name, fault in _faults_of(line, seats, scores).items()}
        return [
            round_ if has_rounds else None,
            seats,
            [scores, how, match, *[faults] * bool(faults)],
        ]
    except (AttributeError, KeyError, TypeError, ValueError):
        raise SetupError(
            f"the tournament's file has a line that isn't a game: {line}"[:200]
        ) from None


def _faults_of(
    line: Mapping[str, Any], seats: Sequence[str], scores: Sequence[float]
) -> dict[str, Fault]:
    """Return the faults of a line; older files have ``how``, and reasons with names in ``why``."""
    if "faults" in line:
        faults = {name: Fault(str(f["how"]), str(f["why"])) for name, f in line["faults"].items()}
    else:
        parts = [each.partition(": ") for each in line.get("why", "").split("; ")]
        is_fault = line["how"] not in ("won", "drawn", "agreed", "forfeited")
        faults = {name: Fault(line["how"], why) for name, _, why in parts if name in seats}
        return faults if faults and is_fault else fault_of_loser(seats, scores, line["how"])
    if not faults.keys() <= set(seats):
        raise ValueError
    return faults
