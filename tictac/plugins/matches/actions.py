"""The commands of `tictac matches` except the analysis: each prints its result."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, TextIO

from tictac.archive.checking import VETS, check
from tictac.archive.match import EXPORTS, BadMatch, Match, dump_match, load_match
from tictac.archive.pages import Filter, Summary
from tictac.archive.reader import read_filter
from tictac.archive.tables import MatchTables
from tictac.errors import NoSuchMatch, SetupError, visible
from tictac.games.all import GAMES
from tictac.plugins.matches.match_text import frames, moves_of, spell_end, spell_players, spell_time
from tictac.plugins.matches.stepping import go_through
from tictac.storage.databases import opened
from tictac.storage.files import write_anew
from tictac.terminal.style import style_for

EVERYTHING = Filter(private=True)

PAGE = 100
"""Matches that are read at a time."""


def list_all(args: argparse.Namespace) -> None:
    """List matches, the newest first."""
    with opened(args.database, create=False) as database:
        for summary in islice(_found(MatchTables(database), _filter(args)), args.limit or None):
            print(_line(summary))


def _found(matches: MatchTables, wanted: Filter) -> Iterator[Summary]:
    """Yield all matches of a filter, the last to end first."""
    page = matches.find(wanted, None, PAGE)
    yield from page.matches
    while page.cursor is not None:
        page = matches.find(wanted, page.cursor, PAGE)
        yield from page.matches


def _line(summary: Summary) -> str:
    names = spell_players(summary)
    end = spell_end(names, summary.ending, summary.winner, summary.aborted)
    who = " against ".join(names)
    marks = [word for word, so in (("private", summary.private), ("rated", summary.rated)) if so]
    game = f"{summary.game} ({', '.join(marks)})" if marks else summary.game
    return f"{summary.id}  {spell_time(summary.ended)}  {game}  {who}: {end}"


def show(args: argparse.Namespace) -> None:
    """Print the board after each move."""
    print("\n\n".join("\n".join(lines) for lines in _frames(args)))


def replay(args: argparse.Namespace) -> None:
    """Step through a match at a terminal; elsewhere, print all of it."""
    if sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        go_through(_frames(args), sys.stdin.fileno(), lambda text: print(text, end="", flush=True))
    else:
        show(args)


def _frames(args: argparse.Namespace) -> list[list[str]]:
    with opened(args.database, create=False) as database:
        match = MatchTables(database).get(args.id)
    if match is None:
        raise NoSuchMatch(f"there is no match '{visible(args.id)}'")
    seat = None
    if args.player is not None:
        names = [player.name for player in match.players]
        if args.player not in names:
            raise NoSuchMatch(f"'{visible(args.player)}' didn't play match {args.id}")
        seat = names.index(args.player)
    if match.game not in GAMES:
        return [moves_of(match)]
    try:
        return list(frames(match, style_for(sys.stdout.isatty(), os.environ), seat))
    except BadMatch as error:
        raise SetupError(str(error)) from None


def export(args: argparse.Namespace) -> None:
    """Write matches to a file, the oldest first."""
    wanted = _filter(args)
    with opened(args.database, create=False) as database:
        chosen = _chosen(MatchTables(database), wanted)
        lines = (text for match in chosen for text in _text(match, args.format))
        if args.file == "-":
            sys.stdout.writelines(lines)
        else:
            number = write_anew(Path(args.file), partial(_write, lines), args.database)
            print(f"Exported {_matches(number)} to {args.file}.")


def _text(match: Match, suffix: str | None) -> list[str]:
    """Return a match as text; nothing if its game has no such format."""
    if suffix is None:
        return [dump_match(match) + "\n"]
    export = EXPORTS.load(f"{match.game}.{suffix}")
    try:
        return ["".join(export.write(match))] if export and export.write else []
    except BadMatch as error:
        raise SetupError(str(error)) from None


def _write(lines: Iterable[str], file: TextIO) -> int:
    return sum(1 for line in lines if file.write(line))


def _chosen(matches: MatchTables, wanted: Filter) -> Iterator[Match]:
    """Yield all matches of a filter, the oldest first."""
    if wanted == EVERYTHING:
        yield from matches.all()
        return
    for summary in reversed(list(_found(matches, wanted))):
        if (match := matches.get(summary.id)) is not None:
            yield match


def import_file(args: argparse.Namespace) -> None:
    """Add the matches of a file, but none that ends the process that replays. Raises SetupError."""
    try:
        with _open(args.file) as file:
            # First with the database closed, because a server would have to wait for it.
            refused = dict[str, str]()
            with ExitStack() as ends:
                vets = [ends.enter_context(vet()) for _, vet in VETS.all()]
                look = partial(_look, vets, refused)
                number = sum(each.id not in refused for each in _read(file, args.file, look))
            file.seek(0)
            with opened(args.database, names_new=True) as database:
                sound = (each for each in _read(file, args.file) if each.id not in refused)
                new = MatchTables(database).add_all(sound)
    except OSError as error:
        raise SetupError(f"{args.file} can't be read: {error.strerror}") from None
    there = number - new
    known = f"; {_matches(there)} {'was' if there == 1 else 'were'} there already" if there else ""
    print(f"Imported {_matches(new)}{known}.")
    if refused:
        reasons = "; ".join(f"{match_id}: {why}" for match_id, why in refused.items())
        raise SetupError(f"{_matches(len(refused))} can't be imported: {reasons}")


def _look(vets: Iterable[Callable[[Match], str]], refused: dict[str, str], match: Match) -> None:
    """Check a match here, unless its replay could end this process: then add it to ``refused``."""
    for vet in vets:
        if why := vet(match):
            refused[match.id] = why
            return
    check(match)


def _open(path: str) -> BinaryIO:
    """Return a file that can be read twice."""
    if path != "-":
        return Path(path).open("rb")
    kept = TemporaryFile()  # noqa: SIM115 -- the caller closes it
    shutil.copyfileobj(sys.stdin.buffer, kept)
    kept.seek(0)
    return kept


def _read(
    file: BinaryIO, path: str, check: Callable[[Match], None] | None = None
) -> Iterator[Match]:
    """Yield the matches of a file. Raises SetupError, which names the line, for a bad one."""
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            match = load_match(_decoded(line))
            if check is not None:
                check(match)
        except BadMatch as error:
            raise SetupError(f"{path}, line {number}: {error}; nothing is imported") from None
        yield match


def _decoded(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise BadMatch("no match: it isn't UTF-8") from None


def _filter(args: argparse.Namespace) -> Filter:
    return read_filter(vars(args))._replace(private=True, group=args.group)


def _matches(number: int) -> str:
    return f"{number} match" if number == 1 else f"{number} matches"
