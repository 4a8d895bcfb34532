"""Notices to webhooks: chat programs that take JSON, such as Discord, Slack, and Matrix bridges.

Discord reads ``content``, and Slack and Matrix (hookshot) read ``text``. Other programs read
``notices``. No one is mentioned.
"""

from __future__ import annotations

import json

from tictac.plugins.notices.channels.posting import Poster, check_url
from tictac.plugins.notices.notifier import Letter

LONGEST_TEXT = 1900
"""Characters; Discord takes 2000."""


class WebhookNotifier:
    """A Notifier whose addresses are URLs; ``url`` is the page of this server."""

    wish, asks, gap = "each", False, 60

    def __init__(self, poster: Poster, url: str) -> None:
        self._poster, self._url = poster, url

    def public(self) -> dict[str, str]:
        return {}

    def check(self, address: str) -> str:
        check_url(address, self._poster.allowed)
        return address

    async def send(self, address: str, letter: Letter) -> None:
        lines = [f"{each.title} {each.body} {self._url}{each.path}" for each in letter.lines]
        while len(lines) > 1 and len("\n".join(lines)) > LONGEST_TEXT:
            lines.pop()
        # Slack reads `<!here>` as a call of the whole channel, also in the name of a room.
        text = "\n".join(lines).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        message = {
            "content": "\n".join(lines),
            "text": text,
            "allowed_mentions": {"parse": []},
            "id": letter.id,
            "user": letter.user,
            "notices": [
                {"kind": each.kind, "room": each.room, "title": each.title, "body": each.body,
                 "url": f"{self._url}{each.path}"}
                for each in letter.lines[:50]
            ],
        }  # fmt: skip
        headers = {"Content-Type": "application/json"}
        await self._poster.post(address, headers, json.dumps(message).encode())

    async def ask(self, address: str, user: str, language: str, link: str) -> None:
        raise NotImplementedError("its owner gives it")
