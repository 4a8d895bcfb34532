"""An account's data, blocked players, and reports at the shell of `tictac play`."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Protocol

from twisted.internet.defer import Deferred

from tictac.plugins.client.connection import Message
from tictac.plugins.client.seek import Stop
from tictac.terminal.style import visible


class Screen(Protocol):
    """The terminal."""

    def ask(self, question: str, hidden: bool = False) -> Deferred[str | None]:
        """Ask a question; fire with the answer."""


class Table(Protocol):
    """The room."""

    name: str


class Shell(Protocol):
    """The shell (client.shell.Shell), as the commands use it."""

    screen: Screen

    @property
    def table(self) -> Table | None:
        """The room, if the player is in one."""

    def show(self, *lines: str) -> None:
        """Print lines."""

    async def request(self, do: str, **fields: object) -> Message:
        """Return the answer to a request. Raises Refused."""


class Commands:
    """The commands about privacy, for a client.shell.Shell."""

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
        match command:
            case "block":
                await self._block(rest)
            case "report":
                await self._report(rest)
            case "account":
                await self._account(rest)
            case _:
                return False
        return True

    async def _block(self, rest: str) -> None:
        word, _, name = rest.partition(" ")
        how = word if word in ("mute", "off") and name else "block"
        user = name if how != "block" else rest
        fields = {"user": user.strip(), "how": how} if user else {}
        blocks = (await self._shell.request("block", **fields))["blocks"]
        for kind, words in (("block", "Blocked"), ("mute", "Muted")):
            names = ", ".join(name for name, its in blocks.items() if its == kind)
            self._shell.show(visible(f"{words}: {names or 'no players'}."))

    async def _report(self, rest: str) -> None:
        user, _, text = rest.partition(":")
        if not (user.strip() and text.strip()):
            raise Stop("type report NAME: and what happened")
        table = self._shell.table
        room = {} if table is None else {"room": table.name}
        await self._shell.request("report", user=user.strip(), text=text.strip(), **room)
        self._shell.show("The admins can read your report.")

    async def _account(self, rest: str) -> None:
        word, _, path = rest.partition(" ")
        if word == "export":
            await self._export(path.strip())
        elif rest == "delete":
            await self._delete()
        else:
            raise Stop("type account export, or account delete")

    async def _export(self, rest: str) -> None:
        path = Path(rest or "tictac-export.json").expanduser()
        found: Message = {}
        first: int | None = 0
        while first is not None:
            answer = await self._shell.request("export", first=first)
            merge(found, answer["export"])
            first = answer["next"]
        matches = []
        for match_id in found.get("matches", {}).get("ids", []):
            matches.append((await self._shell.request("match", match=match_id))["match"])
        if matches:
            found["matches"] = matches
        text = path.with_suffix(".txt")
        try:
            for file, content in ((path, json.dumps(found, indent=1) + "\n"), (text, spell(found))):
                with file.open("x", encoding="utf-8", errors="backslashreplace") as opened:
                    opened.write(content)
        except OSError as error:
            raise Stop(f"cannot write {error.filename}: {error.strerror}") from None
        self._shell.show(visible(f"All that the server keeps of you is in {path} and {text}."))

    async def _delete(self) -> None:
        self._shell.show(
            "Deleting your account can't be undone. In finished matches, 'deleted' takes the place"
            " of your name. Without a password, nothing happens."
        )
        password = await self._shell.screen.ask("Password: ", hidden=True)
        if password:
            await self._shell.request("delete", password=password)
            self._shell.show("Your account is deleted.")


def merge(found: Message, more: Mapping[str, Mapping[str, object]]) -> None:
    """Add a further part of an export, whose lists go on."""
    for name, section in more.items():
        known = found.setdefault(name, {})
        for field, value in section.items():
            if isinstance(value, list):
                known[field] = [*known.get(field, []), *value]
            else:
                known[field] = value


def spell(value: object, indent: str = "") -> str:
    """Return JSON as lines for people."""
    lines = []
    if isinstance(value, dict):
        for name, each in value.items():
            if isinstance(each, dict | list) and each:
                lines.append(f"{indent}{name}:\n{spell(each, indent + '  ')}")
            else:
                lines.append(f"{indent}{name}: {_word(each)}\n")
    elif isinstance(value, list):
        for each in value:
            if isinstance(each, dict | list) and each:
                lines.append(f"{indent}-\n{spell(each, indent + '  ')}")
            else:
                lines.append(f"{indent}- {_word(each)}\n")
    return "".join(lines)


def _word(value: object) -> str:
    return "none" if value in (None, [], {}) else str(value)
