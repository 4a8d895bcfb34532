"""A person at a table of the lobby, or the script that plays for them.

Source: README.md, "Playing"; docs/lobby.md.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from twisted.internet.defer import Deferred, succeed
from twisted.internet.error import ConnectionClosed

from tictac.client.connection import Link, LobbyClient, Message, Refused
from tictac.client.match import NO_EVENT, Match
from tictac.client.seating import Stop, Wish, describe, read_options, sit_down, take_up
from tictac.client.table import Table
from tictac.net.client import UnknownMessage
from tictac.net.link import NoWayBack
from tictac.terminal.dialog import NO_CONNECTION, Dialog, Quit, meanwhile
from tictac.terminal.style import Style, visible
from tictac.terminal.terminal import Terminal


async def play(link: Link, terminal: Terminal, style: Style, wish: Wish) -> int:
    """Serve the person at ``terminal`` until their match is over; the exit status."""
    try:
        await Console(link, terminal, style, wish).run()
    except (Quit, EOFError):
        return 0
    except UnknownMessage:
        terminal.say("Unknown message received from server. Exiting...")
    except (NoWayBack, Refused, Stop) as error:
        terminal.error(f"Error: {visible(str(error)).rstrip('.')}.")
    except ConnectionClosed:
        terminal.error(f"Error: {link.client.ending}.")
    else:
        return 0
    finally:
        link.client.close()
    return 1


class Console:
    """Logs in, finds a table, and stays there until its match is over."""

    def __init__(self, link: Link, terminal: Terminal, style: Style, wish: Wish) -> None:
        self._link = link
        self._terminal = terminal
        self._style = style
        self._wish = wish
        self._early: deque[Message] = deque()
        self._dialog: Dialog[Message] = Dialog(terminal, self._hear)
        self._login: Mapping[str, str] | None = None
        self._key: Mapping[str, str] = {} if wish.key is None else {"key": wish.key}

    async def run(self) -> None:
        """Play, or watch, one match.

        Raises :class:`~tictac.terminal.dialog.Quit`, EOFError at the end of the input, and
        what :func:`play` tells of.
        """
        options = await read_options(self._request, self._wish)
        await self._sign_in()
        if self._wish.watch is None:
            room = await sit_down(self._request, self._wish, options)
        elif self._wish.watch:
            room = self._wish.watch
            await self._request("watch", room=room, **self._key)
        else:
            room = await self._choose_room()
        await self._stay(room)

    # Talking to the server

    def _hear(self) -> Deferred[Message]:
        return succeed(self._early.popleft()) if self._early else self._link.client.next_message()

    async def _request(self, do: str, /, **fields: object) -> Message:
        answer, before = await self._link.client.request(do, **fields)
        self._early.extend(before)
        return answer

    async def _ask(self, prompt: str, hidden: bool = False) -> str:
        while not isinstance(said := await self._dialog.ask(prompt, hidden), str):
            pass
        return said

    # Logging in

    async def _sign_in(self) -> None:
        if self._wish.guest:
            answer = await self._request("guest")
            self._terminal.say(f"Welcome {visible(str(answer.get('user')))}")
        elif self._wish.user is not None:
            await self._log_in(self._wish.user)
        else:
            self._dialog.hint("LOGIN, REGISTER or QUIT")
        while not self._wish.guest and self._login is None:
            typed = await self._ask("> ")
            if typed.upper() in ("LOGIN", "REGISTER"):
                await self._enter_account(typed.lower())
            else:
                self._terminal.say(f"Unknown command: {visible(typed)}")
                self._dialog.hint("LOGIN, REGISTER or QUIT")

    async def _enter_account(self, do: str) -> None:
        user = await self._ask("Enter username: ")
        if do == "login":
            await self._log_in(user)
            return
        password = await self._ask("Enter password: ", hidden=True)
        if await self._granted(do, user=user, password=password):
            self._terminal.say(f"Successfully created user account {visible(user)}")

    async def _log_in(self, user: str) -> None:
        password = await self._ask("Enter password: ", hidden=True)
        if await self._granted("login", user=user, password=password):
            self._login = {"user": user, "password": password}
            self._terminal.say(f"Welcome {visible(user)}")

    async def _granted(self, do: str, **fields: str) -> bool:
        try:
            await self._request(do, **fields)
        except Refused as refused:
            self._terminal.error(f"Error: {visible(str(refused))}")
            return False
        return True

    # Finding a table

    async def _choose_room(self) -> str:
        """Ask which of the tables to watch; those that come meanwhile are shown, too."""
        rooms = (await self._request("lobby"))["rooms"]
        for room in rooms:
            self._show_room(room)
        if not rooms:
            self._terminal.say("There is no table yet.")
        while True:
            said = await self._dialog.ask("Which table? ")
            if isinstance(said, str):
                if await self._granted("watch", room=said, **self._key):
                    await self._request("lobby", follow=False)
                    return said
            elif said.get("event") == "lobby" and not said.get("gone"):
                self._show_room(said)

    def _show_room(self, room: Message) -> None:
        try:
            self._terminal.say(describe(room))
        except NO_EVENT:
            raise UnknownMessage(repr(room).encode()) from None

    # At the table

    async def _stay(self, room: str) -> None:
        table = Table(self._style, brief=True)
        table.with_computers = self._wish.with_computers
        while not table.over:
            try:
                await Match(self._link.client, self._terminal, self._dialog, table, room).run()
            except ConnectionClosed:
                if not await self._come_back(room):
                    return

    async def _come_back(self, room: str) -> bool:
        """Connect again and take the place at the table; whether it is still there."""
        watching = self._wish.watch is not None
        if not self._link.leads_back or (self._wish.guest and not watching):
            raise NoWayBack(self._link.client.ending)
        self._terminal.say(self._link.client.coming_back)

        async def log_in_and_enter(client: LobbyClient, give_up: float) -> list[Message]:
            await client.request("login" if self._login else "guest", **(self._login or {}))
            return await take_up(self._link, client, give_up, room, self._wish.key, not watching)

        returning = self._link.reconnect(log_in_and_enter)
        try:
            before = await meanwhile(self._terminal, returning, NO_CONNECTION)
        except Refused as refused:
            if refused.code != "no-such-room":
                raise
            self._terminal.say(f"Table {visible(room)} is gone: its match is over.")
            return False
        self._early = deque(before)
        self._terminal.say("Back on the server.")
        return True
