"""The computer: a program of others, a search by material, or OpenSpiel's Monte Carlo tree search.

In games with secrets, it plays by what its seat sees (players.py).
"""

from __future__ import annotations

from random import Random
from time import monotonic

import pyspiel

from tictac.game import ShouldStop
from tictac_openspiel import bridges, cube, engines, five, material, players, star
from tictac_openspiel.adapter import Position, Spiel
from tictac_openspiel.cube import Match, inner

SEARCHES = {"beginner": 8, "club": 150, "best": 10_000_000}
"""Play-outs at a level, at most."""

FIRST = 8  # play-outs of the first search: one of Hive can take 50 ms
CHUNK = 0.08  # seconds of a search after which ``stop`` is asked again


def choose(game: Spiel, position: Position, level: str, stop: ShouldStop, rng: Random) -> str:
    """Return a move of the game at a level."""
    if len(position.moves) == 1:
        return next(iter(position.moves))
    entry = game.entry
    if isinstance(position.state, Match) and not position.state.is_rolled:
        return engines.choose(game, position, level, stop) or cube.choose(position.state, level)
    if entry.hidden:
        seat = position.mover or 0
        view = game.view(position, seat)
        return players.choose(entry.name, view, seat, list(position.moves), level, rng)
    if entry.name == "gomoku":
        return five.choose(game, position, level, stop, rng)
    if entry.name == "chinesecheckers":
        return star.choose(game, position, level, rng)
    if entry.name == "hex":
        return bridges.choose(game, position, level, stop, rng)
    found = engines.choose(game, position, level, stop)
    if found is None and entry.name in material.WORTH:
        found = material.choose(game, position, level, stop, rng)
    return found or search(game, position, level, stop, rng)


def search(game: Spiel, position: Position, level: str, stop: ShouldStop, rng: Random) -> str:
    """Return the move that the searches visited most.

    Searches from the same position follow each other until time is up, each of about a tenth of a
    second; their visits add up.
    """
    state = inner(position.state)
    visits: dict[int, int] = {}
    known = {actions[0] for actions in position.moves.values()}
    board = game.entry.board
    twins = {
        action: position.moves[board.text_of(state, action)][0]
        for action in state.legal_actions()
        if action not in known
    }
    left, size = SEARCHES[level], min(FIRST, SEARCHES[level])
    while True:
        began = monotonic()
        for child in _search(state, size, rng).children:
            action = twins.get(child.action, child.action)
            visits[action] = visits.get(action, 0) + child.explore_count
        left -= size
        if left <= 0 or stop():
            break
        faster = CHUNK / max(1e-4, monotonic() - began)
        size = min(left, max(4, int(size * min(3, faster))))
    best = max(visits, key=visits.__getitem__)
    # A move can stand for several actions: then the rest is searched, too.
    found = {text: actions for text, actions in position.moves.items() if actions[0] == best}
    if len(found) == 1:
        return next(iter(found))
    after = state.child(best)
    rest = {child.action: child.explore_count for child in _search(after, size, rng).children}
    return max(found, key=lambda text: rest.get(found[text][1], 0))


def _search(state: pyspiel.State, size: int, rng: Random) -> pyspiel.SearchNode:
    evaluator = pyspiel.RandomRolloutEvaluator(1, rng.getrandbits(31))
    seed = rng.getrandbits(31)
    bot = pyspiel.MCTSBot(state.get_game(), evaluator, 1.4, size, 200, True, seed, False)
    return bot.mcts_search(state)
