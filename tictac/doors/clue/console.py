"""The Clue client that a person plays with, or that plays by itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from shutil import get_terminal_size
from textwrap import wrap

from twisted.internet.error import ConnectionDone

from tictac.doors.clue.client import ClueClient, Heard
from tictac.doors.clue.match import Match
from tictac.doors.clue.notebook import open_notebook
from tictac.doors.clue.person import WIDTH, Person, Size
from tictac.doors.clue.telling import tell, tell_answer, tell_end
from tictac.games.clue.board import Board
from tictac.games.clue.messages import Answer, Hello, Message
from tictac.terminal.dialog import Dialog, Ended, see_through, too_late
from tictac.terminal.style import Style
from tictac.terminal.terminal import Terminal

WAITING = "Waiting for the game to begin..."
HINT = "board, notes and help at any time, quit leaves; answer within two minutes"
NOT_YOUR_TURN = "It isn't your turn. You can type board, notes, help or quit."

Hear = Callable[[Message], Awaitable[Answer | None]]
"""Lets a player hear a message; its answer, if it was asked for one."""


async def play(
    client: ClueClient,
    terminal: Terminal,
    style: Style,
    board: Board,
    name: str,
    hear: Hear | None,
    size: Callable[[], Size] = get_terminal_size,
) -> int:
    """Play a game as ``name``; the exit status of the program.

    ``hear`` plays instead of the person; ``size`` is how large the terminal is now.
    """
    dialog = Dialog(terminal, client.next_message)
    console = Console(client, dialog, terminal, style, board, hear, size)
    return await see_through(client, terminal, console.run(name))


class Console:
    """One game, seen from its seat."""

    def __init__(
        self,
        client: ClueClient,
        dialog: Dialog[Heard],
        terminal: Terminal,
        style: Style,
        board: Board,
        hear: Hear | None,
        size: Callable[[], Size],
    ) -> None:
        self._client = client
        self._dialog = dialog
        self._terminal = terminal
        self._match = Match(board)
        self._hear = hear
        self._size = size
        self._person = Person(self, style, self._match)

    async def run(self, name: str) -> None:
        """Play the game to its end.

        Raises :class:`~tictac.terminal.dialog.Quit` or EOFError when the person leaves, and
        :class:`~tictac.net.client.WrongMessage`, :class:`~tictac.terminal.dialog.Ended`
        or twisted's ConnectionClosed when it can't go on.
        """
        self._client.introduce(name)
        self.say(WAITING)
        if self._hear is None:
            self._dialog.hint(HINT)
        try:
            while True:
                await self._take(await self._wait())
        except ConnectionDone:
            outcome = self._match.closed()
            if outcome is None:
                if self._match.asked:
                    raise Ended(too_late(self._client.quiet_for())) from None
                raise
            notes = self._person.notes
            assert notes is not None
            for line in tell_end(outcome, self._match, notes.left()):
                self.say(line)

    def say(self, line: str) -> None:
        """A sentence; in a terminal it is broken into lines, others get one line for each."""
        on_screen = self._terminal.output_is_terminal
        self.show(wrap(line, WIDTH) if on_screen else [line])

    def show(self, lines: Iterable[str]) -> None:
        """Lines as they are (person.Asker)."""
        for line in lines:
            self._dialog.say(line.rstrip())

    def size(self) -> Size | None:
        """How large the terminal is; None without one (person.Asker)."""
        return self._size() if self._terminal.output_is_terminal else None

    def types(self) -> bool:
        """Whether somebody types, and can be asked back (person.Asker)."""
        return self._terminal.input_is_terminal

    async def ask(self, prompt: str) -> str:
        """A line that the person types (person.Asker)."""
        said = await self._dialog.ask(prompt)
        if isinstance(said, str):
            return said
        self._match.hear(said)
        raise AssertionError("nothing can be said while an answer is due")

    async def _wait(self) -> Heard:
        """What the server says next; meanwhile the person can look at things."""
        while self._hear is None and self._terminal.input_is_terminal:
            said = await self._dialog.ask("")
            if not isinstance(said, str):
                return said
            if not self._person.obey(said):
                self.say(NOT_YOUR_TURN)
        return await self._client.next_message()

    async def _take(self, heard: Heard) -> None:
        match = self._match
        before = match.state
        message = match.hear(heard)
        line = tell(message, match, before)
        if line is not None:
            self.say(line)
        if isinstance(message, Hello):
            self._person.notes = open_notebook(message)
        elif self._person.notes is not None:
            self._person.notes.note(message, match)
        answer = await (self._hear or self._person.decide)(message)
        if answer is None:
            return
        match.answer(message, answer)
        said = tell_answer(message, answer)
        if said is not None:
            self.say(said)
        self._client.send(answer)
