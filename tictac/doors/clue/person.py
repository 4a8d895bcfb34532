"""A person who plays Clue at a terminal: sees the board, and types what is checked at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import Protocol, TypeVar

from tictac.doors.clue.match import Match
from tictac.doors.clue.notebook import Notebook, beside, draw_notes
from tictac.doors.clue.telling import show_place
from tictac.games.clue.board import Cell, InRoom, Place
from tictac.games.clue.cards import PASSAGES, ROOMS, TOKENS, Card, Triple, the, title
from tictac.games.clue.entries import find_card, read_accusation, read_place, read_suggestion, words
from tictac.games.clue.messages import (
    Answer,
    AskAccusation,
    AskSuggestion,
    Message,
    Moved,
    Rolled,
    Turn,
)
from tictac.games.clue.moving import can_go, options
from tictac.games.clue.screen import draw_board
from tictac.terminal.style import Style, visible

T = TypeVar("T")

HELP = """\
roll                   roll the dice; then type where to go: a room, or down
                       and right of a cell that has a star (*), such as 17 23
stay                   don't roll, and stay where you are
passage                don't roll, and take the secret passage of your room
accuse plum rope hall  end your turn with an accusation; a wrong one ends all
                       your turns
board, notes           show them again; in the notes: x has it, - hasn't,
                       ? showed it or another, < is in the envelope
quit                   leave the game
A star (*) is a cell that your roll can reach. In a room that you have entered
you suggest a player and a weapon: the next player who has one of the cards or
that of the room must show you one. When others suggest, you may have to show
one to them. A server usually waits two minutes for each answer.
Names may be shortened; rooms have letters, too: S H U D K B C I L.
Rows of the board may be left out where nobody is and you can't go."""

WIDTH = 79
"""The columns that are always there."""
BOTH_WIDE, BOTH_TALL = 91, 30
"""What the board and the notes need beside each other, with the question below."""

Size = tuple[int, int]
"""Columns and lines of a terminal."""


class Asker(Protocol):
    """Who asks the person (a Dialog, or less)."""

    def say(self, line: str) -> None: ...

    def show(self, lines: Iterable[str]) -> None: ...

    def size(self) -> Size | None: ...

    def types(self) -> bool: ...

    def ask(self, prompt: str) -> Awaitable[str]: ...


class Person:
    """Decides what the person types. ``notes`` are there once the game has begun."""

    def __init__(self, asker: Asker, style: Style, match: Match) -> None:
        self.notes: Notebook | None = None
        self._asker = asker
        self._style = style
        self._match = match
        self._goes: Place | None = None
        self._accuses: Triple | None = None

    async def decide(self, message: Message) -> Answer | None:
        """The answer to ``message``, which ``match`` has heard, if it asks for one."""
        match message:
            case Turn():
                return await self._choose()
            case Rolled(steps):
                return await self._go(steps)
            case AskSuggestion():
                return await self._suggest()
            case AskAccusation():
                assert self._accuses is not None
                return self._accuses
            case Moved():
                return await self._show(message)
        return None

    def show_board(self, reach: Collection[Place] = ()) -> None:
        """Draw the board, in as many lines as there are."""
        self._asker.show(self._draw_board(reach))

    def show_notes(self) -> None:
        """Draw the notes."""
        self._asker.show(self._draw_notes())

    def show_all(self, reach: Collection[Place] = ()) -> None:
        """Draw the board, and the notes beside it; or below it the own cards, before a turn."""
        size = self._asker.size()
        if size is not None and size[0] >= BOTH_WIDE and size[1] >= BOTH_TALL:
            self._asker.show(beside(self._draw_board(reach), self._draw_notes()))
            return
        self.show_board(reach)
        if self._match.hand and not reach:
            cards = ", ".join(map(title, sorted(self._match.hand)))
            self._asker.say(f"Your cards: {cards}.")

    def _draw_board(self, reach: Collection[Place]) -> list[str]:
        size = self._asker.size()
        # Below it are the own cards, what can be done, and the question.
        height = None if size is None else size[1] - 3
        return draw_board(self._match.board, self._match.state, self._style, reach, height)

    def _draw_notes(self) -> list[str]:
        if self.notes is None:
            return []
        return draw_notes(self.notes.marks(), self.notes.solved(), self._style)

    def obey(self, typed: str) -> bool:
        """Do what can be done at any time; whether ``typed`` was that."""
        if typed.lower() == "board":
            self.show_board()
        elif typed.lower() == "notes":
            self.show_notes()
        elif typed.lower() in ("help", "?"):
            self._asker.show(HELP.splitlines())
        else:
            return False
        return True

    # The questions

    async def _choose(self) -> Answer:
        self.show_all()
        where = "at" if isinstance(self._place, Cell) else "in"
        name = TOKENS[self._match.token]
        self._asker.say(f"Your turn, {name}. You are {where} {show_place(self._place)}.")
        ways = ["roll", "stay", *(["passage"] if self._passage else []), "accuse"]
        while True:
            choice = await self._ask(f"{', '.join(ways)} or help? ", self._read_choice)
            if choice != "accuse" or await self._is_sure():
                return choice

    async def _is_sure(self) -> bool:
        """Whether to accuse, though the notes may rule it out. A script isn't asked."""
        if not self._asker.types() or self.notes is None or self._accuses is None:
            return True
        left = self.notes.left()
        wrong = [
            the(card) for card, may in zip(self._accuses, left, strict=True) if card not in may
        ]
        if not wrong:
            return True
        self._asker.say(f"Your notes rule out {' and '.join(wrong)}.")
        return await self._ask("Are you sure, yes or no? ", _read_yes)

    def _read_choice(self, typed: str) -> Answer:
        verb, _, rest = typed.partition(" ")
        match verb.lower():
            case "roll" | "r":
                self._goes = None
                return "roll"
            case "stay" | "s" | "no-roll":
                place = self._place
                self._goes = InRoom(place.room, "V") if isinstance(place, InRoom) else place
                return "no-roll"
            case "passage" | "p":
                if self._passage is None:
                    raise ValueError("There is no secret passage here.")
                self._goes = InRoom(self._passage, "V")
                return "no-roll"
            case "accuse" | "a":
                self._accuses = read_accusation(rest)
                return "accuse"
        raise ValueError(f"{visible(typed)!r:.40} isn't one of these; help explains them.")

    async def _go(self, steps: int) -> Place:
        goes, self._goes = self._goes, None
        if steps == 0 and goes is not None:
            return goes
        reach = options(self._match.board, self._match.state, self._match.token, steps)
        if len(reach) == 1:
            return next(iter(reach))
        self.show_all(reach)
        self._asker.say(f"You can go to {_show_goals(reach)}.")
        return await self._ask(
            f"Where to with {steps}? ", lambda typed: self._read_goal(typed, steps)
        )

    def _read_goal(self, typed: str, steps: int) -> Place:
        place = read_place(typed)
        if not can_go(self._match.board, self._match.state, self._match.token, place, steps):
            raise ValueError(f"You can't get to {show_place(place)} with {steps} steps.")
        return place

    async def _suggest(self) -> Triple:
        place = self._place
        assert isinstance(place, InRoom)
        prompt = f"A player and a weapon to suggest in the {ROOMS[place.room]}: "
        return await self._ask(prompt, lambda typed: read_suggestion(typed, place.room))

    async def _show(self, moved: Moved) -> Card | None:
        cards = self._match.to_show(moved)
        if len(cards) < 2:
            return cards[0] if cards else None
        names = " or ".join(title(card) for card in cards)
        prompt = f"Which card do you show {TOKENS[moved.mover]}, {names}? "
        return await self._ask(prompt, lambda typed: find_card(" ".join(words(typed)), cards))

    async def _ask(self, prompt: str, read: Callable[[str], T]) -> T:
        while True:
            typed = await self._asker.ask(prompt)
            try:
                if not self.obey(typed):
                    return read(typed)
            except ValueError as error:
                self._asker.say(str(error))

    @property
    def _place(self) -> Place:
        return self._match.state[self._match.token]

    @property
    def _passage(self) -> str | None:
        place = self._place
        return PASSAGES.get(place.room) if isinstance(place, InRoom) else None


def _read_yes(typed: str) -> bool:
    if typed.lower() in ("y", "yes"):
        return True
    if typed.lower() in ("n", "no"):
        return False
    raise ValueError("Type yes or no.")


def _show_goals(reach: Collection[Place]) -> str:
    rooms = sorted(show_place(place) for place in reach if isinstance(place, InRoom))
    cells = sorted(place for place in reach if isinstance(place, Cell))
    if cells:
        rooms.append(f"a cell with a star, such as {cells[0].down} {cells[0].right}")
    return " or ".join([", ".join(rooms[:-1]), rooms[-1]] if rooms[:-1] else rooms)
