"""Contrasts (WCAG 1.4.3 and 1.4.11), computed from the tokens of the style sheet."""

from __future__ import annotations

import re
from math import cos, radians, sin

import pytest

from tests.terminal.processes import ROOT


def sheet(path: str) -> str:
    """Return a style sheet, with each color in six digits."""
    text = (ROOT / "tictac/plugins" / path).read_text("utf-8")
    return re.sub(r"#([0-9a-f]{3})\b", lambda short: f"#{''.join(2 * d for d in short[1])}", text)


TOKENS = sheet("web/static/css/tokens.css")
NIM = sheet("games/nim/page/style.css")
FRONT = sheet("web/static/css/front.css")
PLAIN: dict[str, str] = dict(re.findall(r"^ +(--[\w-]+): (#[0-9a-f]{6});$", TOKENS, re.M))


def chosen(sheet: str) -> dict[str, tuple[str, str]]:
    """Return the tokens of a style sheet with two colors, for light and dark."""
    pattern = r"^ +(--[\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);$"
    return {name: (light, dark) for name, light, dark in re.findall(pattern, sheet, re.M)}


CHOSEN, NIMS = chosen(TOKENS), chosen(NIM)

TEXT = 4.5
SIGN = 3.0

PAIRS = [
    *(("--ink", ground, TEXT) for ground in ("--paper", "--card", "--sunken", "--raised")),
    *(("--soft", ground, TEXT) for ground in ("--paper", "--card", "--sunken", "--raised")),
    *(("--accent", ground, TEXT) for ground in ("--paper", "--card")),
    ("--on-accent", "--accent", TEXT),
    ("--on-accent", "--accent-strong", TEXT),
    ("--accent-strong", "--wash", TEXT),
    *((f"--{state}", f"--{state}-wash", TEXT) for state in ("good", "bad")),
    *((f"--{state}", "--card", TEXT) for state in ("good", "bad")),
    ("--card", "--bad", TEXT),
    ("--paper", "--ink", TEXT),
    ("--edge", "--card", SIGN),
    ("--edge", "--paper", SIGN),
    ("--slate-line", "--slate", SIGN),
    ("--x", "--slate", SIGN),
    ("--o", "--slate", SIGN),
    ("--felt-line", "--felt", SIGN),
    ("--disc-black", "--felt", SIGN),
    ("--disc-white", "--felt", SIGN),
    ("--rack-hole", "--rack", SIGN),
    ("--pebble", "--tray", SIGN),
    ("--o", "--tray", SIGN),
]
"""What is seen on what, and the least contrast."""


def luminance(color: str) -> float:
    """Return the relative luminance of a color, as WCAG defines it."""
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colors."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def color(name: str, scheme: int) -> str:
    """Return the value of a token in light (0) or dark (1)."""
    own = CHOSEN | NIMS
    return own[name][scheme] if name in own else PLAIN[name]


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_what_must_be_seen_stands_out(scheme: int) -> None:
    found = {
        (one, ground): round(contrast(color(one, scheme), color(ground, scheme)), 2)
        for one, ground, least in PAIRS
        if contrast(color(one, scheme), color(ground, scheme)) < least
    }
    assert found == {}


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_pieces_stand_out_from_a_hole_by_their_edge_or_their_color(scheme: int) -> None:
    hole = color("--rack-hole", scheme)
    for piece in ("red", "yellow"):
        parts = (color(f"--{piece}", scheme), color(f"--{piece}-edge", scheme))
        assert max(contrast(part, hole) for part in parts) >= SIGN, piece


def test_older_browsers_get_the_light_colors() -> None:
    assert {name: light for name, (light, _) in CHOSEN.items()}.items() <= PLAIN.items()


# The grounds of games, of any hue

OKLCH = re.compile(
    r"light-dark\(oklch\((\d+)% ([\d.]+) var\(--h\)\), oklch\((\d+)% ([\d.]+) var\(--h\)\)\)"
)


def brightness(lightness: float, chroma: float, hue: float) -> float:
    """Return the luminance of a color in OKLCH; source: CSS Color 4, section 10."""
    a, b = chroma * cos(radians(hue)), chroma * sin(radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    red = 4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short
    green = -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short
    blue = -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short
    parts = [min(1.0, max(0.0, part)) for part in (red, green, blue)]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("hue", range(0, 360, 5))
def test_ink_and_letters_stand_out_on_the_ground_of_any_game(scheme: int, hue: int) -> None:
    found = [tuple(map(float, each)) for each in OKLCH.findall(FRONT)]
    assert len(found) == 2, "the ground, and letters in place of an icon"
    ground, letters = (
        brightness(each[2 * scheme] / 100, each[2 * scheme + 1], hue) for each in found
    )
    for value in (luminance(color("--ink", scheme)), letters):
        low, high = sorted((value, ground))
        assert (high + 0.05) / (low + 0.05) >= 7
