"""Notices to webhooks, as chat programs read them."""

from __future__ import annotations

import json
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.notices.letters import URL, letter
from tictac.plugins.notices.channels.webhook import WebhookNotifier


class FakePoster:
    """A Poster that keeps what is posted."""

    allowed = ()

    def __init__(self) -> None:
        self.posts: list[dict[str, Any]] = []

    async def post(self, url: str, headers: dict[str, str], body: bytes) -> None:
        assert headers == {"Content-Type": "application/json"}
        self.posts.append(json.loads(body))


class WebhookTests(SynchronousTestCase):
    def post(self, **line: Any) -> dict[str, Any]:
        poster: Any = FakePoster()
        sending = WebhookNotifier(poster, URL)
        from twisted.internet.defer import Deferred

        one = letter(**line)
        posted = Deferred.fromCoroutine(sending.send("https://hooks.example/1", one))
        self.successResultOf(posted)
        [message] = poster.posts
        return dict(message)

    def test_discord_slack_and_programs(self) -> None:
        message = self.post()
        text = f"Your turn: Reversi against alice {URL}/room/den"
        assert message["content"] == message["text"] == text
        assert message["notices"] == [
            {"kind": "turn", "room": "den", "title": "Your turn: Reversi", "body": "against alice",
             "url": f"{URL}/room/den"}
        ]  # fmt: skip
        assert (message["id"], message["user"]) == ("batch1", "bob")

    def test_no_one_is_mentioned(self) -> None:
        message = self.post(body="against <!here> & @everyone")
        assert message["allowed_mentions"] == {"parse": []}
        assert "&lt;!here&gt; &amp; @everyone" in message["text"]

    def test_a_long_text_is_cut_between_matches(self) -> None:
        one = letter(body="x" * 500).lines[0]
        poster: Any = FakePoster()
        sending = WebhookNotifier(poster, URL).send(
            "https://hooks.example/1", letter()._replace(lines=[one] * 20)
        )
        from twisted.internet.defer import Deferred

        self.successResultOf(Deferred.fromCoroutine(sending))
        [message] = poster.posts
        assert len(message["content"]) <= 2000 and len(message["notices"]) == 20
