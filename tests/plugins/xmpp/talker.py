"""A person who chats with the XMPP service."""

from __future__ import annotations

from tests.plugins.xmpp.helpers import World


class Talker:
    """Somebody who types, in a client that knows nothing of games."""

    def __init__(self, world: World, name: str) -> None:
        self.world, self.client = world, world.client(name)
        self.name = name

    def say(self, body: str, to: str = "", kind: str = "chat") -> str:
        """Type something; the body that comes back, of the same type and from there."""
        given = f" type='{kind}'" if kind else ""
        node = f"{to}@games.example" if to else "games.example"
        self.world.receive(
            f"<message from='{self.client.address}' to='{node}'{given}>"
            f"<body>{body}</body></message>"
        )
        answers = self.world.stanzas()
        mine = [answer for answer in answers if answer["to"] == self.client.address]
        self.others = {answer["to"]: answer for answer in answers if answer not in mine}
        answer, *_ = mine
        assert answer.name == "message"
        assert (answer["from"], answer["type"]) == (node, kind or "normal")
        [child] = answer.elements()
        assert child.name == "body"
        return str(child)

    def heard(self) -> str:
        """Return the text of the only message that came unasked."""
        [answer] = [a for a in self.world.stanzas() if a.getAttribute("to") == self.client.address]
        return str(next(answer.elements()))
