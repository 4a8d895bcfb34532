"""Somebody who speaks the lobby protocol, and the schema that everything said is held to."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from jsonschema_rs import Draft202012Validator

from tests.helpers import Server, Visitor
from tests.protocols.lobby.exchange import Exchange

SCHEMA = json.loads(files("tictac.protocols.lobby").joinpath("schema.json").read_text("utf-8"))
REQUESTS = Draft202012Validator({**SCHEMA, "anyOf": [{"$ref": "#/$defs/request"}]})
MESSAGES = Draft202012Validator({**SCHEMA, "anyOf": [{"$ref": "#/$defs/message"}]})

Message = dict[str, Any]


def check_message(message: Any) -> Message:
    """Hold what a server has sent to the schema."""
    assert MESSAGES.is_valid(message), message
    checked: Message = message
    return checked


class Person:
    """The other side of a connection of a :class:`tests.helpers.Server`."""

    def __init__(self, server: Server, user: str | None = None) -> None:
        self.visitor: Visitor = server.connect()
        self.exchange = Exchange()
        if user is not None:
            (answer,) = self.ask("login", user=user, password="secret")
            assert answer["user"] == user

    def ask(self, do: str, **fields: Any) -> list[Message]:
        """Send a request that the schema allows; all that comes back."""
        request = {"do": do, **fields}
        assert REQUESTS.is_valid(request), request
        return self.send(json.dumps(request))

    def send(self, line: str | bytes) -> list[Message]:
        """Send a line; all that comes back."""
        self.exchange.send(line)
        self.visitor.send(line)
        return self.read()

    def read(self) -> list[Message]:
        """Return the messages received since the last time."""
        messages = [check_message(json.loads(line)) for line in self.visitor.read()]
        for message in messages:
            self.exchange.receive(message)
        return messages

    def error(self, do: str, **fields: Any) -> str:
        """Return the error code of the answer to a request."""
        (answer,) = self.ask(do, **fields)
        code: str = answer["error"]
        return code


def events(messages: list[Message]) -> list[str]:
    """Return the names of events, in their order."""
    return [message["event"] for message in messages if "event" in message]
