"""Positions that differ in what a seat can't know, by OpenSpiel's own texts of what it knows."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from random import Random
from typing import Any

from tictac_openspiel.adapter import Position

STEPS = (-10, -1, 1, 10)
RARE = 5
"""One position of so many is changed: to check a history of gin rummy takes 50 ms."""


def alike(position: Position, seat: int | None, rng: Random) -> Position:
    """Return a position in which a hidden card is another one.

    A card that chance dealt, and that no later action names, is still in a hand or in the stock.
    Another such card takes its place, or a card that chance didn't deal. OpenSpiel's text of what a
    seat knows must remain the same. Without such a position, return the given one.
    """
    if position.mover is None or len(position.history) % RARE:
        return position
    if position.game.entry.name == "battleship":
        return _with_another_ship(position, seat, rng)
    text = str(position.state)
    if "Round: 0" not in text and "Round:" in text:
        return position  # in later deals, a number stands for several cards
    if '"hand_number":0' not in text and "hand_number" in text:
        return position
    history = position.history
    steps = position.state.full_history()
    times = Counter(step.action for step in steps if step.player < 0 or "hand_number" not in text)
    dealt = [
        at
        for at, step in enumerate(steps)
        if step.player == -1 and times[step.action] == 1 and not is_public(position, at)
    ]
    others: list[int | None] = [*dealt, None]
    pairs = [pair for pair in itertools.product(dealt, others) if pair[0] != pair[1]]
    rng.shuffle(pairs)
    unseen = sorted({*range(52)} - {*history})
    for at, other in pairs[:8]:
        changed = [*history]
        if other is not None:
            changed[at], changed[other] = history[other], history[at]
        elif unseen:
            changed[at] = rng.choice(unseen)
        if found := _loaded(position, changed, seat):
            return found
    return position


def is_public(position: Position, at: int) -> bool:
    """Return whether chance showed all players its answer of that number."""
    seats, name = position.seats, position.game.entry.name
    if name in ("hearts", "ohhell", "crazyeights"):
        last = at == 5 * seats + 1 or (name == "ohhell" and at == _trump(position))
        return at < 2 or last
    return at == {"ginrummy": 20, "cribbage": 12}.get(name) or (name == "holdem" and at > 3)


def _trump(position: Position) -> int:
    steps = position.state.full_history()
    return next((at for at, step in enumerate(steps) if step.player >= 0), len(steps)) - 1


def _loaded(position: Position, changed: list[int], seat: int | None) -> Position | None:
    head = f"{position.seats}:{position.seed}"
    try:
        found = position.game.load(" ".join(map(str, (head, *changed))))
    except ValueError:
        return None
    if changed == [*position.history] or found.mover != position.mover:
        return None
    if seat is not None and known(position.state, seat) != known(found.state, seat):
        return None
    return found


def known(state: Any, seat: int) -> str:
    """Return OpenSpiel's text of what a seat, which is a player's number in card games, knows."""
    if state.get_game().get_type().provides_information_state_string:
        return str(state.information_state_string(seat))
    return str(state.observation_string(seat))


def _with_another_ship(position: Position, seat: int | None, rng: Random) -> Position:
    """Return a position in which a ship lies elsewhere, and all shots had the same results."""
    steps = position.state.full_history()
    ships = [at for at, step in enumerate(steps[:10]) if step.player != seat]
    if not ships:
        return position
    before = _shots(position.state)
    for _ in range(8):
        changed = [*position.history]
        changed[rng.choice(ships)] = rng.choice(position.history[:10]) + rng.choice(STEPS)
        found = _loaded(position, changed, seat)
        if found and _shots(found.state) == before:
            return found
    return position


def _shots(state: Any) -> list[str]:
    found = [state.observation_string(seat).partition("shot outcomes")[2] for seat in (0, 1)]
    return [re.sub("[a-z]", "", each) for each in found]
