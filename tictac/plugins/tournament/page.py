"""A tournament as an HTML page without other files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from html import escape
from string import Template
from urllib.parse import quote

from tictac.games.all import game_type_of
from tictac.plugins.tournament.plan import Played
from tictac.plugins.tournament.report import (
    Table,
    crosstable,
    faults_table,
    legend,
    number,
    standings_table,
    summary,
)
from tictac.plugins.tournament.tournament import Tournament

LATEST = 100
"""Maximum of games on the page of a running tournament, the latest first."""

_PAGE = Template("""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>$title</title>$script
<style>
:root { color-scheme: light dark; background: Canvas; color: CanvasText }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70em; margin: 1em auto; padding: 0 1em }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
caption { text-align: left; font-size: 1.2em; font-weight: bold; padding: .5em 0 }
th, td { padding: .2em .6em; text-align: right; white-space: nowrap;
  border-bottom: 1px solid #8888 }
th[scope=row] { position: sticky; left: 0; background: Canvas }
th[scope=row], .text, .games th, .games td { text-align: left }
td.text { white-space: normal }
</style>
<main>
<h1>$title</h1>
$summary
$under
$tables
<p>$legend</p>
<details><summary>$which</summary>
$games
</details>
</main>
</html>
""")


def as_html(
    tournament: Tournament,
    link: Callable[[str], str] | None = None,
    under: Sequence[tuple[str, str]] | None = None,
) -> str:
    """Return the page; ``link`` returns the address that shows a match of the archive.

    For a running tournament, ``under`` has an address and words for each running game. The page
    then shows the latest games only, and a script keeps the page up to date.
    """
    live, played = under is not None, tournament.played
    standings = tournament.standings()
    title = f"Tournament of {game_type_of(tournament.plan.game).title}"
    tables = [_table("Standings", standings_table(standings))]
    if across := crosstable(tournament, standings):
        tables.append(_table("Crosstable", across))
    if faults := faults_table(tournament, standings):
        tables.append(_table("Faults", faults))
    return _PAGE.substitute(
        title=escape(title),
        summary="\n".join(f"<p>{escape(line)}</p>" for line in summary(tournament)),
        tables="\n".join(tables),
        legend=escape(legend(standings)),
        script='<script src="/tournament.js" defer></script>' if live else "",
        under=_under(under or ()),
        which=f"The last {LATEST} games" if live and len(played) > LATEST else "All games",
        games=_games(played[: -LATEST - 1 : -1] if live else played, link),
    )


def _under(games: Sequence[tuple[str, str]]) -> str:
    links = ", ".join(
        f'<a href="{escape(quote(address))}">{escape(words)}</a>' for address, words in games
    )
    return f"<p>Under way: {links}</p>" if links else ""


def _table(caption: str, table: Table) -> str:
    rows = [
        "".join(
            f'<th scope="row">{escape(cell)}</th>'
            if column == 1
            else f"<td{_class(column in table.texts)}>{escape(cell)}</td>"
            for column, cell in enumerate(row)
        )
        for row in table.rows
    ]
    return _wide(caption, table.heads, rows, table.texts)


def _class(is_text: bool) -> str:
    return ' class="text"' if is_text else ""


def _games(games: Sequence[Played], link: Callable[[str], str] | None) -> str:
    heads = ("game", "round", "players", "score", "how", "reason", "match")
    rows = [_game(played, link) for played in games]
    return f'<div class="games">{_wide("Games", heads, rows)}</div>'


def _game(played: Played, link: Callable[[str], str] | None) -> str:
    match = escape(played.match or "")
    if match and link:
        match = f'<a href="{escape(link(played.match or ""))}">{match}</a>'
    cells = (
        str(played.pairing.number),
        str(played.pairing.round or ""),
        escape(", ".join(played.pairing.seats)),
        " : ".join(map(number, played.scores)),
        escape(played.how),
        escape(played.why),
        match,
    )
    return "".join(f"<td>{cell}</td>" for cell in cells)


def _wide(
    caption: str, heads: Sequence[str], rows: Sequence[str], texts: Collection[int] = ()
) -> str:
    """Return a table that scrolls sideways on a phone, also by keys."""
    head = "".join(
        f'<th scope="col"{_class(column in texts)}>{escape(each)}</th>'
        for column, each in enumerate(heads)
    )
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{caption}">\n'
        f"<table><caption>{caption}</caption>\n<thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody></table></div>"
    )
