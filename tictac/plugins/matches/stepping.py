"""Step through a match at a terminal, one key for each step."""

from __future__ import annotations

import os
import re
import select
import signal
import termios
import tty
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

_CLEAR, _OTHER_SCREEN, _BACK = "\x1b[H\x1b[2J", "\x1b[?1049h", "\x1b[?1049l"

_KEY = re.compile(r"\x1b[\[O][0-9;]*[A-Za-z~]|.", re.DOTALL)

HELP = "next, back, first, last, quit: their first letters, or the arrow keys"

_KEYS = {
    "next": ("n", " ", "\r", "\n", "\x1b[C", "\x1b[B", "\x1bOC", "\x1bOB"),
    "back": ("b", "\x7f", "\b", "\x1b[D", "\x1b[A", "\x1bOD", "\x1bOA"),
    "first": ("f", "\x1b[H", "\x1bOH", "\x1b[1~"),
    "last": ("l", "\x1b[F", "\x1bOF", "\x1b[4~"),
    "quit": ("q", "Q", "\x1b", "\x04", ""),
}
_MEANING = {key: name for name, keys in _KEYS.items() for key in keys}


def keys_in(read: str) -> list[str]:
    """Return the pressed keys; an empty one at the end of the input."""
    return _KEY.findall(read) or [""]


def step(at: int, key: str, last: int) -> int | None:
    """Return the frame after ``at`` for a key; None to quit."""
    match _MEANING.get(key):
        case "next":
            return min(at + 1, last)
        case "back":
            return max(at - 1, 0)
        case "first":
            return 0
        case "last":
            return last
        case "quit":
            return None
    return at


def go_through(
    frames: Sequence[Sequence[str]], keyboard: int, write: Callable[[str], object]
) -> None:
    """Show a frame, and another one at each key, until the user quits.

    ``keyboard`` is the descriptor of a terminal, whose mode is restored; ``write`` shows at once.
    """
    at, last = 0, len(frames) - 1
    write(_OTHER_SCREEN)
    try:
        with _single_keys(keyboard), _woken() as signals:
            while True:
                where = f"{at} of {last}: {HELP}"
                write(_CLEAR + "\n".join([*frames[at], "", where]) + "\n")
                # A signal that comes just before a read would wait for the next key.
                select.select([keyboard, signals], [], [])
                for key in keys_in(os.read(keyboard, 1024).decode("utf-8", "replace")):
                    then = step(at, key, last)
                    if then is None:
                        return
                    at = then
    finally:
        write(_BACK)


@contextmanager
def _single_keys(keyboard: int) -> Iterator[None]:
    before = termios.tcgetattr(keyboard)
    # Catch Ctrl-C, too, in case the parent process ignores it.
    handlers = {number: signal.signal(number, _exit) for number in (signal.SIGINT, signal.SIGTERM)}
    tty.setcbreak(keyboard)
    try:
        yield
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
        for number, handler in handlers.items():
            signal.signal(number, handler)


@contextmanager
def _woken() -> Iterator[int]:
    """Give a descriptor that is readable once a signal arrived."""
    near, far = os.pipe()
    os.set_blocking(far, False)
    before = signal.set_wakeup_fd(far)
    try:
        yield near
    finally:
        signal.set_wakeup_fd(before)
        os.close(near)
        os.close(far)


def _exit(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
