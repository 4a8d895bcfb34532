"""What asyncapi.json allows, and a connection that is held to it in both directions."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from jsonschema_rs import Draft7Validator

Json = dict[str, Any]

LATE = "play"
"""The request whose answer can come after those to later requests."""


class Operations:
    """What a description allows: which messages a request, its answer, and an event can be."""

    def __init__(self, description: Json) -> None:
        self._operations = description["operations"]
        components = description["components"]
        self._validators = {
            name: Draft7Validator({"components": components, **message["payload"]})
            for name, message in components["messages"].items()
        }

    def knows(self, request: str) -> bool:
        """Return whether a request with this name is described."""
        return request in self._operations

    def names_of(self, message: Json, request: str | None = None) -> list[str]:
        """Return the names of the messages that this one can be; none: it isn't described.

        ``request`` is the name of the request that an answer is for.
        """
        if "do" in message:
            allowed = self._operations[message["do"]]["messages"]
        elif "event" in message:
            allowed = self._operations["notify"]["messages"]
        else:
            assert request is not None
            allowed = self._operations[request]["reply"]["messages"]
        names = [each["$ref"].rpartition("/")[2] for each in allowed]
        return [name for name in names if self._validators[name].is_valid(message)]


@cache
def operations() -> Operations:
    """Return the operations of asyncapi.json."""
    text = files("tictac.plugins.web").joinpath("asyncapi.json").read_text("utf-8")
    return Operations(json.loads(text))


class Exchange:
    """Holds both sides of a connection to asyncapi.json."""

    def __init__(self) -> None:
        self._asked: list[tuple[str, str]] = []
        self.named: set[str] = set()
        """The names of the messages in both directions."""

    def send(self, line: str | bytes) -> None:
        """Hold what a client sends to the description, if it is a request."""
        try:
            message = json.loads(line)
        except ValueError:
            return
        if isinstance(message, dict) and operations().knows(str(message.get("do"))):
            self._asked.append((json.dumps(message.get("id")), message["do"]))
            self.named.update(operations().names_of(message))

    def receive(self, message: Json) -> None:
        """Hold what a server sends to the description."""
        if "answer" not in message:
            names = operations().names_of(message)
            assert names, f"not described: {message}"
            self.named.update(names)
            return
        asked = json.dumps(message["answer"])
        waiting = [do for each, do in self._asked if each == asked]
        # Answers come in the order of requests, except for that to play.
        first = next((n for n, do in enumerate(waiting) if do != LATE), len(waiting))
        for do in waiting[: first + 1][::-1]:
            if names := operations().names_of(message, do):
                self._asked.remove((asked, do))
                break
        else:
            assert not waiting, f"not described as an answer to {waiting[0]}: {message}"
            return  # the answer to what is no request
        self.named.update(names)
