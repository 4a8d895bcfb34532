"""Pictures of matches: the last position, or a GIF of all; as SVG, of boards with cells in rows."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from tictac.archive.match import BadMatch, Export, Match
from tictac_openspiel.adapter import Spiel
from tictac_openspiel.catalogue_of_tables import ENTRIES
from tictac_openspiel.icons import draw
from tictac_openspiel.records import called, day

SHAPES = "checks", "lines", "plain", "hexes", "slant"
"""The shapes of such boards."""

NAMES = tuple(entry.name for entry in ENTRIES if entry.board.shape in SHAPES)
"""The games that have an SVG."""


def write_svg(match: Match) -> Iterator[str]:
    """Yield the picture, with the players as its title. Raises BadMatch."""
    game = match.the_game()
    assert isinstance(game, Spiel)
    try:
        position = game.load(match.start)
    except ValueError as error:
        raise BadMatch(f"match {match.id}: {error}") from None
    for played in match.replay():
        position = played.position
        yield ""
    board = game.entry.board
    players = " and ".join(map(called, match.players))
    title = f"{game.entry.title}: {players}, {day(match, '-')}"
    picture = draw(board.shape, board.grid(position.text), board.stones, board.signs)
    head, end, rest = picture.partition(">")
    yield f'{head} role="img"{end}<title>{escape(title)}</title>{rest}\n'


SVG = Export("image/svg+xml", write_svg)


def draw_png(match: Match) -> bytes:
    """Return the last position as PNG. Raises BadMatch."""
    from tictac_openspiel import raster  # and Pillow, in the process that draws

    return raster.draw_png(match)


def draw_gif(match: Match) -> bytes:
    """Return all positions as an animated GIF. Raises BadMatch."""
    from tictac_openspiel import raster

    return raster.draw_gif(match)


PNG = Export("image/png", None, draw_png)
GIF = Export("image/gif", None, draw_gif)
