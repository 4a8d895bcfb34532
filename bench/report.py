"""Shared code of the benchmarks: options, ratios, tables, and exit statuses."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from bench.servers import BenchError, raise_open_files
from bench.wire import UnexpectedAnswerError


class Reach:
    """A target of tictac, with which a figure is compared."""

    def __init__(self, text: str, limit: float, *, least: bool = False) -> None:
        self.text = text
        self.limit = limit
        self.least = least

    def tell(self, figure: float) -> None:
        """Print how the figure compares with the target."""
        holds = figure >= self.limit if self.least else figure <= self.limit
        bound = "at least" if self.least else "at most"
        word = "holds" if holds else "DOES NOT HOLD"
        print(f"reach: {self.text} {bound} {self.limit:g}: {figure:.2f}, {word}")


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the median of the rounds' ratios: a disturbance affects both values of a round."""
    return median(a / b for a, b in zip(ours, theirs, strict=True))


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns that are as wide as their widest cell."""
    columns = zip(header, *rows, strict=True)
    made = Rows(*header, widths=[max(map(len, column)) for column in columns])
    for row in rows:
        made.add(*row)


class Rows:
    """A table whose rows are printed as they come.

    The first column is aligned to the left, the others to the right. ``widths`` are those of the
    first columns; each of the others is as wide as its head.
    """

    def __init__(self, *header: str, widths: Sequence[int]) -> None:
        self._widths = [*widths, *map(len, header[len(widths) :])]
        self.add(*header)
        self.add(*("-" * width for width in self._widths))

    def add(self, *cells: str) -> None:
        """Print a row."""
        (first, width), *others = zip(cells, self._widths, strict=True)
        print(
            "  ".join([first.ljust(width), *(cell.rjust(wide) for cell, wide in others)]),
            flush=True,
        )


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least ``share`` of all values don't exceed."""
    return sorted(values)[int(share * (len(values) - 1))]


def parser(description: str | None, **defaults: tuple[float, float]) -> argparse.ArgumentParser:
    """Make a parser of options with two defaults each: the usual one, and one for ``--quick``."""
    made = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    made.add_argument("--quick", action="store_true", help="a few seconds, and less exact")
    for name, (usual, quick) in defaults.items():
        made.add_argument(
            f"--{name.replace('_', '-')}",
            type=type(usual),
            metavar="N",
            help=f"{usual:g}, with --quick {quick:g}",
        )
    made.set_defaults(two=defaults)
    return made


def read(made: argparse.ArgumentParser, arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options, with the effective default for each that is missing."""
    options = made.parse_args(arguments)
    for name, (usual, quick) in options.two.items():
        if getattr(options, name) is None:
            setattr(options, name, quick if options.quick else usual)
    return options


class Machine:
    """The processor time that other programs use, which makes figures differ."""

    def __init__(self) -> None:
        self._begin = self._look()

    def tell(self) -> None:
        """Print the processor time of other programs since this object was made."""
        seconds, busy, stolen, own = (
            after - before for after, before in zip(self._look(), self._begin, strict=True)
        )
        others = max(0.0, busy - own) / seconds
        print(
            f"meanwhile other programs used {others:.2f} of {os.cpu_count()} cores, and "
            f"{stolen / seconds:.2f} were missing altogether"
        )

    def _look(self) -> tuple[float, float, float, float]:
        """Return the time, and processor seconds: used by all, stolen, used by this run."""
        first = Path("/proc/stat").read_text().partition("\n")[0].split()
        user, nice, system, _, _, _, _, stolen = (
            int(ticks) / os.sysconf("SC_CLK_TCK") for ticks in first[1:9]
        )
        own = os.times()
        return time.monotonic(), user + nice + system, stolen, sum(own[:4])


def run(main: Callable[[], None]) -> None:
    """Run a command; print an error as one line on standard error, and exit with status 1."""
    raise_open_files()
    machine = Machine()
    try:
        main()
        machine.tell()
    except (BenchError, UnexpectedAnswerError, OSError, subprocess.SubprocessError) as error:
        sys.exit(f"Error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
