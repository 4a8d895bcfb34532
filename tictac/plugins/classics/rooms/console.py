"""The rooms client that a person plays with: commands outside of a match.

Source: rooms-client.md, "The client".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial

from twisted.internet.error import ConnectionClosed, ConnectionDone

from tictac.games.tictactoe.rules import Mark, O, X
from tictac.lobby.events import Mode
from tictac.net.client_connection import UnknownMessage
from tictac.net.reconnector import NoWayBack, coming_back
from tictac.plugins.classics.rooms.client import RoomsReconnector
from tictac.plugins.classics.rooms.dialog import ALONE, MatchDialog
from tictac.plugins.classics.rooms.screen import Back, Screen
from tictac.protocols.rooms import wire
from tictac.terminal.dialog import SHORTEST_LIMIT, Ended, Interrupted, Quit, lasted
from tictac.terminal.style import Style, visible
from tictac.terminal.terminal import Terminal

MAX_USER_NAME = 20
MAX_PASSWORD = 72

NO_SUCH_ROOM = 1
"""The status of JOIN for a room that isn't there any more."""


async def play(link: RoomsReconnector, terminal: Terminal, style: Style) -> int:
    """Serve the person at ``terminal`` until they leave; the exit status of the program."""
    try:
        await Console(link, Screen(link, terminal, style)).run()
    except (Quit, EOFError):
        return 0
    except UnknownMessage:
        terminal.show("Unknown message received from server. Exiting...")
    except NoWayBack as lost:
        terminal.error(f"Error: {lost}.")
    except Ended as ended:
        terminal.error(str(ended))
    finally:
        link.client.close()
    return 1


class Console:
    """Commands, each to its end, one after the other."""

    def __init__(self, link: RoomsReconnector, screen: Screen) -> None:
        self._link = link
        self._screen = screen
        self._login: wire.Login | None = None
        self._early: deque[wire.Answer] = deque()  # of a match, before the answer that leads to it

    async def run(self) -> None:
        """Take commands forever.

        Raises :class:`~tictac.terminal.dialog.Quit`, EOFError at the end of the input, and
        :class:`~tictac.net.reconnector.NoWayBack` and
        :class:`~tictac.net.client_connection.UnknownMessage`.
        """
        while True:
            try:
                ask = partial(self._screen.ask_command, self._hint())
                await self._obey(await self._insist(ask))
            except ConnectionDone:
                await self._come_back(why=self._silence())
            except ConnectionClosed:
                await self._come_back()

    def _silence(self) -> str | None:
        """Return why the server might have closed an idle connection."""
        since, what = self._link.client.quiet_for(), "a request"
        if self._login is None:
            since, what = self._link.client.connected_for(), "a login"
        if since < SHORTEST_LIMIT:
            return None
        return f"the server closed the connection after {lasted(since)} without {what}"

    async def _obey(self, typed: str) -> None:
        match typed.upper():
            case "LOGIN":
                await self._log_in()
            case "REGISTER":
                await self._register()
            case "ROOMLIST":
                await self._list_rooms()
            case "CREATE":
                await self._create()
            case "JOIN":
                await self._join()
            case _:
                self._screen.unknown_command(typed)

    # The commands

    async def _log_in(self) -> None:
        login = await self._ask_account()
        if login is not None and await self._request(login, user=login.user):
            self._login = login

    async def _register(self) -> None:
        account = await self._ask_account()
        if account is not None:
            request = wire.Register(account.user, account.password)
            await self._request(request, user=account.user)

    async def _ask_account(self) -> wire.Login | None:
        user = await self._ask("Enter username: ")
        password = (await self._ask("Enter password: ", hidden=True)).encode()
        if len(user) > MAX_USER_NAME:
            self._screen.error("Error: username length limitation is 20 characters.")
        elif len(password) > MAX_PASSWORD:
            self._screen.error("Error: password length limitation is 72 bytes.")
        else:
            return wire.Login(user, password)
        return None

    async def _list_rooms(self) -> None:
        prompt = "Do you want to have a room list as player or viewer? (Player/Viewer) "
        mode = _mode(await self._ask(prompt))
        if mode is None:
            self._screen.error("Error: Please input a valid mode.")
        else:
            await self._request(wire.RoomList(mode), mode=mode)

    async def _create(self) -> None:
        room = await self._ask("Enter room name you want to create: ")
        if self._may_be_sent(room) and await self._request(wire.Create(room), room=room):
            self._screen.show(ALONE)
            await self._stay(wire.Join(room, "PLAYER"), X)

    async def _join(self) -> None:
        room = await self._ask("Enter room name you want to join: ")
        try:
            mode = await self._ask_mode()
        except Back:
            return
        if self._may_be_sent(room) and await self._request(
            wire.Join(room, mode), room=room, mode=mode.lower()
        ):
            await self._stay(wire.Join(room, mode), O if mode == "PLAYER" else None)

    # Asking the person

    async def _ask(self, prompt: str, hidden: bool = False) -> str:
        return await self._insist(partial(self._screen.ask, prompt, hidden))

    async def _insist(self, ask: Callable[[], Awaitable[str]]) -> str:
        while True:
            try:
                return await ask()
            except Interrupted as interrupted:
                self._stray(interrupted.message)

    async def _ask_mode(self) -> Mode:
        prompt = "You wish to join the room as: (Player/Viewer) "
        ask = partial(self._screen.ask_or_leave, prompt)
        while (mode := _mode(await self._insist(ask))) is None:
            self._screen.show("Unknown input.")
        return mode

    def _hint(self) -> str:
        if self._login is None:
            return "LOGIN, REGISTER or QUIT"
        return "ROOMLIST, CREATE, JOIN, LOGIN, REGISTER or QUIT"

    def _may_be_sent(self, room: str) -> bool:
        if ":" in room:
            self._screen.error(f"Error: Room {visible(room)} is invalid")
        return ":" not in room

    # Asking the server

    async def _request(self, request: wire.Request, **words: str) -> bool:
        """Send ``request``, print its result, and return whether the server granted it."""
        verb = type(request).__name__.upper()
        try:
            wire.format_request(request)
        except ValueError as error:
            self._screen.error(f"Error: {error}")
            return False
        try:
            answer = await self._screen.answered(self._answer_to(request))
        except ConnectionClosed:
            await self._come_back()
            self._screen.error(f"Error: The connection was lost before {verb} was answered")
            return False
        if isinstance(answer, wire.Ack) and answer.verb != verb:
            raise UnknownMessage(wire.format_answer(answer))
        self._screen.show_outcome(answer, words)
        return isinstance(answer, wire.Ack) and answer.status == 0

    async def _answer_to(self, request: wire.Request) -> wire.Ack | wire.BadAuth:
        self._early.clear()
        self._link.client.send(request)
        answer = await self._link.client.next_message()
        while not isinstance(answer, wire.Ack | wire.BadAuth):
            if not isinstance(answer, wire.NoRoom):
                self._early.append(answer)
            self._stray(answer)
            answer = await self._link.client.next_message()
        return answer

    def _stray(self, answer: wire.Answer) -> None:
        """Outside of a match: a move that crossed the end of its match gets NOROOM late.

        Other answers about a match that is over don't concern the person.
        """
        if isinstance(answer, wire.Ack):
            raise UnknownMessage(wire.format_answer(answer))
        self._screen.show_refusal(answer)

    # A room, and coming back

    async def _stay(self, join: wire.Join, mark: Mark | None) -> None:
        """Stay in the room that ``join`` rejoins, until it or the connection ends."""
        user = self._login.user if self._login else ""
        match = MatchDialog(self._link, self._screen, mark, user, self._early)
        here = True
        while here:
            try:
                await match.run()
                here = False
            except ConnectionClosed:
                here = await self._come_back(join)

    async def _come_back(self, join: wire.Join | None = None, why: str | None = None) -> bool:
        """Reconnect and rejoin the room; return whether the server granted that.

        ``why`` is the reason for the loss, if there is one. Raises what
        ``RoomsReconnector.come_back`` does, and NoWayBack if no user is logged in.
        """
        login = self._login
        if login is None or not self._link.can_reconnect:
            raise NoWayBack(why) if why else NoWayBack
        self._screen.show(coming_back(why))
        self._early.clear()
        answer = await self._screen.meanwhile(self._link.come_back(login, join, self._early))
        if answer.verb == "LOGIN" and answer.status:
            self._login = None
        else:
            self._screen.show(f"Back on the server as {visible(login.user)}.")
        self._show_return(answer, login, join)
        return answer.status == 0

    def _show_return(self, answer: wire.Ack, login: wire.Login, join: wire.Join | None) -> None:
        if join is not None and (answer.verb, answer.status) == ("JOIN", NO_SUCH_ROOM):
            self._screen.show(f"Room {visible(join.room)} is closed: its match is over.")
        elif join is not None and answer.verb == "JOIN":
            self._screen.show_outcome(answer, {"room": join.room, "mode": join.mode.lower()})
        elif answer.status:
            self._screen.show_outcome(answer, {"user": login.user})


def _mode(typed: str) -> Mode | None:
    return wire.MODES.get(typed.strip().upper())
