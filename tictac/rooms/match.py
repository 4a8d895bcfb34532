"""A match as one of its players, or somebody who watches, sees it at the rooms client.

Source: rooms.md, the table of messages from the server, and "Client program".
"""

from __future__ import annotations

from tictac.net.client import UnknownMessage
from tictac.rooms.client import RoomsClient
from tictac.rooms.room import Move
from tictac.rooms.screen import RULES, Interrupted, Screen
from tictac.rooms.wire import (
    FORFEITED,
    WON,
    Ack,
    Answer,
    BadAuth,
    Begin,
    BoardStatus,
    Forfeit,
    GameEnd,
    InProgress,
    NoRoom,
    Place,
    format_answer,
)
from tictac.tictactoe.rules import EMPTY, NAMES, Board, Mark, O, X, other

OPPOSING_TURN = "It is the opposing player's turn"


class Quit(Exception):
    """The person wants to leave the program."""


class Match:
    """A room from entering it to its end; ``mark`` is None for a viewer.

    Only a terminal is read from while it isn't one's turn: the lines of a script wait.
    """

    def __init__(self, client: RoomsClient, screen: Screen, mark: Mark | None) -> None:
        self._client = client
        self._screen = screen
        self._mark = mark
        self._board = RULES.initial()
        self._begun = False
        self._names: dict[Mark, str] = {}
        self._turn_when_joined: InProgress | None = None
        self._listening = screen.is_interactive

    async def run(self) -> None:
        """Play, or watch, until the match ends.

        Raises :class:`Quit`, EOFError at the end of a player's input, and what
        ``RoomsClient.next_answer`` fails with.
        """
        self._screen.forget_hints()
        answer = await self._wait()
        while self._show(answer):
            my_turn = isinstance(answer, Begin | BoardStatus) and self._may_move()
            answer = await (self._take_turn() if my_turn else self._wait())

    # What the server says

    def _show(self, answer: Answer) -> bool:
        """Show it, and tell whether the match goes on."""
        match answer:
            case Begin(first, second):
                self._show_begin(first, second)
            case InProgress(turn, waiting):
                self._show_progress(answer, turn, waiting)
            case BoardStatus(board):
                self._show_turn(board)
            case GameEnd():
                self._show_end(answer)
            case NoRoom() | BadAuth():
                self._screen.show_refusal(answer)
            case Ack():
                raise UnknownMessage(format_answer(answer))
        return isinstance(answer, Begin | InProgress | BoardStatus)

    def _show_begin(self, first: str, second: str) -> None:
        self._begun = True
        self._names = {X: first, O: second}
        self._screen.say(
            f"match between {first} and {second} will commence, it is currently {first}'s turn."
        )

    def _show_progress(self, answer: InProgress, turn: str, waiting: str) -> None:
        self._begun = True
        self._turn_when_joined = answer
        self._screen.say(
            f"Match between {turn} and {waiting} is currently in progress, it is {turn}'s turn"
        )

    def _show_turn(self, board: Board) -> None:
        self._begun = True
        self._board = board
        self._screen.show_board(board)
        to_move = RULES.to_move(board)
        if self._mark is None:
            self._screen.say(f"It is {self._name(to_move)}'s turn")
        elif to_move == self._mark:
            self._screen.say("It is the current player's turn")
        else:
            self._screen.say(OPPOSING_TURN)

    def _name(self, to_move: Mark) -> str:
        """Who moves next; a late viewer learns from the first board who has which mark."""
        joined = self._turn_when_joined
        if joined is not None and not self._names:
            self._names = {to_move: joined.waiting, other(to_move): joined.turn}
        return self._names.get(to_move, NAMES[to_move])

    def _show_end(self, end: GameEnd) -> None:
        if end.how == FORFEITED:
            self._screen.say(f"{end.winner} won due to the opposing player forfeiting")
        elif end.how == WON:
            self._screen.show_board(end.board)
            self._screen.say(self._verdict(end))
        elif self._begun or end.board != RULES.initial():
            self._screen.show_board(end.board)
            self._screen.say("Game ended in a draw")
        else:
            self._screen.say("The room was closed before the match began")

    def _verdict(self, end: GameEnd) -> str:
        """By marks and not by names: one account may play both sides."""
        if self._mark is None:
            return f"{end.winner} has won this game"
        outcome = RULES.outcome(end.board)
        if outcome is not None and outcome.winner == self._mark:
            return "Congratulations, you won!"
        return "Sorry you lost. Good luck next time."

    # What the person types

    def _may_move(self) -> bool:
        return RULES.outcome(self._board) is None and RULES.to_move(self._board) == self._mark

    async def _take_turn(self) -> Answer:
        """Let the player do one thing; the server's answer to it, or what came before."""
        try:
            await self._obey_turn()
        except Interrupted as interrupted:
            return interrupted.answer
        return await self._wait()

    async def _obey_turn(self) -> None:
        while True:
            typed = await self._screen.ask_command("your turn: PLACE, FORFEIT or QUIT")
            match typed.upper():
                case "PLACE":
                    return self._client.send(Place(await self._ask_move()))
                case "FORFEIT":
                    return self._client.send(Forfeit())
                case "QUIT":
                    raise Quit
            self._screen.unknown_command(typed)

    async def _ask_move(self) -> Move:
        while True:
            column = await self._ask_number("Column: ")
            row = await self._ask_number("Row: ")
            mark = self._board[row * RULES.cols + column]
            if mark == EMPTY:
                return column, row
            self._screen.say(f"({column}, {row}) is occupied by {NAMES[mark]}.")

    async def _ask_number(self, prompt: str) -> int:
        while True:
            typed = (await self._screen.ask(prompt)).strip()
            if typed in ("0", "1", "2"):
                return int(typed)
            self._screen.say("(Column/Row) values must be an integer between 0 and 2")

    async def _wait(self) -> Answer:
        """What the server says next; meanwhile somebody at a terminal gets answers."""
        while self._listening:
            try:
                self._obey_meanwhile(await self._screen.ask_command(self._waiting_hint(), ""))
            except Interrupted as interrupted:
                return interrupted.answer
            except EOFError:
                if self._mark is not None:
                    raise
                self._listening = False
        return await self._client.next_answer()

    def _waiting_hint(self) -> str:
        return "meanwhile: QUIT" if self._mark is None else "meanwhile: FORFEIT or QUIT"

    def _obey_meanwhile(self, typed: str) -> None:
        command = typed.upper()
        if command == "QUIT":
            raise Quit
        if self._mark is None or command not in ("PLACE", "FORFEIT"):
            self._screen.unknown_command(typed)
            return
        if command == "PLACE" or self._begun:
            self._screen.say(OPPOSING_TURN)
        if command == "FORFEIT":
            self._client.send(Forfeit())
