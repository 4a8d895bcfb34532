"""Tournaments in the words of the client (people.md, "Tournaments")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tictac.client.connection import Message
from tictac.terminal.style import visible


def spell_card(tournament: str, card: Mapping[str, Any]) -> str:
    """Return what a tournament is to the user now, as a sentence."""
    name = visible(tournament)
    match card["state"]:
        case "entered":
            begins = f" It begins at {visible(card['begins'])}." if card["begins"] else ""
            others = card["players"] - 1
            return f"You take part in {name}, with {others} other{'s' * (others != 1)}.{begins}"
        case "playing":
            against = visible(" and ".join(card["against"]))
            last = " This is your last game until you come back." * bool(card.get("paused"))
            return f"{name}: you play {against} at {visible(card['room'])}.{last}"
        case "bye":
            worth = f"which is worth {card['points']}"
            return f"{name}: you are free in round {card['round']}, {worth}."
        case "waiting" if card.get("paused"):
            return f"{name}: you pause. enter {name} lets you go on."
        case "waiting" if "round" in card:
            round_ = card["round"]
            what = f"you wait for round {round_}" if round_ else "this is the last round"
            left = f" Games being played: {card['left']} of {card['of']}." * bool(card["left"])
            return f"{name}: {what}.{left}{_rank(card)}"
        case "waiting":
            return f"{name}: you wait for an opponent.{_rank(card)}"
        case "over":
            first = visible(", ".join(card["first"]))
            return f"{name} is over. First: {first}.{_rank(card)}" if first else f"{name} is over."
    return f"{name}: you are out.{_rank(card)}"


def _rank(card: Mapping[str, Any]) -> str:
    rank = card.get("rank")
    return "" if rank is None else f" You are number {rank}."


def describe_tournament(head: Message) -> str:
    """Return an entry of the list as a line."""
    state = str(head["state"])
    if state == "running":
        of = f" of {head['rounds']}" if head["rounds"] else ""
        round_ = max(1, head["round"])  # 0 until the first is paired
        state = f"round {round_}{of}" if head["system"] != "arena" else "running"
    about = f"{head['system']}, {head['title']}, {head['players']} players, {state}"
    return visible(f"{head['id']}: {head['name']} ({about})")
