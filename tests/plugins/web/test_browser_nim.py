"""Nim on the page: its heaps in sight, pebbles by mouse and keyboard, dents of what was taken."""

from __future__ import annotations

from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from tests.plugins.web.axe import faults
from tests.plugins.web.browser import PHONE, YOUR_TURN, Browser, PageServer, scrolls_sideways
from tests.plugins.web.fake import answer, asked, begin, enter, run, tell
from tests.plugins.web.walk import SHIFTS

SMALL = (320, 568)
LARGEST = {"numbers": 5, "smallest": 1, "largest": 7}

SEEN = """
const at = (each) => each.getBoundingClientRect();
const isInSight = (each) => at(each).top >= 0 && at(each).bottom <= innerHeight;
const all = (selector) => [...document.querySelectorAll(selector)];
return {
  heaps: all(".heap").map((heap) => heap.querySelectorAll(".stone").length),
  sights: [...all(".heap"), ...all("#nim-take")].map(isInSight),
  sizes: all(".stone").map((each) => [at(each).width, at(each).height].map(Math.round).join("x")),
  scrolled: scrollY,
  tray: all(".nim .tray").map((each) => each.scrollHeight - each.clientHeight)[0],
};
"""

DRAWN = """
const done = arguments[0];
requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
"""
"""Waits until the browser has drawn what has changed, and said what has moved."""

DENTS = """
return [...document.querySelectorAll(".heap")].map((heap) =>
  heap.querySelectorAll(".stone").length + "+" + heap.querySelectorAll(".dent").length)
"""


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "light"), (SMALL, "dark")])
@pytest.mark.parametrize("chance", [0, 0.999])
def test_all_heaps_are_in_sight_from_the_front_page(
    server: PageServer, browser: Browser, size: tuple[int, int], scheme: str, chance: float
) -> None:
    """Acceptance 10: 3-5 heaps of at most 7 pebbles of one size, without scrolling."""
    script = f"Math.random = () => {chance}"
    browser.open(server.url, size, scheme, to_log_in=False, script=script)
    browser.click_on("[aria-label='Play the computer: Nim']")
    browser.wait_for_view("table")
    browser.wait_for_text("state", YOUR_TURN)
    browser.wait(lambda: browser.all(".stone"))
    seen: dict[str, Any] = run(browser, SEEN)
    assert len(seen["heaps"]) == (5 if chance else 4)
    assert min(seen["heaps"]) >= 1 and max(seen["heaps"]) <= 7
    assert all(seen["sights"]) and seen["scrolled"] == 0 and seen["tray"] <= 0
    assert len({*seen["sizes"]}) == 1
    assert not scrolls_sideways(browser) and faults(browser) == []
    browser.resign()


@pytest.mark.parametrize("size", [PHONE, SMALL, (844, 390)])
def test_so_are_the_most_that_the_page_asks_for(
    server: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    """Acceptance 10, where it is tightest."""
    enter(browser, server, size=size)
    begin(browser, "nim", position="0:7,7,7,7,7", options=LARGEST)
    seen: dict[str, Any] = run(browser, SEEN)
    assert seen["heaps"] == [7] * 5 and all(seen["sights"]) and seen["tray"] <= 0
    [pebble] = {*seen["sizes"]}
    assert min(map(int, pebble.split("x"))) >= 24


def test_the_keyboard_chooses_and_takes(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin(browser, "nim", position="0:3,5,4", options={**LARGEST, "numbers": 3})
    assert browser.text("nim-take") == "Choose pebbles"
    browser.click("nim-take")
    assert browser.label() == "Heap 1, pebble 1 of 3: take 3"
    browser.press(Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
    assert browser.label() == "Heap 2, pebble 2 of 5: take 4"
    assert browser.text("nim-take") == "Take 4 from heap 2" and len(browser.all(".chosen")) == 4
    browser.press(Keys.ENTER)
    assert answer(browser, "move", at=4)["move"] == "1:4"
    tell(browser, "moved", n=4, seat=0, move="1:4", position="1:3,1,4", turn=1)
    assert browser.text("nim-take") == "Choose pebbles" and not browser.all(".chosen")
    browser.press(Keys.ARROW_UP)
    assert not browser.all(".chosen"), "it is the other player's turn"
    assert len(asked(browser, "move")) == 1


def test_what_was_taken_leaves_dents(server: PageServer, browser: Browser) -> None:
    enter(browser, server, script=SHIFTS)
    # The page comes in the middle: only the moves are told, and one of them has emptied a heap.
    record = [[3, "moved", 0, "1:2"], [4, "moved", 1, "0:1"], [5, "undone", 1, 1]]
    options = {**LARGEST, "numbers": 4}
    begin(browser, "nim", position="0:3,5,4", n=5, options=options, record=record)
    assert run(browser, DENTS) == ["3+0", "0+2", "5+0", "4+0"]
    run(browser, "window.watched = true")
    tell(browser, "moved", n=6, seat=0, move="1:5", position="1:3,4", turn=1)
    tell(browser, "moved", n=7, seat=1, move="0:1", position="0:2,4", turn=0)
    assert run(browser, DENTS) == ["2+1", "0+2", "0+5", "4+0"]
    assert len(browser.all(".fresh")) == 1
    assert browser.all(".heap[role=row]")[1].text.split("\n")[-1].strip() == "Heap 4"
    ended = {"n": 9, "how": "won", "winner": 1, "move": "0:2", "position": "1:"}
    tell(browser, "moved", n=8, seat=0, move="1:4", position="1:2", turn=1)
    tell(browser, "ended", **ended)
    assert run(browser, DENTS) == ["0+3", "0+2", "0+5", "0+4"]
    assert "Nothing is left." in browser.text("face")
    browser.driver.execute_async_script(DRAWN)
    shifts = run(browser, "return window.shifts")
    assert sum(shift[0] for shift in shifts if "stone" in str(shift)) == 0, shifts


def test_heaps_keep_their_numbers(server: PageServer, browser: Browser) -> None:
    """The server lists only the heaps that are left: the page calls each by its place."""
    enter(browser, server)
    begin(browser, "nim", position="0:3,5,4", options={**LARGEST, "numbers": 3})
    tell(browser, "moved", n=4, seat=0, move="1:5", position="1:3,4", turn=1)
    tell(browser, "moved", n=5, seat=1, move="1:1", position="0:3,3", turn=0, moves=["1:3"])
    assert browser.text("last") == "Last move: bob, 1 from heap 3"
    assert [each.split()[-1] for each in browser.texts(".heap > :first-child")] == ["1", "2", "3"]
    browser.click_on("[data-move='1:3']")
    assert browser.text("nim-take") == "Take 3 from heap 3"
    assert browser.all("[aria-label='Heap 3, pebble 1 of 3: take 3']")
    browser.click("nim-take")
    assert answer(browser, "move", at=6)["move"] == "1:3"
    # A page that comes later has seen no position before a move.
    record = [[4, "moved", 0, "1:5"], [5, "moved", 1, "1:1"], [6, "undone", 1, 1]]
    record.append([7, "moved", 1, "1:2"])
    options = {**LARGEST, "numbers": 3}
    begin(browser, "nim", position="0:3,2", n=7, options=options, record=record)
    browser.wait_for_text("last", "Last move: bob, 2 from heap 3")


def test_nim_has_no_draw(server: PageServer, browser: Browser) -> None:
    """Its board says so: the page offers none, and its rules speak of heaps and pebbles."""
    enter(browser, server, size=PHONE)
    begin(browser, "nim", position="0:3,4,5", record=[[3, "moved", 1, "0:1"]])
    browser.wait(lambda: browser.all(".stone"))
    assert browser.shown("offer", "takeback", "resign") == ["takeback", "resign"]
    tell(browser, "offered", n=4, seat=1, what="takeback")
    assert browser.shown("accept", "decline") == ["accept", "decline"]
