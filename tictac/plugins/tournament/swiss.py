"""The Swiss system by FIDE's Dutch rules (Handbook C.04.3), paired by the package py4swiss."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from math import ceil

from tictac.errors import SetupError
from tictac.plugins.tournament.plan import ABSENT, Pairing, Plan, Played
from tictac.plugins.tournament.results import Results
from tictac.plugins.tournament.standings import of_swiss

BYE = "0000 - U"
"""A bye in a tournament report file (FIDE's TRF16)."""


@dataclass
class Meeting:
    """Two players who meet in a round, the first seat of the first game first; one has a bye."""

    names: tuple[str, ...]
    games: int
    points: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    done: set[int] = field(default_factory=set)
    held: bool = False

    @property
    def over(self) -> bool:
        """Whether all games of the meeting have ended."""
        return len(self.names) == 1 or len(self.done) == self.games

    def score(self, name: str) -> float:
        """Return 1 for more points than the opponent, a half for as many above 0, else 0."""
        if len(self.names) == 1:
            return 1.0
        own, other = self.points[name], sum(self.points.values()) - self.points[name]
        return 1.0 if own > other else 0.5 if own == other and own else 0.0

    def opponent(self, name: str) -> str:
        """Return the player's opponent; the player, if no game was held."""
        others = [other for other in self.names if other != name]
        return others[0] if others and self.held else name

    def report(self, name: str, numbers: Mapping[str, int]) -> str:
        """Return the meeting as one player's cell of a tournament report file."""
        if len(self.names) == 1:
            return BYE
        seat = self.names.index(name)
        result = ("0=1" if self.held else "--+")[round(2 * self.score(name))]
        return f"{numbers[self.names[1 - seat]]:4} {'wb'[seat]} {result}"


class Swiss:
    """The pairings of a Swiss system: a round is paired as soon as the one before is over.

    The games of two players are a match; the player with more points wins it. A bye is a win. If
    a round can't be paired without a second meeting of two players, there are no more rounds.
    """

    def __init__(self, plan: Plan, results: Results) -> None:
        """Pair the first round. Raise SetupError without the package."""
        self._plan = plan
        self._pairs = len(plan.entries) // 2
        self._numbers = {name: number for number, name in enumerate(plan.entries, 1)}
        self._rounds: list[list[Meeting]] = []
        self._stuck = False
        self._next()

    @property
    def total(self) -> int:
        """Number of games in all rounds."""
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
        """Return the round of a game, its meeting, and its turn there, all from 0."""
        meeting, turn = divmod(number - 1, self._plan.games)
        return *divmod(meeting, self._pairs), turn

    def pairing(self, number: int) -> Pairing | None:
        """Return the game with that number, if its round is paired."""
        round_, place, turn = self._place(number)
        if not 0 <= round_ < len(self._rounds):
            return None
        names = self._rounds[round_][place].names
        deal = (number - 1) // self._plan.games * ceil(self._plan.games / 2) + turn // 2
        return self._plan.pairing(number, round_ + 1, names, turn, deal)

    def knows(self, pairing: Pairing) -> bool:
        """Return whether ``pairing`` is a game of a paired round."""
        return self.pairing(pairing.number) == pairing

    def note(self, played: Played) -> None:
        """Count a finished game; after the last one of a round, pair the next round."""
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
        """Return up to ``most`` games that are left of the round."""
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
        """Return one bye per round for an odd number of players."""
        return [
            (number, meeting.names[0])
            for number, meetings in enumerate(self._rounds, 1)
            for meeting in meetings
            if len(meeting.names) == 1
        ]

    def measures(self, results: Results) -> Mapping[str, Mapping[str, float]]:
        """Return points of matches, and the usual tie-breaks of Swiss systems.

        A round without a game counts as one against a player with the same points.
        """
        points = {name: self._points(name) for name in results.names}
        found = {}
        for name in results.names:
            met = [
                (meeting.score(name), points[meeting.opponent(name)])
                for meeting in self._of(name)
                if meeting.over
            ]
            found[name] = of_swiss(points[name], met, 0, results.points[name])
        return found


def dutch(
    history: Sequence[Sequence[str]],
    points: Sequence[float],
    rounds: int,
    white: bool,
    zeroed: Collection[int] = (),
) -> list[tuple[int, int]]:
    """Return the pairs of the next round; ``history`` has each player's rounds as in TRF16.

    Players are numbers from 1. The first one of a pair has the first seat; a player paired with 0
    has a bye. Those who are ``zeroed`` aren't paired. With ``white``, the first player has the
    first seat in the first round. The list is empty if no pairing is allowed.

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
            number_of_rounds=rounds, zeroed_ids=set(zeroed),
            configuration={"first_round_color": white},
        ),
    )  # fmt: skip
    try:
        pairs = engines.dutch.Engine.generate_pairings(report)
    except engines.common.PairingError:
        return []
    return [(pair.white, pair.black) for pair in pairs]
