"""What the tests of tournaments on a server share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tictac.plugins.tournament.cup import Cup, Line
from tictac.plugins.tournament.cup_plan import load_plan
from tictac.plugins.tournament.deciding import decide

CLOCK = {"initial": 60, "increment": 1}


def plan_json(system: str = "swiss", **others: Any) -> dict[str, Any]:
    """Return a plan as somebody would send it."""
    plan = {"name": "Friday Cup", "system": system, "game": "nim", "clock": CLOCK}
    if system == "arena":
        plan["ends"] = "2027-06-01T00:00:00Z"
    return plan | others


def cup_of(system: str, count: int, **others: Any) -> Cup:
    """Return a tournament of the players p1, p2, …, the strongest first, that has begun."""
    lines: list[Line] = [["entered", f"p{n}", 2000.0 - n, None] for n in range(1, count + 1)]
    return Cup(load_plan(plan_json(system, **others))).fold([*lines, ["began", 0]])


def go_on(cup: Cup) -> Cup:
    """Return the tournament after all that the machine decides now."""
    while line := decide(cup):
        cup = cup.add(line)
    return cup


def end_all(cup: Cup, best: Iterable[str] = (), how: str = "won") -> Cup:
    """End the games that are due: who comes first in ``best`` wins, or else is drawn."""
    order = list(best)
    for game in cup.due():
        names = cup.names(game)
        winner = next((name for name in order if name in names), None)
        scores = [1 / len(names) if winner is None else float(name == winner) for name in names]
        cup = cup.add(["ended", game.number, scores, how, f"m{game.number}"])
    return cup


def absent(cup: Cup, *names: str) -> Cup:
    """End the games that are due of these players, who haven't come."""
    for game in cup.due():
        theirs = cup.names(game)
        if missing := set(names) & set(theirs):
            scores = [float(name not in missing) for name in theirs]
            cup = cup.add(["ended", game.number, scores, "absent", None])
    return cup


def due(cup: Cup) -> list[tuple[str, ...]]:
    """Return who plays whom now."""
    return [cup.names(game) for game in cup.due()]


def states(cup: Cup) -> dict[str, str]:
    """Return the state of each player."""
    return {each.name: each.state for each in cup.entries.values()}


def left_out(cup: Cup, lines: Iterable[Line]) -> list[set[int]]:
    """Return who was free in each wave of an arena, and wasn't paired."""
    found = []
    for line in lines:
        if line[0] == "paired":
            paired = {each for _, seats in line[2] for each in seats}
            found.append({each.number for each in cup.available} - cup.busy() - paired)
        cup = cup.add(line)
    return found
