"""Messages and answers of Clue: bytes to values and back. Holds no state.

A message of the server is two lines, its name and its data; an answer is one line. Data is strict
where it is written, lenient where it is read. Source: clue.md, "Messages".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import cast

from tictac.errors import NotAMove
from tictac.games.clue.board import Cell, InRoom, Place, State
from tictac.games.clue.cards import HAND, NAMES, ROOMS, SEATS, Card, Triple, as_triple, read_card
from tictac.games.clue.messages import (
    Answer,
    AskAccusation,
    Asked,
    AskSuggestion,
    Choice,
    Counter,
    Hello,
    Message,
    Moved,
    Rolled,
    Turn,
    Wrong,
)

Data = str | tuple["Data", ...]
"""A word, or what a pair of parentheses holds."""

LONGEST_LINE = 1024
"""Bytes of a line without its end: what is longer is illegal."""

DEEPEST = 3
"""Parentheses in parentheses that any message has; more of them are refused."""

_TOKEN = re.compile(r"[()]|[!-'*-~]+")
_TEXT = re.compile(r"[ \t!-~]*")

CHOICES = ("roll", "no-roll", "accuse")
NOBODY = "-"
ROLLS = (0, *range(2, 13))
LONGEST_NAME = 64


def parse_data(text: str) -> Data:
    """The one word or pair of parentheses in ``text``.

    Raises :class:`~tictac.errors.NotAMove` for anything else.
    """
    if len(text) > LONGEST_LINE or not _TEXT.fullmatch(text):
        raise _unreadable(text)
    open_: list[list[Data]] = [[]]
    for word in _TOKEN.findall(text):
        if word == "(" and len(open_) <= DEEPEST:
            open_.append([])
        elif word == "(" or (word == ")" and len(open_) == 1):
            raise _unreadable(text)
        elif word == ")":
            inner = open_.pop()
            open_[-1].append(tuple(inner))
        else:
            open_[-1].append(word)
    if len(open_) != 1 or len(open_[0]) != 1:
        raise _unreadable(text)
    return open_[0][0]


def format_data(data: Data) -> str:
    """``data`` with single blanks between words and none inside parentheses."""
    if isinstance(data, str):
        return data
    return f"({' '.join(map(format_data, data))})"


def _unreadable(text: str) -> NotAMove:
    return NotAMove(f"{text!r:.60} isn't a word or a list in parentheses")


def write_message(message: Message, *, pairs: bool = True) -> bytes:
    """The two lines of a message.

    ``pairs`` is False for the mini-game and for ``--unrevised-counter``, where a counter is
    a card alone.
    """
    name, data = _name_and_data(message, pairs)
    return f"{name}\n{format_data(data)}\n".encode("ascii")


def read_message(name: bytes, data: bytes) -> Message:
    """The message of these two lines. Raises :class:`~tictac.errors.NotAMove`."""
    check_message_name(name)
    word = _text(name).strip()
    try:
        return _READERS[word](parse_data(_text(data)))
    except ValueError as error:
        raise NotAMove(f"{word} {_text(data)!r:.80}: {error}") from error


def check_message_name(line: bytes) -> None:
    """Raise :class:`~tictac.errors.NotAMove` unless a message may begin with this line."""
    word = parse_data(_text(line))
    if not isinstance(word, str) or word not in _READERS:
        raise NotAMove(f"{word!r:.40} is no message")


def show_message(message: Message) -> str:
    """A message in one line, for a person."""
    return write_message(message).decode("ascii").replace("\n", " ").rstrip()


def write_answer(answer: Answer) -> bytes:
    """The line of an answer."""
    if isinstance(answer, Triple):
        data = _cards_data(answer)
    elif isinstance(answer, tuple):
        data = _place_data(answer)
    else:
        data = NAMES[answer] if isinstance(answer, int) else answer
    return format_data(data).encode("ascii") + b"\n"


def read_answer(asked: Asked, line: bytes) -> Answer:
    """The answer in ``line``, to what was asked. Raises :class:`~tictac.errors.NotAMove`."""
    data = parse_data(_text(line))
    try:
        return _ANSWERS[asked](data)
    except ValueError as error:
        raise NotAMove(str(error)) from error


def read_name(line: bytes) -> str:
    """The name in a client's first line: 1 to 64 printable characters.

    Raises :class:`~tictac.errors.NotAMove`.
    """
    try:
        name = line.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise NotAMove("a name that isn't UTF-8") from error
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise NotAMove(f"{name!r:.80} is no name")
    return name


def is_blank(line: bytes) -> bool:
    """Whether a line has nothing on it, and is ignored."""
    return not line.strip(b" \t\r\n")


def read_place(data: Data) -> Place:
    """A cell, or a room with its flag. Raises ValueError."""
    match data:
        case (str(down), str(right)) if down in _NUMBERS and right in _NUMBERS:
            return Cell(_NUMBERS[down], _NUMBERS[right])
        case (str(room), "S" | "V" as flag) if room in ROOMS:
            return InRoom(room, flag)
    raise ValueError(f"{format_data(data)!r:.40} is no place")


def format_state(state: State) -> str:
    """A board state as it is on the wire."""
    return format_data(_state_data(state))


_NUMBERS = {str(number): number for number in range(100)}


def _text(line: bytes) -> str:
    # What isn't ASCII becomes a character that no word may have.
    return line.rstrip(b"\r\n").decode("ascii", "replace")


# Writing


def _name_and_data(message: Message, pairs: bool) -> tuple[str, Data]:
    match message:
        case Hello(token, None):
            return "hello", str(token)
        case Hello(token, hand):
            return "hello", (str(token), _cards_data(hand or ()))
        case Turn(state):
            return "turn", _state_data(state)
        case Rolled(steps):
            return "rolled", str(steps)
        case AskSuggestion():
            return "suggest", "?"
        case AskAccusation():
            return "accuse", "?"
        case Counter(card, shower):
            element = _or_nobody(None if card is None else NAMES[card])
            return "counter", (element, _or_nobody(shower)) if pairs else element
        case Wrong():
            return "wrong", "!"
        case Moved(state, mover, suggestion, disprover):
            what = _or_nobody(suggestion and _cards_data(suggestion))
            return "moved", (_state_data(state), str(mover), what, _or_nobody(disprover))


def _or_nobody(thing: Data | int | None) -> Data:
    if thing is None:
        return NOBODY
    return str(thing) if isinstance(thing, int) else thing


def _cards_data(cards: Iterable[Card]) -> Data:
    return tuple(NAMES[card] for card in cards)


def _place_data(place: Place) -> Data:
    return (str(place[0]), str(place[1]))


def _state_data(state: State) -> Data:
    return tuple(map(_place_data, state))


# Reading: each takes data and raises ValueError


def _word(data: Data) -> str:
    if not isinstance(data, str):
        raise ValueError(f"{format_data(data)!r:.40} isn't a word")
    return data


def _list(data: Data, size: int) -> tuple[Data, ...]:
    if isinstance(data, str) or len(data) != size:
        raise ValueError(f"{format_data(data)!r:.40} isn't a list of {size}")
    return data


def _read_token(data: Data) -> int:
    number = _NUMBERS.get(_word(data), SEATS)
    if number >= SEATS:
        raise ValueError(f"{_word(data)!r:.40} is no token")
    return number


def _read_card(data: Data) -> Card:
    return read_card(_word(data))


def _read_triple(data: Data) -> Triple:
    return as_triple(map(_read_card, _list(data, 3)))


def _read_goal(data: Data) -> Place:
    place = read_place(data)
    if place[1] == "S":
        raise ValueError("only a suggestion leads to a room with S")
    return place


def _read_state(data: Data) -> State:
    return tuple(map(read_place, _list(data, SEATS)))


def _read_choice(data: Data) -> Choice:
    if data not in CHOICES:
        raise ValueError(f"{format_data(data)!r:.40} isn't roll, no-roll or accuse")
    return cast(Choice, data)


def _read_hello(data: Data) -> Hello:
    if isinstance(data, str):
        return Hello(_read_token(data), None)
    token, cards = _list(data, 2)
    hand = tuple(map(_read_card, _list(cards, HAND)))
    if len(set(hand)) != HAND:
        raise ValueError("the same card twice")
    return Hello(_read_token(token), hand)


def _read_rolled(data: Data) -> Rolled:
    steps = _NUMBERS.get(_word(data), 1)
    if steps not in ROLLS:
        raise ValueError("no roll of two dice")
    return Rolled(steps)


def _read_counter(data: Data) -> Counter:
    if isinstance(data, str):
        return Counter(None if data == NOBODY else _read_card(data), None)
    card, shower = _list(data, 2)
    if (card == NOBODY) != (shower == NOBODY):
        raise ValueError("a card and its holder go together")
    return Counter(None, None) if card == NOBODY else Counter(_read_card(card), _read_token(shower))


def _read_moved(data: Data) -> Moved:
    state, mover, what, who = _list(data, 4)
    suggestion = None if what == NOBODY else _read_triple(what)
    disprover = None if who == NOBODY else _read_token(who)
    if suggestion is None and disprover is not None:
        raise ValueError("nothing to disprove")
    return Moved(_read_state(state), _read_token(mover), suggestion, disprover)


def _expect(word: str, message: Message) -> Callable[[Data], Message]:
    def read(data: Data) -> Message:
        if data != word:
            raise ValueError(f"not {word}")
        return message

    return read


_READERS: dict[str, Callable[[Data], Message]] = {
    "hello": _read_hello,
    "turn": lambda data: Turn(_read_state(data)),
    "rolled": _read_rolled,
    "suggest": _expect("?", AskSuggestion()),
    "accuse": _expect("?", AskAccusation()),
    "counter": _read_counter,
    "moved": _read_moved,
    "wrong": _expect("!", Wrong()),
}

_ANSWERS: dict[Asked, Callable[[Data], Answer]] = {
    "turn": _read_choice,
    "move": _read_goal,
    "suggest": _read_triple,
    "accuse": _read_triple,
    "show": _read_card,
}
