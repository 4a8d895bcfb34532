"""A program that plays in a tournament of a real server, at random."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.programs import Program, ServerCase

CUP = "friday-cup"


class Person:
    """A program that plays in the tournament."""

    def __init__(self, case: ServerCase, program: Program, name: str) -> None:
        self._caller = program.connect(case)
        self._lines = self._caller.socket.makefile("rb")
        case.addCleanup(self._lines.close)
        self.ask("hello")
        self.ask("login", user=name, password="secret")

    def ask(self, do: str, **fields: Any) -> None:
        self._caller.socket.sendall(json.dumps({"do": do, **fields}).encode() + b"\n")

    def messages(self) -> Iterator[dict[str, Any]]:
        for line in self._lines:
            yield json.loads(line)

    def play(self, games: int | None = None) -> list[int]:
        """Play at random until so many games are over, or the tournament is; their numbers."""
        played, seats = list[int](), dict[str, int]()
        for said in self.messages():
            cards = [said.get("you"), *dict(said.get("tournaments") or {}).values()]
            for card in filter(None, cards):
                if card["state"] == "over":
                    return played
                if card["state"] == "playing":
                    self.ask("join", room=card["room"])
            if said.get("event") == "room":
                seats[said["room"]] = said["seat"]
            if said.get("event") == "ended":
                played.append(int(said["room"].rpartition(".")[2]))
                if len(played) == games:
                    return played
            if said.get("moves") and said.get("turn") == seats.get(said.get("room", "")):
                self.ask("move", room=said["room"], move=said["moves"][0])
        raise AssertionError(f"the server has closed the connection after {played}")
