"""The page in another language: every view of a visit, and the choice."""

from __future__ import annotations

import pytest
from selenium.webdriver.support.ui import Select

from tests.plugins.web.axe import faults
from tests.plugins.web.browser import Browser, PageServer
from tests.plugins.web.catalogues import TEXTS
from tests.plugins.web.untranslated import GERMAN, english

WITHIN = """
return [...document.querySelectorAll(".mansion .way")].map((way) => {
  const { x, y, width, height } = way.getBBox();
  const floor = way.parentElement.querySelector(".floor");
  return [x, x + width].every((at) => floor.isPointInFill(new DOMPoint(at, y + height / 2)));
});
"""
"""Whether the words at each secret passage stand in their room."""


def choose(browser: Browser, language: str) -> None:
    """Choose a language at the front page."""
    Select(browser.all(".tongue .languages")[0]).select_by_value(language)
    browser.wait(lambda: lang(browser) == language)


def lang(browser: Browser) -> str | None:
    """Return the language of the page."""
    return browser.all("html")[0].get_attribute("lang")


@pytest.mark.parametrize(
    "path", ["", "room/nowhere", "ratings", "rules/clue", "player/nobody", "match/none", "nothing"]
)
def test_nothing_is_english_before_a_login(server: PageServer, browser: Browser, path: str) -> None:
    browser.open(server.url, to_log_in=False)
    choose(browser, "de")
    browser.driver.get(server.url + path)
    browser.wait(lambda: len(browser.all("h1")) and browser.driver.title)
    browser.wait(lambda: english(browser) == set(), path)
    assert lang(browser) == "de" and faults(browser) == []


@pytest.mark.parametrize("game", ["tictactoe", "connectfour", "reversi", "nim", "clue"])
def test_nothing_is_english_in_a_match(server: PageServer, browser: Browser, game: str) -> None:
    browser.open(server.url, to_log_in=False)
    choose(browser, "de")
    browser.click("to-sign-in")
    browser.wait_for_view("sign-in")
    assert english(browser) == set()
    browser.click("to-register")
    browser.register(f"de-{game}")
    browser.pick("game", game)
    browser.driver.execute_script("document.getElementById('open-more').open = true")
    for way in ("anybody", "friend", "computer"):
        browser.click(f"way-{way}")
        assert english(browser) == set()
    browser.open_table(game, beginner(game))
    browser.wait(lambda: browser.text("state"))
    if game == "clue":
        assert browser.driver.execute_script(WITHIN) == [True] * 4
    browser.click("how")
    browser.wait(lambda: browser.all("#rules-list li"))
    assert english(browser) == set()
    browser.click("gear")
    assert english(browser) == set() and "Sprache" in browser.text("settings")
    browser.click_on("#settings .close")
    browser.resign()
    if game != "clue":  # where the others play on
        browser.wait(lambda: browser.text("end-title"))
    browser.wait(lambda: english(browser) == set())
    assert browser.complaints() == []


def beginner(game: str) -> str:
    """Return the first level of a game."""
    return "random" if game == "clue" else "beginner"


@pytest.mark.parametrize(("language", "name"), [("de", "Gast"), ("fr", "Invité")])
def test_a_guest_is_called_so_in_every_language(
    server: PageServer, browser: Browser, language: str, name: str
) -> None:
    browser.open(server.url, to_log_in=False)
    choose(browser, language)
    browser.click_on("#front-games button.main")
    browser.wait_for_view("table")
    browser.wait(lambda: f"{name} " in browser.text("table"))
    assert browser.text("user").startswith(f"{name} ")


def test_until_it_is_known_who_is_there_no_language_is_offered(
    server: PageServer, browser: Browser
) -> None:
    browser.open(server.url, to_log_in=False)
    assert browser.all(".tongue")[0].is_displayed()
    hide = "for (const id of ['who', 'to-sign-in']) document.getElementById(id).hidden = true"
    browser.driver.execute_script(hide)  # as the page comes
    assert not browser.all(".tongue")[0].is_displayed()


def test_the_settings_fit_a_small_phone(server: PageServer, browser: Browser) -> None:
    browser.open(server.url, (320, 700), to_log_in=False)
    choose(browser, "de")
    browser.driver.execute_script("document.getElementById('settings').showModal()")
    settings = browser.find("settings").rect
    for tab in browser.all("#settings .tab"):
        assert tab.rect["x"] + tab.rect["width"] <= settings["x"] + settings["width"]


def test_the_choice_stays_and_can_be_taken_back(server: PageServer, browser: Browser) -> None:
    browser.open(server.url, to_log_in=False)
    assert lang(browser) == "en"
    choose(browser, "de")
    browser.wait_for_text("front-title", GERMAN["front"]["title"])
    browser.driver.refresh()
    browser.wait_for_text("front-title", GERMAN["front"]["title"])
    choose(browser, "en")
    browser.wait_for_text("front-title", TEXTS["front"]["title"])
