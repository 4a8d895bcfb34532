"""Gin rummy: a game with secrets. Its positions are words, and hands that a seat can't see numbers.

``discard A hand=7s8s*,10 melds=, upcard=8c pile=5hJc stock=31 knock=10``: what is to be done, the
seat to move, and for each seat its hand: the cards, or only how many there are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tictac.errors import NotAMove
from tictac.text_view import Paint, TextView
from tictac_openspiel.boards import Board, spelled

CARD = "[A2-9TJQK][scdh]"
DOING = {
    "FirstUpcard": "upcard", "Draw": "draw", "Discard": "discard", "Knock": "meld",
    "Layoff": "layoff", "Wall": "wall", "GameOver": "over",
}  # fmt: skip


class GinBoard(Board):
    """The table of gin rummy."""

    def see(self, state: Any, mover: int | None, seat: int | None) -> str:
        """Write what a seat, or a viewer (None), sees. At the end, all hands are open."""
        text = str(state)
        phase, upcard, stock, knock = (
            re.search(rf"{name}: (\w+)", text)[1]  # type: ignore[index]
            for name in ("Phase", "Upcard", "Stock size", "Knock card")
        )
        hands, melds = [], []
        for number, area in enumerate(
            re.findall(r"Player\d:(.*?\+-+\+.*?)\+-+\+", text, re.DOTALL)
        ):
            laid, _, held = area.partition("+")
            cards = re.findall(CARD, held)
            isopen = mover is None or number == seat
            hands.append("".join(cards) or "-" if isopen else str(len(cards)))
            melds.append("+".join(re.findall(rf"(?:{CARD})+", laid)) or "-")
        pile = "".join(re.findall(CARD, re.search(r"Discard pile: *(.*)", text)[1])) or "-"  # type: ignore[index]
        side = "-" if mover is None else self.sides[mover]
        return (
            f"{DOING[phase]} {side} hand={','.join(hands)} melds={','.join(melds)} "
            f"upcard={upcard.replace('XX', '-')} pile={pile} stock={stock} knock={knock}"
        )

    def write(self, state: Any, mover: int | None) -> str:
        """Write the position as a viewer sees it."""
        return self.see(state, mover, None)

    def why_not(self, cells: Mapping[str, str], move: str) -> str:
        """Say that a move isn't possible."""
        return f"{move} isn't possible now"

    def cells(self, position: str) -> Any:
        """Return no cells."""
        return iter(())


GIN = GinBoard(
    "cards", rf"(draw upcard|draw stock|pass|knock|(?:{CARD})+)", lambda state: [],
    spelled(
        r"Player: \d Action: ", "", lambda said: said if re.match(CARD, said) else said.lower()
    ),
    {}, sides=("A", "B"),
)  # fmt: skip


class GinTextView(TextView):
    """The table of gin rummy as lines."""

    sides = ("A", "B")
    usage = "a card to discard, as in 8s, or draw stock, draw upcard, knock, pass"
    rules = (
        "Each player has ten cards. Collect melds: three or more of a rank, or of a suit in order.",
        "At your turn, draw the upcard or a card of the stock. Then discard a card.",
        "Cards outside melds are deadwood: figures count ten, an ace one, others their number.",
        "With ten points of deadwood or fewer, you can knock, and lay down your melds.",
        "The other lays down melds, too, and can lay off cards on yours. Less deadwood wins.",
        "No deadwood is gin: 25 points more. If the other has no more than you, the 25 are theirs.",
        "If only two cards of the stock are left, the hand is a draw.",
    )

    def lines(self, position: str, paint: Paint) -> list[str]:
        """Show the hands, by suits, and the piles."""
        doing, _, *words = position.split(" ")
        told = dict(word.split("=") for word in words)
        lines = [f"Upcard: {told['upcard']}   Stock: {told['stock']}   To do: {doing}"]
        pairs = zip(told["hand"].split(","), told["melds"].split(","), strict=True)
        for seat, (hand, melds) in enumerate(pairs):
            shown = f"{hand} cards" if hand.isdecimal() else by_suit(hand)
            lines.append(paint(seat, f"{self.sides[seat]}: {shown}"))
            lines += [f"   laid down: {melds.replace('+', ' ')}"] * (melds != "-")
        return [*lines, f"Discarded: {' '.join(re.findall(CARD, told['pile'])[-20:]) or 'nothing'}"]

    def lists(self, position: str) -> bool:
        """List the moves."""
        return True

    def read(self, typed: str) -> str:
        """Take a card in any letters."""
        text = " ".join(typed.split())
        if not text:
            raise NotAMove(f"a move is {self.usage}")
        if re.fullmatch(rf"(?:{CARD})+", text, re.IGNORECASE):
            return "".join(text[at].upper() + text[at + 1].lower() for at in range(0, len(text), 2))
        return text.lower()


def by_suit(hand: str) -> str:
    """Group cards by suits."""
    cards = re.findall(CARD, hand)
    suits = ([card for card in cards if card[1] == suit] for suit in "schd")
    return "  ".join(" ".join(suit) for suit in suits if suit) or "no cards"
