"""Views without anything to show: each has a drawing, and says what to do next."""

from __future__ import annotations

import pytest

from tests.plugins.web.axe import faults
from tests.plugins.web.browser import DESKTOP, PHONE, Browser, PageServer, scrolls_sideways

PICTURED = """
const image = document.querySelector(arguments[0] + " .empty:not([hidden]) > .face");
return image?.checkVisibility() && image.complete && image.naturalWidth > 0;
"""


def look(browser: Browser, path: str, title: str, link: str) -> None:
    """Check the empty view at a path, whose first link leads on."""
    view = f"#{path.partition('/')[0]}"
    browser.wait(lambda: browser.driver.execute_script(PICTURED, view))
    assert browser.texts(f"{view} .empty:not([hidden]) h2") == [title]
    assert browser.texts(f"{view} .empty:not([hidden]) > p")[0].endswith(".")
    (first, *_) = browser.all(f"{view} .empty:not([hidden]) a.button")
    assert str(first.get_attribute("href")).endswith(link)
    assert first.value_of_css_property("color") != first.value_of_css_property("background-color")
    assert faults(browser) == [] and not scrolls_sideways(browser)
    assert browser.complaints() == []


@pytest.mark.parametrize(
    ("scheme", "size"), [("light", DESKTOP), ("dark", PHONE), ("light", (320, 700))]
)
def test_a_stranger_sees_what_to_do_next(
    restarted: PageServer, browser: Browser, scheme: str, size: tuple[int, int]
) -> None:
    browser.open(restarted.url, size, scheme, to_log_in=False)
    for path, title, link in (
        ("tournaments", "No tournaments yet", "/"),
        ("watch", "No one is playing right now", "/"),
        ("ratings/nim", "No player has a rating here yet", "/game/nim/anybody"),
        ("player/nobody", "No finished matches", "/"),
    ):
        browser.driver.get(f"{restarted.url}{path}")
        look(browser, path, title, link)
        if path == "watch":
            browser.wait(lambda: browser.shows("watch-show"))  # two computers
            assert faults(browser) == [] and not scrolls_sideways(browser)
    assert not browser.shows("player-game")


def test_who_has_no_games_begins_one(restarted: PageServer, browser: Browser) -> None:
    browser.open(restarted.url)
    browser.register("alice-n")
    browser.driver.get(f"{restarted.url}mine")
    look(browser, "mine", "No games right now", "/")


def test_who_may_create_no_tournament_reads_who_may(
    restarted: PageServer, browser: Browser
) -> None:
    browser.open(restarted.url, PHONE)
    browser.register("alice-m")
    browser.driver.get(f"{restarted.url}tournaments")
    browser.wait_for_text("tournaments", "admins create tournaments")
    look(browser, "tournaments", "No tournaments yet", "/")


def test_a_choice_that_fits_no_match_isnt_pictured(restarted: PageServer, browser: Browser) -> None:
    browser.open(restarted.url, to_log_in=False)
    browser.driver.get(f"{restarted.url}player/nobody?game=nim")
    browser.wait_for_text("player", "No match fits that choice.")
    assert not browser.shows("player-none")
