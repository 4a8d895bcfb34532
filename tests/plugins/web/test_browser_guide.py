"""How to play: the rules of each game on the page."""

from __future__ import annotations

import pytest

from tests.plugins.web.axe import faults
from tests.plugins.web.browser import DESKTOP, PHONE, Browser, PageServer, scrolls_sideways


@pytest.mark.parametrize(
    ("scheme", "size"), [("light", DESKTOP), ("dark", PHONE), ("light", (320, 700))]
)
def test_a_stranger_reads_the_rules(
    server: PageServer, browser: Browser, scheme: str, size: tuple[int, int]
) -> None:
    browser.open(server.url, size, scheme, to_log_in=False)
    browser.driver.get(f"{server.url}rules/reversi")
    browser.wait(lambda: browser.all("#guide-rules li"))
    assert browser.text("guide-title") == "How to play Reversi"
    assert browser.texts(".guide .hint")[0] == "2 players", "the archive knows no minutes"
    assert not browser.shows("guide-goal"), "the pictures say it"
    assert browser.text("guide-try") == "Try it against Pip"
    assert browser.texts(".line-said") == ["More discs is better, right?"]
    assert "enclose" in browser.text("guide-rules").lower()
    assert "black and white. Black begins." in browser.text("guide-rules")
    assert browser.focused == "guide-title"
    assert faults(browser) == [] and not scrolls_sideways(browser)
    browser.click_on(".guide-games a[href='/rules/nim']")
    browser.wait_for_text("guide-title", "How to play Nim")
    browser.wait(lambda: browser.all("#guide-rules li"))
    current = browser.all(".guide-games [aria-current]")
    assert [each.text for each in current if each.is_displayed()] == ["Nim"]
    assert browser.complaints() == []


@pytest.mark.parametrize("game", ["tictactoe", "connectfour", "reversi", "nim", "clue"])
def test_each_game_has_three_pictures_and_three_tips(
    server: PageServer, browser: Browser, game: str
) -> None:
    browser.open(server.url, to_log_in=False)
    browser.driver.get(f"{server.url}rules/{game}")
    browser.wait(lambda: len(browser.all("#guide-steps li > svg.mini")) == 3)
    assert all(each.text for each in browser.all("#guide-steps p"))
    assert len(browser.all("[aria-labelledby=guide-tips] li")) == 3
    assert browser.complaints() == []


SERVED = """
new MutationObserver((changes, observer) => {
  const served = document.getElementById("served");
  if (!served?.textContent || !document.body) return;
  observer.disconnect();
  const told = JSON.parse(served.textContent);
  told.games[1].minutes = 5;
  for (const at of Array(9).keys()) {
    const plain = { goal: "Take all.", seats: [2, 3, 5], levels: [], options: [] };
    told.games.push({ ...plain, name: `game${at}`, title: `Game ${at}` });
  }
  served.firstChild.data = JSON.stringify(told);
}).observe(document, { subtree: true, childList: true });
"""


def test_many_games_are_named_after_a_click(server: PageServer, browser: Browser) -> None:
    browser.open(server.url, to_log_in=False)
    added = browser.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument", {"source": SERVED}
    )
    browser.driver.get(f"{server.url}rules/connectfour")
    browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
    browser.wait(lambda: browser.all("#guide-rules li"))
    assert browser.texts(".guide .hint")[0] == "2 players \u00b7 about 5 minutes"
    assert len(browser.all(".guide-games a")) == 8
    browser.click_on(".guide-games button")
    assert len(browser.all(".guide-games a")) == 14 and faults(browser) == []
    assert browser.driver.switch_to.active_element.text.endswith("Game 3")
    browser.click_on(".guide-games a[href='/rules/game8']")
    browser.wait_for_text("guide-title", "How to play Game 8")
    browser.wait(lambda: len(browser.all(".guide-games a")) == 9)
    assert browser.texts(".guide .hint")[0] == "2, 3, 5 players"
    assert browser.text("guide-goal") == "Take all."
    assert browser.text("guide-try") == "Try it" and not browser.all("#guide-play")


def test_a_button_leads_to_the_form_for_such_opponents(
    server: PageServer, browser: Browser
) -> None:
    browser.open(server.url)
    browser.register("gwen-g")
    browser.driver.get(f"{server.url}rules/nim")
    browser.wait(lambda: browser.all(".guide a.button"))
    browser.click_on(".guide a.button:not(.main)")
    browser.wait_for_view("lobby")
    browser.wait_for_text("open-go", "Find players")
    assert browser.all("#open-games input:checked")[0].get_attribute("value") == "nim"


def test_the_rules_are_a_click_from_the_lobby_and_from_a_room(
    server: PageServer, browser: Browser
) -> None:
    browser.open(server.url)
    browser.register("alice-g")
    browser.pick("game", "connectfour")
    browser.click("open-rules")
    browser.wait_for_text("guide-title", "How to play Connect Four")
    browser.wait(lambda: browser.all("#guide-rules li"))
    browser.click("guide-play")
    browser.wait_for_view("table")
    browser.click("how")
    first = browser.driver.current_window_handle
    browser.click("rules-page")
    browser.wait(lambda: len(browser.driver.window_handles) == 2)
    [other] = {*browser.driver.window_handles} - {first}
    browser.driver.switch_to.window(other)
    try:
        browser.wait_for_text("guide-title", "How to play Connect Four")
        browser.wait(lambda: browser.all("#guide-rules li"))
    finally:
        browser.driver.close()
        browser.driver.switch_to.window(first)
    browser.resign()
    browser.wait_for_text("end-title", "You lost")
    assert browser.complaints() == []
