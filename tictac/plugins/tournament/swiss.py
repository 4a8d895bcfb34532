"""The Swiss system by FIDE's Dutch rules, with pairings by the package py4swiss.

py4swiss 0.3 has the rules that FIDE used until January 2026 (Handbook C.04.3).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from typing import Literal, NamedTuple

from tictac.errors import SetupError

MISSING = "a Swiss system needs a package that isn't installed: pip install '.[swiss]'"

Kind = Literal["played", "bye", "won by forfeit", "lost by forfeit", "absent", "open"]


class Round(NamedTuple):
    """A player's round of a Swiss system. The kinds are those of C.07, article 16.

    The pairing allocates a "bye". A player is "absent" before entering and after withdrawing
    (FIDE's zero-point bye). A round is "open" until all its games end, and "played" if one of them
    was played. ``score`` is 0, 0.5, or 1. ``opponent`` is a player's number, or 0 without an
    opponent. ``seat`` is the player's seat in the first game.
    """

    kind: Kind
    score: float = 0.0
    opponent: int = 0
    seat: int = 0

    @property
    def is_voluntary(self) -> bool:
        """Whether the player chose not to play (a voluntary unplayed round, article 16.1.2)."""
        return self.kind in ("lost by forfeit", "absent")

    def cell(self, places: Mapping[int, int]) -> str:
        """Return the round as a cell of a tournament report file (FIDE's TRF16)."""
        if not self.opponent:
            return "0000 - U" if self.kind == "bye" else "0000 - Z"
        marks = {"played": "0=1"[round(2 * self.score)], "won by forfeit": "+", "open": " "}
        return f"{places[self.opponent]:4} {'wb'[self.seat]} {marks.get(self.kind, '-')}"


def dutch(
    history: Sequence[Sequence[str]],
    points: Sequence[float],
    rounds: int,
    white: bool,
    zeroed: Collection[int] = (),
) -> list[tuple[int, int]]:
    """Return the pairs of the next round; ``history`` has each player's rounds as in TRF16.

    Players are numbers from 1. The first one of a pair has the first seat; a player paired with 0
    has a bye. The players in ``zeroed`` aren't paired. With ``white``, the first player has the
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
