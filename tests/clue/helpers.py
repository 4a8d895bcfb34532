"""What the tests of Clue share: the map, short ways to write places and cards, and a runner."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from tictac.games.clue.board import Place, State, shipped_board
from tictac.games.clue.cards import Card, Deal, Triple, as_triple, deal, read_card
from tictac.clue.data import parse_data
from tictac.games.clue.messages import Answer, Event, Message, Over, Told
from tictac.games.clue.player import Hears
from tictac.clue.table import Table
from tictac.clue.wire import read_place

BOARD = shipped_board()


def places(text: str) -> tuple[Place, ...]:
    """The places in a list like ``((17 24) (U V))``."""
    data = parse_data(text)
    assert isinstance(data, tuple)
    return tuple(map(read_place, data))


def state(**moved: str) -> State:
    """The initial state, but for tokens like ``t3="(U V)"``."""
    where = list(BOARD.initial())
    for token, place in moved.items():
        where[int(token[1])] = read_place(parse_data(place))
    return tuple(where)


def cards(text: str) -> frozenset[Card]:
    """The cards in ``5 rope U``."""
    return frozenset(map(read_card, text.split()))


def triple(text: str) -> Triple:
    """The triple in ``5 rope U``."""
    return as_triple(map(read_card, text.split()))


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


def told(events: Iterable[Event], seat: int) -> list[Message]:
    """What one seat is told."""
    return [event.message for event in events if isinstance(event, Told) and event.seat == seat]


def play(game: Table, players: Sequence[Hears] | dict[int, Hears]) -> tuple[Over, list[Event]]:
    """Play a game to its end; its last event, and all of them."""
    events = game.start()
    seen: list[Event] = []
    while game.over is None:
        seen += events
        answers: list[tuple[int, Answer]] = []
        for event in events:
            assert isinstance(event, Told), event
            answer = players[event.seat].hear(event.message)
            if answer is not None:
                answers.append((event.seat, answer))
        assert len(answers) == 1
        assert game.due is not None and game.due.seat == answers[0][0]
        events = game.answer(*answers[0])
    return game.over, seen + events


def some_deal(seed: int) -> tuple[Deal, Random]:
    """A deal, and the dice that it was dealt with."""
    dice = Random(seed)
    return deal(dice), dice
