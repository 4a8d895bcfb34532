"""The Swiss system by FIDE's Dutch rules (Handbook C.04.3), as the package py4swiss has them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from math import ceil

from tictac.errors import SetupError
from tictac.plugins.tournament.plan import ABSENT, Pairing, Plan, Played
from tictac.plugins.tournament.results import Results
from tictac.plugins.tournament.standings import buchholz

BYE = "0000 - U"
"""A bye of the pairing, as a tournament report file (FIDE's TRF16) has it."""


@dataclass
class Meeting:
    """Two who meet in a round, the first seat of the first game first; with nobody: a bye."""

    names: tuple[str, ...]
    games: int
    points: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    done: set[int] = field(default_factory=set)
    held: bool = False

    @property
    def over(self) -> bool:
        """Whether all of its games have ended."""
        return len(self.names) == 1 or len(self.done) == self.games

    def score(self, name: str) -> float:
        """1 for more points than the other, a half for as many, unless there are none."""
        if len(self.names) == 1:
            return 1.0
        own, other = self.points[name], sum(self.points.values()) - self.points[name]
        return 1.0 if own > other else 0.5 if own == other and own else 0.0

    def report(self, name: str, numbers: Mapping[str, int]) -> str:
        """What a tournament report file says of it for one of the two."""
        if len(self.names) == 1:
            return BYE
        seat = self.names.index(name)
        result = ("0=1" if self.held else "--+")[round(2 * self.score(name))]
        return f"{numbers[self.names[1 - seat]]:4} {'wb'[seat]} {result}"


class Swiss:
    """Who plays whom: a round is paired as soon as the one before is over.

    The games of two are a match, which is won by more points; a bye is a win. Where a round can't
    be paired without letting two meet again there are no more rounds.
    """

    def __init__(self, plan: Plan, results: Results) -> None:
        """Raises SetupError without the package."""
        self._plan = plan
        self._pairs = len(plan.entries) // 2
        self._numbers = {name: number for number, name in enumerate(plan.entries, 1)}
        self._rounds: list[list[Meeting]] = []
        self._stuck = False
        self._next()

    @property
    def total(self) -> int:
        """How many games there will be."""
        rounds = len(self._rounds) if self._stuck else self._plan.swiss_rounds
        return rounds * self._pairs * self._plan.games

    def _next(self) -> None:
        history = {
            name: [m.report(name, self._numbers) for m in self._of(name)] for name in self._numbers
        }
        points = [self._points(name) for name in self._numbers]
        plan = self._plan
        found = dutch(list(history.values()), points, plan.swiss_rounds, plan.seed % 2 == 0)
        self._stuck = not found
        if found:
            names = (tuple(plan.entries[each - 1] for each in pair if each) for pair in found)
            self._rounds.append([Meeting(each, plan.games) for each in names])

    def _of(self, name: str) -> Iterator[Meeting]:
        return (m for meetings in self._rounds for m in meetings if name in m.names)

    def _points(self, name: str) -> float:
        return sum(meeting.score(name) for meeting in self._of(name) if meeting.over)

    def _place(self, number: int) -> tuple[int, int, int]:
        """The round of a game, whose it is there, and which of theirs."""
        meeting, turn = divmod(number - 1, self._plan.games)
        return *divmod(meeting, self._pairs), turn

    def pairing(self, number: int) -> Pairing | None:
        """The game of that number, if its round is paired."""
        round_, place, turn = self._place(number)
        if not 0 <= round_ < len(self._rounds):
            return None
        names = self._rounds[round_][place].names
        deal = (number - 1) // self._plan.games * ceil(self._plan.games / 2) + turn // 2
        return self._plan.pairing(number, round_ + 1, names, turn, deal)

    def knows(self, pairing: Pairing) -> bool:
        """Whether that is a game of a round that is paired."""
        return self.pairing(pairing.number) == pairing

    def note(self, played: Played) -> None:
        """A game has ended; the last of a round lets the next be paired."""
        round_, place, turn = self._place(played.pairing.number)
        meeting = self._rounds[round_][place]
        meeting.done.add(turn)
        meeting.held |= played.how != ABSENT
        for name, score in zip(played.pairing.seats, played.scores, strict=True):
            meeting.points[name] += score
        if len(self._rounds) < self._plan.swiss_rounds and all(m.over for m in self._rounds[-1]):
            self._next()

    def due(
        self, running: Mapping[int, Pairing], most: int, away: Collection[str]
    ) -> list[Pairing]:
        """What is left of the round."""
        first = (len(self._rounds) - 1) * self._pairs * self._plan.games + 1
        numbers = (
            first + place * self._plan.games + turn
            for place, meeting in enumerate(self._rounds[-1][: self._pairs])
            for turn in range(self._plan.games)
            if turn not in meeting.done
        )
        pairings = (self.pairing(number) for number in numbers if number not in running)
        return [pairing for pairing, _ in zip(pairings, range(most), strict=False) if pairing]

    def byes(self) -> Collection[tuple[int, str]]:
        """One a round, of an odd number of players."""
        return [
            (number, meeting.names[0])
            for number, meetings in enumerate(self._rounds, 1)
            for meeting in meetings
            if len(meeting.names) == 1
        ]

    def measures(self, results: Results) -> Mapping[str, Mapping[str, float]]:
        """Points of matches, and the tie-breaks that are usual for Swiss systems.

        A round that somebody hasn't played counts as one against a player with the same points.
        """
        points = {name: self._points(name) for name in results.names}
        found = {}
        for name in results.names:
            met = [
                (meeting.score(name), points[self._opponent(meeting, name)])
                for meeting in self._of(name)
                if meeting.over
            ]
            opponents = [other for _, other in met]
            found[name] = {
                "points": points[name],
                "Buchholz Cut-1": buchholz(opponents, cut=1),
                "Buchholz": buchholz(opponents),
                "Sonneborn-Berger": sum(score * other for score, other in met),
                "game points": results.points[name],
            }
        return found

    def _opponent(self, meeting: Meeting, name: str) -> str:
        others = [other for other in meeting.names if other != name]
        return others[0] if others and meeting.held else name


def dutch(
    history: Sequence[Sequence[str]], points: Sequence[float], rounds: int, white: bool
) -> list[tuple[int, int]]:
    """Pair the next round of players from 1, of whom each has a history as in TRF16.

    The first of a pair has the first seat; with 0 it has a bye. ``white``: in the first round the
    first player has the first seat. An empty list: no pairing is allowed.

    Raises SetupError without the package.
    """
    try:
        engines = import_module("py4swiss.engines")
    except ImportError:
        why = "a Swiss system needs a package that isn't installed: pip install '.[swiss]'"
        raise SetupError(why) from None
    trf, sections, results = (
        import_module(f"py4swiss.{name}") for name in ("trf", "trf.sections", "trf.results")
    )
    players = [
        sections.PlayerSection(
            code="001", starting_number=number, rank=number, points_times_ten=round(10 * score),
            results=[results.RoundResult.from_string(each) for each in played],
        )
        for number, (played, score) in enumerate(zip(history, points, strict=True), 1)
    ]  # fmt: skip
    report = trf.ParsedTrf(
        tournament_section=sections.TournamentSection(), player_sections=players, team_sections=[],
        x_section=sections.XSection(
            number_of_rounds=rounds, configuration={"first_round_color": white}
        ),
    )  # fmt: skip
    try:
        pairs = engines.dutch.Engine.generate_pairings(report)
    except engines.common.PairingError:
        return []
    return [(pair.white, pair.black) for pair in pairs]
