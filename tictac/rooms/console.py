"""The rooms client that a person plays with: commands outside of a match.

Source: rooms.md, "Client program".
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, ClassVar

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionClosed

from tictac.net.client import UnknownMessage
from tictac.rooms.client import RoomsClient
from tictac.rooms.events import Mode
from tictac.rooms.match import Match, Quit
from tictac.rooms.screen import Interrupted, Screen
from tictac.rooms.wire import (
    MODES,
    Ack,
    Answer,
    BadAuth,
    Create,
    Join,
    Login,
    Register,
    Request,
    RoomList,
    format_answer,
)
from tictac.terminal.style import Style, visible
from tictac.terminal.terminal import Terminal
from tictac.tictactoe.rules import O, X

MAX_USER_NAME = 20
MAX_PASSWORD = 72

Doing = Coroutine[Deferred[Any], Any, None]


async def play(client: RoomsClient, terminal: Terminal, style: Style) -> int:
    """Serve the person at ``terminal`` until they leave; the exit status of the program."""
    try:
        await Console(client, Screen(client, terminal, style)).run()
    except (Quit, EOFError):
        return 0
    except UnknownMessage:
        terminal.say("Unknown message received from server. Exiting...")
    except ConnectionClosed:
        terminal.error("Error: lost the connection to the server.")
    finally:
        client.close()
    return 1


class Console:
    """Commands, each to its end, one after the other."""

    def __init__(self, client: RoomsClient, screen: Screen) -> None:
        self._client = client
        self._screen = screen
        self._logged_in = False

    async def run(self) -> None:
        """Take commands for ever.

        Raises :class:`~tictac.rooms.match.Quit`, EOFError at the end of the input, and
        what ``RoomsClient.next_answer`` fails with.
        """
        while True:
            typed = await self._ask_command()
            command = self._COMMANDS.get(typed.upper())
            if command is not None:
                await command(self)
            else:
                self._screen.unknown_command(typed)

    # The commands

    async def _log_in(self) -> None:
        self._logged_in = await self._with_account(Login) or self._logged_in

    async def _register(self) -> None:
        await self._with_account(Register)

    async def _with_account(self, kind: type[Login | Register]) -> bool:
        user = await self._ask("Enter username: ")
        password = (await self._ask("Enter password: ", hidden=True)).encode()
        if len(user) > MAX_USER_NAME:
            self._screen.error("Error: username length limitation is 20 characters.")
        elif len(password) > MAX_PASSWORD:
            self._screen.error("Error: password length limitation is 72 bytes.")
        else:
            return await self._request(kind(user, password), user=user)
        return False

    async def _list_rooms(self) -> None:
        prompt = "Do you want to have a room list as player or viewer? (Player/Viewer) "
        mode = _mode(await self._ask(prompt))
        if mode is None:
            self._screen.error("Error: Please input a valid mode.")
        else:
            await self._request(RoomList(mode), mode=mode)

    async def _create(self) -> None:
        room = await self._ask("Enter room name you want to create: ")
        if self._may_be_sent(room) and await self._request(Create(room), room=room):
            self._screen.say("Waiting for other player...")
            await Match(self._client, self._screen, X).run()

    async def _join(self) -> None:
        room = await self._ask("Enter room name you want to join: ")
        mode = await self._ask_mode()
        if self._may_be_sent(room) and await self._request(
            Join(room, mode), room=room, mode=mode.lower()
        ):
            await Match(self._client, self._screen, O if mode == "PLAYER" else None).run()

    async def _quit(self) -> None:
        raise Quit

    _COMMANDS: ClassVar[dict[str, Callable[[Console], Doing]]] = {
        "LOGIN": _log_in,
        "REGISTER": _register,
        "ROOMLIST": _list_rooms,
        "CREATE": _create,
        "JOIN": _join,
        "QUIT": _quit,
    }

    # Asking the person

    async def _ask_command(self) -> str:
        while True:
            try:
                return await self._screen.ask_command(self._hint())
            except Interrupted as interrupted:
                self._stray(interrupted.answer)

    async def _ask(self, prompt: str, hidden: bool = False) -> str:
        while True:
            try:
                return await self._screen.ask(prompt, hidden)
            except Interrupted as interrupted:
                self._stray(interrupted.answer)

    async def _ask_mode(self) -> Mode:
        prompt = "You wish to join the room as: (Player/Viewer) "
        while (mode := _mode(await self._ask(prompt))) is None:
            self._screen.say("Unknown input.")
        return mode

    def _hint(self) -> str:
        if not self._logged_in:
            return "LOGIN, REGISTER or QUIT"
        return "ROOMLIST, CREATE, JOIN, LOGIN, REGISTER or QUIT"

    def _may_be_sent(self, room: str) -> bool:
        if ":" in room:
            self._screen.error(f"Error: Room {visible(room)} is invalid")
        return ":" not in room

    # Asking the server

    async def _request(self, request: Request, **words: str) -> bool:
        """Send ``request``, say what came of it, and tell whether it was granted."""
        self._client.send(request)
        answer = await self._client.next_answer()
        while not isinstance(answer, Ack | BadAuth):
            self._stray(answer)
            answer = await self._client.next_answer()
        if isinstance(answer, Ack) and answer.verb != type(request).__name__.upper():
            raise UnknownMessage(format_answer(answer))
        self._screen.show_outcome(answer, words)
        return isinstance(answer, Ack) and answer.status == 0

    def _stray(self, answer: Answer) -> None:
        """Outside of a match: a move that crossed the end of its match gets NOROOM late.

        Other answers about a match that is over are nobody's concern.
        """
        if isinstance(answer, Ack):
            raise UnknownMessage(format_answer(answer))
        self._screen.show_refusal(answer)


def _mode(typed: str) -> Mode | None:
    return MODES.get(typed.strip().upper())
