"""What a person types at a table of the lobby, and what they are shown.

Source: README.md, "Playing".
"""

from __future__ import annotations

from tictac.client.connection import LobbyClient, Message
from tictac.client.table import Table
from tictac.errors import NotAMove
from tictac.net.client import UnknownMessage
from tictac.terminal.dialog import Dialog, Quit
from tictac.terminal.style import visible
from tictac.terminal.terminal import Terminal

NO_EVENT = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)
"""What becomes of reading an event that lacks something."""


class Match:
    """The time at a table on one connection."""

    def __init__(
        self,
        client: LobbyClient,
        terminal: Terminal,
        dialog: Dialog[Message],
        table: Table,
        room: str,
    ) -> None:
        self._client = client
        self._terminal = terminal
        self._dialog = dialog
        self._table = table
        self._room = room
        self._asked: int | None = None
        self._due = 1
        self._input_ended = False
        self._hints = {True: "a move, moves, say, draw, takeback, resign, help or quit"}
        self._hints[False] = "meanwhile: say, help or quit"

    async def run(self) -> None:
        """Play, or watch, until the match is over.

        A player who leaves gives the seat up: otherwise the other would wait.
        """
        try:
            while not self._table.over:
                said = await self._next()
                if isinstance(said, str):
                    self._obey(said)
                else:
                    self._show(said)
        except (Quit, EOFError):
            if self._table.seat is not None:
                self._send("leave", for_good=True)
            raise

    async def _next(self) -> str | Message:
        """What is typed, or what the server says before.

        The lines that a script has written ahead wait for its turn, and its next line for
        what came of the last one: its end right after the move that wins hides no result.
        """
        terminal, table = self._terminal, self._table
        settled = self._asked is None and table.number >= self._due
        my_turn = table.my_turn and settled
        reads_pipe = settled and (my_turn or not terminal.line_waits())
        may_type = table.number > 0 and (terminal.input_is_terminal or reads_pipe)
        if self._input_ended or not may_type:
            return await self._dialog.hear()
        if my_turn in self._hints:
            self._dialog.hint(self._hints.pop(my_turn))
        try:
            return await self._dialog.ask("> " if my_turn else "")
        except EOFError:
            if table.seat is not None:
                raise
            self._input_ended = True
            return await self._dialog.hear()

    def _show(self, said: Message) -> None:
        if "error" in said:
            self._terminal.error(f"Error: {visible(str(said.get('message', said['error'])))}")
        if "answer" in said and said["answer"] == self._asked:
            self._asked = None
            self._due = max(self._due, 0 if "error" in said else int(said.get("at") or 0))
        if said.get("event") == "announced":
            self._terminal.say(f"Announcement: {visible(str(said.get('text')))}")
        if said.get("room") != self._room or said.get("event") == "lobby":
            return
        try:
            lines = self._table.hear(said)
        except NO_EVENT:
            raise UnknownMessage(repr(said).encode()) from None
        for line in lines:
            self._terminal.say(line)

    # What can be typed

    def _obey(self, typed: str) -> None:
        word, _, rest = typed.partition(" ")
        match word.lower():
            case "help":
                self._help()
            case "moves":
                self._list_moves()
            case "board":
                for line in self._table.board() + self._table.whose_turn():
                    self._terminal.say(line)
            case "resign" | "accept" | "decline" as do:
                self._send(do)
            case "draw" | "takeback" as what:
                self._send(self._table.agree(what), what=what)
            case "say" if rest.strip():
                self._send("say", text=rest.strip())
            case "say":
                self._terminal.say("say what?")
            case _ if self._table.my_turn:
                self._move(typed)
            case _:
                why = "You watch." if self._table.seat is None else "It isn't your turn."
                self._terminal.say(f"{why} help tells what can be typed.")

    def _move(self, typed: str) -> None:
        try:
            move = self._table.face.read(typed)
        except NotAMove as wrong:
            self._terminal.error(f"Error: {visible(typed):.40} is no move: {wrong}")
        else:
            self._send("move", move=move, at=self._table.number)

    def _send(self, do: str, **fields: object) -> None:
        self._asked = self._client.send(do, room=self._room, **fields)

    def _help(self) -> None:
        self._terminal.say(f"A move is {self._table.face.usage}.")
        self._terminal.say("moves: those that can be made. board: the board again.")
        self._terminal.say("say TEXT: to all at the table. draw: offer a draw, or accept one.")
        self._terminal.say("takeback: the same for taking a move back.")
        self._terminal.say("accept, decline: answer what is offered.")
        self._terminal.say("resign: give up. quit: leave.")

    def _list_moves(self) -> None:
        if self._table.moves:
            self._terminal.say_list([self._table.face.spell(move) for move in self._table.moves])
        elif self._table.my_turn:
            self._terminal.say("There are too many to list.")
        else:
            self._terminal.say("It isn't your turn.")
