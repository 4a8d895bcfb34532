"""Three simple players: random, sensible, leech."""

from __future__ import annotations

from tictac.games.clue.board import Place
from tictac.games.clue.cards import (
    KINDS,
    NAMES,
    ROOMS,
    Card,
    Room,
    Triple,
    draw_envelope,
    room_card,
)
from tictac.games.clue.messages import Choice, Counter, Moved
from tictac.games.clue.player import Player
from tictac.games.clue.walking import choose_way, walk


class RandomPlayer(Player):
    """Any legal move and suggestion.

    It accuses with its own suggestion that nobody disproved, unless it holds one of the three
    cards: then the silence of the others proves nothing. A card that it was shown would have
    been shown again.
    """

    certain: Triple | None = None

    def choose(self) -> Choice:
        if self.certain is not None:
            return "accuse"
        return self.dice.choice(("roll", "no-roll"))

    def go(self, places: frozenset[Place], steps: int) -> Place:
        return self.dice.choice(sorted(places, key=str))

    def suggest(self) -> Triple:
        players, weapons, _ = KINDS
        return Triple(self.dice.choice(players), self.dice.choice(weapons), room_card(self.room))

    def accuse(self) -> Triple:
        return self.certain or draw_envelope(self.dice)

    def countered(self, counter: Counter) -> None:
        assert self.suggested is not None
        if counter.card is None and self.hand.isdisjoint(self.suggested):
            self.certain = self.suggested


class Leech(RandomPlayer):
    """Keeps no notes; accuses with any suggestion that it saw nobody disprove.

    It suggests at random, its own cards too, and is always on the way to some room.
    """

    def choose(self) -> Choice:
        if self.certain is not None:
            return "accuse"
        return choose_way(self.state[self.token], ROOMS)

    def go(self, places: frozenset[Place], steps: int) -> Place:
        return walk(self.board, self.state[self.token], places, ROOMS, self.dice)

    def countered(self, counter: Counter) -> None:
        if counter.card is None:
            self.certain = self.suggested

    def watched(self, moved: Moved) -> None:
        if moved.suggestion is not None and moved.disprover is None:
            self.certain = moved.suggestion


class Sensible(RandomPlayer):
    """Tracks what it was shown, and never suggests a card it knows.

    It accuses when one triple is left, or with its own suggestion that nobody disproved. Where
    the dice leave nothing but a known room to enter, that room's card is suggested all the same.
    """

    def begin(self) -> None:
        self.left = [[card for card in kind if card not in self.hand] for kind in KINDS]

    def choose(self) -> Choice:
        if self.certain is not None or all(len(cards) == 1 for cards in self.left):
            return "accuse"
        return choose_way(self.state[self.token], self._wanted())

    def accuse(self) -> Triple:
        return self.certain or Triple(*(cards[0] for cards in self.left))

    def go(self, places: frozenset[Place], steps: int) -> Place:
        return walk(self.board, self.state[self.token], places, self._wanted(), self.dice)

    def suggest(self) -> Triple:
        players, weapons, _ = self.left
        return Triple(self.dice.choice(players), self.dice.choice(weapons), room_card(self.room))

    def countered(self, counter: Counter) -> None:
        if counter.card is None:
            # A room that it had to enter may be one of its own.
            if room_card(self.room) in self.left[2]:
                self.certain = self.suggested
        else:
            self._cross_out(counter.card)

    def _cross_out(self, card: Card) -> None:
        for cards in self.left:
            if card in cards:
                cards.remove(card)

    def _wanted(self) -> list[Room]:
        return [NAMES[card] for card in self.left[2]]
