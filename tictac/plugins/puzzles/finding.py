"""The search for a puzzle: a position in which one move alone keeps the win.

``python -m tictac.plugins.puzzles.finding`` reads a search as a line of JSON and prints the puzzle
that it finds, or null. It runs at the lowest priority: a puzzle delays no player. Its positions
come from the last moves of finished matches, and then from games of the computer against itself.
Each game's own evaluator (``GameType.judge``) solves a position before it is a puzzle.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

from tictac.archive.match import BadMatch, load_match
from tictac.errors import Refusal
from tictac.game import Evaluator, Game, GameType, OpenGame, ShouldStop, Value, time_is_up
from tictac.games.all import game_type_of

LOWEST_PRIORITY = 19

WON = 0.9
"""The least expected score after the right move."""

MARGIN = 0.3
"""How much less each other move must score."""

CHOICES = range(4, 81)
"""The numbers of moves among which the right one can be."""

LAST_MOVES = 16
"""How many of a match's last positions can become a puzzle."""

MOST_STEPS = 4
"""Maximum moves of a solution."""

MANY = 20
"""The number of moves among which also a move that ends the match is a puzzle."""

LOST = 0.25
"""The score of a wrong move below which it loses."""

A_MOVE = 0.25
"""Maximum seconds to evaluate a move."""

NONE: tuple[str, Mapping[str, float]] = "", {}
"""No right move."""


class Step(NamedTuple):
    """A move of the solution: the position before it, as everyone sees it, and the right move.

    ``replies`` are the moves that follow before the next step, by the best play of the others, and
    ``then`` is the position after them. ``others`` has for each wrong move the reply, the
    position after it, and ``loses`` or ``holds``: what the move makes of the game. An empty reply:
    it is still the same player's turn, or the game is over.

    ``hint`` says of the right move that it ``wins`` at once; that a win follows ``twice``, which no
    reply stops; that it ``forces`` the only reply that stops one; or that it is ``quiet``.
    """

    position: str
    best: str
    replies: Sequence[str]
    then: str
    others: Mapping[str, Sequence[str]]
    hint: str


class Puzzle(NamedTuple):
    """A position of a game with ``options`` in which ``seat`` moves, and its solution.

    ``wins``: the last move of the solution wins at once. ``match`` is the ID of its source; empty:
    a game of the computer.
    """

    game: str
    options: Mapping[str, Value]
    seats: int
    seat: int
    steps: Sequence[Step]
    wins: bool
    match: str


class Search(NamedTuple):
    """A search for at most ``seconds``; ``used`` are positions of earlier puzzles.

    ``server`` is the process that asks: the search ends with it.
    """

    game: str
    matches: Sequence[str]
    used: Sequence[str]
    seconds: float
    seed: int
    server: int


class Solver:
    """Solves positions of a game, each move within ``A_MOVE`` of ``seconds``, a clock."""

    def __init__(self, asked: GameType, game: Game[object], seconds: Callable[[], float]) -> None:
        self._asked, self._game, self._seconds = asked, game, seconds

    def solve(self, position: object) -> tuple[list[Step], bool]:
        """Return the steps from a position, and whether the last one wins; none: no puzzle."""
        game, steps = self._game, list[Step]()
        seat = game.turn(position)
        while seat is not None and len(steps) < MOST_STEPS and game.turn(position) == seat:
            best, scores = self._only_move(position)
            if not best:
                break
            others = {
                move: (*self._refutation(position, move), "loses" if score < LOST else "holds")
                for move, score in scores.items()
            }
            before, replies = game.view(position, None), list[str]()
            position = game.play(position, best, None).position
            hint = self._hint(position, seat)
            while reply := self._reply(position, seat):
                replies.append(reply)
                position = game.play(position, reply, None).position
            steps.append(Step(before, best, replies, game.view(position, None), others, hint))
        return steps, seat is not None and self._wins(position, seat)

    def _only_move(self, position: object) -> tuple[str, Mapping[str, float]]:
        """Return the only move that wins (empty: there is none), and the scores of the others."""
        moves, weigh = self._game.moves(position), self._weigh()
        if len(moves) not in CHOICES:
            return NONE
        found = weigh(position, moves[0], self._begin())
        if found is None or found.before < WON or (best := found.best) not in moves:
            return NONE
        right = weigh(position, best, self._begin())
        if right is None or right.guessed or right.after < WON:
            return NONE
        scores = dict[str, float]()
        for move in moves:
            wrong = None if move == best else weigh(position, move, self._begin())
            if move != best and (wrong is None or wrong.after > right.after - MARGIN):
                return NONE
            if wrong is not None:
                scores[move] = wrong.after
        return best, scores

    def _hint(self, position: object, seat: int) -> str:
        """Return the word of a position after the right move of a seat."""
        if self._wins(position, seat):
            return "wins"
        game = self._game
        if game.turn(position) in (None, seat):
            return "quiet"
        answers = [game.play(position, reply, None).position for reply in game.moves(position)]
        stopped = sum(
            game.turn(after) != seat
            or not any(
                self._wins(game.play(after, move, None).position, seat)
                for move in game.moves(after)
            )
            for after in answers
        )
        return {0: "twice", 1: "forces"}.get(stopped, "quiet")

    def _wins(self, position: object, seat: int) -> bool:
        result = self._game.result(position)
        return result is not None and result.winner == seat

    def _refutation(self, position: object, wrong: str) -> tuple[str, str]:
        game, seat = self._game, self._game.turn(position)
        position = game.play(position, wrong, None).position
        if reply := self._reply(position, seat):
            position = game.play(position, reply, None).position
        return reply, game.view(position, None)

    def _reply(self, position: object, seat: int | None) -> str:
        """Return the best move of another seat than ``seat``; empty if it isn't its turn."""
        if self._game.turn(position) in (None, seat):
            return ""
        move, weigh = self._game.moves(position)[0], self._weigh()
        found = weigh(position, move, self._begin())
        if found is None:  # then the computer knows better moves than the first one
            move = self._choose(position)
            found = weigh(position, move, self._begin())
        return move if found is None else found.best or move

    def _choose(self, position: object) -> str:
        choose, levels = self._asked.choose, self._asked.levels
        assert choose is not None
        level = levels[min(1, len(levels) - 1)]
        stop = time_is_up(self._seconds, A_MOVE / 10)
        return choose(self._game, position, level, stop, Random(1))

    def _weigh(self) -> Evaluator:
        assert self._asked.judge is not None
        return self._asked.judge(
            self._game
        )  # another one for each position, as they come in no order

    def _begin(self) -> ShouldStop:
        return time_is_up(self._seconds, A_MOVE)


def find(search: Search, seconds: Callable[[], float]) -> Puzzle | None:
    """Return the best of the puzzles that are found in time; None if there is none.

    ``seconds`` is a clock. Raises NoSuchGame for an unknown game.
    """
    asked, rng = game_type_of(search.game), Random(search.seed)
    if asked.judge is None or asked.choose is None or not isinstance(asked.game(), OpenGame):
        return None
    is_late = time_is_up(seconds, search.seconds)
    found, least = None, 0
    for game, options, seats, positions, match in _sources(asked, search, rng, seconds, is_late):
        solver = Solver(asked, game, seconds)
        for position in reversed(positions[-LAST_MOVES:]):
            if is_late():
                return found
            if game.turn(position) is None or game.view(position, None) in search.used:
                continue
            steps, wins = solver.solve(position)
            ends_at_once = len(steps) == 1 and wins
            is_trivial = not steps or (ends_at_once and len(steps[0].others) < MANY)
            worth = 0 if is_trivial else len(steps) + wins + bool(match) - ends_at_once
            if worth > least:
                seat = game.turn(position) or 0
                found, least = Puzzle(asked.name, options, seats, seat, steps, wins, match), worth
        if least == MOST_STEPS + 2:
            break
    return found


def _sources(
    asked: GameType, search: Search, rng: Random, seconds: Callable[[], float], is_late: ShouldStop
) -> Iterator[tuple[Game[object], Mapping[str, Value], int, Sequence[object], str]]:
    for line in search.matches:
        try:
            match = load_match(line)
            game = match.the_game()
            positions = _positions(game, game.load(match.start), match.moves())
        except (BadMatch, Refusal):
            continue
        yield game, match.options, len(match.players), positions, match.id
    assert asked.choose is not None
    game, options, seats = asked.game(), asked.values({}), 2
    while not is_late():
        positions = [game.start(seats, rng)]
        while (seat := game.turn(positions[-1])) is not None and not is_late():
            level = asked.levels[min(seat, len(asked.levels) - 1)]
            stop = time_is_up(seconds, A_MOVE / 10)
            move = asked.choose(game, positions[-1], level, stop, rng)
            positions.append(game.play(positions[-1], move, rng).position)
        yield game, options, seats, positions, ""


def _positions(game: Game[object], position: object, moves: Iterable[str]) -> list[object]:
    positions = [position]
    for move in moves:
        positions.append(game.play(positions[-1], move, None).position)
    return positions


def main() -> None:
    """Find a puzzle for the search on the standard input."""
    os.nice(LOWEST_PRIORITY)
    search = Search(**json.loads(sys.stdin.readline()))

    def seconds() -> float:
        if os.getppid() != search.server:  # it was killed
            sys.exit(1)
        return time.process_time()

    found = find(search, seconds)
    print(json.dumps(found and {**found._asdict(), "steps": [s._asdict() for s in found.steps]}))


if __name__ == "__main__":
    main()
