"""Games that bring their own part of the page along, from packages that pip has installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from selenium.webdriver.common.keys import Keys

from tests.installing import CROSSES, KALAH, installing
from tests.plugins.web.axe import faults
from tests.plugins.web.browser import (
    DESKTOP,
    PHONE,
    YOUR_TURN,
    Browser,
    PageServer,
    scrolls_sideways,
)
from tests.plugins.web.fake import run

PIT = ".kalah .pit-row:last-child .pit"


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """Yield a server with Kalah, and with the games of tests/crosses."""
    folder = tmp_path_factory.mktemp("outside")
    with installing(KALAH, CROSSES) as path, PageServer(folder, path=path) as running:
        yield running


LABELS = """
const row = document.querySelectorAll(".kalah .pit-row")[arguments[0]];
return [...(row?.children ?? [])].map((cell) => cell.firstChild.ariaLabel);
"""


def pits(browser: Browser, row: int = 1) -> list[str]:
    """Return the labels of a row of pits, from left to right."""
    labels: list[str] = run(browser, LABELS, row)
    return labels


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_kalah_is_played_by_mouse_and_by_keyboard(
    outside: PageServer, browse: Callable[[int], list[Browser]], size: tuple[int, int], scheme: str
) -> None:
    alice, bob = browse(2)
    names = [f"{name}-{scheme}" for name in ("alice", "bob")]
    for browser, name in zip((alice, bob), names, strict=True):
        browser.open(outside.url, size, scheme)
        browser.register(name)
    alice.open_table("kalah", "anybody", f"den {scheme}")
    bob.enter(f"den {scheme}", "Join")
    alice.wait_for_text("state", YOUR_TURN)
    alice.wait(lambda: alice.label() == f"{names[0]}, pit 1: 4 seeds")
    alice.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ENTER)  # the third ends in the store
    alice.wait(lambda: pits(alice)[2] == f"{names[0]}, pit 3: 0 seeds, last move")
    alice.wait_for_text("state", YOUR_TURN)
    alice.click_on(PIT, 5)
    bob.wait_for_text("state", YOUR_TURN)
    bob.hears(f"*{names[0]}: pit 6, 5 seeds. {YOUR_TURN}")
    assert bob.text("last") == f"Last move: {names[0]}, pit 6, 5 seeds"
    # Bob has the row below on his own screen.
    assert pits(bob)[:2] == [f"{names[1]}, pit {pit}: 5 seeds" for pit in (1, 2)]
    assert pits(alice, 0)[-1] == f"{names[1]}, pit 1: 5 seeds"
    bob.click_on(PIT, 0)
    alice.wait_for_text("state", YOUR_TURN)
    for browser in (alice, bob):
        assert faults(browser) == [] and not scrolls_sideways(browser)
    alice.resign()
    bob.wait_for_text("end-title", "You won")
    assert faults(bob) == []
    for browser in (alice, bob):
        assert browser.complaints() == []


def test_a_viewer_and_a_replay_show_kalah(
    outside: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    alice, vera = browse(2)
    for browser, name in ((alice, "alice-v"), (vera, "vera")):
        browser.open(outside.url)
        browser.register(name)
    alice.open_table("kalah", "beginner", "hall", pits=3, seeds=1)
    vera.enter("hall", "Watch")
    vera.wait(lambda: len(vera.all(PIT)) == 3)
    assert vera.all(f"{PIT}[aria-disabled=false]") == []
    alice.wait_for_text("state", YOUR_TURN)
    alice.click_on(PIT, 2)
    alice.wait(lambda: "pit 3: 0 seeds" in pits(alice)[2])
    vera.wait(lambda: "pit 3: 0 seeds" in pits(vera)[2])
    alice.wait_for_text("state", YOUR_TURN)
    alice.resign()
    alice.click("replay")
    alice.wait(lambda: alice.all(".steps .kalah"))
    match = alice.find("replay").get_attribute("href")
    vera.menu("log-out")  # a stranger
    vera.driver.get(f"{match}/1")
    vera.wait(lambda: pits(vera) and "pit 3: 0 seeds, last move" in pits(vera)[2])
    assert "pit 3" in vera.text("match-moves") and vera.complaints() == alice.complaints() == []


def test_a_board_from_nothing(outside: PageServer, browse: Callable[[int], list[Browser]]) -> None:
    play_crosses(outside, browse(2), "crosses", ".crosses button")


def test_a_board_of_cells(outside: PageServer, browse: Callable[[int], list[Browser]]) -> None:
    alice, bob = browse(2)
    play_crosses(outside, [alice, bob], "cells", ".board .cell")
    assert len(bob.all(".cell.won")) == 3 and bob.board() == "ccc......"


def play_crosses(server: PageServer, browsers: list[Browser], game: str, cell: str) -> None:
    """Let two play Treblecross, whose cells a selector finds, to its end."""
    for number, browser in enumerate(browsers):
        browser.open(server.url)
        browser.register(f"{game}-{number}")
    alice, bob = browsers
    alice.open_table(game, "anybody", game)
    bob.enter(game, "Join")
    for mover, number in ((alice, 0), (bob, 1), (alice, 2)):
        mover.wait_for_text("state", YOUR_TURN)
        mover.wait(lambda: len(mover.all(cell)) == 9)  # noqa: B023
        mover.click_on(cell, number)
    alice.wait_for_text("state", "You won.")
    bob.wait_for_text("state", "You lost.")
    for browser in browsers:
        assert faults(browser) == [] and browser.complaints() == []


def test_games_with_one_folder_have_a_board_each(
    outside: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    alice, bob = browse(2)
    for browser, name in ((alice, "alice-s"), (bob, "bob-s")):
        browser.open(outside.url)
        browser.register(name)
    for game in ("left", "right"):
        alice.open_table(game, "anybody", game)
        bob.enter(game, "Join")
        for browser in (alice, bob):
            browser.wait_for_text("face", f"{game.capitalize()}: ......... A")
        bob.resign()
        alice.wait_for_text("end-title", "You won")
        for browser in (alice, bob):
            browser.driver.get(f"{outside.url}game")
            browser.wait_for_view("lobby")
    assert alice.complaints() == bob.complaints() == []


def test_a_broken_folder_costs_a_line_and_the_game_is_shown_as_a_picture(
    outside: PageServer, browser: Browser
) -> None:
    lines = [line for line in outside.log.splitlines() if "the page of" in line]
    (line,) = lines
    assert "the page of empty is broken: ValueError('no board.js')" in line
    browser.open(outside.url)
    browser.register("carol")
    browser.open_table("empty", "anybody")
    browser.wait_for_text("face", "......... A")
    assert browser.complaints() == []
