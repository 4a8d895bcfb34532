"""The page in a language that is written from right to left: English words in such a catalogue."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from selenium.webdriver.common.keys import Keys

from tests.plugins.web.axe import faults
from tests.plugins.web.browser import PHONE, Browser, PageServer, scrolls_sideways
from tests.plugins.web.catalogues import TEXTS, written

ARABIC = {**TEXTS, "language": "ar", "direction": "rtl"}


@pytest.fixture(scope="module")
def rtl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    folder = tmp_path_factory.mktemp("rtl")
    texts = written(folder / "ar.json", ARABIC)
    with PageServer(folder, "--guests", "--web-texts", texts) as server:
        yield server


@pytest.mark.parametrize(
    "path", ["", "rules/reversi", "ratings", "tournaments", "watch", "nowhere"]
)
def test_a_view_fits_a_phone(rtl: PageServer, browser: Browser, path: str) -> None:
    browser.open(rtl.url, PHONE, to_log_in=False)
    browser.driver.get(rtl.url + path)
    browser.wait(lambda: any(each.is_displayed() for each in browser.all("h1")))
    assert browser.all("html")[0].get_attribute("dir") == "rtl"
    assert not scrolls_sideways(browser)
    assert faults(browser) == []


def test_a_board_keeps_its_directions(rtl: PageServer, browser: Browser) -> None:
    """Columns are lettered from the left in every language; only the text around turns."""
    browser.open(rtl.url, PHONE, to_log_in=False)
    browser.wait(lambda: browser.all(".game"))
    browser.click_on(".game button", 0)
    browser.wait_for_view("table")
    browser.wait(lambda: len(browser.all(".cell")) == 9)
    left, middle = (each.rect["x"] for each in browser.all(".cell")[:2])
    assert left < middle
    assert not scrolls_sideways(browser)


def test_arrow_keys_follow_the_tabs(rtl: PageServer, browser: Browser) -> None:
    """The next tab is at the left."""
    browser.open(rtl.url, to_log_in=False)
    browser.wait(lambda: browser.all(".game"))
    browser.click_on(".game button", 0)
    browser.wait_for_view("table")
    tabs = [each for each in browser.all("[role=tab]") if each.is_displayed()]
    assert len(tabs) > 1 and tabs[1].rect["x"] < tabs[0].rect["x"]
    tabs[0].click()
    tabs[0].send_keys(Keys.ARROW_LEFT)
    browser.wait(lambda: tabs[1].get_attribute("aria-selected") == "true")
