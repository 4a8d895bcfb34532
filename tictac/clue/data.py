"""The parenthesized data of Clue's messages: text to nested tuples of words, and back.

Strict in what it writes, lenient in what it reads: any blanks around words and parentheses.
"""

from __future__ import annotations

import re

from tictac.errors import NotAMove

Data = str | tuple["Data", ...]
"""A word, or what a pair of parentheses holds."""

LONGEST_LINE = 1024
"""Bytes of a line without its end: what is longer is illegal."""

DEEPEST = 3
"""Parentheses in parentheses that any message has; more of them are refused."""

_TOKEN = re.compile(r"[()]|[!-'*-~]+")
_TEXT = re.compile(r"[ \t!-~]*")


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
