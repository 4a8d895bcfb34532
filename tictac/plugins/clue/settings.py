"""The options of Clue, and the values of every game that depend on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tictac import options as read
from tictac.errors import SetupError
from tictac.options import option
from tictac.plugins.clue.game.board import Board, read_board, shipped_board
from tictac.plugins.clue.game.cards import SEATS
from tictac.plugins.clue.game.opponent import PLAYERS
from tictac.plugins.clue.game.rules import MAX_ROUNDS

DEFAULT_PLAYER = "sensible"


def _humans(text: str | int) -> int:
    humans = read.count(text)
    if not 1 <= humans <= SEATS:
        raise ValueError(f"{humans} isn't from 1 to {SEATS}")
    return humans


def read_players(text: str) -> tuple[str, ...]:
    """Return names of players, separated by commas. Raises ValueError."""
    if not isinstance(text, str):
        raise ValueError(f"{text!r:.40} isn't a list of names")
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        if name not in PLAYERS:
            raise ValueError(f"{name!r:.40} is none of {', '.join(PLAYERS)}")
    return names


@dataclass(frozen=True)
class ClueOptions:
    """Clue."""

    clue_humans: int = option(1, "Seats for connections, 1 to 6.", _humans)
    clue_players: tuple[str, ...] | None = option(
        None, "Computer players for the other seats.", read_players
    )
    clue_seed: int | None = option(None, "Random seed of deals and dice.", read.count)
    clue_name_timeout: float = option(60.0, "Seconds from connecting to the name.")
    clue_move_timeout: float = option(120.0, "Seconds for an answer.")
    clue_max_rounds: int = option(MAX_ROUNDS, "Maximum rounds of a game.", read.positive)
    clue_board: str | None = option(None, "File with another map.")
    clue_workers: int = option(0, "Engine processes. 0: one per core, up to 4.")
    clue_mini: bool = option(False, "Give each connection its own game without cards.")
    unrevised_counter: bool = option(False, "Hide who showed a card.")

    @property
    def humans(self) -> int:
        """The number of connections in a game."""
        return 1 if self.clue_mini else self.clue_humans

    @cached_property
    def players(self) -> tuple[str, ...]:
        """The names of the server's players, for the seats after those of connections.

        The mini-game has none. Raises SetupError.
        """
        left = 0 if self.clue_mini else SEATS - self.clue_humans
        if self.clue_mini or self.clue_players is None:
            return (DEFAULT_PLAYER,) * left
        if len(self.clue_players) != left:
            raise SetupError(
                f"--clue-players names {len(self.clue_players)} players, and --clue-humans"
                f" {self.clue_humans} leaves {left} seats"
            )
        return self.clue_players

    @cached_property
    def board(self) -> Board:
        """The map. Raises SetupError."""
        return shipped_board() if self.clue_board is None else read_board(Path(self.clue_board))
