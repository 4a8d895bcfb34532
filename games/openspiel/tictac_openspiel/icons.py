"""The folder of a game's page: files that all games share, and its own picture and texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources.abc import Traversable
from io import BytesIO
from math import cos, sin, sqrt, tau
from typing import IO, Any

COLORS = {
    "black": "#23282d", "white": "#fbf8f0", "red": "#cc3a2a", "blue": "#2f61cf", "green": "#2f8a4c",
    "yellow": "#f2c336", "arrow": "#4b5563", "x": "#2150b8", "o": "#c0401c",
}  # fmt: skip
GROUNDS = {
    "checks": "#8f663c", "lines": "#e2bd7c", "mills": "#e2bd7c", "dots": "#f0e6cf",
    "points": "#2d6b4d",
}  # fmt: skip

DISCS = {str(seat): (seat, "") for seat in range(4)}
"""The signs of icons."""

SMALL_CIRCLE = tuple[float, float, float]

FIGURES: Mapping[str, tuple[tuple[str, ...], tuple[SMALL_CIRCLE, ...]]] = {
    "pawn": (("M13 39h19c0-7-4-9-5-15h-9c-1 6-5 8-5 15Z",), ((22.5, 15, 6.5),)),
    "rook": (
        ("M11.5 39h22v-4l-3.5-3V19l3.5-3V8h-5v3.5h-3.5V8h-5v3.5H16.5V8h-5v8l3.5 3v13l-3.5 3Z",),
        (),
    ),
    "bishop": (
        (
            "M12.5 39h20c0-4-2.5-5-4.5-8.5h-11c-2 3.5-4.5 4.5-4.5 8.5Z",
            "M22.5 10.5c-7.5 4.5-9.5 10.5-6.5 17h13c3-6.5 1-12.5-6.5-17Z",
        ),
        ((22.5, 8, 2.7),),
    ),
    "queen": (
        ("M12.5 39h20l-2.5-9h-15Z", "M9 14l6 15h15l6-15-7.5 7.5-1.5-11.5-4.5 10-4.5-10-1.5 11.5Z"),
        ((9, 13, 2.3), (18, 8.5, 2.3), (27, 8.5, 2.3), (36, 13, 2.3)),
    ),
    "king": (
        (
            "M12.5 39h20l-2-8.5h-16Z",
            "M22.5 21c-2.5-6-12.5-6-12.5 1.5 0 5 4 6 5 8.5h15c1-2.5 5-3.5 5-8.5"
            "C35 15 25 15 22.5 21Z",
            "M21 5h3v3h3v3h-3v5h-3v-5h-3V8h3Z",
        ),
        (),
    ),
    "knight": (
        (
            "M13 39h21c0-7-2.5-8-2.5-13.5C31.5 15 26.5 9.5 18 8l-1.5 4.5c-4.5 2-7 6.5-8.5 11 "
            ".8 3 3 3.8 5.2 3l4.5-2.2c1.5 0 2.2.8 1.5 2.2C17.7 29.5 13.8 31.5 13 39Z",
        ),
        (),
    ),
    "cross": ((), ()),
    "ring": ((), ()),
}
"""Figures that stand on a board without a disc, as page/pieces.js draws them, on 45 by 45: the
outlines as paths, and circles with x, y, and radius. The two marks are drawn otherwise."""

_WORD = re.compile(r"[A-Za-z]|-?(?:\d*\.\d+|\d+)")


def outline(figure: str, size: float) -> Iterator[list[tuple[float, float]]]:
    """Yield the polygons of a figure of chess within a square of ``size``."""
    paths, circles = FIGURES[figure]
    for path in paths:
        yield [(x * size / 45, y * size / 45) for x, y in _points(path)]
    for x, y, r in circles:
        turns = (tau * at / 24 for at in range(24))
        yield [((x + r * cos(a)) * size / 45, (y + r * sin(a)) * size / 45) for a in turns]


def _points(path: str) -> Iterator[tuple[float, float]]:
    """Yield the corners of a path of SVG; a curve has several. It has M, L, H, V, C, and Z."""
    words, at, command = _WORD.findall(path), (0.0, 0.0), ""
    while words:
        if words[0].isalpha():
            command = words.pop(0)
        kind, (x, y) = command.lower(), at if command.islower() else (0.0, 0.0)
        given = [float(words.pop(0)) for _ in range({"h": 1, "v": 1, "c": 6, "z": 0}.get(kind, 2))]
        if kind == "c":
            (a, b), (c, d), end = ((x + p, y + q) for p, q in zip(*[iter(given)] * 2, strict=True))
            for t in (each / 8 for each in range(1, 8)):
                one, two, three, four = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3
                yield (
                    one * at[0] + two * a + three * c + four * end[0],
                    one * at[1] + two * b + three * d + four * end[1],
                )
            at = end
        elif kind == "h":
            at = (x + given[0], at[1])
        elif kind == "v":
            at = (at[0], y + given[0])
        elif given:
            at = (x + given[0], y + given[1])
            command = {"M": "L", "m": "l"}.get(command, command)
        if kind != "z":
            yield at


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
    shape: str, rows: Sequence[Sequence[str]], stones: tuple[str, ...],
    signs: Mapping[str, tuple[int, str]] = DISCS,
) -> str:  # fmt: skip
    """Draw a board of rows of cells with ``signs`` (boards.Board)."""
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
                said = "♛" if look == "crown" else look if len(look) < 3 else sign.upper()
                parts += _piece(at, COLORS.get(stones[seat], "#777777"), look, said)
    wide = 10 * (width + (height / 2 - 0.5 if shape == "slant" else 0))
    box = f"-2 -2 {wide + 4} {10 * ((height - 1) * step + 1) + 4}"
    color = GROUNDS.get(shape, "#d9c7a0")
    under = f'<rect x="-2" y="-2" width="100%" height="100%" rx="4" fill="{color}"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">{under}{"".join(parts)}</svg>'


def _piece(at: tuple[float, float], color: str, look: str, said: str) -> list[str]:
    """Draw a figure of chess, or a disc with or without a text."""
    line = "#23282d" if color != COLORS["black"] else "#fbf8f0"
    if look in FIGURES:
        return [_figure(at, color, line, look)]
    disc = _circle(at, 4.1, color, "#000000aa")
    size = 5.5 - len(said) / 2
    text = (
        f'<text x="{at[0]}" y="{at[1] + size * 0.35:.2f}" font-size="{size}" fill="{line}" '
        f'text-anchor="middle">{said}</text>'
    )
    return [disc, text] if said else [disc]


def _figure(at: tuple[float, float], color: str, line: str, look: str) -> str:
    place = f'transform="translate({at[0] - 5:g} {at[1] - 5:g}) scale(.222)"'
    if look == "ring":
        mark = f'<circle cx="22.5" cy="22.5" r="12" fill="none" stroke="{color}"/>'
        return f'<g {place} stroke-width="5">{mark}</g>'
    if look == "cross":
        return f'<path {place} d="M11 11l23 23M11 34l23-23" stroke="{color}" stroke-width="5"/>'
    paths, circles = FIGURES[look]
    shapes = "".join(f'<path d="{path}"/>' for path in paths)
    shapes += "".join(f'<circle cx="{x}" cy="{y}" r="{r}"/>' for x, y, r in circles)
    return f'<g {place} fill="{color}" stroke="{line}" stroke-width="1.5">{shapes}</g>'


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


SUITS = {
    "s": "M12 2C9 7 3 10 3 15a4.6 4.6 0 0 0 8 3c0 2-1 3-2.5 4h7c-1.5-1-2.5-2-2.5-4"
    "a4.6 4.6 0 0 0 8-3c0-5-6-8-9-13z",
    "h": "M12 21C5 15 2 12 2 8a5 5 0 0 1 10-1.5A5 5 0 0 1 22 8c0 4-3 7-10 13z",
    "d": "M12 1.5 20.5 12 12 22.5 3.5 12z",
    "c": "M12 2a4.6 4.6 0 0 0-4 7 4.7 4.7 0 1 0 3 8.6C11 20 10 21 8.5 22h7"
    "C14 21 13 20 13 17.6A4.7 4.7 0 1 0 16 9a4.6 4.6 0 0 0-4-7z",
}  # fmt: skip
"""The shapes of suits, on 24 by 24, as in page/cards.js."""

LINE = 'stroke="#2c2621" stroke-width="1.8"'
DIE = f'rx="6" fill="{{}}" {LINE}'


def draw_cards(cards: Sequence[str]) -> str:
    """Draw a fan of cards, such as ``Qs``, on 64 by 64."""
    parts = []
    for at, card in enumerate(cards):
        rank, suit = card[0], card[1]
        turn = 14 * (at - (len(cards) - 1) / 2)
        color = COLORS["red"] if suit in "hd" else COLORS["black"]
        parts.append(
            f'<g transform="rotate({turn:g} 32 92) translate(18 12)">'
            f'<rect width="28" height="40" rx="4" fill="#fffdf6" {LINE}/>'
            f'<text x="8" y="14" font-size="13" font-weight="700" fill="{color}" '
            f'text-anchor="middle">{rank}</text>'
            f'<path d="{SUITS[suit]}" transform="translate(8 18) scale(.75)" fill="{color}"/></g>'
        )
    return "".join(parts)


def draw_dice(place: str, number: int) -> str:
    """Draw a die, on 26 by 26 before its ``place``."""
    pips = "".join(
        f'<circle cx="{6 + 7 * (at % 3)}" cy="{6 + 7 * (at // 3)}" r="2.6" fill="#22262b"/>'
        for at in PIPS[number]
    )
    return (
        f'<g transform="{place}"><rect width="26" height="26" {DIE.format("#fffdf6")}/>{pips}</g>'
    )


PIPS = {
    1: (4,),
    2: (0, 8),
    3: (0, 4, 8),
    4: (0, 2, 6, 8),
    5: (0, 2, 4, 6, 8),
    6: (0, 2, 3, 5, 6, 8),
}
"""Which of nine places of a die have a pip."""


def framed(inside: str) -> str:
    """Return what is drawn on 64 by 64 as an icon."""
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">{inside}</svg>'


SHIP = (
    '<rect x="3" y="3" width="58" height="58" rx="8" fill="#2a6fb0"/>'
    '<path d="M3 44c7-4 12-4 19 0s12 4 19 0 13-4 20 0v9a8 8 0 0 1-8 8H11a8 8 0 0 1-8-8z" '
    'fill="#1c4f82"/>'
    f'<path d="M10 35h44l-7 11H18z" fill="#c9ced6" {LINE}/>'
    f'<path d="M21 35v-8h17v8M27 27V17h6v10M38 31h12" fill="#e9ecf1" {LINE}/>'
)
