"""The messages and answers of Clue: bytes to values and back, without state.

A message of the server is two lines: its name and its data. An answer is one line. The module
writes data strictly and reads it leniently. Source: clue.md, "Messages".
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tictac.errors import NotAMove
from tictac.plugins.clue.game.board import State, as_place
from tictac.plugins.clue.game.cards import NAMES, ROOMS, Card, Triple, as_triple, read_card
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
from tictac.plugins.clue.game.position import CHOICES, NOTHING, Answer, Stage

DEFAULT_PORT = 7000
"""The port of a server, if a client is given none."""

LONGEST_LINE = 1024
"""Maximum length of a line in bytes, without its end; a longer line is illegal."""

LONGEST_NAME = 64


_WORD = re.compile(r"[()]|[!-'*-~]+")
_TEXT = re.compile(r"[ \t!-~]*")

_NAME, _TOKEN, _NUMBER = r"[^() ]+", "[0-5]", r"(?:\d|[1-9]\d)"
_CARDS = rf"{_NAME} {_NAME} {_NAME}"
_PLACE = rf"\((?:{_NUMBER} {_NUMBER}|[{''.join(ROOMS)}] [SV])\)"
_STATE = rf"\({_PLACE}(?: {_PLACE}){{5}}\)"

_ANSWERS = {
    "turn": ("", f"({'|'.join(CHOICES)})", "roll, no-roll, or accuse"),
    "move": ("go ", rf"\((\S V|{_NUMBER} {_NUMBER})\)", "a cell or a room"),
    "suggest": ("suggest ", rf"\(({_CARDS})\)", "a player, a weapon, and a room"),
    "accuse": ("accuse ", rf"\(({_CARDS})\)", "a player, a weapon, and a room"),
    "show": ("show ", f"({_NAME})", "a card"),
}
"""For each stage: the beginning of the move, the form of the answer, and its name for people."""


def tidy(line: bytes) -> str:
    """Return ``line`` with single blanks between words and none inside parentheses.

    Raises :class:`~tictac.errors.NotAMove` if the line isn't text.
    """
    text = line.rstrip(b"\r\n").decode("ascii", "replace")
    if len(text) > LONGEST_LINE or not _TEXT.fullmatch(text):
        raise NotAMove(f"{text!r:.60} isn't a word or a list in parentheses")
    return " ".join(_WORD.findall(text)).replace("( ", "(").replace(" )", ")")


def is_blank(line: bytes) -> bool:
    """Return whether a line is blank, and therefore ignored."""
    return not line.strip(b" \t\r\n")


# Server


def format_message(message: Message, *, pairs: bool = True) -> bytes:
    """Return the two lines of a message.

    ``pairs`` is False in the mini-game and with ``--unrevised-counter``, where a counter has only
    a card.
    """
    match message:
        case Hello(token, hand):
            text = f"hello\n{token if hand is None else _data((token, _names(hand)))}\n"
        case Counter(card, shower):
            name = NOTHING if card is None else NAMES[card]
            text = f"counter\n{_data((name, shower)) if pairs else name}\n"
        case Moved(state, mover, triple, disprover):
            text = f"moved\n{_data((state, mover, triple and _names(triple), disprover))}\n"
        case Turn(state):
            text = f"turn\n{_data(state)}\n"
        case Rolled(steps):
            text = f"rolled\n{steps}\n"
        case AskSuggestion() | AskAccusation():
            text = "suggest\n?\n" if isinstance(message, AskSuggestion) else "accuse\n?\n"
        case Wrong():
            text = "wrong\n!\n"
    return text.encode("ascii")


def read_move(asked: Stage, line: bytes) -> str:
    """Return an answer as a move, whose legality the game checks.

    Raises :class:`~tictac.errors.NotAMove`.
    """
    verb, shape, what = _ANSWERS[asked]
    text = tidy(line)
    found = re.fullmatch(shape, text)
    if found is None:
        raise NotAMove(f"{text!r:.60} isn't {what}")
    return verb + found[1].removesuffix(" V")


def read_name(line: bytes) -> str:
    """Return the name in a client's first line: 1 to 64 printable characters.

    Raises :class:`~tictac.errors.NotAMove`.
    """
    try:
        name = line.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise NotAMove("a name that isn't UTF-8") from error
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise NotAMove(f"{name!r:.80} isn't a name")
    return name


def _data(data: object) -> str:
    if isinstance(data, tuple):
        return f"({' '.join(map(_data, data))})"
    return NOTHING if data is None else str(data)


def _names(cards: tuple[Card, ...]) -> tuple[str, ...]:
    return tuple(NAMES[card] for card in cards)


# Client


def read_message(name: bytes, data: bytes) -> Message:
    """Return the message of these two lines. Raises :class:`~tictac.errors.NotAMove`."""
    shape, make = _MESSAGES.get(tidy(name), ("", Wrong))
    found = re.fullmatch(shape, tidy(data)) if shape else None
    try:
        if found is not None:
            return make(*found.groups())
    except ValueError:
        pass  # A message can't have such cards.
    raise NotAMove(f"{data!r:.80} can't follow {tidy(name)}")


def begins_message(line: bytes) -> bool:
    """Return whether a message can begin with this line."""
    return line.strip().decode("latin-1") in _MESSAGES


def format_answer(answer: Answer) -> bytes:
    """Return the line of an answer."""
    match answer:
        case int():
            text = NAMES[answer]
        case Triple():
            text = _data(_names(answer))
        case _:
            text = _data(answer)
    return f"{text}\n".encode("ascii")


def _hello(alone: str, token: str, cards: str) -> Hello:
    if alone:
        return Hello(int(alone), None)
    hand = tuple(map(read_card, cards.split(" ")))
    if len(set(hand)) < len(hand):
        raise ValueError("the same card twice")
    return Hello(int(token), hand)


def _counter(alone: str, card: str, shower: str) -> Counter:
    if alone == NOTHING or not (alone or card):
        return Counter(None, None)
    return Counter(read_card(alone or card), int(shower) if shower else None)


def _moved(state: str, mover: str, cards: str, disprover: str) -> Moved:
    triple = as_triple(map(read_card, cards.split(" "))) if cards else None
    return Moved(_state(state), int(mover), triple, int(disprover) if disprover else None)


def _state(text: str) -> State:
    return tuple(as_place(*place.split(" ")) for place in re.findall(r"\(([^()]+)\)", text))


_MESSAGES: dict[str, tuple[str, Callable[..., Message]]] = {
    "hello": (rf"({_TOKEN})|\(({_TOKEN}) \(({_CARDS})\)\)", _hello),
    "turn": (rf"({_STATE})", lambda state: Turn(_state(state))),
    "rolled": ("(0|[2-9]|1[0-2])", lambda steps: Rolled(int(steps))),
    "suggest": (r"\?", AskSuggestion),
    "accuse": (r"\?", AskAccusation),
    "counter": (rf"({_NAME})|\((?:({_NAME}) ({_TOKEN})|- -)\)", _counter),
    "moved": (rf"\(({_STATE}) ({_TOKEN}) (?:- -|\(({_CARDS})\) (?:-|({_TOKEN})))\)", _moved),
    "wrong": ("!", Wrong),
}
"""For each name of a message: the form of its data, and a function of the groups found in it."""
