"""Commands about the sender's account and games, in a chat with the service or by a form.

They read the database, so their answers come later than those of other commands. Source: xmpp.md,
"Accounts" and "Ad-hoc commands".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import chain
from urllib.parse import unquote

from twisted.words.xish.domish import Element

from tictac.plugins.days.shell import describe, in_order, is_due
from tictac.plugins.xmpp import adhoc
from tictac.plugins.xmpp.events import ChatSession, Event, Stanza
from tictac.plugins.xmpp.fields import Field, form, one
from tictac.plugins.xmpp.linking import Linking
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.xml import CONFERENCE, tag
from tictac.protocols.lobby.json_view import Message
from tictac.reactor import Work

Answer = list[str] | str
"""Lines to send, or the command to run instead."""

HELP = """\
mine - list your games, with the links to their rooms
next - go to your next game in which it is your turn
link CODE - play as your account, which shows the code
unlink - play as a guest again
stop - get no more messages about your games"""


class OwnCommands:
    """The commands, for the account that ``linking`` knows of a person.

    ``games`` returns the games of a user as the lobby protocol shows them, and ``link`` the link to
    a room.
    """

    def __init__(
        self, linking: Linking, user_of: Callable[[str], str], link: Callable[[str], str]
    ) -> None:
        self.games: Callable[[str], Awaitable[list[Message]]] = _none
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
        return None

    async def _mine(self, person: str) -> Answer:
        games = in_order(await self.games(self._user_of(person)))
        if not games:
            return describe(games)
        links = [self._link(game["room"]) for game in games]
        return [f"{line}\n{to}" for line, to in zip(describe(games), links, strict=True)]

    async def choose(self, s: Stanza, command: Element) -> list[Event]:
        """Do a step of the ad-hoc command ``mine``: the form of your games, or one of them.

        The next match is chosen already. The answer has the link to the chosen room, and a message
        invites to it, because clients open invitations but no links in answers to commands.

        Raises:
            Refused: The sender has no match in the room.
        """
        _, fields, is_cancelled = adhoc.read(command)
        if is_cancelled:
            return [adhoc.answer(s, command, "canceled")]
        games = in_order(await self.games(self._user_of(s.person)))
        lines = describe(games)
        if not games:
            return [adhoc.answer(s, command, "completed", adhoc.note(lines[0]))]
        links = {game["room"]: self._link(game["room"]) for game in games}
        if fields is None:
            due = next((game["room"] for game in games if is_due(game)), games[0]["room"])
            field = Field("room", "list-single", "Match", (due,), tuple(links))
            shown = chain.from_iterable(zip(lines, links.values(), strict=True))
            asked = form("form", "", adhoc.NODES["mine"], [field], "\n".join(shown))
            return [adhoc.answer(s, command, "executing", adhoc.COMPLETE, asked)]
        room = one(fields, "room") or ""
        if room not in links:
            raise Refused("item-not-found", f"you have no match in {room:.80}")
        to = links[room]
        found = [Field("room", "text-single", "Match", (room,))]
        found.append(Field("link", "text-single", "Link", (to,)))
        jid = unquote(to.removeprefix("xmpp:").partition("?")[0])
        invited = tag("x", {"xmlns": CONFERENCE, "jid": jid})
        text = tag("body", None, f"To go to {room}, enter {to}")
        sender = s.to.bare
        return [
            adhoc.answer(s, command, "completed", adhoc.note(to), form("result", "", "", found)),
            Event(sender, (ChatSession(s.address),), "message", text + invited, kind="normal"),
        ]

    async def _next(self, person: str) -> Answer:
        games = in_order(await self.games(self._user_of(person)))
        due = [game["room"] for game in games if is_due(game)]
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

    async def _stop(self, person: str) -> Answer:
        stopped = await self._linking.post.stop(person)
        return ["You get no more messages." if stopped else "You get no messages."]


async def _none(user: str) -> list[Message]:
    return []
