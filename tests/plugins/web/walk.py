"""Matches that are played to their end on the page, by clicks, as a person plays them.

``python -m tests.plugins.web.walk FOLDER [GAME…]`` plays all games that the server has, on a phone,
and leaves pictures of the end of each in FOLDER.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

from tests.plugins.web.browser import PHONE, Browser, PageServer
from tests.plugins.web.fake import run

SHIFTS = """
window.shifts = [];
window.watched = false;
new PerformanceObserver((list) => {
  for (const { value, sources } of list.getEntries()) {
    const where = sources.map(({ node }) => node?.id || node?.className?.baseVal || node?.className
      || node?.nodeName);
    if (window.watched) window.shifts.push([value, ...where]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""
"""All shifts while ``watched``, also those soon after a click, which browsers leave out."""

CHOOSE = """
// What a person could click on now: its middle, or "over", "wait", or "stuck".
// `way`: forwards along the rows (1), backwards (-1), or anywhere (0).
const [avoided, way] = arguments;
const shows = (each) => each.checkVisibility({ opacityProperty: true, visibilityProperty: true });
if (!document.getElementById("over").hidden) return "over";
const all = (selector) => [...document.querySelectorAll(selector)].filter(shows);
const confirms = all(".confirm button.main");
if (confirms.length) return put(confirms[0]);
if (!document.getElementById("state").textContent.startsWith("Your turn")) return "wait";
const words = all(".spiel-choices button, .spiel-menu button, #own-acts button");
const cells = all(":is(.spot, .felt-spot, .card-spot)[aria-disabled=false]");
const targets = all(".spot.target");
const menu = all(".spiel-menu button");
const pick = (list) => list[Math.floor(Math.random() * list.length)];
const wins = targets.find(({ dataset }) => dataset.name === "off");
const held = all(":is(.card-spot, .felt-spot).picked").length;
const rest = words.filter(({ dataset }) => !avoided.includes(dataset.step));
if (menu.length) return put(menu[0]);
if (wins) return put(wins);
const stop = words.find(({ dataset }) => dataset.step === "stop");
if (way && stop) return put(stop);
if (targets.length) return put(way ? farthest(targets) : pick(targets));
const whole = rest.filter((each) => each.classList.contains("main"));
if (held && whole.length) return put(whole[0]);
const free = cells.filter((each) => !each.classList.contains("picked"));
const some = [...free, ...rest];
if (some.length) return put(way && free.length ? rearmost(free) : pick(some));
if (words.length) return put(words[0]);
return "stuck";

function rank({ dataset: { name } }) { return way * name.charCodeAt(0); }
function farthest(list) {
  const best = Math.max(...list.map(rank));
  return pick(list.filter((each) => rank(each) === best));
}
function rearmost(list) {
  const last = list.reduce((one, other) => (rank(other) < rank(one) ? other : one));
  return Math.random() < 0.7 ? last : pick(list);
}
function put(element) {
  element.scrollIntoView({ block: "nearest", behavior: "instant" });
  if (!element.contains(document.elementFromPoint(...middle(element)))) {
    element.scrollIntoView({ block: "center", behavior: "instant" });
  }
  return middle(element);
}
function middle(element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}
"""

AVOIDED = {
    "go": ["pass"], "holdem": ["fold"], "crazyeights": ["pass", "draw"], "pig": [],
    "oware": [], "ginrummy": [],
}  # fmt: skip
"""Words that are only clicked on where there is nothing else."""

MOST_CLICKS = 3000


def games_of(server: PageServer) -> list[dict[str, Any]]:
    """Return the server's descriptions of its games."""
    with urlopen(f"{server.url}api/games") as answer:
        found: list[dict[str, Any]] = json.loads(answer.read())["games"]
    return found


def begin_from_catalogue(
    browser: Browser, server: PageServer, title: str, size: tuple[int, int] = PHONE
) -> None:
    """Come as a stranger, and click once: on the tile of a game."""
    browser.open(server.url, size, to_log_in=False, script=SHIFTS)
    browser.wait(lambda: browser.all(".tile"), title)
    run(browser, TILE, title)
    browser.wait_for_view("table")


TILE = """
const title = (tile) => tile.querySelector("b:not([aria-hidden])").textContent;
const tiles = [...document.querySelectorAll(".tile-go")];
const tile = tiles.find((each) => title(each) === arguments[0]);
tile.scrollIntoView({ block: "center" });
tile.click();
"""


def click_at(browser: Browser, x: float, y: float) -> None:
    """Click as a mouse does: the page can't tell it from a person's."""
    for kind in ("mousePressed", "mouseReleased"):
        browser.driver.execute_cdp_cmd(
            "Input.dispatchMouseEvent",
            {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1},
        )


def play_two(one: Browser, other: Browser, game: str) -> int:
    """Let two people play who walk to the other side, until both see the end; count the clicks."""
    for clicks in range(MOST_CLICKS):
        found = [run(each, CHOOSE, [], way) for each, way in ((one, 1), (other, -1))]
        if found == ["over", "over"]:
            return clicks
        for each, at in zip((one, other), found, strict=True):
            if isinstance(at, list):
                click_at(each, *at)
    raise AssertionError(f"{game} isn't over after {MOST_CLICKS} clicks")


def play(browser: Browser, game: str, until: str = "return false") -> int:
    """Click until the end is shown, or ``until`` (a script) is true; return how many clicks."""
    for clicks in range(MOST_CLICKS):
        found: Any = browser.wait(lambda: next_click(browser, game, until), game)
        if found == "over":
            return clicks
        click_at(browser, *found)
    raise AssertionError(f"{game} isn't over after {MOST_CLICKS} clicks")


def next_click(browser: Browser, game: str, until: str) -> Any:
    """Return where to click now, or "over"; None: not yet."""
    if run(browser, until):
        return "over"
    found: Any = run(browser, CHOOSE, AVOIDED.get(game, []), 0)
    return None if found in ("wait", "stuck") else found


def main(folder: Path, wanted: Sequence[str]) -> None:
    """Play, and print what each game took."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch:
        server, browser = PageServer(Path(scratch), "--guests"), Browser()
        try:
            for game in games_of(server):
                if (wanted and game["name"] not in wanted) or not game.get("group"):
                    continue
                show(browser, server, game, folder)
        finally:
            browser.quit()
            server.end()


def show(browser: Browser, server: PageServer, game: dict[str, Any], folder: Path) -> None:
    """Play one game from its tile to its end, and look at the review."""
    name = game["name"]
    begin_from_catalogue(browser, server, game["title"])
    if game["levels"]:
        browser.wait(lambda: browser.all(".spiel"))
        run(browser, "window.watched = true")
        clicks = play(browser, name)
    else:
        other = Browser()
        begin_from_catalogue(other, server, game["title"])
        browser.wait(lambda: browser.all(".spiel"))
        clicks = play_two(browser, other, name)
        other.quit()
    told = run(
        browser,
        "return ['end-title', 'end-how'].map((id) => document.getElementById(id).textContent)",
    )
    shifts = run(browser, "return window.shifts")
    browser.driver.save_screenshot(str(folder / f"{name}-end.png"))
    total = sum(each[0] for each in shifts)
    worst = sorted(shifts, key=lambda each: -each[0])[:3]
    print(
        f"{name}: {clicks} clicks, {' '.join(told)!r}, shift {total:.4f}",
        worst,
        browser.complaints(),
        flush=True,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
