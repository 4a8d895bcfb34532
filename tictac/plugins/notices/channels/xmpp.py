"""Notices by XMPP, from the component of the same server to bare addresses.

An answer ``stop`` ends them. An address that is linked with the account needs no confirmation.
"""

from __future__ import annotations

from collections.abc import Iterator
from secrets import token_hex

from tictac.plugins.notices import texts
from tictac.plugins.notices.notifier import GoneError, Letter
from tictac.plugins.notices.refusals import BadAddress
from tictac.plugins.xmpp.post import Post, UndeliveredError, person_at

MOST_LINES = 20
"""Maximum matches in a message."""


class XmppNotifier:
    """A Notifier by ``post``; ``url`` is the page of this server."""

    wish, asks, gap = "each", True, 60

    def __init__(self, post: Post, url: str) -> None:
        self._post, self._url = post, url

    def public(self) -> dict[str, str]:
        return {"domain": self._post.domain}

    def check(self, address: str) -> str:
        try:
            return person_at(address, self._post.domain)
        except ValueError as error:
            raise BadAddress(str(error)) from None

    async def send(self, address: str, letter: Letter) -> None:
        parts = ["\n".join(self._about(letter, number)) for number in range(len(letter.lines))]
        parts = [*parts[:MOST_LINES], texts.text("xmpp stop", letter.language)]
        await self._deliver(address, "\n\n".join(parts), letter.id)

    def _about(self, letter: Letter, number: int) -> Iterator[str]:
        line = letter.lines[number]
        yield from (line.title, line.body, f"{self._url}{line.path}")
        if line.kind != "ended":
            yield self._post.room_link(line.room)

    async def ask(self, address: str, user: str, language: str, link: str) -> None:
        body = texts.text("confirm body", language, user=user, link=link)
        await self._deliver(address, body, token_hex(12))

    async def _deliver(self, address: str, text: str, message_id: str) -> None:
        try:
            await self._post.send(address, text, message_id)
        except UndeliveredError as error:
            raise (GoneError if error.is_gone else OSError)(str(error)) from None
