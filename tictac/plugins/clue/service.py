"""The Clue server as a plug-in: its options, and its service."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from twisted.logger import Logger

from tictac import options as read
from tictac.engines.pool import EnginePool
from tictac.errors import SetupError
from tictac.net import plugin
from tictac.net.running_time import running_time
from tictac.net.settings import ServerOptions
from tictac.options import option
from tictac.plugins.clue.game.board import read_board, shipped_board
from tictac.plugins.clue.game.cards import SEATS
from tictac.plugins.clue.game.opponent import PLAYERS
from tictac.plugins.clue.game.rules import MAX_ROUNDS
from tictac.plugins.clue.matchmaking import ClueMatches, ClueSettings
from tictac.plugins.clue.server import ClueFactory
from tictac.plugins.clue.wire import DEFAULT_PORT, LONGEST_LINE
from tictac.runtime import Runtime, ServerPlugin

_log = Logger()

DEFAULT_PLAYER = "sensible"


class ClueService(plugin.ProtocolService):
    """The service: the games, their listeners, and the engine processes."""

    def __init__(self, ports: Sequence[str], runtime: Runtime) -> None:
        options, server = runtime.settings[ClueOptions], runtime.settings[ServerOptions]
        settings, reactor = make_settings(options), runtime.reactor
        size = options.clue_workers or os.cpu_count() or 1
        self._thinks = bool(settings.players)
        self._engines = EnginePool(reactor, size, server.max_questions_per_peer)
        self.seating = ClueMatches(runtime.registry, settings, reactor, self._engines)
        for_name, for_move = options.clue_name_timeout, options.clue_move_timeout
        limits = plugin.connection_limits(runtime.settings, for_name, for_move)
        pairs = not (settings.mini or options.unrevised_counter)

        def make_factory(proxied: bool) -> ClueFactory:
            return ClueFactory(
                reactor,
                running_time.seconds,
                limits=limits,
                proxied=proxied,
                seating=self.seating,
                pairs=pairs,
            )

        sweep = plugin.sweep_interval(for_name, for_move)
        eager = runtime.eager
        super().__init__(reactor, "clue", ports, make_factory, sweep, eager, 2 * LONGEST_LINE)

    def begin(self) -> None:
        if self._thinks:
            self._engines.start()

    def serving(self) -> bool:
        return super().serving() and (self._engines.ready or not self._thinks)

    def matches_running(self) -> int:
        return self.seating.running()

    def stop_listening(self) -> None:
        super().stop_listening()
        self.seating.finish()

    async def _stop(self) -> None:
        # All games end at once, so no player sees the others leave one by one.
        self.seating.close()
        await super()._stop()

    async def end(self) -> None:
        await self._engines.stop()
        _log.info(
            "clue: games: {games}; refusals: {refusals}",
            games=dict(self.seating.endings),
            refusals=self.refusals(),
        )


# Options


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


def make_settings(options: ClueOptions) -> ClueSettings:
    """Return the settings from the options. Raises SetupError."""
    humans, players, file = options.clue_humans, options.clue_players, options.clue_board
    board = shipped_board() if file is None else read_board(Path(file))
    seed, rounds = options.clue_seed, options.clue_max_rounds
    make = partial(ClueSettings, board, seed=seed, max_rounds=rounds)
    if options.clue_mini:
        return make(1, (), mini=True)
    left = SEATS - humans
    if players is None:
        players = (DEFAULT_PLAYER,) * left
    if len(players) != left:
        raise SetupError(
            f"--clue-players names {len(players)} players, and --clue-humans {humans}"
            f" leaves {left} seats"
        )
    return make(humans, players)


@dataclass(frozen=True)
class ClueOptions:
    """Clue."""

    clue_humans: int = option(1, "Seats for connections in a game of Clue, 1 to 6.", _humans)
    clue_players: tuple[str, ...] | None = option(
        None, "Computer players for the other seats.", read_players
    )
    clue_seed: int | None = option(None, "Random seed of deals and dice.", read.count)
    clue_name_timeout: float = option(60.0, "Seconds from connecting to Clue to the name.")
    clue_move_timeout: float = option(120.0, "Seconds for an answer in Clue.")
    clue_max_rounds: int = option(MAX_ROUNDS, "Maximum rounds of a game.", read.positive)
    clue_board: str | None = option(None, "File with another map.")
    clue_workers: int = option(0, "Engine processes for Clue. 0: one per core, up to 4.")
    clue_mini: bool = option(False, "Give each connection its own game without cards.")
    unrevised_counter: bool = option(False, "Hide who showed a card.")


PLUGIN = ServerPlugin(
    port="clue",
    default_port=DEFAULT_PORT,
    port_help="Play Clue on this port, or endpoint string. Repeatable.",
    make=ClueService,
    options=ClueOptions,
)
