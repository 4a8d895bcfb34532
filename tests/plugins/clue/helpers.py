"""What the tests of Clue share: the map, short ways to write places and cards, and a runner."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple, Protocol

from tictac.plugins.clue.game.board import Place, State, as_place, shipped_board
from tictac.plugins.clue.game.cards import (
    KINDS,
    SEATS,
    Card,
    Hands,
    Triple,
    as_triple,
    deal,
    read_card,
)
from tictac.plugins.clue.game.deduction import Deduction, as_cards
from tictac.plugins.clue.game.messages import Hearing, Message
from tictac.plugins.clue.game.moving import disprover
from tictac.plugins.clue.game.position import Answer, Stage, format_move
from tictac.plugins.clue.game.rules import Clue

BOARD = shipped_board()


def places(text: str) -> tuple[Place, ...]:
    """Return the places in a list like ``((17 24) (U V))``."""
    return tuple(as_place(*place.split()) for place in re.findall(r"\(([^()]+)\)", text))


def state(**moved: str) -> State:
    """Return the initial state, except for tokens like ``t3="(U V)"``."""
    where: list[Place] = list(BOARD.starts)
    for token, place in moved.items():
        where[int(token[1])] = places(place)[0]
    return tuple(where)


def cards(text: str) -> frozenset[Card]:
    """Return the cards in ``5 rope U``."""
    return frozenset(map(read_card, text.split()))


def triple(text: str) -> Triple:
    """Return the triple in ``5 rope U``."""
    return as_triple(map(read_card, text.split()))


class Deal(NamedTuple):
    """Where every card is."""

    envelope: Triple
    hands: Hands


# Every card of the deck but the envelope's, each hand with one that others will ask for.
DEAL = Deal(
    triple("5 rope U"),
    tuple(
        map(
            cards,
            ("0 knife S", "1 candlestick H", "2 revolver D", "3 pipe K", "4 wrench B", "C I L"),
        )
    ),
)


class Hears(Protocol):
    """Whoever sits at a seat."""

    def respond(self, message: Message) -> Answer | None: ...


class Table:
    """A game, and what its seats are told."""

    def __init__(
        self,
        seats: int = SEATS,
        dice: Random | None = None,
        rounds: int = 500,
        dealt: Deal | None = None,
    ) -> None:
        self.game, self.dice = Clue(rounds), dice or Random(1)
        self.position = self.game.start(seats, self.dice)
        if dealt is not None:
            self.position = self.position._replace(envelope=dealt.envelope, hands=dealt.hands)
        self._hearings = [Hearing(seat) for seat in range(seats)]

    @property
    def due(self) -> tuple[int | None, Stage]:
        """Who is asked for what."""
        return self.game.turn(self.position), self.position.asked

    def news(self) -> dict[int, list[Message]]:
        """Return each seat's messages since the last time, without seats that got none."""
        everything = {each.seat: each.news(self.position) for each in self._hearings}
        return {
            seat: news
            for seat, news in everything.items()
            if news and seat not in self.position.gone
        }

    def answer(self, *answers: Answer) -> dict[int, list[Message]]:
        """Let whoever is asked give these answers; what is told after the last one."""
        for answer in answers:
            self.news()
            move = format_move(self.position.asked, answer)
            self.position = self.game.play(self.position, move, self.dice).position
        return self.news()

    def drop(self, seat: int) -> dict[int, list[Message]]:
        """Let somebody go."""
        dropped = self.game.drop(self.position, seat)
        assert dropped is not None
        self.position = dropped.position
        return self.news()

    def play(self, players: Sequence[Hears] | Mapping[int, Hears]) -> list[tuple[int, Message]]:
        """Play to the end; what everybody was told."""
        everything: list[tuple[int, Message]] = []
        news = self.news()
        while True:
            said: list[Answer] = []
            for seat, messages in news.items():
                everything += [(seat, message) for message in messages]
                answers = [players[seat].respond(message) for message in messages]
                said += [answer for answer in answers if answer is not None]
            if self.position.asked == "over":
                return everything
            [answer] = said
            news = self.answer(answer)


def some_deal(seed: int) -> tuple[Deal, Random]:
    """Return a deal, and the dice that dealt it."""
    dice = Random(seed)
    return Deal(*deal(dice)), dice


def learn(seed: int, turns: int, seat: int = 0) -> tuple[Deduction, Triple, list[int]]:
    """Return a seat's knowledge after random suggestions, the truth, and all holders' cards."""
    dealt, dice = some_deal(seed)
    known = Deduction(seat, dealt.hands[seat])
    for turn in range(turns):
        suggester, asked = turn % SEATS, Triple(*(dice.choice(kind) for kind in KINDS))
        shower = disprover(dealt.hands, suggester, asked)
        known.suggestion(suggester, asked, shower)
        if shower is not None and suggester == seat:
            known.has_one(shower, [min(dealt.hands[shower] & set(asked))])
    truth = [*map(as_cards, dealt.hands), as_cards(dealt.envelope)]
    return known, dealt.envelope, truth


class Eights(Random):
    """Dice that always show four."""

    def randint(self, a: int, b: int) -> int:
        return 4
