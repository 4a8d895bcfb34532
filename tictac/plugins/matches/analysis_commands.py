"""`tictac matches judge` and `ratings`: the analysis of a match, and the best players."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator

from tictac import analysis
from tictac.analysis import Analysis, EvaluatedMove
from tictac.archive.checking import check
from tictac.archive.match import BadMatch, Match
from tictac.archive.tables import MatchTables
from tictac.characters import characters
from tictac.engines.worker import AnalysisJob
from tictac.errors import NoSuchMatch, SetupError
from tictac.games.all import game_type_of
from tictac.plugins.matches.match_text import spell_players
from tictac.ratings.tables import RatingTables
from tictac.storage.databases import opened
from tictac.terminal.style import visible

EVERYBODY = 10**9
"""More players than any database has."""


def judge(args: argparse.Namespace) -> None:
    """Print the analysis of a match, the saved one if there is one."""
    with opened(args.database, create=False) as database:
        matches = MatchTables(database)
        match, kept = matches.get(args.id), matches.judgement(args.id)
    if match is None:
        raise NoSuchMatch(f"there is no match '{visible(args.id)}'")
    found = analysis.load(kept) if kept else None
    if found is None:
        # With the database closed, because a server would have to wait for it.
        try:
            check(match)
        except BadMatch as error:
            raise SetupError(str(error)) from None
        found = AnalysisJob.of(match).judge(time.monotonic)
        with opened(args.database, create=False) as database:
            MatchTables(database).keep_judgement(args.id, analysis.dump(found))
    print("\n".join(_lines(match, found)))


def _lines(match: Match, found: Analysis) -> Iterator[str]:
    names = spell_players(match)
    text_view = game_type_of(match.game).text_view(match.options)
    spelled = [visible(text_view.recorded(move.move)) for move in found.moves]
    widths = max(map(len, names)), max(map(len, spelled), default=0)
    for move, made in zip(found.moves, spelled, strict=True):
        made, name = made.ljust(widths[1]), names[move.seat].ljust(widths[0])
        best = visible(text_view.spell(move.best))
        yield f"{move.number + 1:3}  {name}  {made}  {_describe(move, best)}"
    for seat, (name, accuracy) in enumerate(zip(names, found.accuracy, strict=True)):
        if accuracy is not None:
            verdicts = Counter(move.verdict for move in found.moves if move.seat == seat)
            counts = ", ".join(f"{word} {verdicts[word]}" for word in analysis.VERDICTS)
            yield f"{name}: accuracy {accuracy:.1f} %; {counts}"


def _describe(move: EvaluatedMove, best: str) -> str:
    worth = f"{move.before:.2f}"
    if move.verdict != "best":
        worth += f" to {move.after:.2f}, best was {best}"
    return f"{move.verdict}, {worth}" + (f"; {visible(move.note)}" if move.note else "")


def ratings(args: argparse.Namespace) -> None:
    """Print the best players of a game, and the levels of the computer."""
    game = game_type_of(args.game).name
    with opened(args.database, create=False) as database:
        leaders = RatingTables(database).leaders(game, args.limit or EVERYBODY, args.group)
    width = max([len(visible(each.player)) for each in leaders], default=0)
    for each in leaders:
        matches = "1 match" if each.matches == 1 else f"{each.matches} matches"
        rating = f"{each.rating.rating:.0f}{'?' if each.rating.provisional else ''}"
        text = f"{rating}, deviation {each.rating.deviation:.0f}, {matches}"
        print(f"{each.rank:3}  {visible(each.player).ljust(width)}  {text}")
    levels = game_type_of(game).levels
    for name, level in zip(characters(levels), levels, strict=True):
        if level in game_type_of(game).ratings:
            print(f"     {name} (computer, {level}): {game_type_of(game).ratings[level]}")
