"""The player of the mini-game: every counter strikes out a card, so it always wins.

Suggestions are what it saves, not turns: it only enters rooms that can still be the one.
Source: clue.md, "The mini-game" and "Playing well".
"""

from __future__ import annotations

from itertools import product
from random import Random

from tictac.games.clue.board import Board, Place
from tictac.games.clue.cards import KINDS, NAMES, Card, Room, Triple, room_card
from tictac.games.clue.messages import Choice, Counter
from tictac.games.clue.player import Player
from tictac.games.clue.walking import choose_way, entries, walk

LIKELY = 0.6
"""Share of the likeliest room's chance that a room must have to be worth a suggestion."""


class Eliminator(Player):
    """Keeps how likely each of the 324 triples is.

    A counter names one of the wrong elements at random, so the others of that suggestion have
    become likelier: it stays with them while it can.
    """

    def __init__(self, board: Board, dice: Random) -> None:
        super().__init__(board, dice)
        self._chances = {Triple(*cards): 1.0 for cards in product(*KINDS)}

    def choose(self) -> Choice:
        if len(self._chances) == 1:
            return "accuse"
        return choose_way(self.state[self.token], self._rooms())

    def go(self, places: frozenset[Place], steps: int) -> Place:
        rooms, before = self._rooms(), self.state[self.token]
        inside = [place for place in entries(before, places) if place.room in rooms]
        if inside:
            return max(inside, key=lambda place: rooms[place.room])
        return walk(self.board, before, places, rooms, self.dice)

    def suggest(self) -> Triple:
        players, weapons, _ = KINDS
        player, weapon = (
            max(kind, key=lambda card: self._chance(card)) for kind in (players, weapons)
        )
        return Triple(player, weapon, room_card(self.room))

    def accuse(self) -> Triple:
        return next(iter(self._chances))

    def countered(self, counter: Counter) -> None:
        asked, card = self.suggested, counter.card
        assert asked is not None
        if card is None:
            self._chances = {asked: 1.0}
            return
        self._chances = {
            triple: chance / sum(one != two for one, two in zip(triple, asked, strict=True))
            for triple, chance in self._chances.items()
            if card not in triple and triple != asked
        }

    def _chance(self, card: Card) -> float:
        return sum(chance for triple, chance in self._chances.items() if card in triple)

    def _rooms(self) -> dict[Room, float]:
        """The rooms worth entering, with how likely each is."""
        chances = {NAMES[card]: self._chance(card) for card in KINDS[2]}
        enough = LIKELY * max(chances.values())
        return {room: chance for room, chance in chances.items() if chance > enough}
