"""What can be known about the cards: exact deduction over who can hold what.

Every card is in one place: the envelope with one of each kind, or one of the seats with three.
A set of cards is a number with the bit ``1 << card`` of each. For each place the sets that it can
hold are listed, and every fact strikes out those that it excludes, until nothing more follows
from comparing the places. Source: clue.md, "Playing well".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import reduce
from itertools import combinations, product
from operator import and_, or_
from random import Random

from tictac.games.clue.cards import DECK, HAND, KINDS, SEATS, Card, Triple

Cards = int
"""A set of cards: the bit ``1 << card`` of each."""

ENVELOPE = SEATS
"""The place after the six seats."""

Holdings = tuple[Cards, ...]
"""What each seat holds in one deal, and last the envelope."""


class ContradictionError(ValueError):
    """No deal fits the facts."""


class OutOfBudgetError(Exception):
    """A search took more steps than it was given."""


def as_cards(cards: Iterable[Card]) -> Cards:
    """The set of these cards."""
    return reduce(or_, (1 << card for card in cards), 0)


def members(cards: Cards) -> list[Card]:
    """The cards of a set, in the order of the deck."""
    return [card for card in DECK if cards >> card & 1]


def as_envelope(cards: Cards) -> Triple:
    """The triple of a set with one card of each kind."""
    return Triple(*members(cards))


class Deduction:
    """What one seat knows. ``hands[place]`` are the sets that a place can hold.

    Raises :class:`ContradictionError` from any fact that doesn't fit the others; that can only
    happen when somebody has shown or passed falsely.
    """

    def __init__(self, seat: int, hand: Collection[Card]) -> None:
        self.seat = seat
        own = as_cards(hand)
        rest = [card for card in DECK if card not in hand]
        hands = [as_cards(three) for three in combinations(rest, HAND)]
        self.hands: list[list[Cards]] = [list(hands) for _ in range(SEATS)]
        self.hands[seat] = [own]
        kinds = ([card for card in kind if card not in hand] for kind in KINDS)
        self.hands.append([as_cards(triple) for triple in product(*kinds)])
        self._settle(range(SEATS + 1))

    # Facts

    def holds(self, seat: int, card: Card) -> None:
        """``seat`` has shown this card."""
        self._keep(seat, lambda hand: hand >> card & 1 != 0)

    def holds_one(self, seat: int, triple: Iterable[Card]) -> None:
        """``seat`` has disproved this suggestion."""
        cards = as_cards(triple)
        self._keep(seat, lambda hand: hand & cards != 0)

    def holds_none(self, seat: int, triple: Iterable[Card]) -> None:
        """``seat`` couldn't disprove this suggestion."""
        cards = as_cards(triple)
        self._keep(seat, lambda hand: hand & cards == 0)

    def not_hidden(self, card: Card) -> None:
        """Somebody has this card."""
        self._keep(ENVELOPE, lambda envelope: not envelope >> card & 1)

    def not_in_envelope(self, triple: Iterable[Card]) -> None:
        """An accusation with these three was wrong."""
        cards = as_cards(triple)
        self._keep(ENVELOPE, lambda envelope: envelope != cards)

    # What follows

    def holder(self, card: Card) -> int | None:
        """The only place that a card can be in, or None while there are several."""
        places = [
            place for place, hands in enumerate(self.hands) if any(h >> card & 1 for h in hands)
        ]
        return places[0] if len(places) == 1 else None

    def possible(self) -> list[list[Cards]]:
        """The sets of each place; the caller may change the lists."""
        return [list(hands) for hands in self.hands]

    def can_be(self, envelope: Cards, budget: int = 20_000) -> bool:
        """Whether some deal has this envelope; also True when that takes too long to tell."""
        hands = [*self.hands[:ENVELOPE], [envelope]]
        try:
            return next(deals(hands, budget), None) is not None
        except OutOfBudgetError:
            return True

    def solution(self, budget: int = 2_000) -> Triple | None:
        """The envelope if only one is left that some deal has, otherwise None."""
        left: list[Cards] = []
        for envelope in self.hands[ENVELOPE]:
            if self.can_be(envelope, budget):
                left.append(envelope)
            if len(left) == 2:
                return None
        return as_envelope(left[0]) if left else None

    def _keep(self, place: int, fits: Callable[[Cards], bool]) -> None:
        hands = self.hands[place]
        kept = [hand for hand in hands if fits(hand)]
        if len(kept) < len(hands):
            self.hands[place] = kept
            self._settle([place])

    def _settle(self, changed: Iterable[int]) -> None:
        """Carry what is certain of one place over to the others, until nothing changes."""
        todo = set(changed)
        while todo:
            place = todo.pop()
            hands = self.hands[place]
            if not hands:
                raise ContradictionError(f"nothing is left that place {place} could hold")
            held = reduce(and_, hands)
            for other in range(SEATS + 1):
                needed = self._only_in(other)
                kept = [
                    hand
                    for hand in self.hands[other]
                    if hand & needed == needed and (other == place or not hand & held)
                ]
                if len(kept) < len(self.hands[other]):
                    self.hands[other] = kept
                    todo.add(other)

    def _only_in(self, place: int) -> Cards:
        """The cards that no other place can hold."""
        elsewhere = 0
        for other, hands in enumerate(self.hands):
            if other != place:
                elsewhere |= reduce(or_, hands, 0)
        return ~elsewhere & (1 << len(DECK)) - 1


def deals(
    hands: Sequence[Sequence[Cards]], budget: int, dice: Random | None = None
) -> Iterator[Holdings]:
    """Every deal in which each place holds one of its sets; in random order with ``dice``.

    Raises :class:`OutOfBudgetError` after looking at ``budget`` sets.
    """
    order = sorted(range(len(hands)), key=lambda place: len(hands[place]))
    lists = [list(hands[place]) for place in order]
    if dice is not None:
        for each in lists:
            dice.shuffle(each)
    search = _Search(lists, budget)
    back = [order.index(place) for place in range(len(hands))]
    for found in search.run(0, 0):
        yield tuple(found[at] for at in back)


class _Search:
    """Depth first, the places with the fewest sets first."""

    def __init__(self, lists: list[list[Cards]], budget: int) -> None:
        self._lists = lists
        self._left = budget
        self._last = frozenset(lists[-1])
        self._all = (1 << len(DECK)) - 1
        self._chosen: list[Cards] = []
        # What the places from each depth on could hold at all: all that is open must be in it.
        unions = [reduce(or_, hands, 0) for hands in lists]
        self._reach = [reduce(or_, unions[depth:]) for depth in range(len(lists))]

    def run(self, depth: int, used: Cards) -> Iterator[list[Cards]]:
        open_ = self._all & ~used
        if depth == len(self._lists) - 1:
            if open_ in self._last:
                yield [*self._chosen, open_]
            return
        if open_ & ~self._reach[depth]:
            return
        hands = [hand for hand in self._lists[depth] if not hand & used]
        self._left -= len(self._lists[depth])
        if self._left < 0:
            raise OutOfBudgetError
        for hand in hands:
            self._chosen.append(hand)
            yield from self.run(depth + 1, used | hand)
            self._chosen.pop()
