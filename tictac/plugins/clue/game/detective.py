"""The detective, a computer player that deduces exactly and asks the most informative questions.

A leech accuses with an undisproved suggestion. An undisproved suggestion with an own card therefore
eliminates every leech. A suggestion that can be the truth gives it away.
Another seat's undisproved suggestion is often the envelope, and the detective must accuse with it
at once: its suggester accuses before the detective's next turn.
"""

from __future__ import annotations

from functools import cache

from tictac.plugins.clue.game.asking import Asking
from tictac.plugins.clue.game.board import Board, InRoom, Place
from tictac.plugins.clue.game.cards import NAMES, ROOM_CARDS, SEATS, Card, Room, Triple
from tictac.plugins.clue.game.deduction import members
from tictac.plugins.clue.game.messages import Counter, Message, Moved, Turn
from tictac.plugins.clue.game.moving import FAR, enters, steps_to, without_dice
from tictac.plugins.clue.game.notes import Notes
from tictac.plugins.clue.game.players import Strategy
from tictac.plugins.clue.game.position import Answer, Choice

RISK = 0.012
"""The chance of each other seat to win in the next round, which is the cost of waiting."""
AGAINST_THREAT = 0.5
"""The threshold if another seat would otherwise accuse with that triple.

The comparison is p against the chance to win later if the triple is wrong, (1 - p) times 0.8.
"""
BAIT, GIFT = 3.0, -30.0
LATER = 0.6
"""The value of a suggestion next turn, relative to one now."""
EVALUATED = 200

ROLLS = {steps: (6 - abs(steps - 7)) / 36 for steps in range(2, 13)}


class Detective(Strategy):
    """A player of the full game."""

    _accusation: Triple | None = None
    _asking: Asking | None = None
    _worth: dict[Room, float]
    _after: dict[Room, float]

    def begin(self) -> None:
        self.notes = Notes(self.token, self.hand, self.dice)

    # Answers

    def choose(self) -> Choice:
        self._accusation = self._find_accusation()
        if self._accusation is not None:
            return "accuse"
        self._think()
        place = self.state[self.token]
        now = max((self._entering(room) for room in without_dice(place)), default=0.0)
        return "no-roll" if now and now >= self._rolling(place) else "roll"

    def go(self, places: frozenset[Place]) -> Place:
        self._think()
        return max(sorted(places, key=str), key=self._being)

    def suggest(self) -> Triple:
        return self._think().best_in(self.room)

    def accuse(self) -> Triple:
        # Another sample of the deals might have led to the choice to accuse.
        return self._accusation or self._find_accusation() or self._likeliest()[0]

    def show(self, moved: Moved, cards: list[Card]) -> Card:
        """Return a card that this seat has seen, else one that many have seen, else a room."""
        seen = self.notes.shown_to
        return max(
            cards,
            key=lambda card: (
                card in seen[moved.mover],
                sum(card in each for each in seen),
                card in ROOM_CARDS,
            ),
        )

    # Notes

    def answered(self, message: Message, answer: Answer | None) -> None:
        super().answered(message, answer)
        match message, answer:
            case Turn(), ("roll" | "no-roll"):
                # A seat that could accuse with the threat did so before this turn.
                self.notes.threat = None
            case Moved(mover=mover), int(card):
                self.notes.shown_to[mover].add(card)

    def watched(self, moved: Moved) -> None:
        acted = moved.suggestion is not None or moved.state[moved.mover] != self.state[moved.mover]
        self.notes.turn_of(moved.mover, acted=acted)
        self.notes.observe(moved)
        self._asking = None

    def countered(self, counter: Counter) -> None:
        assert self.suggested is not None
        self.notes.countered(self.suggested, counter)

    # Evaluation

    def _find_accusation(self) -> Triple | None:
        threat = self.notes.threat
        if threat is not None and self.notes.chance(threat) >= AGAINST_THREAT:
            return threat
        best, chance = self._likeliest()
        if len(self.notes.sample().envelopes()) == 1:
            return self.notes.solution()
        rivals = SEATS - 1 - len(self.notes.out)
        return best if chance > 1 - RISK * rivals else None

    def _likeliest(self) -> tuple[Triple, float]:
        """Return the likeliest envelope, and its probability."""
        chances = self.notes.sample().envelopes()
        best = max(chances, key=lambda envelope: chances[envelope])
        return Triple(*members(best)), chances[best]

    def _think(self) -> Asking:
        """Evaluate the best suggestion in each room, once a turn."""
        if self._asking is not None:
            return self._asking
        leech = self.notes.some_leech()
        deals = self.notes.sample().even(EVALUATED, self.dice)
        self._asking = asking = Asking(self.token, self.hand, deals, BAIT * leech, GIFT * leech)
        best = asking.best_by_room()
        self._worth = {NAMES[room]: max(0.01, value) for room, (value, _) in best.items()}
        self._after = {
            room: future(self.board, InRoom(room, "V"), self._worth) for room in self._worth
        }
        return asking

    def _being(self, place: Place) -> float:
        """Return the value of a move to a place in this turn."""
        if isinstance(place, InRoom) and enters(self.state[self.token], place):
            return self._entering(place.room)
        return future(self.board, place, self._worth)

    def _entering(self, room: Room) -> float:
        return self._worth[room] + self._after[room]

    def _rolling(self, place: Place) -> float:
        """Return the expected value of a roll from a place, with the turns after it."""
        steps = [
            (steps_to(self.board, room).get(place, FAR), room)
            for room in self._worth
            if not (isinstance(place, InRoom) and place.room == room)
        ]
        value = 0.0
        for roll, chance in ROLLS.items():
            value += chance * max(
                self._entering(room) if far <= roll else self._worth[room] * delay(far - roll)
                for far, room in steps
            )
        return value


def future(board: Board, place: Place, worth: dict[Room, float]) -> float:
    """Return the value of the next suggestion from a place: that of the best room, discounted."""
    passages = without_dice(place) if isinstance(place, InRoom) and place.flag == "V" else []
    own = place.room if isinstance(place, InRoom) else None
    return max(
        value * (LATER if room in passages else delay(steps_to(board, room).get(place, FAR)))
        for room, value in worth.items()
        if room != own
    )


@cache
def delay(steps: int) -> float:
    """Return the discount of a room that is ``steps`` away: :data:`LATER` for each turn."""
    if steps <= 0:
        return 1.0
    return LATER * sum(chance * delay(steps - roll) for roll, chance in ROLLS.items())
