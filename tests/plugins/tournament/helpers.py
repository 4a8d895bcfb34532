"""Tournaments with made-up results."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from random import Random

from tictac.plugins.tournament.plan import SYSTEMS, Pairing, Plan, Played, System
from tictac.plugins.tournament.tournament import Tournament

PLAYABLE = [system for system in SYSTEMS if system != "swiss" or find_spec("py4swiss")]
"""All systems where py4swiss is to be had."""

SCORES = (1.0, 0.0), (0.5, 0.5), (0.0, 1.0)


def names(count: int) -> tuple[str, ...]:
    """Return this many names of players: p1, p2, and so on."""
    return tuple(f"p{number}" for number in range(1, count + 1))


def plan_of(system: System, players: int, games: int = 1, **more: object) -> Plan:
    """Return a plan for two per room; an arena ends after 40 games."""
    given = {"ends": 40.0 if system == "arena" else None, **more}
    return Plan(system, "tictactoe", names(players), games=games, **given)  # type: ignore[arg-type]


def play(tournament: Tournament, rng: Random, most: int = 10_000) -> Tournament:
    """Play some games, four at a time, which end in any order; the time is their number."""
    running: dict[int, Pairing] = {}
    while len(tournament.played) < most:
        now = float(len(tournament.played))
        for pairing in tournament.due(running, now, 4 - len(running)):
            assert pairing.number not in running
            running[pairing.number] = pairing
        if not running:
            break
        ended = running.pop(rng.choice(sorted(running)))
        tournament.note(Played(ended, rng.choice(SCORES), "won"))
    return tournament


def result(one: str, other: str, score: float, number: int = 1, how: str = "won") -> Played:
    """Return a game of two players, with the score of the first."""
    return Played(Pairing(number, 1, (one, other)), (score, 1 - score), how)


def round_of(tournament: Tournament, number: int) -> list[tuple[str, ...]]:
    """Return who met in a round, the first seat first, in the order of the games."""
    played = sorted(tournament.played)
    return [each.pairing.seats for each in played if each.pairing.round == number]


def let_win(tournament: Tournament, winners: Sequence[str]) -> list[tuple[str, ...]]:
    """Play what is due, so that the first of ``winners`` among two wins; who played."""
    due = tournament.due({}, 0.0)
    for pairing in due:
        best = min(pairing.seats, key=winners.index)
        scores = tuple(float(name == best) for name in pairing.seats)
        tournament.note(Played(pairing, scores, "won"))
    return [pairing.seats for pairing in due]
