"""Games of Clue without sockets: players get the messages of a game, and the game their answers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from bench.servers import BenchError
from tictac.plugins.clue.game.board import shipped_board
from tictac.plugins.clue.game.cards import SEATS
from tictac.plugins.clue.game.messages import Hearing
from tictac.plugins.clue.game.opponent import Newcomer
from tictac.plugins.clue.game.players import Eliminator, Strategy
from tictac.plugins.clue.game.position import Answer, Position, format_move
from tictac.plugins.clue.game.rules import MAX_ROUNDS, Clue


class Match(NamedTuple):
    """One game: the watched player, the others in turn order, and the seed of deal, dice, seat."""

    player: str
    others: tuple[str, ...]
    seed: int


class Result(NamedTuple):
    """The result of a game for the watched seat, with the seconds of its answers."""

    won: bool
    rounds: int
    answers: int
    seconds: float
    slowest: float


class Seat:
    """A player whose answers are timed."""

    def __init__(self, player: Strategy | Newcomer, seat: int) -> None:
        self._player = player
        self._hearing = Hearing(seat)
        self.answers = 0
        self.seconds = self.slowest = 0.0

    def respond(self, position: Position) -> Answer | None:
        """Pass the new messages to the player; return the answer, if the game asks for one."""
        answer = None
        for message in self._hearing.news(position):
            begin = time.process_time()
            answer = self._player.respond(message)
            spent = time.process_time() - begin
            self.answers += answer is not None
            self.seconds += spent
            self.slowest = max(self.slowest, spent)
        return answer


def play(match: Match) -> Result:
    """Play a game until it ends, or the watched seat is out."""
    board, rng, watched = shipped_board(), Random(match.seed), match.seed % SEATS
    names = [*match.others[:watched], match.player, *match.others[watched:]]
    game = Clue(MAX_ROUNDS, board)
    seats = [
        Seat(Newcomer(name, board, Random(f"{match.seed} {seat}")), seat)
        for seat, name in enumerate(names)
    ]
    position = game.start(SEATS, rng)
    while position.asked != "over" and watched not in position.out:
        position = step(game, position, seats, rng)
    seat = seats[watched]
    won = game.result(position) == (watched,)
    return Result(won, position.rounds, seat.answers, seat.seconds, seat.slowest)


def play_mini(seed: int) -> tuple[bool, int, int]:
    """Play a mini-game; return whether it was won, and its numbers of suggestions and turns."""
    board, rng = shipped_board(), Random(seed)
    game = Clue(MAX_ROUNDS, board)
    player = Seat(Eliminator(board, Random(seed)), 0)
    position = game.start(1, rng)
    while position.asked != "over":
        position = step(game, position, [player], rng)
    suggestions = sum(turn.suggestion is not None for turn in position.past)
    return position.how == "won", suggestions, len(position.past) + 1


def step(game: Clue, position: Position, seats: Sequence[Seat], rng: Random) -> Position:
    """Pass the new messages to all players; return the position after the answer."""
    answers = [answer for seat in seats if (answer := seat.respond(position)) is not None]
    if len(answers) != 1:
        raise BenchError(f"{len(answers)} answers to one question")
    return game.play(position, format_move(position.asked, answers[0]), rng).position
