"""Drawings of the board of Clue and of a seat's notes with characters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from itertools import groupby

from tictac.plugins.clue.game.board import SIZE, Board, Cell, InRoom, Place, State
from tictac.plugins.clue.game.cards import DECK, NAMES, ROOMS, SEATS, TITLES, TOKENS, Card, Room
from tictac.plugins.clue.game.deduction import Deduction

SHORT = [name[:2] for name in TOKENS]
"""The name of each token on the board."""

Ink = int | str
"""The color of text: a token, ``dim``, ``bright`` or ``winning``; empty: no color."""

Paint = Callable[[Ink, str], str]
Canvas = list[list[tuple[str, Ink]]]
"""The drawn characters, by row and column."""


def draw_board(
    board: Board,
    state: State,
    paint: Paint,
    reach: Collection[Place] = (),
    height: int | None = None,
) -> list[str]:
    """Draw a line of column numbers, and a line for each row; cells are two characters wide.

    Tokens are two letters. Cells of ``reach`` are stars, and the names of its rooms are bright.
    Within ``height`` lines, the drawing leaves out rows that no token is in or can reach.
    """
    canvas = [[cell for mark in row for cell in _ground(mark)] for row in board.rows]
    for place in reach:
        if isinstance(place, Cell):
            _put(canvas, place.down, 2 * place.right, " *", "winning")
    needed = {place.down for place in (*state, *reach) if isinstance(place, Cell)}
    named: set[int] = set()
    for room in ROOMS:
        named |= _label(canvas, board, room, state, InRoom(room, "V") in reach)
    for token, place in enumerate(state):
        if isinstance(place, Cell):
            _put(canvas, place.down, 2 * place.right, SHORT[token], token)
    numbers = "".join("  " if n % 2 else f"{n:>2}" for n in range(SIZE))
    rows = range(SIZE) if height is None else _fewer(board, needed, named, height - 1)
    lines = [f"   {paint('dim', numbers)}"]
    for down in rows:
        # Neighbors of the same color are painted together.
        pieces = [
            paint(ink, "".join(character for character, _ in piece))
            for ink, piece in groupby(canvas[down], key=lambda drawn: drawn[1])
        ]
        lines.append(f"{paint('dim', f'{down:>2}')} {''.join(pieces)}")
    return lines


def _fewer(board: Board, needed: Collection[int], named: Collection[int], most: int) -> list[int]:
    """Return up to ``most`` rows, or more if ``needed`` has more.

    Rows that equal a neighbor go first, then edges, rows without doors, rows with doors, and
    ``named``.
    """

    def worth(down: int) -> int:
        row, at = board.rows[down], kept.index(down)
        if down in named:
            return 4
        if row in (board.rows[other] for other in (*kept[:at][-1:], *kept[at + 1 :][:1])):
            return 0
        return 1 if down in (0, SIZE - 1) else 2 + any(map(str.islower, row))

    kept = list(range(SIZE))
    while len(kept) > most and (spare := [down for down in kept if down not in needed]):
        kept.remove(min(spare, key=worth))
    return kept


def _ground(mark: str) -> list[tuple[str, Ink]]:
    """Return the drawing of a character of the map."""
    if mark.islower():
        return [(" ", "bright"), (mark, "bright")]
    if mark in ROOMS:
        return [(":", "dim")] * 2
    return [(" ", "dim"), (".", "dim")] if mark == "-" else [(" ", "")] * 2


def _put(canvas: Canvas, down: int, column: int, text: str, ink: Ink) -> None:
    canvas[down][column : column + len(text)] = [(character, ink) for character in text]


# Rooms


@cache
def _spans(board: Board, room: Room) -> list[tuple[int, int, int]]:
    """Return the rows of a room, with its first column and width in characters."""
    found = []
    for down, row in enumerate(board.rows):
        if room in row:
            rest = row[row.index(room) :]
            found.append((down, 2 * row.index(room), 2 * (len(rest) - len(rest.lstrip(room)))))
    return found


def _label(canvas: Canvas, board: Board, room: Room, state: State, bright: bool) -> set[int]:
    """Draw the name of a room and the tokens in it; return the rows that they use."""
    spans = _spans(board, room)
    if not spans:
        return set()
    width = sorted(width for *_, width in spans)[len(spans) // 2]
    ink: Ink = "winning" if bright else "bright"
    lines: list[list[tuple[str, Ink]]] = [[(line, ink)] for line in _name_lines(room, width)]
    inside = [(SHORT[token], token) for token, at in enumerate(state) if at[0] == room]
    a_row = max(1, (width + 1) // 3)
    lines += [list(inside[first : first + a_row]) for first in range(0, len(inside), a_row)]
    top = max(0, (len(spans) - len(lines)) // 2)
    used = list(zip(spans[top:], lines, strict=False))
    for (down, left, wide), pieces in used:
        length = sum(len(text) for text, _ in pieces) + len(pieces) - 1
        column = left + max(0, (wide - length + 1) // 2)
        # A blank on each side separates the letters from the filling.
        for at in (column - 1, column + length):
            if left <= at < left + wide:
                _put(canvas, down, at, " ", "")
        for text, painted in pieces:
            _put(canvas, down, column, f"{text} "[: 2 * SIZE - column], painted)
            column += len(text) + 1
    return {down for (down, _, _), _ in used}


def _name_lines(room: Room, width: int) -> list[str]:
    """Return the letter and the name of a room, in lines of up to ``width``."""
    lines = [room]
    for word in ROOMS[room].split():
        if len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines += _cut(word, width - 1)
    return lines


def _cut(word: str, width: int) -> Iterator[str]:
    """Yield the pieces of a word, or nothing if the width is too small."""
    while len(word) > width > 2:
        yield word[: width - 1] + "-"
        word = word[width - 1 :]
    if len(word) <= width:
        yield word


# Notes


def draw_notes(known: Deduction, paint: Paint) -> list[str]:
    """Draw a table of the cards with a mark for each seat, or one mark in the mini-game."""
    full = known.hand is not None
    hidden = [cards[0] for cards in known.left() if len(cards) == 1]
    lines = [f"{'':15}{''.join(f' {name}' for name in SHORT)}"] if full else []
    for card in DECK:
        name = f"{NAMES[card] if len(NAMES[card]) == 1 else ' '} {TITLES[card]:<13}"
        row = name + "".join(f" {mark:<2}" for mark in marks(known, card))
        lines.append(paint("winning", f"{row} <") if card in hidden else row.rstrip())
    legend = "x has, - doesn't, ? maybe, < hidden" if full else "- wrong, < hidden"
    return [*lines, paint("dim", legend)]


def marks(known: Deduction, card: Card) -> str:
    """Return the marks of a card: ``x`` has, ``-`` hasn't, ``?`` might have shown it."""
    if known.hand is None:
        return " " if any(hand >> card & 1 for hand in known.hands[0]) else "-"
    return "".join(_mark(known, seat, card) for seat in range(SEATS))


def _mark(known: Deduction, seat: int, card: Card) -> str:
    def has(card: Card) -> list[int]:
        return [hand >> card & 1 for hand in known.hands[seat]]

    if not any(has(card)):
        return "-"
    if all(has(card)):
        return "x"
    # The seat disproved a triple with this card, and is known to have none of its cards.
    maybe = any(
        disprover == seat and card in triple and not any(all(has(other)) for other in triple)
        for disprover, triple in known.disproved
    )
    return "?" if maybe else " "


def beside(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """Return two drawings side by side; all lines of the left one are equally wide."""
    padded = [*right, *[""] * (len(left) - len(right))]
    return [f"{one}  {other}".rstrip() for one, other in zip(left, padded, strict=True)]
