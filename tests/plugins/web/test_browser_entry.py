"""What the front door shows at once: before any further request, and of many games."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from tests.installing import OPENSPIEL, installing
from tests.plugins.puzzles.examples import example
from tests.plugins.web.browser import DESKTOP, PHONE, YOUR_TURN, Browser, PageServer
from tests.plugins.web.fake import run
from tests.plugins.web.walk import AVOIDED, CHOOSE, SHIFTS, click_at
from tictac.plugins.puzzles.puzzles import dump_puzzle
from tictac.plugins.puzzles.tables import PuzzleTables
from tictac.storage.databases import opened

SILENT = """
// No request below /api/ gets an answer, and nothing that isn't named in the page arrives.
window.requested = [];
window.fetch = (url) => {
  window.requested.push(`${url}`);
  return new Promise(() => {});
};
"""

IN_SIGHT = """
return [...document.querySelectorAll(arguments[0])].filter((each) => {
  const { top, bottom, height } = each.getBoundingClientRect();
  return height > 0 && top >= 0 && bottom <= innerHeight;
}).length;
"""

CONTRASTS = """
// The least contrast of two letters with their ground, of all hues.
const tile = document.querySelector(".tile .picture:has(> b)");
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const luminance = (color) => {
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const found = [];
for (let hue = 0; hue < 360; hue += 5) {
  tile.style.setProperty("--h", hue);
  const colors = [getComputedStyle(tile).backgroundColor, getComputedStyle(tile.firstChild).color];
  const [dark, light] = colors.map(luminance).sort((one, other) => one - other);
  found.push((light + 0.05) / (dark + 0.05));
}
return found;
"""

LETTERED: dict[str, Any] = {
    "name": "waves", "title": "Waves", "goal": "Win.", "hue": 200, "seats": [2],
    "levels": ["easy"], "options": [],
}  # fmt: skip


def serving(*games: dict[str, Any]) -> str:
    """Return a script that adds games to those in the page."""
    return f"""
    new MutationObserver((changes, observer) => {{
      const served = document.getElementById("served");
      if (!served?.textContent || !document.body) return;
      observer.disconnect();
      const told = JSON.parse(served.textContent);
      told.games.push(...{json.dumps(games)});
      served.firstChild.data = JSON.stringify(told);
    }}).observe(document, {{ subtree: true, childList: true }});
    """


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """Yield a server with many games and today's puzzle, where guests play with others."""
    pytest.importorskip("pyspiel", reason="pip install open_spiel")
    folder = tmp_path_factory.mktemp("many")
    today = datetime.now(UTC).date()
    with opened(str(folder / "users.db")) as database:
        for day in (today, today + timedelta(1)):  # the test can begin before midnight
            PuzzleTables(database).add(str(day), "connectfour", dump_puzzle(example()))
    with installing(OPENSPIEL) as path, PageServer(folder, "--guests", path=path) as running:
        yield running


def test_the_first_picture_needs_nothing_else(server: PageServer, browser: Browser) -> None:
    """Acceptance 20: the games are there while no request is answered; the others go together."""
    browser.open(server.url, to_log_in=False, script=SILENT)
    assert len(browser.all(".game")) == 5
    assert run(browser, IN_SIGHT, ".game button") == 10
    browser.wait(lambda: len(run(browser, "return requested.filter((url) => /api/.test(url))")) > 1)
    asked = {url.partition("?")[0] for url in run(browser, "return requested")}
    assert {"/api/lobby", "/api/tournaments"} <= asked, "side by side, before an answer"
    assert "/api/games" not in asked


def test_the_hint_is_true(server: PageServer, many: PageServer, browser: Browser) -> None:
    browser.open(server.url, to_log_in=False)
    assert "no account needed against the computer" in browser.text("front-hint")
    browser.open(many.url, to_log_in=False)
    assert browser.text("front-hint").endswith("Free, without an account.")


def test_many_games_are_in_sight(many: PageServer, browser: Browser) -> None:
    """Acceptance 1: ten buttons of the five, the puzzle, and a shelf; on a phone five games.

    Acceptance 20: icons and faces are fetched where they come into sight.
    """
    browser.open(many.url, DESKTOP, to_log_in=False)
    browser.wait(lambda: browser.all(".tile") and browser.shown("front-puzzle"))
    assert browser.text("front-title").startswith(f"{len(browser.all('.tile')) + 5} ")
    assert run(browser, IN_SIGHT, ".game button") == 10
    assert run(browser, IN_SIGHT, "#front-more .tile") == 5
    assert run(browser, IN_SIGHT, "#find, #front-puzzle") == 2
    assert browser.all("main img") and not browser.all("main img:not([loading=lazy])")
    browser.open(many.url, PHONE, to_log_in=False)
    browser.wait(lambda: browser.all(".tile"))
    assert run(browser, IN_SIGHT, ".game") >= 5


def test_a_click_on_a_tile_opens_a_room_and_the_next_one_moves(
    many: PageServer, browser: Browser
) -> None:
    """Acceptance 1: one click on a tile opens a room, the second makes a move."""
    browser.open(many.url, to_log_in=False, script=SHIFTS)
    browser.wait(lambda: browser.all("#front-more .tile"))
    run(browser, "window.watched = true")
    browser.click_on("#front-more .tile-go")
    browser.wait_for_view("table")
    browser.wait_for_text("state", YOUR_TURN)
    game = run(browser, "return document.getElementById('table-title').textContent").lower()
    at: Any = browser.wait(lambda: isinstance(run(browser, CHOOSE, AVOIDED.get(game, []), 0), list))
    assert at
    browser.hears(f"*{YOUR_TURN}")
    click_at(browser, *run(browser, CHOOSE, AVOIDED.get(game, []), 0))
    browser.hears("*")
    assert browser.complaints() == []
    browser.resign()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_stand_out_on_every_ground(many: PageServer, browser: Browser, scheme: str) -> None:
    """Acceptance 2: a game with a hue and no icon has a tile of two letters, at least 7:1."""
    browser.open(many.url, scheme=scheme, to_log_in=False, script=serving(LETTERED))
    browser.wait(lambda: browser.all(".tile"))
    assert "Wa" in browser.texts(".tile .picture > b")
    found = run(browser, CONTRASTS)
    assert len(found) == 72 and min(found) >= 7, min(found)


def test_a_search_offers_what_was_meant(many: PageServer, browser: Browser) -> None:
    browser.open(many.url, to_log_in=False)
    browser.wait(lambda: browser.all(".tile"))
    browser.press("/")
    browser.wait_for_focus("find")
    browser.press("chees")
    browser.wait(lambda: "No game is called “chees”" in browser.text("found"))
    assert "Did you mean Chess?" in browser.text("found")
    browser.click_on("#found button.link")
    assert run(browser, "return document.getElementById('find').value") == "Chess"
    browser.press(Keys.ESCAPE)
    assert browser.shows("front-games") and browser.shows("front-more")
