"""Exact deduction about the cards: which place can hold which cards.

Each card is in one place: the envelope, with one card of each kind, or a seat, with three cards.
A set of cards is a number with the bit ``1 << card`` for each. The deduction lists the sets that
each place can hold. Each fact excludes some of the sets, and comparing the places excludes more,
until nothing changes.

A seat that was passed over has none of the suggested cards, and a seat that showed one has one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import reduce
from itertools import combinations, product
from operator import and_, or_
from random import Random

from tictac.plugins.clue.game.cards import DECK, HAND, KINDS, SEATS, Card, Triple
from tictac.plugins.clue.game.messages import (
    AskAccusation,
    AskSuggestion,
    Counter,
    Message,
    Moved,
    Wrong,
)
from tictac.plugins.clue.game.moving import after
from tictac.plugins.clue.game.position import Answer

Cards = int
"""A set of cards: the bit ``1 << card`` of each."""

ALL: Cards = (1 << len(DECK)) - 1
ENVELOPE = -1
"""The index of the envelope, the last place, after the seats."""

Holdings = tuple[Cards, ...]
"""The cards of each seat in one deal, followed by the envelope."""


class ContradictionError(ValueError):
    """Raised when no deal fits the facts."""


class OutOfBudgetError(Exception):
    """Raised when a search exceeds its budget of steps."""


def as_cards(cards: Iterable[Card]) -> Cards:
    """Return the set of these cards."""
    return reduce(or_, (1 << card for card in cards), 0)


def members(cards: Cards) -> list[Card]:
    """Return the cards of a set, in the order of the deck."""
    return [card for card in DECK if cards >> card & 1]


class Deduction:
    """The certain knowledge of ``seat`` with the cards ``hand`` (None: the mini-game).

    ``hands[place]`` are the sets that a place can hold: those of the six seats, then those of the
    envelope; in the mini-game only those of the envelope. ``disproved`` has each disproved
    suggestion with the seat that disproved it. ``asked`` is the last own suggestion or accusation.
    Facts that contradict one another mean that a player cheated and the server allowed it. The
    deduction then drops all facts.
    """

    def __init__(self, seat: int, hand: Collection[Card] | None) -> None:
        self.seat = seat
        self.hand = None if hand is None else frozenset(hand)
        self.disproved: list[tuple[int, Triple]] = []
        self.asked: Triple | None = None
        self.forget()

    def forget(self) -> None:
        """Reset the knowledge to the own hand."""
        own = self.hand or frozenset()
        kinds = ([card for card in kind if card not in own] for kind in KINDS)
        self.hands: list[list[Cards]] = [[as_cards(triple) for triple in product(*kinds)]]
        if own:
            rest = [card for card in DECK if card not in own]
            others = [as_cards(three) for three in combinations(rest, HAND)]
            self.hands = [*([list(others) for _ in range(SEATS)]), *self.hands]
            self.hands[self.seat] = [as_cards(own)]

    # Messages to the seat

    def observe(self, message: Message, answer: Answer | None = None) -> None:
        """Take a message and its answer, the only sources of facts."""
        match message, answer:
            case ((AskSuggestion() | AskAccusation()), Triple()):
                self.asked = answer
            case Counter(), _ if self.asked is not None:
                self.countered(self.asked, message)
            case Moved(_, mover, Triple() as triple, disprover), _:
                self.suggestion(mover, triple, disprover)
            case Wrong(), _ if self.asked is not None:
                self.is_not(self.asked)

    def suggestion(self, suggester: int, triple: Triple, disprover: int | None) -> None:
        """Note a suggestion and the first seat that could disprove it (None: no seat could)."""
        for seat in after(suggester):
            if seat == disprover:
                self.has_one(seat, triple)
                self.disproved.append((seat, triple))
                break
            self.has_none(seat, triple)

    def countered(self, triple: Triple, counter: Counter) -> None:
        """Note the counter to an own suggestion."""
        card, shower = counter
        if self.hand is None and card is None:
            self._keep(ENVELOPE, lambda envelope: envelope == as_cards(triple))
        elif card is not None and shower is None:
            # The older form has the card only: its holder and the seats without a card are unknown.
            self.has_none(ENVELOPE, [card])
        else:
            self.suggestion(self.seat, triple, shower)
            if card is not None and shower is not None:
                self.has_one(shower, [card])

    # Facts

    def has_one(self, place: int, cards: Iterable[Card]) -> None:
        """Note that a place holds one of these cards."""
        one_of = as_cards(cards)
        self._keep(place, lambda hand: hand & one_of != 0)

    def has_none(self, place: int, cards: Iterable[Card]) -> None:
        """Note that a place holds none of these cards."""
        none_of = as_cards(cards)
        self._keep(place, lambda hand: hand & none_of == 0)

    def is_not(self, triple: Triple) -> None:
        """Note that the envelope doesn't hold exactly these three cards."""
        self._keep(ENVELOPE, lambda envelope: envelope != as_cards(triple))

    # Conclusions

    def can_be(self, envelope: Cards, budget: int = 20_000) -> bool:
        """Return whether some deal has this envelope; also True after ``budget`` sets."""
        try:
            return next(deals([*self.hands[:ENVELOPE], [envelope]], budget), None) is not None
        except OutOfBudgetError:
            return True

    def solution(self, budget: int = 2_000) -> Triple | None:
        """Return the envelope if only one is possible, otherwise None."""
        left: list[Cards] = []
        for envelope in self.hands[ENVELOPE]:
            if self.hand is None or self.can_be(envelope, budget):
                left.append(envelope)
            if len(left) == 2:
                return None
        return Triple(*members(left[0])) if left else None

    def left(self) -> list[list[Card]]:
        """Return the cards of each kind that can be in the envelope."""
        solution = self.solution()
        envelopes = self.hands[ENVELOPE] if solution is None else [as_cards(solution)]
        may = reduce(or_, envelopes, 0)
        return [[card for card in kind if may >> card & 1] for kind in KINDS]

    def _keep(self, place: int, fits: Callable[[Cards], bool]) -> None:
        hands = self.hands[place]
        kept = [hand for hand in hands if fits(hand)]
        if len(kept) < len(hands):
            self.hands[place] = kept
            try:
                self._settle(place % len(self.hands))
            except ContradictionError:
                self.forget()

    def _settle(self, changed: int) -> None:
        """Exclude sets that contradict the certain cards of ``changed``, until nothing changes."""
        todo = {changed}
        while todo:
            place = todo.pop()
            hands = self.hands[place]
            if not hands:
                raise ContradictionError(f"no card is possible for place {place}")
            if len(self.hands) == 1:
                return
            held = reduce(and_, hands)
            for other in range(len(self.hands)):
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
        """Return the cards that no other place can hold."""
        elsewhere = 0
        for other, hands in enumerate(self.hands):
            if other != place:
                elsewhere |= reduce(or_, hands, 0)
        return ~elsewhere & ALL


def deals(
    hands: Sequence[Sequence[Cards]], budget: int, dice: Random | None = None
) -> Iterator[Holdings]:
    """Yield each deal in which every place holds one of its sets; in random order with ``dice``.

    The search is depth first and begins with the places that have the fewest sets. Raises
    :class:`OutOfBudgetError` after ``budget`` sets.
    """
    order = sorted(range(len(hands)), key=lambda place: len(hands[place]))
    lists = [list(hands[place]) for place in order]
    if dice is not None:
        for each in lists:
            dice.shuffle(each)
    # All cards that the places from each depth on could hold; the open cards must be among them.
    unions = [reduce(or_, each, 0) for each in lists]
    reach = [reduce(or_, unions[depth:]) for depth in range(len(lists))]
    last, left = frozenset(lists[-1]), budget

    def search(depth: int, used: Cards, chosen: Holdings) -> Iterator[Holdings]:
        nonlocal left
        open_ = ALL & ~used
        if depth == len(lists) - 1:
            if open_ in last:
                yield (*chosen, open_)
            return
        if open_ & ~reach[depth]:
            return
        left -= len(lists[depth])
        if left < 0:
            raise OutOfBudgetError
        for hand in [hand for hand in lists[depth] if not hand & used]:
            yield from search(depth + 1, used | hand, (*chosen, hand))

    back = [order.index(place) for place in range(len(hands))]
    for found in search(0, 0, ()):
        yield tuple(found[at] for at in back)
