"""The computer of Connect Four: how far it looks, and how well it plays.

The benchmark compares boards per second and depth with a search on lists of lists in the same run.
With pops, the engine plays weaker players as either side. Without pops, the perfect player of the
package bitbully (`pip install 'tictac[judge]'`) checks how often it keeps a position's value.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib import import_module
from random import Random
from typing import Any

from bench import lists
from bench.report import parser, read, run, table
from tictac.game import time_is_up
from tictac.plugins.games.connectfour.opponent import choose, consider
from tictac.plugins.games.connectfour.rules import DROP, RED, Move, Position, Rules

Player = Callable[[Position, Random], Move]

WITH_POPS, WITHOUT = Rules(repetition=True), Rules(pops=False)
"""Rules for two computers; a repetition is a draw, because no person ends an endless game."""

seconds = time.process_time
"""Processor time, so that other programs on the machine don't shorten the search."""


def searcher(think: float) -> Player:
    """Return a player that uses our search, with ``think`` seconds per move."""
    return lambda position, rng: choose(WITH_POPS, position, time_is_up(seconds, think), rng)


def at_random(position: Position, rng: Random) -> Move:
    """Return a random move."""
    return rng.choice(WITH_POPS.legal_moves(position))


def one_ahead(position: Position, rng: Random) -> Move:
    """Return a win at once, else a move that prevents the opponent's win at once, else any move."""
    rules, moves = WITH_POPS, WITH_POPS.legal_moves(position)
    rng.shuffle(moves)
    safe = []
    for move in moves:
        after = rules.play(position, move)
        outcome = rules.outcome(after)
        if outcome is not None and outcome.winner == position.to_move:
            return move
        if outcome is None or outcome.winner is None:
            replies = (rules.outcome(rules.play(after, m)) for m in rules.legal_moves(after))
            if not any(reply and reply.winner == after.to_move for reply in replies):
                safe.append(move)
    return (safe or moves)[0]


def game(red: Player, yellow: Player, rng: Random, opening: int) -> str | None:
    """Return the winner of a game whose first ``opening`` moves are random."""
    position = WITH_POPS.initial()
    for _ in range(opening):
        position = WITH_POPS.play(position, at_random(position, rng))
    while (outcome := WITH_POPS.outcome(position)) is None:
        player = red if position.to_move == RED else yellow
        position = WITH_POPS.play(position, player(position, rng))
    return outcome.winner


def speed(think: float) -> None:
    """Print boards per second and depth, on the empty board and in the middle of a game."""
    rows = []
    for rules in (WITH_POPS, WITHOUT):
        for name, columns in (
            ("empty", ""),
            ("8 pieces", "44353443"),
            ("12 pieces", "444444123567"),
        ):
            position = rules.initial()
            for column in columns:
                position = rules.play(position, Move(DROP, int(column)))
            began = seconds()
            ours = consider(rules, position, time_is_up(seconds, think), Random(1))
            took = seconds() - began
            theirs = lists.deepen(position.rows, position.to_move, rules.pops, seconds, think)
            rows.append(
                [
                    f"{name}, {'pops' if rules.pops else 'no pops'}",
                    f"{ours.depth / theirs.depth:.1f}",
                    f"{ours.nodes / took / (theirs.nodes / theirs.seconds):.1f}",
                    f"{ours.depth}",
                    f"{theirs.depth}",
                    f"{ours.nodes / took:.0f}",
                ]
            )
    header = ["position", "depth/lists", "boards/lists", "depth", "lists' depth", "boards/s"]
    table(header, rows)


def matches(games: int, think: float, against_itself: int) -> None:
    """Print win rates with pops, as either side."""
    rows = []
    for name, other, number, opening in (
        ("random", at_random, games, 0),
        ("one-move-lookahead", one_ahead, games, 0),
        # Otherwise both would play the same game again and again.
        ("itself at a tenth of the time", searcher(think / 10), against_itself, 4),
    ):
        for side in ("red", "yellow"):
            ours = searcher(think)
            players = (ours, other) if side == "red" else (other, ours)
            ends = [game(*players, Random(seed), opening) for seed in range(number)]
            won, drawn = ends.count(side[0].upper()), ends.count(None)
            rows.append(
                [name, side, f"{won / number:.2f}", f"{won}", f"{drawn}", f"{number - won - drawn}"]
            )
    table(["against", "as", "won/games", "won", "drawn", "lost"], rows)


def sign(number: int) -> int:
    """Return 1, 0 or -1."""
    return (number > 0) - (number < 0)


def positions(judge: Any, number: int, careful: float) -> list[tuple[Position, set[Move]]]:
    """Return positions of 12 to 24 pieces where some move loses value, and the moves that don't.

    The moves of the games are random, except for a share, ``careful``, which is perfect and makes
    harder positions. Both sides are equally often to move.
    """
    bitbully: Any = import_module("bitbully")
    rng = Random(4)
    found: list[tuple[Position, set[Move]]] = []
    while len(found) < number:
        position, board = WITHOUT.initial(), bitbully.Board()
        pieces = 12 + 2 * rng.randrange(6) + len(found) % 2
        for _ in range(pieces):
            moves = WITHOUT.legal_moves(position)
            if not moves:
                break
            move = rng.choice(moves)
            if rng.random() < careful and WITHOUT.outcome(position) is None:
                scores = judge.score_all_moves(board, max_depth=8)
                move = Move(DROP, max(scores, key=lambda c: (scores[c], rng.random())) + 1)
            position = WITHOUT.play(position, move)
            board.play(move.column - 1)
        if WITHOUT.outcome(position) is None:
            scores = judge.score_all_moves(board)
            kept = {c for c in scores if sign(scores[c]) == sign(max(scores.values()))}
            if len(kept) < len(scores):
                found.append((position, {Move(DROP, column + 1) for column in kept}))
    return found


def agreement(number: int, think: float) -> None:
    """Print how often the search keeps the value of a position, without pops."""
    try:
        bitbully: Any = import_module("bitbully")
    except ImportError:
        print("bitbully isn't installed, so nobody judges the play without pops")
        return
    judge = bitbully.BitBully()
    rows = []
    for name, careful in (("random play", 0.0), ("careful play", 0.7)):
        kept: dict[str, list[bool]] = {"R": [], "Y": []}
        for position, good in positions(judge, number, careful):
            move = choose(WITHOUT, position, time_is_up(seconds, think), Random(1))
            kept[position.to_move].append(move in good)
        both = kept["R"] + kept["Y"]
        rows.append(
            [
                name,
                f"{sum(both) / len(both):.2f}",
                *(f"{sum(k)} of {len(k)}" for k in (both, kept["R"], kept["Y"])),
            ]
        )
    table(["positions from", "kept/all", "kept", "as red", "as yellow"], rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all measurements."""
    made = parser(
        __doc__,
        think=(1.0, 0.1),
        games=(50, 4),
        game_think=(0.03, 0.005),
        against_itself=(20, 2),
        positions=(100, 10),
    )
    options = read(made, arguments)
    speed(options.think)
    matches(options.games, options.game_think, options.against_itself)
    agreement(options.positions, options.think)


if __name__ == "__main__":
    run(main)
