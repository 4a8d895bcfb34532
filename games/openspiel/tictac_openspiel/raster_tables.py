"""Pictures of what has no cells in rows: cards, dice, ships, points, pits, and lines between dots.

They are drawn from the text of a position, as the page and the terminal do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from PIL import Image, ImageDraw, ImageFont

from tictac_openspiel.boards import Board
from tictac_openspiel.icons import COLORS, GROUNDS
from tictac_openspiel.tables import CARD
from tictac_openspiel.text_view import LABELS, gone_of, walls_of

FINE = 3
"""Everything is drawn so many times larger, and then reduced, for smooth edges."""

WIDTH = 400
"""Pixels."""

FELT, PAPER, INK, RED, SEA, LAST = "#2d6b4d", "#fffdf6", "#1e2227", "#c22a1e", "#bfe0fa", "#ffd84d"
CARD_SIZE = (30, 42)

Box = tuple[float, float, float, float]


class Pen:
    """Draws on a picture, with lengths in its pixels before it is drawn larger."""

    def __init__(self, width: int, height: int, ground: str) -> None:
        self._size = (width, height)
        self._picture = Image.new("RGB", (width * FINE, height * FINE), ground)
        self._pen = ImageDraw.Draw(self._picture)

    def done(self) -> Image.Image:
        """Return the picture."""
        return self._picture.resize(self._size, Image.Resampling.LANCZOS)

    def disc(self, x: float, y: float, r: float, color: str, edge: str = "#000000") -> None:
        """Draw a disc around a point."""
        self._pen.ellipse(self._box((x - r, y - r, x + r, y + r)), color, edge, FINE)

    def rect(self, box: Box, color: str, edge: str = "", round_by: float = 0) -> None:
        """Draw a rectangle of a left, upper, right, and lower side."""
        self._pen.rounded_rectangle(self._box(box), round_by * FINE, color, edge or None, FINE)

    def shape(self, points: Sequence[tuple[float, float]], color: str) -> None:
        """Fill a polygon."""
        self._pen.polygon([(x * FINE, y * FINE) for x, y in points], color)

    def line(self, box: Box, color: str, wide: float) -> None:
        """Draw a line from a point to a point."""
        self._pen.line(self._box(box), color, round(wide * FINE))

    def text(self, x: float, y: float, said: str, color: str, size: float, at: str = "mm") -> None:
        """Write a text at a point of it (Pillow's anchors)."""
        font = ImageFont.load_default(size * FINE)
        self._pen.text((x * FINE, y * FINE), said, color, font, anchor=at)

    def _box(self, box: Box) -> Box:
        left, top, right, low = (each * FINE for each in box)
        return left, top, right, low


def draw_suit(pen: Pen, suit: str, x: float, y: float, size: float) -> None:
    """Draw a suit around a point."""
    color, s = RED if suit in "hd" else INK, size
    if suit == "d":
        pen.shape([(x, y - s), (x + 0.8 * s, y), (x, y + s), (x - 0.8 * s, y)], color)
    elif suit == "h":
        for side in (-1, 1):
            pen.disc(x + side * 0.42 * s, y - 0.35 * s, 0.5 * s, color, color)
        pen.shape([(x - 0.88 * s, y - 0.15 * s), (x + 0.88 * s, y - 0.15 * s), (x, y + s)], color)
    else:
        pen.shape([(x, y), (x + 0.4 * s, y + s), (x - 0.4 * s, y + s)], color)
        if suit == "s":
            pen.shape([(x, y - s), (x + 0.9 * s, y + 0.25 * s), (x - 0.9 * s, y + 0.25 * s)], color)
        for dx, dy in ((-0.45, 0.25), (0.45, 0.25), *([(0, -0.5)] if suit == "c" else [])):
            pen.disc(x + dx * s, y + dy * s, 0.45 * s, color, color)


def draw_card(pen: Pen, card: str | None, x: float, y: float) -> None:
    """Draw a card, or (None) its back."""
    wide, high = CARD_SIZE
    pen.rect((x, y, x + wide, y + high), PAPER, "#6a5f4b", 4)
    if card is None:
        pen.rect((x + 3, y + 3, x + wide - 3, y + high - 3), "#2f57b5", "#9db8f2", 2)
        return
    rank = "10" if card[0] == "T" else card[0]
    pen.text(x + 10, y + 11, rank, RED if card[1] in "hd" else INK, 15)
    draw_suit(pen, card[1], x + wide / 2 + 3, y + high - 14, 8)


def draw_die(pen: Pen, number: int, x: float, y: float, size: float = 30) -> None:
    """Draw a die; 0 is one that wasn't rolled."""
    pen.rect((x, y, x + size, y + size), PAPER, "#6a5f4b", 6)
    for at in ("", "4", "08", "048", "0268", "02468", "035268")[number]:
        dx, dy = (int(at) % 3 + 1) / 4, (int(at) // 3 + 1) / 4
        pen.disc(x + dx * size, y + dy * size, size / 10, INK, INK)


def paint_table(board: Board, text: str, before: str | None) -> Image.Image:
    """Draw a game of cards, dice, or ships: what lies on the table, and what each seat has."""
    _, turn, *words = text.split(" ")
    notes = {name: value.split(",") for name, _, value in (word.partition("=") for word in words)}
    if "waters" in notes:
        return _paint_waters(notes["waters"])
    shared = {name: values[0] for name, values in notes.items() if len(values) == 1}
    own = {name: values for name, values in notes.items() if len(values) > 1}
    seats = max(map(len, own.values()), default=0)
    laid = [name for name, value in shared.items() if _is_drawn(name, value)]
    # The place of each thing is the same in all positions of a match.
    pen = Pen(WIDTH, 24 + 50 * (len(LAID & shared.keys()) + seats) + 20, FELT)
    told = [f"{LABELS[n]}: {v}" for n, v in shared.items() if n not in LAID and v != "-"]
    pen.text(10, 14, "   ".join(told), "#ffffff", 12, "lm")
    y = 28.0
    for name in (name for name in shared if name in LAID):
        pen.text(10, y + 21, LABELS[name], "#ffffff", 13, "lm")
        if name in laid:
            _lay(pen, name, shared[name], y)
        y += 50
    for seat in range(seats):
        side = board.sides[seat]
        parts = {name: values[seat] for name, values in own.items() if seat < len(values)}
        pen.text(10, y + 21, side, LAST if side == turn else "#ffffff", 18, "lm")
        _have(pen, parts, y)
        y += 50
    return pen.done()


LAID = frozenset(
    {"trick", "last", "trump", "upcard", "pile", "starter", "played", "board", "lay", "dice"}
)
"""The notes that are cards or dice on the table."""


def _is_drawn(name: str, value: str) -> bool:
    return name in LAID and (name == "dice" or bool(re.search(CARD, value)))


def _lay(pen: Pen, name: str, value: str, y: float) -> None:
    if name == "dice":
        for at, number in enumerate(value.split("-")):
            draw_die(pen, int(number), 110 + 40 * at, y + 6)
        return
    _row(pen, re.findall(CARD, value)[-12:], 110, y, WIDTH - 120)


def _have(pen: Pen, parts: dict[str, str], y: float) -> None:
    """Draw what a seat has: its cards, and numbers."""
    hand = parts.pop("hand", "")
    known = re.findall(CARD, hand)
    cards: list[str | None] = [*known] if known else [None] * int(hand if hand.isdecimal() else 0)
    _row(pen, cards, 40, y, 200)
    told = [f"{LABELS[name]} {_short(value)}" for name, value in parts.items() if value != "-"]
    for line, said in enumerate(told[:3]):
        pen.text(WIDTH - 10, y + 9 + 14 * line, said, "#ffffff", 12, "rm")


def _short(value: str) -> str:
    words = value.replace("+", " ").replace(":", " ")
    return words if len(words) < 26 else f"{words[:24]}…".replace("…", "...")


def _row(pen: Pen, cards: Sequence[str | None], x: float, y: float, room: float) -> None:
    step = min(34.0, (room - CARD_SIZE[0]) / max(1, len(cards) - 1))
    for at, card in enumerate(cards):
        draw_card(pen, card, x + step * at, y + 2)


def _paint_waters(waters: Sequence[str]) -> Image.Image:
    cell, pen = 18, Pen(WIDTH, 220, "#245f99")
    for side, sea in enumerate(waters):
        left = 8 + side * 204
        pen.text(left + 90, 14, "AB"[side], "#ffffff", 14)
        for row, line in enumerate(sea.split("/")):
            for column, sign in enumerate(line):
                x, y = left + cell * column, 28 + cell * row
                color = SEA if sign in ".o" else "#5d6775"
                pen.rect((x + 1, y + 1, x + cell - 1, y + cell - 1), color)
                if sign == "X":
                    for box in ((5, 5, 13, 13), (5, 13, 13, 5)):
                        pen.line((x + box[0], y + box[1], x + box[2], y + box[3]), "#ffb3a6", 2)
                elif sign == "o":
                    pen.disc(x + cell / 2, y + cell / 2, 2.5, "#14395c", "#14395c")
    return pen.done()


def paint_points(board: Board, text: str, before: str | None) -> Image.Image:
    """Draw backgammon, with its bar, what is borne off, and the dice."""
    pen = Pen(WIDTH, 320, "#5a3a22")
    grid, old = board.grid(text), board.grid(before) if before else None
    notes = dict(word.split("=", 1) for word in text.split(" ")[2:] if "=" in word)
    for left in (8, 196):
        pen.rect((left, 8, left + 162, 312), FELT)
    for y, row in enumerate(grid):
        for column, cell in enumerate(row):
            x = 8 + 27 * column + (26 if column > 5 else 0)
            foot, tip, way = (312, 190, -1) if y else (8, 130, 1)
            color = "#a3482f" if column % 2 else "#e6d3ab"
            pen.shape([(x, foot), (x + 27, foot), (x + 13.5, tip)], color)
            if old and old[y][column] != cell:
                pen.disc(x + 13.5, foot - 4 * way, 4, LAST, LAST)
            if cell != ".":
                stone = board.stones[board.signs[cell[0]][0]]
                _stack(pen, stone, int(cell[1:]), x + 13.5, foot + 13 * way, 24 * way)
    for name, across in (("bar", 183.0), ("off", 379.0)):
        counts = [int(each) for each in notes.get(name, "0-0").split("-")]
        for seat, number in enumerate(counts):
            # The bar is where a checker enters; what is off lies at the end of the way.
            low, up = (290.0, -20.0), (30.0, 20.0)
            at, step = low if (seat == 1) == (name == "bar") else up
            _stack(pen, board.stones[seat], number, across, at, step, 10)
    dice = [int(each) for each in re.findall(r"\d", notes.get("dice", ""))]
    for column, number in enumerate(dice):
        draw_die(pen, number, 250 + 36 * column, 147, 26)
    if "cube" in notes:
        points = notes["points"].replace("-", " : ")
        pen.text(89, 160, f"{points} / {notes['length']}", "#ffffff", 16)
        number = int(notes["cube"].rstrip("xo"))
        pen.rect((135, 147, 161, 173), "#f4efe2")
        pen.text(148, 160, str(max(2, number) if number > 1 else 64), INK, 14)
    return pen.done()


def _stack(
    pen: Pen, stone: str, number: int, x: float, y: float, step: float, r: float = 12
) -> None:
    for at in range(min(number, 5)):
        pen.disc(x, y + step * at, r, COLORS[stone])
    if number > 5:
        color = COLORS["black" if stone == "white" else "white"]
        pen.text(x, y + step * 4, str(number), color, 12)


def paint_pits(board: Board, text: str, before: str | None) -> Image.Image:
    """Draw the houses of oware, with the numbers of seeds."""
    pen = Pen(WIDTH, 180, "#d9c7a0")
    grid, old = board.grid(text), board.grid(before) if before else None
    score = re.search(r"score=(\d+)-(\d+)", text)
    for y, row in enumerate(grid):
        for column, count in enumerate(row):
            x, low = 37 + 65 * column, 45 + 70 * y
            edge = LAST if old and old[y][column] != count else "#80602d"
            pen.disc(x, low, 29, edge, edge)
            pen.disc(x, low, 27, "#c39a5b", "#80602d")
            pen.text(x, low, count, INK, 20)
    if score:
        pen.text(WIDTH / 2, 165, f"{score[1]} : {score[2]}", INK, 16)
    return pen.done()


def paint_dots(board: Board, text: str, before: str | None) -> Image.Image:
    """Draw dots, lines, and boxes with the colors of their owners."""
    grid, old = board.grid(text), board.grid(before) if before else None
    step, edge = 360 / (len(grid) - 1), 20.0
    pen = Pen(WIDTH, WIDTH, GROUNDS["dots"])
    boxes = {"blue": "#8fb0ee", "red": "#f0a493"}
    places = [(x, y, sign) for y, row in enumerate(grid) for x, sign in enumerate(row)]
    for x, y, sign in places:
        left, top = edge + step * x, edge + step * y
        if sign in board.signs:
            color = boxes[board.stones[board.signs[sign][0]]]
            pen.rect((left - step, top - step, left + step, top + step), color)
    for x, y, sign in places:
        left, top = edge + step * x, edge + step * y
        if sign in "-|":
            is_new = old is not None and old[y][x] != sign
            across, down = (step, 0.0) if sign == "-" else (0.0, step)
            box = (left - across, top - down, left + across, top + down)
            pen.line(box, "#b5451d" if is_new else "#2b2f35", 5)
    for x, y, sign in places:
        if sign == "+":
            pen.disc(edge + step * x, edge + step * y, 6, "#2b2f35")
    return pen.done()


def paint_mills(board: Board, text: str, before: str | None) -> Image.Image:
    """Draw nine men's morris."""
    grid, old = board.grid(text), board.grid(before) if before else None
    step, edge = 52.0, 44.0
    pen = Pen(WIDTH, WIDTH, GROUNDS["mills"])
    at = [edge + step * n for n in range(7)]
    for n in range(3):
        for box in (
            (at[n], at[n], at[6 - n], at[n]), (at[n], at[6 - n], at[6 - n], at[6 - n]),
            (at[n], at[n], at[n], at[6 - n]), (at[6 - n], at[n], at[6 - n], at[6 - n]),
        ):  # fmt: skip
            pen.line(box, "#6b4d14", 3)
    for one, other in ((0, 2), (4, 6)):
        pen.line((at[3], at[one], at[3], at[other]), "#6b4d14", 3)
        pen.line((at[one], at[3], at[other], at[3]), "#6b4d14", 3)
    gone = gone_of(text)
    for y, row in enumerate(grid):
        for x, sign in enumerate(row):
            if sign in board.signs:
                pen.disc(at[x], at[y], 21, COLORS[board.stones[board.signs[sign][0]]])
            if board.name(7, 7, x, y) in gone:
                pen.line((at[x] - 9, at[y] - 9, at[x] + 9, at[y] + 9), "#a3231a", 4)
                pen.line((at[x] - 9, at[y] + 9, at[x] + 9, at[y] - 9), "#a3231a", 4)
            elif old and old[y][x] != sign:
                pen.disc(at[x], at[y], 5, LAST, "#5c4300")
    return pen.done()


def paint_walls(board: Board, text: str, before: str | None) -> Image.Image:
    """Draw Quoridor."""
    grid, old = board.grid(text), board.grid(before) if before else None
    cell, edge = 42, 11
    pen, walls = Pen(WIDTH, WIDTH, "#8f663c"), walls_of(text)
    for y, row in enumerate(grid):
        for x, sign in enumerate(row):
            left, top = edge + cell * x, edge + cell * y
            is_new = old is not None and old[y][x] != sign
            box = (left + 3, top + 3, left + cell - 3, top + cell - 3)
            pen.rect(box, LAST if is_new else "#efdcb9", round_by=3)
            if sign in board.signs:
                stone = board.stones[board.signs[sign][0]]
                pen.disc(left + cell / 2, top + cell / 2, 14, COLORS[stone])
    for wall in walls:
        x = edge + cell * (ord(wall[0]) - ord("a") + 1)
        y = edge + cell * int(wall[1])
        is_new = before is not None and wall not in walls_of(before)
        wide, high = (cell - 3, 3) if wall[2] == "h" else (3, cell - 3)
        color = LAST if is_new else "#3b2412"
        pen.rect((x - wide, y - high, x + wide, y + high), color, "#1e130a", 2)
    return pen.done()


PAINTERS: dict[str, Callable[[Board, str, str | None], Image.Image]] = {
    "table": paint_table, "points": paint_points, "pits": paint_pits, "dots": paint_dots,
    "mills": paint_mills, "walls": paint_walls,
}  # fmt: skip
"""How a position is drawn, after the one before, by the shape of its board."""
