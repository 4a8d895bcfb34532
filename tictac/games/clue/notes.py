"""What a seat notes during a game: what follows about the cards, and what the others are like.

Of another seat it is guessed whether it is *sensible* (it never suggests a card that it holds:
then each suggestion tells what it hasn't) and whether it is a *leech* (it accuses with whatever
it saw nobody disprove). Guesses give weights to deals; they never make anything certain.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import partial
from random import Random

from tictac.games.clue.cards import SEATS, Card, Triple
from tictac.games.clue.deduction import (
    ENVELOPE,
    Cards,
    ContradictionError,
    Deduction,
    Holdings,
    as_cards,
)
from tictac.games.clue.messages import Counter
from tictac.games.clue.moving import after
from tictac.games.clue.sampling import Sample, sample

PRIOR_SENSIBLE = 1 / 3
PRIOR_LEECH = 1 / 3
TELLING = 2.0
"""How much likelier a sensible seat makes a suggestion that avoids its cards than one that
suggests at random: 36 pairs of player and weapon against some 20, and the room."""
WALKS = 5
"""Samples for a chance on which a game depends."""


class Notes:
    """The notes of ``seat``. ``shown_to[s]`` are own cards that ``s`` has seen.

    ``leech[s]`` is how likely it is that ``s`` waits for a suggestion to accuse with;
    ``out`` are those that seem to have accused; ``threat`` is the last suggestion of another
    seat that nobody disproved, since the own turn.
    """

    def __init__(self, seat: int, hand: Collection[Card], dice: Random) -> None:
        self.seat = seat
        self.hand = frozenset(hand)
        self.deduction = Deduction(seat, hand)
        self.shown_to: list[set[Card]] = [set() for _ in range(SEATS)]
        self.leech = [PRIOR_LEECH] * SEATS
        self.leech[seat] = 0.0
        self.out: set[int] = set()
        self.threat: Triple | None = None
        self._dice = dice
        self._suggested: list[list[Cards]] = [[] for _ in range(SEATS)]
        self._bluffs = {seat}
        self._tempted: set[int] = set()
        self._sample: Sample | None = None
        self._last: Holdings | None = None

    # What happened

    def suggestion(self, suggester: int, triple: Triple, disprover: int | None) -> None:
        """A suggestion was made; None: nobody disproved it."""
        for seat in after(suggester):
            if seat == disprover:
                break
            self._learn(partial(self.deduction.holds_none, seat, triple))
        if disprover is not None:
            self._learn(lambda: self.deduction.holds_one(disprover, triple))
        elif suggester != self.seat:
            self.threat = triple
        if disprover is None:
            self._tempted = set(range(SEATS)) - {self.seat}
        self._suggested[suggester].append(as_cards(triple))
        if self.shown_to[suggester] & {triple.player, triple.weapon}:
            self._bluffs.add(suggester)
        self._sample = None

    def countered(self, triple: Triple, counter: Counter) -> None:
        """What became of an own suggestion."""
        card, shower = counter
        if card is not None and shower is None:
            # The older form: somebody has it, and nobody knows who was asked before.
            self._learn(lambda: self.deduction.not_hidden(card))
            self._sample = None
            return
        self.suggestion(self.seat, triple, shower)
        if card is not None and shower is not None:
            self.card(shower, card)

    def card(self, shower: int, card: Card) -> None:
        """``shower`` has shown this seat a card."""
        self._learn(lambda: self.deduction.holds(shower, card))
        self._sample = None

    def wrong(self, triple: Triple) -> None:
        """This isn't the envelope."""
        self._learn(lambda: self.deduction.not_in_envelope(triple))
        self._sample = None

    def turn_of(self, seat: int, *, acted: bool) -> None:
        """Another seat's turn is over; ``acted`` says that it moved or suggested."""
        if seat in self._tempted:
            # A leech would have accused: whoever moves is none, whoever doesn't is out now.
            self._tempted.discard(seat)
            self.leech[seat] = 0.0
            if not acted:
                self.out.add(seat)
        elif acted:
            self.out.discard(seat)

    def own_turn(self) -> None:
        """The own turn is over: who would have accused by the threat has done so."""
        self.threat = None

    # What is likely

    def some_leech(self) -> float:
        """How likely it is that there is a leech at all that still has turns."""
        none = 1.0
        for chance in self.leech:
            none *= 1 - chance
        return 1 - none

    def sample(self) -> Sample:
        """Deals that fit all of this."""
        if self._sample is None:
            try:
                self._sample = sample(self._weights(), self._dice, self._last)
            except ContradictionError:
                self.deduction = Deduction(self.seat, self.hand)
                self._sample = sample(self._weights(), self._dice)
            self._last = self._sample.holdings[-1]
        return self._sample

    def chance(self, triple: Triple) -> float:
        """How likely this is the envelope, more exactly than by one sample.

        A walk through the deals seldom changes between those where somebody bluffed and those
        where this is the truth, so a few of them are averaged.
        """
        envelope, chances = as_cards(triple), []
        for _ in range(WALKS):
            found = self.sample()
            chances.append(found.envelopes().get(envelope, 0.0))
            if found.exact:
                return chances[-1]
            self._sample = None
        return sum(chances) / WALKS

    def _weights(self) -> list[dict[Cards, float]]:
        weights = [
            self._seat_weights(seat, hands)
            for seat, hands in enumerate(self.deduction.hands[:ENVELOPE])
        ]
        weights.append(dict.fromkeys(self.deduction.hands[ENVELOPE], 1.0))
        return weights

    def _seat_weights(self, seat: int, hands: Iterable[Cards]) -> dict[Cards, float]:
        suggested = self._suggested[seat]
        if seat in self._bluffs or not suggested:
            return dict.fromkeys(hands, 1.0)
        asked = 0
        for cards in suggested:
            asked |= cards
        odds = PRIOR_SENSIBLE / (1 - PRIOR_SENSIBLE)
        honest = 1.0 + odds * TELLING ** min(len(suggested), 20)
        return {hand: 1.0 if hand & asked else honest for hand in hands}

    def _learn(self, fact: Callable[[], None]) -> None:
        try:
            fact()
        except ContradictionError:
            # Somebody has cheated, and the server has let it pass: what is known is void.
            self.deduction = Deduction(self.seat, self.hand)
