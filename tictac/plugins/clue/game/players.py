"""The computer players, which take the messages to their seat and answer some.

A player sees only the messages to its seat, so rooms, the network client and the bench use the same
players. A player decides, and sends nothing. The detective has a module of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import product
from random import Random

from tictac.plugins.clue.game.board import Board, Cell, InRoom, Place, State
from tictac.plugins.clue.game.cards import KINDS, NAMES, ROOMS, Card, Room, Triple, draw_envelope
from tictac.plugins.clue.game.messages import (
    AskAccusation,
    AskSuggestion,
    Counter,
    Hello,
    Message,
    Moved,
    Rolled,
    Turn,
)
from tictac.plugins.clue.game.moving import FAR, enters, options, pull, put, steps_to, without_dice
from tictac.plugins.clue.game.position import Answer, Choice


class Strategy:
    """A player that answers anything legal; the base of all players.

    It accuses with its own undisproved suggestion, unless it holds one of the three
    cards, because the others' silence then proves nothing. The three cards can't include one that
    it was shown before, because its holder would have shown it again.

    ``state`` is the last known state, with the player's own actions since. ``suggested`` is the
    last own suggestion. ``left`` are the cards of each kind that it suggests.
    """

    certain: Triple | None = None
    left: Sequence[Sequence[Card]] = KINDS

    def __init__(self, board: Board, dice: Random) -> None:
        self.board = board
        self.dice = dice
        self.token = -1
        self.hand: frozenset[Card] = frozenset()
        self.state: State = board.starts
        self.suggested: Triple | None = None

    def respond(self, message: Message) -> Answer | None:
        """Take a message; return the answer, or None if the message needs none."""
        self.note(message)
        answer = self.decide(message)
        self.answered(message, answer)
        return answer

    def note(self, message: Message) -> None:
        """Take a message that :meth:`decide` can answer next."""
        match message:
            case Turn(state):
                self.state = state
            case Moved(state):
                self.watched(message)
                self.state = state
            case Counter():
                self.countered(message)
            case Hello(token, hand):
                self.token, self.hand = token, frozenset(hand or ())
                self.begin()

    def decide(self, message: Message) -> Answer | None:
        """Return the answer to the last message, or None if the message needs none."""
        match message:
            case Turn():
                return self.choose()
            case Rolled(steps):
                return self.go(options(self.board, self.state, self.token, steps))
            case AskSuggestion():
                return self.suggest()
            case AskAccusation():
                return self.accuse()
            case Moved(_, _, triple, self.token) if triple is not None:
                return self.show(message, [card for card in triple if card in self.hand])
        return None

    def answered(self, message: Message, answer: Answer | None) -> None:
        """Note the answer to the last message."""
        match message, answer:
            case Rolled(), (Cell() | InRoom()) as place:
                self.state = put(self.state, self.token, place)
            case AskSuggestion(), Triple() as triple:
                self.suggested = triple
                self.state = pull(self.state, self.token, triple)

    # Answers

    def choose(self) -> Choice:
        """Return the choice for the turn that begins."""
        return "accuse" if self.certain is not None else self.dice.choice(("roll", "no-roll"))

    def go(self, places: frozenset[Place]) -> Place:
        """Return the destination among the reachable places."""
        return self.dice.choice(sorted(places, key=str))

    def suggest(self) -> Triple:
        """Return a suggestion in the token's room."""
        players, weapons, _ = self.left
        return Triple(self.dice.choice(players), self.dice.choice(weapons), self.room)

    def accuse(self) -> Triple:
        """Return the accusation that :meth:`choose` announced."""
        return self.certain or draw_envelope(self.dice)

    def show(self, moved: Moved, cards: list[Card]) -> Card:
        """Return the one of the own ``cards`` to show to the seat that moved."""
        return self.dice.choice(cards)

    # Notes

    def begin(self) -> None:
        """Prepare for the game; the token and the hand are now known."""

    def countered(self, counter: Counter) -> None:
        """Note the counter to :attr:`suggested`."""
        if counter.card is None and self.hand.isdisjoint(self.suggested or ()):
            self.certain = self.suggested

    def watched(self, moved: Moved) -> None:
        """Note the turn of another seat; :attr:`state` is still the one before."""

    # Places and ways

    @property
    def room(self) -> Card:
        """The card of the token's room."""
        return NAMES.index(str(self.state[self.token][0]))

    def way_to(self, wanted: Collection[Room]) -> Choice:
        """Return no-roll if it leads to a wanted room, otherwise roll."""
        near = without_dice(self.state[self.token])
        return "roll" if set(near).isdisjoint(wanted) else "no-roll"

    def entries(self, places: Collection[Place], wanted: Collection[Room]) -> list[Place]:
        """Return the wanted rooms among the places, without the token's own room."""
        before = self.state[self.token]
        return sorted(p for p in places if enters(before, p) and p[0] in wanted)

    def walk(self, places: Collection[Place], wanted: Collection[Room]) -> Place:
        """Return a wanted room, else the nearest cell to one, else another room."""
        inside = self.entries(places, wanted)
        cells = sorted((place for place in places if isinstance(place, Cell)), key=str)
        if inside or not cells:
            return self.dice.choice(inside or sorted(places, key=str))
        tables = [steps_to(self.board, room) for room in sorted(wanted)]
        return min(cells, key=lambda cell: min((t.get(cell, FAR) for t in tables), default=FAR))


class Leech(Strategy):
    """A player without notes, which accuses with any undisproved suggestion.

    It suggests at random, also its own cards, and always heads for some room.
    """

    def choose(self) -> Choice:
        return "accuse" if self.certain is not None else self.way_to(ROOMS)

    def go(self, places: frozenset[Place]) -> Place:
        return self.walk(places, ROOMS)

    def countered(self, counter: Counter) -> None:
        if counter.card is None:
            self.certain = self.suggested

    def watched(self, moved: Moved) -> None:
        if moved.suggestion is not None and moved.disprover is None:
            self.certain = moved.suggestion


class Sensible(Strategy):
    """A player that notes the cards shown to it, and never suggests a card it knows.

    It accuses when one triple is left, or with its own undisproved suggestion. If the
    roll allows only a known room, the player still suggests that room's card.
    """

    def begin(self) -> None:
        self.left = [[card for card in kind if card not in self.hand] for kind in KINDS]

    def choose(self) -> Choice:
        if self.certain is not None or all(len(cards) == 1 for cards in self.left):
            return "accuse"
        return self.way_to(self._wanted())

    def accuse(self) -> Triple:
        return self.certain or Triple(*(cards[0] for cards in self.left))

    def go(self, places: frozenset[Place]) -> Place:
        return self.walk(places, self._wanted())

    def countered(self, counter: Counter) -> None:
        if counter.card is not None:
            self.left = [[card for card in kind if card != counter.card] for kind in self.left]
        elif self.room in self.left[2]:
            # The forced room's card can be one of its own.
            self.certain = self.suggested

    def _wanted(self) -> list[Room]:
        return [NAMES[card] for card in self.left[2]]


LIKELY = 0.6
"""The minimum chance of a room worth a suggestion, relative to the likeliest room."""


class Eliminator(Strategy):
    """A player of the mini-game: every counter excludes a card, so it always wins.

    It keeps the probability of each of the 324 triples. A counter names one of the wrong cards at
    random, so the suggestion's other cards become likelier, and the player repeats them while it
    can. It minimizes suggestions, not turns: it enters only rooms that can still be right.
    """

    def __init__(self, board: Board, dice: Random) -> None:
        super().__init__(board, dice)
        self._chances = {Triple(*cards): 1.0 for cards in product(*KINDS)}

    def choose(self) -> Choice:
        return "accuse" if len(self._chances) == 1 else self.way_to(self._rooms())

    def go(self, places: frozenset[Place]) -> Place:
        rooms = self._rooms()
        inside = self.entries(places, rooms)
        if inside:
            return max(inside, key=lambda place: rooms[str(place[0])])
        return self.walk(places, rooms)

    def suggest(self) -> Triple:
        player, weapon = (max(kind, key=self._chance) for kind in KINDS[:2])
        return Triple(player, weapon, self.room)

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
        """Return the rooms worth entering, with the probability of each."""
        chances = {NAMES[card]: self._chance(card) for card in KINDS[2]}
        enough = LIKELY * max(chances.values())
        return {room: chance for room, chance in chances.items() if chance > enough}
