"""Contrasts (WCAG 1.4.3 and 1.4.11), computed from the tokens of the style sheet."""

from __future__ import annotations

import re

import pytest

from tests.terminal.processes import ROOT

TOKENS = (ROOT / "tictac/plugins/web/static/css/tokens.css").read_text("utf-8")
PLAIN: dict[str, str] = dict(re.findall(r"^ +(--[\w-]+): (#[0-9a-f]{6});$", TOKENS, re.M))
CHOSEN: dict[str, tuple[str, str]] = {
    name: (light, dark)
    for name, light, dark in re.findall(
        r"^ +(--[\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);$", TOKENS, re.M
    )
}

TEXT = 4.5
SIGN = 3.0

PAIRS = [
    *(("--ink", ground, TEXT) for ground in ("--paper", "--card", "--sunken", "--raised")),
    *(("--soft", ground, TEXT) for ground in ("--paper", "--card", "--sunken", "--raised")),
    *(("--accent", ground, TEXT) for ground in ("--paper", "--card")),
    ("--on-accent", "--accent", TEXT),
    ("--on-accent", "--accent-strong", TEXT),
    ("--accent-strong", "--wash", TEXT),
    *((f"--{state}", f"--{state}-wash", TEXT) for state in ("good", "bad", "warn")),
    *((f"--{state}", "--card", TEXT) for state in ("good", "bad", "warn")),
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
    return CHOSEN[name][scheme] if name in CHOSEN else PLAIN[name]


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
