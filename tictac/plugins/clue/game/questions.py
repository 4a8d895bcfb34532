"""The answers to a player's questions in a game of Clue: the known cards, and the next room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tictac.plugins.clue.game.board import Cell, InRoom, at, show_place
from tictac.plugins.clue.game.cards import (
    ROOMS,
    TITLES,
    TOKENS,
    Card,
    Triple,
    as_triple,
    read_card,
    show_triple,
)
from tictac.plugins.clue.game.deduction import Deduction
from tictac.plugins.clue.game.messages import Counter
from tictac.plugins.clue.game.moving import FAR, stay, steps_to, without_dice
from tictac.plugins.clue.game.position import NOTHING
from tictac.plugins.clue.game.screen import draw_notes
from tictac.plugins.clue.game.view import View

Moves = Sequence[tuple[int, str]]
"""The moves of a game as a seat sees them, each with its seat."""


def where(view: View, token: int | None) -> list[str]:
    """Return where ``token`` can go now, and the distance of each room; None: a viewer."""
    if token is None:
        return ["You watch: only players go somewhere."]
    place = view.state[token]
    lines = [f"You are {at(place)}."]
    if token == view.token and view.reach:
        lines += _in_reach(view)
    elif rooms := [f"the {ROOMS[room]}" for room in without_dice(place)]:
        lines.append(f"Rooms where you can suggest without a roll: {', '.join(rooms)}.")
    steps = sorted((steps_to(view.board, room).get(place, FAR), room) for room in ROOMS)
    far = ", ".join(f"{ROOMS[room]} {count}" for count, room in steps if count < FAR)
    return [*lines, f"Steps to each room, if no token is in the way: {far}."]


def _in_reach(view: View) -> Iterator[str]:
    if view.reach == {stay(view.place)}:
        yield "You can't go anywhere with this roll: type stay."
        return
    rooms = sorted(show_place(goal) for goal in view.reach if isinstance(goal, InRoom))
    cells = sorted(goal for goal in view.reach if isinstance(goal, Cell))
    if rooms:
        yield f"Rooms in reach with {view.steps} steps: {', '.join(rooms)}."
    else:
        yield f"No room is in reach with {view.steps} steps."
    if cells:
        listed = ", ".join(map(show_place, cells))
        yield f"Cells in reach (all {view.steps} steps must be used): {listed}."


def notes(view: View, seat: int | None, moves: Moves) -> list[str]:
    """Return what ``seat`` can know for certain by its cards and ``moves``; None: a viewer."""
    if seat is None:
        return ["You watch: only players have notes."]
    known = _Notebook(Deduction(seat, view.hand or None), view.asked)
    known.read(moves)
    lines = draw_notes(known.deduction, lambda ink, text: text)
    if view.hand:
        lines.append(f"Your cards: {_titles(view.hand)}.")
    if known.shown:
        shown = (f"{TITLES[card]} by {TOKENS[by]}" for card, by in known.shown.items())
        lines.append(f"Shown to you: {', '.join(shown)}.")
    for suggester, triple in known.open:
        lines.append(f"No one could disprove {TOKENS[suggester]}: {show_triple(triple)}.")
    left = known.deduction.left()
    if all(len(cards) == 1 for cards in left):
        return [*lines, f"The envelope: {', '.join(map(_titles, left))}. You can accuse."]
    kinds = zip(("Players", "Weapons", "Rooms"), left, strict=True)
    return lines + [f"{kind} that can be in the envelope: {_titles(c)}." for kind, c in kinds]


@dataclass(slots=True)
class _Notebook:
    """A deduction by moves. ``shown`` has the cards shown to the seat, each with its owner.

    ``open`` are other seats' suggestions that no seat could disprove, with the suggesters.
    """

    deduction: Deduction
    asked: str
    shown: dict[Card, int] = field(default_factory=dict)
    open: list[tuple[int, Triple]] = field(default_factory=list)
    _due: tuple[int, Triple] | None = None

    def read(self, moves: Moves) -> None:
        """Note the moves of the game from its start."""
        for seat, move in moves:
            made, _, chance = move.partition(": ")
            verb, *cards = made.split(" ")
            if verb not in ("show", "drop"):
                self._settle(None, NOTHING)
            if verb == "suggest":
                self._due = seat, as_triple(map(read_card, cards))
            elif verb == "accuse" and cards and self.asked != "over":
                self.deduction.is_not(as_triple(map(read_card, cards)))
            if verb == "show":
                self._settle(seat, *cards or [NOTHING])
            elif chance and self.deduction.hand is None:
                self._answer(chance)
            elif chance:
                shower, card = chance.split(" ")
                self._settle(int(shower), card)
        if self.asked != "show":
            self._settle(None, NOTHING)

    def _settle(self, shower: int | None, card: str) -> None:
        """Note which seat, if any, disproved the due suggestion, and its card if known."""
        if self._due is None:
            return
        (suggester, triple), self._due = self._due, None
        self.deduction.suggestion(suggester, triple, shower)
        if shower is None:
            self.open.append((suggester, triple))
        elif card != NOTHING:
            self.deduction.has_one(shower, [read_card(card)])
            if suggester == self.deduction.seat:
                self.shown[read_card(card)] = shower

    def _answer(self, card: str) -> None:
        """Note the wrong card of a suggestion in the mini-game, or that none is wrong."""
        assert self._due is not None
        (_, triple), self._due = self._due, None
        counter = Counter(None if card == NOTHING else read_card(card), None)
        self.deduction.countered(triple, counter)


def _titles(cards: Sequence[Card]) -> str:
    return ", ".join(TITLES[card] for card in cards)
