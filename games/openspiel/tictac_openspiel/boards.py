"""Boards as text: how a state of OpenSpiel is written, and how its actions are spelled.

A position is words: the rows from the top, cut by ``/``; the sign of the seat to move, or ``-``;
and notes such as ``dice=6-4``. A row has a character for each cell, or cells cut by commas: ``.``
is empty, ``_`` is no cell. Chess, xiangqi, and shogi have their usual FEN instead, in which a digit
stands for so many empty cells. A cell has a name of a file and a rank, and moves consist of names:
``d4``, ``e2e4``, ``e7e8q``. ``steps`` is the regular expression of a move; its groups are what a
person points at, one after the other.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tictac_openspiel.cube import Match

LETTERS = "abcdefghijklmnopqrstuvwxyz"

Rows = Callable[[Any], list[str]]
Spell = Callable[[Any, int, str], str]
See = Callable[[Any, "int | None", "int | None"], str]
"""``see(state, mover, seat)``: what a seat, or a viewer (None), sees."""


@dataclass(frozen=True)
class Board:
    """How a game's positions and moves are written, and drawn.

    ``shape``: ``table`` (words only; tables.py), ``plain``, ``checks``, ``lines`` (pieces lie on
    crossings), ``walls`` (between cells), ``hexes`` (rows are centered), ``slant`` (hexes; each row
    is half a cell further right), ``dots`` (dots and boxes), ``mills``, ``points`` (backgammon), or
    ``pits``. ``signs`` has the seat and the figure of each sign; without a figure it is a disc.
    ``names``: ranks count
    ``up`` or ``down``, have letters (``shogi``), or cells are counted in lettered ``rows``.
    ``turned``: that seat sees the board from the other side. ``stones`` are the colors of the
    seats. ``words`` are the steps that aren't cells, for people. ``see`` writes a ``table``, and
    ``told`` hides what is secret in a move. ``takes``: a move can take pieces from cells that it
    doesn't name, and a note has these cells: ``gone=c3+c4``. ``army`` are the pieces that each seat
    has at first, by their small letters; what is missing was taken.
    """

    shape: str
    steps: str
    rows: Rows
    spell: Spell
    signs: Mapping[str, tuple[int, str]]
    sides: tuple[str, ...] = ("b", "w")
    names: str = "up"
    files: str = LETTERS
    fen: bool = False
    turned: int = -1
    stones: tuple[str, ...] = ("black", "white")
    words: Mapping[str, str] = field(default_factory=dict)
    notes: Callable[[Any], Sequence[str]] = lambda state: ()
    see: See | None = None
    told: Callable[[Any, str], str] = lambda state, move: move
    more: Callable[[Any, dict[str, tuple[int, ...]]], dict[str, tuple[int, ...]]] | None = None
    takes: bool = False
    army: str = ""

    def write(self, state: Any, mover: int | None, before: Any = None) -> str:
        """Write the position, as a viewer sees it, after the state ``before``, if there is one."""
        if self.see:
            return self.see(state, mover, None)
        if self.fen:
            words = self.rows(state)
            return " ".join(words if mover is not None else [words[0], "-", *words[2:]])
        side = "-" if mover is None else self.sides[mover]
        rows = "/".join(self.rows(state))
        return " ".join([rows, side, *self.notes(state), *self._gone(rows, before)])

    def _gone(self, rows: str, before: Any) -> list[str]:
        """Say where pieces of the other player were taken by the last move."""
        if not self.takes or before is None:
            return []
        mine, now = before.current_player(), dict(self.cells(rows))  # the first player has seat 0
        gone = [
            at
            for at, sign in self.cells("/".join(self.rows(before)))
            if now[at] == "." and self.signs.get(sign, (mine, ""))[0] != mine
        ]
        return [f"gone={'+'.join(gone)}"] * bool(gone)

    def moves(self, state: Any) -> dict[str, tuple[int, ...]]:
        """Return the moves in a state, each with its actions.

        In backgammon, two actions can have the same text: then they lead to the same position.
        """
        found: dict[str, tuple[int, ...]] = {}
        for action in state.legal_actions():
            found.setdefault(self.text_of(state, action), (int(action),))
        return self.more(state, found) if self.more else found

    def text_of(self, state: Any, action: int) -> str:
        """Return the text of an action of the player to move."""
        return self.spell(state, action, state.action_to_string(state.current_player(), action))

    def why_not(self, cells: Mapping[str, str], move: str) -> str:
        """Say that a move isn't possible, and why, as far as the board shows it."""
        places = [step for step in re.fullmatch(self.steps, move).groups() if step in cells]  # type: ignore[union-attr]
        if len(places) == 1 and cells[places[0]] in self.signs:
            return f"{places[0]} isn't free"
        if len(places) > 1 and cells[places[0]] == ".":
            return f"{places[0]} is empty"
        return f"{move} isn't possible now"

    def grid(self, position: str) -> list[list[str]]:
        """Return the cells of a position, row by row."""
        rows = position.split(" ")[0].partition("[")[0].split("/")
        return [cells_of(row, self.fen) for row in rows]

    def cells(self, position: str) -> Iterator[tuple[str, str]]:
        """Iterate over the cells: the name of each, and what lies on it."""
        if self.shape == "table":
            return
        grid = self.grid(position)
        for y, row in enumerate(grid):
            for x, cell in enumerate(row):
                yield self.name(len(grid), len(grid[0]), x, y), cell

    def name(self, height: int, first: int, x: int, y: int) -> str:
        """Return the name of a cell; ``first`` is the length of the first row."""
        if self.shape == "points":
            return str(12 - x if y else 13 + x)
        if self.shape == "pits":
            return "ABCDEF"[x] if y else "fedcba"[x]
        if self.names == "up":
            return f"{self.files[x]}{height - y - self.base}"
        if self.names == "rows":
            return f"{LETTERS[y]}{x + 1}"
        if self.names == "shogi":
            return f"{9 - x}{LETTERS[y]}"
        bent = max(0, y - first + 1) if self.shape == "hexes" and height == 2 * first - 1 else 0
        return f"{self.files[x + bent]}{y + 1}"

    @property
    def base(self) -> int:
        """The difference between the number of ranks and the number of the top one."""
        return 1 if self.fen and self.files == "abcdefghi" and self.names == "up" else 0

    def parts(self) -> dict[str, Any]:
        """Return what board.js needs, as JSON."""
        names = [
            "shape",
            "steps",
            "signs",
            "sides",
            "names",
            "files",
            "fen",
            "turned",
            "stones",
            "words",
            "base",
            "army",
        ]
        return {name: getattr(self, name) for name in names}


def cells_of(row: str, fen: bool) -> list[str]:
    """Cut a row into cells."""
    if "," in row:
        return row.split(",")
    if not fen:
        return list(row)
    empty = re.sub(r"\d+", lambda found: "." * int(found[0]), row)
    return re.findall(r"\+?[A-Za-z.]~?", empty)


# Readers of OpenSpiel's drawings


def drawn(pattern: str, signs: Mapping[str, str], skip: str = " ") -> Rows:
    """Return a reader of lines: group 1 of ``pattern`` are cells, which ``signs`` renames."""
    shape, table = re.compile(pattern), str.maketrans({**signs, **dict.fromkeys(skip, "")})

    def rows(state: Any) -> list[str]:
        found = map(shape.fullmatch, str(state).splitlines())
        return [line[1].translate(table) for line in found if line]

    return rows


def words(state: Any) -> list[str]:
    """Return the words of a state that writes itself as FEN."""
    return str(state).split(" ")


def spelled(pattern: str = "", put: str = "", change: Callable[[str], str] = str) -> Spell:
    """Return a speller: OpenSpiel's text with ``put`` for ``pattern``, then changed."""
    return lambda state, action, said: change(re.sub(pattern, put, said) if pattern else said)


def crossings(state: Any, action: int, said: str) -> str:
    """Spell an action ``row,column`` of gomoku."""
    row, column = map(int, said.split(","))
    return f"{LETTERS[column]}{state.get_game().get_parameters()['size'] - row}"


def by_module(name: str) -> Spell:
    """Return a speller of chess moves as UCI has them, by that module of pyspiel."""

    def spell(state: Any, action: int, said: str) -> str:
        import pyspiel

        return str(getattr(pyspiel, name).action_to_move(action, state.board()).to_lan())

    return spell


def by_change(state: Any, action: int, said: str) -> str:
    """Spell a chess move by what has changed on the board: for states without a module."""
    board = CHESS_BOARD
    before, after = (dict(board.cells(str(each))) for each in (state, state.child(action)))
    mine = str.isupper if str(state).split(" ")[1] == "w" else str.islower
    left = next(at for at, piece in before.items() if mine(piece) and not mine(after[at]))
    to = next(at for at, piece in after.items() if mine(piece) and piece != before[at])
    promoted = after[to].lower() if after[to] != before[left] else ""
    return f"{left}{to}{promoted}"


def pick(state: Any, action: int, said: str) -> str:
    """Spell an action ``X From (row, column)`` of amazons."""
    row, column = map(int, re.findall(r"\d+", said))
    return f"{LETTERS[column - 1]}{11 - row}"


MILL_COLUMNS = {0: 0, 2: 1, 4: 2, 7: 3, 10: 4, 12: 5, 14: 6}
MILL_ROWS = ["*__*__*", "_*_*_*_", "__***__", "***_***", "__***__", "_*_*_*_", "*__*__*"]
MILL_POINTS = [
    f"{LETTERS[x]}{7 - y}" for y, row in enumerate(MILL_ROWS) for x in range(7) if row[x] == "*"
]


def mill_rows(state: Any) -> list[str]:
    """Read nine men's morris, which has a line between two rows of points."""
    lines = str(state).splitlines()[:13:2]
    return [
        "".join(line[at] if row[x] == "*" else "_" for at, x in MILL_COLUMNS.items())
        for line, row in zip(lines, MILL_ROWS, strict=True)
    ]


def mill_notes(state: Any) -> list[str]:
    """Say how many men wait, and whether one is to be taken."""
    text = str(state)
    men = re.search(r"deploy: (\d+) (\d+)", text)
    assert men is not None
    return [f"hand={men[1]}-{men[2]}", *["take"] * ("Capture time" in text)]


def mill_spell(state: Any, action: int, said: str) -> str:
    """Spell ``Point 3`` and ``Move 3 -> 4``."""
    return "".join(MILL_POINTS[int(number)] for number in re.findall(r"\d+", said))


DOTS = {"─": "-", "│": "|", " ": ".", "1": "1", "2": "2"}


def dot_rows(state: Any) -> list[str]:
    """Read dots and boxes: dots ``+``, edges, and boxes in turn."""
    rows = []
    for y, line in enumerate(str(state).splitlines()):
        cells = [DOTS[line[x]] if (x // 2 + y) % 2 else line[x] for x in range(0, len(line), 2)]
        rows.append(
            "".join("+" if y % 2 == 0 and x % 2 == 0 else cells[x] for x in range(len(cells)))
        )
    return [row.replace(" ", "_") for row in rows]


def dot_spell(state: Any, action: int, said: str) -> str:
    """Spell ``P1(h,0,0)`` by the name of the edge."""
    way, row, column = re.findall(r"[hv]|\d+(?=[,)])", said)
    x, y = 2 * int(column) + (way == "h"), 2 * int(row) + (way == "v")
    return f"{LETTERS[x]}{2 * state.get_game().get_parameters()['num_rows'] + 1 - y}"


NINE = [[3 * (at // 3) + n // 3 for n in range(9)] for at in range(9)]


def nine_notes(state: Any) -> list[str]:
    """Say which of the nine boards are won, and which one the next mark goes to."""
    rows = nine_rows(state)
    boards = [
        "".join(rows[3 * (b // 3) + y][3 * (b % 3) :][:3] for y in range(3)) for b in range(9)
    ]
    lines = ("012", "345", "678", "036", "147", "258", "048", "246")
    wins = [
        next((s for s in "xo" if any(all(b[int(n)] == s for n in line) for line in lines)), "")
        or ("." if "." in b else "=")
        for b in boards
    ]
    forced = re.search(r"Forced board: (\d)", str(state))
    return [f"boards={''.join(wins)}", *([f"to={int(forced[1]) + 1}"] if forced else [])]


nine_rows = drawn(r"([.xo]{3} [.xo]{3} [.xo]{3}) *", {})


def nine_spell(state: Any, action: int, said: str) -> str:
    """Spell ``Local board 5: x(0,1)`` by the name of the cell."""
    if said.startswith("Choose"):
        return said
    board, row, column = map(int, re.findall(r"\d", said))
    return f"{LETTERS[3 * (board % 3) + column]}{9 - 3 * (board // 3) - row}"


def nine_more(state: Any, found: dict[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """Join the choice of a board and of its cell to one move."""
    joined: dict[str, tuple[int, ...]] = {}
    for text, (action,) in found.items():
        if not text.startswith("Choose"):
            return found
        after = state.child(action)
        for then in after.legal_actions():
            said = after.action_to_string(after.current_player(), then)
            joined[nine_spell(after, then, said)] = (action, int(then))
    return joined


XIANGQI = str.maketrans("hegsHEGS", "nbkpNBKP")


def xiangqi_words(state: Any) -> list[str]:
    """Write xiangqi as FEN with the usual letters."""
    rows = drawn(r"([.a-zA-Z]{9})", {})(state)
    packed = re.sub(r"\.+", lambda dots: str(len(dots[0])), "/".join(rows).translate(XIANGQI))
    return [packed, "wb"[state.current_player() == 1]]


def xiangqi_spell(state: Any, action: int, said: str) -> str:
    """Spell ``S(6,0)-(5,0)`` as files and ranks from 0."""
    row, column, to_row, to_column = map(int, re.findall(r"\d", said))
    return f"{LETTERS[column]}{9 - row}{LETTERS[to_column]}{9 - to_row}"


def einstein_rows(state: Any) -> list[str]:
    """Read the five rows of EinStein würfelt nicht."""
    lines = [line for line in str(state).splitlines() if line.startswith("|")]
    return [",".join(re.findall(r"\|(\w\w)\|", line)).replace("__", ".") for line in lines]


def einstein_spell(state: Any, action: int, said: str) -> str:
    """Spell ``B1-diag*`` as its two cells."""
    stone, way = re.fullmatch(r"(..)-(\w+)\*?", said).groups()  # type: ignore[union-attr]
    rows = [row.split(",") for row in einstein_rows(state)]
    y = next(y for y, row in enumerate(rows) if stone.lower() in row)
    x, sign = rows[y].index(stone.lower()), 1 if stone[0] == "B" else -1
    dx, dy = sign * (way in ("right", "left", "diag")), sign * (way in ("up", "down", "diag"))
    return f"{LETTERS[x]}{5 - y}{LETTERS[x + dx]}{5 - y - dy}"


def einstein_notes(state: Any) -> list[str]:
    """Say which number was rolled: the only thing that the board lacks."""
    if state.is_terminal():
        return []
    rolled = list(state.history())[-1]
    return [f"dice={rolled + 1}"]


STAR_LENGTHS = (1, 2, 3, 4, 13, 12, 11, 10, 9, 10, 11, 12, 13, 4, 3, 2, 1)
STAR = [f"{LETTERS[y]}{x + 1}" for y, length in enumerate(STAR_LENGTHS) for x in range(length)]


def star_rows(state: Any) -> list[str]:
    """Read the seventeen rows of Chinese checkers."""
    return ["".join(line.split()) for line in str(state).splitlines()[:17]]


def star_spell(state: Any, action: int, said: str) -> str:
    """Spell ``3=>14``, a jump, and ``6->14``, a step, as two holes."""
    return "".join(STAR[int(number)] for number in re.findall(r"\d+", said)) or "stop"


def oware_rows(state: Any) -> list[str]:
    """Read the houses of oware: the upper row belongs to the second player."""
    return [",".join(line.split()) for line in str(state).splitlines() if re.match(r" +\d", line)]


def oware_notes(state: Any) -> list[str]:
    """Say how many seeds each player has captured."""
    theirs, mine = re.findall(r"score = (\d+)", str(state))
    return [f"score={mine}-{theirs}"]


BAR, OFF = 100, 15


def point_rows(state: Any) -> list[str]:
    """Write backgammon: points 13 to 24, then 12 to 1, each as a sign and a number."""

    def point(number: int) -> str:
        counts = [state.board(seat, 24 - number) for seat in (0, 1)]
        return next((f"{'xo'[seat]}{counts[seat]}" for seat in (0, 1) if counts[seat]), ".")

    return [",".join(map(point, order)) for order in (range(13, 25), range(12, 0, -1))]


def point_notes(state: Any) -> list[str]:
    """Say the dice, and how many checkers are on the bar and home."""
    bars = [state.board(seat, BAR) for seat in (0, 1)]
    off = [15 - bars[seat] - sum(state.board(seat, at) for at in range(24)) for seat in (0, 1)]
    dice = re.search(r"Dice: (\d)(\d)", str(state))
    rolled = [f"dice={dice[1]}-{dice[2]}"] if dice and not state.is_terminal() else []
    more = state.notes() if isinstance(state, Match) else []
    return [*rolled, f"bar={bars[0]}-{bars[1]}", f"off={off[0]}-{off[1]}", *more]


def point_spell(state: Any, action: int, said: str) -> str:
    """Spell a backgammon move as its checkers' ways, each from a point to a point.

    OpenSpiel counts from the mover's side; here both use the numbers of the first player.
    """
    said = re.sub(r"^\d+ - ", "", said).replace("*", "").lower()
    seat = state.current_player()
    ways = []
    for word in said.split(" "):
        word, _, times = word.partition("(")
        stops = [_point(stop, seat) for stop in word.split("/")]
        pairs = ["/".join(pair) for pair in itertools.pairwise(stops)] or stops
        ways += pairs * int(times.rstrip(")") or 1) if times else pairs
    return " ".join(ways)


def _point(stop: str, seat: int) -> str:
    return str(25 - int(stop)) if seat and stop.isdecimal() else stop


def go_notes(state: Any) -> list[str]:
    """Say how many stones each player has taken: what the other has put, and is gone."""
    rows = go_rows(state)
    size, history = len(rows), state.history()
    put = [len(moves) - moves.count(size * size) for moves in (history[::2], history[1::2])]
    black, white = ("".join(rows).count(sign) for sign in "bw")
    taken = f"taken={put[1] - white}-{put[0] - black}"
    if not state.is_terminal():
        return [taken]
    komi = state.get_game().get_parameters()["komi"]
    return [taken, "count={}-{:g}".format(*counted(rows, komi))]


def counted(rows: Sequence[str], komi: float) -> tuple[int, float]:
    """Return the points of both players: stones, and what only their stones surround."""
    width = len(rows[0]) + 1
    cells = " ".join(rows)
    points = {sign: cells.count(sign) for sign in "bw"}
    free = {at for at, sign in enumerate(cells) if sign == "."}
    while free:
        region, beside = [free.pop()], set()
        for at in region:
            for near in (at - width, at - 1, at + 1, at + width):
                if near in free:
                    free.remove(near)
                    region.append(near)
                elif 0 <= near < len(cells) and cells[near] in points:
                    beside.add(cells[near])
        if len(beside) == 1:
            points[beside.pop()] += len(region)
    return points["b"], points["w"] + komi


go_rows = drawn(r" *\d+ ([+XO]+)", {"+": ".", "X": "b", "O": "w"})

CHESS_BOARD = Board("checks", "", words, spelled(), {}, fen=True)


def ludo_rows(state: Any) -> list[str]:
    """Read the eleven rows of Ludo, in which every second character is a field or nothing."""
    lines = [line.ljust(21)[:21:2] for line in str(state).splitlines()[:11]]
    return [line.translate(str.maketrans(" oS", "_..")) for line in lines]


def ludo_spell(state: Any, action: int, said: str) -> str:
    """Spell a move as the field that it begins on."""
    if said.endswith("passes"):
        return "pass"
    if "new piece" in said:
        return "enter"
    before, after = ludo_rows(state), ludo_rows(state.child(action))
    mine = str(state.current_player() + 1)
    x, y = next(
        (x, y)
        for y, row in enumerate(before)
        for x, sign in enumerate(row)
        if sign == mine and after[y][x] != mine
    )
    return f"{LETTERS[x]}{11 - y}"


def ludo_notes(state: Any) -> list[str]:
    """Say what was rolled."""
    dice = re.search(r"Dice: (\d)", str(state))
    return [f"dice={dice[1]}"] if dice and not state.is_terminal() else []


def banqi_rows(state: Any) -> list[str]:
    """Read Banqi; the pieces of the first player are large, whatever their color was."""
    swap = "P0=Black" in str(state)
    lines = ["".join(line.split()) for line in str(state).splitlines()[:4]]
    return [line.swapcase() if swap else line for line in lines]


def banqi_spell(state: Any, action: int, said: str) -> str:
    """Spell ``R(3,0)x(3,1)`` and ``Flip(0,0)`` as cells."""
    cells = re.findall(r"\((\d),(\d)\)", said)
    return "".join(f"{LETTERS[int(x)]}{4 - int(y)}" for y, x in cells)
