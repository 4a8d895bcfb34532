"""Games of Clue without sockets: players hear what a game tells them, and it gets their answers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from bench.servers import BenchError
from tictac.games.clue.board import shipped_board
from tictac.games.clue.cards import SEATS, deal
from tictac.games.clue.eliminator import Eliminator
from tictac.games.clue.messages import Answer, Dropped, Event, Over, Told
from tictac.clue.game import Game
from tictac.clue.mini import MiniGame
from tictac.games.clue.player import Hears
from tictac.games.clue.players import make_player
from tictac.clue.table import Table


class Match(NamedTuple):
    """One game: the player whose seat is watched, the five others in turn order, and the seed
    of the deal and the dice, which also tells the seat."""

    player: str
    others: tuple[str, ...]
    seed: int


class Result(NamedTuple):
    """How a game went for the watched seat, with the seconds of its answers."""

    won: bool
    rounds: int
    answers: int
    seconds: float
    slowest: float


class Seat:
    """A player whose time is taken."""

    def __init__(self, player: Hears) -> None:
        self._player = player
        self.answers = 0
        self.seconds = self.slowest = 0.0

    def hear(self, event: Told) -> Answer | None:
        """Let the player hear a message."""
        begin = time.process_time()
        answer = self._player.hear(event.message)
        spent = time.process_time() - begin
        self.answers += answer is not None
        self.seconds += spent
        self.slowest = max(self.slowest, spent)
        return answer


def play(match: Match) -> Result:
    """Play a game until it ends, or the watched seat is out."""
    board, dice, watched = shipped_board(), Random(match.seed), match.seed % SEATS
    names = [*match.others[:watched], match.player, *match.others[watched:]]
    game = Game(board, deal(dice), dice)
    seats = [
        Seat(make_player(name, board, Random(f"{match.seed} {seat}")))
        for seat, name in enumerate(names)
    ]
    events = game.start()
    while game.over is None and watched not in game.out:
        events = step(game, seats, events)
    seat = seats[watched]
    won = game.over is not None and game.over.winner == watched
    return Result(won, game.rounds, seat.answers, seat.seconds, seat.slowest)


def play_mini(seed: int) -> tuple[bool, int, int]:
    """Play a mini-game: whether it was won, and the suggestions and turns that it took."""
    board = shipped_board()
    game = MiniGame(board, Random(seed))
    player = Seat(Eliminator(board, Random(seed)))
    events, suggestions = game.start(), 0
    while game.over is None:
        suggestions += game.due is not None and game.due.asked == "suggest"
        events = step(game, dict.fromkeys(range(SEATS), player), events)
    return game.over.winner is not None, suggestions, game.rounds


def step(
    game: Table, seats: Sequence[Seat] | dict[int, Seat], events: Sequence[Event]
) -> list[Event]:
    """Deliver events; the events that the answer leads to."""
    given: list[tuple[int, Answer]] = []
    for event in events:
        if isinstance(event, Dropped):
            raise BenchError(f"a player broke the rules: {event.why}")
        if isinstance(event, Over):
            return []
        answer = seats[event.seat].hear(event)
        if answer is not None:
            given.append((event.seat, answer))
    if len(given) != 1:
        raise BenchError(f"{len(given)} answers to one question")
    return game.answer(*given[0])
