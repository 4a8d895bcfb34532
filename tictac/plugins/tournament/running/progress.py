"""How far a tournament is, on standard error: a bar at a terminal, otherwise some lines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from tictac.plugins.tournament.plan import Played
from tictac.plugins.tournament.running.runner import ResultCallback
from tictac.plugins.tournament.tournament import Tournament
from tictac.terminal.style import visible

LINES = 10
"""Lines that tell how far it is, where there is no terminal."""


@contextmanager
def progress(
    tournament: Tournament, stream: TextIO, lines: bool = False
) -> Iterator[ResultCallback]:
    """Show it while the body runs, which calls what it gets after each game; ``lines``: even at a
    terminal as lines, for there are others between."""
    if lines or not stream.isatty():
        yield _lines(tournament, stream)
        return
    from prompt_toolkit.input import create_pipe_input
    from prompt_toolkit.output.vt100 import Vt100_Output
    from prompt_toolkit.shortcuts import ProgressBar
    from prompt_toolkit.shortcuts.progress_bar import ProgressBarCounter

    # What is typed stays for the shell, and Ctrl-C for the reactor.
    output = Vt100_Output.from_pty(stream)
    output.enable_cpr = False  # nobody would read the answer
    with create_pipe_input() as nothing, ProgressBar(input=nothing, output=output) as bar:
        counter: ProgressBarCounter[object] = bar(total=tournament.total, remove_when_done=True)
        counter.items_completed = len(tournament.played)

        def told(played: Played, why: str) -> None:
            counter.total = tournament.total
            counter.label = _words(played, why)
            counter.item_completed()

        yield told
        counter.done = True


def _lines(tournament: Tournament, stream: TextIO) -> ResultCallback:
    shown = 0

    def told(played: Played, why: str) -> None:
        nonlocal shown
        done, total = len(tournament.played), tournament.total
        share = done * LINES // total if total else done // LINES
        if why:
            print(f"Game {played.pairing.number}: {_words(played, why)}", file=stream)
        if share > shown:
            shown = share
            print(f"{done} of {total} games" if total else f"{done} games", file=stream)

    return told


def _words(played: Played, why: str) -> str:
    """A game that has ended, in a few words."""
    words = f"{' against '.join(played.pairing.seats)}: {played.how}"
    return visible(f"{words} ({why})" if why else words)
