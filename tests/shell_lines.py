"""The commands of tictac in lines of a shell, as documents show them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path


def read(line: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of each command of tictac in a line of a shell, without redirections."""
    lexer = shlex.shlex(line.removeprefix("$ "), posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, "#"
    try:
        words = [*lexer]
    except ValueError:
        return  # a quotation mark of a sentence
    command: list[str] = []
    for word in [*words, ";"]:
        if set(word) <= set("();|&"):
            yield from _of_tictac(command)
            command = []
        else:
            command.append(word)


def _of_tictac(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    names = [Path(word).name for word in words]
    if names[:2] in (["docker", "run"], ["docker", "exec"]) and "tictac" in names:
        last = len(names) - names[::-1].index("tictac") - 1  # before it is the image's name
        words, names = words[last:], names[last:]
    program = next((name for name in names if name in ("tictac", "twistd")), None)
    before = " ".join(words[: names.index(program)] if program else ())
    if program is None or not re.fullmatch(r"((sudo( -u \w+)?|\w+=\S*) ?)*", before):
        return  # as in journalctl -u tictac
    rest = [*words[names.index(program) + 1 :]]
    ends = [n for n, word in enumerate(rest) if set(word) <= set("<>")]
    rest = rest[: ends[0]] if ends else rest
    if rest and not re.search(r"[\[\]…]|\.\.\.", " ".join(rest)):
        yield (program, *rest)
