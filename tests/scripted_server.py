"""A server of JSON lines whose answers a function decides, and what the bot asked for."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

Message = dict[str, Any]
Answer = Callable[[int, Message], "list[Message] | None"]

ROOM: Message = {
    "event": "room", "room": "den", "n": 3, "seat": 0, "game": "nim", "options": {}, "turn": 0,
    "position": "0:2", "moves": ["0:1", "0:2"], "clocks": [59.5, 60], "record": [],
}  # fmt: skip
ENDED: Message = {
    "event": "ended", "room": "den", "n": 4, "how": "won", "winner": 0, "result": [1, 0],
    "position": "1:", "match": "m1",
}  # fmt: skip


class ScriptedServer(threading.Thread):
    """Sends for each request what ``answer`` returns for it and the connection's number.

    None closes the connection. ``asked`` has all requests.
    """

    def __init__(self, answer: Answer) -> None:
        super().__init__(daemon=True)
        self._answer = answer
        self.asked: list[Message] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]

    def run(self) -> None:
        number = 0
        while True:
            try:
                link, _ = self._listener.accept()
            except OSError:
                return
            number += 1
            # A bot that has all that it wants closes the connection.
            with suppress(OSError), link, link.makefile() as lines:
                for line in lines:
                    request = json.loads(line)
                    self.asked.append(request)
                    told = self._answer(number, request)
                    if told is None:
                        link.shutdown(socket.SHUT_RDWR)
                        break
                    link.sendall(b"".join(json.dumps(each).encode() + b"\n" for each in told))

    @property
    def verbs(self) -> list[str]:
        """What the bot asked for after its logins."""
        verbs = [each["do"] for each in self.asked]
        return [verb for verb in verbs if verb not in ("register", "login", "hello")]

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.join()


@contextmanager
def serving(answer: Answer) -> Iterator[ScriptedServer]:
    """Run a server with these answers."""
    server = ScriptedServer(answer)
    server.start()
    try:
        yield server
    finally:
        server.close()


def usual(request: Message) -> list[Message]:
    """Return what a server usually sends: each match is over after a move."""
    after: dict[str, list[Message]] = {
        "seek": [ROOM], "open": [ROOM], "join": [ROOM], "play": [ROOM], "move": [ENDED],
    }  # fmt: skip
    found = after.get(request["do"], [])
    room = {"room": "den"} if found and request["do"] != "move" else {}
    return [{"answer": request.get("id"), **room}, *found]
