"""The icons of games that some rows of a board don't tell from others, on 64 by 64 each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, pi, sin, sqrt

from tictac_openspiel.icons import COLORS, FIGURES, LINE, SHIP, SUITS, draw_cards, draw_dice, framed

WOOD, LIGHT, DARK, RULE = "#e2bd7c", "#f0e6cf", "#b98b5e", "#5b4220"
BLACK, WHITE, RED, BLUE = (COLORS[each] for each in ("black", "white", "red", "blue"))
YELLOW, GREEN = COLORS["yellow"], COLORS["green"]

GUARD = "M-6-3H6M0-8V6M-4.5 6H4.5"
"""The character of a guard, around 0, 0."""
KING = "M-7-8H7M-6 0H6M-8 8H8M0-8V8"
"""The character of a king."""


def _disc(x: float, y: float, r: float, fill: str) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" fill="{fill}" {LINE}/>'


def _board(fill: str = LIGHT) -> str:
    return f'<rect x="2" y="2" width="60" height="60" rx="5" fill="{fill}"/>'


def _lines(path: str, color: str = RULE, width: float = 1.5, more: str = "") -> str:
    return f'<path d="{path}" fill="none" stroke="{color}" stroke-width="{width:g}" {more}/>'


def _checks() -> str:
    """Draw a board of four by four squares."""
    dark = "".join(f"M{2 + 15 * (2 * at + 1 - row % 2)} {2 + 15 * row}h15v15h-15z"
                   for row in range(4) for at in range(2))  # fmt: skip
    return f'{_board("#efdcb9")}<path d="{dark}" fill="{DARK}"/>'


def _figure(name: str, place: str, fill: str = WHITE, line: str = BLACK, more: str = "") -> str:
    """Draw a figure of chess, on 45 by 45 before its ``place``."""
    paths, circles = FIGURES[name]
    shapes = "".join(f'<path d="{path}"/>' for path in paths)
    shapes += "".join(f'<circle cx="{x}" cy="{y}" r="{r}"/>' for x, y, r in circles)
    look = f'fill="{fill}" stroke="{line}" stroke-width="1.5"'
    return f'<g transform="{place}" {look} {more}>{shapes}</g>'


def _text(x: float, y: float, size: float, text: str, fill: str) -> str:
    font = f'font-family="sans-serif" font-size="{size:g}" font-weight="700"'
    return f'<text x="{x:g}" y="{y:g}" {font} text-anchor="middle" fill="{fill}">{text}</text>'


def _hexagon(x: float, y: float, r: float, fill: str) -> str:
    corners = (f"{x + r * sin(at * pi / 3):.1f} {y + r * cos(at * pi / 3):.1f}" for at in range(6))
    return f'<path d="M{"L".join(corners)}Z" fill="{fill}" stroke="{RULE}" stroke-width="1"/>'


def _hexes(rows: Sequence[str], slant: float, r: float) -> str:
    """Draw rows of hexagons as the outline of a board; ``slant`` moves each by half of one."""
    wide, parts = r * sqrt(3), []
    width = (len(rows[0]) + (len(rows) - 1) / 2) if slant else max(map(len, rows))
    left, top = 32 - wide * width / 2, 32 - 0.75 * r * (len(rows) - 1)
    for y, row in enumerate(rows):
        bent = y / 2 if slant else (width - len(row)) / 2
        for x, sign in enumerate(row):
            fill = {"r": RED, "b": BLUE, "k": BLACK, "w": WHITE}.get(sign, "#d9c7a0")
            parts.append(_hexagon(left + wide * (x + bent + 0.5), top + 1.5 * r * y, r, fill))
    return "".join(parts)


def _crazyhouse() -> str:
    half = '<clipPath id="half"><path d="M22.5 0H45V45H22.5z"/></clipPath>'
    place = "translate(4.5 4) scale(1.22)"
    black = _figure("queen", place, BLACK, WHITE, 'clip-path="url(#half)"')
    return _checks() + half + _figure("queen", place) + black


def _xiangqi() -> str:
    lines = (
        "M8 9H56M8 21H56M8 43H56M8 55H56M8 9V21M8 43V55M56 9V21M56 43V55M20 9V21M32 9V21M44 9V21"
    )
    palace = "M20 43V55M32 43V55M44 43V55M20 9 44 21M44 9 20 21"
    piece = (
        _disc(32, 43, 15, LIGHT) + f'<g transform="translate(32 44)">{_lines(GUARD, RED, 3)}</g>'
    )
    return _board(WOOD) + _lines(lines + palace) + _disc(32, 13, 6, BLACK) + piece


def _shogi() -> str:
    piece = f'<path d="M32 4 52 14 58 60H6L12 14z" fill="{WOOD}" {LINE}/>'
    return f'{piece}<g transform="translate(32 36) scale(1.5)">{_lines(KING, BLACK, 3)}</g>'


def _checkers() -> str:
    ring = '<circle cx="{}" cy="{}" r="9" fill="none" stroke="#00000055" stroke-width="2"/>'
    white = _disc(22, 42, 15, WHITE) + ring.format(22, 42)
    return _checks() + white + _disc(40, 23, 15, RED) + ring.format(40, 23)


def _breakthrough() -> str:
    black = "".join(_disc(x, 11, 7, BLACK) for x in (11, 53))
    arrow = f'<path d="M32 8 48 27H39V42H25V27H16z" fill="{WHITE}" {LINE}/>'
    return _checks() + black + arrow + _disc(32, 52, 8, WHITE)


def _lines_of_action() -> str:
    grid = _lines("M17 2V62M32 2V62M47 2V62M2 17H62M2 32H62M2 47H62", "#cdbd95")
    group = _lines("M13 51 26 32 43 40 53 19", BLACK, 4)
    stones = "".join(_disc(x, y, 8, BLACK) for x, y in ((13, 51), (26, 32), (43, 40), (53, 19)))
    return _board() + grid + group + stones + _disc(15, 14, 7, WHITE) + _disc(36, 14, 7, WHITE)


def _amazons() -> str:
    arrow = _lines("M29 33 44 18M35 17H45V27", RED, 3.5)
    burnt = f'<path d="M47 2h10a5 5 0 0 1 5 5v10H47z" fill="{BLACK}"/>'
    return _checks() + burnt + arrow + _figure("queen", "translate(1 20) scale(.95)")


def _ultimate() -> str:
    grid = "m6.5 1v16m5-16v16m-10.5-10.5h16m-16 5h16"
    small = "".join(f"M{x} {y}{grid}" for x in (3, 23, 43) for y in (3, 23, 43) if x != y)
    cross = _lines("M5 5 19 19M19 5 5 19M45 45 59 59M59 45 45 59", COLORS["x"], 4)
    ring = f'<circle cx="32" cy="32" r="7" fill="none" stroke="{COLORS["o"]}" stroke-width="4"/>'
    large = _lines("M22 3V61M42 3V61M3 22H61M3 42H61", BLACK, 2.5)
    return _board() + _lines(small, "#a89c84", 1) + large + cross + ring


def _pentago() -> str:
    parts = []
    marbles = ((WHITE, ""), ("", BLACK), (BLACK, WHITE), (WHITE, BLACK))
    for at, (x, y, turn) in enumerate(((3, 3, 0), (34, 3, 0), (3, 34, 0), (34, 34, 18))):
        holes = "".join(
            f'<circle cx="{7 + 13 * (hole % 2)}" cy="{7 + 13 * (hole // 2)}" r="4.8" '
            f'fill="{(marbles[at][hole % 3] if hole % 3 < 2 else "") or "#8a4b2a"}"/>'
            for hole in range(4)
        )
        square = '<rect width="27" height="27" rx="4" fill="#c9803f"/>'
        parts.append(f'<g transform="translate({x} {y}) rotate({turn} 13 13)">{square}{holes}</g>')
    return "".join(parts)


def _oware() -> str:
    pits = "".join(
        f'<circle cx="{x}" cy="{y}" r="8" fill="#6b3f1d"/>' for x in (13, 32, 51) for y in (22, 42)
    )
    seeds = (
        (10, 20),
        (15, 20),
        (12, 25),
        (32, 22),
        (48, 40),
        (53, 40),
        (48, 45),
        (53, 45),
        (30, 42),
        (35, 42),
    )
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="2.6" fill="{LIGHT}"/>' for x, y in seeds)
    return f'<rect x="1" y="10" width="62" height="44" rx="14" fill="#a9713c" {LINE}/>{pits}{dots}'


def _chinese_checkers() -> str:
    star = f'<path d="M32 2 58 47H6zM32 62 6 17H58z" fill="{WOOD}"/>'
    tips = (
        (32, 9, RED),
        (51, 21, YELLOW),
        (51, 43, GREEN),
        (32, 55, BLUE),
        (13, 43, BLACK),
        (13, 21, WHITE),
    )
    holes = "".join(
        f'<circle cx="{x}" cy="{y}" r="3" fill="#a88350"/>'
        for x, y in ((32, 32), (24, 32), (40, 32), (28, 25), (36, 25), (28, 39), (36, 39))
    )
    return star + holes + "".join(_disc(x, y, 5, color) for x, y, color in tips)


def _einstein() -> str:
    grid = _lines("M22 2V62M42 2V62M2 22H62M2 42H62", "#cdbd95")
    blue = _disc(17, 17, 13, BLUE) + _text(17, 24, 20, "6", WHITE)
    arrow = _lines("M28 28 35 35M28 36H36V28", BLACK, 3)
    return _board() + grid + blue + arrow + _disc(47, 47, 13, WHITE) + _text(47, 54, 20, "1", BLACK)


def _quoridor() -> str:
    squares = "".join(
        f'<rect x="{6 + 19 * x}" y="{6 + 19 * y}" width="14" height="14" rx="2" fill="{LIGHT}"/>'
        for x in range(3)
        for y in range(3)
    )
    walls = _lines("M6 22.5H39M41.5 25V58", "#e08a2e", 5)
    return _board("#6d4a2c") + squares + walls + _disc(32, 13, 6, BLACK) + _disc(51, 51, 6, WHITE)


def _mills() -> str:
    squares = _lines(
        "M8 8H56V56H8zM17 17H47V47H17zM26 26H38V38H26zM32 8V26M32 38V56M8 32H26M38 32H56", RULE, 2
    )
    stones = ((8, 8, WHITE), (32, 8, WHITE), (56, 8, WHITE), (47, 47, BLACK), (17, 32, BLACK))
    return _board(WOOD) + squares + "".join(_disc(x, y, 6, color) for x, y, color in stones)


def _hive() -> str:
    tiles = ((32, 17, LIGHT), (17, 44, BLACK), (47, 44, LIGHT))
    hexes = "".join(_hexagon(x, y, 16.5, fill) for x, y, fill in tiles)
    wings = f'<ellipse cx="25" cy="12" rx="6" ry="4" fill="{WHITE}" {LINE}/>'
    wings += f'<ellipse cx="39" cy="12" rx="6" ry="4" fill="{WHITE}" {LINE}/>'
    bee = f'<ellipse cx="32" cy="18" rx="6.5" ry="9" fill="{YELLOW}" {LINE}/>'
    ant = (
        _lines("M9 38 25 50M25 38 9 50M8 44H26", WHITE, 2)
        + f'<circle cx="17" cy="44" r="4.5" fill="{WHITE}"/>'
    )
    hopper = f'<ellipse cx="47" cy="45" rx="5" ry="8" fill="{GREEN}"/>' + _lines(
        "M39 52 43 42M55 52 51 42", GREEN, 2
    )
    return hexes + wings + bee + _lines("M26 16H38M26 21H38", BLACK, 3) + ant + hopper


def _banqi() -> str:
    grid = _lines("M32 2V62M2 32H62")
    hidden = "".join(
        f'{_disc(x, y, 12, "#8a4b2a")}<circle cx="{x}" cy="{y}" r="7" fill="none" stroke="{WOOD}"/>'
        for x, y in ((47, 17), (17, 47))
    )
    shown = "".join(
        _disc(x, x, 12, LIGHT) + _lines(GUARD, color, 2.5, f'transform="translate({x} {x + 1})"')
        for x, color in ((17, RED), (47, BLACK))
    )
    return _board(WOOD) + grid + hidden + shown


def _pig() -> str:
    ears = f'<path d="M8 6 26 14 12 28zM56 6 38 14 52 28z" fill="#e58aa0" {LINE}/>'
    face = f'<circle cx="32" cy="35" r="25" fill="#f6b3c2" {LINE}/>'
    eyes = "".join(f'<circle cx="{x}" cy="28" r="3" fill="{BLACK}"/>' for x in (22, 42))
    snout = f'<ellipse cx="32" cy="42" rx="12" ry="9" fill="#e58aa0" {LINE}/>'
    return f'{ears}{face}{eyes}{snout}<path d="M28 38v7M36 38v7" {LINE}/>'


def _yacht() -> str:
    places = ((2, 2, 6), (38, 2, 5), (20, 20, 4), (2, 38, 3), (38, 38, 2))
    return "".join(draw_dice(f"translate({x} {y}) scale(.9)", number) for x, y, number in places)


def _hearts() -> str:
    heart = f'<path d="{SUITS["h"]}" transform="translate(2 0) scale(2.5)" fill="{RED}"/>'
    return f'{heart}<path d="{SUITS["s"]}" transform="translate(20 14) scale(1)" fill="{WHITE}"/>'


def _oh_hell() -> str:
    left = "M10 62C0 44 10 34 8 20c7 5 9 10 9 15C19 22 25 12 33 2"
    right = "c0 12 6 18 9 26 2-4 3-8 2-13 12 12 18 30 9 47z"
    fire = f'<path d="{left}{right}" fill="#f08a24"/>'
    return fire + f'<g transform="translate(9 18) scale(.72)">{draw_cards(["As"])}</g>'


def _cribbage() -> str:
    holes = "".join(
        f'<circle cx="{x}" cy="{y}" r="2" fill="{RULE}"/>'
        for x in range(8, 60, 8)
        for y in (46, 56)
    )
    board = f'<rect x="1" y="39" width="62" height="24" rx="5" fill="{WOOD}" {LINE}/>{holes}'
    pegs = _lines("M24 46V34", RED, 5) + _lines("M48 56V42", BLUE, 5)
    cards = f'<g transform="translate(9 -6) scale(.72)">{draw_cards(["5h", "Js"])}</g>'
    return cards + board + pegs


def _holdem() -> str:
    chip = f'<circle cx="46" cy="46" r="16" fill="{BLUE}" {LINE}/>'
    dashes = f'stroke="{WHITE}" stroke-width="5" stroke-dasharray="6 6.5"'
    rim = f'<circle cx="46" cy="46" r="12" fill="none" {dashes}/>'
    return f'<g transform="translate(-6 -6)">{draw_cards(["As", "Ah"])}</g>{chip}{rim}'


OWN_ICONS: dict[str, Callable[[], str]] = {
    "chess": lambda: _checks() + _figure("knight", "translate(5 4) scale(1.22)"),
    "antichess": lambda: _checks() + _figure("pawn", "translate(62 12) rotate(78) scale(1.2)"),
    "crazyhouse": _crazyhouse,
    "xiangqi": _xiangqi,
    "shogi": _shogi,
    "checkers": _checkers,
    "breakthrough": _breakthrough,
    "linesofaction": _lines_of_action,
    "amazons": _amazons,
    "ultimate": _ultimate,
    "pentago": _pentago,
    "hex": lambda: _hexes((".rb..", "bbrr.", ".rbb.", "..rbb"), 1, 5.5),
    "havannah": lambda: _hexes((".kk.", ".k.kw", "wk..k.", ".wkkk", "w..w"), 0, 6),
    "y": lambda: _hexes((".k..k", "wk.k", ".kk", "wk", "k"), 0, 7),
    "oware": _oware,
    "chinesecheckers": _chinese_checkers,
    "einstein": _einstein,
    "quoridor": _quoridor,
    "ninemensmorris": _mills,
    "hive": _hive,
    "banqi": _banqi,
    "pig": _pig,
    "yacht": _yacht,
    "ginrummy": lambda: draw_cards(["7d", "8d", "9d"]),
    "hearts": _hearts,
    "ohhell": _oh_hell,
    "crazyeights": lambda: draw_cards(["8c", "8h"]),
    "cribbage": _cribbage,
    "holdem": _holdem,
    "battleship": lambda: SHIP,
}


def draw_own(name: str) -> str | None:
    """Return the icon of a game that has one here."""
    return framed(OWN_ICONS[name]()) if name in OWN_ICONS else None
