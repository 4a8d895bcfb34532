"""The report of a tournament: tables, lines for a terminal, and JSON."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from math import isfinite
from typing import NamedTuple

from tictac.errors import visible
from tictac.plugins.tournament.crosstable import Score
from tictac.plugins.tournament.elo import Estimate, difference
from tictac.plugins.tournament.tally import Tally
from tictac.plugins.tournament.tie_breaks import Standing

SHORT = {
    "points": "points", "rounds won": "rounds", "points a game": "average",
    "direct encounter": "DE", "games won": "WON", "Sonneborn-Berger": "SB",
    "Buchholz Cut-1": "BH-C1", "Buchholz": "BH", "game points": "games",
}  # fmt: skip
"""The column heads of measures: FIDE's acronyms, if FIDE has one."""


ACROSS = 60
"""Maximum number of players in a crosstable of each player against each."""


class Table(NamedTuple):
    """A table: rows of cells under ``heads``, with the player's name in the second cell.

    ``texts`` are the numbers of the columns with text, which are aligned to the left.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: Collection[int] = (1,)


def number(value: float) -> str:
    """Return a number with up to two decimals, without zeros at the end."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value else "0"


def elo(estimate: Estimate) -> str:
    """Return a rating or difference with its error."""
    if not isfinite(estimate.error):
        return "?" if not isfinite(estimate.elo) or not estimate.elo else f"{estimate.elo:+.0f} ± ?"
    return f"{estimate.elo:+.0f} ± {estimate.error:.0f}"


def standings_table(standings: Sequence[Standing]) -> Table:
    """Return the standings, with the tie-breaks in which players differ."""
    names = _telling(standings)
    heads = ["#", "player", *(SHORT[name] for name in names), "+", "=", "-", "Elo"]
    return Table(
        heads,
        [
            [
                str(each.rank), each.name, *(number(each.measures[name]) for name in names),
                *map(str, each.played), elo(each.rating) if each.played.games else "",
            ]
            for each in standings
        ],
    )  # fmt: skip


def crosstable(tally: Tally, standings: Sequence[Standing]) -> Table | None:
    """Return the scores of each player against each, or in each round of a Swiss or knock-out.

    Return None above ACROSS players.
    """
    places = {each.name: str(place) for place, each in enumerate(standings, 1)}
    heads = ["#", "player"]
    if tally.plan.system in ("swiss", "knock-out"):
        cells = _rounds(tally, places)
        rounds = range(1, max((key[1] for key in cells), default=0) + 1)
        rows = [[cells.get((name, each), "") for each in rounds] for name in places]
        heads += [f"round {each}" for each in rounds]
    elif len(standings) > ACROSS:
        return None
    else:
        heads += places.values()
        rows = [[_score(tally, name, other) for other in places] for name in places]
    named = zip(places.items(), rows, strict=True)
    return Table(heads, [[place, name, *row] for (name, place), row in named])


def _score(tally: Tally, name: str, other: str) -> str:
    if name == other:
        return "*"
    score = tally.results.met[name].get(other, Score())
    return f"{number(score.points)}/{score.games}" if score.games else ""


def _rounds(tally: Tally, places: Mapping[str, str]) -> dict[tuple[str, int], str]:
    """Return each player's result in each round, with the opponent's place in the table."""
    sums: dict[tuple[str, int], float] = defaultdict(float)
    opponents = {}
    for played in tally.played:
        seats, scores = played.seats, played.scores
        for seat, name in enumerate(seats):
            key = name, played.round
            sums[key] += scores[seat] - scores[1 - seat]
            opponents[key] = seats[1 - seat]
    found = {
        key: f"{'+' if ahead > 0 else '-' if ahead else '='}{places[opponents[key]]}"
        for key, ahead in sums.items()
    }
    return found | {(name, each): "bye" for each, name in tally.byes}


def faults_table(tally: Tally, standings: Sequence[Standing]) -> Table | None:
    """Return the number of lost games for each player and fault; None if there was no fault."""
    rows = [
        [str(each.rank), each.name, how, str(fault.games), fault.why]
        for each in standings
        for how, fault in tally.results.faults[each.name].items()
    ]
    heads = ["#", "player", "fault", "games", "reason, the last time"]
    return Table(heads, rows, (1, 2, 4)) if rows else None


def summary(tally: Tally) -> list[str]:
    """Return lines with the number of games, the score of two players, and the SPRT."""
    plan, done, total, names = tally.plan, len(tally.played), tally.total, tally.names
    games = f"{done} of {total} games" if total else f"{done} games"
    found = [f"{plan.system}, {plan.game}, {len(names)} players, {games}"]
    if len(names) == 2:
        one, other = names
        score = tally.results.between(one, other)
        share = f"{score.points / score.games:.1%}" if score.games else "no games"
        wins, draws, losses = score
        found.append(
            f"{one} against {other}: +{wins} ={draws} -{losses}, {share}, "
            f"Elo {elo(difference(score))}"
        )
    test, verdict = plan.sprt, tally.verdict
    if test and verdict:
        low, high = number(test.elo0), number(test.elo1)
        came = f"{verdict.accepted} is accepted" if verdict.accepted else "goes on"
        found.append(
            f"SPRT, H0: normalized Elo {low}, H1: {high}: log-likelihood ratio "
            f"{verdict.ratio:.2f} of {verdict.lower:.2f} to {verdict.upper:.2f}: {came}"
        )
        found.append(f"pairs with 0, ½, 1, 1½, 2 points: {', '.join(map(str, verdict.pairs))}")
    return found


def legend(standings: Sequence[Standing]) -> str:
    """Return the meaning of the heads of columns."""
    names = [f"{SHORT[name]}: {name}" for name in _telling(standings) if SHORT[name] != name]
    return "; ".join([*names, "Elo: 0 is the average, ± 95 %"])


def _telling(standings: Sequence[Standing]) -> list[str]:
    """Return the first measure and all measures in which players differ."""
    first, *others = standings[0].measures
    differ = [name for name in others if len({each.measures[name] for each in standings}) > 1]
    return [first, *differ]


def as_text(tally: Tally, width: int = 80) -> list[str]:
    """Return the standings, the crosstable if it fits in ``width`` columns, and the faults."""
    standings = tally.standings()
    lines = [*summary(tally), "", *_lines(standings_table(standings)), legend(standings)]
    cross = crosstable(tally, standings)
    if cross and max(map(len, _lines(cross))) <= width:
        lines += ["", *_lines(cross)]
    if faults := faults_table(tally, standings):
        lines += ["", *(visible(line)[:width] for line in _lines(faults))]
    return lines


def _lines(table: Table) -> list[str]:
    rows = [table.heads, *table.rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(size) if column in table.texts else cell.rjust(size)
            for column, (cell, size) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def as_json(tally: Tally) -> str:
    """Return the plan, the standings, and all games as JSON."""
    verdict = tally.verdict
    standings = [
        {
            "rank": each.rank, "name": each.name, "measures": each.measures,
            **each.played._asdict(), "elo": _finite(each.rating.elo),
            "error": _finite(each.rating.error),
            "faults": {how: f._asdict() for how, f in tally.results.faults[each.name].items()},
        }
        for each in tally.standings()
    ]  # fmt: skip
    against = tally.results.against
    whole: dict[str, object] = {
        "plan": {**tally.plan.dump(), "entries": tally.names}, "standings": standings,
        "against": {one: {o: s._asdict() for o, s in met.items()} for one, met in against.items()},
        "byes": [{"round": round_, "name": name} for round_, name in tally.byes],
        "sprt": verdict and verdict._asdict(),
        "games": [
            each._asdict() | {"faults": {name: f._asdict() for name, f in each.faults.items()}}
            for each in tally.played
        ],
    }  # fmt: skip
    return json.dumps(whole, indent=1) + "\n"


def _finite(value: float) -> float | None:
    return round(value, 1) if isfinite(value) else None
