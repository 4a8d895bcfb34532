"""Your games at the shell of `tictac play`. Source: days.md, "Your games"."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from tictac.lobby.clock import days_and_hours
from tictac.plugins.client.connection import Message
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

    def check_free(self) -> None:
        """Raise Stop if leaving the room would lose a match."""

    async def leave_quietly(self) -> None:
        """Leave the room, if the user is in one."""

    async def request(self, do: str, /, **fields: object) -> Message:
        """Return the answer to a request. Raises Refused."""


class Commands:
    """The commands about the user's games, for a client.shell.Shell."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    def complete(self, command: str) -> Collection[str]:
        """Return the words that could follow a command."""
        return ("mine",) if command == "games" else ()

    def handle_event(self, event: Message) -> bool:
        """Handle an event of the server, or return False to leave it to the session."""
        return bool(event["event"] == "mine")

    async def obey(self, command: str, rest: str) -> bool:
        """Run a command, or return False to leave it to the shell. Raises Refused or Stop."""
        match command:
            case "games" if rest == "mine":
                self._shell.show(*describe(await self._mine()))
            case "next":
                await self._go_on()
            case "days" if (table := self._shell.table) is not None:
                await self._offer(table, rest)
            case _:
                return False
        return True

    async def _mine(self) -> list[Message]:
        found: list[Message] = (await self._shell.request("mine", follow=False))["mine"]
        return in_order(found)

    async def _go_on(self) -> None:
        """Go to the match with the least time left in which it is the user's turn."""
        self._shell.check_free()
        table = self._shell.table
        here = "" if table is None else table.name
        rooms = [each["room"] for each in await self._mine() if is_due(each)]
        others = [room for room in rooms if room != here]
        if not others:
            raise Stop(f"no {'other ' if here in rooms else ''}match waits for your move")
        await self._shell.leave_quietly()
        await self._shell.request("join", room=others[0])

    async def _offer(self, table: RoomView, rest: str) -> None:
        if not rest.isdecimal():
            raise Stop("how many days for each move? For example: days 3")
        days, offer = int(rest[:3]), table.offer or {}
        is_offered = (offer.get("what"), offer.get("days")) == ("days", days)
        fields: dict[str, object] = {"room": table.name, "what": "days"}
        if is_offered and offer["seat"] != table.seat:
            await self._shell.request("accept", **fields)
        else:
            await self._shell.request("offer", **fields, days=days)


def is_due(game: Message) -> bool:
    """Return whether it is the user's turn."""
    return bool(game["turn"] == game["seat"])


def in_order(games: list[Message]) -> list[Message]:
    """Return games with the user's turns first, then by the time left."""
    return sorted(games, key=lambda g: (not is_due(g), g["left"] is None, g["left"] or 0))


def describe(games: list[Message]) -> list[str]:
    """Return the user's games as lines."""
    return [_described(game) for game in games] or ["You play no match now."]


def _described(game: Message) -> str:
    players = [user or "no one yet" for user in game["players"]]
    others = [user for seat, user in enumerate(players) if seat != game["seat"]]
    turn = "your turn" if is_due(game) else "their turn" if game["begun"] else "waits"
    words = [f"{game['title']} against {', '.join(others)}", turn]
    if game["left"] is not None:
        words.append(f"{days_and_hours(float(game['left']))} left")
    if game["last"] is not None:
        words.append(f"last move {game['last']['move']}")
    if game["offer"] is not None and game["offer"]["seat"] != game["seat"]:
        words.append(f"{game['offer']['what']} offered")
    if game["unread"]:
        words.append(f"{game['unread']} new texts" if game["unread"] > 1 else "a new text")
    return visible(f"{game['room']}: {', '.join(words)}")
