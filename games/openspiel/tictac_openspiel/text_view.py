"""The boards at a terminal, in plain characters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from tictac.errors import NotAMove
from tictac.text_view import Paint, TextView
from tictac_openspiel import ends
from tictac_openspiel.tables import CARD

if TYPE_CHECKING:
    from tictac_openspiel.entry import Entry

NOTES = {
    "dice": "Dice", "bar": "On the bar", "off": "Borne off", "hand": "To be put",
    "left": "Walls left", "score": "Captured", "taken": "Taken", "gone": "Taken by the last move",
    "points": "Points", "length": "Points to win", "cube": "Cube", "offered": "Doubled to",
    "boards": "Won boards", "to": "Next board", "take": "Take a man", "count": "Count",
}  # fmt: skip
UNTOLD = frozenset({"boards", "walls", "end"})
GONE = "*"
"""Stands where a piece was taken by the last move."""


class SpielTextView(TextView):
    """Any game of the package; make a subclass with its ``entry``."""

    entry: Entry

    def __init__(self, options: Mapping[str, Any]) -> None:
        """Take the texts of the game."""
        self.sides = self.entry.sides
        self.rules = self.entry.rules
        self.usage = self.entry.usage

    def lines(self, position: str, paint: Paint) -> list[str]:
        """Draw the board, with the names of its rows and columns, and the notes."""
        board = self.entry.board
        if board.shape == "points":
            drawn = draw_points(board.grid(position), paint)
        elif board.shape == "pits":
            upper, lower = board.grid(position)
            rows = [["f", "e", "d", "c", "b", "a"], upper, lower, ["A", "B", "C", "D", "E", "F"]]
            drawn = ["".join(f"{cell:>4}" for cell in row) for row in rows]
        elif board.shape == "walls":
            drawn = draw_walls(board.grid(position), walls_of(position), paint)
        else:
            drawn = self._draw(board.grid(position), paint, gone_of(position))
        return drawn + self._notes(position) + end_of(position)

    def prompt(self, position: str) -> str:
        """Name a way to type a move."""
        return self.usage

    def recorded(self, move: str) -> str:
        """Leave out OpenSpiel's numbers for chance: the next position shows what has come."""
        return move.partition(" | ")[0]

    def lists(self, position: str) -> bool:
        """List the moves where a board shows too little of them."""
        return self.entry.board.shape == "points"

    def read(self, typed: str) -> str:
        """Take spaces and hyphens between squares, and large letters where all are small."""
        text = " ".join(typed.split())
        if self.entry.board.shape != "points":
            text = text.replace(" ", "").replace("-", "")
        if not any(sign.isupper() for sign in self.entry.board.steps.replace("[A-Fa-f]", "A")):
            text = text.lower()
        if not text:
            raise NotAMove(f"a move is {self.usage}")
        return text

    def _draw(self, grid: list[list[str]], paint: Paint, gone: list[str]) -> list[str]:
        board, shape = self.entry.board, self.entry.board.shape
        widest, height = max(map(len, grid)), len(grid)
        wide = max(len(cell) for row in grid for cell in row)
        names = [board.name(height, len(grid[0]), 0, y) for y in range(height)]
        ranks = [name.lstrip("abcdefghijklmnopqrst") for name in names]
        labels = names if shape == "hexes" else ranks
        if board.names == "shogi":
            labels = [name[1:] for name in names]
        margin = max(map(len, labels))
        lines = []
        for y, row in enumerate(grid):
            bent = y if shape == "slant" else widest - len(row) if shape == "hexes" else 0
            bent = bent * (wide + 1) // 2
            cells = [
                f"{GONE:>{wide}}"
                if gone and board.name(height, len(grid[0]), x, y) in gone
                else self._cell(cell, wide, paint)
                for x, cell in enumerate(row)
            ]
            lines.append(f"{labels[y]:>{margin}} {' ' * bent}{' '.join(cells)}".rstrip())
        if shape != "hexes":
            heads = [board.name(height, len(grid[0]), x, 0) for x in range(widest)]
            if board.names == "shogi":
                marks = [name[0] for name in heads]
            else:
                marks = [name.strip("0123456789") for name in heads]
            head = " " * (margin + 1) + " ".join(f"{mark:>{wide}}" for mark in marks)
            lines = [head, *lines] if board.names in ("down", "shogi") else [*lines, head]
        return lines

    def _cell(self, cell: str, wide: int, paint: Paint) -> str:
        sign = f"{' ' if cell == '_' else cell:>{wide}}"
        seat, _ = self.entry.board.signs.get(cell, (-1, ""))
        return paint(seat, sign) if seat in (0, 1) else sign

    def _notes(self, position: str) -> list[str]:
        board, (rows, _, *rest) = self.entry.board, position.split(" ")
        said = []
        if board.fen:
            hands = rows.partition("[")[2].rstrip("]") or (
                rest[0] if board.names == "shogi" else ""
            )
            if hands.strip("-"):
                said.append(f"In hand: {hands}")
            if board.army:
                said += self._taken(rows.partition("[")[0])
        else:
            for word in rest:
                name, _, value = word.partition("=")
                if name not in UNTOLD:
                    said.append(f"{NOTES[name]}{': ' if value else ''}{value.replace('+', ' ')}")
        if said and len(told := ". ".join(said)) < 79:
            return [told]
        return [line for each in said for line in fill(each, 78).splitlines()]

    def _taken(self, rows: str) -> list[str]:
        """Say which pieces each side has taken: those that the other lacks."""
        said = []
        for seat, side in enumerate(self.sides):
            made = str.lower if seat == 0 else str.upper
            army = made(self.entry.board.army)
            missing = {sign: army.count(sign) - rows.count(sign) for sign in dict.fromkeys(army)}
            # A pawn that was promoted is missing, and wasn't taken.
            missing[made("p")] += sum(count for count in missing.values() if count < 0)
            if taken := "".join(sign * count for sign, count in missing.items()):
                said.append(f"{side} has taken {' '.join(taken)}")
        return said


def gone_of(position: str) -> list[str]:
    """Return the cells whose pieces the last move took (Board.takes)."""
    found = re.search(r" gone=(\S+)", position)
    return found[1].split("+") if found else []


def end_of(position: str, sides: Sequence[str] = ()) -> list[str]:
    """Return why the game has ended, and who shares first place, if the position says it."""
    found = re.search(r" end=([^\s;]+)(?:;(\S+))?", position)
    if not found:
        return []
    first = [sides[int(seat)] for seat in (found[2] or "").split(",") if seat and sides]
    shared = [f"{', '.join(first[:-1])} and {first[-1]} share first place."] if first else []
    return [ends.in_words(found[1]), *shared]


LABELS = {
    "hand": "Hand", "melds": "Melds", "upcard": "Upcard", "pile": "Discarded", "stock": "Stock",
    "knock": "Knock at", "trick": "Trick", "last": "Last", "points": "Points", "way": "Pass to",
    "trump": "Trump", "bids": "Bids", "taken": "Tricks taken", "suit": "Suit", "dealer": "Dealer",
    "crib": "Cards in the crib", "starter": "Starter", "total": "Total", "played": "Played",
    "score": "Score", "board": "Board", "pot": "Pot", "put": "Bets", "chips": "Chips",
    "round": "Hand number", "shown": "Last hands", "lay": "Last board", "turn": "Turn",
    "dice": "Dice", "rolls": "Roll", "sheet": "Categories",
}  # fmt: skip


class TableTextView(SpielTextView):
    """A game without a board (tables.py)."""

    def lines(self, position: str, paint: Paint) -> list[str]:
        """Show all words, and what each seat has."""
        doing, _, *words = position.split(" ")
        told = dict(word.split("=", 1) for word in words)
        told.pop("end", "")
        if "waters" in told:
            waters = [half.split("/") for half in told["waters"].split(",")]
            return draw_waters(waters) + end_of(position, self.sides)
        own = {name: value.split(",") for name, value in told.items() if "," in value}
        lines = [f"To do: {doing}"] if doing != "over" else []
        for name, value in told.items():
            if name not in own and value != "-":
                text = f"{LABELS[name]}: {in_words(value)}"
                lines += fill(text, 78, subsequent_indent="   ").splitlines()
        for seat in range(max(map(len, own.values()), default=0)):
            parts = [
                f"{LABELS[name].lower()}: {in_words(values[seat])}"
                for name, values in own.items()
                if values[seat] != "-"
            ]
            text = paint(seat, f"{self.sides[seat]}: ") + ", ".join(parts)
            lines += fill(text, 78, subsequent_indent="   ").splitlines()
        return lines + end_of(position, self.sides)

    def recorded(self, move: str) -> str:
        """Say what was rolled where the next position might not show it."""
        made, _, number = move.partition(" | ")
        if self.entry.name == "pig" and re.fullmatch("[0-9]", number):
            return f"{made}, a {int(number) + 1}"
        return made

    def read(self, typed: str) -> str:
        """Take cards in any letters."""
        text = " ".join(typed.split())
        if not text:
            raise NotAMove(f"a move is {self.usage}")
        if re.fullmatch(rf"(?:{CARD})+", text, re.IGNORECASE):
            return "".join(text[at].upper() + text[at + 1].lower() for at in range(0, len(text), 2))
        return text.lower()

    def lists(self, position: str) -> bool:
        """List the moves."""
        return "waters" not in position


def in_words(value: str) -> str:
    """Return a value for people: cards by suits, categories with blanks."""
    if re.fullmatch(rf"(?:[A-G]:)?(?:{CARD})+", value):
        lead, _, cards = value.rpartition(":")
        found = re.findall(CARD, cards)
        if lead or len(found) < 6:
            return " ".join([*[f"{lead}:"] * bool(lead), *found])
        suits = ([card for card in found if card[1] == suit] for suit in "schd")
        return "  ".join(" ".join(suit) for suit in suits if suit)
    return value.replace("+", " ").replace(":", " ")


def draw_waters(waters: list[list[str]]) -> list[str]:
    """Draw the waters of both seats side by side."""
    head = "   " + " ".join("abcdefghij")
    lines = [f"{'   A':<27}   B", f"{head:<27}{head}"]
    for number, pair in enumerate(zip(*waters, strict=True), 1):
        rows = [f"{number:2} {' '.join(row)}" for row in pair]
        lines.append(f"{rows[0]:<27}{rows[1]}")
    return lines


def walls_of(position: str) -> list[str]:
    """Return the walls of a position of Quoridor."""
    found = re.search(r" walls=(\S+)", position)
    return found[1].split("+") if found else []


def draw_walls(grid: list[list[str]], walls: list[str], paint: Paint) -> list[str]:
    """Draw Quoridor, with its walls between the cells."""
    lines = []
    below = [[" "] * (4 * len(grid)) for _ in grid]
    beside = {(wall[0], int(wall[1]) + by) for wall in walls if wall[2] == "v" for by in (0, 1)}
    for wall in walls:
        x, y = ord(wall[0]) - ord("a"), int(wall[1]) - 1
        below[y][4 * x : 4 * x + 7] = (
            "---+---"
            if wall[2] == "h"
            else [*below[y][4 * x :][:3], "|", *below[y][4 * x + 4 :][:3]]
        )
    for y, row in enumerate(grid):
        cells = [
            (paint("AB".index(cell), cell) if cell in "AB" else cell)
            + (" | " if ("abcdefghi"[x], y + 1) in beside else "   ")
            for x, cell in enumerate(row)
        ]
        lines.append(f"{y + 1}  {''.join(cells)}".rstrip())
        if y < len(grid) - 1:
            lines.append(f"  {''.join(below[y])}".rstrip())
    return ["   " + "   ".join("abcdefghi"), *lines]


def draw_points(grid: list[list[str]], paint: Paint) -> list[str]:
    """Draw the points of backgammon as numbers of checkers."""
    lines: list[str] = []
    for numbers, row in zip((range(13, 25), range(12, 0, -1)), grid, strict=True):
        cells = [
            paint("xo".index(cell[0]), f"{cell:>4}") if cell != "." else "   ." for cell in row
        ]
        heads = [f"{number:>4}" for number in numbers]
        for part in (heads, cells) if not lines else (cells, heads):
            lines.append("".join(part[:6]) + "  |" + "".join(part[6:]))
    return [*lines[:2], "", *lines[2:]]
