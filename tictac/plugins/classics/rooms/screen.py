"""The output and input of a person at the rooms client: asked, whatever is going on.

Source of every text in it: rooms-client.md, "The client".
"""

from __future__ import annotations

import re
from collections import deque
from functools import partial
from typing import TypeVar

from tictac.games.tictactoe.rules import Board
from tictac.net.client_connection import UnknownMessage
from tictac.plugins.classics.rooms.client import RoomsReconnector
from tictac.plugins.classics.tictactoe import board_lines
from tictac.protocols.rooms import wire
from tictac.reactor import Work
from tictac.terminal.dialog import NO_CONNECTION, Interrupted, Quit, answered, first_of, meanwhile
from tictac.terminal.style import Style, visible
from tictac.terminal.terminal import Terminal

T = TypeVar("T")

_REFUSALS: dict[type[wire.Answer], str] = {
    wire.BadAuth: "Error: You must be logged in to perform this action",
    wire.NoRoom: "Error: You are not in a room",
}

_OUTCOMES = {
    ("LOGIN", 0): "Welcome {user}",
    ("LOGIN", 1): "Error: User {user} not found",
    ("LOGIN", 2): "Error: Wrong password for user {user}",
    ("LOGIN", 3): "Error: The server refused LOGIN",
    ("REGISTER", 0): "Successfully created user account {user}",
    ("REGISTER", 1): "Error: User {user} already exists",
    ("REGISTER", 2): "Error: The server refused REGISTER",
    ("ROOMLIST", 0): "Room available to join as {mode}: {rooms}",
    ("ROOMLIST", 1): "Error: Please input a valid mode.",
    ("CREATE", 0): "Successfully created room {room}",
    ("CREATE", 1): "Error: Room {room} is invalid",
    ("CREATE", 2): "Error: Room {room} already exists",
    ("CREATE", 3): "Error: Server already contains a maximum of 256 rooms",
    ("CREATE", 4): "Error: The server refused CREATE",
    ("JOIN", 0): "Successfully joined room {room} as a {mode}",
    ("JOIN", 1): "Error: No room named {room}",
    ("JOIN", 2): "Error: The room {room} already has 2 players",
    ("JOIN", 3): "Error: The server refused JOIN",
}


_ANSWERS = {"LOGIN": 2, "REGISTER": 2, "ROOMLIST": 1, "CREATE": 1, "JOIN": 2, "PLACE": 2}
"""The number of questions that each command asks."""

_CELL = re.compile("[0-2] +[0-2]")


class Back(Exception):
    """The person wants to go back to the commands."""


class Screen:
    """A person's terminal, with the server listened to during a question to the person.

    Where no terminal is written to, only what rooms-client.md names is: no command prompt, no
    hints, no colour.
    """

    def __init__(self, link: RoomsReconnector, terminal: Terminal, style: Style) -> None:
        self._link = link
        self._terminal = terminal
        self._style = style
        self._hinted: set[str] = set()
        self._ahead: deque[str] = deque()
        self.is_interactive = terminal.input_is_terminal
        self.line_waits = terminal.line_waits
        self.show = terminal.show
        self.error = terminal.error

    # Asking

    async def ask(self, prompt: str, hidden: bool = False) -> str:
        """Return the next line of input.

        Raises :class:`Interrupted` when the server speaks first, EOFError at the end of
        the input, and what ``next_message`` fails with.
        """
        if self._ahead:
            return self._ahead.popleft()
        asking = partial(self._terminal.ask, prompt, hidden)
        received: str | wire.Answer = await first_of(self._link.client.next_message, asking)
        if isinstance(received, str):
            return received
        raise Interrupted(received)

    async def ask_command(self, hint: str, prompt: str = "> ") -> str:
        """Return the typed command without blanks around it.

        Raises Quit, and as :meth:`ask`.

        ``hint`` names what can be typed; it is shown the first time. A person can type the answers
        to the next questions behind the command; a script answers each in a line.
        """
        self._ahead.clear()
        self._hint(hint)
        shown = prompt if self._terminal.output_is_terminal else ""
        while not (typed := (await self.ask(shown)).strip()) or self._helps(typed, hint):
            pass
        if typed.upper() == "QUIT":
            raise Quit
        return self._take_words(typed, hint) if self.is_interactive else typed

    async def ask_or_leave(self, prompt: str) -> str:
        """Return an answer, as :meth:`ask`; a person can also type QUIT.

        An empty line of a person raises :class:`Back`.
        """
        typed = (await self.ask(prompt)).strip()
        if self.is_interactive and typed.upper() == "QUIT":
            raise Quit
        if self.is_interactive and not typed:
            raise Back
        return typed

    def _helps(self, typed: str, hint: str) -> bool:
        """Show the possible commands if the person asks for them."""
        asked = self.is_interactive and typed.upper() in ("HELP", "?")
        if asked:
            self.show(self._style.dim(f"({hint})"))
        return asked

    def _take_words(self, typed: str, hint: str) -> str:
        """Return the command, and keep the words behind it as answers to its questions."""
        verb, *rest = typed.split(maxsplit=1)
        if _CELL.fullmatch(typed) and "PLACE" in hint:
            verb, rest = "PLACE", [typed]
        most = _ANSWERS.get(verb.upper(), 0)
        if not rest or not most:
            return typed
        # The name of a room can have blanks; a mode has none.
        split = str.rsplit if verb.upper() == "JOIN" else str.split
        self._ahead += split(rest[0], maxsplit=most - 1)
        return verb

    async def meanwhile(self, doing: Work[wire.Ack]) -> wire.Ack:
        """As :func:`~tictac.terminal.dialog.meanwhile`."""
        return await meanwhile(self._terminal, doing, lambda _: self.show(NO_CONNECTION))

    async def answered(self, doing: Work[T]) -> T:
        """As :func:`~tictac.terminal.dialog.answered`."""
        return await answered(self._terminal, doing, self._link.client)

    def _hint(self, hint: str) -> None:
        if not self._terminal.output_is_terminal or hint in self._hinted:
            return
        self._hinted.add(hint)
        if self.is_interactive:
            self.show(self._style.dim(f"({hint})"))

    def remark(self, text: str) -> None:
        """Print a text that rooms-client.md doesn't name, if the output is a terminal."""
        if self._terminal.output_is_terminal:
            self.show(text)

    def forget_hints(self) -> None:
        """Show every hint again: once is helpful, always is noise."""
        self._hinted.clear()

    def unknown_command(self, typed: str) -> None:
        """Say that ``typed`` can't be done, and hint again at what can."""
        self.show(f"Unknown command: {visible(typed)}")
        self.forget_hints()

    # Showing

    def show_outcome(self, answer: wire.Ack | wire.BadAuth, words: dict[str, str]) -> None:
        """Print the result of a request about ``words``.

        Raises :class:`~tictac.net.client_connection.UnknownMessage` for a status that isn't known.
        """
        if isinstance(answer, wire.BadAuth):
            self.show_refusal(answer)
            return
        text = _OUTCOMES.get((answer.verb, answer.status))
        if text is None:
            raise UnknownMessage(wire.format_answer(answer))
        show = self.error if text.startswith("Error") else self.show
        show(visible(text.format(**words, rooms=",".join(answer.rooms or ()))))

    def show_refusal(self, answer: wire.Answer) -> None:
        """Say BADAUTH or NOROOM; nothing for any other answer."""
        if type(answer) in _REFUSALS:
            self.error(_REFUSALS[type(answer)])

    def show_board(self, board: Board) -> None:
        """Draw ``board``, with a line that has won made visible."""
        for line in board_lines(board, self._style):
            self.show(line)
