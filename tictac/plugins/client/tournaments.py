"""Tournaments in the words of the client (people.md, "Tournaments")."""

from __future__ import annotations

from tictac.characters import name_of
from tictac.plugins.client.connection import Message
from tictac.terminal.style import visible


def spell_card(tournament: str, card: Message) -> str:
    """Return the user's state in a tournament, as a sentence."""
    name = visible(tournament)
    match card["state"]:
        case "entered":
            begins = f" It begins at {visible(card['begins'])}." if card["begins"] else ""
            others = card["players"] - 1
            return f"You take part in {name}, with {others} other{'s' * (others != 1)}.{begins}"
        case "playing":
            against = visible(" and ".join(_called(card, "against")))
            last = " This is your last game until you come back." * bool(card.get("paused"))
            return f"{name}: you play {against} at {visible(card['room'])}.{last}"
        case "bye":
            return f"{name}: round {card['round']} is free, which is worth {card['points']}."
        case "waiting" if card.get("closed"):
            return f"{name}: no new games begin any more.{_rank(card)}"
        case "waiting" if card.get("paused"):
            return f"{name}: you pause. enter {name} lets you go on."
        case "waiting" if card.get("busy"):
            user, other = card["busy"]["user"], visible(card["busy"]["tournament"])
            if user is None:
                return f"{name}: your game in {other} comes first."
            return f"{name}: you wait for {visible(user)}, whose game in {other} comes first."
        case "waiting" if "round" in card:
            what = f"you wait for round {card['round']}" * bool(card["round"]) or "the last round"
            left = f" Games being played: {card['left']} of {card['of']}." * bool(card["left"])
            return f"{name}: {what}.{left}{_rank(card)}"
        case "waiting":
            return f"{name}: you wait for an opponent.{_rank(card)}"
        case "over":
            ranks = card.get("ranks", range(1, 4))  # an older server has none
            called = zip(ranks, _called(card, "first"), strict=False)
            first = visible(", ".join(f"{rank}. {who}" for rank, who in called))
            first += f", and {card['more']} more" if card.get("more") else ""
            return f"{name} is over. {first}.{_rank(card)}" if first else f"{name} is over."
    return f"{name}: you are out.{_rank(card)}"


def _called(card: Message, field: str) -> list[str]:
    return [name_of(user, card.get("computers", {})) for user in card[field]]


def _rank(card: Message) -> str:
    return "" if card.get("rank") is None else f" You are number {card['rank']}."


def describe_tournament(head: Message) -> str:
    """Return an entry of the list as a line."""
    state = str(head["state"])
    if state == "running":
        of = f" of {head['rounds']}" if head["rounds"] else ""
        state = f"round {max(1, head['round'])}{of}" if head["system"] != "arena" else "running"
    about = f"{head['system']}, {head['title']}, {head['players']} players, {state}"
    return visible(f"{head['id']}: {head['name']} ({about})")
