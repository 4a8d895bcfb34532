"""The Connect Four protocol in bytes: the conversion of lines to values and back, without state.

A line is the text before its end, without stray carriage returns or blanks at either end.
Source: connect-four.md, "The conversation".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast

from tictac.plugins.games.connectfour.rules import DROP, LARGEST, POP, SMALLEST, Move

DEFAULT_PORT = 4444
"""The port of public servers, and of a server if a client is given none."""

MAX_LINE = 256
"""Maximum length of a line in bytes, without its end."""

END = b"\r\n"
"""The end of each line that is sent."""

READY: Literal["READY"] = "READY"
OKAY: Literal["OKAY"] = "OKAY"
INVALID: Literal["INVALID"] = "INVALID"
WINNER_RED: Literal["WINNER_RED"] = "WINNER_RED"
WINNER_YELLOW: Literal["WINNER_YELLOW"] = "WINNER_YELLOW"

Word = Literal["READY", "OKAY", "INVALID", "WINNER_RED", "WINNER_YELLOW"]
"""An answer that is only its verb."""


@dataclass(frozen=True, slots=True)
class Hello:
    """The request with the user's name, which isn't empty and has no white space."""

    user: str

    def __str__(self) -> str:
        return f"I32CFSP_HELLO {self.user}"


@dataclass(frozen=True, slots=True)
class NewGame:
    """The request ``AI_GAME``, or ``AI_GAME <columns> <rows>`` for a board that isn't 7 by 6."""

    columns: int = 7
    rows: int = 6

    def __str__(self) -> str:
        # The usual size is left out, because the source knows only that form.
        plain = (self.columns, self.rows) == (7, 6)
        return "AI_GAME" if plain else f"AI_GAME {self.columns} {self.rows}"


@dataclass(frozen=True, slots=True)
class Welcome:
    """The answer to the name."""

    user: str

    def __str__(self) -> str:
        return f"WELCOME {self.user}"


Request = Hello | NewGame | Move
Answer = Welcome | Word | Move

_WORDS = frozenset((READY, OKAY, INVALID, WINNER_RED, WINNER_YELLOW))
_NAME = r"\S+"
_HELLO = re.compile(rf"I32CFSP_HELLO ({_NAME})")
_WELCOME = re.compile(rf"WELCOME ({_NAME})")
_NEW_GAME = re.compile(r"AI_GAME(?: ([0-9]+) ([0-9]+))?")
_MOVE = re.compile(r"(DROP|POP) (-?[0-9]+)")


def parse_request(line: bytes) -> Request | None:
    """Return the request in ``line``, or None if it isn't one; never raise an exception.

    A column can be one that no board has.
    """
    text = _text(line)
    if found := _HELLO.fullmatch(text):
        return Hello(found[1])
    if found := _NEW_GAME.fullmatch(text):
        return _new_game(found)
    return _move(text)


def parse_answer(line: bytes) -> Answer | None:
    """Return the answer in ``line``, or None if it isn't one; never raise an exception."""
    text = _text(line)
    if text in _WORDS:
        return cast(Word, text)
    if found := _WELCOME.fullmatch(text):
        return Welcome(found[1])
    return _move(text)


def format_line(message: Request | Answer) -> bytes:
    """Return the line for ``message``, without its end; the inverse of the two functions above."""
    return str(message).encode("utf-8", "surrogateescape")


def format_lines(*answers: Answer) -> bytes:
    """Return all of ``answers``, each with its end, to be sent in one write."""
    return b"".join(format_line(answer) + END for answer in answers)


def valid_name(name: str) -> bool:
    """Return whether ``name`` is a valid user name: no white space, and fits on a line."""
    named = re.fullmatch(_NAME, name) is not None
    return named and len(format_line(Hello(name))) <= MAX_LINE


def _new_game(found: re.Match[str]) -> NewGame | None:
    if found[1] is None:
        return NewGame()
    columns, rows = _number(found[1]), _number(found[2])
    fits = SMALLEST <= columns <= LARGEST and SMALLEST <= rows <= LARGEST
    return NewGame(columns, rows) if fits else None


def _move(text: str) -> Move | None:
    found = _MOVE.fullmatch(text)
    if found is None:
        return None
    return Move(DROP if found[1] == DROP else POP, _number(found[2]))


def _number(digits: str) -> int:
    # Python refuses to convert thousands of digits. Cut to the length of a line, the number is
    # still outside every board.
    return int(digits[:MAX_LINE])


def _text(line: bytes) -> str:
    # A name in another encoding must come back as the same bytes.
    return line.strip(b" \t\r").decode("utf-8", "surrogateescape")
