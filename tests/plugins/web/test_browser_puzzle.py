"""The puzzle of the day on the page: moves, reasons, hints, what is shared, and the streak."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection

import pytest
from selenium.webdriver.common.keys import Keys

from tests.plugins.puzzles.examples import example
from tests.plugins.web.axe import faults
from tests.plugins.web.browser import DESKTOP, PHONE, Browser, PageServer, scrolls_sideways
from tests.plugins.web.fake import run
from tests.plugins.web.scripts import force_colors, go
from tests.plugins.web.walk import SHIFTS
from tictac.plugins.puzzles.puzzles import dump_puzzle
from tictac.plugins.puzzles.tables import PuzzleTables
from tictac.plugins.puzzles.tries import LEAST
from tictac.storage.databases import opened

MOVES = ["1", "2", "4", "5", "6", "7"]
"""The wrong first moves of the puzzle."""

DAYS = [str(datetime.now(UTC).date() + timedelta(each)) for each in (-1, 0, 1)]
"""Yesterday, today, and tomorrow: a test can begin before midnight, and end after it."""


IN_SIGHT = """
scrollTo(0, 0);
const button = document.getElementById(arguments[0]);
const { left, right, top, bottom } = button.getBoundingClientRect();
const at = (y) => document.elementFromPoint((left + right) / 2, y);
return [top + 1, bottom - 1].every((y) => button.contains(at(y)));
"""


ANOTHER = """
const fetched = window.fetch;
window.fetch = async (path) => {
  const answer = await fetched(path);
  if (!/^.api.puzzle(.2[-0-9]+)?[?]/.test(path)) return answer;
  const found = await answer.json();
  found.puzzles.push({ ...found.puzzles[0], game: "hexes", title: "Hexes" });
  return new Response(JSON.stringify(found));
};
"""
"""Each day has another puzzle, of a game that the page doesn't know."""

ROWS = """
const parts = [...document.querySelectorAll("#puzzle-others li > :not(.picture)")];
return parts.map((each) => each.getBoundingClientRect().toJSON());
"""


@pytest.fixture(scope="module")
def puzzled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """Yield a server with a puzzle of Connect Four for each day."""
    folder = tmp_path_factory.mktemp("puzzled")
    with opened(str(folder / "users.db")) as database:
        for day in DAYS:
            PuzzleTables(database).add(day, "connectfour", dump_puzzle(example()))
    with PageServer(folder, "--guests") as running:
        yield running


def visit(
    browser: Browser, server: PageServer, size: tuple[int, int] = DESKTOP, scheme: str = "light"
) -> None:
    """Open today's puzzle for the first time."""
    browser.open(f"{server.url}puzzle", size, scheme, to_log_in=False, script=SHIFTS)
    browser.wait(lambda: browser.all("#puzzle-face .cell"))


def ask_from(address: str, server: PageServer) -> None:
    """Try the puzzle as a stranger at that address."""
    asking = HTTPConnection("127.0.0.1", server.web, source_address=(address, 0))
    with closing(asking):
        asking.request("GET", f"/api/puzzle/{DAYS[1]}/connectfour?moves=7")
        assert asking.getresponse().status == 200


def play(browser: Browser, move: str) -> None:
    """Drop a piece."""
    browser.click_on(f"#puzzle-face [data-move='{move}']")


def solve(browser: Browser) -> None:
    """Play the right moves."""
    play(browser, "3")
    browser.wait_for_text("puzzle-state", "Good")
    play(browser, "5")
    browser.wait_for_text("puzzle-state", "Solved")


def test_other_first_moves_get_a_reason_and_what_is_shared_has_no_column(
    puzzled: PageServer, browser: Browser
) -> None:
    """Acceptance 18."""
    visit(browser, puzzled)
    assert browser.text("puzzle-task") == "Connect Four: Yellow moves and wins in 2 moves."
    for move in MOVES:
        play(browser, move)
        browser.wait(lambda: browser.shows("puzzle-back"))
        assert browser.text("puzzle-state") == "Not this one."
        assert "That isn't enough: Red can answer with column " in browser.text("puzzle-more")
        marks = browser.board()
        assert len(marks.replace(".", "")) == 9, "the wrong move, and the reply to it, stay"
        browser.click("puzzle-back")
        browser.wait(lambda: not browser.shows("puzzle-back"))
    play(browser, "3")
    browser.wait_for_text("puzzle-state", "Good. Move 2 of 2")
    assert browser.text("puzzle-more") == "Red answers: column 1."
    play(browser, "5")
    browser.wait_for_text("puzzle-state", "Solved")
    assert browser.text("puzzle-more") == "Right at once: 1 of 2 · 0 hints"
    ways = browser.texts("#puzzle-ways > *")
    assert ways == ["Share", "Another puzzle", "Play a game"]
    first, task, signs, link = browser.read("puzzle-text").split("\n")
    assert first.startswith("tictac, ") and task == browser.text("puzzle-task")
    assert signs.startswith("1 ◐ 2 ● in 0:") and signs.endswith(", 0 hints")
    assert "column" not in browser.read("puzzle-text")
    assert link.startswith(f"{puzzled.url}puzzle/2") and link.endswith("/connectfour")
    assert "1 day in a row" in browser.text("puzzle-streak")
    assert "kept in this browser" in browser.text("puzzle-share")
    assert browser.complaints() == []


def test_hints_are_words_and_then_the_column(puzzled: PageServer, browser: Browser) -> None:
    visit(browser, puzzled)
    browser.click("puzzle-hint")
    assert (
        browser.text("puzzle-more")
        == "Look for a move with two threats, or with one that nothing stops."
    )
    assert not browser.all("#puzzle-face .best")
    browser.click("puzzle-hint")
    assert browser.text("puzzle-more") == "The move is column 3."
    assert len(browser.all("#puzzle-face .best[data-move='3']")) == 1
    play(browser, "3")
    browser.wait_for_text("puzzle-state", "Good")
    play(browser, "5")
    browser.wait_for_text("puzzle-state", "Solved")
    assert "1 ○ 2 ● in" in browser.read("puzzle-text")
    assert "2 hints" in browser.read("puzzle-text")


def test_a_look_at_the_solution_solves_nothing(puzzled: PageServer, browser: Browser) -> None:
    visit(browser, puzzled)
    browser.click("puzzle-solution")
    assert browser.text("puzzle-more") == "It goes: column 3, column 5."
    assert not browser.shows("puzzle-share") and browser.text("puzzle-streak") == ""
    browser.click("puzzle-again")
    browser.wait_for_text("puzzle-state", "Find the move")


def test_starting_over_keeps_the_tries_and_the_hints(puzzled: PageServer, browser: Browser) -> None:
    visit(browser, puzzled)
    for _ in range(2):
        play(browser, "7")
        browser.wait(lambda: browser.shows("puzzle-back"))
        browser.click("puzzle-again")
        browser.wait_for_text("puzzle-state", "Find the move")
    play(browser, "3")
    browser.wait_for_text("puzzle-state", "Good")
    browser.click("puzzle-hint")
    browser.click("puzzle-again")
    solve(browser)
    assert browser.text("puzzle-more") == "Right at once: 0 of 2 · 1 hint"
    assert "1 ◐ 2 ○ in" in browser.read("puzzle-text")
    # What follows the first solution changes nothing.
    browser.click("puzzle-again")
    browser.click("puzzle-hint")
    solve(browser)
    assert browser.text("puzzle-more") == "Right at once: 0 of 2 · 1 hint"
    browser.driver.refresh()
    browser.wait_for_text("puzzle-more", "Right at once: 0 of 2 · 1 hint")


def test_who_has_seen_the_solution_was_not_right_at_once(
    puzzled: PageServer, browser: Browser
) -> None:
    visit(browser, puzzled)
    play(browser, "3")
    browser.wait_for_text("puzzle-state", "Good")
    browser.click("puzzle-solution")
    browser.click("puzzle-again")
    solve(browser)
    assert browser.text("puzzle-more") == "Right at once: 1 of 2 · 1 hint"
    assert "1 ● 2 ○ in" in browser.read("puzzle-text")


def test_once_loaded_it_works_without_the_server(restarted: PageServer, browser: Browser) -> None:
    with opened(str(restarted.folder / "users.db")) as database:
        for day in DAYS:
            PuzzleTables(database).add(day, "connectfour", dump_puzzle(example()))
    restarted.stop()
    restarted.start()
    visit(browser, restarted)
    restarted.stop()
    try:
        play(browser, "7")
        browser.wait(lambda: browser.shows("puzzle-back"))
        assert "That isn't enough: Red" in browser.text("puzzle-more")
        browser.click("puzzle-back")
        play(browser, "3")
        browser.wait_for_text("puzzle-state", "Good")
        play(browser, "5")
        browser.wait_for_text("puzzle-state", "Solved")
    finally:
        restarted.start()


def test_none_yet(server: PageServer, browser: Browser) -> None:
    browser.open(f"{server.url}puzzle", to_log_in=False)
    browser.wait(lambda: browser.shows("puzzle-none"))
    assert browser.text("puzzle-none").startswith("Ada is still looking for today's puzzle.")
    assert faults(browser) == []


def test_keys_alone(puzzled: PageServer, browser: Browser) -> None:
    visit(browser, puzzled)
    browser.driver.execute_script("document.querySelector('#puzzle-face [tabindex=\"0\"]').focus()")
    browser.press(Keys.ARROW_LEFT, Keys.ENTER)
    browser.wait_for_text("puzzle-state", "Good")
    browser.hears("Good. Move 2 of 2 Red answers: column 1.")
    browser.press(Keys.ARROW_LEFT, Keys.ENTER)
    browser.wait(lambda: browser.shows("puzzle-back"))
    browser.press(Keys.ESCAPE)
    browser.wait(lambda: not browser.shows("puzzle-back"))
    assert browser.label().startswith("Row "), "the focus is on the board"
    for _ in range(3):
        browser.press(Keys.ARROW_RIGHT)
    browser.press(Keys.ENTER)
    browser.wait_for_text("puzzle-state", "Solved")
    browser.hears("Solved*")


@pytest.mark.parametrize(("path", "title"), [("", "Also today"), (f"/{DAYS[0]}", "Also that day")])
def test_the_other_puzzles_are_of_today_or_of_that_day(
    puzzled: PageServer, browser: Browser, path: str, title: str
) -> None:
    browser.open(f"{puzzled.url}puzzle{path}", to_log_in=False, script=ANOTHER)
    browser.wait_for_text("puzzle-also", title)
    task, way = run(browser, ROWS)
    assert task["width"] > way["width"] and task["bottom"] <= way["top"], "each has a row"


def test_an_accounts_streak_is_on_the_server(puzzled: PageServer, browser: Browser) -> None:
    browser.open(puzzled.url)
    browser.register("petra")
    go(browser, "/puzzle")
    browser.wait(lambda: browser.all("#puzzle-face .cell"))
    play(browser, "3")
    browser.wait_for_text("puzzle-state", "Good")
    play(browser, "5")
    browser.wait(lambda: "1 day in a row" in browser.text("puzzle-streak"))
    run(browser, "localStorage.removeItem('tictac.kept')")
    browser.driver.get(f"{puzzled.url}puzzle")
    browser.wait(lambda: "1 day in a row" in browser.text("puzzle-streak"))
    assert "kept in this browser" not in browser.text("puzzle-share")


def test_what_a_visitor_has_solved_counts_for_their_new_account(
    puzzled: PageServer, browser: Browser
) -> None:
    visit(browser, puzzled)
    solve(browser)
    browser.driver.get(puzzled.url)
    browser.click("to-sign-in")
    browser.register("paula")
    browser.wait(lambda: browser.all("#lobby-puzzle a"))
    assert browser.texts("#lobby-puzzle .row > *") == ["Look at it", "Solved"]
    run(browser, "localStorage.removeItem('tictac.kept')")
    browser.driver.get(f"{puzzled.url}puzzle")
    browser.wait_for_text("puzzle-streak", "1 day in a row")


def test_how_many_have_solved_it_follows_ones_own_solution(
    puzzled: PageServer, browser: Browser
) -> None:
    visit(browser, puzzled)
    play(browser, "3")
    browser.wait_for_text("puzzle-state", "Good")
    play(browser, "5")
    browser.wait_for_text("puzzle-state", "Solved")
    assert browser.all("#puzzle-tries") == [], "it is one visitor"
    for number in range(1, LEAST):
        ask_from(f"127.0.0.{number + 1}", puzzled)
    browser.driver.refresh()
    browser.wait(lambda: browser.all("#puzzle-tries"))
    solved, tried = map(int, re.findall(r"\d+", browser.text("puzzle-tries")))
    assert browser.text("puzzle-tries") == f"{solved} of {tried} solved it"
    assert 0 < solved < tried >= LEAST


def test_earlier_puzzles_have_links_and_count_for_no_streak(
    puzzled: PageServer, browser: Browser
) -> None:
    visit(browser, puzzled)
    browser.click_on("#puzzle-earlier summary")
    assert faults(browser) == []
    browser.click_on("#puzzle-earlier a")
    browser.wait_for_text("puzzle-title", "The puzzle of ")
    assert browser.driver.current_url == f"{puzzled.url}puzzle/{DAYS[0]}"
    play(browser, "3")
    browser.wait_for_text("puzzle-state", "Good")
    play(browser, "5")
    browser.wait_for_text("puzzle-state", "Solved")
    assert browser.text("puzzle-streak") == ""
    assert f"/puzzle/{DAYS[0]}/connectfour" in browser.read("puzzle-text")
    browser.click_on("#puzzle-earlier summary")
    browser.click_on("#puzzle-earlier a")
    browser.wait_for_text("puzzle-title", "Today's puzzle")
    assert browser.complaints() == []


def test_a_day_without_a_puzzle(puzzled: PageServer, browser: Browser) -> None:
    browser.open(f"{puzzled.url}puzzle/2020-01-01", to_log_in=False)
    browser.wait(lambda: browser.shows("puzzle-none"))
    assert browser.text("puzzle-none").startswith("There is no puzzle of that day.")


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_the_front_door_leads_there_and_nothing_moves(
    puzzled: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    browser.open(puzzled.url, size, to_log_in=False, script=SHIFTS)
    browser.wait(lambda: browser.all("#front-puzzle a"))
    assert "Connect Four: Yellow moves and wins in 2 moves." in browser.text("front-puzzle")
    assert len(browser.all("#front-puzzle svg.mini")) == 1
    assert [shift for shift in run(browser, "return window.shifts") if shift[0] > 0.01] == []
    assert faults(browser) == [] and not scrolls_sideways(browser)
    browser.click_on("#front-puzzle a")
    browser.wait_for_text("puzzle-task", "Connect Four: Yellow")
    assert browser.complaints() == []


def test_a_server_without_a_puzzle_shows_no_card(server: PageServer, browser: Browser) -> None:
    browser.open(server.url, to_log_in=False)
    browser.wait(lambda: browser.shows("front-below"))
    assert not browser.shows("front-puzzle")


def test_the_lobby_leads_there(puzzled: PageServer, browser: Browser) -> None:
    browser.open(puzzled.url)
    browser.register("pia")
    browser.wait(lambda: browser.all("#lobby-puzzle a"))
    assert "Connect Four: Yellow" in browser.text("lobby-puzzle")
    assert faults(browser) == [] and not scrolls_sideways(browser)


def test_in_german(puzzled: PageServer, browser: Browser) -> None:
    browser.open(puzzled.url, to_log_in=False)
    run(browser, "document.cookie = 'language=de; path=/'")
    browser.driver.get(f"{puzzled.url}puzzle")
    browser.wait(lambda: browser.all("#puzzle-face .cell"))
    assert browser.text("puzzle-task") == "Vier gewinnt: Gelb zieht und gewinnt in 2 Zügen."
    play(browser, "7")
    browser.wait_for_text("puzzle-state", "Der nicht")
    assert browser.text("puzzle-more").startswith(
        "Das reicht nicht: Rot kann mit Spalte 1 antworten."
    )


@pytest.mark.parametrize("size", [PHONE, (320, 568), (360, 640)])
def test_what_helps_is_in_sight_on_a_phone(
    puzzled: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    visit(browser, puzzled, size)
    assert run(browser, IN_SIGHT, "puzzle-hint"), "above the bar"
    play(browser, "7")
    browser.wait(lambda: browser.shows("puzzle-back"))
    assert run(browser, IN_SIGHT, "puzzle-back")


SCROLLS = "return document.documentElement.scrollHeight > innerHeight"


def test_a_large_screen_is_used_and_a_desk_scrolls_nothing(
    puzzled: PageServer, browser: Browser
) -> None:
    visit(browser, puzzled, (1920, 1080))
    assert browser.all("#puzzle-face .board")[0].rect["width"] >= 940
    assert not run(browser, SCROLLS)
    for size, width in (((1920, 1080), 1400), ((1366, 768), 1200)):
        browser.open(puzzled.url, size, to_log_in=False)
        browser.wait(lambda: browser.shows("front-puzzle"))
        assert browser.find("front-games").rect["width"] >= width
        assert not run(browser, SCROLLS), size


@pytest.mark.parametrize("size", [DESKTOP, PHONE, (1920, 1080), (320, 568), (341, 192)])
def test_it_is_for_everyone_and_nothing_moves(
    puzzled: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    visit(browser, puzzled, size, "dark")
    run(browser, "window.watched = true")
    for move in ("7", "3", "5"):
        play(browser, move)
        if move == "7":
            browser.wait(lambda: browser.shows("puzzle-back"))
            assert faults(browser) == [] and not scrolls_sideways(browser)
            browser.click("puzzle-back")
        else:
            browser.wait_for_text("puzzle-state", "Good" if move == "3" else "Solved")
    shifts = [shift for shift in run(browser, "return window.shifts") if shift[0] > 0.01]
    assert shifts == []
    assert faults(browser) == [] and not scrolls_sideways(browser)
    force_colors(browser)
    assert faults(browser) == []
