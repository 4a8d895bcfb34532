"""Codes at the shell of `tictac play`: log in by one, or get one for another terminal."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from twisted.internet.defer import Deferred

from tictac.plugins.client.connection import Message, Refused
from tictac.plugins.client.seek import Stop
from tictac.terminal.style import visible


class Screen(Protocol):
    """The terminal."""

    def ask(self, question: str, hidden: bool = False) -> Deferred[str | None]:
        """Ask a question; fire with the answer."""


class Shell(Protocol):
    """The shell (client.shell.Shell), as the commands use it."""

    screen: Screen
    user: str

    def show(self, *lines: str) -> None:
        """Print lines."""

    def check_free(self) -> None:
        """Raise Stop during a match."""

    async def request(self, do: str, **fields: object) -> Message:
        """Return the answer to a request. Raises Refused."""

    async def enter(self, do: str, **fields: str) -> None:
        """Log in. Raises Refused."""


class Commands:
    """The command ``code``, for a client.shell.Shell."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    def complete(self, command: str) -> Collection[str]:
        """Return the words that could follow a command."""
        return ()

    def handle_event(self, event: Message) -> bool:
        """Leave all events to the session."""
        return False

    async def obey(self, command: str, rest: str) -> bool:
        """Run a command, or return False to leave it to the shell. Raises Refused or Stop."""
        if command != "code":
            return False
        self._shell.check_free()
        if rest.strip() == "new":
            await self._make()
        else:
            await self._use(rest.strip() or await self._shell.screen.ask("Code: ") or "")
        return True

    async def _make(self) -> None:
        answer = await self._shell.request("code")
        minutes = int(answer["seconds"]) // 60
        self._shell.show(
            f"At the other terminal, type code {visible(str(answer['code']))} within {minutes}"
            " minutes. Anyone with this code logs in as you."
        )

    async def _use(self, code: str) -> None:
        if not code:
            return
        password: str | None = ""
        try:
            answer = await self._shell.request("code", code=code)
        except Refused as refused:
            if refused.code != "password-needed":
                raise
            self._shell.show("This code is from a slip: choose a password of your own.")
            password = await self._shell.screen.ask("New password: ", hidden=True)
            if not password:
                return
            if await self._shell.screen.ask("Again: ", hidden=True) != password:
                raise Stop("the two passwords differ") from None
            answer = await self._shell.request("code", code=code, password=password)
        login = {"token": str(answer["token"])} if "token" in answer else {"password": password}
        await self._shell.enter("login", user=str(answer["user"]), **login)
