"""Positions that differ in what a seat can't know, by OpenSpiel's own texts of what it knows."""

from __future__ import annotations

import itertools
from collections import Counter
from random import Random
from typing import Any

from tictac_openspiel.adapter import Position

RARE = 7
"""One position of so many is changed: to check a history of gin rummy takes 50 ms."""


def alike(position: Position, seat: int | None, rng: Random) -> Position:
    """Return a position in which a hidden card is another one.

    A card that chance dealt, and that no later action names, is still in a hand or in the stock.
    Another such card takes its place, or a card that chance didn't deal. OpenSpiel's text of what a
    seat knows must remain the same. Without such a position, return the given one.
    """
    if position.mover is None or len(position.history) % RARE:
        return position
    game, history = position.game, position.history
    times = Counter(history)
    dealt = [
        at
        for at, step in enumerate(position.state.full_history())
        if step.player == -1 and times[step.action] == 1 and not is_public(game.entry.name, at)
    ]
    others: list[int | None] = [*dealt, None]
    pairs = [pair for pair in itertools.product(dealt, others) if pair[0] != pair[1]]
    rng.shuffle(pairs)
    unseen = sorted({*range(game.entry.cards)} - {*history})
    for at, other in pairs[:6]:
        changed = [*history]
        if other is not None:
            changed[at], changed[other] = history[other], history[at]
        elif unseen:
            changed[at] = rng.choice(unseen)
        try:
            found = game.load(" ".join(map(str, (position.seats, *changed))))
        except ValueError:
            continue
        if changed == [*history] or found.mover != position.mover:
            continue
        seats = [] if seat is None else [seat]
        if all(known(position.state, each) == known(found.state, each) for each in seats):
            return found
    return position


def is_public(name: str, at: int) -> bool:
    """Return whether chance showed all players the card of that number: the first upcard."""
    return name == "ginrummy" and at == 20


def known(state: Any, seat: int) -> str:
    """Return OpenSpiel's text of what a seat, which is a player's number in card games, knows."""
    if state.get_game().get_type().provides_information_state_string:
        return str(state.information_state_string(seat))
    return str(state.observation_string(seat))
