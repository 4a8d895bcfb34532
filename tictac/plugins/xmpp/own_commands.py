"""Commands about the sender's account and games, in a chat with the service.

They read the database, so their answers come later than those of other commands. Source: xmpp.md,
"Accounts".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import NamedTuple, Protocol

from tictac.plugins.days.shell import describe, in_order, is_due
from tictac.plugins.xmpp.events import Stanza
from tictac.plugins.xmpp.linking import Linking
from tictac.plugins.xmpp.refusals import Refused
from tictac.protocols.lobby.json_view import Message
from tictac.reactor import Work

Answer = list[str] | str
"""Lines to send, or the command to run instead."""

HELP = """\
mine - list your games, with the links to their rooms
next - go to your next game in which it is your turn
link CODE - play as your account, which shows the code
unlink - play as a guest again
block NAME, block mute NAME, block off NAME - for your account, also here
report NAME: TEXT - report a player to the admins
stop - get no more messages about your games"""


class MyGame(NamedTuple):
    """A game of a person: its room, a line about it, the link, and whether it waits for a move."""

    room: str
    line: str
    link: str
    is_due: bool


class Privacy(Protocol):
    """The blocks and reports of accounts (privacy.desk.Desk)."""

    def change(self, user: str, other: str, how: str | None) -> Work[Message]:
        """Block or mute a player, or end that; return the field ``blocks``. Raises a Refusal."""

    def report(self, user: str, other: str, text: str, name: str = "") -> Work[Message]:
        """Report a player, with the last texts of a room. Raises a Refusal."""


class OwnCommands:
    """The commands, for the account that ``linking`` knows of a person.

    ``games`` returns the games of a user as the lobby protocol shows them, ``seats`` the names of
    the rooms where the user has a seat, and ``link`` the link to a room.
    """

    def __init__(
        self, linking: Linking, user_of: Callable[[str], str], link: Callable[[str], str]
    ) -> None:
        self.games: Callable[[str], Awaitable[list[Message]]] = _none
        self.privacy: Callable[[], Privacy | None] = lambda: None
        self.seats: Callable[[str], Iterable[str]] = lambda user: ()
        self._linking, self._user_of, self._link = linking, user_of, link

    def find(self, s: Stanza, text: str) -> Work[Answer] | None:
        """Return the command that a person has typed, or None for any other text."""
        match text.lower().split():
            case ["mine"] | ["games", "mine"]:
                return self._mine(s.person)
            case ["next"]:
                return self._next(s.person)
            case ["link", *words] if len(words) <= 1:
                return self._confirm(s.person, "".join(words))
            case ["unlink"]:
                return self._unlink(s.person)
            case ["stop"]:
                return self._stop(s.person)
            case ["block", *_]:
                return self._block(s.person, text.split()[1:])
            case ["report", *_]:
                return self._report(s.person, text.split(maxsplit=1)[1:])
        return None

    async def my_games(self, person: str) -> list[MyGame]:
        """Return the games of a person, with the matches that wait for a move first."""
        games = in_order(await self.games(self._user_of(person)))
        lines = describe(games)
        return [
            MyGame(game["room"], line, self._link(game["room"]), is_due(game))
            for game, line in zip(games, lines, strict=False)  # without games, there is a line
        ]

    async def _mine(self, person: str) -> Answer:
        games = await self.my_games(person)
        return [f"{game.line}\n{game.link}" for game in games] or describe([])

    async def _next(self, person: str) -> Answer:
        due = [game.room for game in await self.my_games(person) if game.is_due]
        if not due:
            return ["No match waits for your move."]
        return f"join {due[0]}"

    async def _confirm(self, person: str, code: str) -> Answer:
        account, domain = self._linking.links.account_of(person), self._linking.post.domain
        if not code:
            known = f"You play as {account}." if account else "You play as a guest."
            how = f"In your account at {domain}, give this address, and send me the code:"
            return [known, f"{how} link CODE."]
        account = await self._linking.confirm(person, code)
        return [f"You are {account} now, in each room that you enter from now on."]

    async def _unlink(self, person: str) -> Answer:
        account = self._linking.links.account_of(person)
        if not account or not await self._linking.end(person, account):
            raise Refused("not-acceptable", "This address isn't linked with an account.")
        return [f"You aren't {account} any more. You play as a guest."]

    async def _block(self, person: str, words: list[str]) -> Answer:
        how = words[0] if len(words) > 1 and words[0] in ("mute", "off") else "block"
        name = " ".join(words if how == "block" else words[1:])
        blocks = (await self._privacy().change(self._account(person), name, how))["blocks"]
        lists = {"Blocked": "block", "Muted": "mute"}
        named = {word: [name for name in blocks if blocks[name] == lists[word]] for word in lists}
        return [f"{word}: {', '.join(named[word]) or 'no players'}." for word in named]

    async def _report(self, person: str, words: list[str]) -> Answer:
        name, _, text = "".join(words).partition(":")
        if not (name.strip() and text.strip()):
            raise Refused("bad-request", "Write report NAME: and what happened.")
        account = self._account(person)
        room = next(iter(self.seats(account)), "")
        await self._privacy().report(account, name.strip(), text.strip(), room)
        return ["The admins can read your report."]

    def _account(self, person: str) -> str:
        account = self._linking.links.account_of(person)
        if not account:
            raise Refused("not-acceptable", "Link this address with an account first: link CODE.")
        return account

    def _privacy(self) -> Privacy:
        found = self.privacy()
        if found is None:
            raise Refused("feature-not-implemented", "This server has no such lists.")
        return found

    async def _stop(self, person: str) -> Answer:
        stopped = await self._linking.post.stop(person)
        return ["You get no more messages." if stopped else "You get no messages."]


async def _none(user: str) -> list[Message]:
    return []
