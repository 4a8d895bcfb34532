"""The evaluation of moves: what perfect play makes of them, where a search can prove it.

OpenSpiel's tree search marks positions whose result is certain. Searches get longer until both the
best and the played move are certain, or time is up. Then the move has no evaluation: a guess of
random play-outs isn't worth showing.
"""

from __future__ import annotations

from typing import Any

import pyspiel

from tictac.game import Evaluation, Evaluator, ShouldStop
from tictac_openspiel.adapter import Position, Spiel

FIRST, LONGER, LONGEST = 0.02, 1.4, 1.0
"""Seconds of the first search, how much longer each next one takes, and seconds of the last one.

A search can't be stopped, so that a move takes up to 1.4 times its time."""

MEGABYTES = 100
SEED = 1


def judge(game: Spiel) -> Evaluator:
    """Return the evaluator of a game of two players without chance and secrets."""

    def weigh(position: Position, move: str, stop: ShouldStop) -> Evaluation | None:
        if len(position.moves) < 2 or move not in position.moves:
            return None
        seconds = FIRST
        while not stop() and seconds < LONGEST:
            if found := _weigh(position, move, seconds):
                return found
            seconds *= LONGER
        return None

    return weigh


def _weigh(position: Position, move: str, seconds: float) -> Evaluation | None:
    """Return the evaluation after one search; None: the result isn't certain."""
    root = _search(position.state, seconds)
    player = position.state.current_player()
    scores = {text: _score(root, way, player) for text, way in position.moves.items()}
    known = {text: score for text, score in scores.items() if score is not None}
    after, most = known.get(move), max(known.values(), default=0.0)
    # Only a win, or all moves together, prove that no other move is better.
    if after is None or (most < 1 and len(known) < len(scores)):
        return None
    best = move if after == most else max(known, key=known.__getitem__)
    return Evaluation(best, most, after)


def _search(state: Any, seconds: float) -> Any:
    evaluator = pyspiel.RandomRolloutEvaluator(1, SEED)
    bot = pyspiel.MCTSBot(
        state.get_game(), evaluator, 1.4, 10_000_000, MEGABYTES, True, SEED, False,
        max_wall_clock_time=seconds,
    )  # fmt: skip
    return bot.mcts_search(state)


def _score(root: Any, actions: tuple[int, ...], player: int) -> float | None:
    """Return the certain score of a move in a search: 1 for a win; None: it isn't certain."""
    node = root
    for action in actions:
        found = [each for each in node.children if each.action == action]
        if not found:
            return None
        [node] = found
    return (1 + max(-1.0, min(1.0, node.outcome[player]))) / 2 if node.outcome else None
