"""The progress of a tournament on standard error: a bar at a terminal, otherwise lines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from tictac.plugins.tournament.plan import Played
from tictac.plugins.tournament.running.runner import ResultCallback
from tictac.plugins.tournament.tournament import Tournament
from tictac.terminal.style import visible

LINES = 10
"""Number of lines that show the progress without a terminal."""


@contextmanager
def progress(
    tournament: Tournament, stream: TextIO, lines: bool = False
) -> Iterator[ResultCallback]:
    """Show the progress while the body runs; it calls the yielded function after each game.

    With ``lines``, a terminal shows lines, too, because other lines come between them.
    """
    if lines or not stream.isatty():
        yield _lines(tournament, stream)
        return
    from prompt_toolkit.input import create_pipe_input
    from prompt_toolkit.output.vt100 import Vt100_Output
    from prompt_toolkit.shortcuts import ProgressBar
    from prompt_toolkit.shortcuts.progress_bar import ProgressBarCounter

    # Typed characters stay for the shell, and Ctrl-C for the reactor.
    output = Vt100_Output.from_pty(stream)
    output.enable_cpr = False  # the answer of the terminal would stay unread
    with create_pipe_input() as nothing, ProgressBar(input=nothing, output=output) as bar:
        counter: ProgressBarCounter[object] = bar(total=tournament.total, remove_when_done=True)
        counter.items_completed = len(tournament.played)

        def told(played: Played) -> None:
            counter.total = tournament.total
            counter.label = _words(played)
            counter.item_completed()

        yield told
        counter.done = True


def _lines(tournament: Tournament, stream: TextIO) -> ResultCallback:
    shown = 0

    def told(played: Played) -> None:
        nonlocal shown
        done, total = len(tournament.played), tournament.total
        share = done * LINES // total if total else done // LINES
        if played.faults:
            print(f"Game {played.pairing.number}: {_words(played)}", file=stream)
        if share > shown:
            shown = share
            print(f"{done} of {total} games" if total else f"{done} games", file=stream)

    return told


def _words(played: Played) -> str:
    """Return a finished game in a few words."""
    words = f"{' against '.join(played.pairing.seats)}: {played.how}"
    return visible(f"{words} ({played.why})" if played.faults else words)
