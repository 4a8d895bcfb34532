"""The sentences of a game."""

from __future__ import annotations

import pytest

from tests.plugins.clue.helpers import BOARD, cards, state, triple
from tictac.plugins.clue.event_text import (
    describe,
    describe_answer,
    describe_end,
    describe_envelope,
)
from tictac.plugins.clue.game.board import Cell, InRoom
from tictac.plugins.clue.game.messages import (
    AskAccusation,
    AskSuggestion,
    Counter,
    Hello,
    Message,
    Moved,
    Rolled,
    Turn,
    Wrong,
)
from tictac.plugins.clue.game.position import Answer
from tictac.plugins.clue.match import SeatState

START = BOARD.starts
THERE = state(t1="(U V)", t5="(U S)")
ASKED = triple("5 rope U")


def said(message: Message, mini: bool = False) -> str:
    match = SeatState(BOARD)
    match.observe(Hello(0, None if mini else (3, 9, 18)))
    return describe(message, match, START)


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (Hello(0, (3, 9, 18)), "You are Scarlet. Your cards: Green, rope, conservatory."),
        (Turn(START), ""),
        (Rolled(7), "You roll 7."),
        (Rolled(0), ""),
        (AskSuggestion(), ""),
        (Moved(START, 1, None, None), "Mustard stays at (24 17)."),
        (Moved(state(t1="(23 17)"), 1, None, None), "Mustard goes to (23 17)."),
        (Moved(state(t1="(U V)"), 1, None, None), "Mustard goes to the lounge."),
        (
            Moved(THERE, 1, ASKED, 3),
            "Mustard suggests Plum with the rope in the lounge: Green shows a card.",
        ),
        (
            Moved(THERE, 1, ASKED, 0),
            "Mustard suggests Plum with the rope in the lounge: you must disprove it.",
        ),
        (
            Moved(THERE, 1, ASKED, None),
            "Mustard suggests Plum with the rope in the lounge: no one can disprove it!",
        ),
        (Counter(9, 3), "Green shows you the rope."),
        (Counter(5, 3), "Green shows you Plum."),
        (Counter(14, None), "A player shows you the lounge."),
        (Counter(None, None), "No one can disprove it."),
        (Wrong(), "That was wrong: you have no more turns, but you still show your cards."),
    ],
)
def test_what_the_server_says(message: Message, sentence: str) -> None:
    assert said(message) == sentence


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (Hello(3, None), "You are Green, alone, and without cards: each counter is true."),
        (Counter(9, None), "The rope is wrong."),
        (Counter(5, None), "It isn't Plum."),
        (Counter(None, None), "All three are right!"),
        (Wrong(), ""),
    ],
)
def test_what_it_says_in_the_mini_game(message: Message, sentence: str) -> None:
    assert said(message, mini=True) == sentence


def test_staying_in_a_room_after_having_been_pulled_there() -> None:
    match = SeatState(BOARD)
    match.observe(Hello(0, (3, 9, 18)))
    before, after = state(t1="(U S)"), state(t1="(U V)")
    assert describe(Moved(after, 1, None, None), match, before) == "Mustard stays in the lounge."


@pytest.mark.parametrize(
    ("left", "sentence"),
    [
        ("5 2|rope|D", "In the envelope: rope, dining room; the player was White or Plum."),
        ("5|rope|D", "In the envelope: Plum, rope, dining room."),
        ("0 1 2 3|rope knife|H S", "The weapon was knife or rope; the room was study or hall."),
        (
            "0 1 2 3|rope knife pipe wrench|H S U D",
            "Your notes don't show what was in the envelope.",
        ),
    ],
)
def test_what_the_notes_prove(left: str, sentence: str) -> None:
    assert describe_envelope([sorted(cards(kind)) for kind in left.split("|")]) == sentence


def test_the_end() -> None:
    match = SeatState(BOARD)
    match.observe(Hello(0, None))
    assert describe_end("won", match) == ["You have won!"]
    assert describe_end("lost", match) == [
        "That was wrong. You have lost.", "Your notes don't show what was in the envelope.",
    ]  # fmt: skip
    assert len(describe_end("over", match)) == 2, "in the own turn nobody else accused"


@pytest.mark.parametrize(
    ("message", "answer", "sentence"),
    [
        (Turn(START), "roll", ""),
        (Rolled(8), InRoom("U", "V"), "You go to the lounge."),
        (Rolled(8), Cell(17, 16), "You go to (17 16)."),
        (AskSuggestion(), ASKED, "You suggest Plum with the rope in the lounge."),
        (AskAccusation(), ASKED, "You accuse: Plum with the rope in the lounge."),
        (Moved(THERE, 1, ASKED, 0), 9, "You show the rope."),
    ],
)
def test_what_is_answered(message: Message, answer: Answer, sentence: str) -> None:
    assert describe_answer(message, answer) == sentence
