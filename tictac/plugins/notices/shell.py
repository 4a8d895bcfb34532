"""Messages to absent players at the shell of `tictac play`. Source: notices.md."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Protocol

from tictac.plugins.client.connection import Message
from tictac.plugins.client.seek import Stop
from tictac.terminal.style import visible

WISHES = ("each", "daily", "late", "off")

_HELP = (
    "notices email ADDRESS [each, daily, late, or off], notices quiet 22:00-07:00 (or off), "
    "notices zone Europe/Berlin, or notices language de"
)


class Shell(Protocol):
    """The shell, as these commands use it (client.shell.Shell)."""

    def show(self, *lines: str) -> None:
        """Print lines."""

    async def request(self, do: str, /, **fields: object) -> Message:
        """Return the answer to a request. Raises Refused."""


class Commands:
    """The command `notices`, for a client.shell.Shell."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    def complete(self, command: str) -> Collection[str]:
        """Return the words that could follow a command."""
        return ("email", "webhook", "quiet", "zone", "language") if command == "notices" else ()

    def handle_event(self, event: Message) -> bool:
        """Leave each event to the session."""
        return False

    async def obey(self, command: str, rest: str) -> bool:
        """Run a command, or return False to leave it to the shell. Raises Refused or Stop."""
        if command != "notices":
            return False
        match rest.split():
            case []:
                answer = await self._shell.request("notices")
            case [("quiet" | "zone" | "language") as name, value]:
                answer = await self._shell.request("notices", **{name: value})
            case [channel, address]:
                answer = await self._shell.request("notices", channel=channel, address=address)
            case [channel, address, wish] if wish in WISHES:
                fields = {"channel": channel, "address": address, "wish": wish}
                answer = await self._shell.request("notices", **fields)
            case _:
                raise Stop(f"type {_HELP}")
        self._shell.show(*describe(answer))
        return True


def describe(answer: Message) -> Iterator[str]:
    """Return the lines about an answer to the request ``notices``."""
    if not answer["contacts"]:
        ways = " or ".join(each for each in answer["channels"] if each != "push")
        yield f"You get no messages. This server sends them by {ways or 'no way'}."
    for each in answer["contacts"]:
        state = each["wish"]
        if "failed" in each:
            state = f"given up, because the address refuses messages: {each['failed']}"
        elif not each["confirmed"]:
            state += ", not confirmed yet: open the link in the mail"
        address = "a browser" if each["channel"] == "push" else each["address"]
        yield visible(f"{each['channel']} {address}: {state}")
    settings = answer["settings"]
    quiet = settings["quiet"] or "none"
    yield visible(f"Language {settings['language']}, quiet hours {quiet} ({settings['zone']}).")
