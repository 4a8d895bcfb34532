"""The folder of a game's page: files that all games share, and its own picture and texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources.abc import Traversable
from io import BytesIO
from math import sqrt
from typing import IO, Any

COLORS = {
    "black": "#23282d", "white": "#fbf8f0", "red": "#cc3a2a", "blue": "#2f61cf", "green": "#2f8a4c",
    "yellow": "#f2c336", "arrow": "#4b5563", "x": "#2150b8", "o": "#c0401c",
}  # fmt: skip
GROUNDS = {
    "checks": "#8f663c", "lines": "#e2bd7c", "mills": "#e2bd7c", "dots": "#f0e6cf",
    "points": "#2d6b4d",
}  # fmt: skip

DISCS = {str(seat): (seat, "") for seat in range(3)}
"""The signs of icons."""

FIGURES = {
    "pawn": "♟\ufe0e", "knight": "♞", "bishop": "♝", "rook": "♜", "queen": "♛", "king": "♚",
    "cross": "✕", "ring": "◯",
}  # fmt: skip
"""Figures that stand on a board without a disc. The pawn's sign isn't to be an emoji."""


class File:
    """A file that exists only in memory (Traversable)."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self._data = text.encode()

    def is_file(self) -> bool:
        """Return True."""
        return True

    def is_dir(self) -> bool:
        """Return False."""
        return False

    def open(self, mode: str = "rb", *args: Any, **kwargs: Any) -> IO[bytes]:
        """Return the bytes."""
        return BytesIO(self._data)


class Folder:
    """The files of a folder, with others of that name in memory in their places (Traversable).

    ``own`` makes these when the folder is read, which only a server with a page does.
    """

    def __init__(self, shared: Traversable, own: Callable[[], Sequence[File | Folder]]) -> None:
        self.name, self._shared, self._own = shared.name, shared, own

    def is_file(self) -> bool:
        """Return False."""
        return False

    def is_dir(self) -> bool:
        """Return True."""
        return True

    def iterdir(self) -> Iterator[Any]:
        """Iterate over the files and folders."""
        own = self._own()
        names = {each.name for each in own}
        yield from (each for each in self._shared.iterdir() if each.name not in names)
        yield from own


def draw(
    shape: str, rows: Sequence[Sequence[str]], figure: str, stones: tuple[str, ...],
    signs: Mapping[str, tuple[int, str]] = DISCS,
) -> str:  # fmt: skip
    """Draw a board of rows of cells with ``signs`` (boards.Board); a ``figure`` lies on top."""
    width, height = max(map(len, rows)), len(rows)
    step = sqrt(3) / 2 if shape in ("hexes", "slant") else 1
    parts = []
    for y, row in enumerate(rows):
        bent = y / 2 if shape == "slant" else (width - len(row)) / 2 if shape == "hexes" else 0
        for x, sign in enumerate(row):
            if sign == "_":
                continue
            at = 10 * (x + bent) + 5, 10 * y * step + 5
            parts += _ground(shape, x, y, at, sign)
            if sign in signs and shape != "dots":
                seat, look = signs[sign]
                parts += _piece(at, COLORS.get(stones[seat], "#777777"), look)
    if figure:
        size = 9 * height
        parts.append(
            f'<text x="{5 * width}" y="{5 * height + size * 0.34}" font-size="{size}" '
            'fill="#fffdf6" '
            f'stroke="#23282d" stroke-width="1.2" text-anchor="middle">{figure}</text>'
        )
    wide = 10 * (width + (height / 2 - 0.5 if shape == "slant" else 0))
    box = f"-2 -2 {wide + 4} {10 * ((height - 1) * step + 1) + 4}"
    color = GROUNDS.get(shape, "#d9c7a0")
    under = f'<rect x="-2" y="-2" width="100%" height="100%" rx="4" fill="{color}"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">{under}{"".join(parts)}</svg>'


def _piece(at: tuple[float, float], color: str, look: str) -> list[str]:
    """Draw a figure of chess, or a disc with or without a text."""
    line = "#23282d" if color != COLORS["black"] else "#fbf8f0"
    said = FIGURES.get(look, "♛" if look == "crown" else look)
    is_bare = look in FIGURES
    disc = [] if is_bare else [_circle(at, 4.1, color, "#000000aa")]
    fill = f'fill="{color}" stroke="{line}" stroke-width=".35"' if is_bare else f'fill="{line}"'
    size = 9 if is_bare else 5.5 - len(said) / 2
    text = (
        f'<text x="{at[0]}" y="{at[1] + size * 0.35:.2f}" font-size="{size}" {fill} '
        f'text-anchor="middle">{said}</text>'
    )
    return [*disc, text] if said else disc


def _ground(shape: str, x: int, y: int, at: tuple[float, float], sign: str) -> list[str]:
    left, top = at[0] - 5, at[1] - 5
    if shape == "checks":
        color = "#b98b5e" if (x + y) % 2 else "#efdcb9"
        return [f'<rect x="{left}" y="{top}" width="10" height="10" fill="{color}"/>']
    if shape in ("lines", "mills"):
        return [
            f'<path d="M{left} {at[1]}h10M{at[0]} {top}v10" stroke="#5b4220" stroke-width=".6"/>'
        ]
    if shape in ("hexes", "slant"):
        return [_circle(at, 4.7, "#f0e6cf", "#9b8c6e")]
    if shape == "dots":
        color = {"0": "#8fb0ee", "1": "#f0a493"}.get(sign, "#f0e6cf")
        box = f'<rect x="{left}" y="{top}" width="10" height="10" fill="{color}" stroke="#2b2f35"/>'
        return [box, _circle((left, top), 1, "#2b2f35", "none")]
    if shape == "points":
        foot, color = (top, "#e6d3ab") if y == 0 else (top + 10, "#a3482f")
        tip = foot + 14 if y == 0 else foot - 14
        return [f'<path d="M{left} {foot}h10L{at[0]} {tip}z" fill="{color}"/>']
    return [
        f'<rect x="{left + 0.4}" y="{top + 0.4}" width="9.2" height="9.2" rx="1" fill="#f0e6cf"/>'
    ]


def _circle(at: tuple[float, float], r: float, fill: str, line: str) -> str:
    look = f'fill="{fill}" stroke="{line}" stroke-width=".6"'
    return f'<circle cx="{at[0]}" cy="{at[1]:.2f}" r="{r}" {look}/>'
