"""Matches as PNG and animated GIF, drawn by Pillow, which the extra ``pictures`` installs.

A cell is drawn once for each sign; a position is the ground with these sprites. It has the places
and colors of the SVG (icons.py), and letters in place of signs that the font of Pillow lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from io import BytesIO
from math import sqrt

from PIL import Image, ImageDraw, ImageFont

from tictac.archive.match import BadMatch, Match
from tictac_openspiel.adapter import Spiel
from tictac_openspiel.boards import Board
from tictac_openspiel.icons import COLORS, FIGURES, GROUNDS, outline
from tictac_openspiel.raster_tables import PAINTERS

WIDEST = 400
"""Pixels of the longer side, about."""

FINE = 4
"""Everything is drawn so many times larger, and then reduced, for smooth edges."""

MOST_FRAMES = 200
"""A longer match shows each second position, or fewer."""

A_FRAME, LAST_FRAME = 600, 3000
"""Milliseconds."""

LAST = "#ffd84d"

Grid = Sequence[Sequence[str]]

Paint = Callable[[str, "str | None"], Image.Image]
"""``paint(text, before)``: a position, in which what differs from the one before is marked."""


def positions(match: Match) -> tuple[Board, list[str]]:
    """Return the board, and the texts of all positions that were kept. Raises BadMatch."""
    game = match.the_game()
    assert isinstance(game, Spiel)
    board = game.entry.board
    try:
        kept = [game.load(match.start)]
    except ValueError as error:
        raise BadMatch(f"match {match.id}: {error}") from None
    for event, _, move, after in match.replay():
        if event.fields[0] == "undone":
            del kept[-event.fields[2] :]
        elif move is not None:
            kept.append(after)
    return board, [position.text for position in kept]


def painter_for(board: Board, text: str) -> Paint:
    """Return what paints the positions of a match that began with ``text``."""
    if board.shape in PAINTERS:
        return partial(PAINTERS[board.shape], board)
    painter, grid = Painter(board, board.grid(text)), board.grid
    return lambda text, before: painter.paint(grid(text), grid(before) if before else None)


class Painter:
    """Draws the cells of one board."""

    def __init__(self, board: Board, grid: Grid) -> None:
        self._board = board
        self._is_hex = board.shape in ("hexes", "slant")
        width, height = max(map(len, grid)), len(grid)
        self._widest = width
        self._bent = (height - 1) / 2 if board.shape == "slant" else 0
        self._step = sqrt(3) / 2 if self._is_hex else 1
        self._cell = max(16, min(48, int(WIDEST / max(width + self._bent, height))))
        self._size = (
            round(self._cell * (width + self._bent + 0.4)),
            round(self._cell * ((height - 1) * self._step + 1.4)),
        )
        self._ground = self._draw_ground(grid)
        self._sprites: dict[str, Image.Image] = {}

    def paint(self, grid: Grid, before: Grid | None = None) -> Image.Image:
        """Return a position; cells that differ from the one before are marked."""
        picture = self._ground.copy()
        pen = ImageDraw.Draw(picture)
        cell = self._cell
        for y, row in enumerate(grid):
            for x, sign in enumerate(row):
                left, top = self._corner(x, y, len(row))
                is_new = before is not None and before[y][x] != sign
                if is_new and self._board.shape in ("checks", "plain"):
                    pen.rectangle((left + 1, top + 1, left + cell - 2, top + cell - 2), LAST)
                if sign in self._board.signs:
                    sprite = self._sprite(sign)
                    picture.paste(sprite, (round(left), round(top)), sprite)
                if is_new and self._board.shape not in ("checks", "plain"):
                    dot = (left + cell * 0.38, top + cell * 0.38)
                    pen.ellipse((*dot, dot[0] + cell * 0.24, dot[1] + cell * 0.24), LAST, "#5c4300")
        return picture

    def _corner(self, x: int, y: int, length: int) -> tuple[float, float]:
        shape = self._board.shape
        bent = y / 2 if shape == "slant" else (self._widest - length) / 2 * self._is_hex
        return self._cell * (x + bent + 0.2), self._cell * (y * self._step + 0.2)

    def _draw_ground(self, grid: Grid) -> Image.Image:
        shape, cell = self._board.shape, self._cell * FINE
        color = GROUNDS.get(shape, "#d9c7a0")
        picture = Image.new("RGB", (self._size[0] * FINE, self._size[1] * FINE), color)
        pen = ImageDraw.Draw(picture)
        for y, row in enumerate(grid):
            for x, sign in enumerate(row):
                if sign == "_":
                    continue
                left, top = (FINE * each for each in self._corner(x, y, len(row)))
                right, low, half = left + cell, top + cell, cell / 2
                if shape == "checks":
                    square = "#b98b5e" if (x + y) % 2 else "#efdcb9"
                    pen.rectangle((left, top, right, low), square)
                elif shape == "lines":
                    line = cell // 16
                    pen.line((left, top + half, right, top + half), "#5b4220", line)
                    pen.line((left + half, top, left + half, low), "#5b4220", line)
                elif self._is_hex:
                    gap = cell * 0.03
                    box = (left + gap, top + gap, right - gap, low - gap)
                    pen.ellipse(box, "#f0e6cf", "#9b8c6e", cell // 20)
                else:
                    gap = cell * 0.04
                    box = (left + gap, top + gap, right - gap, low - gap)
                    pen.rounded_rectangle(box, cell * 0.1, "#f0e6cf")
        return picture.resize(self._size, Image.Resampling.LANCZOS)

    def _sprite(self, sign: str) -> Image.Image:
        if sign not in self._sprites:
            self._sprites[sign] = self._draw_sprite(sign)
        return self._sprites[sign]

    def _draw_sprite(self, sign: str) -> Image.Image:
        cell = self._cell * FINE
        seat, look = self._board.signs[sign]
        stone = self._board.stones[seat]
        color = COLORS.get(stone, "#777777")
        line = COLORS["white"] if color == COLORS["black"] else COLORS["black"]
        picture = Image.new("RGBA", (cell, cell), (0, 0, 0, 0))
        pen = ImageDraw.Draw(picture)
        if look in ("cross", "ring"):
            low, high, wide = cell * 0.24, cell * 0.76, cell // 9
            if look == "ring":
                pen.ellipse((low, low, high, high), None, color, wide)
            else:
                pen.line((low, low, high, high), color, wide)
                pen.line((low, high, high, low), color, wide)
        elif look in FIGURES:
            for shape in outline(look, cell):
                pen.polygon(shape, color, line, max(1, cell // 45))
        else:
            gap = cell * 0.09
            pen.ellipse((gap, gap, cell - gap, cell - gap), color, "#000000", cell // 40)
            if look:
                said = "K" if look == "crown" else look if len(look) < 3 else sign.upper()
                font = ImageFont.load_default(cell * (0.5 if len(said) < 2 else 0.36))
                pen.text((cell / 2, cell / 2), said, line, font, anchor="mm")
        return picture.resize((self._cell, self._cell), Image.Resampling.LANCZOS)


def draw_png(match: Match) -> bytes:
    """Return the last position as PNG. Raises BadMatch."""
    board, texts = positions(match)
    data = BytesIO()
    before = texts[-2] if len(texts) > 1 else None
    painter_for(board, texts[0])(texts[-1], before).save(data, "PNG", optimize=True)
    return data.getvalue()


def draw_gif(match: Match) -> bytes:
    """Return all positions as an animated GIF, which stands still at the end. Raises BadMatch."""
    board, texts = positions(match)
    every = -(-len(texts) // MOST_FRAMES)
    shown = [*range(0, len(texts) - 1, every), len(texts) - 1]
    paint = painter_for(board, texts[0])

    def frames() -> Iterator[Image.Image]:
        for at in shown:
            yield paint(texts[at], texts[at - 1] if at else None)

    # One palette for all: what is in the middle and at the end has all colors.
    first, middle = paint(texts[0], None), len(texts) // 2
    both = Image.new("RGB", (first.width, 2 * first.height))
    both.paste(paint(texts[middle], texts[middle - 1] if middle else None), (0, 0))
    both.paste(first, (0, both.height // 2))
    palette = both.quantize(64)
    drawn = (each.quantize(palette=palette, dither=Image.Dither.NONE) for each in frames())
    head, *rest = drawn
    data = BytesIO()
    times = [*[A_FRAME] * len(rest), LAST_FRAME]
    head.save(data, "GIF", save_all=True, append_images=rest, duration=times, loop=0)
    return data.getvalue()
