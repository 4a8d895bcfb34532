"""Matches that have ended, in a real browser: replay, analysis, players, leaderboards."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from tests.accounts.helpers import HASH
from tests.archive.helpers import BEGAN, match, moved
from tests.plugins.matches.helpers import EVERY_GAME, played
from tests.plugins.web.axe import faults
from tests.plugins.web.browser import (
    DESKTOP,
    PHONE,
    YOUR_TURN,
    Browser,
    PageServer,
    scrolls_sideways,
)
from tests.plugins.web.fake import run
from tests.plugins.web.scripts import FOLLOW
from tests.plugins.web.walk import SHIFTS
from tictac.accounts.tables import Account, AccountTables
from tictac.archive.match import Event, Player
from tictac.archive.tables import MatchTables
from tictac.lobby.clock import TimeControl
from tictac.ratings.tables import RatingTables
from tictac.storage.databases import opened

ANNE, BEN = Player("anne", "account"), Player("ben", "account")
MANY = 23

AGAINST_PIP = match("pip", Player("nora", "guest"), Player("computer", "computer", "beginner"))

TAKEN_BACK = match("undone", ANNE, BEN)._replace(
    events=(
        Event(-1, ("said", "anne", "<b>good</b> luck")),
        moved(1, 0, "0:0"),
        moved(2, 1, "1:0"),
        Event(3, ("undone", 1, 1)),
        moved(4, 1, "1:1"),
        Event(4.5, ("left", "anne", 0)),
        Event(4.6, ("joined", "anne", 0)),
        Event(4.7, ("offered", 1, "draw")),
        Event(4.8, ("declined", 0, "draw")),
        moved(5, 0, "2:2"),
        Event(5.5, ("said", "ben", "oh")),
        moved(6, 1, "0:2"),
        moved(7, 0, "0:1"),
        Event(8, ("ended", "won", 1, "2:0")),
    ),
    winner=1,
    clock=TimeControl(90, period=30, periods=3),
)
"""A move was taken back; after a blunder of ben's anne makes another."""

UNKNOWN = {
    "no-such-match": "There's no such match.",
    "no-archive": "This server keeps no matches",
    "archive-away": "Matches can't be read at the moment",
    "no-such-game": "doesn't have that game",
}

HOLD = """
const [what, real] = [arguments[0], fetch];
const held = () => new Promise((_, fail) => (window.fail = () => fail(new TypeError("late"))));
window.fetch = (path) => path.includes(what) ? held() : real(path);
"""
"""Lets what is asked for at such a path wait, and fail late."""

FAIL = "fail(); setTimeout(arguments[0])"

GONE = """
const [real, parse] = [fetch, JSON.parse];
window.asked = [];
window.fetch = (path, ...how) => (asked.push(path), real(path, ...how));
JSON.parse = (...given) => {
  const value = parse(...given);
  const games = Array.isArray(value?.games) ? value.games : [];
  for (const game of games) if (game.page) game.page = "/games/gone/";
  return value;
};
"""
"""Lets no game have modules of its own that can be fetched."""


@pytest.fixture(scope="module", autouse=True)
def archive(server: PageServer) -> None:
    """Fill the server's archive."""
    day = 86_400
    rated = [
        match(f"rated{n}", ANNE, BEN, rated=True, winner=n % 3 // 2, ending="forfeited",
              began=BEGAN + (n + 1) * day)
        for n in range(MANY)
    ]  # fmt: skip
    games = [
        played(game, options, [f"user-{seat}" for seat in range(seats)], match_id=f"game{n}")
        for n, (game, options, seats) in enumerate(EVERY_GAME)
    ]
    secret = match("secret", ANNE, BEN, private=True)
    gone = match("gone-game", Player("ines", "guest"), Player("olaf", "guest"), game="draughts")
    with opened(str(server.folder / "users.db")) as database:
        AccountTables(database).add_many([Account("anne", HASH, "7b"), Account("ben", HASH)])
        MatchTables(database).add_all([TAKEN_BACK, AGAINST_PIP, secret, gone, *rated, *games])
        while RatingTables(database).count():
            pass


def visit(
    browser: Browser, server: PageServer, path: str, size: tuple[int, int] = DESKTOP,
    scheme: str = "light",
) -> None:  # fmt: skip
    """Follow a link that a friend has sent."""
    browser.open(server.url, size, scheme)
    browser.driver.get(server.url + path)


def at(browser: Browser, number: int, marks: str) -> None:
    """Wait until the page shows the board after this many moves."""
    browser.wait(lambda: browser.find("match-slider").get_attribute("value") == str(number))
    browser.wait_for_board(marks)


def test_a_stranger_goes_through_a_match_by_a_link(server: PageServer, browser: Browser) -> None:
    visit(browser, server, "match/undone/4")
    at(browser, 4, "X...O....")
    assert browser.text("match-talk") == "anne <b>good</b> luck"
    assert browser.all("#match .head .hint")[0].text.endswith("· 90 s + 3 \u00d7 30 s")
    assert len(browser.all("#match .player .mark")) == 2
    browser.press(Keys.ARROW_LEFT)
    browser.wait_for_text("match-state", "ben took a move back.")
    browser.press(Keys.ARROW_LEFT)
    at(browser, 2, "XO.......")
    browser.press(Keys.END)
    at(browser, 8, "X.OXO.O.X")
    assert browser.text("match-talk").endswith("ben oh")
    assert browser.text("match-state").endswith("ben won. Three in a row.")
    browser.press(Keys.HOME)
    at(browser, 0, ".........")
    browser.click_on("#match-moves button", 5)
    at(browser, 6, "X...O.O.X")
    browser.find("match-slider").send_keys(Keys.ARROW_RIGHT)
    at(browser, 7, "X..XO.O.X")
    browser.click("match-here")
    assert browser.find("match-link").get_attribute("value") == f"{server.url}match/undone/7"
    browser.wait(lambda: browser.driver.current_url == f"{server.url}match/undone/7")
    browser.click("match-play")
    at(browser, 8, "X.OXO.O.X")
    saved = browser.find("match-save").get_attribute("href")
    assert saved == f"{server.url}api/matches/undone"
    assert browser.complaints() == []


def test_the_device_sends_the_link_to_a_move(server: PageServer, browser: Browser) -> None:
    share = "async (what) => { window.shared = what; }"
    script = f"Object.defineProperty(navigator, 'share', {{ value: {share} }});"
    source = {"source": script}
    added = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", source)
    try:
        visit(browser, server, "match/undone/4")
        browser.click("match-here")
        browser.click_on(".share button.main")
        shared = browser.driver.execute_script("return window.shared")
        assert shared == {"url": f"{server.url}match/undone/4"}
    finally:
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


def test_a_large_screen_is_used(server: PageServer, browser: Browser) -> None:
    visit(browser, server, "match/undone", (1920, 1080))
    at(browser, 8, "X.OXO.O.X")
    assert browser.all("#match .board")[0].rect["width"] >= 750
    made, last = (browser.all(f"#match-moves{each}")[0].rect for each in ("", " li:last-child"))
    assert made["y"] + made["height"] - last["y"] - last["height"] < 5  # as high as the moves
    browser.wait(lambda: browser.shows("match-analyse"))
    assert faults(browser) == [] and not scrolls_sideways(browser)


@pytest.mark.parametrize("frames", [True, False])
def test_another_page_can_show_it_where_that_is_allowed(
    server: PageServer, browser: Browser, frames: bool
) -> None:
    formats = json.dumps({"formats": {"tictactoe": ["png"]}, "frames": frames})
    answer = f"path.startsWith('/api/formats') ? new Response('{formats}') : fetched(path)"
    copy = "navigator.clipboard.writeText = async (text) => { window.copied = text; }"
    source = {
        "source": f"{{ const fetched = fetch; window.fetch = async (path) => {answer}; {copy} }}"
    }
    faked = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", source)
    try:
        visit(browser, server, "match/undone/4")
        browser.wait(lambda: browser.all(".formats a"))
        (embed,) = browser.all(".share .embed")
        assert embed.is_displayed() is frames
        if frames:
            embed.click()
            browser.hears("Copied.")
            copied = browser.driver.execute_script("return window.copied")
            assert f'<iframe src="{server.url}embed/match/undone" title="tictac"' in copied
    finally:
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", faked)


def test_it_is_judged_without_a_login_and_once(server: PageServer, browser: Browser) -> None:
    visit(browser, server, "match/undone/7")
    browser.click("match-analyse")
    browser.wait_for_text("match-state", "A blunder, worth 0 %; row 1, column 3 was worth 100 %.")
    marks = [each.text for each in browser.all("#match-moves .glyph") if each.text]
    assert marks == ["??", "??"]
    assert browser.all(".cell.best")[0].get_attribute("data-move") == "2:0"
    assert len(browser.all(".values .dot.blunder")) == 2
    browser.driver.refresh()
    browser.wait(lambda: browser.all(".values"))
    assert not browser.shows("match-analyse")


def test_a_computer_that_was_judged_has_its_name(server: PageServer, browser: Browser) -> None:
    visit(browser, server, "match/pip")
    browser.click("match-analyse")
    browser.wait(lambda: browser.texts("#match .analysis thead th") == ["nora", "Pip"])


def test_every_reason_has_a_sentence(server: PageServer, browser: Browser) -> None:
    for code, sentence in UNKNOWN.items():
        answer = f"new Response('{json.dumps({'error': code})}', {{ status: 404 }})"
        api = f"async (path) => path.startsWith('/api/') ? {answer} : fetched(path)"
        source = {"source": f"{{ const fetched = fetch; window.fetch = {api}; }}"}
        faked = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", source)
        visit(browser, server, "match/gone")
        browser.wait_for_text("match-note", sentence)
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", faked)


def test_a_match_of_a_game_that_is_gone_is_told(server: PageServer, browser: Browser) -> None:
    visit(browser, server, "match/gone-game")
    browser.wait_for_text("match-note", "This server doesn't have that game.")
    browser.wait_for_text("match-moves", "ines won.")
    assert browser.text("match-title") == "draughts"
    assert "Nov 14, 2023" in browser.text("match")
    assert browser.texts("#match .player .name") == ["ines", "olaf"]
    moves = [each.split() for each in browser.texts("#match-moves li:not(.end)")]
    assert moves == [["ines", "0:0"], ["olaf", "1:1"], ["ines", "1:0"], ["olaf", "2:2"], ["2:0"]]
    assert faults(browser) == []


FORMATS = """
const fetched = window.fetch;
const formats = JSON.stringify({ formats: { tictactoe: ["pgn", "png"] }, frames: true });
window.fetch = (path, ...more) => {
  if (!`${path}`.startsWith("/api/formats")) return fetched(path, ...more);
  return Promise.resolve(new Response(formats));
};
"""


def test_a_private_match_is_for_its_players(server: PageServer, browser: Browser) -> None:
    visit(browser, server, "match/secret")
    browser.wait_for_text("match-note", "Only its players can see this match")
    browser.driver.execute_script(FORMATS)
    browser.click("match-log-in")
    browser.log_in("anne")
    at(browser, 5, "XXX.O...O")
    browser.wait(lambda: browser.texts("#match .formats a") == ["PGN"])  # a picture is for everyone
    browser.click_on("#match .formats a")
    browser.hears("There's no such match*")  # in this format, on this server
    browser.click("match-analyse")
    browser.wait(lambda: browser.all(".values"))
    browser.driver.get(f"{server.url}match/secret/2")  # read again once one is logged in
    at(browser, 2, "X...O....")


def reviewed(browser: Browser) -> list[str]:
    """Return the moves of the marked cells, while the match is gone through in its room."""
    cells = ".steps .cell:not([data-mark=''])"
    return [cell.get_attribute("data-move") or "" for cell in browser.all(cells)]


@pytest.mark.parametrize(("scheme", "size"), [("light", DESKTOP), ("dark", PHONE)])
def test_a_rematch_reaches_who_goes_through_the_match(
    server: PageServer, browse: Callable[[int], list[Browser]], scheme: str, size: tuple[int, int]
) -> None:
    rita, rolf = browsers = browse(2)
    for browser, user in ((rita, f"rita-{scheme}"), (rolf, f"rolf-{scheme}")):
        browser.open(server.url, size, scheme)
        browser.register(user)
    rita.open_table("tictactoe", "anybody", f"review {scheme}")
    rolf.enter(f"review {scheme}", "Join")
    rita.play("1:1")
    rolf.play("0:0")
    rita.wait_for_text("state", YOUR_TURN)
    rita.resign()
    address = rita.driver.current_url
    rita.click("replay")
    rita.wait_for_focus("pane-moves")
    rita.press(Keys.HOME)
    rita.wait(lambda: reviewed(rita) == [])
    rita.click("review-next")
    rita.wait(lambda: reviewed(rita) == ["1:1"])
    rita.press(Keys.ARROW_RIGHT)
    rita.wait(lambda: reviewed(rita) == ["0:0", "1:1"])
    assert rita.texts("#review-moves [aria-current]") == ["row 1, column 1"]
    assert rita.driver.current_url == address and not rita.shows("over")
    assert faults(rita) == [] and not scrolls_sideways(rita)
    rita.click("result")
    rita.wait_for_focus("end-title")
    assert not rita.all("#review-moves")
    rita.click("replay")
    rita.wait_for_focus("pane-moves")
    rolf.click("rematch")
    rita.wait_for_text("state", f"rolf-{scheme} offers a rematch.")
    rita.click("accept")
    rolf.wait_for_text("state", YOUR_TURN)
    rita.wait(lambda: not rita.all("#review-moves"))
    rita.wait_for_board(".........")
    rolf.resign()
    for browser in browsers:
        assert browser.complaints() == []


@pytest.mark.parametrize(("scheme", "size"), [("light", DESKTOP), ("dark", PHONE)])
def test_every_game_and_every_view(
    server: PageServer, browser: Browser, scheme: str, size: tuple[int, int]
) -> None:
    shown = {"match": "#match-state", "player": "#player-matches li", "ratings": "#ratings tr"}
    games = [f"match/game{number}" for number in range(len(EVERY_GAME))]
    browser.open(server.url, size, scheme)
    for path in ["match/undone/7", "player/anne", "ratings/tictactoe", *games]:
        browser.driver.get(server.url + path)
        view = path.partition("/")[0]
        browser.wait(lambda: [e for e in browser.all(shown[view]) if e.is_displayed()], path)  # noqa: B023
        found = faults(browser) if scheme == "light" or view != "match" or path == games[5] else []
        assert (found, scrolls_sideways(browser), browser.complaints()) == ([], False, []), path


def test_a_leaderboard_that_only_computers_are_on_fills_a_phone(
    server: PageServer, browser: Browser
) -> None:
    browser.open(server.url, PHONE, "dark")
    browser.driver.get(server.url + "ratings/nim")
    browser.wait_for_text("ratings", "No player has a rating here yet")
    parts = "document.querySelectorAll('#ratings > :not(.game-tabs, [hidden])')"
    widths = f"return [...{parts}].map((part) => part.offsetWidth)"
    assert len(set(browser.driver.execute_script(widths))) == 1
    assert [text for text in browser.texts("#ratings thead th") if text] == ["Player", "Rating"]
    (legend,) = filter(None, browser.texts("#ratings .legend p"))
    assert legend.startswith("Rating:")


def test_a_players_page(server: PageServer, browser: Browser) -> None:
    visit(browser, server, "player/anne")
    browser.wait(lambda: len(browser.all("#player-matches li")) == 20)
    browser.click("player-more")
    browser.wait(lambda: len(browser.all("#player-matches li")) == MANY + 1)
    Select(browser.find("player-result")).select_by_value("lost")
    lost = MANY // 3 + 1
    browser.wait(lambda: len(browser.all("#player-matches li")) == lost)
    browser.driver.refresh()
    browser.wait(lambda: len(browser.all("#player-matches li")) == lost)
    browser.wait(lambda: browser.all(".curve .band"))
    browser.wait(lambda: browser.all("#player-matches .pen"), "a last position")
    assert browser.all("#player-matches .gain.down")
    browser.click_on("#player-matches a.button", -1)
    browser.wait(lambda: browser.shows("match"))


def test_ones_own_page_alone_has_private_matches(server: PageServer, browser: Browser) -> None:
    visit(browser, server, "player/anne")
    browser.wait(lambda: len(browser.all("#player-matches li")) == 20)
    browser.click("player-more")
    browser.wait(lambda: len(browser.all("#player-matches li")) == MANY + 1)
    assert not browser.all("[data-match=secret]")
    assert browser.shows("player-game") and not browser.shows("player-results")
    browser.click("to-sign-in")
    browser.log_in("anne")
    browser.wait_for_text("user", "anne")
    browser.driver.get(f"{server.url}player/anne")
    browser.wait(lambda: len(browser.all("#player-matches li")) == 20)
    browser.click("player-more")
    browser.wait(lambda: len(browser.all("#player-matches li")) == MANY + 2)
    assert browser.texts("#player-results b") == [f"{MANY - MANY // 3 + 1}\u2013{MANY // 3 + 1}"]
    assert "private" in browser.all("[data-match=secret]")[0].text
    browser.wait(lambda: browser.all("[data-match=secret] .pen"), "the last position")
    Select(browser.find("player-result")).select_by_value("lost")
    browser.wait(lambda: len(browser.all("#player-matches li")) == MANY // 3 + 1)
    assert browser.complaints() == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_ones_own_page_moves_nothing_while_it_comes(
    server: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    browser.open(server.url, size)
    browser.log_in("anne")
    browser.wait_for_text("user", "anne")
    source = {"source": f"{SHIFTS} window.watched = true;"}
    added = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", source)
    browser.driver.get(f"{server.url}player/anne")
    browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
    browser.wait(lambda: browser.shows("player-results") and browser.shows("player-code"))
    browser.wait(lambda: browser.all("#player-matches .pen"), "a last position")
    assert sum(each[0] for each in run(browser, "return window.shifts")) <= 0.01


def test_few_matches_need_no_filters(server: PageServer, browser: Browser) -> None:
    visit(browser, server, "player/ines")
    browser.wait(lambda: len(browser.all("#player-matches li")) == 1)
    assert not browser.shows("player-game")


def test_a_player_is_challenged_from_their_page(
    server: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    anne, ben = browse(2)
    anne.open(server.url)
    anne.log_in("anne")
    anne.wait_for_view("lobby")
    anne.driver.get(f"{server.url}player/ben")
    anne.click("player-challenge")
    anne.wait(lambda: "That player can't be challenged right now." in anne.text("player"))
    ben.open(server.url)
    ben.log_in("ben")
    ben.wait_for_view("lobby")
    anne.click("player-challenge")
    ben.wait_for_text("challenges", "anne challenges you: Tic-tac-toe")
    ben.click_on("#challenges button.main")
    for browser in (anne, ben):
        browser.wait_for_view("table")
    ben.resign()
    ben.driver.get(f"{server.url}player/ben")
    ben.wait(lambda: ben.all("#player-matches li"))
    assert not ben.shows("player-challenge"), "nobody challenges themselves"
    assert anne.complaints() == ben.complaints() == []


def test_an_answer_that_comes_too_late_is_nobodys(server: PageServer, browser: Browser) -> None:
    visit(browser, server, "player/anne")
    browser.wait(lambda: browser.all("#player-matches li"))
    run(browser, HOLD, "result=lost")
    Select(browser.find("player-result")).select_by_value("lost")
    run(browser, FOLLOW, "player/ben")
    browser.wait_for_text("player-title", "ben")
    browser.wait(lambda: browser.all("#player-matches li"))
    browser.driver.execute_async_script(FAIL)
    assert browser.text("player-note") == ""


def test_who_has_left_a_players_page_asks_nothing_more(
    server: PageServer, browser: Browser
) -> None:
    visit(browser, server, "player/anne")
    browser.wait(lambda: browser.all("#player-matches li"))
    run(browser, HOLD, "/api/players/ben")
    run(browser, FOLLOW, "player/ben")
    browser.wait(lambda: run(browser, "return Boolean(window.fail)"))
    run(browser, FOLLOW, "")
    browser.wait(lambda: not browser.shows("player"))
    browser.driver.execute_async_script(FAIL)
    assert browser.complaints() == []


def test_an_old_login_keeps_nobody_from_what_everybody_may_see(
    server: PageServer, browser: Browser
) -> None:
    browser.open(server.url)
    token = json.dumps({"user": "anne", "token": "old"})
    browser.driver.execute_script("sessionStorage.setItem('tictac', arguments[0])", token)
    browser.driver.get(f"{server.url}player/anne")
    browser.wait(lambda: browser.all("h1") and "anne" in browser.driver.title)
    browser.wait(lambda: not browser.driver.execute_script("return sessionStorage.length"))
    assert "anne" in browser.driver.title and not browser.shows("sign-in")


def test_the_best_players(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    browser.register("lea")
    browser.click_on("#ways a[href='/ratings']")
    browser.wait(lambda: len(browser.all("#ratings tbody tr")) == 5)
    assert browser.texts("#ratings tbody th a")[:2] == ["anne", "ben"]
    browser.click_on("#ratings nav a[href$='/7b']")
    browser.wait_for_text("ratings-title", "Tic-tac-toe: leaderboard of 7b")
    browser.wait(lambda: len(browser.all("#ratings tbody tr")) == 4)
    browser.click_on("#ratings tbody a")
    browser.wait_for_text("player-title", "anne")


def test_a_game_whose_modules_are_gone_is_replayed_as_pictures(
    server: PageServer, browser: Browser
) -> None:
    browser.open(server.url)
    add = "Page.addScriptToEvaluateOnNewDocument"
    added = browser.driver.execute_cdp_cmd(add, {"source": GONE})
    browser.driver.get(f"{server.url}match/game4/1")
    browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
    browser.wait(lambda: browser.all("#match .position"))
    assert browser.all("#match .position")[0].text.startswith("1: ")
    replays = [path for path in run(browser, "return asked") if "/replay" in path]
    assert ["draws" in path for path in replays] == [False, True]
    assert sum("is shown as a picture" in each for each in browser.complaints()) == 1
