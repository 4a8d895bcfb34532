"""The page in a language whose words are 35 % longer than the English ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import ceil
from typing import Any

import pytest

from tests.plugins.web.browser import DESKTOP, PHONE, Browser, PageServer, scrolls_sideways
from tests.plugins.web.catalogues import TEXTS, written
from tests.plugins.web.fake import run

SMALL = (320, 568)

PATHS = (
    "", "rules", "rules/reversi", "ratings/nim", "tournaments", "watch", "puzzle", "nowhere",
    "game/reversi", "mine", "notices", "player/lea", "room/nothing", "match/nothing",
)  # fmt: skip

CLIPPED = """
// Texts of which a box that can't be scrolled cuts something off, or that reach out of a button.
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const found = [];
const all = { opacityProperty: true, visibilityProperty: true };
while (walker.nextNode()) {
  const { currentNode: node, currentNode: { parentElement: parent } } = walker;
  // What a box of a pixel has is for screen readers.
  if (!node.data.trim() || !parent.checkVisibility(all) || parent.clientWidth === 1) continue;
  if (parent.closest(".visually-hidden, .skip, svg, option, bdi, .name, .user, textarea")) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  const text = range.getBoundingClientRect();
  for (let box = parent; box !== document.body; box = box.parentElement) {
    const style = getComputedStyle(box);
    if (style.textOverflow === "ellipsis") break; // it says so
    const isButton = box.matches("button, .button, .chip");
    const isCut = /hidden|clip/.test(style.overflowX + style.overflowY) || isButton;
    const { left, right, top, bottom } = box.getBoundingClientRect();
    const isOut = text.left < left - 1 || text.right > right + 1 || text.top < top - 1
      || text.bottom > bottom + 1;
    if (isCut && isOut) found.push(`${node.data.trim()} in ${box.className || box.nodeName}`);
    if (isCut && isOut) break;
    if (/auto|scroll/.test(style.overflowX + style.overflowY)) break;
  }
}
return found;
"""


def lengthen(texts: Any) -> Any:
    """Make each word of a catalogue 35 % longer, but no placeholder, such as ``{count}``."""
    if isinstance(texts, dict):
        return {name: lengthen(text) for name, text in texts.items()}
    longer: str = re.sub(
        r"\{[^}]*\}|[^\W\d_]+",
        lambda found: (
            found[0]
            + ("" if found[0][0] == "{" else found[0][: ceil(0.35 * len(found[0]))].lower())
        ),
        texts,
    )
    return longer


LONG = {**lengthen(TEXTS), "language": "nl", "direction": "ltr"}


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """Yield a server where guests play with others, and all texts are long."""
    folder = tmp_path_factory.mktemp("long")
    texts = written(folder / "nl.json", LONG)
    with PageServer(folder, "--guests", "--web-texts", texts) as server:
        yield server


@pytest.mark.parametrize("size", [DESKTOP, PHONE, SMALL])
def test_nothing_is_clipped(long: PageServer, browser: Browser, size: tuple[int, int]) -> None:
    """Acceptance 19: in views, and at a board to the end of its match."""
    found = {}

    def look(name: str) -> None:
        if wrong := run(browser, CLIPPED):
            found[name] = wrong
        assert not scrolls_sideways(browser), name

    browser.open(long.url, size, to_log_in=False)
    for path in PATHS:
        browser.driver.get(long.url + path)
        browser.wait(lambda: any(each.is_displayed() for each in browser.all("h1")), path)
        look(path)
    for number in range(0, 10, 2):  # against the computer
        browser.open(long.url, size, to_log_in=False)
        browser.wait(lambda: browser.all(".game"))
        browser.click_on(".game button", number)
        browser.wait(lambda: browser.shown("table") and browser.all("#face .game-face > *"))
        look(f"a match, {number}")
        browser.resign()
        browser.wait(lambda: browser.shown("over"))
        look(f"its end, {number}")
    assert found == {}, found
