"""The console of the Clue client, for a person or a strategy.

The console shows the board and the notes to a person, and checks each answer before it is sent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass, field
from shutil import get_terminal_size
from textwrap import wrap
from typing import TypeVar

from twisted.internet.error import ConnectionDone

from tictac.plugins.clue.client import ClueClient
from tictac.plugins.clue.event_text import describe, describe_answer, describe_end
from tictac.plugins.clue.game.board import Board, Cell, InRoom, Place, at, show_place
from tictac.plugins.clue.game.cards import NAMES, PASSAGES, ROOMS, TITLES, TOKENS, Card, Triple, the
from tictac.plugins.clue.game.messages import (
    AskAccusation,
    AskSuggestion,
    Message,
    Moved,
    Rolled,
    Turn,
)
from tictac.plugins.clue.game.moving import options, stay
from tictac.plugins.clue.game.position import Answer
from tictac.plugins.clue.game.screen import Ink, beside, draw_board, draw_notes
from tictac.plugins.clue.game.text_view import (
    find_card,
    read_accusation,
    read_place,
    read_suggestion,
    words,
)
from tictac.plugins.clue.match import SeatState
from tictac.terminal.dialog import Dialog, Ended, Interrupted, see_through, too_late
from tictac.terminal.style import Style, visible
from tictac.terminal.terminal import Terminal

T = TypeVar("T")

WAITING = "Waiting for the game to begin..."
HINT = "board, notes and help at any time, quit leaves; answer within two minutes"
NOT_YOUR_TURN = "It isn't your turn. You can type board, notes, help, or quit."
HELP = """\
roll                   roll the dice; then type where to go: a room, or down
                       and right of a cell that has a star (*), such as 17 23
stay                   don't roll, and stay where you are
passage                don't roll, and take the secret passage of your room
accuse plum rope hall  end your turn with an accusation; a wrong one ends all
                       your turns
board, notes           show them again; in the notes: x has it, - doesn't,
                       ? showed it or another, < is in the envelope
quit                   leave the game
A star (*) is a cell that your roll can reach. In a room that you entered, you
suggest a player and a weapon. The next player who has one of these cards, or
the card of the room, must show you one. When others suggest, you might have to
show one. A server usually waits two minutes for each answer.
You can shorten names; rooms have letters, too: S H U D K B C I L.
A low terminal omits rows without tokens and without cells in reach."""

WIDTH = 79
"""Columns that every terminal has."""
BOTH_WIDE, BOTH_TALL = 91, 30
"""Columns and lines that the board needs with the notes beside it and the question below."""

Size = tuple[int, int]
"""Columns and lines of a terminal."""

Respond = Callable[[Message], Awaitable[Answer | None]]
"""Passes a message to a strategy; returns its answer, or None if the message needs no answer."""


async def play(
    client: ClueClient,
    terminal: Terminal,
    style: Style,
    board: Board,
    name: str,
    respond: Respond | None,
    size: Callable[[], Size] = get_terminal_size,
) -> int:
    """Play a game as ``name``; return the exit status of the program.

    ``respond`` plays instead of the person; ``size`` returns the current size of the terminal.
    """
    console = Console(client, terminal, style, SeatState(board), respond, size)
    return await see_through(client, terminal, console.run(name))


@dataclass(eq=False, slots=True)
class Console:
    """A game as one seat sees it."""

    client: ClueClient
    terminal: Terminal
    style: Style
    match: SeatState
    respond: Respond | None
    size: Callable[[], Size]
    dialog: Dialog[Message] = field(init=False)
    goes: Place | None = None
    accuses: Triple | None = None

    def __post_init__(self) -> None:
        self.dialog = Dialog(self.terminal, self.client.next_message, self._obey, self._show_text)

    async def run(self, name: str) -> None:
        """Play the game to its end.

        Raises :class:`~tictac.terminal.dialog.Quit` or EOFError when the person leaves. Raises
        :class:`~tictac.net.client_connection.WrongMessage`,
        :class:`~tictac.terminal.dialog.Ended` or twisted's ConnectionClosed when the game can't
        continue.
        """
        self.client.introduce(name)
        self._show_text(WAITING)
        if self.respond is None:
            self.dialog.hint(HINT)
        try:
            while True:
                await self._take(await self._wait())
        except ConnectionDone:
            outcome = self.match.closed()
            if outcome is None:
                if self.match.asked:
                    raise Ended(too_late(self.client.quiet_for())) from None
                raise
            for line in describe_end(outcome, self.match):
                self._show_text(line)

    async def _wait(self) -> Message:
        """Wait for the server's next message; the person can meanwhile type commands."""
        in_queue, needs_input = self.match.token < 0, self.respond is None
        return await self.dialog.wait(NOT_YOUR_TURN, in_queue, needs_input)

    async def _take(self, message: Message) -> None:
        match = self.match
        before = match.state
        match.observe(message)
        self._show_text(describe(message, match, before))
        answer = await (self.respond or self._decide)(message)
        if answer is not None:
            match.answer(message, answer)
            self._show_text(describe_answer(message, answer))
            self.client.send(answer)

    # Output

    def _show_text(self, line: str) -> None:
        """Print a sentence, wrapped on a terminal and in one line otherwise."""
        self._show(wrap(line, WIDTH) if self.terminal.output_is_terminal else filter(None, [line]))

    def _show(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.terminal.show(line.rstrip())

    def _paint(self, ink: Ink, text: str) -> str:
        if isinstance(ink, int):
            return self.style.token(ink, text)
        paint: Callable[[str], str] = getattr(self.style, ink) if ink else str
        return paint(text)

    def _board(self, reach: Collection[Place] = ()) -> list[str]:
        """Draw the board within the height of the terminal."""
        height = None
        if self.terminal.output_is_terminal:
            # The lines below the board have the own cards, the possible actions, and the question.
            height = self.size()[1] - 3
        return draw_board(self.match.board, self.match.state, self._paint, reach, height)

    def _notes(self) -> list[str]:
        return draw_notes(self.match.notes, self._paint) if self.match.token >= 0 else []

    def _show_all(self, reach: Collection[Place] = ()) -> None:
        """Show the board with the notes beside it, or with the own cards below it before a turn."""
        if self.terminal.output_is_terminal:
            wide, tall = self.size()
            if wide >= BOTH_WIDE and tall >= BOTH_TALL:
                self._show(beside(self._board(reach), self._notes()))
                return
        self._show(self._board(reach))
        if self.match.hand and not reach:
            cards = ", ".join(TITLES[card] for card in sorted(self.match.hand))
            self._show_text(f"Your cards: {cards}.")

    def _obey(self, typed: str) -> bool:
        """Run a command that works at any time; return whether ``typed`` is one."""
        match typed.lower():
            case "board":
                self._show(self._board())
            case "notes":
                self._show(self._notes())
            case "help" | "?":
                self._show(HELP.splitlines())
            case _:
                return False
        return True

    # Questions to the person

    async def _decide(self, message: Message) -> Answer | None:
        """Ask the person for the answer to ``message``; None if the message needs no answer."""
        match message:
            case Turn():
                return await self._choose()
            case Rolled(steps):
                return await self._go(steps)
            case AskSuggestion():
                return await self._suggest()
            case AskAccusation():
                return self.accuses
            case Moved():
                return await self._disprove(message)
        return None

    async def _ask(self, prompt: str, read: Callable[[str], T]) -> T:
        """Ask until ``read`` accepts the typed line; return its value (Dialog.ask_for)."""
        try:
            return await self.dialog.ask_for(prompt, read)
        except Interrupted as early:
            self.match.observe(early.message)
            raise AssertionError("nothing can be said while an answer is due") from None

    @property
    def _place(self) -> Place:
        return self.match.state[self.match.token]

    async def _choose(self) -> Answer:
        self._show_all()
        self._show_text(f"Your turn, {TOKENS[self.match.token]}. You are {at(self._place)}.")
        passage = "passage, " if self._place[0] in PASSAGES else ""
        while True:
            choice = await self._ask(f"roll, stay, {passage}accuse, or help? ", self._read_choice)
            if choice != "accuse" or await self._is_sure():
                return choice

    async def _is_sure(self) -> bool:
        """Ask to confirm an accusation that the notes rule out; return True for a script."""
        may = [card for cards in self.match.notes.left() for card in cards]
        wrong = [the(card) for card in self.accuses or () if card not in may]
        if not wrong or not self.terminal.input_is_terminal:
            return True
        self._show_text(f"Your notes rule out {' and '.join(wrong)}.")
        return await self._ask("Are you sure, yes or no? ", _read_yes)

    def _read_choice(self, typed: str) -> Answer:
        verb, _, rest = typed.partition(" ")
        match verb.lower():
            case "roll" | "r":
                return "roll"
            case "stay" | "s" | "no-roll":
                self.goes = stay(self._place)
                return "no-roll"
            case "passage" | "p":
                room = PASSAGES.get(str(self._place[0]))
                if room is None:
                    raise ValueError("There is no secret passage here.")
                self.goes = InRoom(room, "V")
                return "no-roll"
            case "accuse" | "a":
                self.accuses = read_accusation(rest)
                return "accuse"
        raise ValueError(f"{visible(typed)!r:.40} isn't one of these; help explains them.")

    async def _go(self, steps: int) -> Place:
        if steps == 0 and self.goes is not None:
            return self.goes
        reach = options(self.match.board, self.match.state, self.match.token, steps)
        if len(reach) == 1:
            return next(iter(reach))

        def read_goal(typed: str) -> Place:
            place = read_place(typed)
            if place not in reach:
                raise ValueError(f"You can't get to {show_place(place)} with {steps} steps.")
            return place

        self._show_all(reach)
        self._show_text(f"You can go to {_show_goals(reach)}.")
        return await self._ask(f"Where to with {steps}? ", read_goal)

    async def _suggest(self) -> Triple:
        room = str(self._place[0])
        prompt = f"A player and a weapon to suggest in the {ROOMS[room]}: "
        return await self._ask(prompt, lambda typed: read_suggestion(typed, NAMES.index(room)))

    async def _disprove(self, moved: Moved) -> Card | None:
        cards = self.match.to_show(moved)
        if len(cards) < 2:
            return cards[0] if cards else None
        names = " or ".join(TITLES[card] for card in cards)
        prompt = f"Which card do you show {TOKENS[moved.mover]}, {names}? "
        return await self._ask(prompt, lambda typed: find_card(" ".join(words(typed)), cards))


def _read_yes(typed: str) -> bool:
    if typed.lower() not in ("y", "yes", "n", "no"):
        raise ValueError("Type yes or no.")
    return typed.lower().startswith("y")


def _show_goals(reach: Collection[Place]) -> str:
    goals = sorted(show_place(place) for place in reach if isinstance(place, InRoom))
    cells = sorted(place for place in reach if isinstance(place, Cell))
    if cells:
        goals.append(f"a cell with a star, such as {cells[0].down} {cells[0].right}")
    return " or ".join([", ".join(goals[:-1]), goals[-1]] if goals[:-1] else goals)
