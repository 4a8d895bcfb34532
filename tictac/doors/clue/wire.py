"""Messages and answers of Clue: bytes to values and back. Holds no state.

A message of the server is two lines, its name and its data; an answer is one line. Data is strict
where it is written, lenient where it is read. Source: clue.md, "Messages".
"""

from __future__ import annotations

import re

from tictac.errors import NotAMove
from tictac.games.clue.board import Cell, InRoom, State
from tictac.games.clue.cards import NAMES, ROOMS, Card, Triple, as_triple, read_card
from tictac.games.clue.messages import (
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
from tictac.games.clue.position import CHOICES, NOTHING, Answer, Stage

LONGEST_LINE = 1024
"""Bytes of a line without its end: what is longer is illegal."""

LONGEST_NAME = 64

_WORD = re.compile(r"[()]|[!-'*-~]+")
_TEXT = re.compile(r"[ \t!-~]*")

_NAME, _TOKEN, _NUMBER = r"[^() ]+", "[0-5]", r"(?:\d|[1-9]\d)"
_CARDS = rf"{_NAME} {_NAME} {_NAME}"
_PLACE = rf"\((?:{_NUMBER} {_NUMBER}|[{''.join(ROOMS)}] [SV])\)"
_STATE = rf"\({_PLACE}(?: {_PLACE}){{5}}\)"

_MESSAGES = {
    "hello": rf"({_TOKEN})|\(({_TOKEN}) \(({_CARDS})\)\)",
    "turn": rf"({_STATE})",
    "rolled": "(0|[2-9]|1[0-2])",
    "suggest": r"\?",
    "accuse": r"\?",
    "counter": rf"({_NAME})|\(({_NAME}) ({_TOKEN}|-)\)",
    "moved": rf"\(({_STATE}) ({_TOKEN}) (?:-|\(({_CARDS})\)) (?:-|({_TOKEN}))\)",
    "wrong": "!",
}
_ANSWERS = {
    "turn": ("", f"({'|'.join(CHOICES)})", "roll, no-roll or accuse"),
    "move": ("go ", rf"\((\S V|{_NUMBER} {_NUMBER})\)", "a cell or a room"),
    "suggest": ("suggest ", rf"\(({_CARDS})\)", "a player, a weapon and a room"),
    "accuse": ("accuse ", rf"\(({_CARDS})\)", "a player, a weapon and a room"),
    "show": ("show ", f"({_NAME})", "a card"),
}
"""For what is asked: how the move begins, what of the answer follows, and what that is."""


def tidy(line: bytes) -> str:
    """``line`` with single blanks between words and none inside parentheses.

    Raises :class:`~tictac.errors.NotAMove` for what is no text.
    """
    text = line.rstrip(b"\r\n").decode("ascii", "replace")
    if len(text) > LONGEST_LINE or not _TEXT.fullmatch(text):
        raise NotAMove(f"{text!r:.60} isn't a word or a list in parentheses")
    return " ".join(_WORD.findall(text)).replace("( ", "(").replace(" )", ")")


def is_blank(line: bytes) -> bool:
    """Whether a line has nothing on it, and is ignored."""
    return not line.strip(b" \t\r\n")


# The server's side


def write_message(message: Message, *, pairs: bool = True) -> bytes:
    """Write the two lines of a message.

    ``pairs`` is False for the mini-game and for ``--unrevised-counter``, where a counter is
    a card alone.
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
        case AskSuggestion():
            text = "suggest\n?\n"
        case AskAccusation():
            text = "accuse\n?\n"
        case Wrong():
            text = "wrong\n!\n"
    return text.encode("ascii")


def read_move(asked: Stage, line: bytes) -> str:
    """Read an answer as a move of the game, which still judges it.

    Raises :class:`~tictac.errors.NotAMove`.
    """
    verb, shape, what = _ANSWERS[asked]
    text = tidy(line)
    found = re.fullmatch(shape, text)
    if found is None:
        raise NotAMove(f"{text!r:.60} isn't {what}")
    return verb + found[1].removesuffix(" V")


def read_name(line: bytes) -> str:
    """Read the name in a client's first line: 1 to 64 printable characters.

    Raises :class:`~tictac.errors.NotAMove`.
    """
    try:
        name = line.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise NotAMove("a name that isn't UTF-8") from error
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise NotAMove(f"{name!r:.80} is no name")
    return name


def _data(data: object) -> str:
    if isinstance(data, tuple):
        return f"({' '.join(map(_data, data))})"
    return NOTHING if data is None else str(data)


def _names(cards: tuple[Card, ...]) -> tuple[str, ...]:
    return tuple(NAMES[card] for card in cards)


# The client's side


def read_message(name: bytes, data: bytes) -> Message:
    """Read the message of these two lines. Raises :class:`~tictac.errors.NotAMove`."""
    check_message_name(name)
    word, text = tidy(name), tidy(data)
    found = re.fullmatch(_MESSAGES[word], text)
    if found is None:
        raise NotAMove(f"{text!r:.80} can't follow {word}")
    try:
        return _message(word, *found.groups())
    except ValueError as error:
        raise NotAMove(f"{word} {text!r:.80}: {error}") from error


def check_message_name(line: bytes) -> None:
    """Raise :class:`~tictac.errors.NotAMove` unless a message may begin with this line."""
    word = tidy(line)
    if word not in _MESSAGES:
        raise NotAMove(f"{word!r:.40} is no message")


def write_answer(answer: Answer) -> bytes:
    """Write the line of an answer."""
    match answer:
        case int():
            text = NAMES[answer]
        case Triple():
            text = _data(_names(answer))
        case _:
            text = _data(answer)
    return f"{text}\n".encode("ascii")


def _message(word: str, *found: str | None) -> Message:
    """The message of what was found in its data. Raises ValueError."""
    match word, found:
        case "hello", (str(token), *_):
            return Hello(int(token), None)
        case "hello", (_, str(token), str(cards)):
            hand = tuple(map(read_card, cards.split(" ")))
            if len(set(hand)) < len(hand):
                raise ValueError("the same card twice")
            return Hello(int(token), hand)
        case "turn", (str(state),):
            return Turn(_state(state))
        case "rolled", (str(steps),):
            return Rolled(int(steps))
        case "counter", ("-", *_) | (_, "-", "-"):
            return Counter(None, None)
        case "counter", (str(card), *_):
            return Counter(read_card(card), None)
        case "counter", (_, str(card), str(shower)):
            return Counter(read_card(card), int(shower))
        case "moved", (str(state), str(mover), None, None):
            return Moved(_state(state), int(mover), None, None)
        case "moved", (str(state), str(mover), str(cards), disprover):
            triple = as_triple(map(read_card, cards.split(" ")))
            who = None if disprover is None else int(disprover)
            return Moved(_state(state), int(mover), triple, who)
        case "moved", _:
            raise ValueError("nothing to disprove")
    if word == "wrong":
        return Wrong()
    return AskSuggestion() if word == "suggest" else AskAccusation()


def _state(text: str) -> State:
    found = (place.split(" ") for place in re.findall(r"\(([^()]+)\)", text))
    return tuple(
        InRoom(one, "S" if other == "S" else "V") if one in ROOMS else Cell(int(one), int(other))
        for one, other in found
    )
