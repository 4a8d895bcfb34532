"""Events of the lobby protocol, as a server would write them."""

from __future__ import annotations

from typing import Any

START = "..../.OX./.XO./.... X"


def room_event(seat: int | None, **fields: Any) -> dict[str, Any]:
    """Return the event ``room`` of a running match."""
    return {
        "event": "room", "room": "k7", "n": 3, "game": "reversi", "title": "Reversi",
        "goal": "Enclose pieces.", "options": {"size": "4"}, "seat": seat,
        "players": [{"user": "alice", "away": False}, {"user": "bob", "away": False}],
        "viewers": [], "position": START, "turn": 0,
        "moves": ["b1", "a2", "d3", "c4"] if seat == 0 else [],
        "begun": True, "clocks": None, "offer": None, "record": [], "said": [],
    } | fields  # fmt: skip


def moved(n: int, seat: int, move: str, position: str, turn: int, **fields: Any) -> dict[str, Any]:
    event = {"event": "moved", "room": "k7", "n": n, "seat": seat, "move": move}
    return event | {"position": position, "turn": turn, "moves": [], "clocks": None} | fields


def ended(n: int, how: str, winner: int | None, **fields: Any) -> dict[str, Any]:
    event = {"event": "ended", "room": "k7", "n": n, "how": how, "winner": winner, "result": None}
    return event | {"move": None, "position": START} | fields
