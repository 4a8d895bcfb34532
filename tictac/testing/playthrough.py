"""A game as text: all that it shows to rooms, clients, and people while it is played.

A test that makes the moves of a kept text again shows each change of the rules, the texts, and the
views as a difference. Changes of the computer's levels make none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from tictac.errors import Refusal
from tictac.testing.conformance import Case
from tictac.text_view import unpainted


def moves_in(text: str) -> list[str]:
    """Return the moves of a playthrough."""
    return re.findall("^> (.+)$", text, re.M)


def playthrough(case: Case, moves: Iterable[str]) -> str:
    """Make these moves, and return all that the game shows. At ``!2``, seat 2 leaves.

    The dice are the same each time. The text ends early after a move that is refused.
    """
    return "".join(f"{line.rstrip()}\n" for line in _lines(case, moves))


def _lines(case: Case, moves: Iterable[str]) -> Iterator[str]:
    game_type, game = case.game_type, case.game_type.game(case.options)
    values, seats = game_type.values(case.options), range(case.seats or game_type.seats[0])
    view, chance, known = game_type.text_view(values), Random(1), dict[str, int]()
    yield f"{case}: {game_type.title}. {game_type.goal}"
    yield from (f"{o.name}={values[o.name]}, {o.range()}: {o.help}" for o in game_type.options)
    yield from view.rules
    position: Any = game.start(len(seats), chance)
    yield f"position: {game.dump(position)}"
    yield from view.lines(game.view(position, None), unpainted)
    for number, text in enumerate(moves):
        turn, legal = game.turn(position), ", ".join(game.moves(position))
        yield from ("", f"{number}: seat {turn} to move")
        yield from _views("view", [game.view(position, seat) for seat in (None, *seats)])
        before = known.setdefault(legal, number)
        yield f"moves: {legal if before == number else f'as in {before}'}"
        yield f"> {text}"
        leaver = int(text[1:]) if text[0] == "!" else None
        try:
            position, made = (
                game.play(position, text, chance)
                if leaver is None
                else game.drop(position, leaver) or (position, "the match is over")
            )
        except Refusal as error:
            yield f"refused: {error}"
            return
        yield f"made: {made}"
        yield from _views("seen", [game.seen(position, made, seat) for seat in (None, *seats)])
    yield from ("", f"result: {game.result(position)}")
    yield from _views("view", [game.view(position, seat) for seat in (None, *seats)])
    yield f"position: {game.dump(position)}"
    yield from view.lines(game.view(position, None), unpainted)


def _views(name: str, texts: list[str]) -> Iterator[str]:
    """Yield the text for viewers, and that for each seat with another one."""
    yield f"{name}: {texts[0]}"
    others = enumerate(texts[1:])
    yield from (f"{name} for {seat}: {text}" for seat, text in others if text != texts[0])
