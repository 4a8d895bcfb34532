"""The front page and the lobby of a server with many games, and taps on small cells."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from tests.plugins.web.axe import faults
from tests.plugins.web.browser import DESKTOP, PHONE, Browser, PageServer, scrolls_sideways
from tests.plugins.web.fake import FAKE, NOW, PARTS, asked, begin, enter, game_json, run

NAMES = {
    "Chess": ["Chess", "Antichess", "Shogi"],
    "Race": ["Backgammon", "Parcheesi"],
    "Lonely": ["Solitaire"],
}

MANY: list[dict[str, Any]] = [
    game for game in game_json() if game["name"] not in ("hexes", "whist")
] + [
    {"name": title.lower(), "title": title, "goal": "Take all.", "group": group, "hue": 75,
     "seats": [2, 4] if group == "Race" else [2],
     "levels": [] if title == "Parcheesi" else ["easy"],
     "characters": [] if title == "Parcheesi" else ["Rook"], "options": []}
    for group, titles in NAMES.items() for title in titles
] + [
    {"name": f"game{number}", "title": f"Game {number}", "goal": "Win.", "seats": [2],
     "levels": ["easy"], "characters": ["Rook"], "options": []}
    for number in range(4)
]  # fmt: skip

ANSWERS = {
    "hello": {"guests": True, "parts": PARTS},
    "guest": {"user": "guest-1"},
    "games": {"games": MANY},
    "lobby": {"rooms": [], "now": NOW},
}

SCRIPT = """
window.answers = ANSWERS;
new MutationObserver((changes, observer) => {
  const served = document.getElementById("served");
  if (!served?.textContent || !document.body) return;
  observer.disconnect();
  served.firstChild.data = JSON.stringify(SERVED);
}).observe(document, { subtree: true, childList: true });
"""


def visit(
    browser: Browser,
    server: PageServer,
    size: tuple[int, int] = DESKTOP,
    scheme: str = "light",
    figures: Mapping[str, Mapping[str, int]] = MappingProxyType({}),
) -> None:
    """Come as a stranger, where there are many games, of which the archive says ``figures``."""
    games = [{**game, **figures.get(game["name"], {})} for game in MANY]
    served = {"games": games, "parts": PARTS, "guests": True}
    script = SCRIPT.replace("ANSWERS", json.dumps(ANSWERS)).replace("SERVED", json.dumps(served))
    browser.open(server.url, size, scheme, to_log_in=False, script=FAKE + script)
    browser.wait(lambda: browser.all(".tile"))


def tiles(browser: Browser) -> list[str]:
    """Return the titles of the tiles in sight."""
    return [
        title
        for title in browser.texts(":is(#all-games, #found) .tile b:not([aria-hidden])")
        if title
    ]


@pytest.mark.parametrize(("scheme", "size"), [("light", DESKTOP), ("dark", PHONE)])
def test_the_first_games_have_cards_and_the_others_shelves(
    server: PageServer, browser: Browser, scheme: str, size: tuple[int, int]
) -> None:
    visit(browser, server, size, scheme)
    assert len(browser.all(".game")) == 5
    assert browser.texts("#front-more h2") == ["Chess"], "the first shelf, which isn't there twice"
    assert browser.texts(".shelf h3") == ["Race", "More games"]
    assert browser.texts("#front-more .tile b:not([aria-hidden])") == NAMES["Chess"]
    assert browser.texts("#front-more .tile .goal") == ["Take all."] * 3
    rest = [*NAMES["Race"], *NAMES["Lonely"], *(f"Game {number}" for number in range(4))]
    assert tiles(browser) == rest
    assert browser.texts(".tile .picture > b")[:2] == ["Ch", "An"], "there is no icon"
    assert faults(browser) == [] and not scrolls_sideways(browser)
    browser.click_on(".chip:last-child")
    assert tiles(browser) == ["Backgammon", "Parcheesi", "Clue"]
    assert browser.complaints() == []


FIGURES = {
    "antichess": {"rank": 2, "minutes": 9}, "backgammon": {"rank": 4, "minutes": 12},
    "shogi": {"rank": 1}, "solitaire": {"rank": 3, "minutes": 4}, "nim": {"rank": 5, "minutes": 1},
}  # fmt: skip


@pytest.mark.parametrize(("scheme", "size"), [("light", DESKTOP), ("dark", PHONE)])
def test_what_the_archive_says_is_shown(
    server: PageServer, browser: Browser, scheme: str, size: tuple[int, int]
) -> None:
    visit(browser, server, size, scheme, FIGURES)
    assert browser.texts("#front-more h2") == ["Most played here"]
    named = browser.texts("#front-more .tile b:not([aria-hidden])")
    assert named == ["Shogi", "Antichess", "Solitaire", "Backgammon"], "nim has a card"
    assert "9 min" in browser.texts("#front-more .tile")[1]
    assert "min" not in browser.texts("#front-more .tile")[0]
    browser.click_on(".chip:last-child")
    assert tiles(browser) == ["Nim", "Solitaire"]
    assert faults(browser) == [] and not scrolls_sideways(browser)


def test_few_played_games_are_no_list(server: PageServer, browser: Browser) -> None:
    visit(browser, server, figures={"antichess": {"rank": 1}, "shogi": {"rank": 2}})
    assert browser.texts("#front-more h2") == ["Chess"]
    assert "Under 5 minutes" not in browser.texts(".chip")


def test_a_game_is_found_by_its_name_and_played_by_enter(
    server: PageServer, browser: Browser
) -> None:
    visit(browser, server)
    browser.press("/")
    browser.wait_for_focus("find")
    browser.press("che")
    assert tiles(browser) == ["Chess", "Antichess", "Shogi", "Parcheesi"]
    assert not browser.shows("front-games") and faults(browser) == []
    browser.wait(lambda: "4 games for “che”" in browser.text("found"))
    browser.press(Keys.ESCAPE)
    assert browser.shows("front-games") and not browser.shows("found")
    browser.press("cess")
    assert "No game is called “cess”" in browser.text("found") and tiles(browser) == ["Chess"]
    browser.press(Keys.ENTER)
    browser.wait(lambda: asked(browser, "open"))
    (request,) = asked(browser, "open")
    assert (request["game"], request["computer"]) == ("chess", "easy")
    assert browser.complaints() == []


def test_a_game_without_a_computer_is_played_with_others(
    server: PageServer, browser: Browser
) -> None:
    visit(browser, server)
    tile = browser.all("#all-games .tile")[1]
    assert tile.text.startswith("Pa\nParcheesi") and "2, 4" in tile.text
    assert len(tile.find_elements("css selector", "button")) == 1
    browser.click_on("#all-games .tile:nth-child(2) .tile-go")
    browser.wait(lambda: asked(browser, "seek"))
    assert asked(browser, "seek")[0]["game"] == "parcheesi"


CUT = """
return [...document.querySelectorAll("#open-games label")]
  .filter((each) => each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight)
  .map((each) => each.innerText);
"""


def test_the_lobby_offers_some_games_and_finds_the_others(
    server: PageServer, browser: Browser
) -> None:
    """A long name is whole."""
    games = json.dumps({"games": MANY}).replace('"Shogi"', '"Breakthrough"')
    script = f"window.answers.games = {games};"
    enter(browser, server, script=script)
    more = "#open-games > button"
    browser.wait(lambda: browser.all(more))
    assert [each for each in browser.texts("#open-games label") if each][-1] == "Clue"
    browser.click_on(more)
    assert "Solitaire" in browser.text("open-games")
    assert "Breakthrough" in browser.text("open-games") and run(browser, CUT) == []
    browser.press("gammon")
    assert [each for each in browser.texts("#open-games label") if each] == ["Ba\nBackgammon"]
    browser.press(Keys.ENTER)
    assert browser.all("#open-games [value=backgammon]:checked")
    assert faults(browser) == [] and browser.complaints() == []


# Tap, then confirm

TAP = """
const spot = document.querySelectorAll(".board .cell")[arguments[0]];
spot.dispatchEvent(new PointerEvent("pointerdown", { pointerType: "touch", bubbles: true }));
spot.click();
"""


def gomoku(browser: Browser, rows: int) -> None:
    """Sit at a board of so many rows."""
    marks = [f"{row}:{column}" for row in range(rows) for column in range(rows)]
    options = {"rows": rows, "columns": rows, "strike": 3, "first": "X"}
    begin(browser, "tictactoe", position="0" * rows * rows, moves=marks, options=options)


def test_a_tap_on_a_small_cell_is_confirmed(server: PageServer, browser: Browser) -> None:
    enter(browser, server, size=PHONE, scheme="dark")
    gomoku(browser, 19)
    run(browser, TAP, 0)
    browser.wait(lambda: browser.all(".confirm"))
    assert browser.texts(".confirm button") == ["Play row 1, column 1", "Another move"]
    assert asked(browser, "move") == [] and faults(browser) == []
    browser.click_on(".confirm button:last-child")
    assert not browser.all(".confirm") and asked(browser, "move") == []
    for cell in (1, 2, 2):  # the second time it is certain
        run(browser, TAP, cell)
        browser.wait(lambda: browser.all(".confirm") or asked(browser, "move"))
    browser.wait(lambda: asked(browser, "move"))
    assert [request["move"] for request in asked(browser, "move")] == ["2:0"]
    assert not browser.all(".confirm, .asked")


def test_a_large_cell_and_a_mouse_need_no_second_tap(server: PageServer, browser: Browser) -> None:
    enter(browser, server, size=PHONE)
    gomoku(browser, 3)
    run(browser, TAP, 4)
    browser.wait(lambda: asked(browser, "move"))
    gomoku(browser, 19)
    browser.click_on(".board .cell", 5)
    browser.wait(lambda: len(asked(browser, "move")) == 2)
