"""A tournament as an HTML page without other files."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape
from string import Template

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
from tictac.plugins.tournament.tally import Tally

_PAGE = Template("""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>$title</title>
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
$tables
<p>$legend</p>
<details><summary>All games</summary>
$games
</details>
</main>
</html>
""")


def as_html(tally: Tally) -> str:
    """Return the report of a tournament as an HTML page."""
    standings = tally.standings()
    title = f"Tournament of {game_type_of(tally.plan.game).title}"
    tables = [_table("Standings", standings_table(standings))]
    if across := crosstable(tally, standings):
        tables.append(_table("Crosstable", across))
    if faults := faults_table(tally, standings):
        tables.append(_table("Faults", faults))
    return _PAGE.substitute(
        title=escape(title),
        summary="\n".join(f"<p>{escape(line)}</p>" for line in summary(tally)),
        tables="\n".join(tables),
        legend=escape(legend(standings)),
        games=_games(tally.played),
    )


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


def _games(games: Sequence[Played]) -> str:
    heads = ("game", "round", "players", "score", "how", "reason", "match")
    rows = [_game(played) for played in games]
    return f'<div class="games">{_wide("Games", heads, rows)}</div>'


def _game(played: Played) -> str:
    cells = (
        str(played.number),
        str(played.round),
        ", ".join(played.seats),
        " : ".join(map(number, played.scores)),
        played.how,
        played.why,
        played.match or "",
    )
    return "".join(f"<td>{escape(cell)}</td>" for cell in cells)


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
