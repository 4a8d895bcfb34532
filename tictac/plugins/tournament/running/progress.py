"""The progress of a tournament on standard error: a bar at a terminal, otherwise lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from tictac.plugins.tournament.cup import Cup
from tictac.plugins.tournament.plan import Played
from tictac.plugins.tournament.tally import played, total
from tictac.terminal.style import visible

Shown = Callable[[Cup], object]
"""A function that gets the tournament after each change."""

LINES = 10
"""Number of progress lines in a whole tournament, if the output isn't a terminal."""


@contextmanager
def progress(cup: Cup, stream: TextIO) -> Iterator[Shown]:
    """Show the progress while the body runs; it calls the yielded function after each change."""
    if not stream.isatty():
        yield _lines(cup, stream)
        return
    from prompt_toolkit.input import create_pipe_input
    from prompt_toolkit.output.vt100 import Vt100_Output
    from prompt_toolkit.shortcuts import ProgressBar
    from prompt_toolkit.shortcuts.progress_bar import ProgressBarCounter

    # The bar must not read the terminal: the shell gets typed characters, and the reactor Ctrl-C.
    output = Vt100_Output.from_pty(stream)
    output.enable_cpr = False  # the bar couldn't read the terminal's answer
    with create_pipe_input() as nothing, ProgressBar(input=nothing, output=output) as bar:
        counter: ProgressBarCounter[object] = bar(total=total(cup), remove_when_done=True)
        counter.items_completed = len(cup.order)

        def shown(cup: Cup) -> None:
            counter.total = total(cup)
            for each in _since(cup, counter.items_completed):
                counter.label = _words(each)
                counter.item_completed()

        yield shown
        counter.done = True


def _since(cup: Cup, count: int) -> list[Played]:
    return [played(cup, cup.games[number]) for number in cup.order[count:]]


def _lines(cup: Cup, stream: TextIO) -> Shown:
    done, share = len(cup.order), 0

    def shown(cup: Cup) -> None:
        nonlocal done, share
        games = total(cup)
        for each in _since(cup, done):
            done += 1
            if each.faults:
                print(f"Game {each.number}: {_words(each)}", file=stream)
            now = done * LINES // games if games else done // LINES
            if now > share:
                share = now
                print(f"{done} of {games} games" if games else f"{done} games", file=stream)

    return shown


def _words(played: Played) -> str:
    """Return a finished game in a few words."""
    words = f"{' against '.join(played.seats)}: {played.how}"
    return visible(f"{words} ({played.why})" if played.faults else words)
