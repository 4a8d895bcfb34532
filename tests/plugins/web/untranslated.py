"""The English that a page in German still says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.plugins.web.browser import Browser
from tests.plugins.web.catalogues import LANGUAGES, TEXTS

WORDS = """
const labels = [...document.querySelectorAll("[aria-label], [title], [placeholder]")]
  .filter((each) => each.checkVisibility())
  .flatMap((each) => ["aria-label", "title", "placeholder"].map((name) => each.getAttribute(name)));
const lines = document.body.innerText.split("\\n");
return [...lines, ...labels].filter(Boolean).map((text) => text.trim());
"""


def words(texts: dict[str, Any]) -> Iterator[str]:
    """Yield all texts of a catalogue."""
    for found in texts.values():
        if isinstance(found, str):
            yield found
        else:
            yield from words(found)


GERMAN = LANGUAGES["de"]

ENGLISH = {*words(TEXTS), *GERMAN["server"], *GERMAN["rules"]} - {*words(GERMAN)}
"""What nobody may read who has chosen German."""

ENGLISH = {text for text in ENGLISH if len(text) > 1}  # a letter can be that of a column


def english(browser: Browser) -> set[str]:
    """Return what the page says in English."""
    return ENGLISH & {*browser.driver.execute_script(WORDS)}
