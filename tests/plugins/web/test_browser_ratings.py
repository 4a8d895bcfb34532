"""A leaderboard on the page: the last ten results of each player, and the change in 30 days."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.accounts.helpers import HASH
from tests.archive.helpers import match
from tests.plugins.web.axe import faults
from tests.plugins.web.browser import DESKTOP, PHONE, Browser, PageServer, scrolls_sideways
from tictac.accounts.tables import Account, AccountTables
from tictac.archive.match import Player
from tictac.archive.tables import MatchTables
from tictac.ratings.tables import RatingTables
from tictac.storage.databases import opened

DAY = 86_400
NEW, ROWS = "zoe", "#ratings tbody tr:not(.computer)"


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """Yield a server where tom won against ann for weeks, and then lost; zoe is new."""
    now, tom, ann, zoe = time.time(), *(Player(name, "account") for name in ("tom", "ann", NEW))
    days = [-70 + 5 * n for n in range(14)]
    results: list[tuple[str, int | None]] = [
        ("won", 0) if day < -31 else ("won", 1) for day in days
    ]
    results[-2] = ("drawn", None)
    matches = [
        match(f"m{n}", tom, ann, rated=True, began=now + day * DAY, ending=ending, winner=winner)
        for n, (day, (ending, winner)) in enumerate(zip(days, results, strict=True))
    ]
    matches.append(match("new", zoe, ann, rated=True, began=now - DAY))
    with PageServer(tmp_path_factory.mktemp("rated")) as running:
        with opened(str(running.folder / "users.db")) as database:
            AccountTables(database).add_many([Account(each, HASH) for each in ("tom", "ann", NEW)])
            MatchTables(database).add_all(matches)
            while RatingTables(database).count():
                pass
        yield running


def visit(browser: Browser, server: PageServer, size: tuple[int, int], scheme: str) -> None:
    browser.open(server.url, size, scheme, to_log_in=False)
    browser.driver.get(f"{server.url}ratings/tictactoe")
    browser.wait(lambda: len(browser.all(ROWS)) == 3)


@pytest.mark.parametrize(("scheme", "size"), [("light", DESKTOP), ("dark", PHONE)])
def test_a_leaderboard_shows_the_last_results_and_the_month(
    rated: PageServer, browser: Browser, scheme: str, size: tuple[int, int]
) -> None:
    visit(browser, rated, size, scheme)
    rows = {row.text.split()[2]: row for row in browser.all(ROWS)}
    cells = {name: row.find_elements("css selector", "td") for name, row in rows.items()}
    months = {name: found[3].text for name, found in cells.items()}
    assert months["tom"][0] == "\u2212" and months["ann"][0] == "+" and months[NEW] == "\u2013"
    letters = {
        name: [each.text.split()[0] for each in found[4].find_elements("css selector", "span span")]
        for name, found in cells.items()
        if found[4].is_displayed()
    }
    if size == DESKTOP:
        assert "".join(letters["tom"][::2]) == "WWWWLLLLDL" and letters[NEW][::2] == ["W"]
    else:
        assert not letters
    assert faults(browser) == [] and not scrolls_sideways(browser)
    assert browser.complaints() == []
