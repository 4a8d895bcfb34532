"""A ladder on the page: for strangers, and for people who play its bots."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from tests.documents import BIN
from tests.plugins.web.axe import faults
from tests.plugins.web.browser import DESKTOP, PHONE, Browser, PageServer, scrolls_sideways
from tests.plugins.web.untranslated import english
from tests.terminal.processes import PATIENCE, ROOT, end
from tictac.plugins.tournament.ladder.tables import DAY
from tictac.storage.databases import opened

BOT = """
import sys
sys.path.insert(0, sys.argv[3])
from tictac.bot import play
play(lambda turn: turn.moves[0], "127.0.0.1", int(sys.argv[2]), sys.argv[1], series="term",
     version="1.0")
"""

SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) if (!each.hadRecentInput) shifted += each.value;
}).observe({ type: "layout-shift", buffered: true });
"""

ROWS = "#ladder-table tbody tr"


class LadderServer(PageServer):
    """A server with a series, on which two bots play."""

    def open_series(self) -> None:
        command = [
            f"{BIN}/tictac", "admin", "-s", f"{self.folder}/sock", "series", "create", "term",
            "--name", "Autumn & Co", "--game", "nim", "--time", "60", "--level", "club",
            "--hours", "00:00-23:59",
        ]  # fmt: skip
        subprocess.run(command, check=True, timeout=PATIENCE, capture_output=True)

    def remember(self, **rated: tuple[int, int]) -> None:
        """Let players have had these ratings and places eight days ago."""
        day = int(time.time() // DAY) - 8
        with opened(str(self.folder / "users.db")) as database:
            for name, (rating, place) in rated.items():
                insert = "INSERT INTO series_ratings VALUES ('term', ?, ?, ?, ?)"
                database.execute(insert, (name, day, rating, place))

    def bot(self, name: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", BOT, name, str(self.rooms), str(ROOT)]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LadderServer]:
    """Yield a server whose two bots have played."""
    folder = tmp_path_factory.mktemp("ladder")
    options = ("--guests", "--admin-socket", str(folder / "sock"))
    with LadderServer(folder, *options) as running:
        running.open_series()
        running.remember(quick=(100, 9), random=(1700, 1))
        bots = [running.bot(name) for name in ("quick", "random")]
        yield running
        for bot in bots:
            end(bot)


def visit(
    browser: Browser, url: str, size: tuple[int, int] = DESKTOP, scheme: str = "light"
) -> None:
    """Come to the ladder as a stranger, and wait until both bots have a rating."""
    browser.open(url, size, scheme, to_log_in=False)
    browser.driver.get(f"{url}ladder/term")
    browser.wait(lambda: len(rated(browser)) == 2)


def rated(browser: Browser) -> list[str]:
    return [text for text in browser.texts(f"{ROWS} .elo") if "±" in text]


@pytest.mark.parametrize(
    ("scheme", "size"), [("light", DESKTOP), ("dark", PHONE), ("light", (320, 700))]
)
def test_everybody_can_look_at_a_ladder(
    ladder: LadderServer, browser: Browser, scheme: str, size: tuple[int, int]
) -> None:
    visit(browser, ladder.url, size, scheme)
    browser.wait_for_text("ladder-title", "Autumn & Co")
    assert "The arena is open until" in browser.text("ladder-state")
    assert faults(browser) == [] and not scrolls_sideways(browser)
    browser.click_on(f"{ROWS}:not(.computer) .link")
    browser.wait(lambda: browser.all(".ladder-more a[href^='/match/']"))
    assert faults(browser) == [] and not scrolls_sideways(browser)
    [mark] = browser.texts(f"{ROWS}.computer")
    assert "fixed mark" in mark and "±" not in mark
    assert not browser.all(".ladder-play button"), "strangers have nobody to play"
    assert browser.complaints() == []


def test_nothing_moves_while_it_opens(ladder: LadderServer, browser: Browser) -> None:
    visit(browser, ladder.url)
    command, source = "Page.addScriptToEvaluateOnNewDocument", {"source": SHIFTS}
    added = browser.driver.execute_cdp_cmd(command, source)
    browser.driver.get(f"{ladder.url}ladder/term")
    browser.wait(lambda: len(rated(browser)) == 2)
    browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
    assert browser.driver.execute_script("return shifted") <= 0.01


def test_a_player_is_found_and_the_table_is_sorted(ladder: LadderServer, browser: Browser) -> None:
    visit(browser, ladder.url)
    browser.type("ladder-search", "QUI")
    browser.wait(lambda: len(browser.all(ROWS)) == 1)
    browser.type("ladder-search", "nobody")
    browser.wait_for_text("ladder-table", "No player has such a name.")
    browser.type("ladder-search", "")
    browser.wait(lambda: len(browser.all(ROWS)) == 3)
    browser.click_on("#ladder-table thead .player button")
    names = [each.split("\n")[0] for each in browser.texts(f"{ROWS} .player")]
    assert names == sorted(names, key=str.lower)
    assert browser.driver.switch_to.active_element.text == "Player", "it keeps the focus"


def test_the_week_shows_who_climbed_and_a_curve(ladder: LadderServer, browser: Browser) -> None:
    visit(browser, ladder.url)
    climbed = ("quick", "+", "\u25b2")
    browser.wait(lambda: any(all(c in row for c in climbed) for row in browser.texts(ROWS)))
    assert browser.texts(f"{ROWS}.computer .week") == [""]
    browser.click_on("#ladder-table thead .week button")
    browser.wait(lambda: browser.texts(f"{ROWS} .player .link")[0] == "quick")
    browser.click_on(f"{ROWS} .link")
    browser.wait(lambda: browser.all(".ladder-more .spark"))
    assert "this week" in browser.texts(".ladder-more section")[0]
    assert faults(browser) == []


def test_people_play_a_bot_and_come_back(ladder: LadderServer, browser: Browser) -> None:
    visit(browser, ladder.url)
    browser.click("ladder-guest")
    browser.wait(lambda: len(browser.all(".ladder-play button")) == 2)
    assert faults(browser) == []
    browser.click_on(".ladder-play button")
    browser.wait_for_view("table")
    browser.resign()
    browser.wait(lambda: browser.shows("to-cup"))
    browser.click("to-cup")
    browser.wait(lambda: browser.shown("ladder"))
    assert browser.driver.current_url == f"{ladder.url}ladder/term"
    assert faults(browser) == []
    browser.check_sense()


def test_the_front_page_and_the_list_lead_to_it(ladder: LadderServer, browser: Browser) -> None:
    browser.open(ladder.url, to_log_in=False)
    browser.click_on("#front-cups a[href='/ladder/term']")
    browser.wait_for_text("ladder-title", "Autumn & Co")
    browser.driver.get(f"{ladder.url}tournaments")
    browser.wait(lambda: browser.all(".cups a[href='/ladder/term']"))
    assert faults(browser) == []


def test_of_a_ladder_that_does_not_exist_it_says_so(ladder: LadderServer, browser: Browser) -> None:
    browser.open(ladder.url, to_log_in=False)
    browser.driver.get(f"{ladder.url}ladder/none")
    browser.wait_for_text("ladder-note", "There is no such ladder.")


def test_in_german_nothing_is_english(ladder: LadderServer, browser: Browser) -> None:
    browser.open(ladder.url, to_log_in=False)
    browser.driver.add_cookie({"name": "language", "value": "de"})
    browser.driver.get(f"{ladder.url}ladder/term")
    browser.wait(lambda: len(rated(browser)) == 2)
    browser.click_on(f"{ROWS}:not(.computer) .link")
    browser.wait(lambda: browser.all(".ladder-more a[href^='/match/']"))
    assert english(browser) <= {"quick", "random"}
