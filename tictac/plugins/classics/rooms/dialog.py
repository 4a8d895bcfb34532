"""A match as one of its players, or a viewer, sees it at the rooms client.

Source: rooms.md, "The match", and rooms-client.md, "The client".
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress

from twisted.internet.defer import CancelledError

from tictac.games.tictactoe.rules import NAMES, Board, Mark, O, X, other
from tictac.net.client_connection import UnknownMessage
from tictac.plugins.classics import tictactoe
from tictac.plugins.classics.rooms.client import RoomsReconnector
from tictac.plugins.classics.rooms.screen import Back, Screen
from tictac.plugins.classics.tictactoe import RULES
from tictac.protocols.rooms import wire
from tictac.terminal.dialog import Interrupted, Quit, lasted

ALONE = "Waiting for other player..."
"""The text for a player who is alone in a room."""


class Forfeited(Exception):
    """The player forfeits in the middle of a move."""


class MatchDialog:
    """A room from entering it to its end; ``mark`` is None for a viewer.

    ``user`` is the name that the person plays under. ``early`` is what the server has said of the
    match before it has answered the request for the room.

    A person at a terminal can type at any time. The lines that a script has written ahead
    wait for their turn; later lines from a pipe have the effect of typed ones.
    """

    def __init__(
        self,
        link: RoomsReconnector,
        screen: Screen,
        mark: Mark | None,
        user: str = "",
        early: deque[wire.Answer] | None = None,
    ) -> None:
        self._link = link
        self._screen = screen
        self._mark = mark
        self._user = user
        self._early = deque[wire.Answer]() if early is None else early
        self._board = RULES.initial()
        self._begun = False
        self._names: dict[Mark, str] = {}
        self._turn_when_joined: wire.InProgress | None = None
        self._has_just_joined = False
        self._input_ended = False
        self._forfeited = False
        self._since = link.client.seconds()

    async def run(self) -> None:
        """Play, or watch, until the match ends; again, after a way back into the room.

        Raises Quit, EOFError at the end of a player's input, and what
        ``next_message`` fails with.
        """
        try:
            await self._run()
        except (Quit, EOFError, CancelledError, UnknownMessage):
            # A server that holds seats would let the other player wait.
            if self._mark is not None:
                self._link.client.send(wire.Forfeit())
            raise

    async def _run(self) -> None:
        self._screen.forget_hints()
        answer = await self._wait()
        while self._show(answer):
            my_turn = isinstance(answer, wire.Begin | wire.BoardStatus) and self._may_move()
            asks = my_turn and not self._early
            answer = await (self._take_turn() if asks else self._wait())

    # Messages of the server

    def _show(self, answer: wire.Answer) -> bool:
        """Show the message, and return whether the match continues."""
        match answer:
            case wire.Begin(first, second):
                self._show_begin(first, second)
            case wire.InProgress(turn, waiting):
                self._show_progress(answer, turn, waiting)
            case wire.BoardStatus(board):
                self._show_turn(board)
            case wire.GameEnd():
                self._show_end(answer)
            case wire.NoRoom() | wire.BadAuth():
                self._screen.show_refusal(answer)
            case wire.Ack():
                raise UnknownMessage(wire.format_answer(answer))
        return isinstance(answer, wire.Begin | wire.InProgress | wire.BoardStatus)

    def _show_begin(self, first: str, second: str) -> None:
        self._begun = True
        self._since = self._link.client.seconds()
        self._board = RULES.initial()
        self._names = {X: first, O: second}
        self._learn_mark()
        self._screen.show(
            f"match between {first} and {second} will commence, it is currently {first}'s turn."
        )

    def _show_progress(self, answer: wire.InProgress, turn: str, waiting: str) -> None:
        self._begun = True
        self._turn_when_joined = answer
        self._names = {}
        self._has_just_joined = True
        self._link.client.clock.callLater(0, self._has_joined)
        self._screen.show(
            f"Match between {turn} and {waiting} is currently in progress, it is {turn}'s turn"
        )

    def _has_joined(self) -> None:
        self._has_just_joined = False

    def _show_turn(self, board: Board) -> None:
        self._begun = True
        if board != self._board:
            self._since = self._link.client.seconds()
        self._board = board
        self._screen.show_board(board)
        to_move = RULES.to_move(board)
        self._learn_names(to_move)
        if self._mark is None:
            self._screen.show(f"It is {self._names.get(to_move, NAMES[to_move])}'s turn")
        elif to_move == self._mark:
            self._screen.show(tictactoe.MY_TURN)
        else:
            self._screen.show(tictactoe.OPPOSING_TURN)

    def _learn_names(self, to_move: Mark) -> None:
        """Learn the mark of each player from the first board after INPROGRESS.

        A player who came back gets it at once, a viewer after the next move; some servers send
        it to viewers at once, too, together with INPROGRESS.
        """
        joined = self._turn_when_joined
        if joined is None or self._names:
            return
        at_once = self._mark is not None or self._has_just_joined
        moved = other(to_move) if at_once else to_move
        self._names = {moved: joined.waiting, other(moved): joined.turn}
        self._learn_mark()

    def _learn_mark(self) -> None:
        """By name, where the two have different ones: the seat might be another one now."""
        first, second = self._names[X], self._names[O]
        if self._mark is not None and first != second and self._user in (first, second):
            self._mark = X if self._user == first else O

    def _show_end(self, end: wire.GameEnd) -> None:
        self._screen.show_board(end.board)
        if end.how == wire.FORFEITED:
            self._screen.show(f"{end.winner} won due to the opposing player forfeiting")
        elif end.how == wire.WON:
            self._screen.show(self._verdict(end))
        elif self._begun or end.board != RULES.initial():
            self._screen.show(tictactoe.DRAWN)
        else:
            self._screen.show("The room was closed before the match began")
        cause = self._cause(end)
        if cause is not None:
            self._screen.remark(cause)

    def _cause(self, end: wire.GameEnd) -> str | None:
        """Return the cause of an end, if a player can deduce it."""
        if self._mark is None or end.how == wire.WON:
            return None
        took = self._link.client.seconds() - self._since
        if end.how != wire.FORFEITED:
            alone = not self._begun and not self._forfeited and self._mark == X and took >= 1
            return f"No one joined it for {lasted(took)}." if alone else None
        me = self._names.get(self._mark)
        if me is None or me == self._names[other(self._mark)]:
            return None
        if end.winner != me:
            if self._forfeited:
                return "You resigned."
            late = self._may_move() and took >= 1
            return f"You took longer than {lasted(took)}." if late else None
        if self._may_move() or took < 1:
            return "The other player resigned or left."
        return f"The other player resigned or left, or took longer than {lasted(took)}."

    def _verdict(self, end: wire.GameEnd) -> str:
        """Decide by the names, unless one account plays both sides."""
        if self._mark is None:
            return f"{end.winner} has won this game"
        if self._user in self._names.values() and len(set(self._names.values())) == 2:
            has_won = end.winner == self._user
        else:
            outcome = RULES.outcome(end.board)
            has_won = outcome is not None and outcome.winner == self._mark
        return tictactoe.YOU_WON if has_won else tictactoe.YOU_LOST

    # Typed commands

    def _may_move(self) -> bool:
        return RULES.outcome(self._board) is None and RULES.to_move(self._board) == self._mark

    async def _take_turn(self) -> wire.Answer:
        """Run one command of the player; return the server's answer, or an earlier message."""
        try:
            await self._obey_turn()
        except Interrupted as interrupted:
            early: wire.Answer = interrupted.message
            return early
        return await self._wait(answered=False)

    async def _obey_turn(self) -> None:
        while True:
            typed = await self._screen.ask_command("your turn: PLACE, FORFEIT, or QUIT")
            match typed.upper():
                case "PLACE":
                    with suppress(Back):
                        return await self._place()
                    continue
                case "FORFEIT":
                    return self._forfeit()
            self._screen.unknown_command(typed)

    async def _place(self) -> None:
        """Ask for a cell; a person can forfeit instead."""

        async def ask(prompt: str) -> str:
            typed = await self._screen.ask_or_leave(prompt)
            if self._screen.is_interactive and typed.upper() == "FORFEIT":
                raise Forfeited
            return typed

        try:
            move = await tictactoe.ask_move(ask, self._screen.show, self._board)
            self._link.client.send(wire.Place(move))
        except Forfeited:
            self._forfeit()

    async def _wait(self, answered: bool = True) -> wire.Answer:
        """Return the next message of the server; answer the person meanwhile.

        A script isn't read from before its last request is ``answered``: its end right
        after the move that wins must not hide the result.
        """
        if self._early:
            return self._early.popleft()
        reads_pipe = answered and not self._screen.line_waits()
        listening = not self._input_ended and (self._screen.is_interactive or reads_pipe)
        while listening:
            try:
                typed = await self._screen.ask_command(self._waiting_hint(), "")
            except Interrupted as interrupted:
                early: wire.Answer = interrupted.message
                return early
            except EOFError:
                if self._mark is not None:
                    raise
                self._input_ended = True
                break
            if self._obey_meanwhile(typed):
                return await self._wait(answered=False)
        return await self._link.client.next_message()

    def _waiting_hint(self) -> str:
        return "meanwhile: QUIT" if self._mark is None else "meanwhile: FORFEIT or QUIT"

    def _obey_meanwhile(self, typed: str) -> bool:
        """Run a command that is possible out of turn; return whether it sent a request."""
        command = typed.upper()
        if self._mark is None or command not in ("PLACE", "FORFEIT"):
            self._screen.unknown_command(typed)
        elif command == "PLACE":
            self._screen.show(tictactoe.OPPOSING_TURN if self._begun else ALONE)
        else:
            self._forfeit()
            return True
        return False

    def _forfeit(self) -> None:
        self._forfeited = True
        self._link.client.send(wire.Forfeit())
