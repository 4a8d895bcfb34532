"""Nothing moves by itself: from the front page through a seat and a match to its end, and back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.plugins.web.browser import DESKTOP, PHONE, YOUR_TURN, Browser, PageServer
from tests.plugins.web.fake import begin, enter, run, tell
from tests.plugins.web.shown import FIRST_MOVES, STARTED
from tests.plugins.web.walk import SHIFTS, click_at

MOST_SHIFT = 0.01
"""The most that everything moves by itself, as browsers count it (layout shift)."""

TITLES = {"tictactoe": "Tic-tac-toe", "nim": "Nim", "reversi": "Reversi"}

MOST_CLICKS = 200

SEAT = """
const button = document.querySelector(`[aria-label="Play the computer: ${arguments[0]}"]`);
button.scrollIntoView({ block: "center", behavior: "instant" });
const { left, top, width, height } = button.getBoundingClientRect();
return [left + width / 2, top + height / 2];
"""

NEXT = """
// Where a person would click now; "over" when the card of the end is shown; null: not yet.
if (!document.getElementById("over").hidden) return "over";
if (!document.getElementById("state").textContent.startsWith("Your turn")) return null;
const CELLS = ".board .cell[aria-disabled=false], [role=gridcell] > [aria-disabled=false]";
const take = document.querySelector("#nim-take.main");
const all = take ? [take] : [...document.querySelectorAll(CELLS)];
const found = all.filter((each) => each.checkVisibility() && !each.disabled);
if (!found.length) return null;
const chosen = found[Math.floor(Math.random() * found.length)];
const at = chosen.getBoundingClientRect();
if (at.bottom > innerHeight || at.top < 0) {
  chosen.scrollIntoView({ block: "center", behavior: "instant" });
}
const { left, top, width, height } = chosen.getBoundingClientRect();
return [left + width / 2, top + height / 2];
"""


def shifted(browser: Browser) -> list[list[Any]]:
    """Return what has moved since the last time."""
    found: list[list[Any]] = run(browser, "return window.shifts.splice(0)")
    return found


def check_calm(browser: Browser, where: str) -> None:
    """Fail if more has moved since the last time than may.

    The frame of all views isn't seen itself, and each view has a width of its own.
    """
    shifts = [each for each in shifted(browser) if set(each[1:]) != {"main"}]
    assert sum(each[0] for each in shifts) <= MOST_SHIFT, (where, shifts)


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
@pytest.mark.parametrize("game", TITLES)
def test_a_walk_from_the_front_page_to_the_end_and_back(
    server: PageServer, browser: Browser, game: str, size: tuple[int, int]
) -> None:
    browser.open(server.url, size, to_log_in=False, script=SHIFTS)
    browser.wait(lambda: browser.all("#front-games button"))
    run(browser, "window.watched = true")
    click_at(browser, *run(browser, SEAT, TITLES[game]))
    browser.wait_for_view("table")
    browser.wait_for_text("state", YOUR_TURN)
    check_calm(browser, "seat")
    for _ in range(MOST_CLICKS):
        at: Any = browser.wait(lambda: run(browser, NEXT), game)
        if at == "over":
            break
        click_at(browser, *at)
    assert browser.shows("over")
    check_calm(browser, "match")
    browser.click_on(".brand")
    browser.wait_for_view("home")
    check_calm(browser, "back")
    assert browser.complaints() == []


@pytest.mark.parametrize("size", [PHONE, (320, 568), (844, 390)])
def test_an_offer_covers_nothing_of_the_match(
    server: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    enter(browser, server, size=size, script=SHIFTS)
    begin(browser, "reversi", position=STARTED, moves=FIRST_MOVES)
    run(browser, "window.watched = true")
    tell(browser, "offered", n=3, seat=1, what="draw", state="offered")
    browser.wait(lambda: browser.shows("accept"))
    covered = """
    const bar = document.getElementById("answers").getBoundingClientRect();
    const parts = [...document.querySelectorAll("#side, #face, #table .player, #state, .act")];
    const shown = parts.filter((each) => each.checkVisibility({ visibilityProperty: true }));
    return shown.filter((each) => {
      const { left, right, top, bottom } = each.getBoundingClientRect();
      return left < bar.right && right > bar.left && top < bar.bottom && bottom > bar.top;
    }).map((each) => each.id || each.className);
    """
    assert run(browser, covered) == []
    check_calm(browser, "offer")
