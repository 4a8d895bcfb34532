"""Waiting players and running games of Clue, which are rooms of the lobby. Source: clue.md."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Protocol

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.engines.computer import ComputerOccupant, Engine
from tictac.errors import CannotThink, TooManyQuestions
from tictac.lobby.direct_matches import DirectMatches
from tictac.lobby.events import Ended, Ending
from tictac.lobby.interfaces import Occupant
from tictac.lobby.registry import Registry
from tictac.lobby.terms import Terms
from tictac.logs import LIMITED
from tictac.names import COMPUTER
from tictac.plugins.clue.game.cards import SEATS
from tictac.plugins.clue.game.game import GAME_TYPE
from tictac.plugins.clue.game.rules import Clue
from tictac.plugins.clue.settings import ClueOptions

_log = Logger(observer=LIMITED)


class SeatedConnection(Occupant, Protocol):
    """A player's connection. ``name`` is for the log, ``network`` is the network of its address.

    ``room`` and ``seat`` are its room and seat.
    """

    name: str
    room: str
    seat: int

    @property
    def network(self) -> str: ...


@dataclass(eq=False, slots=True)
class RunningGame:
    """A running game: the names of its seats, and its remaining connections.

    ``how`` is the word for its end if the position has none.
    """

    number: int
    names: list[str]
    people: list[SeatedConnection]
    how: str = ""


class ClueMatches(DirectMatches[SeatedConnection]):
    """The players that wait for a game, and the running games.

    ``endings`` counts games by a word: ``won``, ``out`` (no seat has turns), ``rounds`` (the
    maximum is reached), ``abandoned`` (no connection is left), or ``closed`` (the server stopped).
    """

    def __init__(
        self, registry: Registry, options: ClueOptions, clock: IReactorTime, engine: Engine
    ) -> None:
        self.options = options
        super().__init__(registry, self._terms(0))
        self._clock = clock
        self._engine = engine
        self._waiting: list[SeatedConnection] = []
        self._match_of: dict[Occupant, RunningGame] = {}
        self._begun = 0
        self._closed = False

    def enter(self, player: SeatedConnection) -> None:
        """Add a player that sent a name."""
        if self._closed:
            player.close()
            return
        self._waiting.append(player)
        if len(self._waiting) == self.options.humans:
            waiting, self._waiting = self._waiting, []
            self._begin(waiting)

    def leave(self, player: SeatedConnection, ending: str) -> None:
        """Remove a waiting or playing connection, and log the reason."""
        if player in self._waiting:
            self._waiting.remove(player)
        match = self._match_of.get(player)
        if match is None or player not in match.people:
            return
        self._note_loss(match, player.seat, ending)
        match.people.remove(player)
        if match.people:
            self.registry.leave(player, for_good=True)
        else:
            self._call_off(match, player, "abandoned", "left")

    def finish(self) -> None:
        """Begin no more games, and disconnect waiting players."""
        self._closed = True
        waiting, self._waiting = self._waiting, []
        for player in waiting:
            player.close()

    def close(self) -> None:
        """End every game."""
        self.finish()
        for match in set(self._match_of.values()):
            self._call_off(match, match.people[0], "closed", "closed")

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        """Count the ended game if it is one of these."""
        players = self._matches.pop(name, None)
        if players is None:
            return
        match, *_ = (self._match_of.pop(player) for player in players)
        position = ended.position
        how = match.how or position.how
        self.endings[how] += 1
        under_way = position.asked != "over" or bool(position.turn.choice)
        _log.info(
            "clue: game {game} has ended: {how}; winner: {winner!r}; rounds: {rounds}",
            game=match.number,
            how=how,
            winner=None if ended.seat is None else match.names[ended.seat],
            rounds=-(-(len(position.past) + under_way) // len(position.tokens)),
        )

    def _terms(self, number: int) -> Terms:
        """Return the terms of the n-th game."""
        options = self.options
        seed = "" if options.clue_seed is None else f"{options.clue_seed} {number}"
        game = Clue(options.clue_max_rounds, options.board, seed)
        # The connection limits silence.
        seats, values = 1 if options.clue_mini else SEATS, {"rounds": options.clue_max_rounds}
        return Terms(GAME_TYPE, values, game, seats=seats, protocol=GAME_TYPE.name, move_timeout=0)

    def _begin(self, waiting: list[SeatedConnection]) -> None:
        self._begun += 1
        names = [*(player.name for player in waiting), *self.options.players]
        match, terms = RunningGame(self._begun, names, waiting), self._terms(self._begun)
        seats = range(len(waiting), len(names))
        players: list[Occupant] = [*waiting]
        players += (self._computer(match, terms, seat) for seat in seats)
        self._match_of.update(dict.fromkeys(players, match))
        self.seat(*players, terms=terms)

    def _computer(self, match: RunningGame, terms: Terms, seat: int) -> ComputerOccupant:
        """Return the computer player for ``seat``."""
        player = ComputerOccupant(
            self.registry,
            self._clock,
            Random(),
            replace(terms, computer=match.names[seat]),
            self._engine,
            delay=0,
            # Games opened from one address share one queue for the engine.
            line=match.people[0].network,
            failed=lambda failure: self._failed(match, seat, player, failure),
        )
        if seat > self.options.humans:
            player.user = f"{COMPUTER} {seat + 1 - self.options.humans}"
        return player

    def _failed(self, match: RunningGame, seat: int, player: Occupant, failure: Failure) -> None:
        """Remove a computer player that failed to answer."""
        refusal, why = failure.value, "failed"
        if isinstance(refusal, CannotThink | TooManyQuestions):
            why = refusal.code
        else:
            _log.failure("clue: a computer player failed to answer", failure)
        self._note_loss(match, seat, why)
        self.registry.leave(player, for_good=True)

    def _call_off(
        self, match: RunningGame, player: SeatedConnection, how: str, ending: Ending
    ) -> None:
        match.how = how
        self.registry.call_off(player.room, ending)

    def _note_loss(self, match: RunningGame, seat: int, why: str) -> None:
        _log.info(
            "clue: game {game}: {name!r} at seat {seat} is out: {why}",
            game=match.number,
            name=match.names[seat],
            seat=seat,
            why=why,
        )
