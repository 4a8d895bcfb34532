"""The value of a suggestion: what its answer reveals about the envelope, to the seat and to others.

Each value is counted over a sample of deals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import product
from math import log2
from operator import add

from tictac.plugins.clue.game.cards import DECK, KINDS, ROOM_CARDS, Card, Triple
from tictac.plugins.clue.game.deduction import ENVELOPE, Cards, Holdings, as_cards, members
from tictac.plugins.clue.game.moving import after

NOBODY = 999
"""The outcome of a suggestion that no seat disproves."""

_X_LOG_X = [0.0, *(n * log2(n) for n in range(1, 2001))]


class Asking:
    """The values of suggestions by ``seat``, from equally likely deals.

    ``bait`` and ``gift`` are the values, in bits, of a suggestion that no seat disproves. ``bait``
    is for one with an own card, which leeches accuse with. ``gift``, below 0, is for one without:
    the leeches accuse with it before ``seat`` does.
    """

    def __init__(
        self,
        seat: int,
        hand: Iterable[Card],
        deals: Sequence[Holdings],
        bait: float = 0.0,
        gift: float = 0.0,
    ) -> None:
        self._hand = frozenset(hand)
        self._bait, self._gift = bait, gift
        self._size = len(deals)
        self._answers = _answers(after(seat), deals)
        self._values: dict[Triple, float] = {}
        # A card is above the bits of an outcome, so the sum of both identifies both.
        masks = map(as_cards, KINDS)
        self._truths = [[(deal[ENVELOPE] & mask) << 10 for deal in deals] for mask in masks]
        self._before = [self._spread(Counter(truths)) for truths in self._truths]
        players, weapons = map(self._worth_asking, KINDS[:2])
        self._pairs = list(product(players, weapons))

    def best_by_room(self, broad: int = 4) -> dict[Card, tuple[float, Triple]]:
        """Return the best suggestion for each room's card, with its value in bits.

        The search tries all pairs of player and weapon in a few rooms, and the ``broad`` best pairs
        in every room.
        """
        rooms = self._typical_rooms()
        worth = {
            pair: max(self.value(Triple(*pair, room)) for room in rooms) for pair in self._pairs
        }
        best = sorted(worth, key=lambda pair: -worth[pair])[:broad]
        return {
            room: max((self.value(Triple(*pair, room)), Triple(*pair, room)) for pair in best)
            for room in ROOM_CARDS
        }

    def best_in(self, room: Card) -> Triple:
        """Return the best suggestion in a room, out of all pairs of player and weapon."""
        return max((Triple(*pair, room) for pair in self._pairs), key=self.value)

    def value(self, suggestion: Triple) -> float:
        """Return the expected information of the answer in bits, plus the stakes."""
        known = self._values.get(suggestion)
        if known is None:
            known = self._values[suggestion] = self._value(suggestion)
        return known

    def _value(self, suggestion: Triple) -> float:
        outcomes = list(map(min, *(self._answers[card] for card in suggestion)))
        gain = 0.0
        per_outcome = Counter(outcomes)
        left = self._spread(per_outcome)
        for before, truths in zip(self._before, self._truths, strict=True):
            gain += before - self._spread(Counter(map(add, outcomes, truths))) + left
        own = not self._hand.isdisjoint(suggestion)
        stake = self._bait if own else self._gift
        return gain + stake * (per_outcome[NOBODY] / self._size)

    def _spread(self, counts: Counter[int]) -> float:
        """Return the entropy of the counts in bits."""
        return log2(self._size) - sum(map(_X_LOG_X.__getitem__, counts.values())) / self._size

    def _worth_asking(self, kind: Iterable[Card]) -> list[Card]:
        """Return the cards of a kind that differ; all own cards are alike, so one is enough."""
        own = [card for card in kind if card in self._hand]
        return [card for card in kind if card not in self._hand] + own[:1]

    def _typical_rooms(self) -> list[Card]:
        """Return an own room, and one without a known holder."""
        own = [room for room in ROOM_CARDS if room in self._hand] if self._bait else []
        unknown = max(
            (room for room in ROOM_CARDS if room not in self._hand),
            key=lambda room: len(set(self._answers[room])),
        )
        return [unknown, *own[:1]]


def _answers(order: Sequence[int], deals: Sequence[Holdings]) -> list[list[int]]:
    """Return, for each card and deal, which seat shows the card: by turn order, then by card."""
    answers = [[NOBODY] * len(deals) for _ in DECK]
    for number, deal in enumerate(deals):
        for rank, seat in enumerate(order):
            for card in _cached_members(deal[seat]):
                answers[card][number] = 32 * rank + card
    return answers


# All deals of a game consist of the same few hundred hands.
@lru_cache(maxsize=4096)
def _cached_members(hand: Cards) -> list[Card]:
    return members(hand)
