"""Chat addresses at the shell of `tictac play`. Source: xmpp.md, "Accounts"."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Protocol

from tictac.plugins.client.connection import Message, Refused
from tictac.plugins.client.seek import Stop
from tictac.terminal.room_view import RoomView
from tictac.terminal.style import visible


class Shell(Protocol):
    """The shell, as these commands use it (client.shell.Shell)."""

    @property
    def table(self) -> RoomView | None:
        """The room, if the user is in one."""

    def show(self, *lines: str) -> None:
        """Print lines."""

    async def request(self, do: str, /, **fields: object) -> Message:
        """Return the answer to a request. Raises Refused."""


class Commands:
    """The commands about XMPP, for a client.shell.Shell."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    def complete(self, command: str) -> Collection[str]:
        """Return the words that could follow a command."""
        return ("off",) if command == "xmpp" else ()

    def handle_event(self, event: Message) -> bool:
        """Handle an event of the server, or return False to leave it to the session."""
        if event["event"] != "xmpp":
            return False
        self._shell.show(*map(visible, describe(event["links"], "")))
        return True

    async def obey(self, command: str, rest: str) -> bool:
        """Run a command, or return False to leave it to the shell. Raises Refused or Stop."""
        if command != "xmpp":
            return False
        table, words = self._shell.table, rest.split()
        fields: dict[str, object] = {} if table is None else {"room": table.name}
        if len(words) == 2 and words[0] == "off":
            fields = {"jid": words[1], "link": False}
        elif len(words) == 1:
            fields = {"jid": words[0]}
        elif words:
            raise Stop("the command takes an address, or off and an address")
        try:
            answer = await self._shell.request("xmpp", **fields)
        except Refused as refused:
            if refused.code == "malformed":
                raise Stop("this server has no XMPP") from None
            raise
        if "room" in answer:
            self._shell.show(visible(f"Chat clients enter this room by {answer['room']}"))
        self._shell.show(*map(visible, describe(answer["links"], answer["domain"])))
        return True


def describe(links: list[Message], domain: str) -> Iterator[str]:
    """Yield the addresses of an account, a line each."""
    if not links:
        yield "No chat address plays as you: to add one, type xmpp ADDRESS."
    for link in links:
        if link["confirmed"]:
            yield f"{link['jid']} plays as you in chat rooms."
        else:
            to = f" to {domain}" if domain else ""
            yield f"To confirm {link['jid']}, send from there{to}: link {link['code']}"
