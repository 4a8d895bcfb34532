"""Computers are characters in every view, and never called as on the wire."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.request import urlopen

import pytest
from selenium.webdriver.support.ui import Select

from tests.plugins.web.browser import Browser, PageServer
from tests.plugins.web.catalogues import LANGUAGES
from tests.plugins.web.cup_server import CupServer
from tests.plugins.web.fake import begin, enter, listed, run, tell

LEVELS = ("beginner", "beginner", "club", "best")


@pytest.fixture(scope="module")
def robots(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CupServer]:
    """Yield a server where four computers play a tournament, and one is a mark of a series."""
    folder = tmp_path_factory.mktemp("robots")
    with CupServer(folder, "--guests", "--admin-socket", str(folder / "sock")) as running:
        running.make("robots", "--name", "Robots", "--system", "round-robin", "--rest", "0")
        for level in LEVELS:
            running.admin("add", "robots", "--computer", level)
        running.admin("begin", "robots")
        series = ("create", "term", "--name", "Autumn", "--game", "nim", "--time", "60")
        running.operate("series", *series, "--level", "club", "--hours", "00:00-23:59")
        yield running


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_no_view_calls_a_computer_by_its_name_on_the_wire(
    robots: CupServer, browser: Browser, language: str
) -> None:
    """Acceptance 9: no text of any view has ``computer 2``, ``level:``, or ``Computer 2``.

    The browser fixture fails for such a text, however briefly it was shown (browser.NONSENSE).
    """
    browser.open(robots.url, to_log_in=False)
    Select(browser.all(".tongue .languages")[0]).select_by_value(language)
    browser.wait(lambda: browser.all(f"html[lang={language}]"))
    texts = LANGUAGES[language]
    club = texts.get("server", {}).get("club", "club")
    rook = texts["table"]["kind"].format(level=club)
    browser.wait(lambda: read(robots, "tournaments/robots")["state"] == "over")

    def visit(path: str, *wanted: str) -> None:
        browser.driver.get(robots.url + path)
        browser.wait(lambda: all(each in said(browser) for each in wanted), path)

    visit("tournament/robots", "Pip 2", "Rook", "Ada", rook)
    for tab in run(browser, TABS):
        browser.click(tab)
        browser.wait(lambda: "Pip 2" in browser.text("cup-table"))
    visit("tournament/robots/screen", "Pip 2", "Rook", "Ada")
    visit("ratings/reversi", "Pip", "Rook", "Ada", rook)
    visit("ladder/term", "Rook", rook)
    [match] = read(robots, "matches?limit=1")["matches"]
    called = [each["name"] for each in match["computers"].values()]
    visit(f"match/{match['id']}", *called)
    for path in ("rules/clue", "tournaments", "nothing", "player/nobody"):
        visit(path, texts["page"]["name"])
    # Clue with five computers, which are their suspects: at the board, in lists, and afterwards.
    user = f"mira-{language}"
    visit("")
    browser.click("to-sign-in")
    browser.register(user)
    browser.open_table("clue", "sensible", room=f"hall {language}")
    mustard, plum = (texts.get("server", {}).get(each, each) for each in ("Mustard", "Plum"))
    browser.wait(lambda: plum in browser.text("players"))
    assert mustard in browser.text("players") and user in browser.text("players")
    browser.click_on(".ask button, .clue-act button")
    visit("watch", mustard)
    visit("mine", mustard)
    robots.promote(user)
    visit("admin", mustard)


TABS = "return [...document.querySelectorAll('[id^=cup-tab-]')].map(({ id }) => id)"

LATER = """
// The test says when a line has stood for long enough.
const later = window.setTimeout;
window.goes = [];
window.setTimeout = (work, time, ...more) =>
  time === 6000 ? goes.push(work) : later(work, time, ...more);
"""


def test_a_computer_has_faces_and_lines(server: PageServer, browser: Browser) -> None:
    enter(browser, server, listed("den", "reversi"), script=LATER)
    begin(browser, "reversi", computers=ROOK, players=PLAYERS, turn=1, position=POSITION)
    assert face(browser) == "rook-think"
    lines = LANGUAGES["en"]["computers"]["rook"]
    browser.wait_for_text("above", lines["reversi"]["start"])
    assert lines["reversi"]["start"] not in "".join(run(browser, "return announced"))
    run(browser, "goes.pop()()")
    browser.wait_for_text("above", "computer, club")
    tell(browser, "ended", n=9, position=POSITION, how="forfeited", winner=1, move=None)
    browser.wait(lambda: face(browser) == "rook-won")
    browser.wait_for_text("above", lines["any"]["won"])
    assert browser.complaints() == []


def test_a_computer_is_quiet_if_told_so(server: PageServer, browser: Browser) -> None:
    quiet = "localStorage.setItem('tictac.settings', JSON.stringify({ lines: false }));"
    enter(browser, server, listed("den", "reversi"), script=quiet)
    begin(browser, "reversi", computers=ROOK, players=PLAYERS, position=POSITION)
    assert not browser.find("lines").is_selected()
    assert "computer, club" in browser.text("above") and face(browser) == "rook"


ROOK = {"computer": {"name": "Rook", "level": "club"}}

PLAYERS = [{"user": user, "away": False} for user in ("alice", "computer")]

POSITION = "......../......../......../...OX.../...XO.../......../......../........ X"


def face(browser: Browser) -> str:
    """Return which face the player above the board has."""
    path: str = run(browser, "return document.querySelector('#above img.face').src")
    return path.rpartition("/")[2].removesuffix(".svg")


def said(browser: Browser) -> str:
    """Return all text that is shown."""
    text: str = run(browser, "return document.body.innerText")
    return text


def read(server: PageServer, path: str) -> dict[str, Any]:
    """Return what the server says over HTTP."""
    with urlopen(f"{server.url}api/{path}") as response:
        found: dict[str, Any] = json.load(response)
    return found
