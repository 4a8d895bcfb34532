"""The Swiss system by FIDE's Dutch rules (Handbook C.04.3), paired by the package py4swiss."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module

from tictac.errors import SetupError

BYE = "0000 - U"
"""A bye in a tournament report file (FIDE's TRF16)."""


MISSING = "a Swiss system needs a package that isn't installed: pip install '.[swiss]'"


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
        raise SetupError(MISSING) from None
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
